#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace catalogd {

// What kind of failure the outside world caused. One table (error.cc) maps each code to its
// name, the process exit code of the command line and whether the same request may be tried again.
enum class ErrorCode {
  kNotFound,
  kAlreadyExists,
  kNotEmpty,
  kInvalidArgument,
  kInvalidState,
  kPermission,
  kConflict,
  kTimedOut,
  kCancelled,
  kUnavailable,     // Nothing was done: it is safe to try again.
  kUnknownOutcome,  // The request may have taken effect: reconcile, never retry.
  kCorrupt,
  kUnsupported,
  kResourceExhausted,
  kInternal,
};

inline constexpr int kErrorCodeCount = static_cast<int>(ErrorCode::kInternal) + 1;

std::string_view ErrorCodeName(ErrorCode code);
int ErrorExitCode(ErrorCode code);
bool ErrorIsRetryable(ErrorCode code);

// An error says what failed, on which object, at which event where that matters, and what to do
// next. It is plain data; copying is allowed.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // "get_table sales.orders: connection refused" from "connection refused" and the context.
  [[nodiscard]] Error WithContext(std::string_view context) &&;
  [[nodiscard]] std::string ToString() const;
};

inline bool operator==(const Error& a, const Error& b) {
  return a.code == b.code && a.message == b.message;
}

}  // namespace catalogd
