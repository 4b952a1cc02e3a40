// A clean or a rollback that completes: a version that it makes, a commit that it waits for, a
// completion that is not the holder's.
#include <gtest/gtest.h>

#include "catalog/coord/guard.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::At;

class CompleteAtOnceTest : public ::testing::Test {
 protected:
  CompleteAtOnceTest() {
    table_.table_id = "t";
    table_.id_version = IdVersion(7);
    plan_.id = PlanId(1);
    plan_.type = PlanType::kClean;
    plan_.requested = At(10);
    const GuardStep claimed = ClaimPlan(table_, &plan_, {"t", "A", {}, {}, {}}, now_, options_);
    table_ = *claimed.table;
    plan_ = *claimed.plan;
  }
  GuardStep Complete(Fence fence) {
    return CompleteAtOnce(table_, &plan_, {"t", fence}, At(20), now_, options_);
  }
  TimePoint now_{hours(1)};
  GuardOptions options_;
  TableRow table_;
  PlanRow plan_;
};

TEST_F(CompleteAtOnceTest, TakesNoVersion) {
  const GuardStep step = Complete(plan_.fence);
  ASSERT_EQ(step.answer.code, GuardCode::kOk);
  EXPECT_FALSE(step.table) << "the table's row stays as it is";
  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->state, PlanState::kCompleted);
  EXPECT_FALSE(step.plan->claim);
  EXPECT_EQ(step.plan->completion, (Completion{plan_.fence, At(20), IdVersion(7)}));
  EXPECT_EQ(step.answer.completion, step.plan->completion);
}

TEST_F(CompleteAtOnceTest, DoesNotWaitForAPreparedCommit) {
  table_.commit_prepared = true;
  EXPECT_EQ(Complete(plan_.fence).answer.code, GuardCode::kOk);
}

TEST_F(CompleteAtOnceTest, ASecondCopyHasTheFirstAnswer) {
  plan_ = *Complete(plan_.fence).plan;
  const GuardStep again =
      CompleteAtOnce(table_, &plan_, {"t", plan_.fence}, At(30), now_, options_);
  EXPECT_EQ(again.answer.code, GuardCode::kOk);
  EXPECT_EQ(again.answer.completion, plan_.completion);
  EXPECT_FALSE(again.plan);
}

TEST_F(CompleteAtOnceTest, IsForTheNewestHolderOnly) {
  EXPECT_EQ(Complete(Fence()).answer.code, GuardCode::kFenced);
  EXPECT_EQ(Complete(plan_.fence.Next()).answer.code, GuardCode::kFenced);
  EXPECT_FALSE(Complete(Fence()).plan);
}

TEST_F(CompleteAtOnceTest, ObeysACancelRequestAndStrictExpiry) {
  plan_.claim->cancel_requested = true;
  const GuardStep cancelled = Complete(plan_.fence);
  EXPECT_EQ(cancelled.answer.code, GuardCode::kPlanCancelled);
  EXPECT_EQ(cancelled.plan->state, PlanState::kCancelled);
  plan_.claim->cancel_requested = false;
  now_ += hours(1);
  EXPECT_EQ(Complete(plan_.fence).answer.code, GuardCode::kOk);
  options_.strict_expiry = true;
  EXPECT_EQ(Complete(plan_.fence).answer.code, GuardCode::kClaimExpired);
}

}  // namespace
}  // namespace catalogd::coord
