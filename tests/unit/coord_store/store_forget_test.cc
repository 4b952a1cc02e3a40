// A file that only grows; something forgotten that is still needed; an id or a time given again.
#include <gmock/gmock.h>

#include "tests/unit/coord_store/store_fixture.h"
#include "tests/unit/coord_store/store_records.h"

namespace catalogd::coord {
namespace {

using testing::At;
using testing::Claimed;
using testing::Completed;
using testing::File;
using testing::Plan;
using testing::Publication;
using testing::Table;
using testing::Txn;
using StoreForgetTest = testing::StoreTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HistoryRecord HistoryOf(const TxnRecord& txn) {
  return {txn.table_id,       txn.row.txn_id,      txn.row.op,          txn.row.requested,
          *txn.row.completed, *txn.row.id_version, txn.row.time_version};
}

TEST_F(StoreForgetTest, ACommittedTransactionGoesToTheHistory) {
  Open();
  FileRecord removed = File("old", 1);
  removed.removed_by = 2;
  PublishRecord first = Publication(1);
  PublishRecord second = Publication(2);
  ASSERT_EQ(Put({Table(), Txn(1), Txn(2), removed, File("live", 2), first, second}), "");
  ASSERT_EQ(Put({ForgetTxn{2}}), "");
  Reopen();
  const StoreContent content = Content();
  EXPECT_THAT(content.txns, ElementsAre(Txn(1)));
  EXPECT_THAT(content.history, ElementsAre(HistoryOf(Txn(2))));
  EXPECT_THAT(content.files, ElementsAre(File("live", 2))) << "it is still there";
  EXPECT_THAT(content.publications, ElementsAre(first));
}

TEST_F(StoreForgetTest, AFileOfAForgottenTransactionCanBeRemovedAndForgotten) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1), File("f", 1), ForgetTxn{1}, Txn(2)}), "");
  ASSERT_EQ(Put({RemoveFile{"t1", "p=1", "f", 2}}), "");
  ASSERT_EQ(Put({ForgetTxn{2}}), "");
  EXPECT_THAT(Content().files, IsEmpty());
}

TEST_F(StoreForgetTest, AnAbortedTransactionGoesWithWhatItDid) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1), File("old", 1)}), "");
  ASSERT_EQ(Put({Txn(2, TxnState::kPrepared), File("new", 2), RemoveFile{"t1", "p=1", "old", 2}}),
            "");
  ASSERT_EQ(Put({Txn(2, TxnState::kAborted), ForgetTxn{2}}), "");
  const StoreContent content = Content();
  EXPECT_THAT(content.txns, ElementsAre(Txn(1)));
  EXPECT_THAT(content.history, IsEmpty());
  EXPECT_THAT(content.files, ElementsAre(File("old", 1)));
}

// Readers have its files.
TEST_F(StoreForgetTest, WhatIsCommittedIsNotUndone) {
  Open();
  FileRecord removed = File("old", 1);
  removed.removed_by = 2;
  ASSERT_EQ(Put({Table(), Txn(1), Txn(2), removed, File("new", 2)}), "");
  EXPECT_THAT(Put({UndoFiles{2}}), HasSubstr("transaction 2 is committed and cannot be undone"));
  EXPECT_THAT(Content().files, ElementsAre(File("new", 2), removed));
  ASSERT_EQ(Put({ForgetTxn{2}}), "");
  EXPECT_THAT(Put({UndoFiles{2}}), HasSubstr("transaction 2 is committed and cannot be undone"));
  EXPECT_THAT(Content().files, ElementsAre(File("new", 2)));
  // It may be found out that it was not committed.
  ASSERT_EQ(Put({Txn(3, TxnState::kUnknown), File("f", 3)}), "");
  EXPECT_EQ(Put({UndoFiles{3}, Txn(3, TxnState::kOpen)}), "");
  EXPECT_THAT(Content().files, ElementsAre(File("new", 2)));
}

TEST_F(StoreForgetTest, ATransactionThatIsNotAtItsEndStays) {
  Open();
  ASSERT_EQ(Put({Table()}), "");
  int64_t id = 1;
  for (const TxnState state : {TxnState::kOpen, TxnState::kPrepared, TxnState::kUnknown}) {
    ASSERT_EQ(Put({Txn(id, state)}), "");
    EXPECT_THAT(Put({ForgetTxn{id}}), HasSubstr("is not at its end")) << id;
    ++id;
  }
  EXPECT_THAT(Put({ForgetTxn{99}}), HasSubstr("is not there"));
  EXPECT_EQ(Content().txns.size(), 3U);
}

TEST_F(StoreForgetTest, InvariantsC1AndC2HoldOverTheHistory) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1), ForgetTxn{1}}), "");
  TxnRecord same_time = Txn(2);
  same_time.row.requested = Txn(1).row.requested;
  EXPECT_THAT(Put({same_time}), HasSubstr("the history has its id, time or version"));
  TxnRecord same_version = Txn(2);
  same_version.row.id_version = IdVersion(1);
  EXPECT_NE(Put({same_version}), "");
  EXPECT_NE(Put({Txn(1)}), "");
  ASSERT_EQ(Put({Txn(2, TxnState::kOpen)}), "");
  EXPECT_NE(Put({same_version}), "") << "also when it gets its version later";
  EXPECT_EQ(Put({Txn(2)}), "");
  TxnRecord other = Txn(3);
  other.table_id = "t2";
  other.row.requested = Txn(1).row.requested;
  other.row.id_version = IdVersion(1);
  EXPECT_EQ(Put({Table("t2", "other"), other}), "") << "another table";
  EXPECT_NE(Put({HistoryOf(Txn(1))}), "") << "it is there already";
  EXPECT_NE(Put({File("f", 1)}), "") << "its transaction is over";
}

