// A commit that was answered and is gone after a restart; rows that break an invariant and are
// durable; files that are not ours, newer or damaged.
#include "catalog/coord/store/coord_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "catalog/base/random.h"
#include "catalog/coord/store/store_schema.h"
#include "tests/unit/coord_store/store_fixture.h"
#include "tests/unit/coord_store/store_records.h"

namespace catalogd::coord {
namespace {

using testing::At;
using CoordStoreTest = testing::StoreTest;
using testing::Claimed;
using testing::Completed;
using ::testing::ElementsAre;
using testing::File;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Plan;
using testing::Publication;
using testing::Table;
using testing::Txn;

TEST_F(CoordStoreTest, EverythingIsThereAfterARestartAsItWasWritten) {
  Open();
  EXPECT_THAT(Content().tables, IsEmpty());
  FileRecord removed = File("f0", 1);
  removed.removed_by = 2;
  PlanRecord committing = Claimed(3, 12);
  committing.row.state = PlanState::kCommitting;
  committing.row.prepared = Completion{Fence(7), At(80), IdVersion(4)};
  PlanRecord rollback = Plan(4, 13);
  rollback.row.type = PlanType::kRollback;
  rollback.row.target = At(9);
  rollback.row.removes = {"a", "b"};
  const PinRecord pin{"tok", "t1", IdVersion(2), "reader", 123'456};
  const PublishRecord sent{"t1", IdVersion(2), "n2", PublishState::kSent, std::nullopt, 3, "lost"};
  const PublishRecord done{"t1", IdVersion(3), "n3", PublishState::kDone, 4711, 1, ""};
  const HistoryRecord old{"t1", 9, OpClass::kMajor, At(1), At(2), IdVersion(9), std::nullopt};
  TxnRecord open = Txn(3, TxnState::kOpen);
  open.row.idempotency_key.clear();
  open.row.plan = PlanId(2);
  open.row.reason = "why";
  ASSERT_EQ(Put({Table(), Plan(1, 10), Claimed(2, 11), committing, rollback, Completed(5, 14),
                 Txn(1), Txn(2), open, removed, File("f1", 2), pin, sent, done, old}),
            "");
  for (int i = 0; i < 2; ++i) {
    const StoreContent content = Content();
    EXPECT_THAT(content.tables, ElementsAre(Table()));
    EXPECT_THAT(content.plans,
                ElementsAre(Plan(1, 10), Claimed(2, 11), committing, rollback, Completed(5, 14)));
    EXPECT_THAT(content.txns, ElementsAre(Txn(1), Txn(2), open));
    EXPECT_THAT(content.files, ElementsAre(removed, File("f1", 2)));
    EXPECT_THAT(content.pins, ElementsAre(pin));
    EXPECT_THAT(content.publications, ElementsAre(sent, done));
    EXPECT_THAT(content.history, ElementsAre(old));
    Reopen();
  }
}

TEST_F(CoordStoreTest, ARecordThatIsPutAgainTakesThePlaceOfTheOldOne) {
  Open();
  ASSERT_EQ(Put({Table(), Plan(1, 10), Txn(1, TxnState::kOpen)}), "");
  TableRecord table = Table();
  table.row.newest_fence = Fence(8);
  table.row.commit_prepared = true;
  table.name = "renamed";
  PlanRecord plan = Claimed(1, 10);
  plan.groups.clear();
  plan.inputs = {"only"};
  TxnRecord txn = Txn(1, TxnState::kPrepared);
  txn.partitions = {"p=3"};
  ASSERT_EQ(Put({table, plan, txn}), "");
  EXPECT_THAT(Content().tables, ElementsAre(table));
  EXPECT_THAT(Content().plans, ElementsAre(plan));
  EXPECT_THAT(Content().txns, ElementsAre(txn));
}

TEST_F(CoordStoreTest, ABatchIsWrittenAsAWholeAndARefusalCostsItsTableOnly) {
  Open();
  PlanRecord other = Plan(5, 10);
  other.table_id = "t2";
  const std::vector<TableBatch> batches = {{"t1", {Table(), Plan(1, 10)}},
                                           {"t1", {Plan(2, 11), Plan(3, 10)}},
                                           {"t2", {Table("t2", "other"), other}},
                                           {"t1", {Plan(4, 12)}}};
  const std::vector<Status> results = store_->Write(batches);
  EXPECT_TRUE(results[0]);
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().code, ErrorCode::kConflict);
  EXPECT_TRUE(results[2]);
  ASSERT_FALSE(results[3]);
  EXPECT_EQ(results[3].error(), AfterRefused("t1").value());
  Reopen();
  EXPECT_THAT(Content().plans, ElementsAre(Plan(1, 10), other));
  EXPECT_THAT(store_->Write({}), IsEmpty());
}

TEST_F(CoordStoreTest, OneTableIsReadByItself) {
  Open();
  TableRecord other = Table("t2", "other");
  PlanRecord plan = Claimed(5, 10);
  plan.table_id = "t2";
  TxnRecord txn = Txn(7);
  txn.table_id = "t2";
  FileRecord file = File("f", 7);
  file.table_id = "t2";
  const PinRecord pin{"tok", "t2", IdVersion(2), "reader", 123'456};
  ASSERT_EQ(Put({Table(), Claimed(1, 10), Txn(1), File("f", 1),
                 PinRecord{"mine", "t1", IdVersion(2), "reader", 1}, other, plan, txn, file, pin}),
            "");
  const auto content = store_->LoadTable("t2");
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_THAT(content->tables, ElementsAre(other));
  EXPECT_THAT(content->plans, ElementsAre(plan));
  EXPECT_THAT(content->txns, ElementsAre(txn));
  EXPECT_THAT(content->files, ElementsAre(file));
  EXPECT_THAT(content->pins, ElementsAre(pin));
  const auto nothing = store_->LoadTable("t3");
  ASSERT_TRUE(nothing);
  EXPECT_THAT(nothing->tables, IsEmpty());
  EXPECT_THAT(nothing->plans, IsEmpty());
}

// What the disk may say at each place, and what is there afterwards.
TEST_F(CoordStoreTest, AFailedCommitFailsAllOfIt) {
  for (const std::string_view where : {kFaultBeforeWrite, kFaultBeforeCommit, kFaultAfterCommit}) {
    std::filesystem::remove(path_);
    CoordStoreOptions options;
    options.fault = [where](std::string_view here) -> Status {
      if (here != where) return Ok();
      return MakeError(ErrorCode::kResourceExhausted, "full");
    };
    auto store = OpenSqliteCoordStore(path_, options);
    ASSERT_TRUE(store) << store.error().message;
    const std::vector<TableBatch> batches = {{"t1", {Table()}}, {"t2", {Table("t2", "other")}}};
    for (const Status& status : (*store)->Write(batches)) {
      ASSERT_FALSE(status) << where;
      EXPECT_EQ(status.error().message, "full");
    }
    const size_t there = where == kFaultAfterCommit ? 2 : 0;
    EXPECT_EQ((*store)->Load()->tables.size(), there) << where;
    store->reset();
  }
}

TEST_F(CoordStoreTest, InvariantC1NoRequestedTimeIsGivenTwiceAndTheClockStaysAhead) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1)}), "");
  TxnRecord same = Txn(2);
  same.row.requested = Txn(1).row.requested;
  EXPECT_NE(Put({same}), "");
  TableRecord table = Table();
  table.clock_high_water = 999;
  EXPECT_THAT(Put({table}), HasSubstr("would go back"));
  table.clock_high_water = 1001;
  EXPECT_EQ(Put({table}), "");
}

