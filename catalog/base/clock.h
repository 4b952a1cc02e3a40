#pragma once

#include <chrono>
#include <cstdint>

#include "catalog/base/scheduler_hook.h"

namespace catalogd {

using WallTime = std::chrono::system_clock::time_point;

// The only source of time. Now() is monotonic and for deadlines and ages; WallNow() is for people
// and for what the metastore stores.
// Thread safety: yes.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint Now() const = 0;
  [[nodiscard]] virtual WallTime WallNow() const = 0;
};

// Milliseconds since 1970.
int64_t WallMillis(const Clock& clock);

// The machine's clocks; lives as long as the process.
const Clock& SystemClock();

}  // namespace catalogd
