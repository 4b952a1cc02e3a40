#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/coord/coord_world.h"

namespace catalogd::coord {
namespace {

using Fault = testing::FakePublisher::Fault;

class CommitTest : public testing::CoordWorld {
 protected:
  PublishedState Published() { return *PublishedState::Parse(publisher_.State(orders_)); }
  int64_t PublishedVersion() { return Published().version.value(); }
};

TEST_F(CommitTest, ACommitIsInTheMetastoreBeforeItIsAnswered) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  ASSERT_TRUE(txn) << txn.error().message;
  EXPECT_EQ(txn->state, "OPEN");
  EXPECT_EQ(txn->requested.size(), 17U);
  const auto commit = Commit(*txn, {File("a")});
  ASSERT_TRUE(commit) << commit.error().message;
  EXPECT_EQ(commit->id_version, 1);
  EXPECT_GT(commit->completed, txn->requested);
  EXPECT_EQ(commit->time_version, commit->completed);
  EXPECT_GT(commit->event_id, 0);
  EXPECT_EQ(PublishedVersion(), 1);
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "COMMITTED");
  EXPECT_EQ(State()->live_files, 1);
}

TEST_F(CommitTest, ASecondCopyOfACommitHasTheAnswerOfTheFirst) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  const auto first = Commit(*txn, {File("a")});
  const auto second = Commit(*txn, {File("a")});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(second->repeated);
  EXPECT_EQ(second->id_version, first->id_version);
  EXPECT_EQ(second->completed, first->completed);
  EXPECT_EQ(PublishedVersion(), 1);
}

TEST_F(CommitTest, ABeginUnderTheSameKeyIsTheSameTransaction) {
  ASSERT_TRUE(Register());
  const auto first = Begin("INSERT", "job-1");
  const auto second = Begin("INSERT", "job-1");
  ASSERT_TRUE(second);
  EXPECT_EQ(first->txn_id, second->txn_id);
  EXPECT_EQ(first->fence, second->fence);
}

TEST_F(CommitTest, TheSecondOfTwoInsertsFailsAndTheCellIsTold) {
  ASSERT_TRUE(Register({{"partitioned", "true"}}));
  const auto a = Begin();
  const auto b = Begin();
  ASSERT_TRUE(Commit(*a, {File("a", "p=1")}));
  const auto lost = Commit(*b, {File("b", "p=1")});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, CoordCode::kConflict);
  EXPECT_EQ(lost.error().details.at("cell"), "INSERT/INSERT");
  EXPECT_EQ(lost.error().details.at("version"), "1");
  EXPECT_EQ(State()->id_version, 1);
  EXPECT_EQ(PublishedVersion(), 1);
}

TEST_F(CommitTest, InsertsOfDifferentPartitionsBothSucceed) {
  ASSERT_TRUE(Register({{"partitioned", "true"}}));
  const auto a = Begin();
  const auto b = Begin();
  ASSERT_TRUE(Commit(*a, {File("a", "p=1")}));
  const auto second = Commit(*b, {File("b", "p=2")});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->id_version, 2);
}

TEST_F(CommitTest, AnOverwriteRemovesWhatWasCommittedMeanwhile) {
  ASSERT_TRUE(Register());
  ASSERT_TRUE(Write({File("old")}));
  const auto overwrite = Begin("OVERWRITE");
  ASSERT_TRUE(Write({File("meanwhile")}));
  const auto commit = Commit(*overwrite, {File("new")});
  ASSERT_TRUE(commit) << commit.error().message;
  EXPECT_TRUE(commit->rebased);
  EXPECT_EQ(State()->live_files, 1);
}

TEST_F(CommitTest, AnyFenceButItsOwnChangesNothing) {
  ASSERT_TRUE(Register());
  auto txn = Begin();
  txn->fence += 1;
  const auto forged = Commit(*txn, {File("a")});
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error().code, CoordCode::kFenced);
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "OPEN");
}

TEST_F(CommitTest, APublicationThatWasNotSentLeavesTheTransactionOpen) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  publisher_.NextFault(Fault::kRefused);
  const auto failed = Commit(*txn, {File("a")});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, CoordCode::kMetastoreFailed);
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "OPEN");
  EXPECT_EQ(State()->live_files, 0);
  const auto again = Commit(*txn, {File("a")});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->id_version, 1);
}

