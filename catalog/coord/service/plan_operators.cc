#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/rollback.h"
#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"

// What people do with plans: cancel, reset, roll back.
namespace catalogd::coord {
namespace {

const PlanRow* RowOf(const PlanRecord* plan) { return plan == nullptr ? nullptr : &plan->row; }

// Somebody executes it and it was not planned as one that may be ended meanwhile.
std::optional<CoordFailure> NotCancellable(const PlanRecord* plan, TimePoint now) {
  if (plan == nullptr || plan->cancellable || plan->row.state != PlanState::kClaimed ||
      ClaimExpired(plan->row, now)) {
    return std::nullopt;
  }
  GuardAnswer busy;
  busy.code = GuardCode::kPlanBusy;
  busy.owner = plan->row.claim->owner;
  busy.remaining = plan->row.claim->deadline - now;
  CoordFailure failure = FailureOf(busy, plan->row.id);
  failure.message +=
      "; it was not scheduled as cancellable, so it is cancelled when nobody runs it";
  return failure;
}

// Plans of an earlier time may have groups that a new one has by now.
std::optional<CoordFailure> GroupsTaken(const TableState& state, const PlanRecord* plan) {
  if (plan == nullptr || plan->row.state != PlanState::kFailed) return std::nullopt;
  const std::vector<PlanGroups> taken = TakenGroups(state);
  for (const GroupClash& clash : FindClashes(taken)) {
    if (clash.first != plan->row.id && clash.second != plan->row.id) continue;
    const PlanId other = clash.first == plan->row.id ? clash.second : clash.first;
    CoordFailure failure{CoordCode::kBusy,
                         fmt::format("plan {} has file group {} of '{}' by now; cancel one of them",
                                     other.value(), clash.group.file_id, clash.group.partition),
                         {},
                         {}};
    failure.details["plan"] = std::to_string(other.value());
    return failure;
  }
  return std::nullopt;
}

// The rollback of the plan that is not over yet.
const PlanRecord* RollbackOf(const TableState& state, const Instant& target) {
  for (const auto& [id, plan] : state.plans()) {
    const bool open = IsPending(plan.row.state) || plan.row.state == PlanState::kFailed;
    if (plan.row.type == PlanType::kRollback && open && plan.row.target == target) return &plan;
  }
  return nullptr;
}

}  // namespace

void PlanCalls::Cancel(const api::EndPlanRequest& request, Done<api::PlanInfo> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  const auto decide = [&](const TableState& state, const PlanRecord* plan) {
    const TimePoint now = context_->clock->Now();
    if (auto failure = NotCancellable(plan, now)) return PlanChange{{}, std::move(failure)};
    const GuardStep step = CancelPlan(state.record().row, RowOf(plan), state.id(), now);
    PlanChange change = ChangeOf(state, plan, id, step, now);
    if (change.batch.empty()) return change;
    change.batch.emplace_back(MakeAudit(state, *context_->clock, request.caller.owner,
                                        fmt::format("cancel plan {}", id.value()),
                                        std::string(GuardCodeName(step.answer.code))));
    return change;
  };
  ChangePlan(*table, id, decide, std::move(done));
}

void PlanCalls::Reset(const api::EndPlanRequest& request, Done<api::PlanInfo> done) {
  const PlanId id(request.plan_id);
  const auto table = TableOfPlan(context_->tables, request.caller.table, id);
  if (!table) return done(AsFailure(table.error()));
  const auto decide = [&](const TableState& state, const PlanRecord* plan) {
    if (auto failure = GroupsTaken(state, plan)) return PlanChange{{}, std::move(failure)};
    const GuardStep step = ResetPlan(state.record().row, RowOf(plan), state.id());
    PlanChange change = ChangeOf(state, plan, id, step, context_->clock->Now());
    if (change.batch.empty()) return change;
    change.batch.emplace_back(MakeAudit(state, *context_->clock, request.caller.owner,
                                        fmt::format("reset plan {}", id.value()), "OK"));
    return change;
  };
  ChangePlan(*table, id, decide, std::move(done));
}

CoordResult<PlanChange> PlanCalls::DecideRollback(TableState* state,
                                                  const api::ClaimPlanRequest& request,
                                                  api::ClaimedPlan* claimed) {
  const PlanId id(request.plan_id);
  const TimePoint now = context_->clock->Now();
  const PlanRecord* target = state->FindPlan(id);
  const PlanRecord* pending =
      target == nullptr ? nullptr : RollbackOf(*state, target->row.requested);
  RollbackRequest rollback;
  rollback.table_id = state->id();
  rollback.owner = request.caller.owner;
  rollback.lease = std::min<Duration>(DurationOf(request.lease_ms), state->options().txn.max_lease);
  const auto instant = state->PeekTime(*context_->clock);
  if (!instant) return AsFailure(FailureOf(instant.error(), "the time of the rollback"));
  rollback.new_instant = *instant;
  rollback.new_plan = PlanId(context_->next_plan.load());
  RollbackStep step = ClaimRollback(state->record().row, RowOf(target), RowOf(pending), rollback,
                                    now, state->options().guard);
  bool must_store = false;
  PlanRecord fresh;
  if (step.rollback && pending == nullptr) {
    // Made: what was only looked at is taken now.
    const auto taken = state->TakeTime(*context_->clock, &must_store);
    if (!taken) return AsFailure(FailureOf(taken.error(), "the time of the rollback"));
    step.rollback->requested = *taken;
    step.rollback->id = PlanId(context_->next_plan.fetch_add(1));
    fresh.table_id = state->id();
    fresh.payload = PayloadToJson({});
    fresh.created_ms = WallMillis(*context_->clock);
    fresh.trigger = fmt::format("rollback of plan {}", id.value());
    pending = &fresh;
  }
  PlanChange change;
  change.batch = BatchOf(*state, target, {step.answer, step.table, step.target}, must_store, now);
  for (StoreChange& row : BatchOf(*state, pending, {step.answer, {}, step.rollback}, false, now)) {
    change.batch.push_back(std::move(row));
  }
  if (step.answer.code != GuardCode::kOk) {
    const bool of_target = pending == nullptr || step.answer.code == GuardCode::kTooLate;
    change.failure = FailureOf(step.answer, of_target ? id : pending->row.id);
    return change;
  }
  ++context_->counters.claims;
  if (step.answer.takeover) ++context_->counters.takeovers;
  const auto& made = std::get<PlanRecord>(change.batch.back());
  claimed->plan = InfoOf(*state, made);
  claimed->fence = step.answer.fence.value();
  claimed->attempt = step.answer.attempt;
  claimed->takeover = step.answer.takeover;
  claimed->earlier_files = step.answer.earlier_files;
  claimed->lease_ms = MillisOf(made.row.claim->lease);
  return change;
}

void PlanCalls::Rollback(const api::ClaimPlanRequest& request, Done<api::ClaimedPlan> done) {
  if (request.caller.owner.empty() || request.lease_ms < 0) {
    return done(Fail(CoordCode::kInvalidArgument,
                     "a rollback is claimed: it has an owner, and a lease of 0 or more"));
  }
  const auto table = TableOfPlan(context_->tables, request.caller.table, PlanId(request.plan_id));
  if (!table) return done(AsFailure(table.error()));
  auto claimed = std::make_shared<api::ClaimedPlan>();
  const auto decide = [&](TableState* state) {
    return DecideRollback(state, request, claimed.get());
  };
  StorePlanChange(*table, decide, [claimed, done = std::move(done)](const CoordStatus& stored) {
    if (!stored) return done(AsFailure(stored.error()));
    done(*claimed);
  });
}

}  // namespace catalogd::coord
