// A wrong decision shows readers a state that never was. Each row of the table: what the slot
// holds, what the event says, what must become of it.
#include "catalog/sync/decide.h"

#include <gtest/gtest.h>

#include "tests/support/objects.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using cache::SlotView;
using events::Event;
using events::EventKind;
using hms::Generation;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable;

SlotView Slot(SlotState state, int64_t synced = 10, const TestTable& table = kTable) {
  SlotView slot;
  slot.state = state;
  slot.synced = EventId(synced);
  if (state == SlotState::kPresent) {
    slot.snapshot = cache::MakeTableSnapshot(TableBytes(table), cache::PartitionSet::Empty());
  }
  return slot;
}

Event Of(EventKind kind, int64_t id = 11, const TestTable& table = kTable) {
  Event event;
  event.id = EventId(id);
  event.kind = kind;
  event.name = table.object();
  return event;
}

Event WithImage(EventKind kind, const TestTable& table) {
  Event event = Of(kind, 11, table);
  event.table_image = TableBytes(table);
  return event;
}

Decision On(const SlotView& slot, const Event& event, const SlotView* from = nullptr,
            Generation generation = Generation::kUnknown) {
  DecideOptions options;
  options.generation = generation;
  return Decide(slot, event, event.name, from, options);
}

TEST(Decide, AnEventAtOrBelowTheSyncedIdIsOld) {
  for (const SlotState state :
       {SlotState::kUnknown, SlotState::kAbsent, SlotState::kStub, SlotState::kPresent}) {
    EXPECT_EQ(On(Slot(state), Of(EventKind::kDropTable, 10)).action, Action::kSkipOld);
    EXPECT_EQ(On(Slot(state), Of(EventKind::kDropTable, 9)).action, Action::kSkipOld);
  }
  EXPECT_EQ(On(Slot(SlotState::kPresent), Of(EventKind::kDropTable, 11)).action, Action::kRemove);
}

TEST(Decide, ALateEventPutsTheNameInDoubt) {
  Event late = Of(EventKind::kAlterTable, 9);
  late.late = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), late).action, Action::kMakeUnknown);
}

// What could go wrong: the table is created in a database whose drop has been applied already, and
// stays for ever.
TEST(Decide, ALateEventAboveTheSyncedIdTellsNothingOfExistence) {
  Event create = WithImage(EventKind::kCreateTable, kTable);
  create.late = true;
  EXPECT_EQ(On(Slot(SlotState::kAbsent), create).action, Action::kMakeUnknown);
  EXPECT_EQ(On(Slot(SlotState::kUnknown), create).action, Action::kMakeUnknown);
  // An object that is there takes its own events in order.
  Event stats = Of(EventKind::kInsert, create.id.value());
  stats.late = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), stats).action, Action::kAdvance);
}

TEST(Decide, CreateTableIsAppliedFromItsImage) {
  const Decision decision =
      On(Slot(SlotState::kAbsent), WithImage(EventKind::kCreateTable, kTable));
  EXPECT_EQ(decision.action, Action::kPutTable);
  EXPECT_TRUE(decision.new_incarnation);
  EXPECT_TRUE(decision.empty_partitions);
  EXPECT_FALSE(decision.contradiction);
}

TEST(Decide, CreateTableWithoutAUsableImageMakesAStub) {
  EXPECT_EQ(On(Slot(SlotState::kAbsent), Of(EventKind::kCreateTable)).action, Action::kMakeStub);
  TestTable view = kTable;
  view.type = "MATERIALIZED_VIEW";
  EXPECT_EQ(On(Slot(SlotState::kAbsent), WithImage(EventKind::kCreateTable, view)).action,
            Action::kMakeStub);
  const TestTable acid = kTable.With("transactional", "true");
  EXPECT_EQ(On(Slot(SlotState::kAbsent), WithImage(EventKind::kCreateTable, acid)).action,
            Action::kMakeStub);
  const TestTable insert_only = acid.With("transactional_properties", "insert_only");
  EXPECT_EQ(On(Slot(SlotState::kAbsent), WithImage(EventKind::kCreateTable, insert_only)).action,
            Action::kPutTable);
}

TEST(Decide, HiveTwoStoresEveryTableAsItsMessageSays) {
  TestTable view = kTable;
  view.type = "MATERIALIZED_VIEW";
  for (const TestTable& table : {view, kTable.With("transactional", "true")}) {
    EXPECT_EQ(On(Slot(SlotState::kAbsent), WithImage(EventKind::kCreateTable, table), nullptr,
                 Generation::kHive2)
                  .action,
              Action::kPutTable);
  }
}

