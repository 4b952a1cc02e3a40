#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalog/coord/service/coord_context.h"

// What the calls for plans have in common: from a step of the guard to rows in the store.
// Thread safety: functions of a state, under its mutex; the others lock it themselves.
namespace catalogd::coord {

// What was decided on a plan.
struct PlanChange {
  StoreBatch batch;
  // Told instead of success, once the batch is stored: a claim may end a plan, too.
  std::optional<CoordFailure> failure;
};

// The rows that a step changes. `must_store`: the table's row also if the step does not change it.
StoreBatch BatchOf(const TableState& state, const PlanRecord* plan, const GuardStep& step,
                   bool must_store, TimePoint now);
PlanChange ChangeOf(const TableState& state, const PlanRecord* plan, PlanId id,
                    const GuardStep& step, TimePoint now);

// Decides under the table's mutex and stores. `done` is told after the batch is durable, or at
// once when there is nothing to store; never under the mutex.
using DecidePlanChange = std::function<CoordResult<PlanChange>(TableState* state)>;
void StorePlanChange(const ManagedTablePtr& table, const DecidePlanChange& decide,
                     std::function<void(CoordStatus)> done);

// The table of a call: by its reference or, without one, the one that has the plan.
CoordResult<ManagedTablePtr> TableOfPlan(const TableDirectory& tables, const std::string& reference,
                                         PlanId plan);

// The file groups that no new plan may take: those of plans that may still be executed. One that
// is out of attempts keeps its groups until an operator decides, or the next plan would fail too.
std::vector<PlanGroups> TakenGroups(const TableState& state);

// Whether anybody plans and executes for the table, by its options.
ServiceState OwnServiceState(const ServiceOptions& options);

// Names of files are handed to jobs that delete them: relative, without "..", and no longer than
// file systems take. INVALID_ARGUMENT.
CoordStatus CheckFileNames(const std::vector<std::string>& names);

// Of a request: a day at most, and 0 for what is below.
Duration DurationOf(int64_t millis);

AuditRecord MakeAudit(const TableState& state, const Clock& clock, const std::string& who,
                      std::string what, std::string outcome);

}  // namespace catalogd::coord
