// Explores schedules of the sync core: see README.md.
#include <glog/logging.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>

#include "catalog/base/clock.h"
#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"
#include "tests/sim/explore.h"
#include "tests/sim/known_probes.h"
#include "tests/sim/mutants.h"

namespace catalogd::sim {
namespace {

// Set while a schedule runs, for the message of a failed check inside the code under test.
std::string mutant_argument;

std::string ReplayCommand(const std::string& replay) {
  return "build/release/bin/sim" + mutant_argument + " --replay " + replay;
}

void PrintFailure(const Failure& failure) {
  for (const std::string& violation : failure.violations) {
    std::printf("VIOLATION %s\n", violation.c_str());
  }
  std::printf("of: %s\n", failure.options.ToString().c_str());
  std::printf("again: %s --trace\n", ReplayCommand(failure.replay).c_str());
}

// Only one actor runs at a time. On one processor the next one takes over at once; on two it waits
// to be woken, which takes a hundred times as long when the machine is busy.
void StayOnOneProcessor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(std::max(sched_getcpu(), 0)), &one);
  static_cast<void>(sched_setaffinity(0, sizeof(one), &one));
}

// A check inside the code under test failed: ranks of mutexes, a commit without its lock.
[[noreturn]] void OnFailedCheck() {
  std::printf("VIOLATION a check failed, see above\n");
  std::printf("again: %s --trace\n", ReplayCommand(CurrentReplay()).c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

void PrintSum(const Sum& sum) {
  std::printf(
      "%llu schedules, %llu steps, %llu checks, %llu writes, %llu answers from the cache, "
      "trace %016llx, %llu with violations\n",
      static_cast<unsigned long long>(sum.schedules), static_cast<unsigned long long>(sum.steps),
      static_cast<unsigned long long>(sum.checks), static_cast<unsigned long long>(sum.writes),
      static_cast<unsigned long long>(sum.answered),
      static_cast<unsigned long long>(sum.trace_hash), static_cast<unsigned long long>(sum.failed));
}

// How often each rare path was taken. True when none was missed.
bool PrintProbes() {
  const std::map<std::string, uint64_t> hits = Probe::Hits();
  bool all = true;
  for (const char* name : kKnownProbes) {
    const auto it = hits.find(name);
    const uint64_t count = it == hits.end() ? 0 : it->second;
    std::printf("  probe %-28s %llu\n", name, static_cast<unsigned long long>(count));
    all = all && count > 0;
  }
  for (const auto& [name, count] : hits) {
    const auto same = [&name = name](const char* known) { return name == known; };
    if (std::any_of(std::begin(kKnownProbes), std::end(kKnownProbes), same)) continue;
    std::printf("  also  %-28s %llu\n", name.c_str(), static_cast<unsigned long long>(count));
  }
  return all;
}

struct Arguments {
  Plan plan;
  std::string replay;
  std::string mutant;
  bool all_probes = false;
};

// -1: go on.
int Parse(int argc, char** argv, Arguments* arguments) {
  CLI::App app{"Explores schedules of the sync core; exit code 0 only without violations."};
  Plan& plan = arguments->plan;
  const std::map<std::string, StrategyKind> strategies = {
      {"mixed", StrategyKind::kMixed},
      {"random", StrategyKind::kRandom},
      {"pct", StrategyKind::kPct},
      {"exhaustive", StrategyKind::kExhaustive}};
  app.add_option("--seed", plan.first_seed, "The first seed; the others follow.");
  app.add_option("--schedules", plan.schedules, "How many schedules.");
  app.add_option("--seconds", plan.seconds, "How long, instead of how many.");
  app.add_option("--strategy", plan.strategy, "mixed, random, pct or exhaustive.")
      ->transform(CLI::CheckedTransformer(strategies));
  app.add_option("--depth", plan.pct_depth, "Of PCT; without it 2 to 4, by seed.");
  app.add_option("--preemptions", plan.preemptions, "Of one exhaustive schedule, at most.");
  app.add_flag("--calm", plan.calm, "No worlds with restores or resyncs.");
  app.add_flag("--twice", plan.twice, "Every schedule twice: traces must be equal.");
  app.add_flag("--trace", plan.print_trace, "Print every step.");
  app.add_option("--replay", arguments->replay, "One schedule again, as a failure printed it.");
  app.add_option("--mutant", arguments->mutant, "Break one rule of the code under test.");
  app.add_flag("--all-probes", arguments->all_probes, "A probe that is not hit is a failure.");
  CLI11_PARSE(app, argc, argv);
  return -1;
}

int Main(int argc, char** argv) {
  StayOnOneProcessor();
  google::InitGoogleLogging(argv[0]);
  google::InstallFailureFunction(OnFailedCheck);
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::ERROR;
  Arguments arguments;
  const int parsed = Parse(argc, argv, &arguments);
  if (parsed >= 0) return parsed;
  if (!arguments.mutant.empty()) {
    const auto mutant = FindMutant(arguments.mutant);
    if (!mutant) {
      std::fprintf(stderr, "no mutant '%s'; there are:\n", arguments.mutant.c_str());
      for (const auto& [name, value] : kMutants) std::fprintf(stderr, "  %s\n", name);
      return 2;
    }
    mutant_in_force = *mutant;
    mutant_argument = " --mutant " + arguments.mutant;
  }
  Sum sum;
  if (arguments.replay.empty()) {
    sum = Explore(arguments.plan, SystemClock(), PrintFailure);
  } else {
    const auto replayed = Replay(arguments.replay, arguments.plan.print_trace, PrintFailure);
    if (!replayed) {
      std::fprintf(stderr, "%s\n", replayed.error().message.c_str());
      return 2;
    }
    sum = *replayed;
  }
  const bool all_hit = PrintProbes();
  PrintSum(sum);
  if (!all_hit && arguments.all_probes) std::printf("VIOLATION probes were missed\n");
  std::fflush(stdout);
  return sum.failed == 0 && (all_hit || !arguments.all_probes) ? 0 : 1;
}

}  // namespace
}  // namespace catalogd::sim

int main(int argc, char** argv) {
  const int code = catalogd::sim::Main(argc, argv);
  // Actors of a stuck schedule may still be there; nothing waits for them.
  std::fflush(stdout);
  std::_Exit(code);
}
