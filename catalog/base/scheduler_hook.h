#pragma once

#include <chrono>

namespace catalogd {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

// Through this the simulator owns every lock and wait: when a thread has a hook, its mutexes and
// condition variables are the hook's. Real threads have none, and pay one thread-local test.
//
// The addresses identify the primitive; they are never dereferenced by the hook.
class SchedulerHook {
 public:
  virtual ~SchedulerHook() = default;
  virtual void Lock(const void* mutex, bool shared) = 0;
  virtual void Unlock(const void* mutex, bool shared) = 0;
  // Gives up `mutex`, waits for a notification of `condition` or for `deadline`, takes it again.
  // False if the deadline came first.
  virtual bool Wait(const void* condition, const void* mutex, TimePoint deadline) = 0;
  virtual void Notify(const void* condition, bool all) = 0;
  // A place where another actor may run: channel calls, fault sites.
  virtual void Yield(const char* where) = 0;

  static SchedulerHook* Current() { return current_; }
  static void SetCurrent(SchedulerHook* hook) { current_ = hook; }

 private:
  static inline thread_local SchedulerHook* current_ = nullptr;
};

}  // namespace catalogd