TEST_F(StoreForgetTest, APlanThatIsOverGoesAndAPendingOneStays) {
  Open();
  ASSERT_EQ(Put({Table(), Completed(1, 10), Claimed(2, 11)}), "");
  EXPECT_EQ(Put({ForgetPlan{PlanId(1)}}), "");
  EXPECT_THAT(Put({ForgetPlan{PlanId(2)}}), HasSubstr("plan 2 is pending"));
  EXPECT_THAT(Put({ForgetPlan{PlanId(1)}}), HasSubstr("plan 1 is not there"));
  Reopen();
  EXPECT_THAT(Content().plans, ElementsAre(Claimed(2, 11)));
}

TEST_F(StoreForgetTest, HistoryThatALiveFileNeedsStays) {
  Open();
  ASSERT_EQ(Put({Table(), Txn(1), Txn(2), Txn(3), File("f", 2)}), "");
  ASSERT_EQ(Put({ForgetTxn{1}, ForgetTxn{2}, ForgetTxn{3}}), "");
  ASSERT_EQ(Put({ForgetHistory{"t2", IdVersion(3)}}), "");
  EXPECT_EQ(Content().history.size(), 3U);
  ASSERT_EQ(Put({ForgetHistory{"t1", IdVersion(2)}}), "");
  EXPECT_THAT(Content().history, ElementsAre(HistoryOf(Txn(2)), HistoryOf(Txn(3))));
}

TEST_F(StoreForgetTest, ADroppedTableGoesWithEverythingOfIt) {
  Open();
  const PinRecord pin{"tok", "t1", IdVersion(2), "reader", 1};
  FileRecord removed = File("old", 1);
  removed.removed_by = 2;
  TableRecord other = Table("t2", "other");
  TxnRecord others = Txn(9);
  others.table_id = "t2";
  ASSERT_EQ(Put({Table(), Claimed(1, 10), Txn(1), Txn(2), Txn(3), removed, File("f", 1), pin,
                 Publication(1), ForgetTxn{3}, other, others}),
            "");
  EXPECT_THAT(Put({ForgetTable{"t1"}}), HasSubstr("table t1 is not dropped"));
  EXPECT_THAT(Put({ForgetTable{"t3"}}), HasSubstr("table t3 is not there"));
  TableRecord dropped = Table();
  dropped.row.dropped = true;
  const AuditRecord entry{"ann", "drop", "t1", 5, "ok"};
  ASSERT_EQ(Put({dropped, entry, ForgetTable{"t1"}}), "");
  Reopen();
  const StoreContent content = Content();
  EXPECT_THAT(content.tables, ElementsAre(other));
  EXPECT_THAT(content.txns, ElementsAre(others));
  EXPECT_THAT(content.plans, IsEmpty());
  EXPECT_THAT(content.files, IsEmpty());
  EXPECT_THAT(content.pins, IsEmpty());
  EXPECT_THAT(content.publications, IsEmpty());
  EXPECT_THAT(content.history, IsEmpty());
  EXPECT_THAT(store_->ReadAudit("t1", 9).value(), ElementsAre(entry));
}

TEST_F(StoreForgetTest, PublicationsComeAndGo) {
  Open();
  PublishRecord publication = Publication(3);
  ASSERT_EQ(Put({Table(), publication}), "");
  publication.nonce = "n4";
  publication.state = PublishState::kFailed;
  publication.last_error = "refused";
  ASSERT_EQ(Put({publication}), "");
  EXPECT_THAT(Content().publications, ElementsAre(publication));
  ASSERT_EQ(Put({DropPublish{"t1", IdVersion(3)}}), "");
  EXPECT_THAT(Content().publications, IsEmpty());
  EXPECT_NE(Put({Publication(1, "t3")}), "") << "no such table";
}

TEST_F(StoreForgetTest, TheAuditKeepsTheNewest) {
  auto store = OpenSqliteCoordStore(path_, {.full_sync = false, .audit_rows = 3});
  ASSERT_TRUE(store);
  store_ = std::move(*store);
  std::vector<AuditRecord> entries;
  for (int64_t i = 0; i < 5; ++i) {
    entries.push_back({"ann", "cancel", i % 2 == 0 ? "t1" : "", i, "ok"});
    ASSERT_EQ(Put({entries.back()}), "");
  }
  EXPECT_THAT(store_->ReadAudit("", 9).value(), ElementsAre(entries[4], entries[3], entries[2]));
  EXPECT_THAT(store_->ReadAudit("", 1).value(), ElementsAre(entries[4]));
  EXPECT_THAT(store_->ReadAudit("t1", 9).value(), ElementsAre(entries[4], entries[2]));
  ASSERT_EQ(Put({ForgetAudit{4}}), "");
  EXPECT_THAT(store_->ReadAudit("", 9).value(), ElementsAre(entries[4]));
}

}  // namespace
}  // namespace catalogd::coord
