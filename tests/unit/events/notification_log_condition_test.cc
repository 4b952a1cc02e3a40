#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "events/event_decoder.h"
#include "events/notification_log.h"
#include "tests/support/fake_metastore.h"
#include "tests/support/fake_time.h"

// How the log notices that it is not what it was, and what it does with late and duplicate ids.
namespace catalogd::events {
namespace {

using hms::NotificationEvent;
using testing::FakeMetastore;

const ObjectName kA = ObjectName::Table("hive", "s", "a");

TimePoint Soon() { return SystemClock().Now() + std::chrono::seconds(20); }

class Recorder final : public LogListener {
 public:
  void OnEvents(const std::vector<EventPtr>& events) override {
    for (const EventPtr& event : events) {
      ids.push_back(event->id.value());
      if (event->late) late.push_back(event->id.value());
    }
    if (on_events) on_events();
  }
  void OnCondition(LogCondition condition, const std::string& text) override {
    conditions.push_back(condition);
    texts.push_back(text);
    if (on_condition) on_condition();
  }

  std::vector<int64_t> ids;
  std::vector<int64_t> late;
  std::vector<LogCondition> conditions;
  std::vector<std::string> texts;
  std::function<void()> on_events;
  std::function<void()> on_condition;
};

class LogConditionTest : public ::testing::Test {
 protected:
  void Open(int64_t position, int reread_window = 0, int batch = 1000,
            std::optional<uint64_t> fingerprint = std::nullopt) {
    NotificationLog::Options options;
    options.reread_window = reread_window;
    options.batch = batch;
    log_ = std::make_unique<NotificationLog>(&metastore_, &SystemClock(), options);
    log_->SetListener(&listener_);
    log_->StartAt(EventId(position), -1, fingerprint);
  }
  uint64_t FingerprintAt(int64_t id) {
    return Fingerprint(metastore_.NextEvents(EventId(id - 1), 1, Soon())->front());
  }
  static NotificationEvent Row(int64_t id, const std::string& message = "{}") {
    NotificationEvent row = FakeMetastore::MakeRow("DROP_TABLE", kA, message);
    row.id = EventId(id);
    return row;
  }
  void Append(int count) {
    for (int i = 0; i < count; ++i) metastore_.Append("DROP_TABLE", kA, "{}");
  }
  bool Poll() {
    const auto at_end = log_->Poll(Soon());
    EXPECT_TRUE(at_end) << at_end.error().ToString();
    return at_end.value_or(false);
  }
  void ExpectStopped(LogCondition condition) {
    EXPECT_EQ(listener_.conditions, std::vector{condition});
    EXPECT_FALSE(log_->running());
    const int calls = metastore_.TotalCalls();
    const size_t delivered = listener_.ids.size();
    EXPECT_FALSE(Poll());
    const Status fetched = log_->FetchTo(EventId(1000), 10000, Soon());
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::kInvalidState);
    EXPECT_EQ(metastore_.TotalCalls(), calls);
    EXPECT_EQ(listener_.ids.size(), delivered);
  }

  FakeMetastore metastore_;
  Recorder listener_;
  std::unique_ptr<NotificationLog> log_;
};

// --- The cleaner -----------------------------------------------------------------------------

TEST_F(LogConditionTest, CleanedUpToWhatWasReadIsNormal) {
  Append(5);
  Open(0);
  EXPECT_TRUE(Poll());
  metastore_.Clean(EventId(5));
  EXPECT_TRUE(Poll());
  EXPECT_TRUE(Poll());
  Append(2);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(LogConditionTest, CleanedStartPositionIsNormal) {
  Append(5);
  metastore_.Clean(EventId(5));
  Open(5);
  EXPECT_TRUE(Poll());
  Append(1);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{6});
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(LogConditionTest, CleanedBeyondWhatWasReadIsAHole) {
  Append(3);
  Open(0);
  EXPECT_TRUE(Poll());
  Append(7);
  metastore_.Clean(EventId(6));
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(listener_.conditions.empty());  // It may be a passing sight.
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_NE(listener_.texts[0].find("events 4 to 6"), std::string::npos) << listener_.texts[0];
  // Everything goes on where the listener says.
  log_->StartAt(EventId(10));
  Append(1);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids.back(), 11);
}

TEST_F(LogConditionTest, CleanedToNothingIsAHole) {
  Append(3);
  Open(0);
  EXPECT_TRUE(Poll());
  Append(7);
  metastore_.Clean(EventId(10));
  EXPECT_FALSE(Poll());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
}

TEST_F(LogConditionTest, FetchToFindsHolesByItself) {
  Append(3);
  Open(0);
  EXPECT_TRUE(Poll());
  Append(7);
  metastore_.Clean(EventId(6));
  const Status fetched = log_->FetchTo(EventId(10), 100, Soon());
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kInvalidState);
  ExpectStopped(LogCondition::kHole);
}

