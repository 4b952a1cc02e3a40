#include "catalog/coord/file_group.h"

#include <map>
#include <set>

namespace catalogd::coord {

std::vector<FileGroup> FreeGroups(std::span<const FileGroup> wanted,
                                  std::span<const PlanGroups> pending) {
  std::set<FileGroup> taken;
  for (const PlanGroups& plan : pending) taken.insert(plan.groups.begin(), plan.groups.end());
  std::vector<FileGroup> free;
  for (const FileGroup& group : wanted) {
    if (taken.insert(group).second) free.push_back(group);
  }
  return free;
}

std::vector<GroupClash> FindClashes(std::span<const PlanGroups> pending) {
  std::map<FileGroup, PlanId> holders;
  std::vector<GroupClash> clashes;
  for (const PlanGroups& plan : pending) {
    for (const FileGroup& group : plan.groups) {
      const auto [holder, first] = holders.emplace(group, plan.plan);
      if (!first && holder->second != plan.plan) {
        clashes.push_back({group, holder->second, plan.plan});
      }
    }
  }
  return clashes;
}

}  // namespace catalogd::coord
