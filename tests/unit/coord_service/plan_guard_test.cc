// Two executors of one plan through the service: what each is told, and what is stored. The rows
// are those of the reference, by their ids there.
#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/coord_service/plan_world.h"

namespace catalogd::coord {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::CodeOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr seconds kLease(120);

class PlanGuardTest : public testing::PlanWorld {
 protected:
  // A compaction of one group with one delta.
  int64_t Setup(std::map<std::string, std::string> options = {}) {
    options.merge(Quiet());
    const auto registered = Register(options);
    EXPECT_TRUE(registered) << registered.error().message;
    table_id_ = registered->table_id;
    Delta("d1");
    return Planned().plan_id;
  }
  std::string table_id_;
};

TEST_F(PlanGuardTest, A01ACompletedPlanIsNotExecutedAgain) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  ASSERT_TRUE(a) << a.error().message;
  const auto done = Complete(*a, {Base("b1", "", "g1")});
  ASSERT_TRUE(done) << done.error().message;
  const auto b = Claim("B", plan);
  EXPECT_EQ(CodeOf(b), CoordCode::kPlanAlreadyCompleted);
  EXPECT_THAT(b.error().message, HasSubstr(done->completed));
  EXPECT_EQ(State()->id_version, done->id_version);
  EXPECT_EQ(Show(plan).state, "COMPLETED");
}

TEST_F(PlanGuardTest, A02OneOfAHundredClaimsIsGranted) {
  const int64_t plan = Setup();
  std::vector<std::shared_ptr<Pending<api::ClaimedPlan>>> answers(100);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < answers.size(); ++i) {
    answers[i] = std::make_shared<Pending<api::ClaimedPlan>>();
    threads.emplace_back([this, plan, i, answer = answers[i]] {
      coord_->plans.Claim(ClaimOf("e" + std::to_string(i), plan),
                          [answer](CoordResult<api::ClaimedPlan> result) {
                            const MutexLock lock(answer->mutex);
                            answer->answer = std::move(result);
                          });
    });
  }
  for (std::thread& thread : threads) thread.join();
  Settle();
  const std::string winner = Show(plan).owner;
  int granted = 0;
  for (const auto& answer : answers) {
    const auto result = answer->Get();
    ASSERT_TRUE(result);
    if (*result) {
      ++granted;
      continue;
    }
    EXPECT_EQ(CodeOf(*result), CoordCode::kPlanBusy);
    EXPECT_EQ(result->error().details.at("owner"), winner);
  }
  EXPECT_EQ(granted, 1);
  EXPECT_EQ(Show(plan).attempts, 1);
}

TEST_F(PlanGuardTest, A03ADeadHolderIsReplacedAfterItsLease) {
  const int64_t plan = Setup();
  ASSERT_TRUE(Claim("A", plan));
  Advance(kLease / 2);
  const auto early = Claim("B", plan);
  EXPECT_EQ(CodeOf(early), CoordCode::kPlanBusy);
  EXPECT_EQ(early.error().retry_after, kLease / 2);
  Advance(kLease / 2 + milliseconds(1));
  const auto late = Claim("B", plan);
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_TRUE(late->takeover);
  EXPECT_EQ(late->attempt, 2);
  EXPECT_EQ(coord_->context.counters.takeovers.load(), 1);
}

TEST_F(PlanGuardTest, A04AtTheEndOfTheLeaseNothingIsExpired) {
  const int64_t plan = Setup();
  ASSERT_TRUE(Claim("A", plan));
  Advance(kLease);
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kPlanBusy);
}

TEST_F(PlanGuardTest, A05FilesOfADeadAttemptAreNamedToTheNext) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  ASSERT_TRUE(Announce(*a, {"a1", "a2"}));
  ASSERT_TRUE(Announce(*a, {"a3", "a1"}));
  Advance(kLease + milliseconds(1));
  const auto b = Claim("B", plan);
  ASSERT_TRUE(b);
  EXPECT_THAT(b->earlier_files, ElementsAre("a1", "a2", "a3"));
  const auto done = Complete(*b, {Base("b1", "", "g1")});
  ASSERT_TRUE(done);
  EXPECT_THAT(done->files_to_remove, ElementsAre("a1", "a2", "a3"));
  EXPECT_EQ(State()->live_files, 1);
}

TEST_F(PlanGuardTest, A06WhoWasReplacedCannotComplete) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  Advance(kLease + milliseconds(1));
  const auto b = Claim("B", plan);
  const auto done = Complete(*b, {Base("b1", "", "g1")});
  ASSERT_TRUE(done);
  EXPECT_EQ(CodeOf(Complete(*a, {Base("a1", "", "g1")})), CoordCode::kFenced);
  EXPECT_EQ(State()->id_version, done->id_version);
}

