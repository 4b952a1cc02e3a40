#include "events/event_processor.h"

#include <gtest/gtest.h>

#include <atomic>

#include "catalog/base/executor.h"
#include "tests/support/fake_metastore.h"
#include "tests/support/fake_time.h"

namespace catalogd::events {
namespace {

using testing::FakeClock;
using testing::FakeMetastore;

const ObjectName kA = ObjectName::Table("hive", "s", "a");
const ObjectName kB = ObjectName::Table("hive", "s", "b");

class Sink final : public EventSink {
 public:
  void Apply(std::vector<LaneTask> tasks) override {
    for (LaneTask& task : tasks) {
      const int count = static_cast<int>(task.events.size());
      applied.push_back(std::move(task));
      events += count;
    }
  }
  void OnLogCondition(LogCondition condition, const std::string& text) override {
    conditions.push_back(condition);
    texts.push_back(text);
    if (on_condition) on_condition();
  }
  [[nodiscard]] bool HasRoom() const override { return events < most; }
  void OnFetchedTo(EventId id) override { fetched_to = id; }

  std::vector<LaneTask> applied;
  std::atomic<int> events{0};
  int most = 1000000;
  EventId fetched_to;
  std::vector<LogCondition> conditions;
  std::vector<std::string> texts;
  std::function<void()> on_condition;
};

class EventProcessorTest : public ::testing::Test {
 protected:
  EventProcessorTest() {
    log_.SetListener(&processor_);
    processor_.SetState(ProcessorState::kStarting, {});
  }
  void Start(int64_t position = 0) {
    log_.StartAt(EventId(position));
    processor_.SetState(ProcessorState::kActive, {});
  }
  ProcessorState State() { return processor_.status().state; }

