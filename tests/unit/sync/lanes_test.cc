// While one name waits, all others go on; what waits is merged without changing the outcome; and
// nothing grows without bound. One thread: tasks run when the test says so.
#include "catalog/base/random.h"
#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using cache::SlotView;
using testing::SyncRig;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const TestTable kOther = kTable.Named("other");
const ObjectName kDb = ObjectName::Database("hive", "sales");

// A rig that follows and has both tables loaded.
class LanesTest : public ::testing::Test {
 protected:
  void Open(const EventApplier::Options& lanes = {},
            const events::NotificationLog::Options& log = {}) {
    rig_ = std::make_unique<SyncRig>(log, lanes);
    rig_->context.fold.generation = hms::Generation::kHive3;
    rig_->Start({kDb});
    rig_->Create(kTable);
    rig_->Create(kOther);
    rig_->Poll();
    commits_ = rig_->cache.stats().commits;
  }
  // Alters of the table, each in a batch of its own.
  EventId AlterTimes(int times) {
    EventId last;
    for (int i = 0; i < times; ++i) {
      last = rig_->Alter(now_, now_.With("k", std::to_string(i)));
      now_ = now_.With("k", std::to_string(i));
      rig_->Poll();
    }
    return last;
  }
  uint64_t Commits() { return rig_->cache.stats().commits - commits_; }

  std::unique_ptr<SyncRig> rig_;
  TestTable now_ = kTable;
  uint64_t commits_ = 0;
};

TEST_F(LanesTest, WhatStandsBehindSomebodysLockIsToldToReaders) {
  Open();
  const ObjectName table = kTable.object();
  const auto second = std::chrono::seconds(1);
  cache::NameGuard held = rig_->Hold(table);
  const EventId before = rig_->metastore.current_id();
  const EventId first = AlterTimes(1);
  const EventId last = AlterTimes(2);
  EXPECT_TRUE(rig_->applier.IsHeldUp({table}, last, Duration::zero()));
  EXPECT_TRUE(rig_->applier.IsHeldUp({table}, first, Duration::zero()));
  EXPECT_TRUE(rig_->applier.IsHeldUp({}, last, Duration::zero())) << "the watermark stands too";
  EXPECT_FALSE(rig_->applier.IsHeldUp({table}, before, Duration::zero()));
  EXPECT_FALSE(rig_->applier.IsHeldUp({kOther.object()}, last, Duration::zero()));
  EXPECT_FALSE(rig_->applier.IsHeldUp({table}, last, second));
  rig_->clock.Advance(second);
  EXPECT_TRUE(rig_->applier.IsHeldUp({table}, last, second));
  held.Release();
  EXPECT_TRUE(rig_->applier.IsHeldUp({table}, last, Duration::zero())) << "not applied yet";
  rig_->executor.RunAll();
  EXPECT_FALSE(rig_->applier.IsHeldUp({}, last, Duration::zero()));
}

TEST_F(LanesTest, ARenameBehindSomebodysLockHoldsUpBothNames) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  const TestTable renamed = kTable.Named("renamed");
  const EventId last = rig_->Alter(kTable, renamed);
  rig_->Poll();
  EXPECT_TRUE(rig_->applier.IsHeldUp({kTable.object()}, last, Duration::zero()));
  EXPECT_TRUE(rig_->applier.IsHeldUp({renamed.object()}, last, Duration::zero()));
}

TEST_F(LanesTest, WhatArrivesWhileALaneWaitsBecomesOneCommit) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  const EventId last = AlterTimes(5);
  EXPECT_EQ(rig_->locks.waiting(), 1U) << "later batches join what waits already";
  EXPECT_EQ(rig_->executor.pending(), 0U) << "nothing waits on a thread";
  EXPECT_EQ(Commits(), 0U);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(Commits(), 1U);
  EXPECT_EQ(rig_->Look(kTable.object()).snapshot->object, TableBytes(now_));
  EXPECT_EQ(rig_->Look(kTable.object()).synced, last);
  EXPECT_EQ(rig_->watermark.value(), last);
  EXPECT_EQ(rig_->applier.stats().events, 0U);
  EXPECT_EQ(rig_->applier.stats().lanes, 0U);
}

