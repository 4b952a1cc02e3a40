// A log that is not what it was must be noticed, named and healed while reads go on through the
// metastore. The whole core on one thread: every round runs when the test says so.
#include "catalog/sync/sync_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_metastore.h"
#include "tests/support/fake_time.h"
#include "tests/support/objects.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using ::testing::HasSubstr;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const TestTable kOther = kTable.Named("other");
const ObjectName kDb = ObjectName::Database("hive", "sales");

class SyncCoreTest : public ::testing::Test {
 protected:
  SyncCoreTest() : store_(std::move(*StateStore::Open(""))), timer_(&clock_) {
    metastore_.SetConfig("hive.metastore.transactional.event.listeners",
                         "org.apache.hive.hcatalog.listener.DbNotificationListener");
    SetServer(hms::Generation::kHive3, "uuid-1");
    metastore_.PutDatabase(kDb, testing::DatabaseBytes("sales"));
    Create(kTable);
    Create(kOther);
  }
  ~SyncCoreTest() override {
    if (core_) core_->Stop();
  }

  void SetServer(hms::Generation generation, const std::string& uuid) {
    hms::ServerFacts facts;
    facts.generation = generation;
    facts.version = "3.0";
    facts.uuid = uuid;
    metastore_.SetFacts(facts);
  }
  void Open(SyncOptions options = {}) {
    options.call_timeout = std::chrono::seconds(20);
    core_ = std::make_unique<SyncCore>(
        &metastore_, store_.get(), &clock_, &timer_, options,
        SyncExecutors{.sync = &executor_, .loader = &executor_, .ddl = &executor_});
    Rounds();
    ASSERT_TRUE(core_->status().ready) << core_->status().reason;
  }
  // Some rounds of everything that has threads of its own otherwise.
  void Rounds(int count = 4) {
    for (int i = 0; i < count; ++i) {
      core_->SuperviseOnce();
      static_cast<void>(core_->processor().RunOnce());
      executor_.RunAll();
    }
  }
  void Poll() {
    static_cast<void>(core_->processor().RunOnce());
    executor_.RunAll();
  }
  EventId Create(const TestTable& table) {
    metastore_.PutTable(table.object(), TableBytes(table));
    return metastore_.Append("CREATE_TABLE", table.object(), testing::CreateTableMessage(table));
  }
  EventId Alter(const TestTable& before, const TestTable& after) {
    metastore_.PutTable(after.object(), TableBytes(after));
    return metastore_.Append("ALTER_TABLE", after.object(),
                             testing::AlterTableMessage(before, after));
  }
  void Load(const ObjectName& name) {
    core_->loader().Load(name, nullptr);
    executor_.RunAll();
  }
  // The newest happening of the log itself, as /events shows it.
  std::string Condition() {
    for (const JournalEntry& entry : core_->journal().Recent(100)) {
      if (entry.type.starts_with("log: ")) return entry.type + ": " + entry.reason;
    }
    return "";
  }
  void ExpectHealed(const TestTable& table) {
    Rounds();
    ASSERT_TRUE(core_->status().ready) << core_->status().reason;
    EXPECT_EQ(core_->Look(table.object()).view.state, SlotState::kStub);
    Load(table.object());
    ASSERT_EQ(core_->Look(table.object()).view.state, SlotState::kPresent);
    EXPECT_EQ(core_->Look(table.object()).view.snapshot->object, TableBytes(table));
    EXPECT_EQ(core_->counters().log_conditions.load(), 1U);
  }

  // An answer of the metastore that is kept; true: it may be given out.
  bool PutAnswer() {
    auto reading = core_->side_answers().Begin({SideKind::kConstraints, {kTable.object()}, "keys"});
    if (reading) core_->side_answers().Keep(std::move(*reading), "answer");
    clock_.Advance(std::chrono::milliseconds(1));
    Poll();
    return HasAnswer();
  }
  bool HasAnswer() { return core_->side_answers().Find("keys") != nullptr; }

  testing::FakeMetastore metastore_;
  testing::FakeClock clock_;
  std::unique_ptr<StateStore> store_;
  testing::ManualTimer timer_;
  testing::ManualExecutor executor_;
  std::unique_ptr<SyncCore> core_;
};

