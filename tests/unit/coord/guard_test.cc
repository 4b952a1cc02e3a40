// Each event in each state, back-offs, attempts, restarts: what the table of the guard says beyond
// the interleavings.
#include "catalog/coord/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/coord/rollback.h"
#include "tests/unit/coord/guard_script.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::At;
using testing::GuardScript;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TimePoint kNow(seconds(1000));

TableRow Table() {
  TableRow table;
  table.table_id = "t1";
  table.newest_fence = Fence(7);
  return table;
}

// In the state, held or last held with fence 7.
PlanRow In(PlanState state) {
  PlanRow plan;
  plan.id = PlanId(1);
  plan.requested = At(30);
  plan.state = state;
  plan.fence = Fence(7);
  plan.attempts = 1;
  if (state == PlanState::kClaimed || state == PlanState::kCommitting) {
    plan.claim = Claim{"A", seconds(120), kNow + seconds(60), false};
  }
  const Completion completion{Fence(7), At(40), IdVersion(1)};
  if (state == PlanState::kCommitting) plan.prepared = completion;
  if (state == PlanState::kCompleted) plan.completion = completion;
  return plan;
}

enum class Call { kClaim, kBeat, kFiles, kComplete, kFail, kAbort, kCancel, kReset, kRollback };

// The code, and whether a row changes.
std::pair<GuardCode, bool> Do(Call call, const PlanRow* plan, Fence fence, TimePoint now = kNow) {
  const TableRow table = Table();
  const Holder holder{"t1", fence};
  const GuardOptions options;
  GuardStep step;
  switch (call) {
    case Call::kClaim:
      step = ClaimPlan(table, plan, {"t1", "B", {}, fence, {}}, now, options);
      break;
    case Call::kBeat:
      step = BeatPlan(table, plan, holder, now, options);
      break;
    case Call::kFiles:
      step = RegisterFiles(table, plan, holder, {"f"});
      break;
    case Call::kComplete:
      step = BeginComplete(table, plan, holder, {At(50), true}, now, options);
      break;
    case Call::kFail:
      step = FailPlan(table, plan, holder, "e", now, options);
      break;
    case Call::kAbort:
      step = AbortPlan(table, plan, holder);
      break;
    case Call::kCancel:
      step = CancelPlan(table, plan, "t1", now);
      break;
    case Call::kReset:
      step = ResetPlan(table, plan, "t1");
      break;
    case Call::kRollback: {
      const RollbackStep rolled =
          ClaimRollback(table, plan, nullptr, {"t1", "B", {}, PlanId(2), At(60)}, now, options);
      return {rolled.answer.code, rolled.table || rolled.target || rolled.rollback};
    }
  }
  return {step.answer.code, step.plan.has_value() || step.table.has_value()};
}

struct Cell {
  Call call;
  PlanState state;
  GuardCode code;
  bool changes;
};

