#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_target.h"
#include "thrift/wire/json_text.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/tjson.h"

// Whatever the text: the result is well-formed binary, and scanning in place at depth 1 says the
// same as unescaping first.
namespace catalogd::fuzz {

void TJsonTarget(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  wire::Limits limits;
  limits.max_string = 1U << 14U;
  limits.max_container = 1U << 10U;
  limits.max_depth = 16;
  for (int depth = 0; depth <= 2; ++depth) {
    const auto binary = wire::TJsonStructToBinary(text, depth, limits);
    if (binary) {
      const auto length = wire::ValueLength(wire::TType::kStruct, *binary, limits);
      Require(length && *length == binary->size());
    }
    if (depth == 0) continue;
    const auto plain = wire::internal::UnescapeJson(text);
    if (!plain) {
      // A limit may be hit before the malformed escape is reached, but never success.
      Require(!binary.has_value());
      continue;
    }
    const auto expected = wire::TJsonStructToBinary(*plain, depth - 1, limits);
    Require(expected.has_value() == binary.has_value());
    if (expected) Require(*expected == *binary);
  }
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::TJsonTarget);