TEST_F(CoordStoreTest, InvariantC2AnIdIsGivenAgainOnlyAfterAnAbort) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1, TxnState::kPrepared)}), "");
  TxnRecord second = Txn(2, TxnState::kPrepared);
  second.row.id_version = IdVersion(1);
  EXPECT_NE(Put({second}), "");
  ASSERT_EQ(Put({Txn(1, TxnState::kUnknown)}), "");
  EXPECT_NE(Put({second}), "") << "it may have been committed";
  ASSERT_EQ(Put({Txn(1, TxnState::kAborted)}), "");
  EXPECT_EQ(Put({second}), "");
  TableRecord table = Table();
  table.row.id_version = IdVersion(2);
  EXPECT_THAT(Put({table}), HasSubstr("would go back"));
}

TEST_F(CoordStoreTest, InvariantC3ACompletedPlanAndACommittedTransactionStay) {
  Open();
  ASSERT_EQ(Put({Table(), Completed(1, 10), Txn(1)}), "");
  EXPECT_EQ(Put({Completed(1, 10)}), "") << "the same again";
  PlanRecord again = Completed(1, 10);
  again.row.completion->id_version = IdVersion(4);
  EXPECT_THAT(Put({again}), HasSubstr("plan 1: it is completed"));
  EXPECT_THAT(Put({Claimed(1, 10)}), HasSubstr("plan 1: it is completed"));
  EXPECT_THAT(Put({Txn(1, TxnState::kAborted)}), HasSubstr("transaction 1: it is committed"));
  PlanRecord another = Claimed(2, 11);
  ASSERT_EQ(Put({another}), "");
  another.row.requested = At(12);
  EXPECT_THAT(Put({another}), HasSubstr("another one"));
}