TEST_F(PlanGuardTest, A07A08ABeatOfWhoWasReplacedChangesNothing) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  Advance(kLease + milliseconds(1));
  const auto b = Claim("B", plan);
  Advance(seconds(10));
  EXPECT_EQ(CodeOf(Beat(*a)), CoordCode::kFenced);
  EXPECT_EQ(CodeOf(Announce(*a, {"a1"})), CoordCode::kFenced);
  EXPECT_EQ(CodeOf(Fail(*a, "x")), CoordCode::kFenced);
  EXPECT_EQ(CodeOf(Abort(*a)), CoordCode::kFenced);
  const api::PlanInfo now = Show(plan);
  EXPECT_EQ(now.owner, "B");
  EXPECT_EQ(milliseconds(now.remaining_ms), kLease - seconds(10));
  EXPECT_EQ(coord_->context.counters.fenced.load(), 4);
}

TEST_F(PlanGuardTest, A09A10ACompletionThatIsSentAgainHasItsAnswerAlsoAfterARestart) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  const auto first = Complete(*a, {Base("b1", "", "g1")});
  ASSERT_TRUE(first);
  Restart();
  const auto again = Complete(*a, {Base("b1", "", "g1")});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->completed, first->completed);
  EXPECT_EQ(again->id_version, first->id_version);
}

TEST_F(PlanGuardTest, A12AFailureFreesThePlanAfterItsBackOff) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  const auto failed = Fail(*a, "disk full");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->state, "REQUESTED");
  EXPECT_EQ(failed->last_error, "disk full");
  EXPECT_EQ(failed->retry_in_ms, 30'000);
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kRetryLater);
  Advance(seconds(30));
  const auto b = Claim("B", plan);
  ASSERT_TRUE(b) << b.error().message;
  EXPECT_EQ(b->attempt, 2);
  EXPECT_FALSE(b->takeover);
}

TEST_F(PlanGuardTest, A14WhoHoldsItMayClaimItAgainWithItsFence) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  EXPECT_EQ(CodeOf(Claim("A", plan)), CoordCode::kPlanBusy);
  const auto again = Claim("A", plan, a->fence);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->fence, a->fence);
  EXPECT_EQ(again->attempt, 1);
  EXPECT_EQ(CodeOf(Claim("B", plan, a->fence)), CoordCode::kPlanBusy);
}

TEST_F(PlanGuardTest, A15ClaimsGetAFullLeaseAfterARestart) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  Advance(kLease - seconds(1));
  Restart();
  EXPECT_EQ(milliseconds(Show(plan).remaining_ms), kLease);
  Advance(kLease - seconds(1));
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kPlanBusy);
  const auto beat = Beat(*a);
  ASSERT_TRUE(beat) << beat.error().message;
  EXPECT_EQ(milliseconds(beat->remaining_ms), kLease);
}

TEST_F(PlanGuardTest, A16AWallClockThatJumpsChangesNoLease) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  clock_.SetWall(hours(1));
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kPlanBusy);
  clock_.SetWall(-hours(2));
  EXPECT_EQ(milliseconds(Show(plan).remaining_ms), kLease);
  Advance(kLease + milliseconds(1));
  EXPECT_TRUE(Claim("B", plan));
}

TEST_F(PlanGuardTest, A18BeatsKeepAClaimAliveHoweverLongTheJobIs) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  for (int i = 0; i < 5; ++i) {
    Advance(minutes(1));
    ASSERT_TRUE(Beat(*a, "step " + std::to_string(i)));
  }
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kPlanBusy);
  EXPECT_EQ(Show(plan).progress, "step 4");
}

TEST_F(PlanGuardTest, A19AnExpiredHolderWhomNobodyReplacedMayComplete) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  Advance(hours(1));
  EXPECT_TRUE(Complete(*a, {Base("b1", "", "g1")}));
  static_cast<void>(plan);
}

TEST_F(PlanGuardTest, A19UnderStrictExpiryItMayNot) {
  Setup({{"strict_expiry", "true"}});
  const auto a = Claim("A");
  Advance(hours(1));
  EXPECT_EQ(CodeOf(Beat(*a)), CoordCode::kClaimExpired);
  EXPECT_EQ(CodeOf(Complete(*a, {Base("b1", "", "g1")})), CoordCode::kClaimExpired);
}

