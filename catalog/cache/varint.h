#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers in as few bytes as they need, seven bits each. For our own bytes only: reading trusts
// what was written here.
namespace catalogd::cache {

inline void PutVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80U));
    value >>= 7U;
  }
  out->push_back(static_cast<char>(value));
}

// Takes one off the front of `in`.
inline uint64_t TakeVarint(std::string_view* in) {
  uint64_t value = 0;
  unsigned shift = 0;
  size_t used = 0;
  uint64_t byte = 0;
  do {
    byte = static_cast<unsigned char>((*in)[used++]);
    value |= (byte & 0x7FU) << shift;
    shift += 7;
  } while ((byte & 0x80U) != 0);
  in->remove_prefix(used);
  return value;
}

inline std::string_view TakeBytes(size_t size, std::string_view* in) {
  const std::string_view bytes = in->substr(0, size);
  in->remove_prefix(size);
  return bytes;
}

// Small numbers of either sign become small numbers.
inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63U);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1U) ^ -static_cast<int64_t>(value & 1U);
}

}  // namespace catalogd::cache