// The newest event is still there, and what the current id promises behind it is not.
TEST_F(LogConditionTest, MissingEndIsAHoleForWhoeverNeedsIt) {
  Append(3);
  Open(0);
  EXPECT_TRUE(Poll());
  metastore_.SetCurrentId(EventId(4));
  EXPECT_TRUE(Poll());
  EXPECT_FALSE(log_->FetchTo(EventId(4), 100, Soon()));
  ExpectStopped(LogCondition::kHole);
}

TEST_F(LogConditionTest, HoleInTheMiddleThatFillsIsNone) {
  Open(0);
  metastore_.Insert(Row(1));
  metastore_.Insert(Row(2));
  metastore_.Insert(Row(4));
  EXPECT_FALSE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2}));
  metastore_.Insert(Row(3));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3, 4}));
  // A later one is looked at twice again.
  metastore_.Insert(Row(6));
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(listener_.conditions.empty());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
}

// What could go wrong: the event before the hole is not recognised, and the log is taken for
// another.
TEST_F(LogConditionTest, AnEventShownTwiceBeforeAHoleIsRecognised) {
  Open(0);
  for (const int64_t id : {1, 2, 2, 4}) metastore_.Insert(Row(id));
  EXPECT_FALSE(Poll());
  metastore_.Insert(Row(3));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(LogConditionTest, StartingAtNothingInACleanedLogIsAHole) {
  Append(5);
  metastore_.Clean(EventId(2));
  Open(0);
  EXPECT_FALSE(Poll());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
}

// An event that is written between the two calls of one look must not count.
TEST_F(LogConditionTest, EventBetweenTwoCallsIsNoHole) {
  Append(3);
  metastore_.Clean(EventId(3));
  Open(3);
  std::atomic<int> appended{0};
  metastore_.OnCall([&](std::string_view call) {
    if (call == "CurrentEventId" && appended++ == 0) Append(1);
  });
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{4});
  EXPECT_TRUE(listener_.conditions.empty());
}

// --- Another log -----------------------------------------------------------------------------

TEST_F(LogConditionTest, SmallerCurrentIdIsBelievedTheSecondTime) {
  Append(10);
  Open(0);
  EXPECT_TRUE(Poll());
  metastore_.RestoreTo(EventId(4));
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(listener_.conditions.empty());
  EXPECT_TRUE(log_->running());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kWentBack);
}

TEST_F(LogConditionTest, SmallerCurrentIdThatWasAGlimpseIsForgotten) {
  Open(10);
  metastore_.SetCurrentId(EventId(9));
  EXPECT_FALSE(Poll());
  metastore_.SetCurrentId(EventId(10));
  EXPECT_TRUE(Poll());
  metastore_.SetCurrentId(EventId(9));
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(log_->running());
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(LogConditionTest, OtherContentOfTheNewestEventIsAnotherLog) {
  Append(10);
  Open(0);
  EXPECT_TRUE(Poll());
  // Restored and written again, past where it was.
  metastore_.RestoreTo(EventId(5));
  for (int i = 0; i < 10; ++i) metastore_.Append("DROP_TABLE", kA, "{\"other\":1}");
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kOtherLog);
  EXPECT_EQ(listener_.ids.size(), 10U);
}

TEST_F(LogConditionTest, StartPositionIsRememberedToo) {
  Append(5);
  Open(5);
  EXPECT_TRUE(Poll());
  metastore_.RestoreTo(EventId(4));
  metastore_.Append("DROP_TABLE", kA, "{\"other\":1}");
  Append(3);
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kOtherLog);
  EXPECT_TRUE(listener_.ids.empty());
}

