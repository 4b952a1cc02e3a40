// A read of a metastore can be torn or overtaken; publishing it moves the cache back in time or
// shows a state that never was. The hook plays a writer between the loader's calls.
#include "catalog/sync/object_loader.h"

#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using testing::SyncRig;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const ObjectName kDb = ObjectName::Database("hive", "sales");

Status Load(SyncRig* rig, const ObjectName& name) {
  std::optional<Status> result;
  rig->loader.Load(name, [&](Status status) { result = std::move(status); });
  rig->executor.RunAll();
  EXPECT_TRUE(result.has_value());
  return result ? *result : Status(MakeError(ErrorCode::kInternal, "not called"));
}

TEST(ObjectLoader, PublishesWhatNothingHappenedAround) {
  SyncRig rig;
  rig.metastore.PutTable(kTable.object(), TableBytes(kTable));
  rig.metastore.SetCurrentId(EventId(5));
  rig.Start({kDb, kTable.object()});
  ASSERT_TRUE(Load(&rig, kTable.object()));
  const cache::SlotView view = rig.Look(kTable.object());
  EXPECT_EQ(view.state, SlotState::kPresent);
  EXPECT_EQ(view.synced, EventId(5));
  EXPECT_EQ(view.snapshot->object, TableBytes(kTable));
  EXPECT_EQ(rig.counters.object_reads.load(), 1U);
}

TEST(ObjectLoader, ReadsAPartitionedTableWithItsPartitions) {
  SyncRig rig;
  TestTable table = kTable;
  table.keys = {"day"};
  rig.metastore.PutTable(table.object(), TableBytes(table));
  rig.metastore.PutPartitions(table.object(), {{"day=1", testing::PartitionBytes(table, {"1"})}});
  rig.Start({kDb, table.object()});
  ASSERT_TRUE(Load(&rig, table.object()));
  EXPECT_EQ(rig.Look(table.object()).snapshot->partitions->Names(-1),
            std::vector<std::string>{"day=1"});
}

TEST(ObjectLoader, AnAbsentObjectIsPublishedAsAbsent) {
  SyncRig rig;
  rig.Start({kDb, kTable.object()});
  const Status status = Load(&rig, kTable.object());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig.counters.load_failures.load(), 0U);
}

TEST(ObjectLoader, ReadsAgainWhenAnEventLiesAroundTheRead) {
  SyncRig rig;
  TestTable table = kTable;
  table.keys = {"day"};
  rig.metastore.PutTable(table.object(), TableBytes(table));
  rig.Start({kDb, table.object()});
  const TestTable altered = table.With("k", "v");
  bool once = true;
  rig.metastore.OnCall([&](std::string_view call) {
    if (call != "ReadPartitions" || !once) return;
    once = false;
    rig.Alter(table, altered);  // Behind the read of the table, before that of the partitions.
  });
  ASSERT_TRUE(Load(&rig, table.object()));
  EXPECT_EQ(rig.Look(table.object()).snapshot->object, TableBytes(altered));
  EXPECT_EQ(rig.counters.load_retries.load(), 1U);
  EXPECT_EQ(rig.metastore.Calls("ReadTable"), 2);
}

TEST(ObjectLoader, AnImageThatReplacesTheWholeNeedsNoSecondRead) {
  SyncRig rig;
  rig.metastore.PutTable(kTable.object(), TableBytes(kTable));
  rig.Start({kDb, kTable.object()});
  const TestTable altered = kTable.With("k", "v");
  bool once = true;
  rig.metastore.OnCall([&](std::string_view call) {
    if (call != "ReadTable" || !once) return;
    once = false;
    rig.Alter(kTable, altered);
    rig.metastore.PutTable(kTable.object(), TableBytes(kTable.With("torn", "yes")));
  });
  ASSERT_TRUE(Load(&rig, kTable.object()));
  EXPECT_EQ(rig.Look(kTable.object()).snapshot->object, TableBytes(altered));
  EXPECT_EQ(rig.metastore.Calls("ReadTable"), 1);
}

TEST(ObjectLoader, ATableThatChangesDuringEveryReadStaysAStub) {
  SyncRig rig;
  TestTable table = kTable;
  table.keys = {"day"};
  rig.metastore.PutTable(table.object(), TableBytes(table));
  rig.Start({kDb, table.object()});
  int n = 0;
  rig.metastore.OnCall([&](std::string_view call) {
    if (call != "ReadPartitions") return;
    const TestTable next = table.With("n", std::to_string(++n));
    rig.Alter(table, next);
  });
  const Status status = Load(&rig, table.object());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  EXPECT_EQ(rig.Look(table.object()).state, SlotState::kStub);
  EXPECT_EQ(rig.counters.load_failures.load(), 1U);
}