// What a materialized view embeds of its sources changes without a word.
TEST(Decide, AnyEventOfAMaterializedViewMakesItAStub) {
  TestTable view = kTable;
  view.type = "MATERIALIZED_VIEW";
  const SlotView slot = Slot(SlotState::kPresent, 10, view);
  for (const EventKind kind : {EventKind::kInsert, EventKind::kConstraint, EventKind::kDeleteStats,
                               EventKind::kAddPartition, EventKind::kUpdatePartitionStats}) {
    EXPECT_EQ(On(slot, Of(kind), nullptr, Generation::kHive4).action, Action::kMakeStub);
    EXPECT_NE(On(slot, Of(kind), nullptr, Generation::kHive2).action, Action::kMakeStub);
  }
  EXPECT_EQ(On(slot, Of(EventKind::kDropTable), nullptr, Generation::kHive4).action,
            Action::kRemove);
}

TEST(Decide, CreateOfAnExistingTableIsAContradictionOnlyBehindTheListing) {
  SlotView slot = Slot(SlotState::kStub);
  const Event create = WithImage(EventKind::kCreateTable, kTable);
  EXPECT_TRUE(On(slot, create).contradiction);
  EXPECT_EQ(On(slot, create).action, Action::kMakeStub);
  slot.checks_from = EventId(11);
  EXPECT_FALSE(On(slot, create).contradiction);
  EXPECT_EQ(On(slot, create).action, Action::kPutTable);
}

TEST(Decide, AlterReplacesTheTableWhereItIsLoadedAndCostsAStubNothing) {
  const Event alter = WithImage(EventKind::kAlterTable, kTable.With("k", "v"));
  EXPECT_EQ(On(Slot(SlotState::kPresent), alter).action, Action::kPutTable);
  EXPECT_FALSE(On(Slot(SlotState::kPresent), alter).drop_partitions);
  EXPECT_EQ(On(Slot(SlotState::kStub), alter).action, Action::kAdvanceStub);
  EXPECT_EQ(On(Slot(SlotState::kUnknown), alter).action, Action::kAdvanceStub);
}

TEST(Decide, AlterOfAnAbsentNamePutsItInDoubt) {
  SlotView absent = Slot(SlotState::kAbsent);
  const Event alter = WithImage(EventKind::kAlterTable, kTable);
  EXPECT_EQ(On(absent, alter).action, Action::kMakeUnknown);
  EXPECT_TRUE(On(absent, alter).contradiction);
  absent.checks_from = EventId(11);
  EXPECT_FALSE(On(absent, alter).contradiction);
}

TEST(Decide, ChangedColumnsForgetPartitionsBecauseCascadeIsInvisible) {
  TestTable wider = kTable;
  wider.columns.emplace_back("amount");
  const Decision decision = On(Slot(SlotState::kPresent), WithImage(EventKind::kAlterTable, wider));
  EXPECT_EQ(decision.action, Action::kPutTable);
  EXPECT_TRUE(decision.drop_partitions);
}

// Hive 4.1 writes the statistics of the remaining columns anew, and the read then has a parameter
// that no image has, whether or not the old one named the columns.
TEST(Decide, ColumnsThatGoTakeTheMessagesWordAwayOnHiveFour) {
  TestTable wide = kTable;
  wide.columns = {"id", "amount"};
  const Event narrower = WithImage(EventKind::kAlterTable, kTable);
  const SlotView slot = Slot(SlotState::kPresent, 10, wide);
  for (const Generation generation : {Generation::kUnknown, Generation::kHive4}) {
    EXPECT_EQ(On(slot, narrower, nullptr, generation).action, Action::kMakeStub);
  }
  for (const Generation generation : {Generation::kHive2, Generation::kHive3}) {
    EXPECT_EQ(On(slot, narrower, nullptr, generation).action, Action::kPutTable);
  }
}

TEST(Decide, AddedColumnsAreBelievedWithStatisticsToo) {
  const TestTable counted =
      kTable.With("COLUMN_STATS_ACCURATE", R"({"COLUMN_STATS":{"id":"true"}})");
  TestTable wider = kTable;
  wider.columns.emplace_back("amount");
  EXPECT_EQ(On(Slot(SlotState::kPresent, 10, counted), WithImage(EventKind::kAlterTable, wider),
               nullptr, Generation::kHive4)
                .action,
            Action::kPutTable);
}

