#include "hms_client/embedded/attendance.h"

#include <chrono>
#include <cstdlib>

namespace catalogd::hms {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Attendance::Attendance(const Clock& clock)
    : clock_(clock), seen_(clock.Now()), seen_wall_(WallMillis(clock_)), since_(seen_wall_) {}

void Attendance::Note() {
  const MutexLock lock(mutex_);
  const TimePoint now = clock_.Now();
  const int64_t wall = WallMillis(clock_);
  const int64_t passed = duration_cast<milliseconds>(now - seen_).count();
  constexpr int64_t kAwayMillis = duration_cast<milliseconds>(kAway).count();
  if (passed > kAwayMillis || std::abs(wall - seen_wall_ - passed) > kAwayMillis) since_ = wall;
  seen_ = now;
  seen_wall_ = wall;
}

int64_t Attendance::since_millis() const {
  const MutexLock lock(mutex_);
  return since_;
}

}  // namespace catalogd::hms
