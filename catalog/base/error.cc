#include "catalog/base/error.h"

#include <array>

#include "catalog/base/utf8.h"

namespace catalogd {
namespace {

struct Row {
  ErrorCode code;
  std::string_view name;
  int exit_code;
  bool retryable;
};

// Exit code 2 is kept for wrong usage of the command line.
constexpr std::array<Row, kErrorCodeCount> kRows = {{
    {ErrorCode::kNotFound, "not_found", 3, false},
    {ErrorCode::kAlreadyExists, "already_exists", 4, false},
    {ErrorCode::kNotEmpty, "not_empty", 4, false},
    {ErrorCode::kInvalidArgument, "invalid_argument", 2, false},
    {ErrorCode::kInvalidState, "invalid_state", 5, false},
    {ErrorCode::kPermission, "permission", 6, false},
    {ErrorCode::kConflict, "conflict", 7, true},
    {ErrorCode::kTimedOut, "timed_out", 8, true},
    {ErrorCode::kCancelled, "cancelled", 9, false},
    {ErrorCode::kUnavailable, "unavailable", 10, true},
    {ErrorCode::kUnknownOutcome, "unknown_outcome", 11, false},
    {ErrorCode::kCorrupt, "corrupt", 12, false},
    {ErrorCode::kUnsupported, "unsupported", 13, false},
    {ErrorCode::kResourceExhausted, "resource_exhausted", 14, true},
    {ErrorCode::kInternal, "internal", 1, false},
}};

const Row& RowOf(ErrorCode code) { return kRows.at(static_cast<size_t>(code)); }

}  // namespace

std::string_view ErrorCodeName(ErrorCode code) { return RowOf(code).name; }
int ErrorExitCode(ErrorCode code) { return RowOf(code).exit_code; }
bool ErrorIsRetryable(ErrorCode code) { return RowOf(code).retryable; }

Error Error::WithContext(std::string_view context) && {
  message.insert(0, ": ");
  message.insert(0, context);
  message = ValidUtf8(std::move(message));
  return std::move(*this);
}

std::string Error::ToString() const {
  std::string text(ErrorCodeName(code));
  text += ": ";
  text += message;
  return ValidUtf8(std::move(text));
}

}  // namespace catalogd