// A failed truncate of Hive 4 leaves the same event as one that was done.
TEST(Decide, ATruncateIsNotBelieved) {
  Event truncate = WithImage(EventKind::kAlterTable, kTable);
  truncate.truncate = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), truncate).action, Action::kMakeStub);
  EXPECT_EQ(On(Slot(SlotState::kPresent), truncate, nullptr, Generation::kHive4).action,
            Action::kMakeStub);
}

// Hive 3 writes two events: the first before anything is done, with an image that is never stored.
TEST(Decide, OnHiveThreeTheSecondEventOfATruncateBringsItsChange) {
  Event announced = WithImage(EventKind::kAlterTable, kTable);
  announced.truncate = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), announced, nullptr, Generation::kHive3).action,
            Action::kAdvance);
  Event partition = Of(EventKind::kAlterPartition);
  partition.truncate = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), partition, nullptr, Generation::kHive3).action,
            Action::kAdvance);
  partition.problem = "truncated JSON";
  EXPECT_EQ(On(Slot(SlotState::kPresent), partition, nullptr, Generation::kHive3).action,
            Action::kForgetPartitions);
}

TEST(Decide, TruncatedPartitionsAreBelievedOnHiveFour) {
  Event truncate = Of(EventKind::kAlterPartition);
  truncate.truncate = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), truncate, nullptr, Generation::kHive4).action,
            Action::kPatchPartitions);
}

TEST(Decide, ARenameMovesTheContentAndForgetsPartitions) {
  const TestTable renamed = kTable.Named("orders2");
  Event rename = WithImage(EventKind::kAlterTable, renamed);
  rename.old_name = kTable.object();
  const SlotView from = Slot(SlotState::kPresent);
  EXPECT_EQ(Decide(from, rename, kTable.object(), nullptr, {}).action, Action::kRemove);
  for (const Generation generation : {Generation::kHive2, Generation::kHive3}) {
    const Decision to = On(Slot(SlotState::kAbsent), rename, &from, generation);
    EXPECT_EQ(to.action, Action::kPutTable);
    EXPECT_TRUE(to.new_incarnation);
    EXPECT_TRUE(to.drop_partitions);
  }
  // Hive 4.1 also renames Iceberg tables with statistics without a trace of these in the image.
  for (const Generation generation : {Generation::kUnknown, Generation::kHive4}) {
    const Decision to = On(Slot(SlotState::kAbsent), rename, &from, generation);
    EXPECT_EQ(to.action, Action::kMakeStub);
    EXPECT_TRUE(to.new_incarnation);
  }
  const SlotView stub = Slot(SlotState::kStub);
  EXPECT_EQ(Decide(Slot(SlotState::kAbsent), rename, renamed.object(), &stub, {}).action,
            Action::kMakeStub);
}

// The server takes moved statistics out of the parameter, writes the message, and puts them back:
// an image with "{}" is the trace that is left when the parameter did not name them before.
TEST(Decide, ARenameThatSpeaksOfStatisticsIsReadAgain) {
  for (const char* value : {"{}", R"({"BASIC_STATS":"true"})"}) {
    const TestTable renamed = kTable.Named("orders2").With("COLUMN_STATS_ACCURATE", value);
    Event rename = WithImage(EventKind::kAlterTable, renamed);
    rename.old_name = kTable.object();
    const SlotView from = Slot(SlotState::kPresent);
    for (const Generation generation : {Generation::kHive2, Generation::kHive3}) {
      EXPECT_EQ(On(Slot(SlotState::kAbsent), rename, &from, generation).action, Action::kMakeStub);
    }
  }
}

TEST(Decide, ARenameFromNothingPutsBothEndsInDoubt) {
  const TestTable renamed = kTable.Named("orders2");
  Event rename = WithImage(EventKind::kAlterTable, renamed);
  rename.old_name = kTable.object();
  const SlotView absent = Slot(SlotState::kAbsent);
  const Decision from = Decide(absent, rename, kTable.object(), nullptr, {});
  const Decision to = Decide(absent, rename, renamed.object(), &absent, {});
  EXPECT_EQ(from.action, Action::kMakeUnknown);
  EXPECT_EQ(to.action, Action::kMakeUnknown);
  EXPECT_TRUE(from.contradiction);
  EXPECT_TRUE(to.contradiction);
}

TEST(Decide, PartitionEventsPatchOnlyLoadedPartitions) {
  Event add = Of(EventKind::kAddPartition);
  EXPECT_EQ(On(Slot(SlotState::kPresent), add).action, Action::kPatchPartitions);
  EXPECT_EQ(On(Slot(SlotState::kStub), add).action, Action::kAdvanceStub);
  SlotView unloaded = Slot(SlotState::kPresent);
  unloaded.snapshot = cache::WithPartitions(*unloaded.snapshot, nullptr);
  EXPECT_EQ(On(unloaded, add).action, Action::kAdvance);
  add.partitions_missing = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), add).action, Action::kForgetPartitions);
}