  FakeMetastore metastore_;
  FakeClock clock_;
  NotificationLog log_{&metastore_, &clock_, NotificationLog::Options{}};
  Sink sink_;
  EventProcessor processor_{&log_, &sink_, &clock_, EventProcessor::Options{}};
};

TEST_F(EventProcessorTest, HandsPlannedLanesToTheSink) {
  Start();
  metastore_.Append("DROP_TABLE", kA, "{}");
  metastore_.Append("DROP_TABLE", kB, "{}");
  metastore_.Append("CREATE_TABLE", kA, "{}");
  EXPECT_TRUE(processor_.RunOnce());
  ASSERT_EQ(sink_.applied.size(), 2U);
  EXPECT_EQ(sink_.applied[0].names, std::vector{kA});
  EXPECT_EQ(sink_.applied[0].events.size(), 2U);
  EXPECT_EQ(sink_.applied[1].names, std::vector{kB});
  const EventProcessor::Status status = processor_.status();
  EXPECT_EQ(status.state, ProcessorState::kActive);
  EXPECT_EQ(status.polls, 1U);
  EXPECT_EQ(status.failed_polls, 0U);
  EXPECT_EQ(status.latest_event_id, EventId(3));
  EXPECT_EQ(status.last_success, clock_.Now());
}

TEST_F(EventProcessorTest, PausesWhileTheSinkHasNoRoom) {
  Start();
  for (int i = 0; i < 2500; ++i) metastore_.Append("DROP_TABLE", kA, "{}");
  sink_.most = 1;
  EXPECT_TRUE(processor_.RunOnce());
  const int first = sink_.events;
  EXPECT_GT(first, 0);
  EXPECT_LT(first, 2500) << "one batch, then no more";
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(sink_.events, first);
  EXPECT_EQ(State(), ProcessorState::kActive);
  sink_.most = 1000000;
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(sink_.events, 2500);
}

TEST_F(EventProcessorTest, AnIdWithoutAnEventIsToldToTheSink) {
  log_.StartAt(EventId(0), 100);
  processor_.SetState(ProcessorState::kActive, {});
  metastore_.Append("DROP_TABLE", kA, "{}");
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(sink_.fetched_to, EventId()) << "the newest id has its event";
  metastore_.SetCurrentId(EventId(5));
  EXPECT_TRUE(log_.FetchTo(EventId(5), 100, clock_.Now() + std::chrono::seconds(1)));
  EXPECT_EQ(sink_.fetched_to, EventId(5));
}

TEST_F(EventProcessorTest, EventsThatOthersFetchReachTheSinkToo) {
  Start();
  metastore_.Append("DROP_TABLE", kA, "{}");
  EXPECT_TRUE(log_.FetchTo(EventId(1), 10, clock_.Now() + std::chrono::seconds(1)));
  EXPECT_EQ(sink_.applied.size(), 1U);
  EXPECT_EQ(processor_.status().latest_event_id, EventId(1));
}

// Whoever read the metastore before such a poll began has seen nothing above its id.
TEST_F(EventProcessorTest, SaysWhenThePollThatFoundTheEndBegan) {
  EXPECT_EQ(processor_.status().end_began, TimePoint{});
  Start();
  metastore_.Append("DROP_TABLE", kA, "{}");
  const TimePoint first = clock_.Now();
  ASSERT_TRUE(processor_.RunOnce());
  EXPECT_EQ(processor_.status().end_began, first);
  EXPECT_EQ(processor_.status().end_event_id, EventId(1));
  // A poll that fails tells nothing; one during which time passes counts from its beginning.
  clock_.Advance(std::chrono::seconds(1));
  metastore_.FailNext("NextEvents", Error{ErrorCode::kUnavailable, "down"});
  EXPECT_FALSE(processor_.RunOnce());
  EXPECT_EQ(processor_.status().end_began, first);
  metastore_.OnCall([this](std::string_view) { clock_.Advance(std::chrono::seconds(1)); });
  const TimePoint second = clock_.Now();
  ASSERT_TRUE(processor_.RunOnce());
  EXPECT_EQ(processor_.status().end_began, second);
}

TEST_F(EventProcessorTest, PausedAndDisabledDoNotPoll) {
  Start();
  for (const ProcessorState state : {ProcessorState::kPaused, ProcessorState::kDisabled}) {
    processor_.SetState(state, "by hand");
    EXPECT_TRUE(processor_.RunOnce());
    EXPECT_EQ(metastore_.TotalCalls(), 0);
    EXPECT_EQ(processor_.status().reason, "by hand");
  }
  EXPECT_EQ(processor_.status().polls, 0U);
}

TEST_F(EventProcessorTest, NothingIsAskedBeforeTheLogStarts) {
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(metastore_.TotalCalls(), 0);
  log_.StartAt(EventId(0));
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_GT(metastore_.TotalCalls(), 0);
  EXPECT_EQ(State(), ProcessorState::kStarting);  // Whoever lists names says when that is over.
}

TEST_F(EventProcessorTest, FailureDegradesAndRecovers) {
  Start();
  clock_.Advance(std::chrono::seconds(5));
  const WallTime failed_at = clock_.WallNow();
  metastore_.FailNext("NextEvents", Error{ErrorCode::kUnavailable, "connection refused"}, 2);
  EXPECT_FALSE(processor_.RunOnce());
  EventProcessor::Status status = processor_.status();
  EXPECT_EQ(status.state, ProcessorState::kDegraded);
  EXPECT_EQ(status.reason, "connection refused");
  EXPECT_EQ(status.since, failed_at);
  EXPECT_EQ(status.failed_polls, 1U);
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_FALSE(processor_.RunOnce());
  EXPECT_EQ(processor_.status().since, failed_at);  // Since the first failure.
  EXPECT_TRUE(processor_.RunOnce());
  status = processor_.status();
  EXPECT_EQ(status.state, ProcessorState::kActive);
  EXPECT_EQ(status.reason, "");
  EXPECT_EQ(status.failed_polls, 2U);
}

TEST_F(EventProcessorTest, RecoveryReturnsToTheStateBefore) {
  log_.StartAt(EventId(0));
  metastore_.FailNext("NextEvents", Error{ErrorCode::kUnavailable, "x"});
  EXPECT_FALSE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kDegraded);
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kStarting);
}

TEST_F(EventProcessorTest, RefusalIsDegradedAndNotALogCondition) {
  Start();
  metastore_.FailNext("NextEvents", Error{ErrorCode::kPermission, "not a proxy user"});
  EXPECT_FALSE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kDegraded);
  EXPECT_EQ(processor_.status().reason, "not a proxy user");
  EXPECT_TRUE(sink_.conditions.empty());
}