// What could go wrong: the list shows a database without the blanks of its name, which is not
// there.
TEST_F(SyncCoreTest, DatabasesWithBlanksAroundTheirNamesAreNoticedInListsAndInTheLog) {
  Open();
  EXPECT_FALSE(core_->has_odd_databases());
  const auto create = [this](const std::string& db, const std::string& written) {
    metastore_.Append(
        "CREATE_DATABASE", ObjectName::Database("hive", db),
        R"({"db":")" + written + R"(","dbJson":"{\"1\":{\"str\":\")" + written + R"(\"}}"})");
    Poll();
  };
  create("plain", "Plain");
  EXPECT_FALSE(core_->has_odd_databases());
  create("lead", " lead");
  EXPECT_TRUE(core_->has_odd_databases());
  // A listing starts from what there is.
  core_->RequestResync("test");
  Rounds();
  EXPECT_FALSE(core_->has_odd_databases());
  // Hive 4 takes what begins so for a catalog: asking for its tables is an error.
  create("@marked", "@marked");
  EXPECT_TRUE(core_->has_odd_databases());
  metastore_.PutDatabase(ObjectName::Database("hive", "@marked"),
                         testing::DatabaseBytes("@marked"));
  const int lists = metastore_.Calls("ListTables");
  core_->RequestResync("test");
  Rounds();
  EXPECT_TRUE(core_->status().ready) << core_->status().reason;
  EXPECT_TRUE(core_->has_odd_databases());
  EXPECT_EQ(metastore_.Calls("ListTables"), lists + 1) << "of the fixture's own database only";
  metastore_.Remove(ObjectName::Database("hive", "@marked"));
  metastore_.PutDatabase(ObjectName::Database("hive", "trail"), testing::DatabaseBytes("trail "));
  core_->RequestResync("test");
  Rounds();
  EXPECT_TRUE(core_->has_odd_databases());
  EXPECT_TRUE(core_->status().ready);
  EXPECT_EQ(core_->cache().Databases("hive").names, (std::vector<std::string>{"sales"}));
}

TEST_F(SyncCoreTest, ALogCleanedUnderTheDaemonIsAHoleAndHealsObjectByObject) {
  Open();
  Load(kTable.object());
  const LogEpoch epoch = core_->cache().epoch();
  const TestTable changed = kTable.With("k", "2");
  Alter(kTable, kTable.With("k", "1"));
  metastore_.Clean(Alter(kTable.With("k", "1"), changed));
  Create(kTable.Named("third"));
  Poll();
  Poll();
  EXPECT_THAT(Condition(), HasSubstr("log: hole"));
  EXPECT_EQ(core_->counters().conditions.at(static_cast<size_t>(events::LogCondition::kHole)), 1U);
  EXPECT_FALSE(core_->Serves(kTable.object())) << "reads pass through meanwhile";
  EXPECT_THAT(core_->status().reason, HasSubstr("hole"));
  ExpectHealed(changed);
  EXPECT_EQ(core_->cache().epoch(), epoch) << "the same log";
  EXPECT_TRUE(core_->Serves(kTable.object()));
}

TEST_F(SyncCoreTest, AnIdThatGoesBackIsAnotherLog) {
  Open();
  Load(kTable.object());
  const LogEpoch epoch = core_->cache().epoch();
  metastore_.RestoreTo(EventId(1));
  metastore_.Remove(kOther.object());
  Poll();
  Poll();
  EXPECT_THAT(Condition(), HasSubstr("log: went back"));
  EXPECT_FALSE(core_->Serves(kTable.object()));
  ExpectHealed(kTable);
  EXPECT_GT(core_->cache().epoch(), epoch);
  EXPECT_EQ(core_->Look(kOther.object()).view.state, SlotState::kAbsent);
}

// What has been shown up to is remembered without any event behind it, and at once.
TEST_F(SyncCoreTest, AnIdBelowTheListingIsAnotherLogAfterARestartToo) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  core_->Stop();
  metastore_.RestoreTo(EventId(metastore_.current_id().value() - 1));
  Open();
  EXPECT_GT(core_->cache().epoch(), epoch);
}

TEST_F(SyncCoreTest, AnotherEventUnderTheIdOfTheListingIsAnotherLogAfterARestartToo) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  core_->Stop();
  metastore_.RestoreTo(EventId(metastore_.current_id().value() - 1));
  Alter(kTable, kTable.With("k", "another life"));
  Alter(kTable, kTable.With("k", "goes on"));
  Open();
  EXPECT_GT(core_->cache().epoch(), epoch);
}