// Exchanged between whatever the caller read of the old one and the first fetch.
TEST_F(LogConditionTest, StartPositionIsKnownByItsFingerprint) {
  for (const int window : {0, 3}) {
    Append(5);
    const uint64_t known = FingerprintAt(5);
    metastore_.RestoreTo(EventId(4));
    metastore_.Append("DROP_TABLE", kA, "{\"other\":1}");
    Append(3);
    Open(5, window, 1000, known);
    EXPECT_FALSE(Poll());
    ExpectStopped(LogCondition::kOtherLog);
    EXPECT_TRUE(listener_.ids.empty());
    listener_.conditions.clear();
    metastore_.RestoreTo(EventId(0));
  }
}

TEST_F(LogConditionTest, KnownStartPositionIsNothingNew) {
  for (const int window : {0, 3}) {
    Append(5);
    Open(5, window, 1000, FingerprintAt(5));
    EXPECT_TRUE(Poll());
    Append(1);
    EXPECT_TRUE(Poll());
    EXPECT_EQ(listener_.ids, std::vector<int64_t>{6}) << window;
    EXPECT_TRUE(listener_.late.empty()) << window;
    EXPECT_TRUE(listener_.conditions.empty()) << window;
    listener_.ids.clear();
    metastore_.RestoreTo(EventId(0));
  }
}

TEST_F(LogConditionTest, ListenerMayStartAgainAtOnce) {
  Append(10);
  Open(0);
  EXPECT_TRUE(Poll());
  metastore_.RestoreTo(EventId(9));
  metastore_.Append("DROP_TABLE", kA, "{\"other\":1}");
  listener_.on_condition = [this] { log_->StartAt(EventId(10)); };
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(log_->running());
  Append(2);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids.back(), 12);
  EXPECT_EQ(listener_.conditions.size(), 1U);
}

// Rows that were asked for before StartAt must not come out after it.
TEST_F(LogConditionTest, StartAtThrowsARunningFetchAway) {
  Append(10);
  Open(0);
  bool first = true;
  metastore_.OnCall([&](std::string_view) {
    if (std::exchange(first, false)) log_->StartAt(EventId(8));
  });
  EXPECT_FALSE(Poll());
  EXPECT_TRUE(listener_.ids.empty());
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{9, 10}));
}

TEST_F(LogConditionTest, StartAtWaitsForADelivery) {
  Append(3);
  Open(0);
  std::atomic<bool> in_listener{false};
  std::atomic<bool> release{false};
  std::atomic<bool> started{false};
  listener_.on_events = [&] {
    in_listener = true;
    while (!release) std::this_thread::yield();
    EXPECT_FALSE(started);
  };
  std::thread poller([&] { EXPECT_TRUE(log_->Poll(Soon())); });
  while (!in_listener) std::this_thread::yield();
  std::thread starter([&] {
    log_->StartAt(EventId(7));
    started = true;
  });
  release = true;
  poller.join();
  starter.join();
  EXPECT_EQ(log_->fetched_to(), EventId(7));
}

// Remembered on disk, an id with the content of another event makes another log of this one, and an
// id without content hides a log that is another one.
TEST_F(LogConditionTest, TheNewestIdAndItsContentAreOfOneMoment) {
  Append(3);
  Open(0);
  EXPECT_TRUE(Poll());
  const auto before = log_->newest();
  EXPECT_EQ(before.id, EventId(3));
  ASSERT_TRUE(before.fingerprint);
  listener_.on_events = [&] {
    EXPECT_EQ(log_->newest().id, before.id);
    EXPECT_EQ(log_->newest().fingerprint, before.fingerprint);
  };
  Append(2);
  EXPECT_TRUE(Poll());
  const auto after = log_->newest();
  EXPECT_EQ(after.id, EventId(5));
  ASSERT_TRUE(after.fingerprint);
  EXPECT_NE(after.fingerprint, before.fingerprint);
}

// Whichever of the two fingerprints is the greater.
TEST_F(LogConditionTest, OtherContentOfTheNewestEventIsNotRememberedAsIts) {
  Append(3);
  for (int i = 0; i < 8; ++i) {
    Open(0);
    EXPECT_TRUE(Poll());
    const auto before = log_->newest();
    metastore_.RestoreTo(EventId(2));
    metastore_.Append("DROP_TABLE", kA, "{\"other\":" + std::to_string(i) + "}");
    EXPECT_FALSE(Poll());
    EXPECT_EQ(log_->newest().fingerprint, before.fingerprint) << i;
  }
}

