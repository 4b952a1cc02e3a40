// When there is a plan, and what is in it: a log that is in no slice, a plan that is made twice,
// one that nobody makes. The rows are those of the reference, by their ids there.
#include <gmock/gmock.h>

#include "catalog/coord/service/group_histories.h"
#include "tests/unit/coord_service/plan_world.h"

namespace catalogd::coord {
namespace {

using std::chrono::seconds;
using testing::CodeOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class PlanScheduleTest : public testing::PlanWorld {
 protected:
  // `count` deltas of the group, each a commit.
  void Deltas(int count, const std::string& group = "g1") {
    for (int i = 0; i < count; ++i) {
      Delta(group + "-" + std::to_string(++written_), group);
      Settle();
    }
  }
  void Check() {
    coord_->plans.CheckAllTriggers();
    Settle();
  }
  std::vector<api::PlanInfo> OnQueue() { return Plans(""); }
  // The plan is executed and its result is the only file of each of its groups.
  void Execute(const api::PlanInfo& plan) {
    const auto claim = Claim("e", plan.plan_id);
    ASSERT_TRUE(claim) << claim.error().message;
    std::vector<api::DataFile> added;
    for (const auto& group : plan.groups) {
      added.push_back(
          Base("base-" + group.file_id + "-" + std::to_string(++written_), "", group.file_id));
    }
    const auto done = Complete(*claim, added);
    ASSERT_TRUE(done) << done.error().message;
    Settle();
  }
  // Options of a table that is there.
  void Alter(const std::map<std::string, std::string>& options) {
    api::AlterOptionsRequest request;
    request.caller = Caller();
    request.table_options = options;
    const auto altered = Ask<api::CoordTable>(
        [&](auto done) { coord_->tables.AlterOptions(request, std::move(done)); });
    ASSERT_TRUE(altered) << altered.error().message;
    Settle();
  }
  int written_ = 0;
};

TEST_F(PlanScheduleTest, B01B02TheFifthDeltaCommitMakesAPlanOfAllFive) {
  ASSERT_TRUE(Register());
  Deltas(4);
  EXPECT_THAT(OnQueue(), IsEmpty());
  const auto before = Begin();
  ASSERT_TRUE(Commit(*before, {File("last", "", "g1")}));
  Settle();
  const auto plans = OnQueue();
  ASSERT_THAT(plans, SizeIs(1));
  EXPECT_EQ(plans[0].type, "COMPACT");
  EXPECT_GT(plans[0].requested, GetTxn(before->txn_id)->completed);
  ASSERT_THAT(plans[0].groups, SizeIs(1));
  EXPECT_THAT(plans[0].groups[0].logs, ElementsAre("g1-1", "g1-2", "g1-3", "g1-4", "last"));
  EXPECT_EQ(plans[0].groups[0].base, "");
  EXPECT_THAT(plans[0].trigger, HasSubstr("5 of 5 delta commits"));
}

TEST_F(PlanScheduleTest, B03B04WhatIsPlannedIsNotPlannedAgain) {
  ASSERT_TRUE(Register());
  Deltas(6);
  EXPECT_THAT(OnQueue(), SizeIs(1));
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
  Deltas(1, "g2");
  const auto plans = OnQueue();
  ASSERT_THAT(plans, SizeIs(2));
  ASSERT_THAT(plans[1].groups, SizeIs(1));
  EXPECT_EQ(plans[1].groups[0].file_id, "g2");
}

TEST_F(PlanScheduleTest, B05CountingSinceTheLastRequest) {
  ASSERT_TRUE(Register({{"trigger", "NUM_COMMITS_AFTER_LAST_REQUEST"}}));
  Deltas(5);
  Deltas(1, "g2");
  EXPECT_THAT(OnQueue(), SizeIs(1));
  const auto asked = Schedule(OrderOf("COMPACT", {}, false));
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->__isset.plan);
  EXPECT_THAT(asked->reason, HasSubstr("1 of 5"));
}

TEST_F(PlanScheduleTest, B06TheCountBeginsAnewWithACompletion) {
  ASSERT_TRUE(Register());
  Deltas(5);
  Execute(OnQueue().at(0));
  Deltas(4);
  EXPECT_THAT(OnQueue(), IsEmpty());
  Deltas(1);
  const auto plans = OnQueue();
  ASSERT_THAT(plans, SizeIs(1));
  EXPECT_EQ(plans[0].groups[0].base, "base-g1-6");
  EXPECT_THAT(plans[0].groups[0].logs, SizeIs(5));
}

TEST_F(PlanScheduleTest, B07B08TimeIsCountedInWholeSecondsSinceTheFirstDeltaCommit) {
  ASSERT_TRUE(Register({{"trigger", "TIME_ELAPSED"}}));
  Deltas(1);
  Advance(seconds(3599));
  Check();
  EXPECT_THAT(OnQueue(), IsEmpty());
  Advance(seconds(1));
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
}

TEST_F(PlanScheduleTest, B09BothConditions) {
  ASSERT_TRUE(Register({{"trigger", "NUM_AND_TIME"}, {"log_compact_min_logs", "100"}}));
  Deltas(5);
  Advance(seconds(10));
  Check();
  EXPECT_THAT(OnQueue(), IsEmpty());
  Advance(seconds(3590));
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
}

TEST_F(PlanScheduleTest, B10EitherCondition) {
  ASSERT_TRUE(Register({{"trigger", "NUM_OR_TIME"}}));
  Deltas(1);
  EXPECT_THAT(OnQueue(), IsEmpty());
  Advance(seconds(3600));
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
}

TEST_F(PlanScheduleTest, B11WithoutDeltaCommitsThereIsNoPlan) {
  ASSERT_TRUE(Register({{"trigger", "NUM_OR_TIME"}}));
  Advance(seconds(100'000));
  Check();
  EXPECT_THAT(OnQueue(), IsEmpty());
  const auto asked = Schedule(OrderOf("COMPACT"));
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->__isset.plan);
  EXPECT_THAT(asked->reason, HasSubstr("nothing to plan"));
}

TEST_F(PlanScheduleTest, B12ACopyOnWriteTableHasNothingToCompact) {
  ASSERT_TRUE(Register({{"max_delta_commits", "1"}}, "COW"));
  const auto txn = Begin();
  ASSERT_TRUE(Commit(*txn, {File("g1_0-1-1_" + txn->requested + ".parquet")}));
  Check();
  EXPECT_THAT(Plans(), IsEmpty());
  EXPECT_EQ(CodeOf(Schedule(OrderOf("COMPACT"))), CoordCode::kInvalidTableType);
  EXPECT_EQ(CodeOf(Schedule(OrderOf("LOG_COMPACT"))), CoordCode::kInvalidTableType);
  EXPECT_TRUE(Schedule(OrderOf("CLUSTER"))->__isset.plan);
}

TEST_F(PlanScheduleTest, B14LogsOfPendingTransactionsAreNotPlanned) {
  ASSERT_TRUE(Register({{"max_delta_commits", "1"}}));
  const auto open = Begin();
  ASSERT_TRUE(Write({}));
  Settle();
  EXPECT_THAT(Plans(), IsEmpty()) << "due, and nothing to take";
  const auto asked = Schedule(OrderOf("COMPACT"));
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->__isset.plan);
  EXPECT_TRUE(Commit(*open, {File("d1", "", "g1")}));
  Settle();
  EXPECT_THAT(Plans(), SizeIs(1));
}

TEST_F(PlanScheduleTest, B15ALogThatCompletesAfterThePlanIsInTheNextSlice) {
  ASSERT_TRUE(Register(Quiet(), "PK_DELTA", "hudi_nbcc"));
  Delta("d1");
  const auto late = Begin();
  const api::PlanInfo plan = Planned();
  EXPECT_THAT(plan.groups.at(0).logs, ElementsAre("d1"));
  ASSERT_TRUE(Commit(*late, {File("late", "", "g1")}));
  Execute(plan);
  const api::PlanInfo next = Planned();
  EXPECT_THAT(next.groups.at(0).logs, ElementsAre("late"));
  EXPECT_THAT(next.groups.at(0).base, HasSubstr("base-g1"));
}

TEST_F(PlanScheduleTest, B16APlanThatIsAskedForDuringACommitHasItsLog) {
  ASSERT_TRUE(Register(Quiet()));
  Delta("d1");
  std::shared_ptr<Pending<api::ScheduledPlan>> asked;
  publisher_.OnPublish([&] {
    if (asked != nullptr) return;
    asked = std::make_shared<Pending<api::ScheduledPlan>>();
    coord_->plans.Schedule(OrderOf("COMPACT"), [asked](CoordResult<api::ScheduledPlan> result) {
      const MutexLock lock(asked->mutex);
      asked->answer = std::move(result);
    });
    EXPECT_FALSE(asked->Get()) << "planned in the middle of a commit";
  });
  const auto commit = Write({File("d2", "", "g1")});
  ASSERT_TRUE(commit);
  Settle();
  const auto answer = asked->Get();
  ASSERT_TRUE(answer && *answer) << "the plan was never made";
  EXPECT_GT((*answer)->plan.requested, commit->completed);
  EXPECT_THAT((*answer)->plan.groups.at(0).logs, ElementsAre("d1", "d2"));
}

TEST_F(PlanScheduleTest, NothingIsPlannedWhileTheOutcomeOfACommitIsUnknown) {
  ASSERT_TRUE(Register(Quiet()));
  Delta("d1");
  const auto txn = Begin();
  publisher_.NextFault(testing::FakePublisher::Fault::kLostAnswer);
  ASSERT_FALSE(Commit(*txn, {File("d2", "", "g1")}));
  publisher_.SetAway(true);
  Advance(seconds(5));
  EXPECT_EQ(CodeOf(Schedule(OrderOf("COMPACT"))), CoordCode::kRetryLater);
  publisher_.SetAway(false);
  Advance(seconds(60));
  EXPECT_THAT(Planned().groups.at(0).logs, ElementsAre("d1", "d2"));
}

TEST_F(PlanScheduleTest, B17TheSecondOfTwoSchedulersFindsNothing) {
  ASSERT_TRUE(Register(Quiet()));
  Delta("d1");
  const auto first = Start<api::ScheduledPlan>(
      [&](auto done) { coord_->plans.Schedule(OrderOf("COMPACT"), std::move(done)); });
  const auto second = Start<api::ScheduledPlan>(
      [&](auto done) { coord_->plans.Schedule(OrderOf("COMPACT"), std::move(done)); });
  EXPECT_TRUE((*first->Get())->__isset.plan);
  EXPECT_FALSE((*second->Get())->__isset.plan);
  EXPECT_THAT((*second->Get())->reason, HasSubstr("pending_plan"));
  EXPECT_THAT(Plans(), SizeIs(1));
}

TEST_F(PlanScheduleTest, B18ATriggerThatFailsIsLookedAtAgain) {
  auto options = Quiet();
  options["log_compact_min_logs"] = "100";
  ASSERT_TRUE(Register(options));
  Deltas(5);
  Alter({{"max_delta_commits", "5"}});
  publisher_.SetLocked(true);
  Check();
  EXPECT_THAT(Plans(), IsEmpty());
  EXPECT_EQ(CodeOf(Schedule(OrderOf("COMPACT"))), CoordCode::kLockTimeout);
  publisher_.SetLocked(false);
  Deltas(1);
  EXPECT_THAT(Plans(), SizeIs(1));
}

TEST_F(PlanScheduleTest, TablesWhoseServicesAreOffPlanOnlyWhatIsAskedFor) {
  ASSERT_TRUE(Register({{"services", "off"}}));
  Deltas(6);
  Check();
  EXPECT_THAT(Plans(), IsEmpty());
  EXPECT_TRUE(Schedule(OrderOf("COMPACT", {}, false))->__isset.plan);
}

TEST_F(PlanScheduleTest, LogCompactionsTakeGroupsOfManyLogsAndLeaveTheBase) {
  auto options = Quiet();
  options["log_compact_min_logs"] = "3";
  ASSERT_TRUE(Register(options));
  Deltas(1);
  Execute(Planned());
  Deltas(2);
  Deltas(1, "g2");
  EXPECT_THAT(OnQueue(), IsEmpty());
  Deltas(1);
  const auto plans = OnQueue();
  ASSERT_THAT(plans, SizeIs(1));
  EXPECT_EQ(plans[0].type, "LOG_COMPACT");
  ASSERT_THAT(plans[0].groups, SizeIs(1));
  EXPECT_EQ(plans[0].groups[0].base, "");
  EXPECT_THAT(plans[0].groups[0].logs, SizeIs(3));
  const auto claim = Claim("e", plans[0].plan_id);
  ASSERT_TRUE(Complete(*claim, {File("merged", "", "g1")}));
  const api::PlanInfo next = Planned("COMPACT", {"g1"});
  EXPECT_THAT(next.groups.at(0).base, HasSubstr("base-g1"));
  EXPECT_THAT(next.groups.at(0).logs, ElementsAre("merged"));
}

TEST_F(PlanScheduleTest, ACompactionTakesThePlaceOfALogCompactionThatNobodyBegan) {
  auto options = Quiet();
  options["log_compact_min_logs"] = "2";
  ASSERT_TRUE(Register(options));
  Deltas(2, "g1");
  Deltas(2, "g2");
  const auto logs = OnQueue();
  ASSERT_THAT(logs, SizeIs(2));
  ASSERT_TRUE(Claim("e", logs[1].plan_id));
  const api::PlanInfo plan = Planned();
  ASSERT_THAT(plan.groups, SizeIs(1)) << "what is being executed stays";
  EXPECT_EQ(plan.groups[0].file_id, "g1");
  EXPECT_EQ(Show(logs[0].plan_id).state, "CANCELLED");
  EXPECT_EQ(Show(logs[1].plan_id).state, "CLAIMED");
}

TEST_F(PlanScheduleTest, TheTimerFindsGroupsThatNoCommitLookedAt) {
  auto options = Quiet();
  options["services"] = "off";
  options["log_compact_min_logs"] = "3";
  ASSERT_TRUE(Register(options));
  Deltas(3);
  Alter({{"services", "async"}});
  EXPECT_THAT(OnQueue(), IsEmpty());
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
}

TEST_F(PlanScheduleTest, TheTimerPlansAnewWhatACancelledPlanHad) {
  ASSERT_TRUE(Register());
  Deltas(5);
  Check();
  ASSERT_TRUE(Cancel(OnQueue().at(0).plan_id));
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
}

TEST_F(PlanScheduleTest, TheTimerTriesAgainWhatFailed) {
  auto options = Quiet();
  options["log_compact_min_logs"] = "100";
  ASSERT_TRUE(Register(options));
  Deltas(5);
  Alter({{"max_delta_commits", "5"}});
  publisher_.SetLocked(true);
  Check();
  publisher_.SetLocked(false);
  EXPECT_THAT(OnQueue(), IsEmpty());
  Check();
  EXPECT_THAT(OnQueue(), SizeIs(1));
}

TEST_F(PlanScheduleTest, ClusteringTakesTheGroupsAskedFor) {
  ASSERT_TRUE(Register(Quiet()));
  Delta("d1", "g1");
  Delta("d2", "g2");
  Delta("d3", "g3");
  const api::PlanInfo plan = Planned("CLUSTER", {"g1", "g3", "nowhere"});
  std::vector<std::string> groups;
  for (const auto& group : plan.groups) groups.push_back(group.file_id);
  EXPECT_THAT(groups, UnorderedElementsAre("g1", "g3"));
  const auto claim = Claim("e", plan.plan_id);
  const auto done = Complete(*claim, {Base("clustered", "", "g9")});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->time_version, "");
  EXPECT_EQ(State()->live_files, 2);
}

