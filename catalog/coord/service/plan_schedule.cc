#include "catalog/coord/service/plan_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "catalog/coord/schedule.h"
#include "catalog/coord/service/group_histories.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/plan_clean.h"
#include "catalog/coord/service/plan_rows.h"

namespace catalogd::coord {
namespace {

bool MergesLogs(PlanType type) {
  return type == PlanType::kCompact || type == PlanType::kLogCompact;
}

int64_t Sum(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
}

// The live groups that an order is about.
std::vector<GroupCandidate> CandidatesOf(const GroupHistories& live, const PlanOrder& order) {
  const std::set<FileGroup> wanted(order.groups.begin(), order.groups.end());
  std::vector<GroupCandidate> candidates;
  for (size_t i = 0; i < live.groups.size(); ++i) {
    if (!wanted.empty() && !wanted.contains(live.groups[i].group)) continue;
    candidates.push_back({&live.groups[i], Sum(live.sizes[i].logs), Sum(live.sizes[i].bases)});
  }
  return candidates;
}

// A log compaction that nobody has begun: a compaction takes its place, or groups whose executors
// know only compactions would never be compacted.
bool GivesWay(const PlanRow& plan) {
  return plan.type == PlanType::kLogCompact && plan.state == PlanState::kRequested;
}

std::vector<PlanGroups> TakenFor(const TableState& state, PlanType type) {
  std::vector<PlanGroups> taken = TakenGroups(state);
  if (type != PlanType::kCompact) return taken;
  std::erase_if(
      taken, [&](const PlanGroups& groups) { return GivesWay(state.FindPlan(groups.plan)->row); });
  return taken;
}

// Ends the log compactions in whose place the new plan is.
void CancelThoseInTheWay(const TableState& state, const PlanRecord& made, StoreBatch* batch) {
  const std::set<FileGroup> groups(made.groups.begin(), made.groups.end());
  for (const auto& [id, plan] : state.plans()) {
    const bool meets = std::any_of(plan.groups.begin(), plan.groups.end(),
                                   [&](const FileGroup& group) { return groups.contains(group); });
    if (!meets || !GivesWay(plan.row)) continue;
    PlanRecord cancelled = plan;
    cancelled.row.state = PlanState::kCancelled;
    cancelled.row.last_error = fmt::format("plan {} took its place", made.row.id.value());
    batch->emplace_back(std::move(cancelled));
  }
}

SchedulePlan PlanMerge(const TableState& state, const PlanOrder& order, const GroupHistories& live,
                       const Instant& instant) {
  const TableOptions& options = state.options();
  constexpr size_t kLeastToMerge = 2;
  ScheduleOptions limits;
  limits.min_logs = order.forced ? 1 : options.min_logs;
  if (order.type == PlanType::kLogCompact) {
    limits.min_logs = order.forced ? kLeastToMerge : options.log_compact_min_logs;
  }
  return ScheduleGroups(CandidatesOf(live, order), live.times, instant, TakenFor(state, order.type),
                        limits);
}

// What a reader merges of each group; a group that was replaced, or has nothing, is left out.
SchedulePlan PlanCluster(const TableState& state, const PlanOrder& order,
                         const GroupHistories& live, const Instant& instant) {
  std::set<FileGroup> taken;
  for (const PlanGroups& plan : TakenGroups(state)) {
    taken.insert(plan.groups.begin(), plan.groups.end());
  }
  SchedulePlan plan;
  size_t left_out = 0;
  for (const GroupCandidate& candidate : CandidatesOf(live, order)) {
    const GroupHistory& history = *candidate.history;
    GroupView view = ViewAt(history, live.times, instant);
    const bool unknown = !view.warnings.empty();
    if (taken.contains(history.group) || unknown || view.replaced || !view.merged) {
      ++left_out;
      continue;
    }
    PlannedGroup planned{history.group, {view.merged->base, {}}};
    for (SliceLog& log : view.merged->logs) planned.inputs.logs.push_back(std::move(log.name));
    plan.groups.push_back(std::move(planned));
  }
  plan.reason = fmt::format("{} file groups", plan.groups.size());
  if (left_out > 0) {
    plan.reason += fmt::format(", {} left out: in another plan, replaced or empty", left_out);
  }
  return plan;
}

// Groups, inputs and content.
void TakeGroups(const SchedulePlan& plan, IdVersion snapshot, PlanRecord* record) {
  PlanPayload payload;
  payload.snapshot = snapshot;
  for (const PlannedGroup& group : plan.groups) {
    record->groups.push_back(group.group);
    PlanPayload::Group& made = payload.groups.emplace_back();
    made.partition = group.group.partition;
    made.file_id = group.group.file_id;
    // A log compaction leaves the base alone.
    if (group.inputs.base && record->row.type != PlanType::kLogCompact) {
      made.base = FileNameOf(*group.inputs.base);
      record->inputs.push_back(made.base);
    }
    for (const LogName& log : group.inputs.logs) {
      made.logs.push_back(FileNameOf(log));
      record->inputs.push_back(made.logs.back());
    }
  }
  record->payload = PayloadToJson(payload);
}

// What there is to do; nothing: groups and removes are empty.
struct Content {
  SchedulePlan groups;
  std::vector<std::string> removes;
  std::string reason;

