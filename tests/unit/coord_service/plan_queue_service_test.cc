// Executors that ask for whatever there is, and wait for it: a plan that nobody is offered, one
// that is offered to the wrong one, a wait that never ends. The rows are those of the reference,
// by their ids there.
#include <gmock/gmock.h>

#include "tests/unit/coord_service/plan_world.h"

namespace catalogd::coord {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::CodeOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr seconds kLease(120);

class PlanQueueTest : public testing::PlanWorld {
 protected:
  void Setup(int plans, std::map<std::string, std::string> options = {}) {
    options.merge(Quiet());
    // Compactions of different file groups do not meet.
    const auto registered = Register(options, "PK_DELTA", "hudi_occ");
    ASSERT_TRUE(registered) << registered.error().message;
    for (int i = 1; i <= plans; ++i) AddPlan();
  }
  int64_t AddPlan() {
    const std::string group = "g" + std::to_string(++groups_);
    Delta("d-" + group, group);
    ids_.push_back(Planned("COMPACT", {group}).plan_id);
    return ids_.back();
  }
  // Whatever is offered, one after the other.
  std::vector<int64_t> ClaimAll(const std::string& owner) {
    std::vector<int64_t> claimed;
    for (auto claim = Claim(owner); claim; claim = Claim(owner)) {
      claimed.push_back(claim->plan.plan_id);
    }
    return claimed;
  }
  std::shared_ptr<Pending<api::WaitPlansResult>> StartWait(int32_t max_pending,
                                                           int64_t timeout_ms) {
    api::WaitPlansRequest request;
    request.caller = Caller();
    request.max_pending = max_pending;
    request.timeout_ms = timeout_ms;
    return Start<api::WaitPlansResult>(
        [&](auto done) { coord_->plans.Wait(request, std::move(done)); });
  }
  void Execute(int64_t plan) {
    const auto claim = Claim("e", plan);
    ASSERT_TRUE(claim) << claim.error().message;
    const std::string group = claim->plan.groups.at(0).file_id;
    const auto done = Complete(*claim, {Base("base-" + group, "", group)});
    ASSERT_TRUE(done) << done.error().message;
  }
  int groups_ = 0;
  std::vector<int64_t> ids_;
};

TEST_F(PlanQueueTest, B19AfterARestartAllThatIsFreeIsOfferedOldestFirst) {
  Setup(4);
  ASSERT_TRUE(Claim("dead", ids_[1]));
  Advance(kLease + milliseconds(1));
  coord_->plans.CheckAllTriggers();
  Settle();
  Restart();
  EXPECT_EQ(ClaimAll("B"), ids_);
}

TEST_F(PlanQueueTest, B20ALiveClaimIsNotOfferedBeforeItsNewLeaseIsOver) {
  Setup(1);
  ASSERT_TRUE(Claim("A", ids_[0]));
  Advance(kLease / 2);
  coord_->plans.CheckAllTriggers();
  Restart();
  EXPECT_EQ(CodeOf(Claim("B")), CoordCode::kNoneAvailable);
  Advance(kLease);
  EXPECT_EQ(CodeOf(Claim("B")), CoordCode::kNoneAvailable);
  Advance(milliseconds(1));
  EXPECT_TRUE(Claim("B"));
}

TEST_F(PlanQueueTest, B22AFailedPlanWaitsWhileOthersGoOn) {
  Setup(2);
  const auto a = Claim("A");
  ASSERT_EQ(a->plan.plan_id, ids_[0]);
  ASSERT_TRUE(Fail(*a, "exit code 1"));
  EXPECT_EQ(Show(ids_[0]).attempts, 1);
  EXPECT_EQ(State()->service_state, "DEGRADED");
  EXPECT_EQ(State()->last_error, "exit code 1");
  EXPECT_THAT(ClaimAll("A"), ElementsAre(ids_[1]));
  Advance(seconds(30));
  EXPECT_THAT(ClaimAll("A"), ElementsAre(ids_[0]));
}

TEST_F(PlanQueueTest, B23OutOfAttemptsUntilAnOperatorDecides) {
  Setup(1, {{"max_attempts", "2"}, {"backoff_ms", "0"}});
  for (int i = 0; i < 2; ++i) {
    const auto a = Claim("A");
    ASSERT_TRUE(a) << a.error().message;
    ASSERT_TRUE(Fail(*a, "no"));
  }
  EXPECT_EQ(Show(ids_[0]).state, "FAILED");
  EXPECT_EQ(CodeOf(Claim("A", ids_[0])), CoordCode::kPlanFailed);
  EXPECT_EQ(CodeOf(Claim("A")), CoordCode::kNoneAvailable);
  EXPECT_FALSE(Schedule(OrderOf("COMPACT"))->__isset.plan) << "its groups stay its own";
  const auto reset = Reset(ids_[0]);
  ASSERT_TRUE(reset) << reset.error().message;
  EXPECT_EQ(reset->state, "REQUESTED");
  EXPECT_EQ(reset->attempts, 0);
  const auto a = Claim("A");
  ASSERT_TRUE(a);
  EXPECT_EQ(CodeOf(Reset(ids_[0])), CoordCode::kPlanBusy);
  Execute(AddPlan());
  EXPECT_EQ(CodeOf(Reset(ids_.back())), CoordCode::kPlanAlreadyCompleted);
}

TEST_F(PlanQueueTest, AClaimMayFindThatAPlanIsOutOfAttempts) {
  Setup(1, {{"max_attempts", "1"}});
  const auto a = Claim("A");
  Advance(kLease + milliseconds(1));
  EXPECT_EQ(CodeOf(Claim("B")), CoordCode::kNoneAvailable);
  EXPECT_EQ(Show(ids_[0]).state, "FAILED");
  EXPECT_EQ(CodeOf(Complete(*a, {Base("b", "", "g1")})), CoordCode::kFenced);
  Restart();
  EXPECT_EQ(Show(ids_[0]).state, "FAILED");
}

TEST_F(PlanQueueTest, CancelledPlansFreeTheirGroups) {
  Setup(1);
  ASSERT_TRUE(Cancel(ids_[0]));
  EXPECT_EQ(CodeOf(Claim("A", ids_[0])), CoordCode::kPlanCancelled);
  EXPECT_TRUE(Schedule(OrderOf("COMPACT"))->__isset.plan);
}

TEST_F(PlanQueueTest, AClaimWaitsUntilThereIsAPlan) {
  Setup(0);
  const auto claim = StartClaim("A", 60'000);
  EXPECT_FALSE(claim->Get());
  AddPlan();
  Settle();
  const auto answer = claim->Get();
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->plan.plan_id, ids_[0]);
  EXPECT_EQ(Show(ids_[0]).owner, "A");
}

TEST_F(PlanQueueTest, AClaimThatWaitsForNothingEnds) {
  Setup(0);
  const auto claim = StartClaim("A", 60'000);
  Advance(seconds(59));
  EXPECT_FALSE(claim->Get());
  Advance(seconds(1));
  const auto answer = claim->Get();
  ASSERT_TRUE(answer);
  EXPECT_EQ(CodeOf(*answer), CoordCode::kNoneAvailable);
  EXPECT_EQ(coord_->context.parking.waiting(), 0U);
}

TEST_F(PlanQueueTest, AClaimThatWaitsSeesABackOffEnd) {
  Setup(1);
  ASSERT_TRUE(Fail(*Claim("A"), "no"));
  const auto claim = StartClaim("B", 600'000);
  Advance(seconds(29));
  EXPECT_FALSE(claim->Get());
  Advance(seconds(1));
  ASSERT_TRUE(claim->Get());
  EXPECT_TRUE(*claim->Get());
}

TEST_F(PlanQueueTest, AClaimThatWaitsSeesALeaseEndAlsoOneThatABeatProlonged) {
  Setup(1);
  const auto a = Claim("A");
  const auto claim = StartClaim("B", 600'000);
  Advance(seconds(60));
  ASSERT_TRUE(Beat(*a));
  Advance(kLease);
  EXPECT_FALSE(claim->Get());
  Advance(milliseconds(1));
  ASSERT_TRUE(claim->Get());
  ASSERT_TRUE(*claim->Get());
  EXPECT_TRUE((*claim->Get())->takeover);
}

TEST_F(PlanQueueTest, OneOfTwoWhoWaitGetsThePlan) {
  Setup(0);
  const auto a = StartClaim("A", 60'000);
  const auto b = StartClaim("B", 60'000);
  AddPlan();
  Settle();
  EXPECT_NE(a->Get().has_value(), b->Get().has_value());
  AddPlan();
  Settle();
  ASSERT_TRUE(a->Get() && b->Get());
  EXPECT_NE((*a->Get())->plan.plan_id, (*b->Get())->plan.plan_id);
}

TEST_F(PlanQueueTest, WhoWaitsIsToldThatTheDaemonStops) {
  Setup(0);
  const auto claim = StartClaim("A", 60'000);
  ShutDown();
  ASSERT_TRUE(claim->Get());
  EXPECT_EQ(CodeOf(*claim->Get()), CoordCode::kStopping);
}

TEST_F(PlanQueueTest, OnlyPlansOfTheTypesAskedForAreOffered) {
  Setup(1);
  Delta("x1", "gx");
  const int64_t cluster = Planned("CLUSTER", {"gx"}).plan_id;
  api::ClaimPlanRequest request = ClaimOf("A");
  request.types = {"CLEAN", "CLUSTER"};
  const auto a = Claim(request);
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_EQ(a->plan.plan_id, cluster);
  EXPECT_EQ(CodeOf(Claim(request)), CoordCode::kNoneAvailable);
  request.types = {"VACUUM"};
  EXPECT_EQ(CodeOf(Claim(request)), CoordCode::kInvalidArgument);
}

TEST_F(PlanQueueTest, ALeaseIsAsAskedForAndNoLongerThanTheTableAllows) {
  Setup(2, {{"max_lease_ms", "600000"}});
  api::ClaimPlanRequest request = ClaimOf("A");
  request.lease_ms = 5000;
  EXPECT_EQ(Claim(request)->lease_ms, 5000);
  request.lease_ms = 3'600'000;
  EXPECT_EQ(Claim(request)->lease_ms, 600'000);
  request.lease_ms = -1;
  EXPECT_EQ(CodeOf(Claim(request)), CoordCode::kInvalidArgument);
  request.lease_ms = 0;
  request.caller.owner = "";
  EXPECT_EQ(CodeOf(Claim(request)), CoordCode::kInvalidArgument);
}

TEST_F(PlanQueueTest, TablesTakeTurns) {
  Setup(2);
  const ObjectName other = ObjectName::Table("hive", "sales", "other");
  publisher_.Create(other);
  api::RegisterTableRequest registration;
  registration.caller = Caller("sales.other");
  registration.type = "PK_DELTA";
  registration.table_options = Quiet();
  ASSERT_TRUE(Ask<api::CoordTable>(
      [&](auto done) { coord_->tables.Register(registration, std::move(done)); }));
  api::BeginTxnRequest begin;
  begin.caller = Caller("sales.other");
  begin.op = "INSERT";
  const auto txn =
      Ask<api::TxnInfo>([&](auto done) { coord_->txns.Begin(begin, std::move(done)); });
  ASSERT_TRUE(txn) << txn.error().message;
  api::CommitRequest commit = CommitOf(*txn, {File("o1", "", "g1"), File("o2", "", "g2")});
  commit.caller.table = "sales.other";
  ASSERT_TRUE(Commit(commit));
  for (const char* group : {"g1", "g2"}) {
    api::SchedulePlanRequest order = OrderOf("COMPACT", {group});
    order.caller.table = "sales.other";
    ASSERT_TRUE(Schedule(order)->__isset.plan);
  }
  std::vector<std::string> served;
  for (int i = 0; i < 4; ++i) {
    api::ClaimPlanRequest request = ClaimOf("A");
    request.caller.table = "";
    const auto claim = Claim(request);
    ASSERT_TRUE(claim) << claim.error().message;
    served.push_back(claim->plan.table_name);
  }
  EXPECT_NE(served[0], served[1]);
  EXPECT_EQ(served[0], served[2]);
  EXPECT_EQ(served[1], served[3]);
}

TEST_F(PlanQueueTest, B24WaitingForPlansEndsInTimeAndWhenThereAreFewEnough) {
  Setup(4);
  const auto timed = StartWait(2, 5000);
  const auto reached = StartWait(2, 600'000);
  Advance(seconds(4));
  EXPECT_FALSE(timed->Get());
  Advance(seconds(1));
  ASSERT_TRUE(timed->Get());
  EXPECT_EQ((*timed->Get())->outcome, "TIMEOUT");
  EXPECT_EQ((*timed->Get())->pending, 4);
  Execute(ids_[0]);
  Settle();
  EXPECT_FALSE(reached->Get());
  Execute(ids_[1]);
  Settle();
  ASSERT_TRUE(reached->Get());
  EXPECT_EQ((*reached->Get())->outcome, "REACHED");
  EXPECT_EQ((*reached->Get())->pending, 2);
}

TEST_F(PlanQueueTest, B24WaitingEndsAtOnceWhenNobodyExecutes) {
  Setup(1, {{"services", "off"}});
  const auto stopped = StartWait(0, 600'000);
  ASSERT_TRUE(stopped->Get());
  EXPECT_EQ((*stopped->Get())->outcome, "STOPPED");
  const auto reached = StartWait(1, 0);
  ASSERT_TRUE(reached->Get());
  EXPECT_EQ((*reached->Get())->outcome, "REACHED");
  const auto wrong = StartWait(-1, 0);
  EXPECT_EQ(CodeOf(*wrong->Get()), CoordCode::kInvalidArgument);
}

TEST_F(PlanQueueTest, B28WritersAreRefusedAboveTheLimit) {
  Setup(2, {{"throttle", "true"}, {"max_pending", "2"}});
  EXPECT_TRUE(Begin());
  Delta("x", "gx");
  ASSERT_NE(Planned("COMPACT", {"gx"}).plan_id, 0);
  EXPECT_EQ(CodeOf(Begin()), CoordCode::kThrottled);
  Execute(ids_[0]);
  EXPECT_TRUE(Begin());
}

TEST_F(PlanQueueTest, B34ABackOffGoesByTheMonotonicClock) {
  Setup(1);
  ASSERT_TRUE(Fail(*Claim("A"), "no"));
  clock_.SetWall(hours(1));
  EXPECT_EQ(CodeOf(Claim("A")), CoordCode::kNoneAvailable);
  clock_.SetWall(-hours(2));
  Advance(seconds(30));
  EXPECT_TRUE(Claim("A"));
}

}  // namespace
}  // namespace catalogd::coord
