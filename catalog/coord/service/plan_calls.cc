#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/commit_pipeline.h"
#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"

// What is asked of plans, and what their executors say of them.
namespace catalogd::coord {
namespace {

constexpr size_t kMaxText = 2000;

std::string Shortened(const std::string& text) {
  return text.size() <= kMaxText ? text : text.substr(0, kMaxText) + "...";
}

Holder HolderOf(const TableState& state, int64_t fence) { return {state.id(), Fence(fence)}; }

const PlanRow* RowOf(const PlanRecord* plan) { return plan == nullptr ? nullptr : &plan->row; }

// Which plans a list has.
struct PlanFilter {
  bool pending = true;
  std::optional<PlanState> state;
  std::optional<PlanType> type;

  [[nodiscard]] bool Takes(const PlanRow& plan) const {
    if (type && plan.type != *type) return false;
    if (state) return plan.state == *state;
    return !pending || IsPending(plan.state);
  }
};

CoordResult<PlanFilter> FilterOf(const api::ListPlansRequest& request) {
  PlanFilter filter;
  if (!request.type.empty()) {
    COORD_ASSIGN_OR_RETURN(filter.type, ParsePlanType(request.type));
  }
  if (request.limit < 0) return Fail(CoordCode::kInvalidArgument, "a limit is 0 (all) or more");
  if (request.state.empty()) return filter;
  filter.pending = false;
  if (request.state == "ALL") return filter;
  std::string allowed = "ALL";
  for (const PlanState state : {PlanState::kRequested, PlanState::kClaimed, PlanState::kCommitting,
                                PlanState::kCompleted, PlanState::kCancelled, PlanState::kFailed}) {
    if (request.state == PlanStateName(state)) filter.state = state;
    allowed += ", " + std::string(PlanStateName(state));
  }
  if (filter.state) return filter;
  return Fail(CoordCode::kInvalidArgument,
              fmt::format("'{}' is no state of a plan; allowed: {}, or nothing for pending ones",
                          request.state, allowed));
}

api::CommitResult ResultOf(const TableState& state, const PlanRow& plan, bool repeated) {
  api::CommitResult result;
  result.completed = plan.completion->time.text();
  result.id_version = plan.completion->id_version.value();
  result.pending_plans = static_cast<int32_t>(state.PendingPlans());
  result.repeated = repeated;
  result.files_to_remove = FilesToRemove(plan);
  return result;
}

// What is known to be stored; a commit on its way is still pending.
ServiceStatus StatusToTell(const TableState& state) {
  std::vector<PlanRow> rows = state.PlanRows();
  for (PlanRow& row : rows) {
    if (row.completion && row.completion->id_version > state.durable()) {
      row.state = PlanState::kCommitting;
    }
  }
  return StatusOf(rows, OwnServiceState(state.options().service));
}

std::string_view OutcomeWord(WaitVerdict verdict) {
  switch (verdict) {
    case WaitVerdict::kReached:
      return "REACHED";
    case WaitVerdict::kStopped:
      return "STOPPED";
    case WaitVerdict::kFailed:
      return "FAILED";
    case WaitVerdict::kGoOn:
    case WaitVerdict::kTimedOut:
      break;
  }
  return "TIMEOUT";
}

}  // namespace

api::PlanInfo PlanCalls::InfoOf(const TableState& state, const PlanRecord& plan) {
  api::PlanInfo info = MakePlanInfo(state, plan, context_->clock->Now());
  const MutexLock lock(progress_mutex_);
  const auto progress = progress_.find(plan.row.id);
  if (progress != progress_.end()) info.progress = progress->second;
  return info;
}

void PlanCalls::DropProgress(PlanId plan) {
  const MutexLock lock(progress_mutex_);
  progress_.erase(plan);
}

CoordResult<std::vector<api::PlanInfo>> PlanCalls::List(const api::ListPlansRequest& request) {
  COORD_ASSIGN_OR_RETURN(const PlanFilter filter, FilterOf(request));
  std::vector<ManagedTablePtr> tables;
  if (request.caller.table.empty()) {
    tables = context_->tables.All();
  } else {
    COORD_ASSIGN_OR_RETURN(ManagedTablePtr table, context_->tables.Find(request.caller.table));
    tables.push_back(std::move(table));
  }
  std::vector<api::PlanInfo> plans;
  for (const ManagedTablePtr& table : tables) {
    const MutexLock lock(table->mutex);
    for (const auto& [id, plan] : table->state.plans()) {
      if (filter.Takes(plan.row)) plans.push_back(InfoOf(table->state, plan));
    }
  }
  std::sort(plans.begin(), plans.end(),
            [](const api::PlanInfo& a, const api::PlanInfo& b) { return a.plan_id < b.plan_id; });
  const auto limit = static_cast<size_t>(request.limit);
  if (limit > 0 && plans.size() > limit) {
    plans.erase(plans.begin(), plans.end() - static_cast<std::ptrdiff_t>(limit));
  }
  return plans;
}

CoordResult<api::PlanInfo> PlanCalls::Get(const api::PlanCall& request) {
  const PlanId id(request.plan_id);
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table,
                         TableOfPlan(context_->tables, request.caller.table, id));
  const MutexLock lock(table->mutex);
  const PlanRecord* plan = table->state.FindPlan(id);
  if (plan != nullptr) return InfoOf(table->state, *plan);
  GuardAnswer missing;
  missing.code = GuardCode::kPlanNotFound;
  return AsFailure(FailureOf(missing, id));
}

