#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/run.h"

namespace catalogd::sim {

enum class StrategyKind { kMixed, kRandom, kPct, kExhaustive };

// What to run.
struct Plan {
  StrategyKind strategy = StrategyKind::kMixed;
  uint64_t first_seed = 1;
  uint64_t schedules = 1000;  // Stops after so many,
  double seconds = 0;         // or, when not 0, after that time.
  int pct_depth = 0;          // 0: 2 to 4 by seed.
  int preemptions = 2;        // Exhaustive: of one schedule.
  bool calm = false;          // No worlds with restores or resyncs.
  bool twice = false;         // Each schedule twice: the traces must be equal.
  bool print_trace = false;
};

// What came out.
struct Sum {
  uint64_t schedules = 0;
  uint64_t steps = 0;
  uint64_t checks = 0;
  uint64_t writes = 0;
  uint64_t answered = 0;
  uint64_t trace_hash = 0;  // Of all schedules.
  uint64_t failed = 0;      // Schedules with violations.
};

// A schedule that violates something: which, and how to run it again.
struct Failure {
  SimOptions options;
  std::vector<std::string> violations;
  std::string replay;  // Arguments of `sim`.
};

// Runs the plan up to the first failure, which `on_failure` is told.
Sum Explore(const Plan& plan, const Clock& clock,
            const std::function<void(const Failure&)>& on_failure);

// What runs now, for those who abort: arguments of --replay.
const std::string& CurrentReplay();

// One schedule again: "SEED", "pct3:SEED", or "small:SEED:12:3,40:0".
Result<Sum> Replay(const std::string& text, bool print_trace,
                   const std::function<void(const Failure&)>& on_failure);

}  // namespace catalogd::sim
