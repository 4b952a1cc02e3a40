// A floor that sinks, or that one write resolves for another, lets a reader miss a write that has
// returned.
#include "catalog/sync/floors.h"

#include <gtest/gtest.h>

namespace catalogd::sync {
namespace {

const ObjectName kA = ObjectName::Table("hive", "d", "a");
const ObjectName kB = ObjectName::Table("hive", "d", "b");
const ObjectName kDb = ObjectName::Database("hive", "d");

TEST(Floors, NothingIsServedBeforeTheDaemonIsReady) {
  Floors floors;
  EXPECT_EQ(floors.FloorOf(kA), Floors::kNever);
  floors.SetReadyFloor(EventId(7));
  EXPECT_EQ(floors.FloorOf(kA), EventId(7));
}

TEST(Floors, NamesDatabasesAndAllRaise) {
  Floors floors;
  floors.SetReadyFloor(EventId(1));
  floors.Raise(kA, EventId(5));
  EXPECT_EQ(floors.FloorOf(kA), EventId(5));
  EXPECT_EQ(floors.FloorOf(kB), EventId(1));
  floors.Raise(kDb, EventId(9));
  EXPECT_EQ(floors.FloorOf(kB), EventId(9));
  floors.RaiseAll(EventId(20));
  EXPECT_EQ(floors.FloorOf(kA), EventId(20));
  floors.RaiseAll(EventId(3));
  EXPECT_EQ(floors.FloorOf(kA), EventId(20)) << "a floor never sinks";
}

TEST(Floors, AnUnresolvedWriteBlocksItsNameUntilALaterIdIsKnown) {
  Floors floors;
  floors.SetReadyFloor(EventId(1));
  floors.MarkUnresolved({kA});
  EXPECT_EQ(floors.FloorOf(kA), Floors::kNever);
  EXPECT_EQ(floors.FloorOf(kB), EventId(1));
  floors.Resolve(floors.TakeUnresolved(), EventId(8));
  EXPECT_EQ(floors.FloorOf(kA), EventId(8));
}

TEST(Floors, ResolvingDoesNotFreeAWriteThatCameInBetween) {
  Floors floors;
  floors.SetReadyFloor(EventId(1));
  floors.MarkUnresolved({kA});
  const Floors::Unresolved marks = floors.TakeUnresolved();
  floors.MarkUnresolved({kA});  // The current id may have been read before this one.
  floors.MarkUnresolved({});
  floors.Resolve(marks, EventId(8));
  EXPECT_EQ(floors.FloorOf(kA), Floors::kNever);
  EXPECT_EQ(floors.FloorOf(kB), Floors::kNever);
  EXPECT_EQ(floors.size(), 2U);  // That of all names counts too.
  floors.Resolve(floors.TakeUnresolved(), EventId(9));
  EXPECT_EQ(floors.FloorOf(kB), EventId(9));
}

// What is held may change until it is let go: no id that was read before says anything of it.
TEST(Floors, WhatIsHeldIsServedNeverUntilItIsLetGo) {
  Floors floors;
  floors.SetReadyFloor(EventId(1));
  floors.Hold({kA});
  floors.Hold({kA});  // By another write.
  floors.MarkUnresolved({kA});
  floors.Resolve(floors.TakeUnresolved(), EventId(8));
  floors.Forget(EventId(9));
  floors.Reset();
  EXPECT_EQ(floors.FloorOf(kA), Floors::kNever);
  EXPECT_EQ(floors.FloorOf(kB), EventId(1));
  EXPECT_EQ(floors.size(), 1U);
  floors.LetGo({kA});
  EXPECT_EQ(floors.FloorOf(kA), Floors::kNever);
  floors.LetGo({kA});
  EXPECT_EQ(floors.FloorOf(kA), EventId(1));
  EXPECT_EQ(floors.size(), 0U);
}

TEST(Floors, AHeldDatabaseHoldsItsTablesAndNoNamesHoldAll) {
  Floors floors;
  floors.SetReadyFloor(EventId(1));
  floors.Hold({kDb});
  EXPECT_EQ(floors.FloorOf(kB), Floors::kNever);
  floors.LetGo({kDb});
  EXPECT_EQ(floors.FloorOf(kB), EventId(1));
  floors.Hold({});
  EXPECT_EQ(floors.FloorOf(kB), Floors::kNever);
  EXPECT_EQ(floors.size(), 1U);
  floors.LetGo({});
  EXPECT_EQ(floors.FloorOf(kB), EventId(1));
}

TEST(Floors, ForgetsWhatTheWatermarkHasPassed) {
  Floors floors;
  floors.SetReadyFloor(EventId(1));
  floors.Raise(kA, EventId(5));
  floors.Raise(kB, EventId(6));
  floors.Forget(EventId(5));
  EXPECT_EQ(floors.size(), 1U);
  EXPECT_EQ(floors.FloorOf(kB), EventId(6));
}

}  // namespace
}  // namespace catalogd::sync
