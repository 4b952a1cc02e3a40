#include <string_view>

#include "tests/fuzz/fuzz_target.h"
#include "thrift/wire/scan.h"

// Whatever the bytes and the cuts: no read outside, and the scanner agrees with the checker.
namespace catalogd::fuzz {

namespace {

wire::Limits SmallLimits() {
  wire::Limits limits;
  limits.max_message = 1U << 16U;
  limits.max_string = 1U << 14U;
  limits.max_container = 1U << 12U;
  limits.max_depth = 16;
  return limits;
}

}  // namespace

void ScanTarget(const uint8_t* data, size_t size) {
  using State = wire::MessageScanner::State;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const wire::Limits limits = SmallLimits();
  for (int type = 0; type < 18; ++type) {
    const auto length = wire::ValueLength(static_cast<wire::TType>(type), bytes, limits);
    Require(!length || (*length > 0 && *length <= size));
  }

  wire::MessageScanner at_once(limits);
  const auto whole = at_once.Scan(bytes);
  const bool complete = whole && *whole == State::kComplete;
  if (complete) {
    Require(wire::CheckMessage(bytes.substr(0, at_once.length()), limits).has_value());
  } else {
    Require(!wire::CheckMessage(bytes, limits).has_value());
  }

  wire::MessageScanner in_pieces(limits);
  bool failed = false;
  bool done = false;
  const size_t step = size == 0 ? 1 : 1 + data[size - 1] % 7U;
  for (size_t n = 0; n <= size && !failed && !done; n += step) {
    const auto state = in_pieces.Scan(bytes.substr(0, n));
    failed = !state;
    done = state && *state == State::kComplete;
  }
  // The last piece may be shorter than the step.
  if (!failed && !done) {
    const auto state = in_pieces.Scan(bytes);
    failed = !state;
    done = state && *state == State::kComplete;
  }
  Require(done == complete);
  if (done) Require(in_pieces.length() == at_once.length());
  if (whole && !complete) Require(!failed);
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::ScanTarget);
