#include "catalog/base/mutex.h"

#include <glog/logging.h>

#include <algorithm>
#include <vector>

namespace catalogd {
namespace {

#if defined(NDEBUG) && !defined(CATALOGD_SIMULATION)
void Push(LockRank) {}
void Pop(LockRank) {}
#else
thread_local std::vector<int> held_ranks;

void Push(LockRank rank) {
  const int value = static_cast<int>(rank);
  for (const int held : held_ranks) {
    CHECK_LT(held, value) << "mutex of rank " << value << " taken while rank " << held
                          << " is held";
  }
  held_ranks.push_back(value);
}

void Pop(LockRank rank) {
  const auto it = std::find(held_ranks.rbegin(), held_ranks.rend(), static_cast<int>(rank));
  CHECK(it != held_ranks.rend());
  held_ranks.erase(std::next(it).base());
}
#endif

}  // namespace

void Mutex::Lock() {
  Push(rank_);
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Lock(this, false);
    return;
  }
  mutex_.lock();
}

void Mutex::Unlock() {
  Pop(rank_);
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Unlock(this, false);
    return;
  }
  mutex_.unlock();
}

void SharedMutex::Lock() {
  Push(rank_);
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Lock(this, false);
    return;
  }
  mutex_.lock();
}

void SharedMutex::Unlock() {
  Pop(rank_);
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Unlock(this, false);
    return;
  }
  mutex_.unlock();
}

void SharedMutex::LockShared() {
  Push(rank_);
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Lock(this, true);
    return;
  }
  mutex_.lock_shared();
}

void SharedMutex::UnlockShared() {
  Pop(rank_);
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Unlock(this, true);
    return;
  }
  mutex_.unlock_shared();
}

void CondVar::Wait(Mutex& mutex) {
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Wait(this, &mutex, TimePoint::max());
    return;
  }
  std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
  condition_.wait(lock);
  lock.release();
}

bool CondVar::WaitUntil(Mutex& mutex, TimePoint deadline) {
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    return hook->Wait(this, &mutex, deadline);
  }
  std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
  bool in_time = true;
  if (deadline == TimePoint::max()) {
    condition_.wait(lock);
  } else {
    in_time = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
  }
  lock.release();
  return in_time;
}

void CondVar::NotifyOne() {
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Notify(this, false);
    return;
  }
  condition_.notify_one();
}

void CondVar::NotifyAll() {
  if (SchedulerHook* hook = SchedulerHook::Current()) {
    hook->Notify(this, true);
    return;
  }
  condition_.notify_all();
}

#if defined(NDEBUG) && !defined(CATALOGD_SIMULATION)
void AssertNoMutexHeld(const char* operation) {
  if (SchedulerHook* hook = SchedulerHook::Current()) hook->Yield(operation);
}
#else
void AssertNoMutexHeld(const char* operation) {
  CHECK(held_ranks.empty()) << operation << " while a mutex of rank " << held_ranks.back()
                            << " is held";
  if (SchedulerHook* hook = SchedulerHook::Current()) hook->Yield(operation);
}
#endif

}  // namespace catalogd
