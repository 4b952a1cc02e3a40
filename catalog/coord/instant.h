#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "catalog/base/result.h"

namespace catalogd::coord {

// A point on a table's timeline, as its digits: yyyyMMddHHmmssSSS, in older tables without the
// milliseconds, in metadata tables with digits behind them. Ordered as text, so 14 digits come
// before the same 14 with more behind.
//
// Not for: the time of day. Which zone the digits are in is known to the table only.
// Thread safety: plain value.
// Errors: kInvalidArgument for text that is not an instant.
// Units: digits; `InstantMillis` gives milliseconds of the calendar they are written in.
// Source: files that Hudi 0.5 to 1.1 wrote.
class Instant {
 public:
  static constexpr size_t kMinDigits = 14;
  static constexpr size_t kDigits = 17;
  static constexpr size_t kMaxDigits = 23;

  // Before every other one.
  constexpr Instant() = default;
  static Result<Instant> Parse(std::string_view text);

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view text() const { return {digits_.data(), size_}; }

  friend auto operator<=>(const Instant&, const Instant&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Instant& instant) {
    return out << instant.text();
  }

 private:
  // Unused digits are NUL, so comparing the arrays compares the texts.
  std::array<char, kMaxDigits> digits_{};
  uint8_t size_ = 0;
};

// Milliseconds since the year 0 in the instant's own calendar: for differences and for "the next
// one", never to be compared with a clock of another zone. 14 digits count as their last
// millisecond, digits behind the 17th are cut off.
// Errors: kInvalidArgument when the digits are no date (a month 13, the instants of zeros).
Result<int64_t> InstantMillis(const Instant& instant);
// The 17 digits of such milliseconds. REQUIRES: from the years 0 to 9999.
Instant InstantFromMillis(int64_t millis);

}  // namespace catalogd::coord
