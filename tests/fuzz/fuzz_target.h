#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// A fuzz target takes any bytes and must return; a broken property aborts.
namespace catalogd::fuzz {

void ScanTarget(const uint8_t* data, size_t size);
void TJsonTarget(const uint8_t* data, size_t size);
void ViewTarget(const uint8_t* data, size_t size);
void FilterTarget(const uint8_t* data, size_t size);

inline void Require(bool property) {
  if (!property) std::abort();
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