TEST_F(CommitTest, ALostAnswerIsSettledAsCommittedWhenTheMetastoreHasIt) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  publisher_.NextFault(Fault::kLostAnswer);
  const auto lost = Commit(*txn, {File("a")});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, CoordCode::kCommitStateUnknown);
  Advance(std::chrono::seconds(5));
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "COMMITTED");
  EXPECT_EQ(State()->id_version, 1);
  EXPECT_EQ(PublishedVersion(), 1);
}

TEST_F(CommitTest, ALostRequestIsSettledByABumpSoThatItCanNeverArrive) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  const std::string before = publisher_.State(orders_);
  publisher_.NextFault(Fault::kLate);
  ASSERT_FALSE(Commit(*txn, {File("a")}));
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "UNKNOWN");
  Advance(std::chrono::seconds(5));
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "OPEN");
  EXPECT_NE(publisher_.State(orders_), before);
  EXPECT_EQ(publisher_.Deliver(), std::vector<bool>{false});
  EXPECT_EQ(PublishedVersion(), 0);
  ASSERT_TRUE(Commit(*txn, {File("a")}));
  EXPECT_EQ(PublishedVersion(), 1);
}

TEST_F(CommitTest, WhileACommitIsUnknownOthersAreToldToWait) {
  ASSERT_TRUE(Register({{"partitioned", "true"}}));
  const auto a = Begin();
  const auto b = Begin();
  publisher_.NextFault(Fault::kLostAnswer);
  ASSERT_FALSE(Commit(*a, {File("a", "p=1")}));
  publisher_.SetAway(true);
  Advance(std::chrono::seconds(5));
  const auto wait = Commit(*b, {File("b", "p=2")});
  ASSERT_FALSE(wait);
  EXPECT_EQ(wait.error().code, CoordCode::kRetryLater);
  publisher_.SetAway(false);
  Advance(std::chrono::seconds(30));
  ASSERT_TRUE(Commit(*b, {File("b", "p=2")}));
  EXPECT_EQ(PublishedVersion(), 2);
}

TEST_F(CommitTest, AnUnknownCommitIsSettledAfterARestart) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  publisher_.NextFault(Fault::kLostAnswer);
  ASSERT_FALSE(Commit(*txn, {File("a")}));
  publisher_.SetAway(true);
  Restart();
  EXPECT_EQ(State()->state, "RECOVERING");
  publisher_.SetAway(false);
  Advance(std::chrono::seconds(30));
  EXPECT_EQ(State()->state, "ACTIVE");
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "COMMITTED");
  EXPECT_EQ(State()->live_files, 1);
}

TEST_F(CommitTest, SomebodyWhoWritesTheOldParametersBackIsOverwritten) {
  ASSERT_TRUE(Register());
  ASSERT_TRUE(Write({File("a")}));
  const std::string old = publisher_.State(orders_);
  ASSERT_TRUE(Write({File("b")}));
  publisher_.SetParameter(orders_, std::string(kStateParameter), old);
  ASSERT_TRUE(Write({File("c")}));
  EXPECT_EQ(PublishedVersion(), 3);
  publisher_.RemoveParameter(orders_, std::string(kStateParameter));
  ASSERT_TRUE(Write({File("d")}));
  EXPECT_EQ(PublishedVersion(), 4);
}

TEST_F(CommitTest, AHigherEpochTakesTheTableAway) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  PublishedState other = Published();
  other.epoch += 1;
  other.nonce = "other";
  publisher_.SetParameter(orders_, std::string(kStateParameter), other.Text());
  const auto lost = Commit(*txn, {File("a")});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, CoordCode::kNotOwner);
  EXPECT_EQ(publisher_.State(orders_), other.Text());
  EXPECT_EQ(Begin().error().code, CoordCode::kNotOwner);
  EXPECT_EQ(State()->state, "NOT_OWNER");
}

