#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "catalog/base/clock.h"
#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"

namespace catalogd::testing {

// Time that passes only when a test says so. Starts one hour after the clock's zero, so that
// subtracting durations stays positive; the wall clock starts at 2026-11-30 00:00 UTC.
// Thread safety: yes.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] TimePoint Now() const override {
    return TimePoint(std::chrono::hours(1)) + passed();
  }
  [[nodiscard]] WallTime WallNow() const override {
    return WallTime(std::chrono::seconds(1795996800)) + passed() +
           Duration(set_.load(std::memory_order_relaxed));
  }
  // Somebody sets the wall clock; no time passes.
  void SetWall(Duration by) { set_.fetch_add(by.count(), std::memory_order_relaxed); }
  void Advance(Duration by) { passed_.fetch_add(by.count(), std::memory_order_relaxed); }

 private:
  [[nodiscard]] Duration passed() const {
    return Duration(passed_.load(std::memory_order_relaxed));
  }

  std::atomic<Duration::rep> passed_{0};
  std::atomic<Duration::rep> set_{0};
};

// An executor whose tasks run when the test calls RunOne or RunAll, on the calling thread, in the
// order of submission.
// Thread safety: yes.
class ManualExecutor final : public Executor {
 public:
  explicit ManualExecutor(size_t max_queue = 1U << 20U) : max_queue_(max_queue) {}

  Status Submit(Task task) override {
    const MutexLock lock(mutex_);
    if (shut_down_) return MakeError(ErrorCode::kCancelled, "the manual executor is shut down");
    if (tasks_.size() >= max_queue_) {
      return MakeError(ErrorCode::kResourceExhausted, "the manual executor's queue is full");
    }
    tasks_.push_back(std::move(task));
    return Ok();
  }
  void SubmitAlways(Task task) override {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  // From now on Submit is refused.
  void ShutDown() {
    const MutexLock lock(mutex_);
    shut_down_ = true;
  }

  // False when there was no task.
  bool RunOne() {
    std::optional<Task> task;
    {
      const MutexLock lock(mutex_);
      if (tasks_.empty()) return false;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    (*task)();
    return true;
  }
  // Also tasks that are submitted meanwhile. Returns how many ran.
  size_t RunAll() {
    size_t count = 0;
    while (RunOne()) ++count;
    return count;
  }
  [[nodiscard]] size_t pending() const {
    const MutexLock lock(mutex_);
    return tasks_.size();
  }

 private:
  const size_t max_queue_;
  mutable Mutex mutex_{LockRank::kExecutor};
  std::deque<Task> tasks_ GUARDED_BY(mutex_);
  bool shut_down_ GUARDED_BY(mutex_) = false;
};

// A timer whose tasks run when the test calls RunDue, on the calling thread, in the order of their
// times (equal times: in the order of At).
// Thread safety: yes.
class ManualTimer final : public Timer {
 public:
  explicit ManualTimer(FakeClock* clock) : clock_(clock) {}

  Handle At(TimePoint when, Task task) override {
    const MutexLock lock(mutex_);
    const Handle handle = next_++;
    tasks_.emplace(std::make_pair(when, handle), std::move(task));
    return handle;
  }
  bool Cancel(Handle handle) override {
    Task dropped;  // Destroyed outside the mutex: it may own anything.
    const MutexLock lock(mutex_);
    for (auto it = tasks_.begin(); it != tasks_.end(); ++it) {
      if (it->first.second != handle) continue;
      dropped = std::move(it->second);
      tasks_.erase(it);
      return true;
    }
    return false;
  }

  // Runs what is due by now, also tasks added meanwhile. Returns how many ran.
  size_t RunDue() {
    size_t count = 0;
    while (std::optional<Task> task = TakeDue()) {
      (*task)();
      ++count;
    }
    return count;
  }
  // Lets time pass from task to task, so that each sees its own time. Returns how many ran.
  size_t AdvanceAndRun(Duration by) {
    const TimePoint end = clock_->Now() + by;
    size_t count = RunDue();
    for (auto next = NextTime(); next && *next <= end; next = NextTime()) {
      clock_->Advance(*next - clock_->Now());
      count += RunDue();
    }
    clock_->Advance(end - clock_->Now());
    return count;
  }
  [[nodiscard]] std::optional<TimePoint> NextTime() const {
    const MutexLock lock(mutex_);
    if (tasks_.empty()) return std::nullopt;
    return tasks_.begin()->first.first;
  }
  [[nodiscard]] size_t pending() const {
    const MutexLock lock(mutex_);
    return tasks_.size();
  }

 private:
  std::optional<Task> TakeDue() {
    const MutexLock lock(mutex_);
    if (tasks_.empty() || tasks_.begin()->first.first > clock_->Now()) return std::nullopt;
    Task task = std::move(tasks_.begin()->second);
    tasks_.erase(tasks_.begin());
    return task;
  }

  FakeClock* const clock_;
  mutable Mutex mutex_{LockRank::kTimer};
  Handle next_ GUARDED_BY(mutex_) = 1;
  std::map<std::pair<TimePoint, Handle>, Task> tasks_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::testing
