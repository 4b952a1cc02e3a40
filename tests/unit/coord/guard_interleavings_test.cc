// Two executors of one plan, a daemon that restarts, messages that come late: who wins, and what
// the other one is told. Each row is one interleaving of the reference, by its id there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/coord/file_group.h"
#include "tests/unit/coord/guard_script.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using testing::At;
using testing::GuardScript;

struct Interleaving {
  const char* id;  // "timeline A-nn".
  const char* what;
  const char* script;
  bool strict_expiry = false;
};

const Interleaving kInterleavings[] = {
    {"timeline A-01", "completed, and claimed again by another", R"(
      A claim    = OK fence 1 attempt 1
      A complete = OK 1 v1
      B claim    = PLAN_ALREADY_COMPLETED 1 v1
      S show     = COMPLETED fence 1 v1
    )"},
    {"timeline A-03", "a dead holder is replaced only after its lease", R"(
      A claim = OK fence 1 attempt 1
      wait 60000
      B claim = PLAN_BUSY by A for 60000
      wait 60001
      B claim = OK fence 2 attempt 2 takeover
    )"},
    {"timeline A-04", "at exactly the end of the lease nothing is expired", R"(
      A claim = OK fence 1 attempt 1
      wait 120000
      B claim = PLAN_BUSY by A
      S show  = CLAIMED fence 1 by A until 0
      wait 1
      B claim = OK fence 2 attempt 2 takeover
    )"},
    {"timeline A-05", "files of the dead attempt are named to the next one", R"(
      A claim         = OK fence 1 attempt 1
      A files a1 a2 a3 = OK
      wait 120001
      B claim         = OK fence 2 attempt 2 takeover remove a1,a2,a3
      B files b1      = OK
      B complete      = OK 1 v1
      S show          = COMPLETED fence 2 v1 remove a1,a2,a3
    )"},
    {"timeline A-06", "frozen, replaced, completed by the other, awake again", R"(
      A claim    = OK fence 1 attempt 1
      A files a1 = OK
      wait 120001
      B claim    = OK fence 2 attempt 2 takeover remove a1
      B complete = OK 1 v1
      A complete = FENCED
      S show     = COMPLETED fence 2 v1 remove a1
    )"},
    {"timeline A-07", "awake again while the other one runs: its beat changes nothing", R"(
      A claim = OK fence 1 attempt 1
      wait 120001
      B claim = OK fence 2 attempt 2 takeover
      wait 1000
      A beat  = FENCED
      S show  = CLAIMED fence 2 by B until 119000
      A files a9 = FENCED
      A fail  = FENCED
      A abort = FENCED
      S show  = CLAIMED fence 2 by B until 119000
    )"},
    {"timeline A-08", "a beat that was under way when the other one took over", R"(
      A claim = OK fence 1 attempt 1
      wait 119999
      wait 2
      B claim = OK fence 2 attempt 2 takeover
      A beat  = FENCED
      S show  = CLAIMED fence 2 by B until 120000
    )"},
    {"timeline A-09", "the first copy of a completion arrives after the second succeeded", R"(
      A claim    = OK fence 1 attempt 1
      A complete = OK 1 v1
      A complete = OK 1 v1
      S show     = COMPLETED fence 1 v1
    )"},
    {"timeline A-10", "the answer to a completion is lost, the daemon restarts", R"(
      A claim    = OK fence 1 attempt 1
      A complete = OK 1 v1
      S restart  = done
      A complete = OK 1 v1
    )"},
    {"timeline A-11", "the daemon dies after preparing; the commit stands", R"(
      A claim    = OK fence 1 attempt 1
      A prepare  = OK
      S commit   = OK 1 v1
      S restart  = done
      A complete = OK 1 v1
      B claim    = PLAN_ALREADY_COMPLETED 1 v1
    )"},
    {"timeline A-11", "the daemon dies after preparing; the commit was undone", R"(
      A claim    = OK fence 1 attempt 1
      A prepare  = OK
      S undo     = RETRY_LATER
      S restart  = done
      B claim    = PLAN_BUSY by A for 120000
      A complete = OK 2 v1
      A complete = OK 2 v1
    )"},
    {"timeline A-12", "a reported failure frees the plan at once, after a back-off", R"(
      A claim = OK fence 1 attempt 1
      A fail  = OK fence 0 attempt 1
      B claim = BACKING_OFF for 30000
      A beat  = CLOSED
      A complete = CLOSED
      wait 30000
      B claim = OK fence 2 attempt 2
    )"},
    {"timeline A-13", "a failure that nobody reports frees it after the lease", R"(
      A claim = OK fence 1 attempt 1
      wait 120000
      B claim = PLAN_BUSY by A
      wait 1
      B claim = OK fence 2 attempt 2 takeover
    )"},
    {"timeline A-14", "the same owner claims twice: only its fence lets it in again", R"(
      A claim      = OK fence 1 attempt 1
      wait 1000
      A claim      = PLAN_BUSY by A for 119000
      A claim held = OK fence 1 attempt 1
      S show       = CLAIMED fence 1 by A until 120000
      B claim held = PLAN_BUSY by A for 120000
    )"},
    {"timeline A-15", "the daemon restarts: a full new lease for whoever was alive", R"(
      A claim   = OK fence 1 attempt 1
      wait 119000
      S restart = done
      B claim   = PLAN_BUSY by A for 120000
      wait 60000
      A beat    = OK fence 1 attempt 1
      S show    = CLAIMED fence 1 by A until 120000
    )"},
    {"timeline A-18", "storage hangs for five minutes while a helper beats", R"(
      A claim = OK fence 1 attempt 1
      wait 60000
      A beat  = OK fence 1 attempt 1
      wait 60000
      A beat  = OK fence 1 attempt 1
      wait 60000
      B claim = PLAN_BUSY by A for 60000
      A beat  = OK fence 1 attempt 1
      wait 60000
      A beat  = OK fence 1 attempt 1
      wait 60000
      B claim = PLAN_BUSY by A for 60000
      A complete = OK 1 v1
    )"},
    {"timeline A-19", "expired, replaced by nobody: it may complete", R"(
      A claim    = OK fence 1 attempt 1
      wait 600000
      A beat     = OK fence 1 attempt 1
      wait 600000
      A complete = OK 1 v1
    )"},
    {"timeline A-19", "expired, replaced by nobody, with strict expiry", R"(
      A claim    = OK fence 1 attempt 1
      wait 120000
      A beat     = OK fence 1 attempt 1
      wait 120001
      A beat     = CLAIM_EXPIRED
      A complete = CLAIM_EXPIRED
      A claim held = OK fence 2 attempt 2 takeover
      A complete = OK 1 v1
    )",
     true},
    {"timeline A-20", "dead between check and record: nothing was recorded", R"(
      A lose  = OK fence 1 attempt 1
      S show  = REQUESTED fence 0
      B claim = OK fence 1 attempt 1
    )"},
    {"timeline A-21", "a plan that only waits is not a failed write", R"(
      C rollback = NOTHING_TO_ROLL_BACK
      S show     = REQUESTED fence 0
    )"},
    {"timeline A-22", "expired at the first look, completed at the second", R"(
      A claim    = OK fence 1 attempt 1
      wait 120001
      A complete = OK 1 v1
      C rollback = TOO_LATE
      S show     = COMPLETED fence 1 v1
    )"},
    {"timeline A-24", "a rollback of what is being committed", R"(
      A claim    = OK fence 1 attempt 1
      wait 120001
      A prepare  = OK
      B rollback = TOO_LATE
      S commit   = OK 1 v1
      B rollback = TOO_LATE
    )"},
    {"timeline A-25", "a rollback waits for the holder's end, and then shuts it out", R"(
      A claim    = OK fence 1 attempt 1
      A files a1 = OK
      wait 20000
      B rollback = INSTANT_ALIVE by A for 100000
      wait 100001
      B rollback = plan 101 OK fence 3 attempt 1 remove a1
      A complete = FENCED
      A beat     = FENCED
      S show     = REQUESTED fence 2 remove a1
    )"},
    {"timeline A-26", "two rollbacks of one instant: one plan, one after the other", R"(
      A claim    = OK fence 1 attempt 1
      A files a1 = OK
      wait 120001
      B rollback = plan 101 OK fence 3 attempt 1 remove a1
      C rollback = PLAN_BUSY by B for 120000
      wait 120001
      C rollback = plan 101 OK fence 4 attempt 2 takeover remove a1
      B complete plan 101 = FENCED
      C complete plan 101 = OK 1 v1
      B rollback = NOTHING_TO_ROLL_BACK
    )"},
    {"timeline A-27", "a cancel of what runs is a request, and the holder obeys", R"(
      A claim  = OK fence 1 attempt 1
      A abort  = NOT_CANCELLED
      O cancel = CANCEL_PENDING by A for 120000
      A beat   = OK fence 1 attempt 1 cancel
      A abort  = OK
      S show   = CANCELLED fence 1
      A abort  = OK
    )"},
    {"timeline A-29", "the table is dropped while an executor runs", R"(
      A claim    = OK fence 1 attempt 1
      S drop     = done
      A beat     = TABLE_GONE
      A files a1 = TABLE_GONE
      A complete = TABLE_GONE
      B claim    = TABLE_GONE
      B rollback = TABLE_GONE
      O cancel   = TABLE_GONE
    )"},
    {"timeline A-30", "dropped and created again under the same name", R"(
      A claim    = OK fence 1 attempt 1
      S recreate = done
      A beat     = TABLE_GONE
      A complete = TABLE_GONE
      B claim table t2 = PLAN_NOT_FOUND
    )"},
    {"timeline A-31", "a job outside has beaten 20 s ago", R"(
      A claim age 20000 = EXTERNALLY_CLAIMED by a job outside for 100000
      A claim age 120000 = EXTERNALLY_CLAIMED by a job outside
      S show            = REQUESTED fence 0
    )"},
    {"timeline A-32", "a job outside has beaten 121 s ago", R"(
      A claim age 120001 = OK fence 1 attempt 1 warning external_attempt_stale
    )"},
    {"timeline A-33", "the beat of a job outside lies in the future", R"(
      A claim age -5000 = EXTERNALLY_CLAIMED by a job outside for 120000 warning external_in_future
      A claim age -5000 override = OK fence 1 attempt 1
    )"},
    {"timeline A-35", "an input was removed by an overwrite", R"(
      A claim         = OK fence 1 attempt 1
      A complete gone = INPUT_GONE
      S show          = CANCELLED fence 1
      B claim         = PLAN_CANCELLED
    )"},
};

