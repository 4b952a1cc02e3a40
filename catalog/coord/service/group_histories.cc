#include "catalog/coord/service/group_histories.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "catalog/coord/service/infos.h"

namespace catalogd::coord {
namespace {

bool NamesTell(TableType type) {
  return type == TableType::kMergeOnRead || type == TableType::kCopyOnWrite;
}

// Of a completed plan the instant that its files are named after is the plan's.
Instant RequestedOf(const TableState& state, const TxnRow& txn) {
  if (txn.plan) {
    if (const PlanRecord* plan = state.FindPlan(*txn.plan)) return plan->row.requested;
  }
  return txn.requested;
}

// Empty for one that is long forgotten.
Instant RequestedAt(const TableState& state, IdVersion version) {
  if (const TxnRecord* txn = state.FindTxnOfVersion(version)) return RequestedOf(state, txn->row);
  const auto history = state.history().find(version);
  return history == state.history().end() ? Instant() : history->second.requested;
}

// Puts the files of a table into groups.
class Grouper {
 public:
  Grouper(const TableState& state, const TableContext& context, IdVersion at)
      : state_(state), context_(context), at_(at) {}

  void Add(const std::string& partition, const std::string& file_id, const std::string& name,
           const FileEntry& file) {
    if (!file.LiveAt(at_)) return;
    Group& group = groups_[FileGroup{partition, file_id}];
    if (NamesTell(state_.record().type) && AddByName(&group, name, file)) return;
    AddByRecord(&group, file_id, name, file);
  }

  void NotePlans() {
    for (auto& [name, group] : groups_) {
      const auto plans = context_.plans.groups.find(name);
      if (plans == context_.plans.groups.end()) continue;
      group.history.plans = plans->second.compactions;
      for (const GroupPlans::LogCompaction& compaction : plans->second.log_compactions) {
        NoteLogCompaction(compaction, &group.history);
      }
    }
  }

  GroupHistories Take() {
    GroupHistories made;
    for (auto& [name, group] : groups_) {
      group.history.group = name;
      made.groups.push_back(std::move(group.history));
      made.sizes.push_back(std::move(group.sizes));
    }
    return made;
  }

 private:
  struct Group {
    GroupHistory history;
    GroupSizes sizes;
    std::set<Instant> base_instants;
  };

  static void AddBase(Group* group, BaseName base, int64_t size) {
    group->base_instants.insert(base.instant);
    group->history.bases.push_back(std::move(base));
    group->sizes.bases.push_back(size);
  }
  static void AddLog(Group* group, LogName log, int64_t size) {
    group->history.logs.push_back(std::move(log));
    group->sizes.logs.push_back(size);
  }

  // False: the name is of another form, or of no instant that was completed: what is live has to
  // be seen, however it is called.
  bool AddByName(Group* group, const std::string& name, const FileEntry& file) const {
    auto parsed = ParseDataFileName(name);
    // What is not written back as the same name is not named by its parts.
    if (!parsed || !*parsed || ToFileName(**parsed) != name) return false;
    const Instant& instant = std::visit([](const auto& any) { return any.instant; }, **parsed);
    if (context_.times.Lookup(instant).state != CompletionState::kCompleted) return false;
    if (auto* base = std::get_if<BaseName>(&**parsed)) {
      AddBase(group, std::move(*base), file.size);
    } else {
      AddLog(group, std::get<LogName>(std::move(**parsed)), file.size);
    }
    return true;
  }

  void AddByRecord(Group* group, const std::string& file_id, const std::string& name,
                   const FileEntry& file) {
    const Instant instant = RequestedAt(state_, file.added);
    // A slice has one base; more of one instant stand among its logs, so that none is lost.
    if (file.kind == FileKind::kBase && !group->base_instants.contains(instant)) {
      AddBase(group, BaseName{file_id, name, instant, ""}, file.size);
    } else {
      AddLog(group, LogName{file_id, instant, 0, name, ""}, file.size);
    }
  }