TEST_F(PlanScheduleTest, NamesOfMergeOnReadTablesTellTheSlices) {
  ASSERT_TRUE(Register(Quiet(), "MOR"));
  std::vector<std::string> logs;
  for (int i = 1; i <= 2; ++i) {
    const auto txn = Begin();
    logs.push_back(".g1_" + txn->requested + ".log." + std::to_string(i) + "_0-1-0");
    const auto commit = Commit(*txn, {File(logs.back())});
    ASSERT_TRUE(commit) << commit.error().message;
  }
  const api::PlanInfo plan = Planned();
  EXPECT_THAT(plan.groups.at(0).logs, ElementsAre(logs[0], logs[1]));
  EXPECT_EQ(plan.groups[0].file_id, "g1");
  const auto claim = Claim("e", plan.plan_id);
  const std::string base = "g1_0-7-1_" + plan.requested + ".parquet";
  ASSERT_TRUE(Complete(*claim, {File(base)}));
  const auto txn = Begin();
  const std::string log = ".g1_" + txn->requested + ".log.1_0-1-0";
  ASSERT_TRUE(Commit(*txn, {File(log)}));
  const api::PlanInfo next = Planned();
  EXPECT_EQ(next.groups.at(0).base, base);
  EXPECT_THAT(next.groups[0].logs, ElementsAre(log));
}