// Stopped between finding out and beginning anew: the new log is the only one that is seen next.
TEST_F(SyncCoreTest, AnotherLogIsRememberedByWhoStopsBeforeHeBeginsAnew) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  Alter(kTable, kTable.With("k", "1"));
  Poll();
  metastore_.RestoreTo(EventId(metastore_.current_id().value() - 1));
  Alter(kTable, kTable.With("k", "another life"));
  Poll();
  ASSERT_THAT(Condition(), HasSubstr("log: other log"));
  core_->Stop();
  Alter(kTable.With("k", "another life"), kTable.With("k", "goes on"));
  Open();
  EXPECT_GT(core_->cache().epoch(), epoch);
}

// The row of the newest event may be cleaned away before a listing: its content stays known.
TEST_F(SyncCoreTest, WhatWasKnownOfTheNewestEventOutlivesIt) {
  Open();
  core_->Stop();
  const StateStore::LogIdentity known = store_->identity();
  ASSERT_NE(known.last_fingerprint, 0U);
  metastore_.Clean(metastore_.current_id());
  Open();
  core_->Stop();
  EXPECT_EQ(store_->identity().epoch, known.epoch);
  EXPECT_EQ(store_->identity().last_event, known.last_event);
  EXPECT_EQ(store_->identity().last_fingerprint, known.last_fingerprint);
}

// The poller goes on while the current id is asked for, and may be ahead of the answer.
TEST_F(SyncCoreTest, WhatIsFetchedAfterTheAnswerDoesNotMakeAnotherLog) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  core_->RequestResync("an operator wants it");
  std::optional<EventId> newest;
  bool busy = false;
  int asked = 0;
  metastore_.OnCall([&](std::string_view call) {
    if (busy) return;
    if (newest) return metastore_.SetCurrentId(*newest);
    if (call != "CurrentEventId" || ++asked == 1) return;  // The first is preflight's.
    busy = true;
    const EventId answer = metastore_.current_id();
    newest = Alter(kTable, kTable.With("k", "1"));
    Poll();
    metastore_.SetCurrentId(answer);
    busy = false;
  });
  Rounds();
  ASSERT_TRUE(newest);
  ASSERT_TRUE(core_->status().ready) << core_->status().reason;
  EXPECT_EQ(core_->cache().epoch(), epoch);
}

TEST_F(SyncCoreTest, AnIdBelowWhatWasReadIsAnotherLogForAResyncToo) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  Alter(kTable, kTable.With("k", "1"));
  Poll();
  metastore_.RestoreTo(EventId(metastore_.current_id().value() - 1));
  core_->RequestResync("an operator wants it");
  Rounds();
  ASSERT_TRUE(core_->status().ready) << core_->status().reason;
  EXPECT_GT(core_->cache().epoch(), epoch);
}

// A wait that has succeeded would find names below its id again.
TEST_F(SyncCoreTest, TheWatermarkDoesNotGoBackForAListing) {
  Open();
  std::optional<EventId> during;
  metastore_.OnCall([&](std::string_view call) {
    if (call != "ListDatabases" || during) return;
    Alter(kTable, kTable.With("k", "1"));
    during = EventId();
    Poll();  // Somebody else fetches.
    during = core_->watermark().value();
  });
  core_->RequestResync("test");
  core_->SuperviseOnce();
  ASSERT_TRUE(during);
  EXPECT_GE(core_->watermark().value(), *during);
  metastore_.OnCall(nullptr);
  Rounds();
  Poll();
  EXPECT_EQ(core_->watermark().value(), metastore_.current_id());
  EXPECT_TRUE(core_->status().ready);
}

TEST_F(SyncCoreTest, AnotherEventUnderTheNewestIdIsAnotherLog) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  const EventId newest = Alter(kTable, kTable.With("k", "1"));
  Poll();
  metastore_.RestoreTo(EventId(newest.value() - 1));
  const TestTable other_life = kTable.With("k", "other");
  ASSERT_EQ(Alter(kTable, other_life), newest);
  Poll();
  EXPECT_THAT(Condition(), HasSubstr("log: other log"));
  ExpectHealed(other_life);
  EXPECT_GT(core_->cache().epoch(), epoch);
}