void PlanCalls::Beat(const api::PlanCall& request, Done<api::Beat> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  auto beat = std::make_shared<api::Beat>();
  const auto decide = [&](TableState* state) -> CoordResult<PlanChange> {
    const PlanRecord* plan = state->FindPlan(id);
    const TimePoint now = context_->clock->Now();
    const GuardStep step = BeatPlan(state->record().row, RowOf(plan),
                                    HolderOf(*state, request.fence), now, state->options().guard);
    if (step.answer.code == GuardCode::kFenced) ++context_->counters.fenced;
    PlanChange change = ChangeOf(*state, plan, id, step, now);
    if (change.failure) return change;
    beat->remaining_ms = MillisOf(step.answer.remaining);
    beat->cancel = step.answer.cancel_requested;
    // The deadline is not kept, so most beats need no write.
    const auto* record = std::get_if<PlanRecord>(&change.batch.front());
    if (record == nullptr || record->claim_alive != plan->claim_alive) return change;
    state->Apply(change.batch.front());
    return PlanChange{};
  };
  StorePlanChange(*table, decide,
                  [this, id, beat, progress = request.progress,
                   done = std::move(done)](const CoordStatus& stored) {
                    if (!stored) return done(AsFailure(stored.error()));
                    if (!progress.empty()) {
                      const MutexLock lock(progress_mutex_);
                      progress_[id] = Shortened(progress);
                    }
                    done(*beat);
                  });
}

void PlanCalls::RegisterFiles(const api::RegisterFilesRequest& request, Done<api::Beat> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  if (const CoordStatus fine = CheckFileNames(request.names); !fine) {
    return done(AsFailure(fine.error()));
  }
  auto beat = std::make_shared<api::Beat>();
  const auto decide = [&](TableState* state) -> CoordResult<PlanChange> {
    const PlanRecord* plan = state->FindPlan(id);
    const TimePoint now = context_->clock->Now();
    const GuardStep step = coord::RegisterFiles(state->record().row, RowOf(plan),
                                                HolderOf(*state, request.fence), request.names);
    if (step.answer.code == GuardCode::kFenced) ++context_->counters.fenced;
    if (step.plan) {
      beat->remaining_ms = MillisOf(step.plan->claim->deadline - now);
      beat->cancel = step.plan->claim->cancel_requested;
    }
    return ChangeOf(*state, plan, id, step, now);
  };
  StorePlanChange(*table, decide, [beat, done = std::move(done)](const CoordStatus& stored) {
    if (!stored) return done(AsFailure(stored.error()));
    done(*beat);
  });
}

void PlanCalls::Complete(const api::CommitRequest& request, Done<api::CommitResult> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  bool here = false;
  {
    const MutexLock lock((*table)->mutex);
    const PlanRecord* plan = (*table)->state.FindPlan(id);
    here = plan == nullptr || !ClassOf(plan->row.type);
  }
  if (here) return CompleteHere(*table, request, std::move(done));
  CommitToTable(context_, *table, request,
                [this, id, done = std::move(done)](CoordResult<api::CommitResult> committed) {
                  if (committed) DropProgress(id);
                  done(std::move(committed));
                });
}

