#include "events/notification_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "tests/support/fake_metastore.h"

namespace catalogd::events {
namespace {

using hms::NotificationEvent;
using testing::FakeMetastore;

const ObjectName kA = ObjectName::Table("hive", "s", "a");
const ObjectName kB = ObjectName::Table("hive", "s", "b");

TimePoint Soon() { return SystemClock().Now() + std::chrono::seconds(20); }

std::vector<int64_t> Ids(const std::vector<EventPtr>& events) {
  std::vector<int64_t> ids;
  for (const EventPtr& event : events) ids.push_back(event->id.value());
  return ids;
}

std::vector<int64_t> UpTo(int64_t first, int64_t last) {
  std::vector<int64_t> ids;
  for (int64_t id = first; id <= last; ++id) ids.push_back(id);
  return ids;
}

class Recorder final : public LogListener {
 public:
  void OnEvents(const std::vector<EventPtr>& events) override {
    if (on_events) on_events(events);
    for (const EventPtr& event : events) ids.push_back(event->id.value());
  }
  void OnCondition(LogCondition condition, const std::string& text) override {
    conditions.push_back(condition);
    texts.push_back(text);
    if (on_condition) on_condition();
  }

  std::vector<int64_t> ids;
  std::vector<LogCondition> conditions;
  std::vector<std::string> texts;
  std::function<void(const std::vector<EventPtr>&)> on_events;
  std::function<void()> on_condition;
};

class NotificationLogTest : public ::testing::Test {
 protected:
  void Open(NotificationLog::Options options, int64_t position = 0) {
    log_ = std::make_unique<NotificationLog>(&metastore_, &SystemClock(), options);
    log_->SetListener(&listener_);
    log_->StartAt(EventId(position));
  }
  void Open(int64_t position = 0) { Open(NotificationLog::Options{}, position); }

  // Appends `count` events, alternating between the tables a and b.
  void Append(int count) {
    for (int i = 0; i < count; ++i) {
      ++appended_;
      metastore_.Append("DROP_TABLE", appended_ % 2 == 1 ? kA : kB,
                        "{\"n\":" + std::to_string(appended_) + "}");
    }
  }
  NotificationEvent Row(int64_t id, const std::string& message) {
    NotificationEvent row = FakeMetastore::MakeRow("DROP_TABLE", kA, message);
    row.id = EventId(id);
    return row;
  }
  bool Poll() {
    const auto at_end = log_->Poll(Soon());
    EXPECT_TRUE(at_end) << at_end.error().ToString();
    return at_end.value_or(false);
  }
  Status FetchTo(int64_t target, int64_t max_events = 1000000) {
    return log_->FetchTo(EventId(target), max_events, Soon());
  }
  ErrorCode FetchFails(int64_t target, int64_t max_events = 1000000) {
    const Status status = FetchTo(target, max_events);
    EXPECT_FALSE(status);
    return status ? ErrorCode::kInternal : status.error().code;
  }

  FakeMetastore metastore_;
  Recorder listener_;
  std::unique_ptr<NotificationLog> log_;
  int appended_ = 0;
};

// --- Following -------------------------------------------------------------------------------

TEST_F(NotificationLogTest, PollDeliversEverythingOnceInOrder) {
  NotificationLog::Options options;
  options.batch = 3;
  Open(options);
  Append(10);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(1, 10));
  EXPECT_EQ(log_->fetched_to(), EventId(10));
  Append(1);
  EXPECT_TRUE(Poll());
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(1, 11));
  EXPECT_EQ(log_->stats().fetched_events, 11U);
  EXPECT_EQ(log_->stats().late_or_duplicate, 0U);
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(NotificationLogTest, StartsBehindThePosition) {
  Append(5);
  Open(3);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(4, 5));
  EXPECT_EQ(log_->trimmed_to(), EventId(3));
}

TEST_F(NotificationLogTest, IdlePollIsOneCall) {
  Append(5);
  Open(5);
  EXPECT_TRUE(Poll());
  const int before = metastore_.TotalCalls();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Poll());
  EXPECT_EQ(metastore_.TotalCalls() - before, 10);
}

TEST_F(NotificationLogTest, NothingIsFetchedBeforeStartAt) {
  log_ = std::make_unique<NotificationLog>(&metastore_, &SystemClock(), NotificationLog::Options{});
  Append(1);
  EXPECT_FALSE(log_->running());
  EXPECT_FALSE(Poll());
  EXPECT_EQ(FetchFails(1), ErrorCode::kInvalidState);
  EXPECT_EQ(metastore_.TotalCalls(), 0);
}