class GuardInterleavings : public ::testing::TestWithParam<Interleaving> {};

TEST_P(GuardInterleavings, EndAsTheReferenceSays) {
  const Interleaving& row = GetParam();
  GuardOptions options;
  options.strict_expiry = row.strict_expiry;
  GuardScript script(options);
  EXPECT_THAT(script.Run(row.script), ::testing::IsEmpty()) << row.id << ": " << row.what;
}

std::string TestName(const ::testing::TestParamInfo<Interleaving>& info) {
  std::string name = std::string(info.param.id) + "_" + std::to_string(info.index);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, GuardInterleavings, ::testing::ValuesIn(kInterleavings), TestName);

TEST(GuardInterleavings, TimelineA02OfAHundredClaimsAtOnceOneIsGranted) {
  GuardScript script;
  int granted = 0;
  for (int i = 0; i < 100; ++i) {
    ClaimRequest request;
    request.table_id = "t1";
    request.owner = "executor " + std::to_string(i);
    const PlanRow plan = script.plans[PlanId(1)];
    const GuardStep step = ClaimPlan(script.table, &plan, request, script.now, script.options);
    if (step.answer.code == GuardCode::kOk) {
      ++granted;
      script.table = *step.table;
      script.plans[PlanId(1)] = *step.plan;
      continue;
    }
    EXPECT_EQ(step.answer.code, GuardCode::kPlanBusy);
    EXPECT_EQ(step.answer.owner, "executor 0");
    EXPECT_FALSE(step.table.has_value()) << "a fence was spent on a refusal";
    EXPECT_FALSE(step.plan.has_value());
  }
  EXPECT_EQ(granted, 1);
  EXPECT_EQ(script.table.newest_fence, Fence(1));
}