TEST_F(SyncCoreTest, AnotherMetastoreBehindTheSameAddressIsAnotherLog) {
  Open();
  Load(kTable.object());
  const LogEpoch epoch = core_->cache().epoch();
  SetServer(hms::Generation::kHive3, "uuid-2");
  clock_.Advance(std::chrono::minutes(2));
  core_->SuperviseOnce();
  EXPECT_THAT(Condition(), HasSubstr("uuid-2"));
  EXPECT_FALSE(core_->Serves(kTable.object()));
  ExpectHealed(kTable);
  EXPECT_GT(core_->cache().epoch(), epoch);
  EXPECT_EQ(store_->identity().metastore_uuid, "uuid-2");
}

TEST_F(SyncCoreTest, AnotherVersionBehindTheSameAddressIsLookedAtAgain) {
  Open();
  const LogEpoch epoch = core_->cache().epoch();
  EXPECT_EQ(core_->context().fold.generation, hms::Generation::kHive3);
  SetServer(hms::Generation::kHive4, "uuid-1");
  clock_.Advance(std::chrono::minutes(2));
  Rounds();
  EXPECT_TRUE(core_->status().ready);
  EXPECT_EQ(core_->context().fold.generation, hms::Generation::kHive4);
  EXPECT_EQ(core_->cache().epoch(), epoch);
}

TEST_F(SyncCoreTest, AServerThatIsAwayIsNotAnotherOne) {
  Open();
  metastore_.FailAll(Error{ErrorCode::kUnavailable, "connection refused"});
  clock_.Advance(std::chrono::minutes(2));
  core_->SuperviseOnce();
  EXPECT_TRUE(core_->status().ready);
  EXPECT_EQ(core_->counters().log_conditions.load(), 0U);
}

// A gap that later fills: on Hive 2.3 two writers may commit in another order than their ids.
TEST_F(SyncCoreTest, OnHive2LateIdsAreReadAgainAndPutTheirNamesInDoubt) {
  SetServer(hms::Generation::kHive2, "");
  Open();
  Load(kTable.object());
  const EventId position = metastore_.current_id();
  auto late = testing::FakeMetastore::MakeRow("ALTER_TABLE", kTable.object(), "");
  late.id = position.Next();
  late.message = testing::AlterTableMessage(kTable, kTable.With("k", "late"));
  metastore_.SetCurrentId(late.id);
  const EventId after = Alter(kOther, kOther.With("k", "first"));
  Poll();
  EXPECT_EQ(core_->watermark().value(), after);
  EXPECT_EQ(core_->counters().log_conditions.load(), 0U) << "gaps are usual there";
  metastore_.PutTable(kTable.object(), TableBytes(kTable.With("k", "late")));
  metastore_.Insert(late);
  Poll();
  EXPECT_EQ(core_->log().stats().late_or_duplicate, 1U);
  Load(kTable.object());
  EXPECT_EQ(core_->Look(kTable.object()).view.snapshot->object,
            TableBytes(kTable.With("k", "late")));
}

TEST_F(SyncCoreTest, OnHive2TheNewestIdMayHaveNoEvent) {
  SetServer(hms::Generation::kHive2, "");
  metastore_.SetCurrentId(EventId(metastore_.current_id().value() + 3));
  Open();
  const EventId hidden(metastore_.current_id().value() + 2);
  metastore_.SetCurrentId(hidden);
  ASSERT_TRUE(core_->log().FetchTo(hidden, 100, clock_.Now() + std::chrono::seconds(1)));
  EXPECT_EQ(core_->watermark().value(), hidden) << "whoever waits for it goes on";
}

TEST_F(SyncCoreTest, LaterServersHaveNoWindow) {
  Open();
  metastore_.SetCurrentId(metastore_.current_id().Next());
  Alter(kOther, kOther.With("k", "v"));
  Poll();
  Poll();
  EXPECT_THAT(Condition(), HasSubstr("log: hole"));
}

