#include "catalog/base/probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/base/recording_hook.h"

namespace catalogd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void TakeRarePath() { MARK("probes_test.rare"); }
void TakeSameMarkElsewhere() { MARK("probes_test.rare"); }

TEST(Probe, CountsHitsByNameOverAllPlaces) {
  Probe::ResetAll();
  TakeRarePath();
  TakeRarePath();
  TakeSameMarkElsewhere();
  EXPECT_EQ(Probe::Hits().at("probes_test.rare"), 3U);
  Probe::ResetAll();
  EXPECT_EQ(Probe::Hits().at("probes_test.rare"), 0U);
}

TEST(Probe, UnreachedMarksAreNotListed) {
  EXPECT_FALSE(Probe::Hits().contains("probes_test.never"));
}

TEST(FaultSite, IsSilentUnlessArmed) { EXPECT_FALSE(FAULT_SITE("probes_test.silent")); }

TEST(FaultSite, FiresAsOftenAsArmed) {
  ArmFaultSite("probes_test.site", 2);
  EXPECT_FALSE(FAULT_SITE("probes_test.other"));
  EXPECT_TRUE(FAULT_SITE("probes_test.site"));
  EXPECT_TRUE(FAULT_SITE("probes_test.site"));
  EXPECT_FALSE(FAULT_SITE("probes_test.site"));
}

TEST(FaultSite, CanBeDisarmedAndArmedAnew) {
  ArmFaultSite("probes_test.a", 5);
  ArmFaultSite("probes_test.b", 1);
  ArmFaultSite("probes_test.a", 0);
  EXPECT_FALSE(FAULT_SITE("probes_test.a"));
  EXPECT_TRUE(FAULT_SITE("probes_test.b"));
  ArmFaultSite("probes_test.a", 1);
  ArmFaultSite("probes_test.a", 1);  // Replaces, does not add up.
  EXPECT_TRUE(FAULT_SITE("probes_test.a"));
  EXPECT_FALSE(FAULT_SITE("probes_test.a"));
  ArmFaultSite("probes_test.a", 0);  // Disarming what is not armed is harmless.
  EXPECT_FALSE(FAULT_SITE("probes_test.a"));
}

TEST(FaultSite, IsASchedulingPointAndItsBookkeepingIsNot) {
  // The simulator must be able to run another actor at every site, armed or not, but must not see
  // the registry's own mutex.
  testing::RecordingHook hook;
  EXPECT_FALSE(FAULT_SITE("probes_test.point"));
  EXPECT_THAT(hook.calls, ElementsAre("yield probes_test.point"));
  hook.calls.clear();
  ArmFaultSite("probes_test.point", 1);
  Probe::Hits();
  EXPECT_THAT(hook.calls, IsEmpty());
  EXPECT_TRUE(FAULT_SITE("probes_test.point"));
  EXPECT_THAT(hook.calls, ElementsAre("yield probes_test.point"));
  EXPECT_EQ(SchedulerHook::Current(), &hook);
}

}  // namespace
}  // namespace catalogd
