#include "catalog/coord/plan.h"

namespace catalogd::coord {

std::string_view PlanTypeName(PlanType type) {
  switch (type) {
    case PlanType::kCompact:
      return "COMPACT";
    case PlanType::kLogCompact:
      return "LOG_COMPACT";
    case PlanType::kCluster:
      return "CLUSTER";
    case PlanType::kClean:
      return "CLEAN";
    case PlanType::kRollback:
      return "ROLLBACK";
  }
  return "?";
}

std::string_view PlanStateName(PlanState state) {
  switch (state) {
    case PlanState::kRequested:
      return "REQUESTED";
    case PlanState::kClaimed:
      return "CLAIMED";
    case PlanState::kCommitting:
      return "COMMITTING";
    case PlanState::kCompleted:
      return "COMPLETED";
    case PlanState::kCancelled:
      return "CANCELLED";
    case PlanState::kFailed:
      return "FAILED";
  }
  return "?";
}

bool IsPending(PlanState state) {
  return state == PlanState::kRequested || state == PlanState::kClaimed ||
         state == PlanState::kCommitting;
}

std::vector<std::string> FilesToRemove(const PlanRow& plan) {
  std::optional<Fence> kept;
  if (plan.completion) {
    kept = plan.completion->fence;
  } else if (plan.claim) {
    kept = plan.fence;
  }
  std::vector<std::string> names;
  for (const AttemptFile& file : plan.files) {
    if (file.fence != kept) names.push_back(file.name);
  }
  return names;
}

}  // namespace catalogd::coord
