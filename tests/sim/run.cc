#include "tests/sim/run.h"

#include <memory>
#include <utility>

namespace catalogd::sim {

RunReport RunSchedule(const SimOptions& options, Strategy* strategy, bool print_trace) {
  Scheduler::Options scheduling;
  scheduling.grain = options.grain;
  scheduling.seed = options.seed;
  scheduling.print_trace = print_trace;
  auto scheduler = std::make_unique<Scheduler>(scheduling, strategy);
  auto world = std::make_unique<World>(options, scheduler.get());
  world->Spawn();
  RunReport report;
  report.end = scheduler->Run();
  report.steps = scheduler->steps();
  report.trace_hash = scheduler->trace_hash();
  report.checks = world->oracle().checks();
  report.totals = world->totals();
  report.violations = world->oracle().violations();
  if (!report.stuck()) return report;
  report.violations.push_back(
      (report.end == RunEnd::kDeadlock ? "I9: nobody can go on:\n" : "I6: no end is in sight:\n") +
      scheduler->Describe());
  // The stuck actors use both for ever.
  static_cast<void>(world.release());
  static_cast<void>(scheduler.release());
  return report;
}

}  // namespace catalogd::sim
