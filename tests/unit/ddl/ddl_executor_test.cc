// A write that returns before the cache has caught up, or that is repeated, forgotten or answered
// wrongly when the metastore misbehaves, breaks a client's trust in its own writes. These tests run
// a whole SyncCore with its real threads over a metastore in memory.
#include "catalog/ddl/ddl_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "tests/support/expecting_alter.h"
#include "tests/support/fake_metastore.h"
#include "tests/support/objects.h"

namespace catalogd::ddl {
namespace {

using cache::SlotState;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const ObjectName kDb = ObjectName::Database("hive", "sales");
constexpr std::string_view kListener = "org.apache.hive.hcatalog.listener.DbNotificationListener";

class DdlExecutorTest : public ::testing::Test {
 protected:
  DdlExecutorTest() : store_(std::move(*sync::StateStore::Open(""))), timer_(SystemClock()) {
    metastore_.SetConfig("hive.metastore.transactional.event.listeners", std::string(kListener));
    hms::ServerFacts facts;
    facts.generation = hms::Generation::kHive3;
    facts.version = "3.0";
    metastore_.SetFacts(facts);
    metastore_.PutDatabase(kDb, testing::DatabaseBytes("sales"));
    metastore_.OnForward([this](std::string_view message, const hms::Identity&) {
      return OnWrite(std::string(message));
    });
  }
  ~DdlExecutorTest() override { core_.reset(); }

  void Start() {
    sync::SyncOptions options;
    options.poll_interval = std::chrono::hours(1);  // Only what a write brings up is seen.
    options.call_timeout = std::chrono::seconds(20);
    core_ = std::make_unique<sync::SyncCore>(&metastore_, store_.get(), &SystemClock(), &timer_,
                                             options);
    ddl_ = std::make_unique<DdlExecutor>(core_.get());
    core_->Start();
    Await([this] { return core_->status().ready; });
    ASSERT_TRUE(core_->status().ready) << core_->status().reason;
  }

  // Not for ever: what comes of it is the test's to look at.
  static void Await(const std::function<bool()>& condition) {
    Mutex mutex(LockRank::kLeaf);
    CondVar never;
    for (int i = 0; i < 1000 && !condition(); ++i) {
      const MutexLock lock(mutex);
      never.WaitUntil(mutex, SystemClock().Now() + std::chrono::milliseconds(10));
    }
  }

  // The metastore's side of a write: what it does is the test's.
  Result<std::string> OnWrite(const std::string& message) {
    if (write_) return write_(message);
    return wire::EncodeVoidReply(message, 1);
  }

  Result<DdlOutcome> Write(const std::string& message, std::vector<ObjectName> names,
                           Announced announced = Announced::kAlways,
                           const std::string& method = "alter_table") {
    DdlRequest request;
    request.message = message;
    request.method = method;
    request.names = std::move(names);
    request.announced = announced;
    request.peer = "127.0.0.1:1";
    std::promise<Result<DdlOutcome>> promise;
    ddl_->Submit(std::move(request),
                 [&](Result<DdlOutcome> outcome) { promise.set_value(std::move(outcome)); });
    return promise.get_future().get();
  }

  // A kept answer about the table, read while nothing changed; not proven yet.
  void PutAnswer() {
    auto reading =
        core_->side_answers().Begin({sync::SideKind::kConstraints, {kTable.object()}, "keys"});
    ASSERT_TRUE(reading);
    core_->side_answers().Keep(std::move(*reading), "answer");
  }
  size_t Answers() { return core_->side_answers().stats().answers; }

  EventId Create(const TestTable& table) {
    metastore_.PutTable(table.object(), TableBytes(table));
    return metastore_.Append("CREATE_TABLE", table.object(), testing::CreateTableMessage(table));
  }