// Whoever was allowed to fetch may have waited for somebody else's fetch to end.
TEST_F(NotificationLogTest, AFetchThatBeginsAfterAStopDeliversNothing) {
  class StoppingClock final : public Clock {
   public:
    [[nodiscard]] TimePoint Now() const override {
      if (NotificationLog* fetching = std::exchange(log, nullptr)) fetching->Stop();
      return SystemClock().Now();
    }
    [[nodiscard]] WallTime WallNow() const override { return SystemClock().WallNow(); }
    mutable NotificationLog* log = nullptr;
  };
  StoppingClock clock;
  log_ = std::make_unique<NotificationLog>(&metastore_, &clock, NotificationLog::Options{});
  log_->SetListener(&listener_);
  log_->StartAt(EventId(0));
  Append(3);
  clock.log = log_.get();  // Asked after the right to fetch has been got.
  const Status fetched = FetchTo(3);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kInvalidState);
  EXPECT_TRUE(listener_.ids.empty());
  EXPECT_EQ(log_->fetched_to(), EventId(0));
}

TEST_F(NotificationLogTest, StoppedItDeliversNothingUntilItIsStartedAgain) {
  Open();
  Append(1);
  // Stopped in the middle of a fetch: its rows are thrown away.
  metastore_.OnCall([this](std::string_view call) {
    if (call == "NextEvents") log_->Stop();
  });
  EXPECT_FALSE(Poll());
  metastore_.OnCall(nullptr);
  EXPECT_FALSE(log_->running());
  EXPECT_FALSE(Poll());
  EXPECT_EQ(FetchFails(1), ErrorCode::kInvalidState);
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{});
  log_->StartAt(EventId(0));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(1, 1));
}

TEST_F(NotificationLogTest, ServerThatCutsRepliesIsFollowed) {
  metastore_.SetMaxReply(2);
  Append(7);
  Open();
  EXPECT_TRUE(FetchTo(7));
  EXPECT_EQ(listener_.ids, UpTo(1, 7));
}

TEST_F(NotificationLogTest, PollErrorsArePassedOnAndForgotten) {
  Open();
  Append(2);
  metastore_.FailNext("NextEvents", Error{ErrorCode::kUnavailable, "down"});
  const auto failed = log_->Poll(Soon());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(1, 2));
}

TEST_F(NotificationLogTest, RefusalIsToldOnceAndDoesNotStopTheLog) {
  Open();
  Append(1);
  metastore_.FailNext("NextEvents", Error{ErrorCode::kPermission, "no"}, 3);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(log_->Poll(Soon()));
  EXPECT_EQ(listener_.conditions, std::vector{LogCondition::kRefused});
  EXPECT_TRUE(log_->running());
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(1, 1));
  metastore_.FailNext("NextEvents", Error{ErrorCode::kPermission, "no"});
  EXPECT_FALSE(log_->Poll(Soon()));
  EXPECT_EQ(listener_.conditions.size(), 2U);
}

// --- FetchTo ---------------------------------------------------------------------------------

TEST_F(NotificationLogTest, FetchToStopsAtTheTarget) {
  NotificationLog::Options options;
  options.batch = 4;
  Open(options);
  Append(20);
  EXPECT_TRUE(FetchTo(6));
  EXPECT_GE(log_->fetched_to(), EventId(6));
  EXPECT_LT(log_->fetched_to(), EventId(20));
  const int calls = metastore_.TotalCalls();
  EXPECT_TRUE(FetchTo(6));
  EXPECT_TRUE(FetchTo(0));
  EXPECT_EQ(metastore_.TotalCalls(), calls);
}

TEST_F(NotificationLogTest, FetchToRefusesALongWay) {
  Open();
  Append(20);
  EXPECT_EQ(FetchFails(20, 19), ErrorCode::kResourceExhausted);
  EXPECT_EQ(metastore_.TotalCalls(), 0);
  EXPECT_TRUE(FetchTo(20, 20));
}

