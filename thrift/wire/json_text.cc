#include "thrift/wire/json_text.h"

namespace catalogd::wire::internal {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

tl::unexpected<Error> BadAt(std::string_view what, size_t offset) {
  return MakeError(ErrorCode::kCorrupt,
                   std::string(what) + " at byte " + std::to_string(offset) + " of a JSON string");
}

char* WriteByte(int value, char* out) {
  *out = static_cast<char>(static_cast<uint8_t>(value));
  return out + 1;
}

}  // namespace

int ParseHex4(const char* p) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexValue(p[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

char* WriteUtf8(int code_point, char* out) {
  if (code_point < 0x80) return WriteByte(code_point, out);
  if (code_point < 0x800) {
    out = WriteByte(0xC0 + code_point / 64, out);
    return WriteByte(0x80 + code_point % 64, out);
  }
  if (code_point < 0x10000) {
    out = WriteByte(0xE0 + code_point / 4096, out);
  } else {
    out = WriteByte(0xF0 + code_point / 262144, out);
    out = WriteByte(0x80 + code_point / 4096 % 64, out);
  }
  out = WriteByte(0x80 + code_point / 64 % 64, out);
  return WriteByte(0x80 + code_point % 64, out);
}

const char* TakeUnicodeEscape(const char* p, const char* end, int slashes, char** out) {
  if (end - p < 4) return nullptr;
  const int unit = ParseHex4(p);
  if (unit < 0 || IsLowSurrogate(unit)) return nullptr;
  p += 4;
  int code_point = unit;
  if (IsHighSurrogate(unit)) {
    if (end - p < slashes + 5) return nullptr;
    for (int i = 0; i < slashes; ++i) {
      if (*p++ != '\\') return nullptr;
    }
    if (*p++ != 'u') return nullptr;
    const int low = ParseHex4(p);
    if (!IsLowSurrogate(low)) return nullptr;
    p += 4;
    code_point = 0x10000 + (unit - 0xD800) * 1024 + (low - 0xDC00);
  }
  *out = WriteUtf8(code_point, *out);
  return p;
}

Result<std::string> UnescapeJson(std::string_view content) {
  std::string out;
  out.reserve(content.size());
  const char* const begin = content.data();
  const char* const end = begin + content.size();
  for (const char* p = begin; p != end;) {
    if (*p == '"') return BadAt("bare quote", static_cast<size_t>(p - begin));
    if (*p != '\\') {
      out += *p++;
      continue;
    }
    const auto offset = static_cast<size_t>(p - begin);
    if (end - p < 2) return BadAt("cut-off escape", offset);
    char utf8[4];
    char* to = utf8;
    if (const char simple = SimpleEscape(p[1]); simple != 0) {
      *to++ = simple;
      p += 2;
    } else if (p[1] == 'u') {
      p = TakeUnicodeEscape(p + 2, end, 1, &to);
      if (p == nullptr) return BadAt("malformed \\u escape", offset);
    } else {
      return BadAt("unknown escape", offset);
    }
    out.append(utf8, static_cast<size_t>(to - utf8));
  }
  return out;
}

}  // namespace catalogd::wire::internal