TEST_F(LanesTest, PartitionChangesOfManyEventsAreOneCommit) {
  Open();
  TestTable table = kTable.Named("parted");
  table.keys = {"day"};
  rig_->Create(table);
  rig_->Poll();
  const uint64_t before = rig_->cache.stats().commits;
  cache::NameGuard held = rig_->Hold(table.object());
  for (const char* day : {"1", "2", "3"}) {
    rig_->metastore.Append("ADD_PARTITION", table.object(),
                           testing::AddPartitionMessage(table, {{day}}));
    rig_->Poll();
  }
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->cache.stats().commits, before + 1);
  EXPECT_EQ(rig_->Look(table.object()).snapshot->partitions->Names(-1),
            (std::vector<std::string>{"day=1", "day=2", "day=3"}));
}

TEST_F(LanesTest, WhatComesBeforeADropIsPassedOver) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  AlterTimes(3);
  const EventId dropped = rig_->Drop(now_);
  rig_->Poll();
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig_->Look(kTable.object()).synced, dropped);
  EXPECT_EQ(rig_->counters.events_merged.load(), 3U);
  EXPECT_EQ(Commits(), 1U);
}

TEST_F(LanesTest, AfterTheDropEventsAreAppliedAsEver) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  rig_->Drop(kTable);
  const EventId created = rig_->Create(kTable.With("second", "life"));
  rig_->Poll();
  held.Release();
  rig_->executor.RunAll();
  const SlotView slot = rig_->Look(kTable.object());
  ASSERT_EQ(slot.state, SlotState::kPresent);
  EXPECT_EQ(slot.snapshot->object, TableBytes(kTable.With("second", "life")));
  EXPECT_EQ(slot.incarnation, created);
  EXPECT_EQ(rig_->counters.contradictions.load(), 0U);
}

TEST_F(LanesTest, ARenameWaitsAndHoldsUpItsTwoNamesOnly) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  const TestTable renamed = kTable.Named("renamed");
  rig_->Alter(kTable, renamed);
  rig_->Alter(renamed, renamed.With("later", "1"));
  const EventId other = rig_->Alter(kOther, kOther.With("x", "y"));
  rig_->Poll();
  EXPECT_EQ(rig_->Look(kOther.object()).synced, other);
  EXPECT_EQ(rig_->Look(renamed.object()).state, SlotState::kAbsent);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kTable.object()).state, SlotState::kAbsent);
  ASSERT_EQ(rig_->Look(renamed.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig_->Look(renamed.object()).snapshot->object, TableBytes(renamed.With("later", "1")));
  EXPECT_EQ(rig_->watermark.value(), other);
}

TEST_F(LanesTest, EventsBehindARenameDoNotJoinThoseBeforeIt) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  AlterTimes(1);
  const TestTable renamed = now_.Named("renamed");
  rig_->Alter(now_, renamed);
  rig_->Poll();
  const EventId created = rig_->Create(kTable.With("another", "one"));
  rig_->Poll();
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(renamed.object()).snapshot->object, TableBytes(renamed));
  EXPECT_EQ(rig_->Look(kTable.object()).snapshot->object,
            TableBytes(kTable.With("another", "one")));
  EXPECT_EQ(rig_->Look(kTable.object()).incarnation, created);
  EXPECT_EQ(rig_->counters.contradictions.load(), 0U);
}