// A clean or a rollback: it changes no live file, so it needs neither the table's lock nor a
// version.
void PlanCalls::CompleteHere(const ManagedTablePtr& table, const api::CommitRequest& request,
                             Done<api::CommitResult> done) {
  const PlanId id(request.plan_id);
  if (!request.added.empty() || !request.removed.empty()) {
    return done(Fail(CoordCode::kInvalidArgument,
                     fmt::format("plan {} deletes what no version needs: it completes without "
                                 "files that are added or removed",
                                 id.value())));
  }
  auto result = std::make_shared<api::CommitResult>();
  const auto decide = [&](TableState* state) -> CoordResult<PlanChange> {
    const PlanRecord* plan = state->FindPlan(id);
    const TimePoint now = context_->clock->Now();
    bool must_store = false;
    const auto time = state->TakeTime(*context_->clock, &must_store);
    if (!time) return AsFailure(FailureOf(time.error(), "the time of the completion"));
    const GuardStep step =
        CompleteAtOnce(state->record().row, RowOf(plan), HolderOf(*state, request.fence), *time,
                       now, state->options().guard);
    if (step.answer.code == GuardCode::kFenced) ++context_->counters.fenced;
    if (step.answer.code != GuardCode::kOk) return ChangeOf(*state, plan, id, step, now);
    if (step.plan) ++context_->counters.plans_completed;
    PlanRow row = step.plan.value_or(plan->row);
    PlanChange change{BatchOf(*state, plan, step, must_store && step.plan, now), std::nullopt};
    *result = ResultOf(*state, row, !step.plan.has_value());
    if (step.plan) --result->pending_plans;
    return change;
  };
  StorePlanChange(table, decide,
                  [this, id, result, done = std::move(done)](const CoordStatus& stored) {
                    if (!stored) return done(AsFailure(stored.error()));
                    DropProgress(id);
                    done(*result);
                  });
}

void PlanCalls::ChangePlan(const ManagedTablePtr& table, PlanId plan, const DecideEnd& decide,
                           Done<api::PlanInfo> done) {
  const auto change = [&](TableState* state) -> CoordResult<PlanChange> {
    return decide(*state, state->FindPlan(plan));
  };
  StorePlanChange(table, change,
                  [this, table, plan, done = std::move(done)](const CoordStatus& stored) {
                    if (!stored) return done(AsFailure(stored.error()));
                    api::PlanInfo info;
                    {
                      const MutexLock lock(table->mutex);
                      const PlanRecord* now = table->state.FindPlan(plan);
                      if (now != nullptr) info = InfoOf(table->state, *now);
                    }
                    DropProgress(plan);
                    done(std::move(info));
                  });
}

void PlanCalls::FailPlan(const api::EndPlanRequest& request, Done<api::PlanInfo> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  const std::string error = request.error.empty() ? "failed, without a text" : request.error;
  const auto decide = [&](const TableState& state, const PlanRecord* plan) {
    const TimePoint now = context_->clock->Now();
    const GuardStep step =
        coord::FailPlan(state.record().row, RowOf(plan), HolderOf(state, request.fence),
                        Shortened(error), now, state.options().guard);
    if (step.answer.code == GuardCode::kOk) ++context_->counters.plans_failed;
    if (step.answer.code == GuardCode::kFenced) ++context_->counters.fenced;
    return ChangeOf(state, plan, id, step, now);
  };
  ChangePlan(*table, id, decide, std::move(done));
}

void PlanCalls::Abort(const api::EndPlanRequest& request, Done<api::PlanInfo> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  const auto decide = [&](const TableState& state, const PlanRecord* plan) {
    const GuardStep step =
        AbortPlan(state.record().row, RowOf(plan), HolderOf(state, request.fence));
    if (step.answer.code == GuardCode::kFenced) ++context_->counters.fenced;
    return ChangeOf(state, plan, id, step, context_->clock->Now());
  };
  ChangePlan(*table, id, decide, std::move(done));
}

void PlanCalls::Wait(const api::WaitPlansRequest& request, Done<api::WaitPlansResult> done) {
  auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  if (request.max_pending < 0 || request.timeout_ms < 0) {
    return done(Fail(CoordCode::kInvalidArgument,
                     "max_pending and timeout_ms are 0 or more; a timeout of 0 only asks"));
  }
  const ManagedTablePtr table = *found;
  const TimePoint begin = context_->clock->Now();
  const Duration timeout = DurationOf(request.timeout_ms);
  const auto limit = static_cast<size_t>(request.max_pending);
  // The answer as it is now; `may_wait`: none while there is something to wait for.
  const auto look = [this, table, begin, timeout,
                     limit](bool may_wait) -> std::optional<CoordResult<api::WaitPlansResult>> {
    const MutexLock lock(table->mutex);
    if (table->state.record().row.dropped) return AsFailure(table->state.MayChange().error());
    const ServiceStatus status = StatusToTell(table->state);
    const WaitVerdict verdict =
        WaitForPlans(status, limit, context_->clock->Now() - begin, timeout);
    if (may_wait && verdict == WaitVerdict::kGoOn) return std::nullopt;
    api::WaitPlansResult result;
    result.outcome = OutcomeWord(verdict);
    result.pending = static_cast<int32_t>(status.pending);
    return result;
  };
  context_->parking.Wait(
      table->id(), begin + timeout,
      [look, done] {
        auto answer = look(true);
        if (!answer) return false;
        done(*std::move(answer));
        return true;
      },
      [look, done](Parking::GiveUp how) {
        auto answer = look(false);
        if (how == Parking::GiveUp::kStopping && *answer) (*answer)->outcome = "STOPPED";
        done(*std::move(answer));
      });
}

}  // namespace catalogd::coord