TEST_F(CoordStoreTest, InvariantC4FencesNeverGoBack) {
  Open();
  ASSERT_EQ(Put({Table(), Claimed(1, 10), Txn(1, TxnState::kOpen)}), "");
  PlanRecord plan = Claimed(1, 10);
  plan.row.fence = Fence(6);
  EXPECT_THAT(Put({plan}), HasSubstr("its fence would go back"));
  TxnRecord txn = Txn(1, TxnState::kOpen);
  txn.row.fence = Fence(4);
  EXPECT_THAT(Put({txn}), HasSubstr("its fence would go back"));
  TableRecord table = Table();
  table.row.newest_fence = Fence(6);
  EXPECT_THAT(Put({table}), HasSubstr("would go back"));
  table = Table();
  table.epoch = 1;
  EXPECT_THAT(Put({table}), HasSubstr("would go back"));
}

TEST_F(CoordStoreTest, InvariantC5AFileIsLiveOnce) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1), Txn(2), File("f", 1)}), "");
  EXPECT_NE(Put({File("f", 2)}), "");
  EXPECT_EQ(Put({RemoveFile{"t1", "p=1", "f", 2}}), "");
  EXPECT_THAT(Put({RemoveFile{"t1", "p=1", "f", 2}}), HasSubstr("is not live"));
  EXPECT_THAT(Put({RemoveFile{"t1", "p=2", "f", 2}}), HasSubstr("is not live"));
  EXPECT_EQ(Put({File("f", 2)}), "");
  EXPECT_NE(Put({File("g", 99)}), "") << "no such transaction";
}

// Otherwise a table could not be forgotten without files of another one.
TEST_F(CoordStoreTest, FilesAreOfTransactionsOfTheirTable) {
  Open();
  TxnRecord others = Txn(2);
  others.table_id = "t2";
  ASSERT_EQ(Put({Table(), Table("t2", "other"), Txn(1), others, Txn(3), File("f", 1)}), "");
  EXPECT_THAT(Put({File("g", 2)}), HasSubstr("a file of no transaction of its table"));
  FileRecord removed = File("g", 1);
  removed.removed_by = 2;
  EXPECT_THAT(Put({removed}), HasSubstr("a file of no transaction of its table"));
  EXPECT_THAT(Put({RemoveFile{"t1", "p=1", "f", 2}}),
              HasSubstr("a file removed by no transaction of its table"));
  EXPECT_THAT(Content().files, ElementsAre(File("f", 1)));
  EXPECT_EQ(Put({RemoveFile{"t1", "p=1", "f", 3}}), "");
}

TEST_F(CoordStoreTest, WhatAPreparedTransactionAddedAndRemovedIsUndone) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1), File("old", 1)}), "");
  ASSERT_EQ(Put({Txn(2, TxnState::kPrepared), File("new", 2), RemoveFile{"t1", "p=1", "old", 2}}),
            "");
  ASSERT_EQ(Put({Txn(2, TxnState::kAborted), UndoFiles{2}}), "");
  EXPECT_THAT(Content().files, ElementsAre(File("old", 1)));
}

TEST_F(CoordStoreTest, InvariantC8AFileGroupIsInOnePendingPlan) {
  Open();
  ASSERT_EQ(Put({Table(), Claimed(1, 10)}), "");
  PlanRecord second = Plan(2, 11);
  second.groups = Plan(1, 10).groups;
  EXPECT_NE(Put({second}), "");
  second.table_id = "t2";
  EXPECT_EQ(Put({Table("t2", "other"), second}), "") << "another table's group";
  PlanRecord done = Completed(1, 10);
  ASSERT_EQ(Put({done}), "");
  PlanRecord third = Plan(3, 12);
  third.groups = Plan(1, 10).groups;
  EXPECT_EQ(Put({third}), "") << "the first is completed";
}