// Called with the right fence, while the claim is alive.
const Cell kCells[] = {
    {Call::kClaim, PlanState::kRequested, GuardCode::kOk, true},
    {Call::kClaim, PlanState::kClaimed, GuardCode::kPlanBusy, false},
    {Call::kClaim, PlanState::kCommitting, GuardCode::kPlanBusy, false},
    {Call::kClaim, PlanState::kCompleted, GuardCode::kAlreadyCompleted, false},
    {Call::kClaim, PlanState::kCancelled, GuardCode::kPlanCancelled, false},
    {Call::kClaim, PlanState::kFailed, GuardCode::kPlanFailed, false},
    {Call::kBeat, PlanState::kRequested, GuardCode::kClosed, false},
    {Call::kBeat, PlanState::kClaimed, GuardCode::kOk, true},
    {Call::kBeat, PlanState::kCommitting, GuardCode::kOk, true},
    {Call::kBeat, PlanState::kCompleted, GuardCode::kClosed, false},
    {Call::kBeat, PlanState::kCancelled, GuardCode::kPlanCancelled, false},
    {Call::kBeat, PlanState::kFailed, GuardCode::kClosed, false},
    {Call::kFiles, PlanState::kRequested, GuardCode::kClosed, false},
    {Call::kFiles, PlanState::kClaimed, GuardCode::kOk, true},
    {Call::kFiles, PlanState::kCommitting, GuardCode::kClosed, false},
    {Call::kFiles, PlanState::kCompleted, GuardCode::kClosed, false},
    {Call::kComplete, PlanState::kRequested, GuardCode::kClosed, false},
    {Call::kComplete, PlanState::kClaimed, GuardCode::kOk, true},
    {Call::kComplete, PlanState::kCommitting, GuardCode::kRetryLater, false},
    {Call::kComplete, PlanState::kCompleted, GuardCode::kOk, false},
    {Call::kComplete, PlanState::kCancelled, GuardCode::kPlanCancelled, false},
    {Call::kComplete, PlanState::kFailed, GuardCode::kClosed, false},
    {Call::kFail, PlanState::kRequested, GuardCode::kClosed, false},
    {Call::kFail, PlanState::kClaimed, GuardCode::kOk, true},
    {Call::kFail, PlanState::kCommitting, GuardCode::kClosed, false},
    {Call::kFail, PlanState::kCompleted, GuardCode::kClosed, false},
    {Call::kAbort, PlanState::kRequested, GuardCode::kClosed, false},
    {Call::kAbort, PlanState::kClaimed, GuardCode::kNotCancelled, false},
    {Call::kAbort, PlanState::kCommitting, GuardCode::kTooLate, false},
    {Call::kAbort, PlanState::kCompleted, GuardCode::kTooLate, false},
    {Call::kAbort, PlanState::kCancelled, GuardCode::kOk, false},
    {Call::kCancel, PlanState::kRequested, GuardCode::kOk, true},
    {Call::kCancel, PlanState::kClaimed, GuardCode::kCancelPending, true},
    {Call::kCancel, PlanState::kCommitting, GuardCode::kTooLate, false},
    {Call::kCancel, PlanState::kCompleted, GuardCode::kTooLate, false},
    {Call::kCancel, PlanState::kCancelled, GuardCode::kOk, false},
    {Call::kCancel, PlanState::kFailed, GuardCode::kOk, true},
    {Call::kReset, PlanState::kRequested, GuardCode::kOk, true},
    {Call::kReset, PlanState::kClaimed, GuardCode::kPlanBusy, false},
    {Call::kReset, PlanState::kCommitting, GuardCode::kPlanBusy, false},
    {Call::kReset, PlanState::kCompleted, GuardCode::kAlreadyCompleted, false},
    {Call::kReset, PlanState::kCancelled, GuardCode::kPlanCancelled, false},
    {Call::kReset, PlanState::kFailed, GuardCode::kOk, true},
    {Call::kRollback, PlanState::kRequested, GuardCode::kNothingToRollBack, false},
    {Call::kRollback, PlanState::kClaimed, GuardCode::kInstantAlive, false},
    {Call::kRollback, PlanState::kCommitting, GuardCode::kTooLate, false},
    {Call::kRollback, PlanState::kCompleted, GuardCode::kTooLate, false},
    {Call::kRollback, PlanState::kCancelled, GuardCode::kNothingToRollBack, false},
    {Call::kRollback, PlanState::kFailed, GuardCode::kNothingToRollBack, false},
};

TEST(Guard, EveryCallInEveryState) {
  for (const Cell& cell : kCells) {
    const PlanRow plan = In(cell.state);
    const auto [code, changes] = Do(cell.call, &plan, Fence(7));
    EXPECT_EQ(GuardCodeName(code), GuardCodeName(cell.code))
        << static_cast<int>(cell.call) << " in " << PlanStateName(cell.state);
    EXPECT_EQ(changes, cell.changes)
        << static_cast<int>(cell.call) << " in " << PlanStateName(cell.state);
  }
}

// Older, never given, made up: whoever is not the newest holder changes nothing, in any state.
TEST(Guard, AForgedFenceChangesNothing) {
  for (const PlanState state : {PlanState::kRequested, PlanState::kClaimed, PlanState::kCommitting,
                                PlanState::kCompleted, PlanState::kCancelled, PlanState::kFailed}) {
    const PlanRow plan = In(state);
    for (const Fence fence : {Fence(0), Fence(6), Fence(8), Fence(-1)}) {
      for (const Call call :
           {Call::kBeat, Call::kFiles, Call::kComplete, Call::kFail, Call::kAbort}) {
        const auto [code, changes] = Do(call, &plan, fence);
        EXPECT_EQ(code, GuardCode::kFenced) << PlanStateName(state) << " " << fence;
        EXPECT_FALSE(changes) << PlanStateName(state) << " " << fence;
      }
    }
  }
  PlanRow fresh;
  fresh.id = PlanId(1);
  EXPECT_EQ(Do(Call::kComplete, &fresh, Fence(0)).first, GuardCode::kFenced)
      << "no fence is not the fence of a plan nobody ever held";
}