TEST_F(LogConditionTest, FetchToNoticesARestart) {
  Append(3);
  Open(0);
  bool first = true;
  metastore_.OnCall([&](std::string_view) {
    if (std::exchange(first, false)) log_->StartAt(EventId(1));
  });
  const Status fetched = log_->FetchTo(EventId(3), 100, Soon());
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kInvalidState);
}

// --- Late and duplicate ids ------------------------------------------------------------------

TEST_F(LogConditionTest, DuplicateOfTheNewestIdIsAnotherEvent) {
  Append(3);
  Open(0);
  EXPECT_TRUE(Poll());
  metastore_.Insert(Row(3, "{\"other\":1}"));
  EXPECT_TRUE(Poll());
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3, 3}));
  EXPECT_EQ(listener_.late, (std::vector<int64_t>{3}));
  EXPECT_EQ(log_->stats().late_or_duplicate, 1U);
  EXPECT_TRUE(listener_.conditions.empty());
}

TEST_F(LogConditionTest, AnotherEventOfOneIdInOneReplyIsLate) {
  Append(2);
  metastore_.Insert(Row(2, "{\"other\":1}"));
  Open(0);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 2}));
  EXPECT_EQ(listener_.late, (std::vector<int64_t>{2}));
}

TEST_F(LogConditionTest, LateEventsInTheWindowAreDeliveredOnceAndSorted) {
  Open(0, 5);
  metastore_.Insert(Row(1));
  metastore_.Insert(Row(2));
  metastore_.Insert(Row(4));
  EXPECT_TRUE(Poll());
  metastore_.Insert(Row(3));
  metastore_.Insert(Row(5));
  EXPECT_TRUE(Poll());
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 4, 3, 5}));
  // Its name may be beyond it already: whoever applies it must know.
  EXPECT_EQ(listener_.late, (std::vector<int64_t>{3}));
  const auto range = log_->Range(EventId(0), EventId(5), {kA});
  ASSERT_TRUE(range);
  for (size_t i = 0; i < range->size(); ++i) {
    EXPECT_EQ((*range)[i]->id, EventId(static_cast<int64_t>(i) + 1));
  }
  EXPECT_EQ(log_->stats().late_or_duplicate, 1U);
}

TEST_F(LogConditionTest, LateEventBehindTheTrimPointIsOnlyDelivered) {
  Open(0, 5);
  metastore_.Insert(Row(1));
  metastore_.Insert(Row(3));
  EXPECT_TRUE(Poll());
  log_->TrimTo(EventId(3));
  metastore_.Insert(Row(2));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 3, 2}));
  EXPECT_EQ(log_->stats().events, 0U);
  EXPECT_EQ(log_->stats().bytes, 0U);
}

TEST_F(LogConditionTest, EqualIdsAndRowsInOneReply) {
  Open(0, 5);
  metastore_.Insert(Row(1, "{\"a\":1}"));
  metastore_.Insert(Row(1, "{\"b\":1}"));
  metastore_.Insert(Row(1, "{\"a\":1}"));
  metastore_.Insert(Row(2));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 1, 2}));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids.size(), 3U);
}

TEST_F(LogConditionTest, WindowBelowTheStartIsLearnedNotDelivered) {
  Append(10);
  Open(10, 5);
  EXPECT_TRUE(Poll());
  EXPECT_TRUE(listener_.ids.empty());
  metastore_.Insert(Row(8, "{\"late\":1}"));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{8});
  // Outside of the window nobody looks.
  metastore_.Insert(Row(2, "{\"late\":1}"));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids.size(), 1U);
}

TEST_F(LogConditionTest, ManyDuplicatesDoNotBlockProgress) {
  Open(0, 3, 2);
  for (int i = 0; i < 40; ++i) metastore_.Insert(Row(1, "{\"n\":" + std::to_string(i) + "}"));
  metastore_.Insert(Row(2));
  EXPECT_TRUE(log_->FetchTo(EventId(2), 10, Soon()));
  EXPECT_EQ(listener_.ids.size(), 41U);
  Open(1, 3, 2);
  listener_.ids.clear();
  EXPECT_TRUE(log_->FetchTo(EventId(2), 10, Soon()));
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{2});
}

TEST_F(LogConditionTest, GapsWithinTheWindowAreNoHoles) {
  Open(0, 5);
  metastore_.Insert(Row(1));
  metastore_.Insert(Row(6));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(log_->fetched_to(), EventId(6));
  metastore_.Insert(Row(13));
  EXPECT_FALSE(Poll());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
}