  testing::FakeMetastore metastore_;
  std::unique_ptr<sync::StateStore> store_;
  ThreadTimer timer_;
  std::function<Result<std::string>(const std::string&)> write_;
  std::unique_ptr<sync::SyncCore> core_;
  std::unique_ptr<DdlExecutor> ddl_;
};

TEST_F(DdlExecutorTest, OwnWriteIsThereWhenItReturnsWithoutAReadOfTheObject) {
  Start();
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    metastore_.Append("OPEN_TXN", ObjectName(), R"({"txnIds":[1],"timestamp":1})");
    return std::string("created");
  };
  const auto outcome = Write("create", {kTable.object()});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->reply, "created");
  EXPECT_EQ(outcome->event, metastore_.current_id());
  const auto read = core_->Look(kTable.object());
  EXPECT_EQ(read.view.state, SlotState::kPresent);
  EXPECT_EQ(read.view.snapshot->object, TableBytes(kTable));
  EXPECT_GE(read.effective, outcome->event);
  EXPECT_EQ(read.view.version, outcome->version);
  EXPECT_EQ(core_->counters().object_reads.load(), 0U);
  // The event of the write may be on its way through its lane; the write itself has let go.
  for (const cache::NameLocks::Info& lock : core_->locks().Snapshot()) {
    EXPECT_THAT(lock.owner, ::testing::Not(::testing::StartsWith("ddl")));
  }
}

// Some writes no log tells of: the write itself must end what is kept, whatever came of it.
TEST_F(DdlExecutorTest, OwnWritesEndTheAnswersThatTheirNamesOwn) {
  Start();
  PutAnswer();
  write_ = [](const std::string&) -> Result<std::string> { return std::string("ok"); };
  ASSERT_TRUE(Write("alter", {kTable.Named("other").object()}, Announced::kNever));
  EXPECT_EQ(Answers(), 1U);
  ASSERT_TRUE(Write("alter", {kTable.object()}, Announced::kNever));
  EXPECT_EQ(Answers(), 0U);
  PutAnswer();
  ASSERT_TRUE(Write("alter", {kDb}, Announced::kNever));
  EXPECT_EQ(Answers(), 0U);
  PutAnswer();
  ASSERT_TRUE(Write("something", {}, Announced::kNever));
  EXPECT_EQ(Answers(), 0U) << "nobody knows what it changed";
  PutAnswer();
  write_ = [](const std::string&) -> Result<std::string> {
    return MakeError(ErrorCode::kUnknownOutcome, "the connection broke");
  };
  EXPECT_FALSE(Write("alter", {kTable.object()}));
  EXPECT_EQ(Answers(), 0U);
}

TEST_F(DdlExecutorTest, WritesThatWereNotSentEndNoAnswers) {
  Start();
  PutAnswer();
  write_ = [](const std::string&) -> Result<std::string> {
    return MakeError(ErrorCode::kUnavailable, "no metastore");
  };
  EXPECT_FALSE(Write("alter", {kTable.object()}));
  EXPECT_EQ(Answers(), 1U);
}

TEST_F(DdlExecutorTest, AForeignWriteInBetweenIsFoldedToo) {
  Start();
  const TestTable altered = kTable.With("by", "another client");
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    metastore_.PutTable(kTable.object(), TableBytes(altered));
    metastore_.Append("ALTER_TABLE", kTable.object(), testing::AlterTableMessage(kTable, altered));
    return std::string("ok");
  };
  ASSERT_TRUE(Write("create", {kTable.object()}));
  EXPECT_EQ(core_->Look(kTable.object()).view.snapshot->object, TableBytes(altered));
}

// Somebody else's write of one table may take half an hour.
TEST_F(DdlExecutorTest, AWriteOfADatabaseDoesNotWaitForItsTables) {
  Start();
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  const auto held = core_->locks().Acquire(std::move(request), [](Result<cache::NameGuard>) {});
  ASSERT_TRUE(held);
  write_ = [&](const std::string&) -> Result<std::string> {
    metastore_.Append("ALTER_DATABASE", kDb, R"({"db":"sales"})");
    return std::string("ok");
  };
  const auto outcome = Write("alter", {kDb}, Announced::kAlways, "alter_database");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_GE(core_->Look(kDb).effective, outcome->event);
}