TEST_F(PlanScheduleTest, TwoBasesOfOneCommitAreBothPlanned) {
  ASSERT_TRUE(Register(Quiet()));
  ASSERT_TRUE(Write({Base("b1", "", "g1"), Base("b2", "", "g1")}));
  Delta("d1");
  const api::PlanInfo plan = Planned();
  EXPECT_EQ(plan.groups.at(0).base, "b1");
  EXPECT_THAT(plan.groups[0].logs, ElementsAre("b2", "d1"));
}

TEST_F(PlanScheduleTest, WhatMakesNoSenseIsRefused) {
  ASSERT_TRUE(Register(Quiet()));
  EXPECT_EQ(CodeOf(Schedule(OrderOf("ROLLBACK"))), CoordCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(Schedule(OrderOf("VACUUM"))), CoordCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(Schedule(OrderOf("CLEAN", {"g1"}))), CoordCode::kInvalidArgument);
  api::SchedulePlanRequest nowhere = OrderOf("COMPACT");
  nowhere.caller.table = "sales.nothing";
  EXPECT_EQ(CodeOf(Schedule(nowhere)), CoordCode::kNotFound);
}

TEST_F(PlanScheduleTest, PlansAreThereAfterARestart) {
  ASSERT_TRUE(Register(Quiet()));
  Delta("d1");
  const api::PlanInfo plan = Planned();
  Restart();
  const api::PlanInfo again = Show(plan.plan_id);
  EXPECT_EQ(again.requested, plan.requested);
  EXPECT_EQ(again.groups.at(0).logs, plan.groups.at(0).logs);
  EXPECT_EQ(again.trigger, plan.trigger);
  Delta("d2", "g2");
  EXPECT_GT(Planned().plan_id, plan.plan_id);
}

}  // namespace
}  // namespace catalogd::coord
