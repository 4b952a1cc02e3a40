#include "catalog/coord/slices.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "catalog/coord/slice_builder.h"

namespace catalogd::coord {
namespace {

// A view while it is put together.
class ViewBuilder {
 public:
  ViewBuilder(const GroupHistory& history, const CompletionIndex& times, const Instant& at)
      : history_(history), times_(times), at_(at) {}

  GroupView Build() {
    FindPendingPlan();
    SliceInput input;
    input.pending_plan = view_.pending_plan;
    for (const BaseName& base : history_.bases) {
      if (Visible(base.instant)) input.bases.push_back(&base);
    }
    for (const LogName& log : history_.logs) {
      const std::optional<Seen> seen = Visible(log.instant);
      if (seen) input.logs.push_back({log, seen->completed, Superseded(log.instant)});
    }
    FindReplacement();
    if (view_.replaced) return std::move(view_);
    view_.slices = BuildSlices(std::move(input));
    for (const FileSlice& slice : view_.slices) {
      if (slice.base && !view_.newest_base) view_.newest_base = slice.base;
    }
    Merge();
    return std::move(view_);
  }

 private:
  void Warn(SliceWarningKind kind, const Instant& instant) {
    const SliceWarning warning{kind, instant};
    auto& all = view_.warnings;
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
  }

  std::optional<Seen> Visible(const Instant& instant) {
    const std::optional<Seen> seen = SeenAs(times_, instant);
    if (!seen) {
      const bool undone = times_.Lookup(instant).state != CompletionState::kPending;
      if (undone && instant <= at_) Warn(SliceWarningKind::kOrphan, instant);
      return std::nullopt;
    }
    if (seen->completed > at_) return std::nullopt;
    if (seen->unknown) Warn(SliceWarningKind::kCompletionUnknown, instant);
    return seen;
  }

  void FindPendingPlan() {
    for (const Instant& plan : history_.plans) {
      const CompletionAnswer answer = times_.Lookup(plan);
      const bool pending = answer.state == CompletionState::kPending ||
                           (answer.state == CompletionState::kCompleted && answer.completed > at_);
      if (plan > at_ || !pending) continue;
      if (view_.pending_plan) Warn(SliceWarningKind::kTwoPlans, plan);
      view_.pending_plan = std::max(plan, view_.pending_plan.value_or(Instant()));
    }
  }

  [[nodiscard]] bool Superseded(const Instant& log) const {
    return std::any_of(history_.log_compactions.begin(), history_.log_compactions.end(),
                       [&](const LogCompaction& compaction) {
                         const std::optional<Seen> seen = SeenAs(times_, compaction.instant);
                         return seen && seen->completed <= at_ &&
                                std::find(compaction.inputs.begin(), compaction.inputs.end(),
                                          log) != compaction.inputs.end();
                       });
  }

  void FindReplacement() {
    for (const Replacement& replacement : history_.replacements) {
      const CompletionAnswer answer = times_.Lookup(replacement.instant);
      if (answer.state != CompletionState::kCompleted || answer.completed > at_) continue;
      view_.replaced = true;
      if (!replacement.keeps_content) continue;
      for (const LogName& log : history_.logs) {
        const std::optional<Seen> seen = SeenAs(times_, log.instant);
        if (seen && seen->completed <= at_ && seen->completed >= replacement.instant) {
          Warn(SliceWarningKind::kStranded, log.instant);
        }
      }
    }
  }

  void Merge() {
    if (view_.slices.empty()) return;
    FileSlice merged = view_.slices.front();
    if (merged.anchor == view_.pending_plan && !merged.base && view_.slices.size() > 1) {
      FileSlice before = view_.slices[1];
      before.logs.insert(before.logs.end(), merged.logs.begin(), merged.logs.end());
      merged = std::move(before);
    }
    if (!merged.empty()) view_.merged = std::move(merged);
  }

  const GroupHistory& history_;
  const CompletionIndex& times_;
  const Instant& at_;
  GroupView view_;
};

}  // namespace

std::string_view SliceWarningName(SliceWarningKind kind) {
  switch (kind) {
    case SliceWarningKind::kCompletionUnknown:
      return "completion_unknown";
    case SliceWarningKind::kOrphan:
      return "orphan";
    case SliceWarningKind::kStranded:
      return "stranded";
    case SliceWarningKind::kTwoPlans:
      return "two_pending_plans";
  }
  return "?";
}

GroupView ViewAt(const GroupHistory& history, const CompletionIndex& times, const Instant& at) {
  return ViewBuilder(history, times, at).Build();
}

std::vector<FileSlice> RawSlices(const GroupHistory& history, const CompletionIndex& times,
                                 const Instant& at) {
  SliceInput input;
  input.pending_plan = ViewAt(history, times, at).pending_plan;
  for (const BaseName& base : history.bases) {
    if (base.instant <= at) input.bases.push_back(&base);
  }
  for (const LogName& log : history.logs) {
    if (log.instant > at) continue;
    const std::optional<Seen> seen = SeenAs(times, log.instant);
    SliceLog raw{log, std::nullopt, false};
    if (seen && seen->completed <= at) raw.completed = seen->completed;
    input.logs.push_back(std::move(raw));
  }
  return BuildSlices(std::move(input));
}

std::vector<FileSlice> SlicesByName(const GroupHistory& history) {
  std::map<Instant, FileSlice, std::greater<>> slices;
  for (const BaseName& base : history.bases) slices[base.instant].base = base;
  for (const LogName& log : history.logs) {
    slices[log.instant].logs.push_back({log, std::nullopt, false});
  }
  std::vector<FileSlice> newest_first;
  for (auto& [anchor, slice] : slices) {
    slice.anchor = anchor;
    std::sort(slice.logs.begin(), slice.logs.end(),
              [](const SliceLog& a, const SliceLog& b) { return CompareLogs(a.name, b.name) < 0; });
    newest_first.push_back(std::move(slice));
  }
  return newest_first;
}

std::vector<LogName> MergeOrder(const FileSlice& slice,
                                std::span<const LogCompaction> log_compactions) {
  // Of each input in the slice: the last compaction of a chain that is in the slice too.
  std::map<Instant, Instant> stands_for;
  std::set<Instant> compactions;
  std::set<Instant> here;
  for (const SliceLog& log : slice.logs) here.insert(log.name.instant);
  for (const LogCompaction& compaction : log_compactions) {
    if (!here.contains(compaction.instant)) continue;
    compactions.insert(compaction.instant);
    for (const Instant& input : compaction.inputs) stands_for.emplace(input, compaction.instant);
  }
  const auto last_of = [&](Instant instant) {
    // A chain ends: each step must be another instant than those before it.
    std::set<Instant> seen;
    for (auto next = stands_for.find(instant);
         next != stands_for.end() && seen.insert(instant).second; next = stands_for.find(instant)) {
      instant = next->second;
    }
    return instant;
  };
  std::vector<LogName> backward;
  std::set<Instant> placed;
  for (auto log = slice.logs.rbegin(); log != slice.logs.rend(); ++log) {
    const Instant& instant = log->name.instant;
    if (!stands_for.contains(instant)) {
      if (!compactions.contains(instant)) backward.push_back(log->name);
      continue;
    }
    const Instant compacted = last_of(instant);
    if (!placed.insert(compacted).second) continue;
    for (auto other = slice.logs.rbegin(); other != slice.logs.rend(); ++other) {
      if (other->name.instant == compacted) backward.push_back(other->name);
    }
  }
  return {backward.rbegin(), backward.rend()};
}

}  // namespace catalogd::coord