TEST_F(DdlExecutorTest, ADatabaseDroppedMeanwhileTakesItsTablesWithIt) {
  Start();
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    metastore_.Append("ALTER_DATABASE", kDb, R"({"db":"sales"})");
    metastore_.Append("DROP_DATABASE", kDb, R"({"db":"sales"})");
    return std::string("ok");
  };
  const auto outcome = Write("alter", {kDb}, Announced::kAlways, "alter_database");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(core_->Look(kDb).view.state, SlotState::kAbsent);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kAbsent);
}

TEST_F(DdlExecutorTest, ARenameInTheRangeIsAppliedUnderBothLocks) {
  Start();
  const TestTable renamed = kTable.Named("elsewhere");
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    metastore_.Append("ALTER_TABLE", renamed.object(), testing::AlterTableMessage(kTable, renamed));
    return std::string("ok");
  };
  const auto outcome = Write("create", {kTable.object()});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kAbsent);
  EXPECT_EQ(core_->Look(renamed.object()).view.state, SlotState::kPresent);
  EXPECT_GE(core_->Look(renamed.object()).effective, outcome->event);
}

// Whoever keeps something under a table's name learns of the new one before he can miss the old.
TEST_F(DdlExecutorTest, ARenameIsToldOnceAndBeforeTheCacheShowsIt) {
  Start();
  const TestTable renamed = kTable.Named("elsewhere");
  std::vector<std::pair<ObjectName, ObjectName>> told;
  core_->context().on_rename = [&](const ObjectName& from, const ObjectName& to) {
    EXPECT_NE(core_->Look(to).view.state, SlotState::kPresent);
    told.emplace_back(from, to);
  };
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    metastore_.Append("ALTER_TABLE", renamed.object(), testing::AlterTableMessage(kTable, renamed));
    return std::string("ok");
  };
  ASSERT_TRUE(Write("create", {kTable.object()}));
  write_ = [](const std::string&) -> Result<std::string> { return std::string("ok"); };
  ASSERT_TRUE(Write("alter", {renamed.object()}, Announced::kSometimes));
  EXPECT_THAT(told, ::testing::ElementsAre(std::pair(kTable.object(), renamed.object())));
  core_->Stop();
}

// The name has come from a rename that is not applied yet. The locks are let go to take the old
// name too; the lanes then apply the range, and the write finds no event of its own any more.
TEST_F(DdlExecutorTest, AnOwnEventThatTheLanesAppliedFirstIsNotMissed) {
  const TestTable before = kTable.Named("before");
  Create(before);
  Start();
  metastore_.Remove(before.object());
  metastore_.PutTable(kTable.object(), TableBytes(kTable));
  metastore_.Append("ALTER_TABLE", kTable.object(), testing::AlterTableMessage(before, kTable));
  write_ = [&](const std::string& message) -> Result<std::string> {
    metastore_.Append("ALTER_TABLE", kTable.object(),
                      testing::AlterTableMessage(kTable, kTable.With("k", "v")));
    return wire::EncodeVoidReply(message, 1);
  };
  ASSERT_TRUE(Write("alter_table", {kTable.object()}));
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kStub);
  EXPECT_EQ(core_->Look(before.object()).view.state, SlotState::kAbsent);
}

// --- Alters that expect a parameter ----------------------------------------------------------

class ExpectingAlterTest : public DdlExecutorTest {
 protected:
  // Tells what was sent to a metastore on which the table says v1.
  std::vector<std::string> AlterExpecting(const std::string& value, std::string* reply) {
    std::vector<std::string> sent;
    write_ = [&](const std::string& message) -> Result<std::string> {
      sent.push_back(message);
      if (sent.size() == 1 && !first_answer_.empty()) return first_answer_;
      metastore_.PutTable(kTable.object(), TableBytes(next_));
      metastore_.Append("ALTER_TABLE", kTable.object(), testing::AlterTableMessage(now_, next_));
      return wire::EncodeVoidReply(kMethod, 7);
    };
    environment_ = {{"expected_parameter_key", "at"}, {"expected_parameter_value", value}};
    const auto outcome = Write(testing::ExpectingAlter(next_, environment_), {kTable.object()},
                               Announced::kAlways, kMethod);
    EXPECT_TRUE(outcome) << outcome.error().message;
    if (outcome) *reply = outcome->reply;
    return sent;
  }

