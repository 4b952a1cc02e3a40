#include "catalog/coord/service/slice_infos.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace catalogd::coord {
namespace {

// The slices of one group.
class GroupSlices {
 public:
  GroupSlices(GroupHistories* histories, size_t group, const SliceContext& context,
              const Instant& at)
      : histories_(*histories),
        index_(group),
        history_(histories->groups[group]),
        times_(context.times),
        at_(at) {
    const auto plans = context.plans.groups.find(history_.group);
    if (plans != context.plans.groups.end()) plans_ = &plans->second;
  }

  void Merged(std::vector<api::FileSliceInfo>* slices) {
    RecallCompacted();
    const GroupView view = ViewAt(history_, times_, at_);
    if (!view.merged) return;
    api::FileSliceInfo info = InfoOf(*view.merged, view);
    const std::vector<LogName> order = MergeOrder(*view.merged, CompactionsIn(*view.merged));
    for (const LogName& log : order) {
      if (IsRecalled(log)) continue;
      info.logs.push_back(LogInfo(log, times_.Lookup(log.instant).completed, false));
    }
    slices->push_back(std::move(info));
  }

  void ReadOptimized(std::vector<api::FileSliceInfo>* slices) const {
    const GroupView view = ViewAt(history_, times_, at_);
    if (!view.newest_base) return;
    slices->push_back(InfoOf({view.newest_base->instant, view.newest_base, {}}, view));
  }

  void Raw(std::vector<api::FileSliceInfo>* slices) const {
    const GroupView view = ViewAt(history_, times_, at_);
    for (const FileSlice& slice : RawSlices(history_, times_, at_)) {
      api::FileSliceInfo info = InfoOf(slice, view);
      for (const SliceLog& log : slice.logs) {
        info.logs.push_back(LogInfo(log.name, log.completed, IsSuperseded(log.name)));
      }
      slices->push_back(std::move(info));
    }
  }

 private:
  // What a log compaction holds applies where its inputs stood, not where its own time is. The
  // inputs are gone once it has committed, so that their places come from its plan.
  void RecallCompacted() {
    if (plans_ == nullptr) return;
    for (const GroupPlans::LogCompaction& planned : plans_->log_compactions) {
      const bool has_result =
          std::any_of(history_.logs.begin(), history_.logs.end(),
                      [&](const LogName& log) { return log.instant == planned.instant; });
      if (!has_result) continue;
      LogCompaction compaction{planned.instant, {}};
      for (const std::string& input : planned.inputs) {
        const auto name = ParseDataFileName(input);
        if (!name || !*name || !std::holds_alternative<LogName>(**name)) continue;
        const auto& log = std::get<LogName>(**name);
        if (times_.Lookup(log.instant).state != CompletionState::kCompleted) continue;
        compaction.inputs.push_back(log.instant);
        const auto& live = history_.logs;
        if (std::find(live.begin(), live.end(), log) != live.end()) continue;
        recalled_.insert(input);
        history_.logs.push_back(log);
      }
      std::erase_if(history_.log_compactions,
                    [&](const LogCompaction& known) { return known.instant == planned.instant; });
      history_.log_compactions.push_back(std::move(compaction));
    }
  }

  [[nodiscard]] bool IsRecalled(const LogName& log) const {
    return !recalled_.empty() && recalled_.contains(FileNameOf(log));
  }

  // Those with an input in the slice. The others' results are logs like all others: what is live
  // counts.
  [[nodiscard]] std::vector<LogCompaction> CompactionsIn(const FileSlice& slice) const {
    std::vector<LogCompaction> found;
    for (const LogCompaction& compaction : history_.log_compactions) {
      const bool here = std::any_of(slice.logs.begin(), slice.logs.end(), [&](const SliceLog& log) {
        return std::find(compaction.inputs.begin(), compaction.inputs.end(), log.name.instant) !=
               compaction.inputs.end();
      });
      if (here) found.push_back(compaction);
    }
    return found;
  }

  [[nodiscard]] bool IsSuperseded(const LogName& log) const {
    return std::any_of(history_.log_compactions.begin(), history_.log_compactions.end(),
                       [&](const LogCompaction& compaction) {
                         const CompletionAnswer answer = times_.Lookup(compaction.instant);
                         return answer.state == CompletionState::kCompleted &&
                                answer.completed <= at_ &&
                                std::find(compaction.inputs.begin(), compaction.inputs.end(),
                                          log.instant) != compaction.inputs.end();
                       });
  }

  [[nodiscard]] api::FileSliceInfo InfoOf(const FileSlice& slice, const GroupView& view) const {
    api::FileSliceInfo info;
    info.partition = history_.group.partition;
    info.file_id = history_.group.file_id;
    info.anchor = slice.anchor.text();
    if (slice.base) {
      info.base = FileNameOf(*slice.base);
      info.base_size = histories_.SizeOf(index_, *slice.base);
    }
    if (view.pending_plan) info.pending_plan = view.pending_plan->text();
    for (const SliceWarning& warning : view.warnings) {
      info.warnings.push_back(
          fmt::format("{} {}", SliceWarningName(warning.kind), warning.instant.text()));
    }
    return info;
  }

  [[nodiscard]] api::SliceLogFile LogInfo(const LogName& log,
                                          const std::optional<Instant>& completed,
                                          bool superseded) const {
    api::SliceLogFile info;
    info.name = FileNameOf(log);
    info.requested = log.instant.text();
    if (completed) info.completed = completed->text();
    info.superseded = superseded;
    info.size = histories_.SizeOf(index_, log);
    return info;
  }

  const GroupHistories& histories_;
  const size_t index_;
  GroupHistory& history_;
  const CompletionIndex& times_;
  const Instant& at_;
  const GroupPlans::Group* plans_ = nullptr;
  std::set<std::string> recalled_;
};

}  // namespace

CoordResult<SliceForm> ParseSliceForm(std::string_view word) {
  if (word == "MERGED") return SliceForm::kMerged;
  if (word == "READ_OPTIMIZED") return SliceForm::kReadOptimized;
  if (word == "RAW") return SliceForm::kRaw;
  return Fail(CoordCode::kInvalidArgument,
              fmt::format("'{}' is no form of slices; allowed: MERGED, READ_OPTIMIZED, RAW", word));
}

void AppendSlices(GroupHistories histories, const SliceContext& context, const Instant& at,
                  SliceForm form, std::vector<api::FileSliceInfo>* slices) {
  for (size_t group = 0; group < histories.groups.size(); ++group) {
    GroupSlices of_group(&histories, group, context, at);
    switch (form) {
      case SliceForm::kMerged:
        of_group.Merged(slices);
        break;
      case SliceForm::kReadOptimized:
        of_group.ReadOptimized(slices);
        break;
      case SliceForm::kRaw:
        of_group.Raw(slices);
        break;
    }
  }
}

}  // namespace catalogd::coord