  // Its inputs that are live beside its result.
  static void NoteLogCompaction(const GroupPlans::LogCompaction& planned, GroupHistory* history) {
    LogCompaction compaction{planned.instant, {}};
    for (const LogName& log : history->logs) {
      const bool input = std::find(planned.inputs.begin(), planned.inputs.end(), FileNameOf(log)) !=
                         planned.inputs.end();
      if (input) compaction.inputs.push_back(log.instant);
    }
    if (!compaction.inputs.empty()) history->log_compactions.push_back(std::move(compaction));
  }

  const TableState& state_;
  const TableContext context_;
  const IdVersion at_;
  std::map<FileGroup, Group> groups_;
};

template <class Name>
int64_t SizeIn(const std::vector<Name>& names, const std::vector<int64_t>& sizes,
               const Name& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? 0 : sizes[static_cast<size_t>(found - names.begin())];
}

}  // namespace

int64_t GroupHistories::SizeOf(size_t group, const BaseName& base) const {
  return SizeIn(groups[group].bases, sizes[group].bases, base);
}

int64_t GroupHistories::SizeOf(size_t group, const LogName& log) const {
  return SizeIn(groups[group].logs, sizes[group].logs, log);
}

CompletionIndex MakeCompletionIndex(const TableState& state, IdVersion at) {
  // Files of a transaction that not even the history knows are older than everything else.
  std::vector<ArchivedInstant> completed = {{Instant(), Instant()}};
  std::set<Instant> undone;
  for (const auto& [version, history] : state.history()) {
    if (version <= at) completed.push_back({history.requested, history.completed});
  }
  for (const auto& [id, txn] : state.txns()) {
    const TxnRow& row = txn.row;
    if (row.state == TxnState::kAborted) undone.insert(row.requested);
    if (row.state != TxnState::kCommitted || *row.id_version > at) continue;
    completed.push_back({RequestedOf(state, row), *row.completed});
  }
  for (const auto& [id, plan] : state.plans()) {
    if (plan.row.state == PlanState::kCancelled) undone.insert(plan.row.requested);
  }
  return {state.MakeTimeline(at), completed, std::move(undone)};
}

GroupPlans MakeGroupPlans(const TableState& state) {
  GroupPlans made;
  for (const auto& [id, plan] : state.plans()) {
    const PlanRow& row = plan.row;
    if (!IsPending(row.state) && row.state != PlanState::kCompleted) continue;
    if (row.type == PlanType::kCompact) {
      for (const FileGroup& group : plan.groups) {
        made.groups[group].compactions.push_back(row.requested);
      }
    }
    if (row.type != PlanType::kLogCompact) continue;
    auto payload = PayloadFromJson(plan.payload);
    if (!payload) continue;
    for (PlanPayload::Group& group : payload->groups) {
      made.groups[FileGroup{group.partition, group.file_id}].log_compactions.push_back(
          {row.requested, std::move(group.logs)});
    }
  }
  return made;
}

GroupHistories MakeGroupHistories(const TableState& state, std::span<const FileGroup> groups,
                                  const TableContext& context, IdVersion at) {
  Grouper grouper(state, context, at);
  for (const FileGroup& group : groups) {
    state.files().ForEachOf(
        group, [&](const std::string& in, const std::string& file_id, const std::string& name,
                   const FileEntry& file) { grouper.Add(in, file_id, name, file); });
  }
  grouper.NotePlans();
  return grouper.Take();
}

GroupHistories MakeGroupHistories(const TableState& state, const std::string* partition,
                                  IdVersion at) {
  CompletionIndex times = MakeCompletionIndex(state, at);
  const GroupPlans plans = MakeGroupPlans(state);
  Grouper grouper(state, {plans, times}, at);
  const auto visit = [&](const std::string& in, const std::string& file_id, const std::string& name,
                         const FileEntry& file) { grouper.Add(in, file_id, name, file); };
  if (partition != nullptr) {
    state.files().ForEach(*partition, visit);
  } else {
    state.files().ForEach(visit);
  }
  grouper.NotePlans();
  GroupHistories made = grouper.Take();
  made.times = std::move(times);
  return made;
}

std::string FileNameOf(const BaseName& base) {
  return base.format.empty() ? base.write_token : ToFileName(base);
}

std::string FileNameOf(const LogName& log) {
  return log.version == 0 ? log.write_token : ToFileName(log);
}

}  // namespace catalogd::coord
