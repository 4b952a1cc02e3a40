#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/ids.h"

namespace catalogd::coord {

// All versions of one file id within one partition.
struct FileGroup {
  std::string partition;
  std::string file_id;

  friend auto operator<=>(const FileGroup&, const FileGroup&) = default;
};

// The file groups of a pending plan.
struct PlanGroups {
  PlanId plan;
  std::vector<FileGroup> groups;
};

// A file group that two pending plans want: never made, and refused where it is found.
struct GroupClash {
  FileGroup group;
  PlanId first;
  PlanId second;

  friend bool operator==(const GroupClash&, const GroupClash&) = default;
};

// What a new plan may take: `wanted` without the groups of pending plans, whatever their type.
std::vector<FileGroup> FreeGroups(std::span<const FileGroup> wanted,
                                  std::span<const PlanGroups> pending);
// Every file group that is in two of the plans, in the order of the plans.
std::vector<GroupClash> FindClashes(std::span<const PlanGroups> pending);

}  // namespace catalogd::coord