  const std::string kMethod = "alter_table_with_environment_context";
  const TestTable now_ = kTable.With("at", "v1");
  const TestTable next_ = kTable.With("at", "v2");
  std::string first_answer_;
  std::map<std::string, std::string> environment_;
};

TEST_F(ExpectingAlterTest, IsSentAsItIsWhenTheTableSaysSo) {
  Create(now_);
  Start();
  std::string reply;
  const auto sent = AlterExpecting("v1", &reply);
  EXPECT_THAT(sent, ::testing::ElementsAre(testing::ExpectingAlter(next_, environment_)));
  EXPECT_EQ(reply, wire::EncodeVoidReply(kMethod, 7));
  EXPECT_EQ(core_->Look(kTable.object()).view.snapshot, nullptr) << "a stub follows on";
}

// Hive 3.1.3 would store it. What the client reads next must show why it was refused, though no
// poll has shown it yet.
TEST_F(ExpectingAlterTest, IsRefusedWhenTheTableHasChanged) {
  Start();
  const EventId created = Create(now_);
  std::string reply;
  EXPECT_TRUE(AlterExpecting("v0", &reply).empty());
  EXPECT_THAT(reply, ::testing::HasSubstr("key 'at' is 'v1'. The expected was value was 'v0'"));
  const auto read = core_->Look(kTable.object());
  EXPECT_GE(read.effective, created);
  ASSERT_EQ(read.view.state, SlotState::kPresent);
  EXPECT_EQ(read.view.snapshot->object, TableBytes(now_));
}

TEST_F(ExpectingAlterTest, OfAnAbsentTableIsTheMetastoresToAnswer) {
  Start();
  std::string reply;
  EXPECT_EQ(AlterExpecting("v0", &reply).size(), 1U);
}

// Hive 2.3.10 compares by SQL that Derby refuses; the next time it is not asked to.
TEST_F(ExpectingAlterTest, IsSentWithoutItWhereTheMetastoreCannotCompare) {
  Create(now_);
  Start();
  first_answer_ = wire::EncodeExceptionReply(
      kMethod, 7, 2, "Error executing SQL query \"UPDATE \"TABLE_PARAMS\" SET\"");
  std::string reply;
  const auto sent = AlterExpecting("v1", &reply);
  EXPECT_THAT(sent, ::testing::ElementsAre(testing::ExpectingAlter(next_, environment_),
                                           testing::ExpectingAlter(next_, {})));
  EXPECT_EQ(reply, wire::EncodeVoidReply(kMethod, 7));
  metastore_.PutTable(kTable.object(), TableBytes(now_));
  first_answer_.clear();
  EXPECT_THAT(AlterExpecting("v1", &reply),
              ::testing::ElementsAre(testing::ExpectingAlter(next_, {})));
}

// Hive 4 compares in its own transaction, against writers that go past this daemon too.
TEST_F(ExpectingAlterTest, IsLeftToAMetastoreThatCompares) {
  hms::ServerFacts facts;
  facts.generation = hms::Generation::kHive4;
  facts.version = "4.2.0";
  metastore_.SetFacts(facts);
  Create(now_);
  Start();
  std::string reply;
  EXPECT_EQ(AlterExpecting("v0", &reply).size(), 1U);
}

// --- Writes of the daemon's own ---------------------------------------------------------------

class OwnWriteTest : public DdlExecutorTest {
 protected:
  Result<DdlOutcome> Own(std::function<Result<OwnEffect>(TimePoint)> own,
                         std::optional<Duration> lock_timeout = std::nullopt) {
    DdlRequest request;
    request.method = "coord_commit";
    request.names = {kTable.object()};
    request.own = std::move(own);
    request.lock_timeout = lock_timeout;
    std::promise<Result<DdlOutcome>> promise;
    ddl_->Submit(std::move(request),
                 [&](Result<DdlOutcome> outcome) { promise.set_value(std::move(outcome)); });
    return promise.get_future().get();
  }
};

