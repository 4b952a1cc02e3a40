#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/plan.h"
#include "catalog/coord/trigger.h"

// What people and writers are told about a table's services: whether they run, whether anybody
// plans and executes, whether writers should wait.
// Thread safety: pure functions.
namespace catalogd::coord {

struct ServiceOptions {
  bool asynchronous = true;       // Executors of their own.
  bool inline_execution = false;  // The writer executes after its commit.
  bool inline_schedule = false;   // The writer only plans, somebody else executes.
  TriggerOptions trigger;
  bool throttle = false;  // Writers are refused above the limit.
  size_t max_pending = 5;
  std::chrono::seconds lag_warn = std::chrono::hours(1);
};
// Errors: kInvalidArgument with what contradicts what.
Status CheckServiceOptions(const ServiceOptions& options);

enum class ServiceState { kRunning, kDegraded, kStopped, kFailed };
std::string_view ServiceStateName(ServiceState state);

struct ServiceStatus {
  ServiceState state = ServiceState::kRunning;
  size_t pending = 0;
  size_t failed = 0;       // Out of attempts: somebody has to look.
  std::string last_error;  // Of the oldest plan that has one and is not completed.
};
// `itself`: whether the service runs, was stopped, or has failed as a whole. One that runs is
// degraded when some plan failed and has not succeeded since; the others go on.
ServiceStatus StatusOf(std::span<const PlanRow> plans, ServiceState itself);

// Whether a new transaction is refused until plans are executed: more are pending than the limit.
bool Throttled(size_t pending, const ServiceOptions& options);

struct LagFacts {
  TableType type = TableType::kMergeOnRead;
  // For how long a compaction has been due without a pending plan; none: it is not.
  std::optional<Duration> due_for;
  // The age of the oldest plan that nobody has completed; none: there is none.
  std::optional<Duration> oldest_pending;
};
// Named warnings, none when all is well: "no_compaction_path" when nothing would ever execute a
// plan, "nobody_schedules", "nobody_executes" when it takes longer than `lag_warn`.
std::vector<std::string_view> ServiceWarnings(const LagFacts& facts, const ServiceOptions& options);

enum class WaitVerdict { kGoOn, kReached, kStopped, kFailed, kTimedOut };
// Of somebody who waits until at most `limit` plans are pending. Ends at once when the service
// does not run any more: it would be for ever.
WaitVerdict WaitForPlans(const ServiceStatus& status, size_t limit, Duration waited,
                         Duration timeout);

}  // namespace catalogd::coord