  [[nodiscard]] bool empty() const { return groups.groups.empty() && removes.empty(); }
};

Content ContentOf(const TableState& state, const PlanOrder& order, const Instant& instant,
                  const Clock& clock) {
  Content content;
  if (order.type == PlanType::kClean) {
    CleanPlan clean = PlanClean(state, clock);
    content.removes = std::move(clean.removes);
    content.reason = std::move(clean.reason);
    return content;
  }
  const GroupHistories live = MakeGroupHistories(state, nullptr, state.record().row.id_version);
  content.groups = order.type == PlanType::kCluster ? PlanCluster(state, order, live, instant)
                                                    : PlanMerge(state, order, live, instant);
  content.reason = content.groups.reason;
  return content;
}

}  // namespace

CoordResult<PlanOrder> ReadPlanOrder(const api::SchedulePlanRequest& request) {
  PlanOrder order;
  order.by = TriggeredBy::kCall;
  COORD_ASSIGN_OR_RETURN(order.type, ParsePlanType(request.type));
  if (order.type == PlanType::kRollback) {
    return Fail(CoordCode::kInvalidArgument,
                "a rollback is not scheduled: call RollbackPlan with the plan whose attempt died");
  }
  if (order.type == PlanType::kClean && !request.groups.empty()) {
    return Fail(CoordCode::kInvalidArgument,
                "a clean is of the whole table; leave the file groups out");
  }
  order.forced = request.forced;
  order.cancellable = request.cancellable;
  order.reason = request.reason;
  for (const api::FileGroupRef& group : request.groups) {
    order.groups.push_back({group.partition, group.file_id});
  }
  return order;
}

CoordStatus CheckPlanOrder(const TableState& state, const PlanOrder& order) {
  if (!MergesLogs(order.type) || state.record().type != TableType::kCopyOnWrite) return {};
  return Fail(CoordCode::kInvalidTableType,
              fmt::format("table {}: a COW table has no logs, so there is nothing to compact",
                          state.name().ToString()));
}

TriggerDecision CompactionDue(const TableState& state, TriggeredBy by, const Clock& clock) {
  const auto now = state.PeekTime(clock);
  if (!now) return {TriggerVerdict::kNotDue, now.error().message};
  const Timeline timeline = state.MakeTimeline(state.record().row.id_version);
  return DecideTrigger(state.record().type, state.options().service.trigger, FactsOf(timeline),
                       *now, by);
}

bool LogCompactionDue(const TableState& state, const std::vector<std::string>* partitions) {
  if (state.record().type == TableType::kCopyOnWrite) return false;
  std::set<FileGroup> taken;
  for (const PlanGroups& plan : TakenGroups(state)) {
    taken.insert(plan.groups.begin(), plan.groups.end());
  }
  const IdVersion now = state.record().row.id_version;
  std::map<FileGroup, size_t> logs;
  bool due = false;
  const auto visit = [&](const std::string& partition, const std::string& file_id,
                         const std::string&, const FileEntry& file) {
    if (due || file.kind == FileKind::kBase || !file.LiveAt(now)) return;
    const FileGroup group{partition, file_id};
    due = ++logs[group] >= state.options().log_compact_min_logs && !taken.contains(group);
  };
  if (partitions == nullptr) {
    state.files().ForEach(visit);
  } else {
    for (const std::string& partition : *partitions) state.files().ForEach(partition, visit);
  }
  return due;
}

CoordResult<MadePlan> MakePlan(TableState* state, const PlanOrder& order, const Clock& clock,
                               std::atomic<int64_t>* next_plan) {
  COORD_RETURN_IF_FAILED(CheckPlanOrder(*state, order));
  if (state->record().row.commit_prepared) {
    return Fail(CoordCode::kRetryLater,
                "a commit of this table is not settled, so it is not known what a plan has to "
                "take; try again");
  }
  std::string reason = order.reason;
  if (order.type == PlanType::kCompact && !order.forced) {
    const TriggerDecision decision = CompactionDue(*state, order.by, clock);
    if (decision.verdict != TriggerVerdict::kDue) return MadePlan{{}, decision.reason, PlanId()};
    if (reason.empty()) reason = decision.reason;
  }
  const auto instant = state->PeekTime(clock);
  if (!instant) return AsFailure(FailureOf(instant.error(), "the time of the plan"));
  const Content content = ContentOf(*state, order, *instant, clock);
  if (content.empty()) return MadePlan{{}, "nothing to plan: " + content.reason, PlanId()};
  PlanRecord record;
  bool must_store = false;
  const auto taken = state->TakeTime(clock, &must_store);
  if (!taken) return AsFailure(FailureOf(taken.error(), "the time of the plan"));
  record.table_id = state->id();
  record.row.id = PlanId(next_plan->fetch_add(1));
  record.row.type = order.type;
  record.row.requested = *taken;
  record.row.removes = content.removes;
  record.created_ms = WallMillis(clock);
  record.trigger = reason.empty() ? content.reason : reason + "; " + content.reason;
  record.cancellable = order.cancellable;
  TakeGroups(content.groups, state->record().row.id_version, &record);
  MadePlan made{{}, record.trigger, record.row.id};
  if (must_store) made.batch.emplace_back(state->record());
  CancelThoseInTheWay(*state, record, &made.batch);
  made.batch.emplace_back(std::move(record));
  return made;
}

}  // namespace catalogd::coord