// A metastore that answers an id from the past (restored, or another one behind a balancer) is not
// a table that changes.
TEST(ObjectLoader, AnIdBelowWhatWasAppliedIsSaidAsSuch) {
  SyncRig rig;
  rig.metastore.PutTable(kTable.object(), TableBytes(kTable));
  rig.metastore.SetCurrentId(EventId(5));
  rig.Start({kDb, kTable.object()});
  rig.Create(kTable.Named("other"));
  rig.Poll();
  rig.metastore.SetCurrentId(EventId(5));
  const Status status = Load(&rig, kTable.object());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  EXPECT_NE(status.error().message.find("applied beyond the current event id"), std::string::npos)
      << status.error().message;
  EXPECT_NE(status.error().message.find("(5)"), std::string::npos) << status.error().message;
}

TEST(ObjectLoader, ReplaysWhatHappenedBetweenTheReadAndTheLock) {
  SyncRig rig;
  rig.metastore.PutTable(kTable.object(), TableBytes(kTable));
  rig.Start({kDb, kTable.object()});
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  std::optional<Status> result;
  rig.loader.Load(kTable.object(), [&](Status status) { result = std::move(status); });
  rig.executor.RunAll();  // Has read; waits for the lock.
  ASSERT_FALSE(result.has_value());
  const TestTable altered = kTable.With("k", "v");
  const EventId id = rig.Alter(kTable, altered);
  const auto caught_up =
      CatchUp(&rig.context, *guard, {kTable.object()}, id, TimePoint::max(), rig.cache.epoch());
  ASSERT_TRUE(caught_up) << caught_up.error().message;
  guard->Release();
  rig.executor.RunAll();
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(*result) << result->error().message;
  EXPECT_EQ(rig.Look(kTable.object()).snapshot->object, TableBytes(altered));
  EXPECT_EQ(rig.Look(kTable.object()).synced, id);
}

TEST(ObjectLoader, AReadFromBeforeAnUnannouncedWriteIsNotPublished) {
  SyncRig rig;
  rig.metastore.PutDatabase(kDb, "old");
  rig.Start({kDb});
  cache::NameLocks::Request request;
  request.exclusive = {kDb};
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  std::optional<Status> result;
  rig.loader.Load(kDb, [&](Status status) { result = std::move(status); });
  rig.executor.RunAll();  // Has read the old state; waits for the lock.
  rig.metastore.PutDatabase(kDb, "new");
  PublishStubs(&rig.context, *guard, {kDb}, rig.metastore.current_id(), "no event tells",
               rig.cache.epoch());
  guard->Release();
  rig.executor.RunAll();
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(*result) << result->error().message;
  EXPECT_EQ(rig.Look(kDb).snapshot->object, "new");
}

TEST(ObjectLoader, AFailedReadLeavesTheStubAndSaysWhy) {
  SyncRig rig;
  rig.metastore.PutTable(kTable.object(), TableBytes(kTable));
  rig.Start({kDb, kTable.object()});
  rig.metastore.FailNext("ReadTable", {ErrorCode::kUnavailable, "connection refused"});
  const Status status = Load(&rig, kTable.object());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_TRUE(Load(&rig, kTable.object())) << "the next load is a new one";
}

TEST(ObjectLoader, LoadsOfOneNameAreJoined) {
  SyncRig rig;
  rig.metastore.PutTable(kTable.object(), TableBytes(kTable));
  rig.Start({kDb, kTable.object()});
  int done = 0;
  rig.loader.Load(kTable.object(), [&](const Status& status) { done += status ? 1 : 0; });
  rig.loader.Load(kTable.object(), [&](const Status& status) { done += status ? 1 : 0; });
  rig.executor.RunAll();
  EXPECT_EQ(done, 2);
  EXPECT_EQ(rig.metastore.Calls("ReadTable"), 1);
}

TEST(CatchUp, AsksForTheOtherEndOfARename) {
  SyncRig rig;
  rig.Start({kDb});
  rig.Create(kTable);
  rig.Poll();
  const TestTable renamed = kTable.Named("orders2");
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  const EventId id = rig.Alter(kTable, renamed);
  const auto result =
      CatchUp(&rig.context, *guard, {kTable.object()}, id, TimePoint::max(), rig.cache.epoch());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->also_lock, std::vector<ObjectName>{renamed.object()});
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kPresent) << "nothing half applied";
}

TEST(CatchUp, FarBehindTheLogItMakesNamesUnknownWithoutFetching) {
  SyncRig rig;
  rig.Start({kDb});
  rig.context.max_catch_up_events = 10;
  cache::NameLocks::Request request;
  request.exclusive = {kTable.object()};
  auto guard = rig.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  rig.metastore.SetCurrentId(EventId(1000));
  const int fetches = rig.metastore.Calls("NextEvents");
  ASSERT_TRUE(CatchUp(&rig.context, *guard, {kTable.object()}, EventId(1000), TimePoint::max(),
                      rig.cache.epoch()));
  EXPECT_EQ(rig.metastore.Calls("NextEvents"), fetches);
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kUnknown);
  EXPECT_EQ(rig.Look(kTable.object()).synced, EventId(1000));
}

}  // namespace
}  // namespace catalogd::sync
