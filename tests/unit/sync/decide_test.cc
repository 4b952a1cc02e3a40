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

Decision On(const SlotView& slot, const Event& event, const SlotView* from = nullptr) {
  return Decide(slot, event, event.name, from, {});
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

TEST(Decide, ChangedColumnsOfATableWithColumnStatisticsMakeAStub) {
  const TestTable counted =
      kTable.With("COLUMN_STATS_ACCURATE", R"({"COLUMN_STATS":{"id":"true"}})");
  TestTable wider = kTable;
  wider.columns.emplace_back("amount");
  EXPECT_EQ(
      On(Slot(SlotState::kPresent, 10, counted), WithImage(EventKind::kAlterTable, wider)).action,
      Action::kMakeStub);
}

TEST(Decide, ATruncateIsNotBelieved) {
  Event truncate = WithImage(EventKind::kAlterTable, kTable);
  truncate.truncate = true;
  EXPECT_EQ(On(Slot(SlotState::kPresent), truncate).action, Action::kMakeStub);
}

TEST(Decide, ARenameMovesTheContentAndForgetsPartitions) {
  const TestTable renamed = kTable.Named("orders2");
  Event rename = WithImage(EventKind::kAlterTable, renamed);
  rename.old_name = kTable.object();
  const SlotView from = Slot(SlotState::kPresent);
  EXPECT_EQ(Decide(from, rename, kTable.object(), nullptr, {}).action, Action::kRemove);
  const Decision to = Decide(Slot(SlotState::kAbsent), rename, renamed.object(), &from, {});
  EXPECT_EQ(to.action, Action::kPutTable);
  EXPECT_TRUE(to.new_incarnation);
  EXPECT_TRUE(to.drop_partitions);
  const SlotView stub = Slot(SlotState::kStub);
  EXPECT_EQ(Decide(Slot(SlotState::kAbsent), rename, renamed.object(), &stub, {}).action,
            Action::kMakeStub);
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
  for (const EventKind kind : {EventKind::kInsert, EventKind::kTransaction, EventKind::kConstraint,
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
