#include "catalog/coord/instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace catalogd::coord {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::sys_days;

constexpr int64_t kMillisPerDay = 24LL * 60 * 60 * 1000;

sys_days YearZero() { return sys_days(std::chrono::year(0) / 1 / 1); }

unsigned Number(std::string_view digits) {
  unsigned number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<unsigned>(digit - '0');
  return number;
}

// A foreign name in a message: not longer than a person reads.
std::string Shown(std::string_view text) {
  constexpr size_t kShown = 40;
  return text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "...";
}

}  // namespace

Result<Instant> Instant::Parse(std::string_view text) {
  const bool digits =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || text.size() < kMinDigits || text.size() > kMaxDigits) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("'{}' is not an instant: {} to {} digits are expected, "
                                 "yyyyMMddHHmmssSSS",
                                 Shown(text), kMinDigits, kMaxDigits));
  }
  Instant instant;
  std::copy(text.begin(), text.end(), instant.digits_.begin());
  instant.size_ = static_cast<uint8_t>(text.size());
  return instant;
}

Result<int64_t> InstantMillis(const Instant& instant) {
  const std::string_view text = instant.text();
  const auto no_date = [&] {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("instant '{}' is not a date: no time can be counted from it", text));
  };
  if (text.size() < Instant::kMinDigits) return no_date();
  const std::chrono::year_month_day date(
      std::chrono::year(static_cast<int>(Number(text.substr(0, 4)))),
      std::chrono::month(Number(text.substr(4, 2))), std::chrono::day(Number(text.substr(6, 2))));
  const unsigned hour = Number(text.substr(8, 2));
  const unsigned minute = Number(text.substr(10, 2));
  const unsigned second = Number(text.substr(12, 2));
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return no_date();
  unsigned millis = 999;
  if (text.size() >= Instant::kDigits) millis = Number(text.substr(14, 3));
  const int64_t day = (sys_days(date) - YearZero()).count();
  return day * kMillisPerDay + ((hour * 60LL + minute) * 60 + second) * 1000 + millis;
}

Instant InstantFromMillis(int64_t millis) {
  const int64_t day = millis / kMillisPerDay;
  const int64_t rest = millis % kMillisPerDay;
  const std::chrono::year_month_day date(YearZero() + days(day));
  const std::string text =
      fmt::format("{:04}{:02}{:02}{:02}{:02}{:02}{:03}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
  return Instant::Parse(text).value();
}

}  // namespace catalogd::coord