TEST_F(LanesTest, ADatabaseDropHoldsUpItsOwnTablesOnly) {
  Open();
  TestTable elsewhere = kTable;
  elsewhere.db = "hr";
  rig_->metastore.Append("CREATE_DATABASE", elsewhere.object().DatabaseName(), R"({"db":"hr"})");
  rig_->Poll();
  cache::NameGuard held = rig_->Hold(kTable.object());
  AlterTimes(1);
  rig_->metastore.Append("DROP_DATABASE", kDb, R"({"db":"sales"})");
  rig_->Poll();
  rig_->metastore.Append("CREATE_DATABASE", kDb, R"({"db":"sales"})");
  const EventId created = rig_->Create(kTable.With("new", "one"));
  const EventId last = rig_->Create(elsewhere);
  rig_->Poll();
  EXPECT_EQ(rig_->Look(elsewhere.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig_->Look(kOther.object()).state, SlotState::kPresent);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kOther.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig_->Look(kDb).state, SlotState::kStub);
  EXPECT_EQ(rig_->Look(kTable.object()).snapshot->object, TableBytes(kTable.With("new", "one")));
  EXPECT_EQ(rig_->Look(kTable.object()).incarnation, created);
  EXPECT_EQ(rig_->watermark.value(), last);
  EXPECT_EQ(rig_->counters.contradictions.load(), 0U);
}

TEST_F(LanesTest, AChangeOfADatabaseDoesNotWaitForItsTablesNorHoldThemUp) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  const EventId altered = rig_->metastore.Append("ALTER_DATABASE", kDb, R"({"db":"sales"})");
  const EventId other = rig_->Alter(kOther, kOther.With("x", "y"));
  rig_->Poll();
  EXPECT_EQ(rig_->Look(kDb).synced, altered);
  EXPECT_EQ(rig_->Look(kOther.object()).synced, other);
  EXPECT_EQ(rig_->watermark.value(), other);
}

TEST_F(LanesTest, WhileATableIsBeingReadItsLaneAndAllOthersGoOn) {
  Open();
  rig_->metastore.Append("RELOAD", kTable.object(), R"({"db":"sales","table":"orders"})");
  rig_->Poll();
  ASSERT_EQ(rig_->Look(kTable.object()).state, SlotState::kStub);
  int reads = 0;
  rig_->metastore.OnCall([&](std::string_view call) {
    if (call != "ReadTable" || ++reads > 1) return;
    const EventId mine = rig_->Alter(kTable, kTable.With("k", "v"));
    const EventId last = rig_->Alter(kOther, kOther.With("x", "y"));
    rig_->Poll();  // The read is under way.
    EXPECT_EQ(rig_->Look(kTable.object()).synced, mine);
    EXPECT_EQ(rig_->watermark.value(), last);
  });
  rig_->loader.Load(kTable.object(), nullptr);
  rig_->executor.RunAll();
  ASSERT_EQ(rig_->Look(kTable.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig_->Look(kTable.object()).snapshot->object, TableBytes(kTable.With("k", "v")));
}

TEST_F(LanesTest, ALaneBeyondItsShareCollapsesToAStubAtItsLastEvent) {
  EventApplier::Options lanes;
  lanes.lane_events = 3;
  Open(lanes);
  cache::NameGuard held = rig_->Hold(kTable.object());
  const EventId last = AlterTimes(6);
  EXPECT_EQ(rig_->applier.stats().events, 0U);
  EXPECT_EQ(rig_->applier.stats().bytes, 0U);
  EXPECT_EQ(rig_->applier.stats().collapsed, 1U);
  EXPECT_EQ(rig_->counters.lanes_collapsed.load(), 1U);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig_->Look(kTable.object()).synced, last);
  EXPECT_EQ(rig_->watermark.value(), last);
  EXPECT_EQ(rig_->applier.stats().collapsed, 0U);
  EXPECT_EQ(rig_->journal.Recent(1)[0].type, "lane: collapsed");
  EXPECT_EQ(rig_->journal.Recent(1)[0].event, last);
}

TEST_F(LanesTest, ALaneWhoseOwnEventsAreBeingAppliedDoesNotCollapse) {
  EventApplier::Options lanes;
  lanes.lane_events = 3;
  Open(lanes);
  for (int i = 0; i < 6; ++i) {
    rig_->Alter(now_, now_.With("k", std::to_string(i)));
    now_ = now_.With("k", std::to_string(i));
    ASSERT_TRUE(rig_->processor.RunOnce());  // Fetched; the executor has not run.
  }
  EXPECT_EQ(rig_->counters.lanes_collapsed.load(), 0U);
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kTable.object()).snapshot->object, TableBytes(now_));
}

