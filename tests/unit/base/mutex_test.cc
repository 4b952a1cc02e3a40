#include "catalog/base/mutex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/base/recording_hook.h"

namespace catalogd {
namespace {

using ::testing::ElementsAre;

TEST(Mutex, ExcludesOtherThreads) {
  Mutex mutex(LockRank::kLeaf);
  int count = 0;
  const auto work = [&] {
    for (int i = 0; i < 20000; ++i) {
      const MutexLock lock(mutex);
      ++count;
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(count, 40000);
}

TEST(SharedMutex, ReadersDoNotWaitForReaders) {
  SharedMutex mutex(LockRank::kSlot);
  const ReaderLock mine(mutex);
  bool entered = false;
  // Would never end if a reader excluded readers.
  std::thread other([&] {
    const ReaderLock theirs(mutex);
    entered = true;
  });
  other.join();
  EXPECT_TRUE(entered);
}

TEST(SharedMutex, WritersExclude) {
  SharedMutex mutex(LockRank::kSlot);
  int count = 0;
  const auto work = [&] {
    for (int i = 0; i < 20000; ++i) {
      const WriterLock lock(mutex);
      ++count;
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(count, 40000);
}

TEST(CondVar, HandsOverBetweenThreads) {
  Mutex mutex(LockRank::kLeaf);
  CondVar changed;
  int turn = 0;
  const auto play = [&](int mine) {
    for (int i = 0; i < 200; ++i) {
      const MutexLock lock(mutex);
      while (turn % 2 != mine) changed.Wait(mutex);
      ++turn;
      changed.NotifyAll();
    }
  };
  std::thread one(play, 0);
  std::thread two(play, 1);
  one.join();
  two.join();
  EXPECT_EQ(turn, 400);
}

TEST(CondVar, WaitUntilAPassedDeadlineReturnsFalse) {
  Mutex mutex(LockRank::kLeaf);
  CondVar never;
  const MutexLock lock(mutex);
  EXPECT_FALSE(never.WaitUntil(mutex, TimePoint()));
}

TEST(CondVar, WaitUntilIsWokenBeforeItsDeadline) {
  // max() must not overflow into the past on its way to the kernel.
  Mutex mutex(LockRank::kLeaf);
  CondVar changed;
  bool ready = false;
  std::thread other([&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.NotifyOne();
  });
  {
    const MutexLock lock(mutex);
    while (!ready) EXPECT_TRUE(changed.WaitUntil(mutex, TimePoint::max()));
  }
  other.join();
}

TEST(SchedulerHook, OwnsEveryLockAndWaitOfItsThread) {
  Mutex mutex(LockRank::kExecutor);
  SharedMutex shared(LockRank::kSlot);
  CondVar condition;
  testing::RecordingHook hook;
  hook.wait_result = false;
  { const ReaderLock lock(shared); }
  { const WriterLock lock(shared); }
  {
    const MutexLock lock(mutex);
    condition.Wait(mutex);
    EXPECT_FALSE(condition.WaitUntil(mutex, TimePoint()));
    condition.NotifyOne();
    condition.NotifyAll();
  }
  AssertNoMutexHeld("get_table");
  EXPECT_THAT(hook.calls,
              ElementsAre("lock_shared", "unlock_shared", "lock", "unlock", "lock", "wait",
                          "wait_until", "notify_one", "notify_all", "unlock", "yield get_table"));
}

TEST(LockRank, RisingOrderIsFine) {
  Mutex outer(LockRank::kDaemon);
  SharedMutex middle(LockRank::kSlot);
  Mutex inner(LockRank::kLeaf);
  outer.Lock();
  middle.LockShared();
  inner.Lock();
  // Any order of release.
  outer.Unlock();
  inner.Unlock();
  middle.UnlockShared();
  AssertNoMutexHeld("test");
  const MutexLock again(outer);
}

#ifndef NDEBUG

TEST(LockRankDeathTest, FallingOrderAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Mutex outer(LockRank::kCacheDirectory);
  Mutex inner(LockRank::kSlot);
  EXPECT_DEATH(
      {
        inner.Lock();
        outer.Lock();
      },
      "rank 70 taken while rank 80");
}

TEST(LockRankDeathTest, EqualRanksAbort) {
  // Two slots at once have no order: one thread could take them the other way round.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  SharedMutex one(LockRank::kSlot);
  SharedMutex two(LockRank::kSlot);
  EXPECT_DEATH(
      {
        one.LockShared();
        two.LockShared();
      },
      "rank 80 taken while rank 80");
}

TEST(LockRankDeathTest, RemoteCallUnderAMutexAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Mutex mutex(LockRank::kSlot);
  EXPECT_DEATH(
      {
        mutex.Lock();
        AssertNoMutexHeld("get_table");
      },
      "get_table while a mutex of rank 80 is held");
}

#endif

}  // namespace
}  // namespace catalogd
