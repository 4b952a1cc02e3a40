// Runs the simulator as people do: as a program, whose exit code and last words count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/explore.h"
#include "tests/sim/mutants.h"

namespace catalogd::sim {
namespace {

using ::testing::HasSubstr;

// Builds with sanitizers are many times slower; the plain build does the whole budget.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kFixedSeeds = "--schedules 300";
constexpr bool kWholeBudget = false;
#else
constexpr const char* kFixedSeeds = "--schedules 6000";
constexpr bool kWholeBudget = true;
#endif
// A mutant must be caught by the seeds of the normal run.
constexpr const char* kMutantBudget = "--schedules 6000";

struct Ran {
  int exit_code = -1;
  std::string output;
};

Ran RunSim(const std::string& arguments) {
  Ran ran;
  const std::string command = std::string(CATALOGD_SIM_PROGRAM) + " " + arguments + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::string block(4096, '\0');
  for (size_t n = 0; (n = fread(block.data(), 1, block.size(), pipe)) > 0;) {
    ran.output.append(block, 0, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  return ran;
}

// What is needed to see a failure again, last: reports cut long outputs at their beginning.
std::string Story(const Ran& ran) {
  std::string story;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  probe ") || line.ends_with(" 0")) story += line + "\n";
  }
  return story;
}

TEST(SimTest, FixedSeedsHoldAllInvariantsAndTakeEveryRarePath) {
  const Ran ran = RunSim(std::string(kFixedSeeds) + (kWholeBudget ? " --all-probes" : ""));
  EXPECT_EQ(ran.exit_code, 0) << Story(ran);
  std::printf("%s", Story(ran).c_str());
}

// Other seeds each time: a failure prints the command that runs it again.
TEST(SimTest, SmallWorldsAreExploredExhaustively) {
  const Ran ran = RunSim(std::string("--strategy exhaustive ") +
                         (kWholeBudget ? "--schedules 4000" : "--schedules 300"));
  EXPECT_EQ(ran.exit_code, 0) << Story(ran);
}

TEST(SimTest, EqualSeedsGiveEqualTraces) {
  const Ran ran = RunSim("--schedules 200 --twice");
  EXPECT_EQ(ran.exit_code, 0) << Story(ran);
  const Ran again = RunSim("--schedules 200 --twice");
  const auto trace = [](const std::string& output) { return output.substr(output.find("trace ")); };
  ASSERT_NE(ran.output.find("trace "), std::string::npos);
  EXPECT_EQ(trace(ran.output), trace(again.output));
}

TEST(SimTest, WhatIsNotASeedIsRefused) {
  EXPECT_EQ(RunSim("--replay nonsense").exit_code, 2);
  EXPECT_EQ(RunSim("--mutant nonsense").exit_code, 2);
}

TEST(StrategyTest, ASchedulePrintsAndParses) {
  const std::vector<Directed::Decision> decisions = {{3, 1}, {12, -2}};
  const auto parsed = ParseDecisions(FormatDecisions(decisions));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(FormatDecisions(*parsed), "3:1,12:-2");
  EXPECT_FALSE(ParseDecisions("3:"));
  EXPECT_FALSE(ParseDecisions("3:1;"));
}

// Two actors that take two mutexes in opposite orders: some seed must show it.
TEST(SchedulerTest, ADeadlockIsFoundAndDescribed) {
  for (uint64_t seed = 1; seed < 100; ++seed) {
    RandomWalk strategy(seed, 0, 0);
    // Stuck actors stay behind, and with them what they use.
    auto* const scheduler = new Scheduler({}, &strategy);
    static int first;
    static int second;
    const auto lock = [scheduler](const void* one, const void* other) {
      scheduler->Lock(one, false);
      scheduler->Lock(other, false);
      scheduler->Unlock(other, false);
      scheduler->Unlock(one, false);
    };
    scheduler->Spawn("ab", [lock] { lock(&first, &second); });
    scheduler->Spawn("ba", [lock] { lock(&second, &first); });
    if (scheduler->Run() == RunEnd::kFinished) {
      delete scheduler;
      continue;
    }
    EXPECT_THAT(scheduler->Describe(), HasSubstr("wants a mutex held by"));
    return;
  }
  FAIL() << "no seed found the deadlock";
}

TEST(SchedulerTest, TimeMovesOnlyWhenNobodyCanRun) {
  RandomWalk strategy(1, 8, 0);
  Scheduler scheduler({}, &strategy);
  std::string order;
  scheduler.Spawn("late", [&] {
    scheduler.Sleep(std::chrono::seconds(5));
    order += "late ";
  });
  scheduler.Spawn("soon", [&] {
    scheduler.Sleep(std::chrono::seconds(1));
    order += "soon ";
  });
  scheduler.Spawn("now", [&] {
    for (int i = 0; i < 20; ++i) scheduler.Yield("now");
    order += "now ";
  });
  EXPECT_EQ(scheduler.Run(), RunEnd::kFinished);
  EXPECT_EQ(order, "now soon late ");
}

class MutantTest : public ::testing::TestWithParam<const char*> {};

TEST_P(MutantTest, IsCaughtWithinTheBudgetOfTheNormalRun) {
  const Ran ran = RunSim(std::string(kMutantBudget) + " --mutant " + GetParam());
  EXPECT_NE(ran.exit_code, 0) << GetParam() << " was not caught:\n" << Story(ran);
  EXPECT_NE(ran.exit_code, 2) << Story(ran);
  EXPECT_THAT(ran.output, HasSubstr("VIOLATION"));
  EXPECT_THAT(ran.output, HasSubstr("--replay"));
}

std::vector<const char*> MutantNames() {
  std::vector<const char*> names;
  for (const auto& [name, mutant] : kMutants) names.push_back(name);
  return names;
}

std::string TestName(const ::testing::TestParamInfo<const char*>& mutant) {
  std::string name = mutant.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, MutantTest, ::testing::ValuesIn(MutantNames()), TestName);

}  // namespace
}  // namespace catalogd::sim
