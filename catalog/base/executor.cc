#include "catalog/base/executor.h"

#include <pthread.h>

namespace catalogd {
namespace {

void NameThisThread(const std::string& name) {
  // The kernel keeps 15 characters.
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace

ThreadPoolExecutor::ThreadPoolExecutor(Options options) : options_(std::move(options)) {
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Run(); });
}

ThreadPoolExecutor::~ThreadPoolExecutor() { Shutdown(); }

Status ThreadPoolExecutor::Submit(Task task) {
  const MutexLock lock(mutex_);
  if (stopping_) return MakeError(ErrorCode::kCancelled, options_.name + " is shutting down");
  if (queue_.size() >= options_.max_queue) {
    return MakeError(ErrorCode::kResourceExhausted, "the " + options_.name + " queue is full (" +
                                                        std::to_string(options_.max_queue) +
                                                        " waiting); try again later");
  }
  queue_.push_back(std::move(task));
  wake_.NotifyOne();
  return Ok();
}

void ThreadPoolExecutor::SubmitAlways(Task task) {
  const MutexLock lock(mutex_);
  queue_.push_back(std::move(task));
  wake_.NotifyOne();
}

void ThreadPoolExecutor::Shutdown() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

size_t ThreadPoolExecutor::QueueLength() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

int ThreadPoolExecutor::ActiveTasks() const {
  const MutexLock lock(mutex_);
  return active_;
}

void ThreadPoolExecutor::Run() {
  NameThisThread(options_.name);
  mutex_.Lock();
  for (;;) {
    while (queue_.empty() && !stopping_) wake_.Wait(mutex_);
    if (queue_.empty()) break;
    Task task = std::move(queue_.front());
    queue_.pop_front();
    ++active_;
    mutex_.Unlock();
    task();
    task = nullptr;
    mutex_.Lock();
    --active_;
  }
  mutex_.Unlock();
}

ThreadTimer::ThreadTimer(const Clock& clock) : clock_(clock), thread_([this] { Run(); }) {}

ThreadTimer::~ThreadTimer() { Shutdown(); }

Timer::Handle ThreadTimer::At(TimePoint when, Task task) {
  const MutexLock lock(mutex_);
  const Handle handle = next_++;
  tasks_.emplace(std::make_pair(when, handle), std::move(task));
  when_.emplace(handle, when);
  wake_.NotifyOne();
  return handle;
}

bool ThreadTimer::Cancel(Handle handle) {
  Task dropped;  // Destroyed outside the mutex: it may own anything.
  const MutexLock lock(mutex_);
  const auto it = when_.find(handle);
  if (it == when_.end()) return false;
  const auto task = tasks_.find({it->second, handle});
  dropped = std::move(task->second);
  tasks_.erase(task);
  when_.erase(it);
  return true;
}

void ThreadTimer::Shutdown() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void ThreadTimer::Run() {
  NameThisThread("timer");
  mutex_.Lock();
  while (!stopping_) {
    if (tasks_.empty()) {
      wake_.Wait(mutex_);
      continue;
    }
    const auto first = tasks_.begin();
    if (clock_.Now() < first->first.first) {
      wake_.WaitUntil(mutex_, first->first.first);
      continue;
    }
    Task task = std::move(first->second);
    when_.erase(first->first.second);
    tasks_.erase(first);
    mutex_.Unlock();
    task();
    task = nullptr;
    mutex_.Lock();
  }
  mutex_.Unlock();
}

LoopThread::LoopThread(std::string name, Task body)
    : thread_([name = std::move(name), body = std::move(body)] {
        NameThisThread(name);
        body();
      }) {}

LoopThread::~LoopThread() { Join(); }

void LoopThread::Join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace catalogd
