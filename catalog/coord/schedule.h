#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/plan_inputs.h"

// Making a plan: which file groups it takes, and what of each.
// Thread safety: pure functions.
// Invariants: C-I8 no file group of a pending plan is taken.
namespace catalogd::coord {

struct GroupCandidate {
  const GroupHistory* history = nullptr;
  int64_t log_bytes = 0;  // Of what would be merged; the largest first.
  int64_t base_bytes = 0;
};

struct ScheduleOptions {
  size_t min_logs = 1;  // Of a group; log compactions wait for more.
  // How much one plan reads. The group that reaches it is the last.
  int64_t target_bytes = 512'000LL * 1024 * 1024;
};

struct PlannedGroup {
  FileGroup group;
  PlanInputs inputs;
};

struct SchedulePlan {
  std::vector<PlannedGroup> groups;  // Empty: there is nothing to plan, and nothing is stored.
  std::string reason;                // How many groups were left out, and why.
};

// A compaction requested at `plan`, an instant that was allotted under the table lock together
// with the look at `candidates`: otherwise a commit could complete in between and be in no slice.
SchedulePlan ScheduleGroups(std::span<const GroupCandidate> candidates,
                            const CompletionIndex& times, const Instant& plan,
                            std::span<const PlanGroups> pending, const ScheduleOptions& options);

}  // namespace catalogd::coord
