#include "catalog/coord/time_sequence.h"

#include <fmt/format.h>

#include <algorithm>

namespace catalogd::coord {
namespace {

// 9999-12-31T23:59:59.999 in days and milliseconds since the year 0.
constexpr int64_t kLastMillis = 3'652'425LL * 24 * 60 * 60 * 1000 - 1;

}  // namespace

Result<NextTime> TakeTime(const TimeState& state, int64_t wall_millis, const TimeOptions& options) {
  // A clock that says nonsense is one that is behind or ahead; the sequence is what counts.
  const int64_t wall = std::clamp<int64_t>(wall_millis, 0, kLastMillis);
  const int64_t time = std::max(wall, state.last + 1);
  if (time > kLastMillis) {
    return MakeError(ErrorCode::kResourceExhausted,
                     fmt::format("no instant is left behind {}: check the clock, and register the "
                                 "table anew",
                                 InstantFromMillis(kLastMillis).text()));
  }
  NextTime next;
  next.instant = InstantFromMillis(time);
  next.state = {time, state.reserved};
  if (time > state.reserved) {
    next.must_store = true;
    next.state.reserved = std::min(time + options.reserve_ahead.count(), kLastMillis);
  }
  const std::chrono::milliseconds behind(time - wall);
  if (behind > options.warn_behind) next.clock_behind = behind;
  return next;
}

TimeState TimesAfterRestart(int64_t reserved) { return {reserved, reserved}; }

}  // namespace catalogd::coord