TEST_F(PlanGuardTest, A24ARollbackDuringTheCommitIsTooLate) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  std::vector<CoordCode> codes;
  publisher_.OnPublish([&] {
    codes.push_back(CodeOf(Rollback("B", plan)));
    codes.push_back(CodeOf(Cancel(plan)));
    codes.push_back(CodeOf(Claim("B", plan)));
    codes.push_back(CodeOf(Beat(*a)));
  });
  const auto done = Complete(*a, {Base("b1", "", "g1")});
  publisher_.OnPublish(nullptr);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(codes, ElementsAre(CoordCode::kTooLate, CoordCode::kTooLate, CoordCode::kPlanBusy,
                                 CoordCode()));
  EXPECT_EQ(CodeOf(Rollback("B", plan)), CoordCode::kTooLate);
}

TEST_F(PlanGuardTest, A25ARollbackTakesThePlanFromItsDeadHolder) {
  const int64_t plan = Setup();
  EXPECT_EQ(CodeOf(Rollback("B", plan)), CoordCode::kNothingToRollBack);
  const auto a = Claim("A", plan);
  ASSERT_TRUE(Announce(*a, {"a1"}));
  EXPECT_EQ(CodeOf(Rollback("B", plan)), CoordCode::kInstantAlive);
  Advance(kLease + milliseconds(1));
  const auto b = Rollback("B", plan);
  ASSERT_TRUE(b) << b.error().message;
  EXPECT_EQ(b->plan.type, "ROLLBACK");
  EXPECT_EQ(b->plan.target, Show(plan).requested);
  EXPECT_THAT(b->earlier_files, ElementsAre("a1"));
  EXPECT_GT(b->fence, a->fence);
  EXPECT_EQ(CodeOf(Complete(*a, {Base("b1", "", "g1")})), CoordCode::kFenced);
  EXPECT_EQ(Show(plan).state, "REQUESTED");
  const int64_t version = State()->id_version;
  const auto done = Complete(*b);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(State()->id_version, version) << "a rollback makes no version";
  EXPECT_EQ(Show(b->plan.plan_id).state, "COMPLETED");
}

TEST_F(PlanGuardTest, A26ASecondRollbackIsTheFirstOne) {
  const int64_t plan = Setup();
  ASSERT_TRUE(Claim("A", plan));
  Advance(kLease + milliseconds(1));
  const auto b = Rollback("B", plan);
  ASSERT_TRUE(b);
  EXPECT_EQ(CodeOf(Rollback("C", plan)), CoordCode::kPlanBusy);
  Advance(kLease + milliseconds(1));
  const auto c = Rollback("C", plan);
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->plan.plan_id, b->plan.plan_id);
  EXPECT_TRUE(c->takeover);
  EXPECT_EQ(Plans().size(), 2U);
}

TEST_F(PlanGuardTest, A27AHolderIsAskedToEnd) {
  ASSERT_TRUE(Register(Quiet()));
  Delta("d1");
  api::SchedulePlanRequest order = OrderOf("COMPACT");
  order.cancellable = true;
  const int64_t plan = Schedule(order)->plan.plan_id;
  const auto a = Claim("A", plan);
  EXPECT_EQ(CodeOf(Abort(*a)), CoordCode::kNotCancelled);
  EXPECT_EQ(CodeOf(Cancel(plan)), CoordCode::kCancelPending);
  EXPECT_TRUE(Show(plan).cancel_requested);
  const auto beat = Beat(*a);
  ASSERT_TRUE(beat);
  EXPECT_TRUE(beat->cancel);
  const auto aborted = Abort(*a);
  ASSERT_TRUE(aborted);
  EXPECT_EQ(aborted->state, "CANCELLED");
  EXPECT_EQ(CodeOf(Claim("B", plan)), CoordCode::kPlanCancelled);
}

TEST_F(PlanGuardTest, WhatIsNotCancellableIsCancelledWhenNobodyRunsIt) {
  const int64_t plan = Setup();
  ASSERT_TRUE(Claim("A", plan));
  EXPECT_EQ(CodeOf(Cancel(plan)), CoordCode::kPlanBusy);
  EXPECT_FALSE(Show(plan).cancel_requested);
  Advance(kLease + milliseconds(1));
  const auto cancelled = Cancel(plan);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->state, "CANCELLED");
}