// Two writers that race get one id from 3.1 on Derby, and the second event shows after later ones.
TEST_F(SyncCoreTest, ALogThatGivesAnIdTwiceIsReadAgainFromThenOn) {
  Open();
  const auto twin_of_newest = [this](const TestTable& table, const std::string& value) {
    auto twin = testing::FakeMetastore::MakeRow("ALTER_TABLE", table.object(), "");
    twin.id = metastore_.current_id();
    twin.message = testing::AlterTableMessage(table, table.With("k", value));
    return twin;
  };
  Alter(kOther, kOther.With("k", "1"));
  const auto lost = twin_of_newest(kTable, "lost");
  Alter(kOther.With("k", "1"), kOther.With("k", "2"));
  Poll();
  metastore_.Insert(twin_of_newest(kTable, "found"));
  // The first one came too late to be seen, and nothing could tell.
  metastore_.Insert(lost);
  metastore_.PutTable(kTable.object(), TableBytes(kTable.With("k", "lost")));
  Poll();
  ExpectHealed(kTable.With("k", "lost"));
  EXPECT_THAT(Condition(), HasSubstr("log: unordered"));

  // From then on none is lost.
  Alter(kOther.With("k", "2"), kOther.With("k", "3"));
  const auto late = twin_of_newest(kTable, "late");
  Alter(kOther.With("k", "3"), kOther.With("k", "4"));
  Poll();
  metastore_.PutTable(kTable.object(), TableBytes(kTable.With("k", "late")));
  metastore_.Insert(late);
  Poll();
  Load(kTable.object());
  EXPECT_EQ(core_->Look(kTable.object()).view.snapshot->object,
            TableBytes(kTable.With("k", "late")));
  Rounds();
  EXPECT_EQ(core_->counters().log_conditions.load(), 1U);
}

// What was given twice before the start was listed by it: nothing is to be read again.
TEST_F(SyncCoreTest, AnIdGivenTwiceBeforeTheStartOnlyMakesTheWindow) {
  Alter(kOther, kOther.With("k", "1"));
  auto twin = testing::FakeMetastore::MakeRow("ALTER_TABLE", kTable.object(), "");
  twin.id = metastore_.current_id();
  twin.message = testing::AlterTableMessage(kTable, kTable);
  metastore_.Insert(twin);
  Open();
  clock_.Advance(std::chrono::seconds(10));
  Rounds();
  EXPECT_EQ(core_->counters().log_conditions.load(), 0U);
  // From the start none is lost.
  Alter(kOther.With("k", "1"), kOther.With("k", "2"));
  twin.id = metastore_.current_id();
  twin.message = testing::AlterTableMessage(kTable, kTable.With("k", "late"));
  Alter(kOther.With("k", "2"), kOther.With("k", "3"));
  Poll();
  metastore_.PutTable(kTable.object(), TableBytes(kTable.With("k", "late")));
  metastore_.Insert(twin);
  Poll();
  Load(kTable.object());
  EXPECT_EQ(core_->Look(kTable.object()).view.snapshot->object,
            TableBytes(kTable.With("k", "late")));
}

// A restarted server may judge reads from now on, or write no log any more.
TEST_F(SyncCoreTest, SettingsThatChangeAreNoticed) {
  Open();
  EXPECT_FALSE(core_->preflight()->reads_per_user);
  metastore_.SetConfig("hive.metastore.pre.event.listeners", "org.example.Authorizer");
  clock_.Advance(std::chrono::seconds(60));
  Rounds();
  EXPECT_TRUE(core_->preflight()->reads_per_user);
  EXPECT_TRUE(core_->status().ready);
  metastore_.SetConfig("hive.metastore.transactional.event.listeners", "");
  clock_.Advance(std::chrono::seconds(60));
  Rounds();
  EXPECT_FALSE(core_->status().ready);
  EXPECT_THAT(core_->status().reason, HasSubstr("no notification log"));
}

TEST_F(SyncCoreTest, ServersThatWereAwayAreLookedAtWhenTheyAreBack) {
  Open();
  Poll();
  clock_.Advance(std::chrono::seconds(10));
  Rounds(1);
  metastore_.SetConfig("hive.metastore.pre.event.listeners", "org.example.Authorizer");
  Poll();
  Rounds(2);
  EXPECT_TRUE(core_->preflight()->reads_per_user);
}

