#include "catalog/base/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace catalogd {
namespace {

using ::testing::ElementsAre;

// A task that tells when it runs and then waits until it may end.
class Gate {
 public:
  Task Blocker() {
    return [this] {
      const MutexLock lock(mutex_);
      entered_ = true;
      changed_.NotifyAll();
      while (!open_) changed_.Wait(mutex_);
    };
  }
  void AwaitEntered() {
    const MutexLock lock(mutex_);
    while (!entered_) changed_.Wait(mutex_);
  }
  void Open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  // Without a time limit: the test's own time limit is the only clock here.
  void AwaitOpen() {
    const MutexLock lock(mutex_);
    while (!open_) changed_.Wait(mutex_);
  }

 private:
  Mutex mutex_{LockRank::kLeaf};
  CondVar changed_;
  bool entered_ GUARDED_BY(mutex_) = false;
  bool open_ GUARDED_BY(mutex_) = false;
};

TEST(ThreadPoolExecutor, ShutdownRunsWhatIsQueued) {
  std::atomic<int> ran{0};
  ThreadPoolExecutor executor({"test", 2, 1000});
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(executor.Submit([&] { ++ran; }).has_value());
  executor.Shutdown();
  EXPECT_EQ(ran, 500);
  executor.Shutdown();
}

TEST(ThreadPoolExecutor, RefusesAfterShutdown) {
  ThreadPoolExecutor executor({"workers", 1, 10});
  executor.Shutdown();
  bool ran = false;
  const Status status = executor.Submit([&] { ran = true; });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
  EXPECT_NE(status.error().message.find("workers"), std::string::npos);
  EXPECT_FALSE(ran);
}

TEST(ThreadPoolExecutor, FullQueueRefusesButContinuationsGetIn) {
  Gate gate;
  std::atomic<int> ran{0};
  ThreadPoolExecutor executor({"workers", 1, 2});
  ASSERT_TRUE(executor.Submit(gate.Blocker()).has_value());
  gate.AwaitEntered();
  const auto count = [&] { ++ran; };
  ASSERT_TRUE(executor.Submit(count).has_value());
  ASSERT_TRUE(executor.Submit(count).has_value());
  const Status refused = executor.Submit(count);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_NE(refused.error().message.find("workers"), std::string::npos);
  executor.SubmitAlways(count);
  EXPECT_EQ(executor.QueueLength(), 3U);
  EXPECT_EQ(executor.ActiveTasks(), 1);
  gate.Open();
  executor.Shutdown();
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(executor.QueueLength(), 0U);
  EXPECT_EQ(executor.ActiveTasks(), 0);
}

TEST(ThreadPoolExecutor, ContinuationsOfRunningTasksRunDuringShutdown) {
  // A lock grant that is handed out while the pool drains must still reach its waiter.
  std::atomic<int> ran{0};
  ThreadPoolExecutor executor({"workers", 1, 10});
  Gate gate;
  ASSERT_TRUE(executor
                  .Submit([&, blocker = gate.Blocker()] {
                    blocker();
                    executor.SubmitAlways([&] {
                      ++ran;
                      executor.SubmitAlways([&] { ++ran; });
                    });
                  })
                  .has_value());
  gate.AwaitEntered();
  gate.Open();
  executor.Shutdown();
  EXPECT_EQ(ran, 2);
}

TEST(ThreadPoolExecutor, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  ThreadPoolExecutor executor({"workers", 1, 10});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(executor.Submit([&order, i] { order.push_back(i); }).has_value());
  }
  executor.Shutdown();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(ThreadPoolExecutor, ThreadsRunSideBySide) {
  // The first task ends only when the second runs.
  Gate gate;
  ThreadPoolExecutor executor({"workers", 2, 10});
  std::atomic<bool> done{false};
  ASSERT_TRUE(executor
                  .Submit([&] {
                    gate.AwaitOpen();
                    done = true;
                  })
                  .has_value());
  ASSERT_TRUE(executor.Submit([&] { gate.Open(); }).has_value());
  executor.Shutdown();
  EXPECT_TRUE(done);
}

TEST(ThreadPoolExecutor, TaskIsDestroyedWhileItStillCountsAndOutsideTheMutex) {
  // What a task owns (a lock, a connection) must be free again when the pool says it is idle, and
  // its destructor may call the pool.
  int active = -1;
  ThreadPoolExecutor executor({"workers", 1, 10});
  std::shared_ptr<int> owned(new int(1), [&](const int* number) {
    active = executor.ActiveTasks();
    delete number;
  });
  ASSERT_TRUE(executor.Submit([owned = std::move(owned)] { ASSERT_EQ(*owned, 1); }).has_value());
  executor.Shutdown();
  EXPECT_EQ(active, 1);
}

TEST(ThreadTimer, RunsDueTasksInTheOrderOfTheirTimes) {
  const TimePoint now = SystemClock().Now();
  Gate gate;
  Gate last;
  std::vector<int> order;
  ThreadTimer timer(SystemClock());
  timer.At(now, gate.Blocker());
  gate.AwaitEntered();
  const auto add = [&](int n) { return [&order, n] { order.push_back(n); }; };
  timer.At(now - std::chrono::seconds(1), add(3));
  timer.At(now - std::chrono::seconds(3), add(1));
  timer.At(now - std::chrono::seconds(2), add(2));
  timer.At(now - std::chrono::seconds(1), add(4));  // Equal times: in the order of the calls.
  timer.At(now, [&] { last.Open(); });
  gate.Open();
  last.AwaitOpen();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
}

TEST(ThreadTimer, WaitsForAFutureTask) {
  Gate gate;
  const TimePoint when = SystemClock().Now() + std::chrono::milliseconds(5);
  TimePoint ran_at{};
  ThreadTimer timer(SystemClock());
  timer.At(when, [&] {
    ran_at = SystemClock().Now();
    gate.Open();
  });
  gate.AwaitOpen();
  EXPECT_GE(ran_at, when);
}

TEST(ThreadTimer, EarlierTaskOvertakesAWaitingOne) {
  Gate gate;
  ThreadTimer timer(SystemClock());
  timer.At(SystemClock().Now() + std::chrono::hours(24), [] { FAIL() << "a day too early"; });
  timer.At(SystemClock().Now(), [&] { gate.Open(); });
  gate.AwaitOpen();
  SUCCEED();
}

TEST(ThreadTimer, CancelledTaskNeverRunsAndIsDestroyed) {
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owned;
  ThreadTimer timer(SystemClock());
  const Timer::Handle handle =
      timer.At(SystemClock().Now() + std::chrono::hours(24),
               [owned = std::move(owned)] { FAIL() << "ran with " << *owned; });
  EXPECT_TRUE(timer.Cancel(handle));
  EXPECT_TRUE(watch.expired());
  EXPECT_FALSE(timer.Cancel(handle));
  EXPECT_FALSE(timer.Cancel(handle + 100));
}

TEST(ThreadTimer, RunningTaskCannotBeCancelledAndCancelDoesNotWait) {
  Gate gate;
  ThreadTimer timer(SystemClock());
  const Timer::Handle handle = timer.At(SystemClock().Now(), gate.Blocker());
  gate.AwaitEntered();
  // If Cancel waited for the task, this would never return.
  EXPECT_FALSE(timer.Cancel(handle));
  gate.Open();
}

TEST(ThreadTimer, ShutdownDropsFutureTasks) {
  std::atomic<bool> ran{false};
  ThreadTimer timer(SystemClock());
  timer.At(SystemClock().Now() + std::chrono::hours(24), [&] { ran = true; });
  timer.Shutdown();
  timer.Shutdown();
  EXPECT_FALSE(ran);
}

TEST(ThreadTimer, TaskMayAddTasks) {
  Gate gate;
  ThreadTimer timer(SystemClock());
  timer.At(SystemClock().Now(), [&] { timer.At(SystemClock().Now(), [&] { gate.Open(); }); });
  gate.AwaitOpen();
  SUCCEED();
}

TEST(LoopThread, JoinsWhenItsBodyEnds) {
  std::atomic<bool> ran{false};
  LoopThread thread("a-rather-long-thread-name", [&] { ran = true; });
  thread.Join();
  EXPECT_TRUE(ran);
  thread.Join();
}

}  // namespace
}  // namespace catalogd
