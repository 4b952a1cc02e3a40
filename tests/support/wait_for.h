#pragma once

#include <chrono>

#include "catalog/base/clock.h"
#include "catalog/base/mutex.h"

namespace catalogd::testing {

// Lets real time pass: for tests that kill a process some time after its start. Never for waiting
// until something has happened.
inline void WaitFor(std::chrono::microseconds time) {
  Mutex mutex(LockRank::kLeaf);
  CondVar never;
  const TimePoint until = SystemClock().Now() + time;
  const MutexLock lock(mutex);
  while (never.WaitUntil(mutex, until)) {
  }
}

}  // namespace catalogd::testing