TEST_F(CommitTest, AStoreThatIsBehindTheMetastoreIsHeldUntilAnOperatorDecides) {
  ASSERT_TRUE(Register());
  PublishedState ahead = Published();
  ahead.version = IdVersion(7);
  ahead.nonce = "ahead";
  publisher_.SetParameter(orders_, std::string(kStateParameter), ahead.Text());
  const auto refused = Write({File("a")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, CoordCode::kTableCorrupt);
  EXPECT_EQ(State()->state, "CORRUPT");
  api::AlterOptionsRequest request;
  request.caller = Caller();
  request.resolve = "override";
  ASSERT_TRUE(Ask<api::CoordTable>(
      [&](auto done) { coord_->tables.AlterOptions(request, std::move(done)); }));
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(State()->state, "ACTIVE") << State()->state_reason;
  ASSERT_TRUE(Write({File("a")}));
  EXPECT_EQ(PublishedVersion(), 1);
}

TEST_F(CommitTest, AnotherObjectOfThatNameIsNotTheTable) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  publisher_.Create(orders_, "2");
  const auto gone = Commit(*txn, {File("a")});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, CoordCode::kTableGone);
  EXPECT_EQ(publisher_.State(orders_), "");
}

TEST_F(CommitTest, ALockThatDoesNotComeIsATimeoutAndNothingWasDone) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  publisher_.SetLocked(true);
  const auto late = Commit(*txn, {File("a")});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, CoordCode::kLockTimeout);
  publisher_.SetLocked(false);
  ASSERT_TRUE(Commit(*txn, {File("a")}));
}

TEST_F(CommitTest, AsynchronousPublicationSendsTheNewestOnly) {
  ASSERT_TRUE(Register({{"publish", "async"}}));
  const int before = publisher_.published();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Write({File("f" + std::to_string(i))}));
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(PublishedVersion(), 5);
  EXPECT_LE(publisher_.published() - before, 5);
}

TEST_F(CommitTest, AsynchronousCommitsGoOnWhileTheMetastoreIsAwayAndArePublishedLater) {
  ASSERT_TRUE(Register({{"publish", "async"}}));
  publisher_.SetAway(true);
  ASSERT_TRUE(Write({File("a")}));
  ASSERT_TRUE(Write({File("b")}));
  Restart();
  ASSERT_TRUE(Write({File("c")}));
  publisher_.SetAway(false);
  Advance(std::chrono::seconds(60));
  EXPECT_EQ(PublishedVersion(), 3);
}

TEST_F(CommitTest, WithoutComparingATableIsRegisteredOnlyOnPurpose) {
  publisher_.SetCompares(false);
  const auto refused = Register();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, CoordCode::kUnsupportedLayout);
  EXPECT_EQ(publisher_.State(orders_), "");
  api::RegisterTableRequest request;
  request.caller = Caller();
  request.accept_no_cas = true;
  const auto table =
      Ask<api::CoordTable>([&](auto done) { coord_->tables.Register(request, std::move(done)); });
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->publish, "async");
  EXPECT_THAT(table->warnings, ::testing::Contains("metastore_does_not_compare"));
}

TEST_F(CommitTest, ATableOfAnotherDaemonIsTakenOverOnPurposeOnly) {
  publisher_.SetParameter(orders_, std::string(kStateParameter), "elsewhere:4:9:n");
  const auto refused = Register();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, CoordCode::kNotOwner);
  api::RegisterTableRequest request;
  request.caller = Caller();
  request.take_over = true;
  ASSERT_TRUE(
      Ask<api::CoordTable>([&](auto done) { coord_->tables.Register(request, std::move(done)); }));
  EXPECT_EQ(Published().epoch, 5);
}

TEST_F(CommitTest, RestartsKeepVersionsFilesAndTimesAndRaiseTheEpoch) {
  ASSERT_TRUE(Register());
  const auto before = Write({File("a")});
  const int64_t epoch = Published().epoch;
  const auto open = Begin();
  clock_.SetWall(-std::chrono::hours(5));
  Restart();
  EXPECT_GT(Published().epoch, epoch);
  const auto after = Commit(*open, {File("b")});
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->id_version, 2);
  EXPECT_GT(after->completed, before->completed);
  EXPECT_GT(after->completed, open->requested);
}