TEST_F(OwnWriteTest, IsThereWhenItReturnsAndSendsNothingElse) {
  Start();
  write_ = [](const std::string&) -> Result<std::string> {
    ADD_FAILURE() << "there is no message";
    return std::string();
  };
  const auto outcome = Own([&](TimePoint) -> Result<OwnEffect> {
    Create(kTable);
    return OwnEffect::kChanged;
  });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->event, metastore_.current_id());
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kPresent);
  EXPECT_GE(core_->Look(kTable.object()).effective, outcome->event);
}

// A commit that is refused before it was sent must not cost the table its place in the cache.
TEST_F(OwnWriteTest, ThatChangedNothingPutsNothingInDoubt) {
  Start();
  PutAnswer();
  const EventId created = Create(kTable);
  const auto outcome = Own([](TimePoint) -> Result<OwnEffect> { return OwnEffect::kNothing; });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_GE(outcome->event, created);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kPresent);
  const auto again = Own([](TimePoint) -> Result<OwnEffect> { return OwnEffect::kNothing; });
  ASSERT_TRUE(again);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kPresent) << "no event at all";
}

TEST_F(OwnWriteTest, WhoseEventIsNotThereIsInDoubt) {
  Start();
  Create(kTable);
  ASSERT_TRUE(Own([](TimePoint) -> Result<OwnEffect> { return OwnEffect::kNothing; }));
  ASSERT_TRUE(Own([](TimePoint) -> Result<OwnEffect> { return OwnEffect::kChanged; }));
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kUnknown);
}

TEST_F(OwnWriteTest, OfAnUnknownOutcomeStopsCachedAnswers) {
  Start();
  Create(kTable);
  const auto outcome = Own([](TimePoint) -> Result<OwnEffect> {
    return MakeError(ErrorCode::kUnknownOutcome, "connection reset");
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnknownOutcome);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kUnknown);
}

TEST_F(OwnWriteTest, WaitsForItsNameAsLongAsItSays) {
  Start();
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  const auto held = core_->locks().Acquire(std::move(request), [](Result<cache::NameGuard>) {});
  ASSERT_TRUE(held);
  bool ran = false;
  const auto outcome = Own(
      [&](TimePoint) -> Result<OwnEffect> {
        ran = true;
        return OwnEffect::kNothing;
      },
      std::chrono::milliseconds(20));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kTimedOut);
  EXPECT_FALSE(ran);
}

// Hive 3.1 on Derby gives one id to two events when writers race. Then the write's own event has
// the id of one that is reflected already, and would be taken for it.
TEST_F(DdlExecutorTest, AnOwnEventUnderAnIdThatWasSeenPutsTheNameInDoubt) {
  Start();
  write_ = [&](const std::string& message) -> Result<std::string> {
    return wire::EncodeVoidReply(message, 1);  // Done, and no event with a new id.
  };
  ASSERT_TRUE(Write("alter_table", {kTable.object()}));
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kUnknown);
  EXPECT_EQ(core_->counters().ddl_event_missing.load(), 1U);
}

TEST_F(DdlExecutorTest, ARefusedWriteWithoutAnEventPutsNothingInDoubt) {
  Start();
  write_ = [&](const std::string& message) -> Result<std::string> {
    return wire::EncodeExceptionReply(message, 1, 2, "no such table");
  };
  ASSERT_TRUE(Write("alter_table", {kTable.object()}));
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kAbsent);
}

TEST_F(DdlExecutorTest, AWriteTheLogDoesNotDescribeEndsInAStub) {
  Start();
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    return std::string("ok");
  };
  ASSERT_TRUE(Write("create", {kTable.object()}, Announced::kSometimes));
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kStub);
}

