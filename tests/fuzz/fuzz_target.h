#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

// A fuzz target takes any bytes and must return; a broken property aborts.
namespace catalogd::fuzz {

void ScanTarget(const uint8_t* data, size_t size);
void TJsonTarget(const uint8_t* data, size_t size);
void ViewTarget(const uint8_t* data, size_t size);
void FilterTarget(const uint8_t* data, size_t size);
void EventTarget(const uint8_t* data, size_t size);
void DialectTarget(const uint8_t* data, size_t size);
void NamesTarget(const uint8_t* data, size_t size);
void MessageTarget(const uint8_t* data, size_t size);

inline void Require(bool property, int line = __builtin_LINE()) {
  if (property) return;
  std::fprintf(stderr, "the property in line %d is broken\n", line);
  std::abort();
}

// Runs a target on a heap copy of the exact size: a sanitizer sees every read past the end.
inline void RunOn(void (*target)(const uint8_t*, size_t), std::string_view input) {
  const std::vector<uint8_t> copy(input.begin(), input.end());
  target(copy.data(), copy.size());
}

}  // namespace catalogd::fuzz

// Makes a target the entry point of a libFuzzer program where one is built.
#ifdef CATALOGD_LIBFUZZER
#define FUZZ_ENTRY(target)                                                  \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    target(data, size);                                                     \
    return 0;                                                               \
  }
#else
#define FUZZ_ENTRY(target) static_assert(true)
#endif
