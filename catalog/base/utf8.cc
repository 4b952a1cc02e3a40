#include "catalog/base/utf8.h"

#include <string_view>

namespace catalogd {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Character {
  size_t bytes = 1;
  bool valid = false;
};

// The character at the front of a text that is not empty. Of a broken one, as many bytes as could
// begin a valid one.
Character FirstOf(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xC2 || first > 0xF4) return {1, false};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  // The second byte tells too long forms, surrogates and what is beyond U+10FFFF.
  unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

}  // namespace

std::string ValidUtf8(std::string text) {
  const std::string_view all = text;
  size_t at = 0;
  Character one;
  while (at < all.size() && (one = FirstOf(all.substr(at))).valid) at += one.bytes;
  if (at == all.size()) return text;
  std::string valid(all.substr(0, at));
  while (at < all.size()) {
    one = FirstOf(all.substr(at));
    valid += one.valid ? all.substr(at, one.bytes) : kReplacement;
    at += one.bytes;
  }
  return valid;
}

}  // namespace catalogd