TEST(Guard, APlanThatIsNotThereIsNotFound) {
  for (const Call call : {Call::kClaim, Call::kBeat, Call::kFiles, Call::kComplete, Call::kFail,
                          Call::kAbort, Call::kCancel, Call::kReset, Call::kRollback}) {
    EXPECT_EQ(Do(call, nullptr, Fence(7)).first, GuardCode::kPlanNotFound);
  }
}

TEST(Guard, ACancelOfADeadAttemptEndsThePlan) {
  const PlanRow plan = In(PlanState::kClaimed);
  const GuardStep step = CancelPlan(Table(), &plan, "t1", kNow + seconds(61));
  EXPECT_EQ(step.answer.code, GuardCode::kOk);
  EXPECT_EQ(step.plan->state, PlanState::kCancelled);
  EXPECT_EQ(Do(Call::kComplete, &*step.plan, Fence(7)).first, GuardCode::kPlanCancelled);
}

// Told that a cancel is pending, an operator does not find the plan executed again or completed.
TEST(Guard, ACancelRequestOutlivesItsHolder) {
  GuardScript script;
  EXPECT_THAT(script.Run(R"(
    A claim    = OK fence 1 attempt 1
    O cancel   = CANCEL_PENDING by A for 120000
    wait 120001
    B claim    = PLAN_CANCELLED
    S show     = CANCELLED fence 1
  )"),
              IsEmpty());
  GuardScript late;
  EXPECT_THAT(late.Run(R"(
    A claim    = OK fence 1 attempt 1
    O cancel   = CANCEL_PENDING by A for 120000
    A complete = PLAN_CANCELLED
    S show     = CANCELLED fence 1
  )"),
              IsEmpty());
  GuardScript failed;
  EXPECT_THAT(failed.Run(R"(
    A claim    = OK fence 1 attempt 1
    O cancel   = CANCEL_PENDING by A for 120000
    A fail     = OK
    S show     = CANCELLED fence 1
  )"),
              IsEmpty());
}

TEST(Guard, FailuresBackOffTwiceAsLongEachTime) {
  GuardOptions options;
  options.max_attempts = 20;
  PlanRow plan = In(PlanState::kClaimed);
  const auto backoff = [&](int attempts) {
    plan.attempts = attempts;
    const GuardStep step = FailPlan(Table(), &plan, {"t1", Fence(7)}, "boom", kNow, options);
    EXPECT_EQ(step.plan->last_error, "boom");
    return step.plan->next_attempt - kNow;
  };
  EXPECT_EQ(backoff(1), seconds(30));
  EXPECT_EQ(backoff(2), seconds(60));
  EXPECT_EQ(backoff(6), seconds(960));
  EXPECT_EQ(backoff(7), minutes(30));
  EXPECT_EQ(backoff(19), minutes(30));
}

// No wall clock has a say in it: the service hands in the monotonic one.
TEST(Guard, TimelineB34ABackOffIsOverWhenTheMonotonicClockSaysSo) {
  GuardScript script;
  EXPECT_THAT(script.Run(R"(
    A claim  = OK fence 1 attempt 1
    A fail   = OK fence 0 attempt 1
    wait 29999
    B claim  = BACKING_OFF for 1
    wait 1
    B claim  = OK fence 2 attempt 2
  )"),
              IsEmpty());
}

TEST(Guard, TimelineB23AtTheLastAttemptThePlanHasFailed) {
  GuardOptions options;
  options.max_attempts = 2;
  GuardScript script(options);
  EXPECT_THAT(script.Run(R"(
    A claim  = OK fence 1 attempt 1
    A fail   = OK fence 0 attempt 1
    wait 30000
    A claim  = OK fence 2 attempt 2
    A fail   = OK fence 0 attempt 2
    S show   = FAILED fence 2
    B claim  = PLAN_FAILED
    O reset  = OK
    B claim  = OK fence 3 attempt 1
  )"),
              IsEmpty());
}

