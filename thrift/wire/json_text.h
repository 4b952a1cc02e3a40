#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/base/result.h"

// Characters of JSON strings; shared by the TJSON scanner and its unescaping. Internal to
// thrift/wire.
// Thread safety: pure functions.
namespace catalogd::wire::internal {

// What `\c` stands for; 0 when it is no escape of one letter.
constexpr char SimpleEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

// Four hex digits at `p`, or -1.
int ParseHex4(const char* p);

constexpr bool IsHighSurrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool IsLowSurrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Writes 1 to 4 bytes of UTF-8 at `out`; returns the end.
char* WriteUtf8(int code_point, char* out);

// After the `u` of a \u escape at `p`, with `slashes` physical backslashes before each escape
// letter: takes the digits and, for a high surrogate, the low one's escape. Writes UTF-8 to *out.
// Null on malformed digits and lone surrogates.
const char* TakeUnicodeEscape(const char* p, const char* end, int slashes, char** out);

// The content of a JSON string with its escapes resolved once. kCorrupt on a bare quote and on
// malformed escapes; control characters and non-UTF-8 bytes pass.
Result<std::string> UnescapeJson(std::string_view content);

}  // namespace catalogd::wire::internal