TEST_F(CoordStoreTest, ANameIsOfOneTableThatIsNotDropped) {
  Open();
  ASSERT_EQ(Put({Table()}), "");
  EXPECT_NE(Put({Table("t2")}), "");
  TableRecord dropped = Table();
  dropped.row.dropped = true;
  EXPECT_EQ(Put({dropped, Table("t2")}), "");
  EXPECT_THAT(Put({Table()}), HasSubstr("would go back")) << "a dropped table does not come back";
}

TEST_F(CoordStoreTest, AnIdempotencyKeyIsOfOneTransaction) {
  Open();
  TxnRecord second = Txn(2);
  second.row.idempotency_key = Txn(1).row.idempotency_key;
  ASSERT_EQ(Put({Table(), Txn(1)}), "");
  EXPECT_NE(Put({second}), "");
}

TEST_F(CoordStoreTest, PinsComeAndGo) {
  Open();
  PinRecord pin{"tok", "t1", IdVersion(2), "reader", 1};
  ASSERT_EQ(Put({Table(), pin}), "");
  pin.until_ms = 2;
  ASSERT_EQ(Put({pin}), "");
  EXPECT_THAT(Content().pins, ElementsAre(pin));
  ASSERT_EQ(Put({DropPin{"tok"}}), "");
  EXPECT_THAT(Content().pins, IsEmpty());
}

TEST_F(CoordStoreTest, OneProcessHasTheFile) {
  Open();
  ASSERT_EQ(Put({Table()}), "");
  const auto second = OpenSqliteCoordStore(path_, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("coordination file " + path_));
}

TEST_F(CoordStoreTest, AFileOfANewerVersionIsRefusedAndLeftAlone) {
  Open();
  ASSERT_EQ(Put({Table()}), "");
  Tamper("PRAGMA user_version = 9");
  const Error error = OpenFails();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("has version 9, this program knows up to 3"));
  Tamper("PRAGMA user_version = " + std::to_string(kStoreVersion));
  Open();
  EXPECT_THAT(Content().tables, ElementsAre(Table()));
}

TEST_F(CoordStoreTest, AFileOfAnotherProgramIsRefused) {
  Tamper("CREATE TABLE mine (a)");
  const Error foreign = OpenFails();
  EXPECT_EQ(foreign.code, ErrorCode::kCorrupt);
  EXPECT_THAT(foreign.message, HasSubstr("another program"));
  std::ofstream(path_, std::ios::trunc) << "this is no database at all, but it is long enough";
  EXPECT_EQ(OpenFails().code, ErrorCode::kCorrupt);
}

TEST_F(CoordStoreTest, RowsThatMakeNoSenseAreNamed) {
  for (const char* sql :
       {"UPDATE plan SET state = 77", "UPDATE plan SET requested = 'soon'",
        "UPDATE plan SET completed_id = 5", "UPDATE plan SET owner = NULL",
        "UPDATE txn SET op = -1", "UPDATE coord_table SET policy = 3", "UPDATE file SET kind = 9",
        "UPDATE txn SET completed = '1'", "UPDATE txn SET id_version = NULL",
        "UPDATE txn SET state = 3", "UPDATE hms_publish SET state = 4",
        "UPDATE history SET completed = ''", "UPDATE history SET id_version = 0"}) {
    std::filesystem::remove(path_);
    Open();
    const HistoryRecord old{"t1", 9, OpClass::kInsert, At(1), At(2), IdVersion(9), At(2)};
    ASSERT_EQ(Put({Table(), Claimed(1, 10), Txn(1), File("f", 1), Publication(1), old}), "");
    Tamper(sql);
    Open();
    const auto content = store_->Load();
    ASSERT_FALSE(content) << sql;
    EXPECT_EQ(content.error().code, ErrorCode::kCorrupt) << sql;
    EXPECT_THAT(content.error().message, HasSubstr("coordination file " + path_)) << sql;
    store_.reset();
  }
}

