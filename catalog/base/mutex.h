#pragma once

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "catalog/base/lock_rank.h"
#include "catalog/base/scheduler_hook.h"
#include "catalog/base/thread_annotations.h"

namespace catalogd {

// Mutual exclusion with a rank. Not recursive, not timed.
// Thread safety: yes. Errors: taking ranks out of order aborts in debug builds.
class CAPABILITY("mutex") Mutex {
 public:
  explicit Mutex(LockRank rank) : rank_(rank) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ACQUIRE();
  void Unlock() RELEASE();

 private:
  friend class CondVar;
  std::mutex mutex_;
  const LockRank rank_;
};

// Readers and writers with a rank. Readers do not wait for readers.
class CAPABILITY("shared_mutex") SharedMutex {
 public:
  explicit SharedMutex(LockRank rank) : rank_(rank) {}
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void Lock() ACQUIRE();
  void Unlock() RELEASE();
  void LockShared() ACQUIRE_SHARED();
  void UnlockShared() RELEASE_SHARED();

 private:
  std::shared_mutex mutex_;
  const LockRank rank_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~WriterLock() RELEASE() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.LockShared();
  }
  ~ReaderLock() RELEASE_GENERIC() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Waiting is always in a loop around the condition; wake-ups may be spurious.
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void Wait(Mutex& mutex) REQUIRES(mutex);
  // False when `deadline` passed first.
  bool WaitUntil(Mutex& mutex, TimePoint deadline) REQUIRES(mutex);
  void NotifyOne();
  void NotifyAll();

 private:
  std::condition_variable condition_;
};

// Aborts in debug builds if the calling thread holds any mutex: call before RPCs, files, sleeps.
void AssertNoMutexHeld(const char* operation);

}  // namespace catalogd
