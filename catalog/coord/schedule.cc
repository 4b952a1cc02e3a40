#include "catalog/coord/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace catalogd::coord {
namespace {

std::string Reason(size_t taken, const std::map<std::string_view, size_t>& left_out) {
  std::string text = fmt::format("{} file groups", taken);
  for (const auto& [why, count] : left_out) text += fmt::format(", {} left out: {}", count, why);
  return text;
}

}  // namespace

SchedulePlan ScheduleGroups(std::span<const GroupCandidate> candidates,
                            const CompletionIndex& times, const Instant& plan,
                            std::span<const PlanGroups> pending, const ScheduleOptions& options) {
  std::set<FileGroup> taken;
  for (const PlanGroups& other : pending) taken.insert(other.groups.begin(), other.groups.end());
  std::vector<GroupCandidate> ordered(candidates.begin(), candidates.end());
  std::stable_sort(
      ordered.begin(), ordered.end(),
      [](const GroupCandidate& a, const GroupCandidate& b) { return a.log_bytes > b.log_bytes; });
  SchedulePlan result;
  std::map<std::string_view, size_t> left_out;
  int64_t bytes = 0;
  for (const GroupCandidate& candidate : ordered) {
    if (bytes >= options.target_bytes) {
      ++left_out["target_size"];
      continue;
    }
    const FileGroup& group = candidate.history->group;
    GroupPlan made = PlanGroup(*candidate.history, times, plan, taken.contains(group));
    if (made.refusal == PlanRefusal::kNone && made.inputs.logs.size() < options.min_logs) {
      made.refusal = PlanRefusal::kNothing;
    }
    if (made.refusal != PlanRefusal::kNone) {
      ++left_out[PlanRefusalName(made.refusal)];
      continue;
    }
    taken.insert(group);
    bytes += candidate.log_bytes + candidate.base_bytes;
    result.groups.push_back({group, std::move(made.inputs)});
  }
  result.reason = Reason(result.groups.size(), left_out);
  return result;
}

}  // namespace catalogd::coord
