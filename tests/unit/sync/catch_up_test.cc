#include "catalog/sync/catch_up.h"

#include "tests/unit/sync/rig.h"

namespace catalogd::testing {
namespace {

const TestTable kTable;

// The tables of a dropped database may have older events in their lanes: they must not be shown as
// they were before the drop once its DDL has been answered.
TEST(CatchUpTest, TablesOfADroppedDatabaseAreNotReadBelowTheDrop) {
  SyncRig rig;
  const ObjectName db = kTable.object().DatabaseName();
  rig.Start({db});
  rig.floors.SetReadyFloor(EventId());
  cache::NameLocks::Request request;
  request.exclusive = {db};
  auto guard = rig.locks.Acquire(std::move(request), nullptr);
  ASSERT_TRUE(guard);
  rig.Create(kTable);
  rig.metastore.Remove(db);
  const EventId drop = rig.metastore.Append("DROP_DATABASE", db, "{\"db\":\"sales\"}");
  const auto caught_up =
      sync::CatchUp(&rig.context, *guard, {db}, drop, rig.clock.Now() + std::chrono::seconds(1),
                    rig.cache.epoch());
  ASSERT_TRUE(caught_up) << caught_up.error().message;
  EXPECT_EQ(rig.Look(db).state, cache::SlotState::kAbsent);
  EXPECT_EQ(rig.floors.FloorOf(kTable.object()), drop);
  EXPECT_EQ(rig.floors.FloorOf(ObjectName::Table("hive", "other", "orders")), EventId());
  guard->Release();
  rig.executor.RunAll();
  EXPECT_EQ(rig.watermark.value(), drop);
  EXPECT_EQ(rig.Look(kTable.object()).state, cache::SlotState::kAbsent);
}

// An id read before the log was replaced says nothing about the new one: a name published at it
// would look newer than all events that come.
TEST(CatchUpTest, AnIdOfAnEarlierEpochPublishesNothing) {
  SyncRig rig;
  const ObjectName db = kTable.object().DatabaseName();
  rig.Start({db});
  const LogEpoch before = rig.cache.epoch();
  rig.cache.ForgetAll(before.Next(), EventId());
  cache::NameLocks::Request request;
  request.exclusive = {db};
  auto guard = rig.locks.Acquire(std::move(request), nullptr);
  ASSERT_TRUE(guard);
  const EventId old(1000);
  sync::PublishUnknown(&rig.context, *guard, {db}, old, "test", before);
  EXPECT_LT(rig.Look(db).synced, old);
  sync::PublishStubs(&rig.context, *guard, {db}, old, "test", before);
  EXPECT_LT(rig.Look(db).synced, old);
  sync::PublishUnknown(&rig.context, *guard, {db}, old, "test", rig.cache.epoch());
  EXPECT_EQ(rig.Look(db).synced, old);
}

}  // namespace
}  // namespace catalogd::testing