TEST_F(DdlExecutorTest, AnUnknownOutcomeIsNeverSentAgainAndStopsCachedAnswers) {
  Start();
  int sent = 0;
  write_ = [&](const std::string&) -> Result<std::string> {
    ++sent;
    Create(kTable);
    return MakeError(ErrorCode::kUnknownOutcome, "connection reset");
  };
  const auto outcome = Write("create", {kTable.object()});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnknownOutcome);
  EXPECT_THAT(outcome.error().message, ::testing::HasSubstr("sales.orders"));
  EXPECT_EQ(sent, 1);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kUnknown);
  EXPECT_EQ(core_->counters().unknown_outcomes.load(), 1U);
}

// The server may work on a write that was given up, until the client has been told so and longer.
// What it does up to then the client may read at once: an id from before the answer may be older.
TEST_F(DdlExecutorTest, AnUnknownOutcomeIsNotFreedByALookFromBeforeItsAnswer) {
  Start();
  PutAnswer();
  write_ = [&](const std::string&) -> Result<std::string> {
    return MakeError(ErrorCode::kUnknownOutcome, "connection reset");
  };
  sync::Floors& floors = core_->floors();
  EventId created;
  DdlRequest request;
  request.message = "create";
  request.method = "create_table";
  request.names = {kTable.object()};
  ddl_->Submit(std::move(request), [&](const Result<DdlOutcome>& outcome) {
    EXPECT_FALSE(outcome);
    const sync::Floors::Unresolved marks = floors.TakeUnresolved();
    const EventId current = metastore_.current_id();
    PutAnswer();  // Of before the write, too.
    created = Create(kTable);
    floors.Resolve(marks, current);
    EXPECT_EQ(floors.FloorOf(kTable.object()), sync::Floors::kNever);
  });
  Await([&] {
    return ddl_->in_flight() == 0 && floors.FloorOf(kTable.object()) < sync::Floors::kNever;
  });
  ASSERT_EQ(ddl_->in_flight(), 0);
  // A floor that the watermark has passed is forgotten.
  const EventId floor = floors.FloorOf(kTable.object());
  EXPECT_LT(floor, sync::Floors::kNever);
  EXPECT_GE(std::max(floor, core_->Look(kTable.object()).effective), created);
  EXPECT_EQ(Answers(), 0U);
}

TEST_F(DdlExecutorTest, WhatWasNeverSentChangesNothing) {
  Start();
  write_ = [](const std::string&) -> Result<std::string> {
    return MakeError(ErrorCode::kUnavailable, "connection refused");
  };
  const auto outcome = Write("create", {kTable.object()});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(core_->Look(kTable.object()).view.state, SlotState::kAbsent);
  EXPECT_LT(core_->FloorOf(kTable.object()), sync::Floors::kNever);
}

TEST_F(DdlExecutorTest, WhenTheCurrentIdCannotBeReadTheAnswerGoesOutAndTheFloorRises) {
  Start();
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    metastore_.FailAll(Error{ErrorCode::kUnavailable, "gone"});
    return std::string("created");
  };
  const auto outcome = Write("create", {kTable.object()});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->reply, "created");
  EXPECT_EQ(outcome->event, EventId());
  EXPECT_EQ(core_->FloorOf(kTable.object()), sync::Floors::kNever);
  EXPECT_LT(core_->FloorOf(ObjectName::Table("hive", "sales", "other")), sync::Floors::kNever);
  EXPECT_EQ(core_->counters().ddl_not_brought_up.load(), 1U);
}

