// Plans that nobody is offered, or one behind which all others wait.
#include "catalog/coord/plan_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/coord/guard.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::At;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TimePoint kNow(hours(10));

PlanRow Plan(int64_t id, int64_t requested, PlanState state = PlanState::kRequested) {
  PlanRow plan;
  plan.id = PlanId(id);
  plan.requested = At(requested);
  plan.state = state;
  if (state == PlanState::kClaimed || state == PlanState::kCommitting) {
    plan.claim = Claim{"A", seconds(120), kNow + seconds(60), false};
  }
  return plan;
}

TEST(PlanQueue, TimelineB19AfterARestartEveryPendingPlanIsOfferedOldestFirst) {
  std::vector<PlanRow> plans = {Plan(1, 40), Plan(2, 10), Plan(3, 30),
                                Plan(4, 20, PlanState::kClaimed)};
  plans[3] = RestoreClaim(plans[3], false, kNow);
  EXPECT_THAT(Offers(plans, kNow, QueueOrder::kOldestFirst),
              ElementsAre(PlanId(2), PlanId(4), PlanId(3), PlanId(1)));
}

TEST(PlanQueue, TimelineB20AfterARestartALiveClaimIsNotOfferedForAFullLease) {
  const std::vector<PlanRow> plans = {RestoreClaim(Plan(1, 10, PlanState::kClaimed), true, kNow)};
  EXPECT_THAT(Offers(plans, kNow + seconds(120), QueueOrder::kOldestFirst), IsEmpty());
  EXPECT_THAT(Offers(plans, kNow + seconds(121), QueueOrder::kOldestFirst), ElementsAre(PlanId(1)));
}

TEST(PlanQueue, TimelineB21APlanSeenInTwoPlacesIsThereOnce) {
  const std::vector<PlanRow> plans = {Plan(1, 10), Plan(2, 20, PlanState::kCompleted)};
  const std::vector<Instant> found = {At(30), At(10), At(20), At(30)};
  EXPECT_THAT(WithoutRow(found, plans), ElementsAre(At(30)));
}

TEST(PlanQueue, TimelineB33TheOrderMayBeTurnedWithoutLosingAnything) {
  const std::vector<PlanRow> plans = {Plan(1, 10), Plan(2, 20), Plan(3, 30)};
  EXPECT_THAT(Offers(plans, kNow, QueueOrder::kNewestFirst),
              ElementsAre(PlanId(3), PlanId(2), PlanId(1)));
  EXPECT_THAT(Offers(plans, kNow, QueueOrder::kOldestFirst),
              ElementsAre(PlanId(1), PlanId(2), PlanId(3)));
}

TEST(PlanQueue, OnlyWhatMayBeClaimedIsOffered) {
  std::vector<PlanRow> plans = {
      Plan(1, 10, PlanState::kClaimed),   Plan(2, 20, PlanState::kCommitting),
      Plan(3, 30, PlanState::kCompleted), Plan(4, 40, PlanState::kCancelled),
      Plan(5, 50, PlanState::kFailed),    Plan(6, 60)};
  plans[5].next_attempt = kNow + seconds(1);
  EXPECT_THAT(Offers(plans, kNow, QueueOrder::kOldestFirst), IsEmpty());
  EXPECT_THAT(Offers(plans, kNow + seconds(61), QueueOrder::kOldestFirst),
              ElementsAre(PlanId(1), PlanId(6)))
      << "the expired one is older, so it comes first; a commit is never offered";
}

TEST(PlanQueue, TablesTakeTurnsSoThatABrokenOneHoldsUpNobody) {
  const std::vector<PlanRow> broken = {Plan(1, 10), Plan(2, 11)};
  const std::vector<PlanRow> good = {Plan(7, 90)};
  const std::vector<PlanRow> idle = {Plan(8, 5, PlanState::kCompleted)};
  const std::vector<TablePlans> tables = {{"t1", broken}, {"t2", idle}, {"t3", good}};
  const auto next = [&](const std::string& last) {
    return NextOffer(tables, last, kNow, QueueOrder::kOldestFirst);
  };
  EXPECT_EQ(next(""), (Offer{"t1", PlanId(1)}));
  EXPECT_EQ(next("t1"), (Offer{"t3", PlanId(7)}));
  EXPECT_EQ(next("t3"), (Offer{"t1", PlanId(1)}));
  EXPECT_EQ(next("gone"), (Offer{"t1", PlanId(1)}));
  EXPECT_EQ(NextOffer({}, "t1", kNow, QueueOrder::kOldestFirst), std::nullopt);
  const std::vector<TablePlans> nothing = {{"t2", idle}};
  EXPECT_EQ(NextOffer(nothing, "t1", kNow, QueueOrder::kOldestFirst), std::nullopt);
}

}  // namespace
}  // namespace catalogd::coord
