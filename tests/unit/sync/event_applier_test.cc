// The fold must show every state in order, skip what it has seen, and treat cross-name events as
// one step: these tests drive poll, lanes, locks, fold and watermark together on one thread.
#include "catalog/sync/event_applier.h"

#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using testing::SyncRig;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const ObjectName kDb = ObjectName::Database("hive", "sales");

TEST(EventApplier, FollowsATableThroughItsLife) {
  SyncRig rig;
  rig.Start({kDb});
  const EventId created = rig.Create(kTable);
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig.Look(kTable.object()).snapshot->object, TableBytes(kTable));
  EXPECT_EQ(rig.Look(kTable.object()).incarnation, created);

  const TestTable altered = kTable.With("k", "v");
  const EventId changed = rig.Alter(kTable, altered);
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).snapshot->object, TableBytes(altered));
  EXPECT_EQ(rig.Look(kTable.object()).synced, changed);
  EXPECT_EQ(rig.Look(kTable.object()).incarnation, created);

  const EventId dropped = rig.Drop(altered);
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig.watermark.value(), dropped);
  EXPECT_EQ(rig.metastore.Calls("ReadTable"), 0);
}

TEST(EventApplier, SkippedEventsPublishNothing) {
  SyncRig rig;
  rig.Start({kDb});
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  const EventId id = rig.Create(kTable);
  ASSERT_TRUE(
      CatchUp(&rig.context, *guard, {kTable.object()}, id, TimePoint::max(), rig.cache.epoch()));
  const CatalogVersion version = rig.Look(kTable.object()).version;
  const uint64_t commits = rig.cache.stats().commits;
  guard->Release();
  rig.executor.RunAll();  // The lane gets the event that the catch-up has applied.
  EXPECT_EQ(rig.watermark.value(), id);
  EXPECT_EQ(rig.Look(kTable.object()).version, version);
  EXPECT_EQ(rig.cache.stats().commits, commits);
}

TEST(EventApplier, ARenameIsOneCommit) {
  SyncRig rig;
  rig.context.fold.generation = hms::Generation::kHive3;
  rig.Start({kDb});
  rig.Create(kTable);
  rig.Poll();
  const TestTable renamed = kTable.Named("orders2");
  rig.Alter(kTable, renamed);
  rig.Poll();
  const cache::SlotView from = rig.Look(kTable.object());
  const cache::SlotView to = rig.Look(renamed.object());
  EXPECT_EQ(from.state, SlotState::kAbsent);
  EXPECT_EQ(to.state, SlotState::kPresent);
  EXPECT_EQ(to.snapshot->object, TableBytes(renamed));
  EXPECT_EQ(from.version, to.version);
  EXPECT_EQ(rig.cache.Tables(kDb).names, std::vector<std::string>{"orders2"});
}

TEST(EventApplier, ADatabaseDropTakesAllItsTablesInOneCommit) {
  SyncRig rig;
  rig.Start({kDb});
  rig.Create(kTable);
  rig.Create(kTable.Named("b"));
  rig.Poll();
  rig.metastore.Append("DROP_DATABASE", kDb, R"({"db":"sales","timestamp":1})");
  rig.Poll();
  EXPECT_EQ(rig.Look(kDb).state, SlotState::kAbsent);
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig.Look(kTable.object()).version, rig.Look(kDb).version);
  EXPECT_TRUE(rig.cache.Tables(kDb).names.empty());
}

TEST(EventApplier, AnEventOfALockedNameWaitsAndTheWatermarkWithIt) {
  SyncRig rig;
  rig.Start({kDb});
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  request.owner = "test";
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  ASSERT_TRUE(guard);
  const EventId before = rig.watermark.value();
  rig.Create(kTable);
  const TestTable other = kTable.Named("other");
  const EventId last = rig.Create(other);
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig.Look(other.object()).state, SlotState::kPresent) << "other names go on";
  EXPECT_EQ(rig.watermark.value(), before);
  guard->Release();
  rig.executor.RunAll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig.watermark.value(), last);
}

