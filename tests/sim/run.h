#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/options.h"
#include "tests/sim/strategy.h"
#include "tests/sim/world.h"

namespace catalogd::sim {

// What one schedule came to.
struct RunReport {
  RunEnd end = RunEnd::kFinished;
  uint64_t steps = 0;
  uint64_t trace_hash = 0;
  uint64_t checks = 0;
  World::Totals totals;
  std::vector<std::string> violations;
  [[nodiscard]] bool stuck() const { return end != RunEnd::kFinished; }
};

// Runs one schedule. After a run that is stuck (a deadlock, or no end) its threads stay behind:
// the process should end soon.
RunReport RunSchedule(const SimOptions& options, Strategy* strategy, bool print_trace);

}  // namespace catalogd::sim
