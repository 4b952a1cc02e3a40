#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/mutex.h"
#include "catalog/base/result.h"

namespace catalogd {

using Task = std::function<void()>;

// Runs tasks, some time, on some thread. Tasks may block on RPCs; nothing else may hold a thread.
// Thread safety: yes.
class Executor {
 public:
  virtual ~Executor() = default;
  // kResourceExhausted when the queue is full, kCancelled after Shutdown. The task is not run then.
  virtual Status Submit(Task task) = 0;
  // For continuations that must not be lost (lock grants, answers): never refused for a full queue.
  virtual void SubmitAlways(Task task) = 0;
};

// A bounded queue and a fixed number of threads.
// Lifetime: the destructor runs Shutdown.
class ThreadPoolExecutor final : public Executor {
 public:
  struct Options {
    std::string name;  // Shown in messages and as the thread name.
    int threads = 1;
    size_t max_queue = 1024;
  };
  explicit ThreadPoolExecutor(Options options);
  ~ThreadPoolExecutor() override;

  Status Submit(Task task) override;
  void SubmitAlways(Task task) override;
  // Refuses new tasks, runs those that are queued, joins the threads. Idempotent.
  void Shutdown();
  [[nodiscard]] size_t QueueLength() const;
  [[nodiscard]] int ActiveTasks() const;

 private:
  void Run();

  const Options options_;
  mutable Mutex mutex_{LockRank::kExecutor};
  CondVar wake_;
  std::deque<Task> queue_ GUARDED_BY(mutex_);
  int active_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Calls tasks at a point in time. Tasks run on the timer's own thread: they only hand work to an
// executor or complete a wait. Thread safety: yes.
class Timer {
 public:
  using Handle = uint64_t;
  virtual ~Timer() = default;
  virtual Handle At(TimePoint when, Task task) = 0;
  // False when the task has run or is running. Never waits for it.
  virtual bool Cancel(Handle handle) = 0;
};

class ThreadTimer final : public Timer {
 public:
  explicit ThreadTimer(const Clock& clock);
  ~ThreadTimer() override;
  Handle At(TimePoint when, Task task) override;
  bool Cancel(Handle handle) override;
  void Shutdown();

 private:
  void Run();

  const Clock& clock_;
  Mutex mutex_{LockRank::kTimer};
  CondVar wake_;
  std::map<std::pair<TimePoint, Handle>, Task> tasks_ GUARDED_BY(mutex_);
  std::map<Handle, TimePoint> when_ GUARDED_BY(mutex_);
  Handle next_ GUARDED_BY(mutex_) = 1;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// A thread of its own for a loop that waits on condition variables (poller, reconcile pass).
// The body must return soon after its own stop signal; the destructor joins.
class LoopThread {
 public:
  LoopThread(std::string name, Task body);
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  void Join();

 private:
  std::thread thread_;
};

}  // namespace catalogd
