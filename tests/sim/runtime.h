#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "catalog/base/executor.h"
#include "tests/sim/scheduler.h"

namespace catalogd::sim {

// A pool whose threads are actors. Tasks start in the order in which they were submitted.
// Thread safety: actors only, one at a time.
class SimExecutor final : public Executor {
 public:
  SimExecutor(Scheduler* scheduler, const std::string& name, int workers, size_t max_queue)
      : scheduler_(scheduler), max_queue_(max_queue) {
    for (int i = 0; i < workers; ++i) {
      scheduler_->Spawn(name + std::to_string(i), [this] { Work(); });
    }
  }

  Status Submit(Task task) override {
    if (stopping_) return MakeError(ErrorCode::kCancelled, "the pool is shut down");
    if (tasks_.size() >= max_queue_) {
      return MakeError(ErrorCode::kResourceExhausted, "the pool's queue is full");
    }
    tasks_.push_back(std::move(task));
    return Ok();
  }
  void SubmitAlways(Task task) override { tasks_.push_back(std::move(task)); }

  // Workers end when nothing is left to do.
  void Stop() { stopping_ = true; }
  [[nodiscard]] bool idle() const { return tasks_.empty() && active_ == 0; }

 private:
  void Work() {
    for (;;) {
      scheduler_->Await("task", [this] { return !tasks_.empty() || stopping_; });
      if (tasks_.empty()) return;
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      ++active_;
      task();
      task = nullptr;
      --active_;
    }
  }

  Scheduler* const scheduler_;
  const size_t max_queue_;
  std::deque<Task> tasks_;
  int active_ = 0;
  bool stopping_ = false;
};

// Timers run by an actor of their own, in the order of their times.
// Thread safety: actors only, one at a time.
class SimTimer final : public Timer {
 public:
  explicit SimTimer(Scheduler* scheduler) : scheduler_(scheduler) {
    scheduler_->Spawn("timer", [this] { Work(); });
  }

  Handle At(TimePoint when, Task task) override {
    const Handle handle = next_++;
    tasks_.emplace(std::make_pair(when, handle), std::move(task));
    return handle;
  }
  bool Cancel(Handle handle) override {
    for (auto it = tasks_.begin(); it != tasks_.end(); ++it) {
      if (it->first.second != handle) continue;
      const Task dropped = std::move(it->second);  // It may own anything: destroyed at the end.
      tasks_.erase(it);
      return true;
    }
    return false;
  }
  void Stop() { stopping_ = true; }

 private:
  // Wakes up at least once a second: what is due is asked for anew each time.
  void Work() {
    while (!stopping_) {
      const TimePoint due = tasks_.empty() ? TimePoint::max() : tasks_.begin()->first.first;
      scheduler_->Await(
          "timer",
          [this, due] {
            return stopping_ || Due() || (!tasks_.empty() && tasks_.begin()->first.first < due);
          },
          due);
      if (!Due()) continue;
      Task task = std::move(tasks_.begin()->second);
      tasks_.erase(tasks_.begin());
      task();
    }
  }
  [[nodiscard]] bool Due() const {
    return !tasks_.empty() && tasks_.begin()->first.first <= scheduler_->now();
  }

  Scheduler* const scheduler_;
  Handle next_ = 1;
  std::map<std::pair<TimePoint, Handle>, Task> tasks_;
  bool stopping_ = false;
};

}  // namespace catalogd::sim