// Ids without rows are usual in a window, but not right behind what the cleaner has taken.
TEST_F(LogConditionTest, CleanedWithinTheWindowIsAHole) {
  Append(3);
  Open(0, 5);
  EXPECT_TRUE(Poll());
  Append(3);
  metastore_.Clean(EventId(5));
  EXPECT_FALSE(Poll());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(LogConditionTest, CleanedToNothingWithinTheWindowIsAHole) {
  Append(3);
  Open(0, 5);
  EXPECT_TRUE(Poll());
  Append(2);
  metastore_.Clean(EventId(5));
  EXPECT_FALSE(Poll());
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kHole);
}

TEST_F(LogConditionTest, InvisibleTargetWithinTheWindowIsReached) {
  Open(0, 5);
  metastore_.Insert(Row(1));
  metastore_.SetCurrentId(EventId(2));  // Taken, not committed yet.
  EXPECT_TRUE(log_->FetchTo(EventId(2), 10, Soon()));
  EXPECT_EQ(log_->fetched_to(), EventId(2));
  metastore_.Insert(Row(2));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2}));
}

TEST_F(LogConditionTest, UnsortedReplyIsSorted) {
  metastore_.Append(Row(0));
  metastore_.Append(Row(0));
  Open(0, 5);
  // The server's order is the order of arrival here.
  metastore_.SetCurrentId(EventId(4));
  metastore_.Append(Row(0));
  metastore_.SetCurrentId(EventId(2));
  metastore_.Append(Row(0));
  metastore_.Append(Row(0));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

// A whole window with each fetch costs more than what is written meanwhile; a short one must not
// lose what the whole one finds.
class ShortWindowTest : public LogConditionTest {
 protected:
  void OpenShort(int window, int short_window) {
    NotificationLog::Options options;
    options.reread_window = window;
    options.short_window = short_window;
    log_ = std::make_unique<NotificationLog>(&metastore_, &clock_, options);
    log_->SetListener(&listener_);
    log_->StartAt(EventId(0));
    period_ = options.whole_window_every;
  }
  testing::FakeClock clock_;
  Duration period_{};
};

TEST_F(ShortWindowTest, BetweenWholeWindowsOnlyTheNewestIdsAreReadAgain) {
  OpenShort(50, 2);
  Append(40);
  EXPECT_TRUE(Poll());
  listener_.ids.clear();
  metastore_.Insert(Row(20, "{\"late\":1}"));
  metastore_.Insert(Row(39, "{\"late\":1}"));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{39});
  clock_.Advance(period_);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, (std::vector<int64_t>{39, 20}));
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids.size(), 2U);
}

TEST_F(ShortWindowTest, WhatLeftTheWindowBetweenTwoWholeLooksIsStillFound) {
  OpenShort(10, 1);
  Append(20);
  EXPECT_TRUE(Poll());
  for (int i = 0; i < 3; ++i) {
    Append(10);
    EXPECT_TRUE(Poll());
  }
  listener_.ids.clear();
  metastore_.Insert(Row(15, "{\"late\":1}"));
  clock_.Advance(period_);
  EXPECT_TRUE(Poll());
  EXPECT_EQ(listener_.ids, std::vector<int64_t>{15}) << "and nothing that was known";
}

TEST_F(ShortWindowTest, AShortLookThatKnowsNothingLooksFurtherDown) {
  OpenShort(50, 1);
  Append(10);
  EXPECT_TRUE(Poll());
  metastore_.SetCurrentId(EventId(14));  // Taken, and never used.
  EXPECT_TRUE(log_->FetchTo(EventId(14), 10, clock_.Now() + std::chrono::seconds(20)));
  metastore_.Insert(Row(16));
  EXPECT_TRUE(Poll());
  EXPECT_TRUE(log_->running());
  EXPECT_EQ(listener_.ids.back(), 16);
}

TEST_F(LogConditionTest, AnotherLogIsSeenWithAWindowToo) {
  Append(10);
  Open(0, 3);
  EXPECT_TRUE(Poll());
  metastore_.RestoreTo(EventId(5));
  for (int i = 0; i < 10; ++i) metastore_.Append("DROP_TABLE", kA, "{\"other\":1}");
  EXPECT_FALSE(Poll());
  ExpectStopped(LogCondition::kOtherLog);
  EXPECT_EQ(listener_.ids.size(), 10U);
}

}  // namespace
}  // namespace catalogd::events