// Where the second event of an id always shows after later ones were fetched, no fetch tells.
TEST_F(SyncCoreTest, AnIdGivenTwiceIsFoundThoughNoFetchShowsIt) {
  Open();
  Alter(kOther, kOther.With("k", "1"));
  auto lost = testing::FakeMetastore::MakeRow("ALTER_TABLE", kTable.object(), "");
  lost.id = metastore_.current_id();
  lost.message = testing::AlterTableMessage(kTable, kTable.With("k", "lost"));
  Alter(kOther.With("k", "1"), kOther.With("k", "2"));
  Poll();
  metastore_.Insert(lost);
  metastore_.PutTable(kTable.object(), TableBytes(kTable.With("k", "lost")));
  Alter(kOther.With("k", "2"), kOther.With("k", "3"));
  Poll();
  clock_.Advance(std::chrono::seconds(10));
  Rounds();
  ExpectHealed(kTable.With("k", "lost"));
  EXPECT_THAT(Condition(), HasSubstr("log: unordered"));
  EXPECT_EQ(core_->counters().log_conditions.load(), 1U);
}

// --- Answers that are kept as they came -------------------------------------------------------

// Also while the lane of the name waits for somebody's lock: fetched is enough.
TEST_F(SyncCoreTest, AFetchedEventEndsAnAnswerBeforeItIsApplied) {
  Open();
  ASSERT_TRUE(PutAnswer());
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  const auto held = core_->locks().Acquire(std::move(request), [](Result<cache::NameGuard>) {});
  ASSERT_TRUE(held);
  const EventId event = metastore_.Append("ADD_PRIMARYKEY", kTable.object(), "{}");
  EXPECT_TRUE(HasAnswer());
  Poll();
  EXPECT_EQ(core_->log().fetched_to(), event);
  EXPECT_LT(core_->watermark().value(), event);
  EXPECT_FALSE(HasAnswer());
}

TEST_F(SyncCoreTest, AnAnswerNeedsALookAtTheLogThatBeganAfterIt) {
  Open();
  auto reading = core_->side_answers().Begin({SideKind::kConstraints, {kTable.object()}, "keys"});
  ASSERT_TRUE(reading);
  // Between the metastore's answer and the look somebody adds a key.
  core_->side_answers().Keep(std::move(*reading), "answer");
  metastore_.Append("ADD_PRIMARYKEY", kTable.object(), "{}");
  clock_.Advance(std::chrono::milliseconds(1));
  EXPECT_FALSE(HasAnswer());
  Poll();
  EXPECT_FALSE(HasAnswer());
}

TEST_F(SyncCoreTest, AnotherLogAndAResetEndAllAnswers) {
  Open();
  ASSERT_TRUE(PutAnswer());
  core_->RequestResync("reset by hand");
  EXPECT_FALSE(HasAnswer());
  // A read that began while nothing was told of events.
  auto reading = core_->side_answers().Begin({SideKind::kConstraints, {kTable.object()}, "keys"});
  ASSERT_TRUE(reading);
  Rounds();
  ASSERT_TRUE(core_->status().ready);
  core_->side_answers().Keep(std::move(*reading), "answer");
  clock_.Advance(std::chrono::milliseconds(1));
  Poll();
  EXPECT_FALSE(HasAnswer());
  ASSERT_TRUE(PutAnswer());
  metastore_.SetFacts([] {
    hms::ServerFacts facts;
    facts.generation = hms::Generation::kHive3;
    facts.uuid = "uuid-2";
    return facts;
  }());
  clock_.Advance(std::chrono::minutes(2));
  Rounds();
  EXPECT_FALSE(HasAnswer());
}

// The reconcile pass found that the log did not tell something of the table.
TEST_F(SyncCoreTest, ADifferenceEndsTheAnswersOfItsTable) {
  Open();
  Load(kTable.object());
  ASSERT_TRUE(PutAnswer());
  metastore_.PutTable(kTable.object(), TableBytes(kTable.With("silent", "change")));
  core_->loader().Compare(kTable.object(), true, "test", [](const auto&) {});
  executor_.RunAll();
  EXPECT_EQ(core_->counters().repairs.load(), 1U);
  EXPECT_FALSE(HasAnswer());
}

TEST_F(SyncCoreTest, FunctionsAreKeptNoLongerThanDatabasesGoUnread) {
  SyncOptions options;
  options.reconcile.database_period = {};
  Open(options);
  EXPECT_FALSE(core_->side_answers().Begin({SideKind::kFunctions, {kDb}, "functions", true}));
}