TEST_F(DdlExecutorTest, AWriteWithoutNamesRaisesTheFloorOfAllNames) {
  Start();
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);
    return std::string("ok");
  };
  const auto outcome = Write("some_new_method", {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(core_->FloorOf(ObjectName::Table("hive", "x", "y")), outcome->event);
}

TEST_F(DdlExecutorTest, AMethodTheServerDoesNotKnowRaisesNothing) {
  Start();
  write_ = [&](const std::string&) -> Result<std::string> {
    Create(kTable);  // Somebody else's write.
    return wire::EncodeApplicationError("some_new_method", 1,
                                        wire::ApplicationError::kUnknownMethod, "Invalid");
  };
  ASSERT_TRUE(Write("some_new_method", {}));
  EXPECT_EQ(core_->FloorOf(ObjectName::Table("hive", "x", "y")), EventId());
}

TEST_F(DdlExecutorTest, ALockedNameTimesOutWithoutSending) {
  Start();
  int sent = 0;
  write_ = [&](const std::string&) -> Result<std::string> {
    ++sent;
    return std::string("ok");
  };
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  request.owner = "a long CASCADE";
  auto guard = core_->locks().Acquire(request, [](Result<cache::NameGuard>) {});
  ASSERT_TRUE(guard);
  DdlExecutor impatient(core_.get(), std::chrono::milliseconds(50));
  std::promise<Result<DdlOutcome>> promise;
  DdlRequest write;
  write.message = "m";
  write.method = "alter_table";
  write.names = {kTable.object()};
  impatient.Submit(std::move(write),
                   [&](Result<DdlOutcome> outcome) { promise.set_value(std::move(outcome)); });
  const auto outcome = promise.get_future().get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(outcome.error().message, ::testing::HasSubstr("a long CASCADE"));
  EXPECT_EQ(sent, 0);
  core_->Stop();
}

// What could go wrong: a daemon that stops begins writes whose clients it is about to cut off.
TEST_F(DdlExecutorTest, AStopRefusesWhatWaitsForItsNamesAndLetsTheRunningFinish) {
  Start();
  std::promise<void> go_on;
  std::shared_future<void> may_go_on = go_on.get_future().share();
  std::promise<void> began;
  std::atomic<int> sent = 0;
  write_ = [&, may_go_on](const std::string& message) -> Result<std::string> {
    if (++sent == 1) began.set_value();
    may_go_on.wait();
    return wire::EncodeVoidReply(message, 1);
  };
  std::promise<Result<DdlOutcome>> running;
  std::promise<Result<DdlOutcome>> waiting;
  for (auto* promise : {&running, &waiting}) {
    DdlRequest request;
    request.message = "alter_table";
    request.method = "alter_table";
    request.names = {kTable.object()};
    ddl_->Submit(std::move(request),
                 [promise](Result<DdlOutcome> outcome) { promise->set_value(std::move(outcome)); });
    if (promise == &running) began.get_future().wait();
  }
  ddl_->StopSending();
  const auto refused = waiting.get_future().get();  // Though the name is still locked.
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(refused.error().message, "alter_table " + kTable.object().ToString() +
                                         ": nothing was sent: the daemon is stopping");
  EXPECT_EQ(Write("m", {kDb}).error().code, ErrorCode::kCancelled);
  go_on.set_value();
  EXPECT_TRUE(running.get_future().get());
  EXPECT_EQ(sent, 1);
  EXPECT_EQ(core_->locks().waiting(), 0U);
}

TEST_F(DdlExecutorTest, ConcurrentWritesOfManyTablesAreEachThereWhenTheyReturn) {
  Start();
  write_ = [&](const std::string& message) -> Result<std::string> {
    Create(kTable.Named(message));
    return message;
  };
  constexpr int kWrites = 200;
  std::vector<std::promise<bool>> seen(kWrites);
  for (int i = 0; i < kWrites; ++i) {
    DdlRequest request;
    request.message = "t" + std::to_string(i);
    request.method = "create_table";
    request.names = {kTable.Named(request.message).object()};
    ddl_->Submit(request, [&, i, name = request.names[0]](const Result<DdlOutcome>& outcome) {
      const auto read = core_->Look(name);
      seen[static_cast<size_t>(i)].set_value(outcome && read.effective >= outcome->event &&
                                             read.view.state == SlotState::kPresent);
    });
  }
  for (auto& promise : seen) EXPECT_TRUE(promise.get_future().get());
  EXPECT_EQ(core_->counters().object_reads.load(), 0U);
}

}  // namespace
}  // namespace catalogd::ddl