TEST(EventApplier, APoisonMessageCostsItsNameOnly) {
  SyncRig rig;
  rig.Start({kDb});
  rig.Create(kTable);
  rig.Poll();
  rig.metastore.Append("ALTER_TABLE", kTable.object(), "{\"db\":\"sales\",");
  const TestTable other = kTable.Named("other");
  const EventId last = rig.Create(other);
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kUnknown);
  EXPECT_EQ(rig.Look(other.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig.watermark.value(), last);
  EXPECT_EQ(rig.counters.malformed_events.load(), 1U);
}

TEST(EventApplier, ContradictionsAreCountedAndPutInDoubt) {
  SyncRig rig;
  rig.Start({kDb});
  rig.metastore.Append("DROP_TABLE", kTable.object(), testing::DropTableMessage(kTable));
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kUnknown);
  EXPECT_EQ(rig.counters.contradictions.load(), 1U);
  EXPECT_FALSE(rig.cache.Tables(kDb).exact);
}

TEST(EventApplier, AddedPartitionsArePatchedIn) {
  SyncRig rig;
  rig.Start({kDb});
  TestTable table = kTable;
  table.keys = {"day"};
  rig.Create(table);
  rig.metastore.Append("ADD_PARTITION", table.object(),
                       testing::AddPartitionMessage(table, {{"2"}, {"1"}}));
  rig.Poll();
  const auto partitions = rig.Look(table.object()).snapshot->partitions;
  ASSERT_NE(partitions, nullptr);
  EXPECT_EQ(partitions->Names(-1), (std::vector<std::string>{"day=1", "day=2"}));
  std::string bytes;
  ASSERT_TRUE(partitions->AppendPartition("day=2", &bytes));
  EXPECT_EQ(bytes, testing::PartitionBytes(table, {"2"}));
  rig.metastore.Append("DROP_PARTITION", table.object(),
                       R"({"db":"sales","table":"orders","partitions":[{"day":"1"}]})");
  rig.Poll();
  EXPECT_EQ(rig.Look(table.object()).snapshot->partitions->Names(-1),
            std::vector<std::string>{"day=2"});
}

TEST(EventApplier, TasksOfAnOldEpochChangeNothing) {
  SyncRig rig;
  rig.Start({kDb});
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  rig.Create(kTable);
  rig.Poll();  // The task waits for the lock.
  rig.cache.ForgetAll(LogEpoch(2), EventId());
  guard->Release();
  rig.executor.RunAll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kUnknown);
  EXPECT_EQ(rig.Look(kTable.object()).synced, EventId());
}

TEST(SyncWaiter, WaitsForTheNameAndForTheWatermark) {
  SyncRig rig;
  rig.Start({kDb});
  std::vector<std::string> done;
  const EventId target = EventId(rig.watermark.value().value() + 1);
  rig.waiter.Wait({}, target, TimePoint::max(),
                  [&](Status s) { done.push_back(s ? "all" : s.error().ToString()); });
  rig.waiter.Wait({kTable.object()}, target, TimePoint::max(),
                  [&](Status s) { done.push_back(s ? "name" : s.error().ToString()); });
  rig.executor.RunAll();
  EXPECT_TRUE(done.empty());
  rig.Create(kTable);
  rig.Poll();
  EXPECT_THAT(done, ::testing::UnorderedElementsAre("all", "name"));
  EXPECT_EQ(rig.waiter.waiting(), 0U);
}

TEST(SyncWaiter, TimesOutNamingWhoIsBehindAndEndsOnCancel) {
  SyncRig rig;
  rig.Start({kDb});
  std::vector<Status> done;
  rig.waiter.Wait({kTable.object()}, EventId(77), rig.clock.Now() + std::chrono::seconds(1),
                  [&](Status s) { done.push_back(std::move(s)); });
  rig.waiter.Wait({}, EventId(77), TimePoint::max(),
                  [&](Status s) { done.push_back(std::move(s)); });
  rig.clock.Advance(std::chrono::seconds(2));
  rig.timer.RunDue();
  rig.executor.RunAll();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(done[0].error().message, ::testing::HasSubstr("sales.orders at 0"));
  rig.waiter.CancelAll("new log");
  rig.executor.RunAll();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[1].error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace catalogd::sync