// The metastore keeps their storage, whatever the image of an alter says.
TEST(Decide, PartitionsOfViewsAreForgottenWhenOneIsAltered) {
  TestTable view;
  view.keys = {"day"};
  view.type = "VIRTUAL_VIEW";
  const SlotView slot = Slot(SlotState::kPresent, 10, view);
  EXPECT_EQ(On(slot, Of(EventKind::kAlterPartition)).action, Action::kForgetPartitions);
  EXPECT_EQ(On(slot, Of(EventKind::kAddPartition)).action, Action::kPatchPartitions);
  EXPECT_EQ(On(slot, Of(EventKind::kDropPartition)).action, Action::kPatchPartitions);
  view.type = "EXTERNAL_TABLE";
  const SlotView table = Slot(SlotState::kPresent, 10, view);
  EXPECT_EQ(On(table, Of(EventKind::kAlterPartition)).action, Action::kPatchPartitions);
}

TEST(Decide, StatisticsOfAPartitionArePatchedWhereTheMessageHasThem) {
  Event event = Of(EventKind::kUpdatePartitionStats);
  EXPECT_EQ(On(Slot(SlotState::kPresent), event).action, Action::kForgetPartitions);
  event.partition_statistics = "{}";
  EXPECT_EQ(On(Slot(SlotState::kPresent), event).action, Action::kPatchPartitions);
  // Its write id may have changed.
  const SlotView acid = Slot(SlotState::kPresent, 10, kTable.With("transactional", "true"));
  EXPECT_EQ(On(acid, event).action, Action::kForgetPartitions);
}

TEST(Decide, ADatabaseDropTakesItsTables) {
  Event drop = Of(EventKind::kDropDatabase);
  drop.name = ObjectName::Database("hive", "sales");
  EXPECT_EQ(Decide(Slot(SlotState::kPresent), drop, kTable.object(), nullptr, {}).action,
            Action::kRemove);
  EXPECT_EQ(Decide(Slot(SlotState::kAbsent), drop, kTable.object(), nullptr, {}).action,
            Action::kAdvance);
  EXPECT_EQ(Decide(Slot(SlotState::kStub), drop, drop.name, nullptr, {}).action, Action::kRemove);
}

TEST(Decide, EventsThatChangeNoObjectOnlyAdvance) {
  for (const EventKind kind :
       {EventKind::kInsert, EventKind::kTransaction, EventKind::kConstraint, EventKind::kIndex,
        EventKind::kDeleteStats, EventKind::kCreateFunction}) {
    EXPECT_EQ(On(Slot(SlotState::kPresent), Of(kind)).action, Action::kAdvance);
  }
}

TEST(Decide, WhatTheMessageDoesNotShowIsReadAgain) {
  for (const EventKind kind :
       {EventKind::kReload, EventKind::kCommitCompaction, EventKind::kUnknown}) {
    EXPECT_EQ(On(Slot(SlotState::kPresent), Of(kind)).action, Action::kMakeStub);
    EXPECT_EQ(On(Slot(SlotState::kStub), Of(kind)).action, Action::kAdvanceStub);
  }
  EXPECT_EQ(On(Slot(SlotState::kPresent), Of(EventKind::kUpdatePartitionStats)).action,
            Action::kForgetPartitions);
}

TEST(Decide, APoisonMessageCostsItsName) {
  Event alter = Of(EventKind::kAlterTable);
  alter.problem = "truncated JSON";
  EXPECT_EQ(On(Slot(SlotState::kPresent), alter).action, Action::kMakeUnknown);
  Event create = Of(EventKind::kCreateTable);
  create.problem = "truncated JSON";
  EXPECT_EQ(On(Slot(SlotState::kAbsent), create).action, Action::kMakeStub);
}

TEST(Decide, PayloadStubBelievesNoImage) {
  DecideOptions options;
  options.payload = PayloadMode::kStub;
  const Event create = WithImage(EventKind::kCreateTable, kTable);
  EXPECT_EQ(Decide(Slot(SlotState::kAbsent), create, create.name, nullptr, options).action,
            Action::kMakeStub);
  const Event alter = WithImage(EventKind::kAlterTable, kTable);
  EXPECT_EQ(Decide(Slot(SlotState::kPresent), alter, alter.name, nullptr, options).action,
            Action::kMakeStub);
}

}  // namespace
}  // namespace catalogd::sync
