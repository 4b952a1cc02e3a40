// What a clean deletes: a file that some reader still needs, or one that stays for ever.
#include <gmock/gmock.h>

#include "tests/unit/coord_service/plan_world.h"

namespace catalogd::coord {
namespace {

using std::chrono::hours;
using testing::CodeOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PlanCleanTest : public testing::PlanWorld {
 protected:
  // Deltas d1 and d2, merged into base b1 by version 3.
  void Setup(std::map<std::string, std::string> options = {}) {
    options.merge(Quiet());
    ASSERT_TRUE(Register(options));
    Delta("d1");
    Delta("d2");
    const auto claim = Claim("e", Planned().plan_id);
    ASSERT_TRUE(Complete(*claim, {Base("b1", "", "g1")}));
  }
  void Pin(int64_t version, std::chrono::milliseconds life) {
    const auto table = *coord_->context.tables.Find("sales.orders");
    const int64_t until = WallMillis(clock_) + life.count();
    const CoordStatus stored = table->StoreNow([&](TableState* state) -> CoordResult<StoreBatch> {
      return StoreBatch{PinRecord{"pin", state->id(), IdVersion(version), "r", until}};
    });
    ASSERT_TRUE(stored);
  }
  // Empty: nothing to clean.
  std::vector<std::string> Removes() {
    const auto scheduled = Schedule(OrderOf("CLEAN"));
    EXPECT_TRUE(scheduled) << scheduled.error().message;
    if (!scheduled || !scheduled->__isset.plan) return {};
    EXPECT_TRUE(Cancel(scheduled->plan.plan_id));
    return scheduled->plan.removes;
  }
};

TEST_F(PlanCleanTest, FilesAreDeletedWhenNoVersionWithinTheRetentionHasThem) {
  Setup();
  EXPECT_THAT(Removes(), ElementsAre());
  Advance(hours(25));
  EXPECT_THAT(Removes(), ElementsAre("d1", "d2"));
}

TEST_F(PlanCleanTest, TheVersionBeforeTheRetentionIsStillRead) {
  Setup();
  Advance(hours(20));
  ASSERT_TRUE(Write({File("o1", "", "g1")}, "OVERWRITE"));
  Advance(hours(10));
  // "As of 24 hours ago" is version 3, which has b1.
  EXPECT_THAT(Removes(), ElementsAre("d1", "d2"));
  Advance(hours(20));
  EXPECT_THAT(Removes(), ElementsAre("b1", "d1", "d2"));
}

TEST_F(PlanCleanTest, APinHoldsItsVersionUntilItEnds) {
  Setup();
  Pin(1, hours(48));
  Advance(hours(25));
  EXPECT_THAT(Removes(), ElementsAre("d2"));
  Advance(hours(24));
  EXPECT_THAT(Removes(), ElementsAre("d1", "d2"));
}

TEST_F(PlanCleanTest, AnOpenTransactionHoldsItsSnapshot) {
  ASSERT_TRUE(Register({{"retain_hours", "0"}, {"max_delta_commits", "1000"}}));
  Delta("d1");
  const auto open = Begin("INSERT");
  const auto claim = Claim("e", Planned().plan_id);
  ASSERT_TRUE(Complete(*claim, {Base("b1", "", "g1")}));
  Advance(std::chrono::seconds(10));
  EXPECT_THAT(Removes(), ElementsAre());
  api::AbortRequest abort;
  abort.caller = Caller();
  abort.txn_id = open->txn_id;
  abort.fence = open->fence;
  ASSERT_TRUE(Ask<api::TxnInfo>([&](auto done) { coord_->txns.Abort(abort, std::move(done)); }));
  EXPECT_THAT(Removes(), ElementsAre("d1"));
}

TEST_F(PlanCleanTest, InputsOfAPendingPlanAreHeld) {
  ASSERT_TRUE(Register({{"retain_hours", "0"}, {"max_delta_commits", "1000"}}));
  Delta("d1");
  const int64_t plan = Planned().plan_id;
  ASSERT_TRUE(Write({File("o1", "", "g1")}, "OVERWRITE"));
  Advance(std::chrono::seconds(10));
  EXPECT_THAT(Removes(), ElementsAre());
  ASSERT_TRUE(Cancel(plan));
  EXPECT_THAT(Removes(), ElementsAre("d1"));
}

TEST_F(PlanCleanTest, PathsHaveThePartition) {
  ASSERT_TRUE(Register({{"retain_hours", "0"}, {"partitioned", "true"}}));
  ASSERT_TRUE(Write({File("a", "p=1", "g1")}));
  ASSERT_TRUE(Write({File("b", "p=1", "g1")}, "OVERWRITE"));
  Advance(std::chrono::seconds(10));
  EXPECT_THAT(Removes(), ElementsAre("p=1/a"));
}

TEST_F(PlanCleanTest, ANameThatIsLiveAgainIsNotDeleted) {
  ASSERT_TRUE(Register({{"retain_hours", "0"}}));
  Delta("a");
  ASSERT_TRUE(Write({File("b", "", "g1")}, "OVERWRITE"));
  ASSERT_TRUE(Write({File("a", "", "g1")}, "OVERWRITE"));
  Advance(std::chrono::seconds(10));
  EXPECT_THAT(Removes(), ElementsAre("b"));
}

TEST_F(PlanCleanTest, OlderSlicesThatNoCommitRemovedAreDeletedToo) {
  ASSERT_TRUE(Register({{"retain_hours", "0"}}, "COW"));
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    const auto txn = Begin("UPDATE");
    names.push_back("g1_0-1-1_" + txn->requested + ".parquet");
    ASSERT_TRUE(Commit(*txn, {File(names.back())}));
    Advance(std::chrono::seconds(10));
  }
  EXPECT_THAT(Removes(), ElementsAre(names[0]));
}

TEST_F(PlanCleanTest, ACleanMakesNoVersionAndIsNotPlannedTwice) {
  Setup();
  Advance(hours(25));
  const auto scheduled = Schedule(OrderOf("CLEAN"));
  ASSERT_TRUE(scheduled->__isset.plan) << scheduled->reason;
  EXPECT_FALSE(Schedule(OrderOf("CLEAN"))->__isset.plan) << "another clean is about to";
  const auto a = Claim("A", scheduled->plan.plan_id);
  ASSERT_TRUE(a);
  const int64_t version = State()->id_version;
  EXPECT_EQ(CodeOf(Complete(*a, {File("x")})), CoordCode::kInvalidArgument);
  const auto done = Complete(*a);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_GT(done->completed, a->plan.requested);
  EXPECT_EQ(State()->id_version, version);
  EXPECT_EQ(Show(a->plan.plan_id).state, "COMPLETED");
  EXPECT_FALSE(Schedule(OrderOf("CLEAN"))->__isset.plan);
  // The next commit has the next version.
  Delta("d3");
  EXPECT_EQ(State()->id_version, version + 1);
}

TEST_F(PlanCleanTest, A01A09A10ACompletedCleanIsOverForEveryone) {
  Setup();
  Advance(hours(25));
  const int64_t plan = Planned("CLEAN").plan_id;
  const auto a = Claim("A", plan);
  const auto first = Complete(*a);
  ASSERT_TRUE(first);
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kPlanAlreadyCompleted);
  Restart();
  const auto again = Complete(*a);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->completed, first->completed);
  EXPECT_EQ(CodeOf(Cancel(plan)), CoordCode::kTooLate);
}

TEST_F(PlanCleanTest, A23TheSecondExecutorOfACleanIsFenced) {
  Setup();
  Advance(hours(25));
  const int64_t plan = Planned("CLEAN").plan_id;
  const auto a = Claim("A", plan);
  Advance(hours(1));
  const auto b = Claim("B", plan);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->plan.removes, a->plan.removes);
  ASSERT_TRUE(Complete(*b));
  EXPECT_EQ(CodeOf(Complete(*a)), CoordCode::kFenced);
}

}  // namespace
}  // namespace catalogd::coord
