#include "catalog/coord/plan_inputs.h"

#include <algorithm>
#include <utility>

#include "catalog/coord/slice_builder.h"

namespace catalogd::coord {
namespace {

template <class Name>
bool AnyUnknown(const std::vector<Name>& names, const CompletionIndex& times) {
  return std::any_of(names.begin(), names.end(), [&](const Name& name) {
    return times.Lookup(name.instant).state == CompletionState::kUnknown;
  });
}

// Every time at which the view of the group may change, within the rules.
std::set<Instant> ReadTimes(const GroupHistory& history, const CompletionIndex& times,
                            const CleanRules& rules) {
  std::set<Instant> read_at(rules.pins.begin(), rules.pins.end());
  read_at.insert(rules.retain_from);
  read_at.insert(rules.now);
  const auto add = [&](const Instant& instant) {
    const std::optional<Seen> seen = SeenAs(times, instant);
    for (const Instant& at : {instant, seen ? seen->completed : instant}) {
      if (at >= rules.retain_from && at <= rules.now) read_at.insert(at);
    }
  };
  for (const BaseName& base : history.bases) add(base.instant);
  for (const LogName& log : history.logs) add(log.instant);
  for (const Instant& plan : history.plans) add(plan);
  for (const Replacement& replacement : history.replacements) add(replacement.instant);
  return read_at;
}

std::set<std::string> NeededFiles(const GroupHistory& history, const CompletionIndex& times,
                                  const CleanRules& rules) {
  std::set<std::string> needed = rules.inputs;
  for (const Instant& at : ReadTimes(history, times, rules)) {
    const GroupView view = ViewAt(history, times, at);
    if (view.newest_base) needed.insert(ToFileName(*view.newest_base));
    if (!view.merged) continue;
    if (view.merged->base) needed.insert(ToFileName(*view.merged->base));
    for (const SliceLog& log : view.merged->logs) needed.insert(ToFileName(log.name));
  }
  return needed;
}

}  // namespace

std::string_view PlanRefusalName(PlanRefusal refusal) {
  switch (refusal) {
    case PlanRefusal::kNone:
      return "none";
    case PlanRefusal::kNothing:
      return "nothing_to_do";
    case PlanRefusal::kPendingPlan:
      return "pending_plan";
    case PlanRefusal::kCompletionUnknown:
      return "completion_unknown";
  }
  return "?";
}

GroupPlan PlanGroup(const GroupHistory& history, const CompletionIndex& times, const Instant& plan,
                    bool in_pending_plan) {
  if (in_pending_plan) return {PlanRefusal::kPendingPlan, {}};
  if (ViewAt(history, times, plan).replaced) return {PlanRefusal::kNothing, {}};
  if (AnyUnknown(history.bases, times) || AnyUnknown(history.logs, times)) {
    return {PlanRefusal::kCompletionUnknown, {}};
  }
  SliceInput input;
  for (const BaseName& base : history.bases) {
    const std::optional<Seen> seen = SeenAs(times, base.instant);
    if (seen && seen->completed < plan) input.bases.push_back(&base);
  }
  for (const LogName& log : history.logs) {
    const std::optional<Seen> seen = SeenAs(times, log.instant);
    if (seen && seen->completed < plan) input.logs.push_back({log, seen->completed, false});
  }
  std::vector<FileSlice> slices = BuildSlices(std::move(input));
  if (slices.empty() || slices.front().logs.empty()) return {PlanRefusal::kNothing, {}};
  GroupPlan result;
  result.inputs.base = std::move(slices.front().base);
  for (SliceLog& log : slices.front().logs) result.inputs.logs.push_back(std::move(log.name));
  return result;
}

std::vector<std::string> RemovableFiles(const GroupHistory& history, const CompletionIndex& times,
                                        const CleanRules& rules) {
  const std::set<std::string> needed = NeededFiles(history, times, rules);
  std::vector<std::string> removable;
  const auto add = [&](const DataFileName& name, const Instant& instant) {
    const CompletionAnswer answer = times.Lookup(instant);
    const bool committed =
        answer.state == CompletionState::kCompleted && answer.completed <= rules.now;
    std::string text = ToFileName(name);
    if (committed && !needed.contains(text)) removable.push_back(std::move(text));
  };
  for (const BaseName& base : history.bases) add(base, base.instant);
  for (const LogName& log : history.logs) add(log, log.instant);
  return removable;
}

}  // namespace catalogd::coord
