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

// Who holds a database holds its tables too, and folds a rename of one of its own names at once.
// What the other end was before must not be taken from a cache that its own events have not
// reached.
TEST(CatchUpTest, ARenameInALockedDatabaseComesBehindOlderEventsOfItsOtherEnd) {
  SyncRig rig;
  const TestTable other = kTable.Named("other");
  const ObjectName db = kTable.object().DatabaseName();
  rig.Start({db, kTable.object(), other.object()});
  auto guard = rig.Hold(db);
  rig.Drop(other);
  const EventId renamed = rig.Alter(kTable, other);
  const EventId altered = rig.Alter(other, other.With("k", "v"));
  const EventId up_to = rig.Create(kTable);
  const auto caught_up =
      sync::CatchUp(&rig.context, guard, {db, kTable.object()}, up_to,
                    rig.clock.Now() + std::chrono::seconds(1), rig.cache.epoch());
  ASSERT_TRUE(caught_up) << caught_up.error().message;
  EXPECT_TRUE(caught_up->also_lock.empty());
  EXPECT_EQ(rig.counters.contradictions.load(), 0U);
  EXPECT_EQ(rig.Look(other.object()).incarnation, renamed);
  EXPECT_EQ(rig.Look(other.object()).synced, renamed) << "what comes later is its own lane's";
  EXPECT_EQ(rig.Look(kTable.object()).synced, up_to);
  guard.Release();
  rig.executor.RunAll();
  EXPECT_EQ(rig.counters.contradictions.load(), 0U);
  EXPECT_EQ(rig.Look(other.object()).synced, altered);
  EXPECT_EQ(rig.Look(kTable.object()).synced, up_to);
}

// The same where the old end is the other one, and has come from a rename itself.
TEST(CatchUpTest, ARenameInALockedDatabaseComesBehindThoseThatLeadToIt) {
  SyncRig rig;
  const TestTable first = kTable.Named("first");
  const TestTable second = kTable.Named("second");
  const ObjectName db = kTable.object().DatabaseName();
  rig.Start({db});
  auto guard = rig.Hold(db);
  rig.Create(first);
  rig.Alter(first, second);
  const EventId renamed = rig.Alter(second, kTable);
  const auto caught_up =
      sync::CatchUp(&rig.context, guard, {db, kTable.object()}, renamed,
                    rig.clock.Now() + std::chrono::seconds(1), rig.cache.epoch());
  ASSERT_TRUE(caught_up) << caught_up.error().message;
  EXPECT_TRUE(caught_up->also_lock.empty());
  EXPECT_EQ(rig.counters.contradictions.load(), 0U);
  EXPECT_EQ(rig.Look(first.object()).state, cache::SlotState::kAbsent);
  EXPECT_EQ(rig.Look(second.object()).state, cache::SlotState::kAbsent);
  EXPECT_NE(rig.Look(kTable.object()).state, cache::SlotState::kUnknown);
  EXPECT_EQ(rig.Look(kTable.object()).incarnation, renamed);
}

// What is older may lead out of what is locked.
TEST(CatchUpTest, OlderEventsOfTheOtherEndMayNeedFurtherLocks) {
  SyncRig rig;
  TestTable elsewhere = kTable.Named("elsewhere");
  elsewhere.db = "other";
  const TestTable between = kTable.Named("between");
  const ObjectName db = kTable.object().DatabaseName();
  rig.Start({db, elsewhere.object()});
  auto guard = rig.Hold(db);
  rig.Alter(elsewhere, between);
  const EventId renamed = rig.Alter(between, kTable);
  const auto caught_up =
      sync::CatchUp(&rig.context, guard, {db, kTable.object()}, renamed,
                    rig.clock.Now() + std::chrono::seconds(1), rig.cache.epoch());
  ASSERT_TRUE(caught_up) << caught_up.error().message;
  EXPECT_THAT(caught_up->also_lock, ::testing::ElementsAre(elsewhere.object()));
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
