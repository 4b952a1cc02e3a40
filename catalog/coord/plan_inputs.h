#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/slices.h"

// What a plan takes from a file group, and what a clean may delete of it.
// Thread safety: pure functions.
namespace catalogd::coord {

struct PlanInputs {
  std::optional<BaseName> base;
  std::vector<LogName> logs;

  friend bool operator==(const PlanInputs&, const PlanInputs&) = default;
};

enum class PlanRefusal {
  kNone,
  kNothing,      // No log was completed, or the group was replaced: it is left out of the plan.
  kPendingPlan,  // Another plan has the group.
  kCompletionUnknown,  // A file may be committed or not: compacting would decide it by guessing.
};
std::string_view PlanRefusalName(PlanRefusal refusal);

struct GroupPlan {
  PlanRefusal refusal = PlanRefusal::kNone;
  PlanInputs inputs;  // Of kNone.
};

// What a compaction requested at `plan` takes: the newest slice of what was completed strictly
// before it. A log that completes at that instant or later is in the slice of the plan itself.
// `in_pending_plan`: some plan of whatever type has the group already.
GroupPlan PlanGroup(const GroupHistory& history, const CompletionIndex& times, const Instant& plan,
                    bool in_pending_plan);

struct CleanRules {
  Instant now;
  Instant retain_from;           // Readers may ask for any time from here on.
  std::vector<Instant> pins;     // Times that readers and savepoints hold on to.
  std::set<std::string> inputs;  // Names in pending plans.
};

// Files that no permitted read and no pending plan needs. Files of pending, unknown and orphaned
// instants are not among them: they are a rollback's or an operator's matter.
std::vector<std::string> RemovableFiles(const GroupHistory& history, const CompletionIndex& times,
                                        const CleanRules& rules);

}  // namespace catalogd::coord
