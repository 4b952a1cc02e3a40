#include "catalog/coord/service_status.h"

namespace catalogd::coord {

Status CheckServiceOptions(const ServiceOptions& options) {
  if (options.inline_execution && options.inline_schedule) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "inline execution and inline scheduling are both on: the first plans and "
                     "executes, the second leaves execution to others; choose one");
  }
  return CheckTriggerOptions(options.trigger);
}

std::string_view ServiceStateName(ServiceState state) {
  switch (state) {
    case ServiceState::kRunning:
      return "RUNNING";
    case ServiceState::kDegraded:
      return "DEGRADED";
    case ServiceState::kStopped:
      return "STOPPED";
    case ServiceState::kFailed:
      return "FAILED";
  }
  return "?";
}

ServiceStatus StatusOf(std::span<const PlanRow> plans, ServiceState itself) {
  ServiceStatus status;
  const PlanRow* oldest = nullptr;
  for (const PlanRow& plan : plans) {
    if (IsPending(plan.state)) ++status.pending;
    if (plan.state == PlanState::kFailed) ++status.failed;
    const bool open = IsPending(plan.state) || plan.state == PlanState::kFailed;
    if (!open || plan.last_error.empty()) continue;
    if (oldest == nullptr || plan.requested < oldest->requested) oldest = &plan;
  }
  if (oldest != nullptr) status.last_error = oldest->last_error;
  status.state = itself;
  const bool trouble = oldest != nullptr || status.failed > 0;
  if (itself == ServiceState::kRunning && trouble) status.state = ServiceState::kDegraded;
  return status;
}

bool Throttled(size_t pending, const ServiceOptions& options) {
  return options.throttle && pending > options.max_pending;
}

std::vector<std::string_view> ServiceWarnings(const LagFacts& facts,
                                              const ServiceOptions& options) {
  if (facts.type == TableType::kCopyOnWrite) return {};
  std::vector<std::string_view> warnings;
  if (!options.asynchronous && !options.inline_execution) {
    warnings.emplace_back("no_compaction_path");
  }
  if (facts.due_for && *facts.due_for > options.lag_warn && !facts.oldest_pending) {
    warnings.emplace_back("nobody_schedules");
  }
  if (facts.oldest_pending && *facts.oldest_pending > options.lag_warn) {
    warnings.emplace_back("nobody_executes");
  }
  return warnings;
}

WaitVerdict WaitForPlans(const ServiceStatus& status, size_t limit, Duration waited,
                         Duration timeout) {
  if (status.pending <= limit) return WaitVerdict::kReached;
  if (status.state == ServiceState::kStopped) return WaitVerdict::kStopped;
  if (status.state == ServiceState::kFailed) return WaitVerdict::kFailed;
  return waited >= timeout ? WaitVerdict::kTimedOut : WaitVerdict::kGoOn;
}

}  // namespace catalogd::coord