TEST_F(PlanGuardTest, A28AFileGroupIsInOnePendingPlan) {
  Setup();
  Delta("d2", "g2");
  const auto second = Schedule(OrderOf("COMPACT"));
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->__isset.plan) << second->reason;
  ASSERT_EQ(second->plan.groups.size(), 1U);
  EXPECT_EQ(second->plan.groups[0].file_id, "g2");
  EXPECT_THAT(second->reason, HasSubstr("1 left out: pending_plan"));
  EXPECT_FALSE(Schedule(OrderOf("CLUSTER"))->__isset.plan);
}

TEST_F(PlanGuardTest, A29AfterADropExecutorsAreToldThatTheTableIsGone) {
  const int64_t plan = Setup();
  api::ClaimedPlan a = *Claim("A", plan);
  coord_->tables.OnGone(orders_);
  Settle();
  api::PlanCall beat;
  beat.caller = CallerOf("A", table_id_);
  beat.plan_id = plan;
  beat.fence = a.fence;
  EXPECT_EQ(CodeOf(Ask<api::Beat>([&](auto done) { coord_->plans.Beat(beat, std::move(done)); })),
            CoordCode::kTableGone);
  api::CommitRequest completion = CompletionOf(a, {Base("b1", "", "g1")});
  completion.caller.table = table_id_;
  EXPECT_EQ(CodeOf(Ask<api::CommitResult>(
                [&](auto done) { coord_->plans.Complete(completion, std::move(done)); })),
            CoordCode::kTableGone);
}

TEST_F(PlanGuardTest, A30ATableThatWasCreatedAgainIsUntouched) {
  const int64_t plan = Setup();
  api::ClaimedPlan a = *Claim("A", plan);
  coord_->tables.OnGone(orders_);
  publisher_.Drop(orders_);
  publisher_.Create(orders_, "2");
  Settle();
  const auto registered = Register(Quiet());
  ASSERT_TRUE(registered) << registered.error().message;
  ASSERT_NE(registered->table_id, table_id_);
  api::CommitRequest completion = CompletionOf(a, {Base("b1", "", "g1")});
  completion.caller.table = table_id_;
  EXPECT_EQ(CodeOf(Ask<api::CommitResult>(
                [&](auto done) { coord_->plans.Complete(completion, std::move(done)); })),
            CoordCode::kTableGone);
  EXPECT_EQ(CodeOf(Beat(a)), CoordCode::kNotFound);
  EXPECT_EQ(State()->id_version, 0);
}

TEST_F(PlanGuardTest, A35APlanWhoseInputsWereOverwrittenIsCancelled) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  ASSERT_TRUE(Write({File("o1", "", "g1")}, "OVERWRITE"));
  const auto done = Complete(*a, {Base("b1", "", "g1")});
  EXPECT_FALSE(done);
  EXPECT_EQ(Show(plan).state, "CANCELLED");
  EXPECT_EQ(State()->live_files, 1);
}

TEST_F(PlanGuardTest, ARetriedClaimUnderItsKeyHasTheAnswerOfTheFirst) {
  const int64_t plan = Setup();
  api::ClaimPlanRequest request = ClaimOf("A");
  request.caller.idempotency_key = "k1";
  const auto first = Claim(request);
  ASSERT_TRUE(first);
  const auto again = Claim(request);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->fence, first->fence);
  EXPECT_EQ(again->plan.plan_id, plan);
  request.caller.owner = "B";
  EXPECT_EQ(CodeOf(Claim(request)), CoordCode::kNoneAvailable);
}

TEST_F(PlanGuardTest, NamesThatLeadOutOfTheTableAreRefused) {
  const int64_t plan = Setup();
  const auto a = Claim("A", plan);
  for (const char* name : {"", "/etc/passwd", "../x", "p=1/../../x", "p=1/.."}) {
    EXPECT_EQ(CodeOf(Announce(*a, {name})), CoordCode::kInvalidArgument) << name;
  }
  EXPECT_TRUE(Announce(*a, {"p=1/..x", "a..b"}));
}

TEST_F(PlanGuardTest, PlansAreFoundWithoutATable) {
  const int64_t plan = Setup();
  api::PlanCall request;
  request.plan_id = plan;
  EXPECT_TRUE(coord_->plans.Get(request));
  request.plan_id = 99;
  EXPECT_EQ(CodeOf(coord_->plans.Get(request)), CoordCode::kNotFound);
  api::ListPlansRequest list;
  EXPECT_EQ(coord_->plans.List(list)->size(), 1U);
  list.state = "NONSENSE";
  EXPECT_EQ(CodeOf(coord_->plans.List(list)), CoordCode::kInvalidArgument);
  list.state = "COMPLETED";
  EXPECT_TRUE(coord_->plans.List(list)->empty());
}

}  // namespace
}  // namespace catalogd::coord