// An executor that dies each time reports nothing; and the last one may not be dead after all.
TEST(Guard, DeathsCountAsAttemptsAndTheLastHolderIsFenced) {
  GuardOptions options;
  options.max_attempts = 1;
  GuardScript script(options);
  EXPECT_THAT(script.Run(R"(
    A claim    = OK fence 1 attempt 1
    wait 120001
    B claim    = PLAN_FAILED
    S show     = FAILED fence 2
    A complete = FENCED
  )"),
              IsEmpty());
}

TEST(Guard, ASecondCommitWaitsUntilTheFirstIsSettled) {
  TableRow table = Table();
  table.commit_prepared = true;
  const PlanRow plan = In(PlanState::kClaimed);
  const GuardStep step =
      BeginComplete(table, &plan, {"t1", Fence(7)}, {At(50), true}, kNow, GuardOptions());
  EXPECT_EQ(step.answer.code, GuardCode::kRetryLater);
  EXPECT_FALSE(step.plan.has_value());
}

TEST(Guard, WhatIsNotBeingCommittedCannotBeSettled) {
  for (const PlanState state : {PlanState::kRequested, PlanState::kClaimed, PlanState::kCompleted,
                                PlanState::kCancelled, PlanState::kFailed}) {
    const GuardStep step = SettleComplete(Table(), In(state), Settled::kCommitted);
    EXPECT_EQ(step.answer.code, GuardCode::kTooLate) << PlanStateName(state);
    EXPECT_FALSE(step.plan || step.table) << PlanStateName(state);
  }
}

TEST(Guard, AClaimMayAskForALeaseOfItsOwn) {
  PlanRow plan;
  ClaimRequest request{"t1", "A", seconds(10), {}, {}};
  const GuardStep step = ClaimPlan(Table(), &plan, request, kNow, GuardOptions());
  EXPECT_EQ(step.plan->claim->deadline, kNow + seconds(10));
  const GuardStep beat =
      BeatPlan(Table(), &*step.plan, {"t1", step.answer.fence}, kNow + seconds(5), GuardOptions());
  EXPECT_EQ(beat.plan->claim->deadline, kNow + seconds(15));
}

TEST(Guard, TimelineB19AndB20AfterARestartOnlyDeadClaimsAreFree) {
  PlanRow dead = In(PlanState::kClaimed);
  dead = RestoreClaim(dead, false, kNow);
  EXPECT_EQ(Do(Call::kClaim, &dead, Fence(0)).first, GuardCode::kOk);
  PlanRow alive = In(PlanState::kClaimed);
  alive = RestoreClaim(alive, true, kNow);
  EXPECT_EQ(alive.claim->deadline, kNow + seconds(120));
  EXPECT_EQ(Do(Call::kClaim, &alive, Fence(0), kNow + seconds(120)).first, GuardCode::kPlanBusy);
  EXPECT_EQ(Do(Call::kClaim, &alive, Fence(0), kNow + milliseconds(120'001)).first, GuardCode::kOk);
  PlanRow requested = In(PlanState::kRequested);
  requested.next_attempt = kNow + minutes(30);
  requested = RestoreClaim(requested, false, kNow);
  EXPECT_EQ(Do(Call::kClaim, &requested, Fence(0)).first, GuardCode::kOk);
}

TEST(Guard, TextsSayWhoHoldsItAndWhatToDo) {
  GuardAnswer busy;
  busy.code = GuardCode::kPlanBusy;
  busy.owner = "spark/app-7";
  busy.remaining = seconds(60);
  EXPECT_EQ(GuardText(busy, PlanId(7)),
            "plan 7: PLAN_BUSY: spark/app-7 executes it and its lease runs for another 60000 ms; "
            "claim it after that");
  GuardAnswer done;
  done.code = GuardCode::kAlreadyCompleted;
  done.completion = Completion{Fence(1), At(40), IdVersion(12)};
  EXPECT_THAT(GuardText(done, PlanId(7)), HasSubstr("00000000000000040 as version 12"));
  for (int code = 0; code <= static_cast<int>(GuardCode::kExternallyClaimed); ++code) {
    GuardAnswer answer = done;
    answer.code = static_cast<GuardCode>(code);
    EXPECT_GT(GuardText(answer, PlanId(7)).size(), 18U) << code;
    EXPECT_NE(GuardCodeName(answer.code), "?") << code;
  }
}

}  // namespace
}  // namespace catalogd::coord