TEST_F(LanesTest, WithoutRoomTheStuckCollapseAndTheOthersGoOn) {
  EventApplier::Options lanes;
  lanes.events = 4;
  Open(lanes);
  cache::NameGuard held = rig_->Hold(kTable.object());
  const EventId last = AlterTimes(4);
  EXPECT_TRUE(rig_->applier.HasRoom());
  EXPECT_EQ(rig_->applier.stats().collapsed, 1U);
  const EventId other = rig_->Alter(kOther, kOther.With("x", "y"));
  rig_->Poll();
  EXPECT_EQ(rig_->Look(kOther.object()).synced, other);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kTable.object()).synced, last);
  EXPECT_EQ(rig_->watermark.value(), other);
}

TEST_F(LanesTest, WhatWaitsBeforeABarrierCollapsesToo) {
  EventApplier::Options lanes;
  lanes.events = 4;
  Open(lanes);
  cache::NameGuard held = rig_->Hold(kTable.object());
  AlterTimes(2);
  const TestTable renamed = now_.Named("renamed");
  rig_->Alter(now_, renamed);
  rig_->Poll();
  const EventId last = rig_->Alter(kOther, kOther.With("x", "y"));
  ASSERT_TRUE(rig_->processor.RunOnce());
  EXPECT_EQ(rig_->applier.stats().collapsed, 1U);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig_->Look(renamed.object()).state, SlotState::kStub) << "of a stub, a stub";
  EXPECT_EQ(rig_->watermark.value(), last);
}

TEST_F(LanesTest, ThePollerPausesWhileTheAppliersAreBehind) {
  EventApplier::Options lanes;
  lanes.events = 4;
  events::NotificationLog::Options log;
  log.batch = 2;
  Open(lanes, log);
  int kicks = 0;
  rig_->applier.SetRoomHandler([&kicks] { ++kicks; });
  EventId last;
  for (int i = 0; i < 20; ++i) last = rig_->Alter(now_, now_.With("k", "v"));
  ASSERT_TRUE(rig_->processor.RunOnce());
  EXPECT_LE(rig_->applier.stats().events, 8U);
  EXPECT_LT(rig_->log.fetched_to(), last);
  EXPECT_EQ(kicks, 0);
  rig_->executor.RunAll();
  EXPECT_EQ(kicks, 1);
  for (int i = 0; i < 10; ++i) rig_->Poll();
  EXPECT_EQ(rig_->watermark.value(), last);
}

TEST_F(LanesTest, AWriteLongerThanTheTailKnowsLess) {
  events::NotificationLog::Options log;
  log.batch = 2;
  log.max_events = 4;
  Open({}, log);
  cache::NameGuard held = rig_->Hold(kTable.object());
  rig_->Alter(kTable, kTable.With("k", "v"));
  EventId last;
  for (int i = 0; i < 20; ++i) last = rig_->Alter(kOther, kOther.With("x", std::to_string(i)));
  rig_->Poll();
  EXPECT_EQ(rig_->Look(kOther.object()).synced, last) << "the others go on";
  EXPECT_LE(rig_->log.stats().events, 7U);
  const auto caught_up =
      CatchUp(&rig_->context, held, {kTable.object()}, last, TimePoint::max(), rig_->cache.epoch());
  ASSERT_TRUE(caught_up);
  EXPECT_EQ(rig_->Look(kTable.object()).state, SlotState::kUnknown);
  EXPECT_EQ(rig_->Look(kTable.object()).synced, last);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->watermark.value(), last);
}