TEST_F(SyncCoreTest, NamesThatAreNotFollowedAreNotServed) {
  SyncOptions options;
  options.sync_disabled = {"sales.oth*"};
  Open(options);
  EXPECT_TRUE(core_->Serves(kTable.object()));
  EXPECT_TRUE(core_->Serves(kDb));
  EXPECT_FALSE(core_->Serves(kOther.object()));
  Alter(kTable, kTable.With("impala.disableHmsSync", "true"));
  Poll();
  EXPECT_FALSE(core_->Serves(kTable.object()));
}

// Everything that ACID writers do to the log, none of which changes the table.
// What could go wrong: readers see a change through the metastore, and the cache, switched on
// again, takes it back.
TEST_F(SyncCoreTest, WhatWasSeenWhilePassingThroughIsNotTakenBack) {
  Open();
  const ObjectName table = kTable.object();
  for (const std::optional<ObjectName>& scope :
       {std::optional(table), std::optional(kDb), std::optional<ObjectName>()}) {
    core_->SetReadMode(scope, ReadMode::kPassthrough);
    EXPECT_FALSE(core_->Serves(table));
    const EventId before = core_->FloorOf(table);
    const EventId seen = metastore_.Append("CREATE_TABLE", kOther.object(),
                                           testing::CreateTableMessage(kOther));  // Not polled.
    EXPECT_LT(before, seen);
    core_->SetReadMode(scope, std::nullopt);
    EXPECT_TRUE(core_->Serves(table));
    EXPECT_EQ(core_->FloorOf(table), Floors::kNever);
    core_->SuperviseOnce();
    EXPECT_EQ(core_->FloorOf(table), seen);
    Rounds();
    EXPECT_EQ(core_->floors().size(), 0U);
  }
}

TEST_F(SyncCoreTest, AnIdFromBeforeTheSwitchDoesNotCount) {
  Open();
  const ObjectName table = kTable.object();
  core_->SetReadMode(table, ReadMode::kPassthrough);
  core_->floors().MarkUnresolved({kOther.object()});
  bool once = true;
  metastore_.OnCall([&](std::string_view call) {
    if (call != "CurrentEventId" || !once) return;
    once = false;
    core_->SetReadMode(table, ReadMode::kCached);
  });
  core_->SuperviseOnce();
  EXPECT_FALSE(once);
  EXPECT_NE(core_->FloorOf(kOther.object()), Floors::kNever);
  EXPECT_EQ(core_->FloorOf(table), Floors::kNever);
}

TEST_F(SyncCoreTest, AModeThatChangesNothingRaisesNoFloor) {
  Open();
  core_->SetReadMode(kTable.object(), ReadMode::kCached);
  core_->SetReadMode(kTable.object(), std::nullopt);
  core_->SetReadMode(std::nullopt, ReadMode::kCached);
  EXPECT_EQ(core_->floors().size(), 0U);
}

TEST_F(SyncCoreTest, TransactionsAreFollowedAndMakeNothingStale) {
  Open();
  Load(kTable.object());
  const CatalogVersion version = core_->Look(kTable.object()).view.version;
  const auto append = [this](const char* type, const ObjectName& name, const char* message) {
    return metastore_.Append(type, name, message);
  };
  append("OPEN_TXN", ObjectName(), R"({"txnIds":[7],"fromTxnId":0,"toTxnId":0})");
  append("ALLOC_WRITE_ID_EVENT", kTable.object(),
         R"({"dbName":"sales","tableName":"orders","txnIdList":[7],"writeIdList":[1]})");
  append("ACID_WRITE_EVENT", kOther.object(), R"({"txnid":7,"writeId":1})");
  append("COMMIT_TXN", ObjectName(), R"({"txnid":7,"writeIds":null,"tables":null})");
  append("OPEN_TXN", ObjectName(), R"({"txnIds":null,"fromTxnId":8,"toTxnId":9})");
  const EventId last = append("ABORT_TXN", ObjectName(), R"({"txnid":8,"dbsUpdated":["sales"]})");
  Poll();
  EXPECT_EQ(core_->watermark().value(), last);
  const ReadPosition position = core_->Look(kTable.object());
  EXPECT_EQ(position.view.state, SlotState::kPresent);
  EXPECT_EQ(position.view.snapshot->object, TableBytes(kTable));
  EXPECT_EQ(position.effective, last) << "and it is known to be current";
  EXPECT_EQ(core_->counters().object_reads.load(), 1U);
  EXPECT_GE(position.view.version, version);
}

}  // namespace
}  // namespace catalogd::sync