TEST_F(CommitTest, NobodyRenewsItSoItIsAborted) {
  ASSERT_TRUE(Register());
  const auto txn = Begin("INSERT", "", 1000);
  clock_.Advance(std::chrono::seconds(2));
  coord_->txns.Reap();
  Settle();
  EXPECT_EQ(GetTxn(txn->txn_id)->state, "ABORTED");
  EXPECT_EQ(Commit(*txn, {File("a")}).error().code, CoordCode::kTxnNotOpen);
}

TEST_F(CommitTest, OldTransactionsAreForgottenAndTheirVersionsStay) {
  ASSERT_TRUE(Register({{"retain_hours", "1"}}));
  const auto first = Write({File("a")});
  ASSERT_TRUE(Write({File("b")}, "UPDATE", {Gone("a")}));
  ASSERT_TRUE(Write({File("c")}));
  clock_.Advance(std::chrono::hours(2));
  coord_->txns.Reap();
  Settle();
  EXPECT_EQ(GetTxn(1).error().code, CoordCode::kNotFound);
  Restart();
  EXPECT_EQ(State()->id_version, 3);
  EXPECT_EQ(State()->live_files, 2);
  EXPECT_EQ(Write({File("d")})->id_version, 4);
}

TEST_F(CommitTest, ADroppedTableEndsItsTransactions) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  coord_->tables.OnGone(orders_);
  const auto request = CommitOf(*txn, {File("a")});
  EXPECT_EQ(Commit(request).error().code, CoordCode::kNotFound);
  auto by_id = request;
  by_id.caller.table = txn->table_id;
  EXPECT_EQ(Commit(by_id).error().code, CoordCode::kTableGone);
  publisher_.Create(orders_, "3");
  ASSERT_TRUE(Register());
  EXPECT_EQ(State()->id_version, 0);
}

TEST_F(CommitTest, ARenamedTableKeepsItsTransactions) {
  ASSERT_TRUE(Register());
  const auto txn = Begin();
  const ObjectName bills = ObjectName::Table("hive", "sales", "bills");
  publisher_.Create(bills);
  publisher_.SetParameter(bills, std::string(kStateParameter), publisher_.State(orders_));
  publisher_.Drop(orders_);
  coord_->tables.OnRenamed(orders_, bills);
  auto request = CommitOf(*txn, {File("a")});
  request.caller.table = "sales.bills";
  ASSERT_TRUE(Commit(request));
  EXPECT_EQ(PublishedState::Parse(publisher_.State(bills))->version.value(), 1);
}

struct BadFiles {
  const char* why;
  const char* type;
  std::vector<api::DataFile> added;
  std::vector<api::PartitionFile> removed;
};

class BadFilesTest : public CommitTest {
 public:
  static api::DataFile Made(const std::string& name) { return File(name); }
  static api::PartitionFile Removed(const std::string& name) { return Gone(name); }
};

TEST_F(BadFilesTest, AreRefusedWithTheirNames) {
  const std::vector<BadFiles> cases = {
      {"empty", "PK_DELTA", {Made("")}, {}},
      {"twice", "PK_DELTA", {Made("x"), Made("x")}, {}},
      {"added and removed", "PK_DELTA", {Made("x")}, {Removed("x")}},
      {"no data file", "MOR", {Made("notes.txt")}, {}},
      {"no instant", "MOR", {Made("g1_0-1-1_yesterday.parquet")}, {}},
      {"another instant", "MOR", {Made("g1_0-1-1_20200101000000000.parquet")}, {}},
  };
  for (const BadFiles& bad : cases) {
    SCOPED_TRACE(bad.why);
    ShutDown();
    std::filesystem::remove(path_);
    publisher_.Create(orders_);
    Boot();
    ASSERT_TRUE(Register({}, bad.type));
    const auto txn = Begin();
    const auto refused = Commit(*txn, bad.added, bad.removed);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, CoordCode::kInvalidArgument) << refused.error().message;
    EXPECT_EQ(GetTxn(txn->txn_id)->state, "OPEN");
  }
}

}  // namespace
}  // namespace catalogd::coord