TEST_F(LanesTest, TasksOfTheLogBeforeAResyncAreNotJoined) {
  Open();
  cache::NameGuard held = rig_->Hold(kTable.object());
  AlterTimes(1);
  rig_->Start({kDb, kTable.object()});  // The same epoch, as an operator's reset.
  const EventId last = AlterTimes(1);
  EXPECT_LT(rig_->watermark.value(), last);
  held.Release();
  rig_->executor.RunAll();
  EXPECT_EQ(rig_->watermark.value(), last);
  EXPECT_EQ(rig_->Look(kTable.object()).synced, last);
}

// Random lives of one name, applied one by one on one side and all at once on the other.
class RandomLife {
 public:
  explicit RandomLife(uint64_t seed) : random_(seed) { table_.keys = {"day"}; }
  void Step(SyncRig* rig) {
    const ObjectName name = table_.object();
    switch (random_.Below(7)) {
      case 0:
        rig->Create(table_);
        break;
      case 1:
        rig->Drop(table_);
        break;
      case 2:
        rig->metastore.Append("ADD_PARTITION", name,
                              testing::AddPartitionMessage(table_, {{Day()}}));
        break;
      case 3:
        rig->metastore.Append("INSERT", name, R"({"db":"sales","table":"orders"})");
        break;
      case 4:
        rig->metastore.Append("RELOAD", name, R"({"db":"sales","table":"orders"})");
        break;
      case 5:
        rig->metastore.Append(
            "DROP_PARTITION", name,
            R"({"db":"sales","table":"orders","partitions":[{"day":")" + Day() + "\"}]}");
        break;
      default:
        rig->Alter(table_, table_.With("k", Day()));
        table_ = table_.With("k", Day());
    }
  }

 private:
  std::string Day() { return std::to_string(random_.Below(3)); }
  Random random_;
  TestTable table_ = kTable;
};

TEST(LanesModel, MergingChangesNoOutcomeAndCollapsingNeverKnowsMore) {
  const ObjectName name = kTable.object();
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    EventApplier::Options tiny;
    tiny.lane_events = 2;
    SyncRig one_by_one;
    SyncRig merged;
    SyncRig collapsed({}, tiny);
    SyncRig* const rigs[] = {&one_by_one, &merged, &collapsed};
    const int steps = 3 + static_cast<int>(seed % 9);
    for (SyncRig* rig : rigs) {
      RandomLife life(seed);
      rig->Start({kDb});
      for (int i = 0; i < 2; ++i) life.Step(rig);
      rig->Poll();
      cache::NameGuard held;
      if (rig != &one_by_one) held = rig->Hold(name);
      for (int i = 0; i < steps; ++i) {
        life.Step(rig);
        rig->Poll();
      }
      held.Release();
      rig->executor.RunAll();
    }
    const SlotView expected = one_by_one.Look(name);
    const SlotView slot = merged.Look(name);
    ASSERT_EQ(slot.state, expected.state) << "seed " << seed;
    ASSERT_EQ(slot.synced, expected.synced) << "seed " << seed;
    if (slot.state != SlotState::kAbsent) {
      ASSERT_EQ(slot.incarnation, expected.incarnation) << "seed " << seed;
    }
    if (slot.snapshot != nullptr) {
      ASSERT_EQ(slot.snapshot->object, expected.snapshot->object) << "seed " << seed;
      ASSERT_EQ(slot.snapshot->partitions->Names(-1), expected.snapshot->partitions->Names(-1));
    }
    const SlotView less = collapsed.Look(name);
    ASSERT_EQ(less.synced, expected.synced) << "seed " << seed;
    ASSERT_EQ(collapsed.watermark.value(), one_by_one.watermark.value()) << "seed " << seed;
    ASSERT_EQ(less.snapshot, nullptr) << "seed " << seed;
    const bool exists = expected.state == SlotState::kPresent || expected.state == SlotState::kStub;
    ASSERT_TRUE(less.state != SlotState::kStub || exists) << "seed " << seed;
    ASSERT_TRUE(less.state != SlotState::kAbsent || expected.state == SlotState::kAbsent)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace catalogd::sync