// Each is right but for one thing.
std::vector<PlanRecord> PlansThatMakeNoSense() {
  std::vector<PlanRecord> plans(12, Claimed(1, 10));
  plans[0].row.claim.reset();
  plans[1].row.requested = Instant();
  plans[2].row.fence = Fence();
  plans[3].row.prepared = Completion{Fence(7), At(80), IdVersion(4)};
  plans[4].row.state = PlanState::kCommitting;
  plans[5].row.state = PlanState::kRequested;
  plans[6].row.target = Instant();
  plans[7].row.type = PlanType::kRollback;
  for (size_t i = 8; i < plans.size(); ++i) plans[i] = Completed(1, 10);
  plans[8].row.state = PlanState::kFailed;
  plans[9].row.completion->time = Instant();
  plans[10].row.completion->id_version = IdVersion();
  plans[11].row.completion->fence = Fence();
  plans.push_back(Completed(1, 10));
  plans.back().row.completion.reset();
  return plans;
}
std::vector<TxnRecord> TransactionsThatMakeNoSense() {
  std::vector<TxnRecord> txns(7, Txn(1));
  txns[0].row.requested = Instant();
  txns[1].row.completed.reset();
  txns[2].row.completed = Instant();
  txns[3].row.id_version.reset();
  txns[4].row.id_version = IdVersion();
  txns[5].row.time_version.reset();
  txns[6].row.time_version = Instant();
  txns.push_back(Txn(1));
  txns.back().row.op = OpClass::kMajor;
  for (const TxnState state : {TxnState::kPrepared, TxnState::kUnknown}) {
    txns.push_back(Txn(1, state));
    txns.back().row.id_version.reset();
  }
  for (const TxnState state : {TxnState::kOpen, TxnState::kAborted}) {
    for (int i = 0; i < 3; ++i) {
      txns.push_back(Txn(1, state));
      if (i == 0) txns.back().row.completed = At(201);
      if (i == 1) txns.back().row.id_version = IdVersion(1);
      if (i == 2) txns.back().row.time_version = At(201);
    }
  }
  return txns;
}
std::vector<StoreChange> RecordsThatMakeNoSense() {
  std::vector<StoreChange> records;
  for (const PlanRecord& plan : PlansThatMakeNoSense()) records.emplace_back(plan);
  for (const TxnRecord& txn : TransactionsThatMakeNoSense()) records.emplace_back(txn);
  TableRecord table = Table("t2", "other");
  table.last_time_version = Instant();
  records.emplace_back(table);
  records.emplace_back(Table("", "other"));
  const HistoryRecord right{"t1", 9, OpClass::kInsert, At(1), At(2), IdVersion(9), At(2)};
  std::vector<HistoryRecord> history(6, right);
  history[0].requested = Instant();
  history[1].completed = Instant();
  history[2].id_version = IdVersion();
  history[3].time_version.reset();
  history[4].time_version = Instant();
  history[5].op = OpClass::kMinor;
  for (const HistoryRecord& commit : history) records.emplace_back(commit);
  return records;
}

// One of them, once stored, would make the whole file damaged.
TEST_F(CoordStoreTest, RecordsThatMakeNoSenseAreNotWritten) {
  Open();
  ASSERT_EQ(Put({Table()}), "");
  int number = 0;
  for (const StoreChange& record : RecordsThatMakeNoSense()) {
    EXPECT_THAT(Put({Txn(5), record}), HasSubstr("read the rows again")) << number++;
  }
  Reopen();
  const StoreContent content = Content();
  EXPECT_THAT(content.tables, ElementsAre(Table()));
  EXPECT_THAT(content.plans, IsEmpty());
  EXPECT_THAT(content.txns, IsEmpty());
  EXPECT_THAT(content.history, IsEmpty());
}

// The answer to what was completed and is put as something else by a caller that mixed up its rows.
TEST_F(CoordStoreTest, ARefusalSaysWhatMakesNoSense) {
  Open();
  ASSERT_EQ(Put({Table(), Completed(1, 10), Txn(1)}), "");
  PlanRecord failed = Completed(1, 10);
  failed.row.state = PlanState::kFailed;
  EXPECT_THAT(Put({failed}), HasSubstr("plan 1 is FAILED and has a completion; "));
  TxnRecord aborted = Txn(2);
  aborted.row.state = TxnState::kAborted;
  EXPECT_THAT(Put({aborted}), HasSubstr("transaction 2 is ABORTED and has a completion time; "));
  HistoryRecord commit;
  commit.txn_id = 9;
  EXPECT_THAT(Put({commit}), HasSubstr("transaction 9 of the history has no requested time; "));
}

TEST_F(CoordStoreTest, AMissingTableIsDamage) {
  Open();
  Tamper("DROP TABLE pin");
  const Error error = OpenFails();
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_THAT(error.message, HasSubstr("table pin is missing"));
}

}  // namespace
}  // namespace catalogd::coord