TEST_F(EventProcessorTest, LogConditionResyncsUntilTheLogRunsAgain) {
  Start(10);
  metastore_.SetCurrentId(EventId(3));
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(sink_.conditions, std::vector{LogCondition::kWentBack});
  EXPECT_EQ(State(), ProcessorState::kResyncing);
  EXPECT_EQ(processor_.status().reason, sink_.texts[0]);
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kResyncing);
  log_.StartAt(EventId(3));
  // A failure meanwhile does not make it forget what it is at.
  metastore_.FailNext("NextEvents", Error{ErrorCode::kUnavailable, "x"});
  EXPECT_FALSE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kDegraded);
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kActive);
  EXPECT_EQ(processor_.status().reason, "");
}

TEST_F(EventProcessorTest, ResyncDeclaredByOthersIsTheirsToEnd) {
  Start(10);
  metastore_.SetCurrentId(EventId(3));
  sink_.on_condition = [this] {
    processor_.SetState(ProcessorState::kResyncing, "listing");
    log_.StartAt(EventId(3));
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kResyncing);
  EXPECT_EQ(processor_.status().reason, "listing");
  processor_.SetState(ProcessorState::kActive, {});
  EXPECT_TRUE(processor_.RunOnce());
  EXPECT_EQ(State(), ProcessorState::kActive);
}

TEST_F(EventProcessorTest, ConditionWhilePausedStaysPaused) {
  Start(10);
  metastore_.SetCurrentId(EventId(3));
  processor_.SetState(ProcessorState::kPaused, "maintenance");
  EXPECT_FALSE(log_.FetchTo(EventId(11), 100, clock_.Now() + std::chrono::seconds(1)));
  EXPECT_EQ(sink_.conditions.size(), 1U);
  EXPECT_EQ(State(), ProcessorState::kPaused);
}

TEST(EventProcessorLoop, FollowsKicksAndStops) {
  FakeMetastore metastore;
  Sink sink;
  NotificationLog log(&metastore, &SystemClock(), NotificationLog::Options{});
  EventProcessor::Options options;
  options.poll_interval = std::chrono::hours(1);  // Only kicks make it poll again.
  EventProcessor processor(&log, &sink, &SystemClock(), options);
  log.SetListener(&processor);
  log.StartAt(EventId(0));
  processor.SetState(ProcessorState::kActive, {});
  LoopThread thread("poller", [&] { processor.Run(); });
  for (int i = 1; i <= 20; ++i) {
    metastore.Append("DROP_TABLE", kA, "{}");
    processor.Kick();
    while (sink.events < i) std::this_thread::yield();
  }
  metastore.FailAll(Error{ErrorCode::kUnavailable, "down"});
  processor.Kick();
  while (processor.status().failed_polls == 0) std::this_thread::yield();
  processor.Stop();
  thread.Join();
  EXPECT_EQ(sink.applied.size(), 20U);
  EXPECT_EQ(processor.status().state, ProcessorState::kDegraded);
}

// After a failure the loop comes back by itself, without a kick.
TEST(EventProcessorLoop, RetriesAfterFailures) {
  FakeMetastore metastore;
  Sink sink;
  NotificationLog log(&metastore, &SystemClock(), NotificationLog::Options{});
  EventProcessor::Options options;
  options.poll_interval = std::chrono::milliseconds(1);
  options.max_backoff = std::chrono::milliseconds(4);
  EventProcessor processor(&log, &sink, &SystemClock(), options);
  log.SetListener(&processor);
  log.StartAt(EventId(0));
  metastore.Append("DROP_TABLE", kA, "{}");
  metastore.FailNext("NextEvents", Error{ErrorCode::kUnavailable, "down"}, 6);
  processor.SetState(ProcessorState::kActive, {});
  LoopThread thread("poller", [&] { processor.Run(); });
  while (sink.events < 1) std::this_thread::yield();
  processor.Stop();
  thread.Join();
  EXPECT_EQ(processor.status().failed_polls, 6U);
}

TEST(EventProcessorNames, StatesAndConditions) {
  EXPECT_EQ(ProcessorStateName(ProcessorState::kDegraded), "degraded");
  EXPECT_EQ(ProcessorStateName(ProcessorState::kResyncing), "resyncing");
  EXPECT_EQ(LogConditionName(LogCondition::kHole), "hole");
  EXPECT_EQ(LogConditionName(LogCondition::kOtherLog), "other log");
}

}  // namespace
}  // namespace catalogd::events
