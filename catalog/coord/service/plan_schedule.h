#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/coord/service/coord_context.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// Making a plan of what is live now.
// Thread safety: functions of a state, under its mutex.
namespace catalogd::coord {

// What somebody, or a trigger, wants to have planned.
struct PlanOrder {
  PlanType type = PlanType::kCompact;
  TriggeredBy by = TriggeredBy::kSchedule;
  bool forced = false;
  std::vector<FileGroup> groups;  // Empty: all.
  bool cancellable = false;
  std::string reason;  // Empty: what the trigger says.
};
// INVALID_ARGUMENT.
CoordResult<PlanOrder> ReadPlanOrder(const api::SchedulePlanRequest& request);
// INVALID_TABLE_TYPE for what makes no sense for the table.
CoordStatus CheckPlanOrder(const TableState& state, const PlanOrder& order);

struct MadePlan {
  StoreBatch batch;    // Empty: there is nothing to plan.
  std::string reason;  // Why there is a plan, or why there is none.
  PlanId plan;
};
// REQUIRES: under the table's name lock, so that no commit is between its check and its end: one
// that completed before the plan's instant and is not looked at here would be in no slice.
// RETRY_LATER while the outcome of a commit is unknown.
CoordResult<MadePlan> MakePlan(TableState* state, const PlanOrder& order, const Clock& clock,
                               std::atomic<int64_t>* next_plan);

// What a look at a table's triggers depends on: when it is as it was, there is nothing new to plan.
struct PlanLook {
  IdVersion version;
  bool due = false;
  std::map<PlanId, PlanState> plans;  // That may still be executed.
  std::map<std::string, std::string> options;

  friend bool operator==(const PlanLook&, const PlanLook&) = default;
};

// Whether a compaction is due, without looking at files.
TriggerDecision CompactionDue(const TableState& state, TriggeredBy by, const Clock& clock);
// Whether some file group has as many logs as log compactions wait for; of the partitions only, or
// of all when it is nullptr.
bool LogCompactionDue(const TableState& state, const std::vector<std::string>* partitions);

}  // namespace catalogd::coord
