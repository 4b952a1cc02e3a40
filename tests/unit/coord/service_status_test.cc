// Services that stand still and nobody is told; waits that never end.
#include "catalog/coord/service_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/coord/plan_queue.h"
#include "tests/unit/coord/guard_script.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::At;
using ::testing::ElementsAre;
using testing::GuardScript;
using ::testing::IsEmpty;

PlanRow Plan(int64_t id, int64_t requested, PlanState state = PlanState::kRequested) {
  PlanRow plan;
  plan.id = PlanId(id);
  plan.requested = At(requested);
  plan.state = state;
  return plan;
}

TEST(ServiceStatus, TimelineB13ContradictingInlineSettingsAreRefused) {
  ServiceOptions options;
  EXPECT_TRUE(CheckServiceOptions(options));
  options.inline_execution = true;
  EXPECT_TRUE(CheckServiceOptions(options));
  options.inline_schedule = true;
  const Status status = CheckServiceOptions(options);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  options.inline_execution = false;
  options.trigger.max_delta_commits = 0;
  EXPECT_FALSE(CheckServiceOptions(options));
}

TEST(ServiceStatus, TimelineB22AFailureDegradesTheServiceAndItsTextIsKept) {
  GuardScript script;
  EXPECT_THAT(script.Run(R"(
    A claim = OK fence 1 attempt 1
    A fail  = OK fence 0 attempt 1
    B claim = BACKING_OFF for 30000
  )"),
              IsEmpty());
  std::vector<PlanRow> plans = {script.plans[PlanId(1)], Plan(2, 99)};
  ServiceStatus status = StatusOf(plans, ServiceState::kRunning);
  EXPECT_EQ(status.state, ServiceState::kDegraded);
  EXPECT_EQ(status.last_error, "exit code 1");
  EXPECT_EQ(status.pending, 2U);
  EXPECT_THAT(Offers(plans, script.now, QueueOrder::kOldestFirst), ElementsAre(PlanId(2)))
      << "others go on";
  plans[0].state = PlanState::kCompleted;
  status = StatusOf(plans, ServiceState::kRunning);
  EXPECT_EQ(status.state, ServiceState::kRunning) << "it has succeeded since";
  EXPECT_EQ(status.last_error, "");
}

TEST(ServiceStatus, TimelineB23APlanThatFailedForGoodIsCounted) {
  const std::vector<PlanRow> plans = {Plan(1, 10, PlanState::kFailed)};
  const ServiceStatus status = StatusOf(plans, ServiceState::kRunning);
  EXPECT_EQ(status.state, ServiceState::kDegraded);
  EXPECT_EQ(status.failed, 1U);
  EXPECT_EQ(status.pending, 0U);
  EXPECT_EQ(StatusOf(plans, ServiceState::kStopped).state, ServiceState::kStopped);
  EXPECT_EQ(StatusOf(plans, ServiceState::kFailed).state, ServiceState::kFailed);
}

TEST(ServiceStatus, TimelineB24AWaitEndsWhenItCannotSucceed) {
  ServiceStatus status;
  status.pending = 4;
  EXPECT_EQ(WaitForPlans(status, 2, seconds(4), seconds(5)), WaitVerdict::kGoOn);
  EXPECT_EQ(WaitForPlans(status, 2, seconds(5), seconds(5)), WaitVerdict::kTimedOut);
  EXPECT_EQ(WaitForPlans(status, 4, seconds(5), seconds(5)), WaitVerdict::kReached);
  status.state = ServiceState::kStopped;
  EXPECT_EQ(WaitForPlans(status, 2, seconds(0), seconds(5)), WaitVerdict::kStopped);
  status.state = ServiceState::kFailed;
  EXPECT_EQ(WaitForPlans(status, 2, seconds(0), seconds(5)), WaitVerdict::kFailed);
  status.state = ServiceState::kDegraded;
  EXPECT_EQ(WaitForPlans(status, 2, seconds(0), seconds(5)), WaitVerdict::kGoOn);
}

TEST(ServiceStatus, TimelineB26AStopInMidExecutionGivesThePlanBackAndAttemptTwoFollows) {
  GuardScript script;
  EXPECT_THAT(script.Run(R"(
    A claim   = OK fence 1 attempt 1
    A fail    = OK fence 0 attempt 1
    S restart = done
    B claim   = OK fence 2 attempt 2
    A complete = FENCED
  )"),
              IsEmpty());
}

TEST(ServiceStatus, TimelineB27AKilledDaemonGivesTheOldChildItsLeaseAndThenFencesIt) {
  GuardScript script;
  EXPECT_THAT(script.Run(R"(
    A claim    = OK fence 1 attempt 1
    S restart  = done
    B claim    = PLAN_BUSY by A for 120000
    wait 120001
    B claim    = OK fence 2 attempt 2 takeover
    A complete = FENCED
    B complete = OK 1 v1
  )"),
              IsEmpty());
}

TEST(ServiceStatus, TimelineB28AboveTheLimitWritersWait) {
  ServiceOptions options;
  EXPECT_FALSE(Throttled(99, options)) << "off by default";
  options.throttle = true;
  EXPECT_TRUE(Throttled(6, options));
  EXPECT_FALSE(Throttled(5, options));
}

TEST(ServiceStatus, TimelineB29ATableThatNobodyWouldEverCompactIsSaid) {
  ServiceOptions options;
  options.asynchronous = false;
  EXPECT_THAT(ServiceWarnings({}, options), ElementsAre("no_compaction_path"));
  options.inline_schedule = true;
  EXPECT_THAT(ServiceWarnings({}, options), ElementsAre("no_compaction_path"))
      << "planning is not executing";
  options.inline_schedule = false;
  options.inline_execution = true;
  EXPECT_THAT(ServiceWarnings({}, options), IsEmpty());
  options.inline_execution = false;
  EXPECT_THAT(ServiceWarnings({TableType::kCopyOnWrite, {}, {}}, options), IsEmpty());
}

TEST(ServiceStatus, NobodyPlansOrNobodyExecutesIsSaidAfterAnHour) {
  const ServiceOptions options;
  LagFacts facts;
  facts.due_for = minutes(60);
  EXPECT_THAT(ServiceWarnings(facts, options), IsEmpty());
  facts.due_for = minutes(61);
  EXPECT_THAT(ServiceWarnings(facts, options), ElementsAre("nobody_schedules"));
  facts.oldest_pending = minutes(5);
  EXPECT_THAT(ServiceWarnings(facts, options), IsEmpty());
  facts.oldest_pending = minutes(61);
  EXPECT_THAT(ServiceWarnings(facts, options), ElementsAre("nobody_executes"));
}

}  // namespace
}  // namespace catalogd::coord
