// Plans that take a group twice, a log that is not complete, or more than can be read.
#include "catalog/coord/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coord/group_history.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using testing::At;
using ::testing::ElementsAre;
using testing::Group;
using ::testing::IsEmpty;
using testing::kPending;

Group Named(const std::string& id, Group group) {
  group.history.group = {"p=1", id};
  return group;
}

struct Made {
  std::vector<std::string> groups;  // "g1: b10 + a"
  std::string reason;
};

Made Schedule(const std::vector<Group>& groups, int64_t plan,
              const std::vector<PlanGroups>& pending, const ScheduleOptions& options = {},
              const std::vector<int64_t>& bytes = {}) {
  std::vector<GroupCandidate> candidates;
  for (size_t i = 0; i < groups.size(); ++i) {
    candidates.push_back({&groups[i].history, i < bytes.size() ? bytes[i] : 0, 0});
  }
  const SchedulePlan made =
      ScheduleGroups(candidates, groups[0].times(), At(plan), pending, options);
  Made text{{}, made.reason};
  for (const PlannedGroup& one : made.groups) {
    for (const Group& group : groups) {
      if (group.history.group != one.group) continue;
      text.groups.push_back(one.group.file_id + ": " +
                            group.Show(one.inputs.base, one.inputs.logs));
    }
  }
  return text;
}

Group FiveCommits() {
  return Named("g1", Group()
                         .Log("l1", {1, 2})
                         .Log("l2", {3, 4})
                         .Log("l3", {5, 6})
                         .Log("l4", {7, 8})
                         .Log("l5", {9, 10}));
}

TEST(Schedule, TimelineB02ThePlanHasAllFiveLogs) {
  EXPECT_THAT(Schedule({FiveCommits()}, 11, {}).groups, ElementsAre("g1: l1,l2,l3,l4,l5"));
}

TEST(Schedule, TimelineB03GroupsOfAPendingPlanAreLeftOut) {
  const Made made =
      Schedule({FiveCommits().Log("l6", {12, 13})}, 14, {{PlanId(1), {{"p=1", "g1"}}}});
  EXPECT_THAT(made.groups, IsEmpty());
  EXPECT_EQ(made.reason, "0 file groups, 1 left out: pending_plan");
}

TEST(Schedule, TimelineB04ANewGroupIsPlannedAlone) {
  Group other = FiveCommits().Log("new", {12, 13});
  Group first = other;
  other.history.group.file_id = "g2";
  other.history.logs = {other.history.logs.back()};
  first.history.logs.pop_back();
  EXPECT_THAT(Schedule({first, other}, 14, {{PlanId(1), {{"p=1", "g1"}}}}).groups,
              ElementsAre("g2: new"));
}

TEST(Schedule, TimelineB14LogsOfPendingTransactionsOnlyMakeNoPlan) {
  const Made made = Schedule({Named("g1", Group().Base({1, 2}).Log("l", {5, kPending}))}, 10, {});
  EXPECT_THAT(made.groups, IsEmpty());
  EXPECT_EQ(made.reason, "0 file groups, 1 left out: nothing_to_do");
}

TEST(Schedule, TimelineB15AWriterThatIsStillRunningIsInTheNextSlice) {
  const Group group =
      Named("g1", Group().Base({5, 8}).Log("done", {10, 12}).Log("t1", {20, 40}).Plan({30, 50}));
  EXPECT_THAT(Schedule({group}, 30, {}).groups, ElementsAre("g1: b5 + done"));
  EXPECT_EQ(group.Reader(group.View(50)), "b30 + t1");
}

// Whoever comes second looks after the first has stored its plan: the table lock sees to that.
TEST(Schedule, TimelineB17TheSecondSchedulerFindsNothing) {
  const std::vector<Group> groups = {FiveCommits()};
  const Made first = Schedule(groups, 11, {});
  ASSERT_EQ(first.groups.size(), 1U);
  EXPECT_THAT(Schedule(groups, 12, {{PlanId(1), {groups[0].history.group}}}).groups, IsEmpty());
}

TEST(Schedule, AGroupThatIsGivenTwiceIsTakenOnce) {
  EXPECT_EQ(Schedule({FiveCommits(), FiveCommits()}, 11, {}).reason,
            "1 file groups, 1 left out: pending_plan");
}

TEST(Schedule, LogCompactionsWaitForEnoughLogs) {
  ScheduleOptions options;
  options.min_logs = 5;
  EXPECT_EQ(Schedule({FiveCommits()}, 11, {}, options).groups.size(), 1U);
  EXPECT_THAT(Schedule({FiveCommits()}, 10, {}, options).groups, IsEmpty())
      << "the fifth completes at 10";
}

TEST(Schedule, TheLargestLogsComeFirstUntilThePlanIsLargeEnough) {
  std::vector<Group> groups = {FiveCommits(), FiveCommits(), FiveCommits()};
  groups[0].history.group.file_id = "small";
  groups[1].history.group.file_id = "large";
  groups[2].history.group.file_id = "middle";
  ScheduleOptions options;
  options.target_bytes = 100;
  const Made made = Schedule(groups, 11, {}, options, {10, 70, 30});
  EXPECT_THAT(made.groups, ElementsAre("large: l1,l2,l3,l4,l5", "middle: l1,l2,l3,l4,l5"));
  EXPECT_EQ(made.reason, "2 file groups, 1 left out: target_size");
}

}  // namespace
}  // namespace catalogd::coord