// Wall clocks are no input of the guard; what has one is the completion time. So the rows after a
// jump of the daemon's (A-16) or of an executor's clock (A-17) are those without it.
TEST(GuardInterleavings, TimelineA16AndA17OnlyTheMonotonicClockOfTheDaemonCounts) {
  for (const int64_t wall : {int64_t{10'000}, int64_t{10'000 - 3'600}, int64_t{10'000 + 3'600}}) {
    GuardScript script;
    ASSERT_THAT(script.Run("A claim = OK fence 1 attempt 1\n wait 119999"), ::testing::IsEmpty());
    CompleteRequest request;
    request.time = At(wall);
    const GuardStep step = BeginComplete(script.table, &script.plans[PlanId(1)], {"t1", Fence(1)},
                                         request, script.now, script.options);
    ASSERT_EQ(step.answer.code, GuardCode::kOk);
    EXPECT_EQ(step.plan->prepared->time, At(wall));
    EXPECT_EQ(step.plan->claim, script.plans[PlanId(1)].claim);
    EXPECT_THAT(script.Run("B claim = PLAN_BUSY by A for 1\n wait 2\n"
                           "B claim = OK fence 2 attempt 2 takeover"),
                ::testing::IsEmpty());
  }
}

TEST(GuardInterleavings, TimelineA22TheFirstLookFindsOnlyExpiredClaims) {
  GuardScript script;
  ASSERT_THAT(script.Run("A claim = OK fence 1 attempt 1\n wait 120001"), ::testing::IsEmpty());
  PlanRow waiting;
  waiting.id = PlanId(2);
  PlanRow alive = script.plans[PlanId(1)];
  alive.id = PlanId(3);
  alive.claim->deadline = script.now;
  PlanRow committing = script.plans[PlanId(1)];
  committing.id = PlanId(4);
  committing.state = PlanState::kCommitting;
  const std::vector<PlanRow> plans = {script.plans[PlanId(1)], waiting, alive, committing};
  EXPECT_THAT(ExpiredAttempts(plans, script.now), ::testing::ElementsAre(PlanId(1)));
}

TEST(GuardInterleavings, TimelineA23AFileThatIsGoneCountsAsCleaned) {
  const std::vector<Removal> second = {Removal::kMissing, Removal::kMissing, Removal::kRemoved};
  EXPECT_TRUE(AllGone(second));
  EXPECT_TRUE(AllGone({}));
  const std::vector<Removal> failed = {Removal::kRemoved, Removal::kFailed};
  EXPECT_FALSE(AllGone(failed));

  GuardScript script;
  script.plans[PlanId(1)].type = PlanType::kClean;
  EXPECT_THAT(script.Run(R"(
    A claim    = OK fence 1 attempt 1
    wait 120001
    B claim    = OK fence 2 attempt 2 takeover
    B complete = OK 1 v1
    A complete = FENCED
    S show     = COMPLETED fence 2 v1
  )"),
              ::testing::IsEmpty());
}

TEST(GuardInterleavings, TimelineA28TheSecondPlanGetsTheGroupsThatAreLeft) {
  const std::vector<PlanGroups> pending = {{PlanId(1), {{"p=1", "g1"}, {"p=1", "g2"}}}};
  const std::vector<FileGroup> wanted = {{"p=1", "g2"}, {"p=2", "g2"}, {"p=1", "g3"}};
  EXPECT_THAT(FreeGroups(wanted, pending),
              ::testing::ElementsAre(FileGroup{"p=2", "g2"}, FileGroup{"p=1", "g3"}));
  EXPECT_THAT(FreeGroups(pending[0].groups, pending), ::testing::IsEmpty());

  const std::vector<PlanGroups> both = {pending[0], {PlanId(2), wanted}};
  EXPECT_THAT(FindClashes(both),
              ::testing::ElementsAre(GroupClash{{"p=1", "g2"}, PlanId(1), PlanId(2)}));
  EXPECT_THAT(FindClashes(pending), ::testing::IsEmpty());
}

}  // namespace
}  // namespace catalogd::coord
