#pragma once

#include <cstdint>

#include "catalog/base/clock.h"
#include "catalog/base/mutex.h"

namespace catalogd::hms {

// Since when this process could have heard heartbeats: clients cannot be blamed for those that
// nobody was there to hear. It was away when it was not running, when it stood still (stopped, or a
// virtual machine that slept), and, as far as times in the file go, when the wall clock jumped.
//
// Not a lease of its own: it knows nothing of locks.
// Thread safety: yes. Units: milliseconds since 1970, as heartbeats are kept.
class Attendance {
 public:
  explicit Attendance(const Clock& clock);
  // Whoever answers something says so; so does a timer where it may be quiet for long.
  void Note();
  [[nodiscard]] int64_t since_millis() const;

  // Without a sign of life for so long, it counts as away.
  static constexpr Duration kAway = std::chrono::seconds(30);

 private:
  const Clock& clock_;
  mutable Mutex mutex_{LockRank::kLeaf};
  TimePoint seen_ GUARDED_BY(mutex_);
  int64_t seen_wall_ GUARDED_BY(mutex_) = 0;
  int64_t since_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::hms