TEST_F(NotificationLogTest, FetchToOfTheFutureIsAnError) {
  Open();
  Append(3);
  EXPECT_EQ(FetchFails(4), ErrorCode::kInvalidArgument);
  EXPECT_EQ(log_->fetched_to(), EventId(3));
  EXPECT_EQ(FetchFails(4), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(NotificationLogTest, FetchToGivesUpAtItsDeadline) {
  Open();
  Append(3);
  const Status late = log_->FetchTo(EventId(3), 100, SystemClock().Now() - std::chrono::seconds(1));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimedOut);
}

// Only waited for, so that it is not far away for anybody.
TEST_F(NotificationLogTest, FetchToDoesNotCountWhatIsBeingDelivered) {
  Open();
  Append(5);
  ErrorCode code = ErrorCode::kInternal;
  listener_.on_events = [&](const std::vector<EventPtr>&) {
    const Status fetched = log_->FetchTo(EventId(5), 0, SystemClock().Now());
    code = fetched ? ErrorCode::kInternal : fetched.error().code;
  };
  EXPECT_TRUE(Poll());
  EXPECT_EQ(code, ErrorCode::kTimedOut);
  EXPECT_TRUE(FetchTo(5, 0));
}

// What could go wrong: a waiter returns before the listener has been told of its target, or two
// fetches deliver an event twice. Provoked with many threads that fetch as they append.
TEST_F(NotificationLogTest, ConcurrentFetchesDeliverOnceAndBeforeTheyReturn) {
  NotificationLog::Options options;
  options.batch = 3;
  Open(options);
  std::atomic<int64_t> told{0};
  std::atomic<bool> in_listener{false};
  listener_.on_events = [&](const std::vector<EventPtr>& events) {
    EXPECT_FALSE(in_listener.exchange(true));
    EXPECT_LT(log_->fetched_to(), events.back()->id);
    // The listener's work may ask for the events it was just given.
    EXPECT_TRUE(log_->Range(EventId(0), events.back()->id, {kA}));
    told = events.back()->id.value();
    in_listener = false;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const EventId id = metastore_.Append("DROP_TABLE", kA, "{}");
        EXPECT_TRUE(log_->FetchTo(id, 1000, Soon()));
        EXPECT_GE(told.load(), id.value());
        EXPECT_TRUE(log_->Poll(Soon()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(listener_.ids, UpTo(1, 200));
}

TEST_F(NotificationLogTest, WaitersOfARunningFetchTimeOut) {
  Open();
  Append(1);
  std::atomic<bool> entered{false};
  std::atomic<bool> release{false};
  metastore_.OnCall([&](std::string_view) {
    entered = true;
    while (!release) std::this_thread::yield();
  });
  std::thread fetcher([&] { EXPECT_TRUE(Poll()); });
  while (!entered) std::this_thread::yield();
  const Status waited =
      log_->FetchTo(EventId(1), 10, SystemClock().Now() + std::chrono::milliseconds(5));
  EXPECT_FALSE(waited);
  release = true;
  fetcher.join();
  EXPECT_EQ(waited.error().code, ErrorCode::kTimedOut);
  EXPECT_TRUE(FetchTo(1));
}

// --- Range, pins, trimming -------------------------------------------------------------------

TEST_F(NotificationLogTest, RangeByNameAndId) {
  Open();
  Append(8);
  Poll();
  const auto range = [this](int64_t after, int64_t up_to, const std::vector<ObjectName>& names) {
    return Ids(log_->Range(EventId(after), EventId(up_to), names).value());
  };
  EXPECT_EQ(range(0, 8, {kA}), (std::vector<int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(range(2, 6, {kB}), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(range(3, 3, {kA}), std::vector<int64_t>{});
  EXPECT_EQ(range(2, 4, {kA, kB}), UpTo(3, 4));
  EXPECT_EQ(range(0, 8, {ObjectName::Table("hive", "s", "c")}), std::vector<int64_t>{});
  EXPECT_EQ(log_->Range(EventId(0), EventId(9), {kA}).error().code, ErrorCode::kInvalidState);
  log_->TrimTo(EventId(4));
  EXPECT_EQ(log_->Range(EventId(3), EventId(8), {kA}).error().code, ErrorCode::kInvalidState);
  EXPECT_EQ(range(4, 8, {kA}), (std::vector<int64_t>{5, 7}));
}

TEST_F(NotificationLogTest, RangeFindsCrossingEvents) {
  Open();
  metastore_.Append("DROP_DATABASE", ObjectName::Database("hive", "s"), "{}");
  NotificationEvent rename = FakeMetastore::MakeRow("ALTER_TABLE", kB, "");
  rename.message = R"({"db":"s","table":"a"})";
  metastore_.Append(rename);
  Poll();
  EXPECT_EQ(Ids(log_->Range(EventId(0), EventId(2), {kA}).value()), UpTo(1, 2));
}

TEST_F(NotificationLogTest, PinsHoldTheTail) {
  Open();
  Append(10);
  Poll();
  {
    auto low = log_->PinAfter(EventId(2)).value();
    auto same = log_->PinAfter(EventId(2)).value();
    NotificationLog::Pin moved = std::move(low);
    low = log_->PinAfter(EventId(6)).value();
    log_->TrimTo(EventId(8));
    EXPECT_EQ(log_->trimmed_to(), EventId(2));
    EXPECT_EQ(log_->stats().events, 8U);
    moved = NotificationLog::Pin();
    EXPECT_EQ(log_->trimmed_to(), EventId(2));
    same = NotificationLog::Pin();
    EXPECT_EQ(log_->trimmed_to(), EventId(6));
    EXPECT_EQ(log_->PinAfter(EventId(5)).error().code, ErrorCode::kInvalidState);
  }
  EXPECT_EQ(log_->trimmed_to(), EventId(8));
  log_->TrimTo(EventId(5));
  EXPECT_EQ(log_->trimmed_to(), EventId(8));
  log_->TrimTo(EventId(10));
  EXPECT_EQ(log_->stats().events, 0U);
  EXPECT_EQ(log_->stats().bytes, 0U);
}

TEST_F(NotificationLogTest, TrimNeverPassesWhatWasFetched) {
  Open();
  Append(2);
  Poll();
  log_->TrimTo(EventId(100));
  EXPECT_EQ(log_->trimmed_to(), EventId(2));
  Append(2);
  Poll();
  EXPECT_EQ(Ids(log_->Range(EventId(2), EventId(4), {kA, kB}).value()), UpTo(3, 4));
}

TEST_F(NotificationLogTest, BeyondItsBudgetTheTailLosesItsOldEndAndFollowsOn) {
  NotificationLog::Options options;
  options.batch = 2;
  options.max_events = 4;
  Open(options);
  Append(10);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, UpTo(1, 10));
  EXPECT_EQ(log_->stats().events, 4U);
  EXPECT_EQ(log_->trimmed_to(), EventId(6));
  EXPECT_EQ(log_->stats().dropped, 6U);
  EXPECT_FALSE(log_->Range(EventId(5), EventId(10), {kA})) << "event 6 is gone, and that is said";
  EXPECT_TRUE(log_->Range(EventId(6), EventId(10), {kA}));
  log_->TrimTo(EventId(3));
  EXPECT_EQ(log_->trimmed_to(), EventId(6)) << "it never goes back";
}

TEST_F(NotificationLogTest, TheBudgetIsStrongerThanAPin) {
  NotificationLog::Options options;
  options.batch = 2;
  options.max_events = 4;
  Open(options);
  Append(2);
  EXPECT_TRUE(Poll());
  auto pin = log_->PinAfter(EventId(1));
  ASSERT_TRUE(pin);
  Append(10);
  EXPECT_TRUE(Poll());
  EXPECT_FALSE(log_->Range(EventId(1), EventId(12), {kA}));
  EXPECT_EQ(log_->stats().events, 4U);
}

TEST_F(NotificationLogTest, TheBudgetOfBytesLeavesTheNewestBatch) {
  NotificationLog::Options options;
  options.batch = 1;
  options.max_bytes = 1;
  Open(options);
  Append(5);
  EXPECT_TRUE(Poll());
  EXPECT_LE(log_->stats().events, 2U);
  EXPECT_GE(log_->stats().events, 1U);
  EXPECT_EQ(listener_.ids, UpTo(1, 5));
}

TEST_F(NotificationLogTest, RecentOutlivesTheTail) {
  Open();
  Append(1200);
  Poll();
  log_->TrimTo(EventId(1200));
  EXPECT_EQ(Ids(log_->Recent(3)), (std::vector<int64_t>{1200, 1199, 1198}));
  EXPECT_EQ(log_->Recent(5000).size(), 1000U);
  EXPECT_EQ(log_->stats().newest_time, 1717200000);
}

TEST_F(NotificationLogTest, RecentForgetsLargeImages) {
  Open();
  metastore_.Append(
      "CREATE_TABLE", kA,
      R"({"tableObjJson":"{\"3\":{\"str\":\")" + std::string(100000, 'x') + R"(\"}}"})");
  Poll();
  ASSERT_EQ(log_->Recent(1).size(), 1U);
  EXPECT_FALSE(log_->Recent(1)[0]->table_image);
  EXPECT_EQ(log_->Recent(1)[0]->name, kA);
  EXPECT_TRUE(log_->Range(EventId(0), EventId(1), {kA}).value()[0]->table_image);
}

}  // namespace
}  // namespace catalogd::events
