#include "thrift/wire/tjson.h"

#include <memory>

#include "thrift/wire/json_text.h"
#include "thrift/wire/tjson_scanner.h"

namespace catalogd::wire {
namespace {

using internal::TJsonFault;
using internal::TJsonScanner;

std::string_view FaultText(TJsonFault fault) {
  switch (fault) {
    case TJsonFault::kNone:
    case TJsonFault::kSyntax:
      return "is malformed or cut off";
    case TJsonFault::kTag:
      return "has an unknown type tag";
    case TJsonFault::kNumber:
      return "has a malformed number or one out of range";
    case TJsonFault::kEscape:
      return "has a malformed escape";
    case TJsonFault::kCount:
      return "declares another number of elements than it has";
    case TJsonFault::kTrailing:
      return "goes on behind its struct";
    case TJsonFault::kTooDeep:
      return "is nested deeper than the limit";
    case TJsonFault::kStringTooLong:
      return "has a string over the limit";
    case TJsonFault::kTooManyElements:
      return "has a container over the limit";
  }
  return "";
}

bool IsLimit(TJsonFault fault) {
  return fault == TJsonFault::kTooDeep || fault == TJsonFault::kStringTooLong ||
         fault == TJsonFault::kTooManyElements;
}

tl::unexpected<Error> FaultError(TJsonFault fault, size_t offset) {
  return MakeError(IsLimit(fault) ? ErrorCode::kResourceExhausted : ErrorCode::kCorrupt,
                   "Thrift-JSON " + std::string(FaultText(fault)) + " (byte " +
                       std::to_string(offset) + "); read the object from the metastore instead");
}

struct Outcome {
  TJsonFault fault = TJsonFault::kNone;
  size_t offset = 0;
};

// `buffer` has room for everything the text can become.
template <int kDepth>
Outcome RunScanner(std::string_view text, const Limits& limits, char* buffer, std::string* out) {
  TJsonScanner<kDepth> scanner(text, limits, buffer);
  if (!scanner.Run()) return {scanner.fault(), scanner.fault_offset()};
  out->append(buffer, static_cast<size_t>(scanner.out() - buffer));
  return {};
}

Status AppendUnescaped(std::string_view text, int escape_depth, const Limits& limits, char* buffer,
                       std::string* out) {
  std::string plain(text);
  for (int depth = escape_depth; depth > 0; --depth) {
    ASSIGN_OR_RETURN(plain, internal::UnescapeJson(plain));
  }
  const Outcome outcome = RunScanner<0>(plain, limits, buffer, out);
  if (outcome.fault != TJsonFault::kNone) return FaultError(outcome.fault, outcome.offset);
  return Ok();
}

}  // namespace

Status AppendTJsonStruct(std::string_view text, int escape_depth, const Limits& limits,
                         std::string* out) {
  if (escape_depth < 0 || escape_depth > kMaxEscapeDepth) {
    return MakeError(ErrorCode::kCorrupt, "Thrift-JSON within " + std::to_string(escape_depth) +
                                              " JSON strings; at most " +
                                              std::to_string(kMaxEscapeDepth) + " are understood");
  }
  // Not a string: its bytes would be zeroed first, which costs as much as the scan.
  const auto buffer = std::make_unique_for_overwrite<char[]>(
      TJsonScanner<0>::kGrowth * text.size() + TJsonScanner<0>::kSlack);
  if (escape_depth > 1) return AppendUnescaped(text, escape_depth, limits, buffer.get(), out);
  const Outcome outcome = escape_depth == 0 ? RunScanner<0>(text, limits, buffer.get(), out)
                                            : RunScanner<1>(text, limits, buffer.get(), out);
  if (outcome.fault == TJsonFault::kNone) return Ok();
  if (escape_depth == 1 && !IsLimit(outcome.fault)) {
    return AppendUnescaped(text, escape_depth, limits, buffer.get(), out);
  }
  return FaultError(outcome.fault, outcome.offset);
}

Result<std::string> TJsonStructToBinary(std::string_view text, int escape_depth,
                                        const Limits& limits) {
  std::string out;
  RETURN_IF_ERROR(AppendTJsonStruct(text, escape_depth, limits, &out));
  return out;
}

}  // namespace catalogd::wire
