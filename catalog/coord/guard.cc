#include "catalog/coord/guard.h"

#include <algorithm>
#include <utility>

namespace catalogd::coord {
namespace {

GuardStep Answer(GuardCode code) {
  GuardStep step;
  step.answer.code = code;
  return step;
}

GuardStep AnswerBusy(GuardCode code, const PlanRow& plan, TimePoint now) {
  GuardStep step = Answer(code);
  step.answer.owner = plan.claim->owner;
  step.answer.remaining = std::max(Duration{}, plan.claim->deadline - now);
  return step;
}

GuardStep AnswerCompleted(GuardCode code, const PlanRow& plan) {
  GuardStep step = Answer(code);
  step.answer.fence = plan.completion->fence;
  step.answer.completion = plan.completion;
  return step;
}

// A table that is gone, or a caller that means one that is; no plan.
std::optional<GuardCode> Missing(const TableRow& table, const PlanRow* plan,
                                 const std::string& table_id) {
  if (table.dropped || table.table_id != table_id) return GuardCode::kTableGone;
  if (plan == nullptr) return GuardCode::kPlanNotFound;
  return std::nullopt;
}

// The same and the fence.
std::optional<GuardCode> Refused(const TableRow& table, const PlanRow* plan, const Holder& holder) {
  if (const auto missing = Missing(table, plan, holder.table_id)) return missing;
  if (holder.fence == Fence() || holder.fence != plan->fence) return GuardCode::kFenced;
  return std::nullopt;
}

// What a holder is told whose fence is right and who holds nothing any more.
GuardStep AnswerOver(const PlanRow& plan) {
  if (plan.state == PlanState::kCancelled) return Answer(GuardCode::kPlanCancelled);
  return Answer(GuardCode::kClosed);
}

PlanRow Ended(PlanRow plan, PlanState state) {
  plan.state = state;
  plan.claim.reset();
  plan.prepared.reset();
  return plan;
}

GuardStep Cancelled(const PlanRow& plan, GuardCode code) {
  GuardStep step = Answer(code);
  step.plan = Ended(plan, PlanState::kCancelled);
  return step;
}

// Out of attempts. The fence rises, so that the last holder, should it still run, changes nothing.
GuardStep GivenUp(const TableRow& table, const PlanRow& plan) {
  GuardStep step = Answer(GuardCode::kPlanFailed);
  step.table = table;
  step.table->newest_fence = table.newest_fence.Next();
  step.plan = Ended(plan, PlanState::kFailed);
  step.plan->fence = step.table->newest_fence;
  return step;
}

Duration LeaseOf(const ClaimRequest& request, const GuardOptions& options) {
  return request.lease > Duration{} ? request.lease : options.lease;
}

GuardStep Granted(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                  TimePoint now, const GuardOptions& options) {
  const Duration lease = LeaseOf(request, options);
  GuardStep step;
  step.table = table;
  step.table->newest_fence = table.newest_fence.Next();
  step.plan = plan;
  step.plan->state = PlanState::kClaimed;
  step.plan->fence = step.table->newest_fence;
  ++step.plan->attempts;
  step.plan->claim = Claim{request.owner, lease, now + lease, false};
  step.answer.fence = step.plan->fence;
  step.answer.attempt = step.plan->attempts;
  step.answer.takeover = plan.state == PlanState::kClaimed;
  step.answer.remaining = lease;
  step.answer.earlier_files = FilesToRemove(*step.plan);
  if (request.external && !request.external->override) {
    step.answer.warning = "external_attempt_stale";
  }
  return step;
}

// A claim of somebody who holds it already: the answer to the first one was lost.
GuardStep GrantedAgain(const PlanRow& plan, TimePoint now) {
  GuardStep step;
  step.plan = plan;
  step.plan->claim->deadline = std::max(plan.claim->deadline, now + plan.claim->lease);
  step.answer.fence = plan.fence;
  step.answer.attempt = plan.attempts;
  step.answer.cancel_requested = plan.claim->cancel_requested;
  step.answer.remaining = step.plan->claim->deadline - now;
  step.answer.earlier_files = FilesToRemove(plan);
  return step;
}

// A job outside of catalogd that has shown itself at most a lease ago, or whose clock is ahead.
std::optional<GuardStep> ExternallyClaimed(const ClaimRequest& request,
                                           const GuardOptions& options) {
  const Duration lease = LeaseOf(request, options);
  if (!request.external || request.external->override || request.external->age > lease) {
    return std::nullopt;
  }
  GuardStep step = Answer(GuardCode::kExternallyClaimed);
  step.answer.owner = "a job outside";
  step.answer.remaining = std::min(lease, lease - request.external->age);
  if (request.external->age < Duration{}) step.answer.warning = "external_in_future";
  return step;
}

GuardStep ClaimHeld(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                    TimePoint now, const GuardOptions& options) {
  const bool expired = ClaimExpired(plan, now);
  const bool same = request.held == plan.fence && request.owner == plan.claim->owner;
  if (same && !(expired && options.strict_expiry)) return GrantedAgain(plan, now);
  if (!expired) return AnswerBusy(GuardCode::kPlanBusy, plan, now);
  if (plan.claim->cancel_requested) return Cancelled(plan, GuardCode::kPlanCancelled);
  if (plan.attempts >= options.max_attempts) return GivenUp(table, plan);
  if (auto external = ExternallyClaimed(request, options)) return *std::move(external);
  return Granted(table, plan, request, now, options);
}

GuardStep ClaimFree(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                    TimePoint now, const GuardOptions& options) {
  if (now < plan.next_attempt) {
    GuardStep step = Answer(GuardCode::kBackingOff);
    step.answer.remaining = plan.next_attempt - now;
    return step;
  }
  if (auto external = ExternallyClaimed(request, options)) return *std::move(external);
  return Granted(table, plan, request, now, options);
}

Duration Backoff(int attempts, const GuardOptions& options) {
  Duration backoff = options.backoff;
  for (int i = 1; i < attempts && backoff < options.max_backoff; ++i) backoff *= 2;
  return std::min(backoff, options.max_backoff);
}

// The answer to a completion that changes nothing or ends the plan in another way.
std::optional<GuardStep> NotToComplete(const TableRow& table, const PlanRow* plan,
                                       const Holder& holder, TimePoint now,
                                       const GuardOptions& options) {
  if (const auto refused = Refused(table, plan, holder)) return Answer(*refused);
  if (plan->state == PlanState::kCompleted) return AnswerCompleted(GuardCode::kOk, *plan);
  if (plan->state == PlanState::kCommitting) return Answer(GuardCode::kRetryLater);
  if (plan->state != PlanState::kClaimed) return AnswerOver(*plan);
  if (options.strict_expiry && ClaimExpired(*plan, now)) return Answer(GuardCode::kClaimExpired);
  if (plan->claim->cancel_requested) return Cancelled(*plan, GuardCode::kPlanCancelled);
  return std::nullopt;
}

}  // namespace

bool ClaimExpired(const PlanRow& plan, TimePoint now) {
  return plan.claim.has_value() && now > plan.claim->deadline;
}

GuardStep ClaimPlan(const TableRow& table, const PlanRow* plan, const ClaimRequest& request,
                    TimePoint now, const GuardOptions& options) {
  if (const auto missing = Missing(table, plan, request.table_id)) return Answer(*missing);
  switch (plan->state) {
    case PlanState::kRequested:
      return ClaimFree(table, *plan, request, now, options);
    case PlanState::kClaimed:
      return ClaimHeld(table, *plan, request, now, options);
    case PlanState::kCommitting:
      return AnswerBusy(GuardCode::kPlanBusy, *plan, now);
    case PlanState::kCompleted:
      return AnswerCompleted(GuardCode::kAlreadyCompleted, *plan);
    case PlanState::kCancelled:
      return Answer(GuardCode::kPlanCancelled);
    case PlanState::kFailed:
      break;
  }
  return Answer(GuardCode::kPlanFailed);
}

GuardStep BeatPlan(const TableRow& table, const PlanRow* plan, const Holder& holder, TimePoint now,
                   const GuardOptions& options) {
  if (const auto refused = Refused(table, plan, holder)) return Answer(*refused);
  if (!plan->claim) return AnswerOver(*plan);
  if (options.strict_expiry && plan->state == PlanState::kClaimed && ClaimExpired(*plan, now)) {
    return Answer(GuardCode::kClaimExpired);
  }
  return GrantedAgain(*plan, now);
}

GuardStep RegisterFiles(const TableRow& table, const PlanRow* plan, const Holder& holder,
                        const std::vector<std::string>& names) {
  if (const auto refused = Refused(table, plan, holder)) return Answer(*refused);
  if (plan->state != PlanState::kClaimed) return AnswerOver(*plan);
  GuardStep step;
  step.plan = *plan;
  for (const std::string& name : names) {
    const AttemptFile file{holder.fence, name};
    auto& files = step.plan->files;
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  step.answer.fence = holder.fence;
  return step;
}

GuardStep BeginComplete(const TableRow& table, const PlanRow* plan, const Holder& holder,
                        const CompleteRequest& request, TimePoint now,
                        const GuardOptions& options) {
  if (auto answer = NotToComplete(table, plan, holder, now, options)) return *std::move(answer);
  if (table.commit_prepared) return Answer(GuardCode::kRetryLater);
  if (!request.inputs_alive) return Cancelled(*plan, GuardCode::kInputGone);
  GuardStep step;
  step.table = table;
  step.table->commit_prepared = true;
  step.plan = *plan;
  step.plan->state = PlanState::kCommitting;
  step.plan->prepared = Completion{holder.fence, request.time, table.id_version.Next()};
  step.answer.fence = holder.fence;
  return step;
}

GuardStep CompleteAtOnce(const TableRow& table, const PlanRow* plan, const Holder& holder,
                         const Instant& time, TimePoint now, const GuardOptions& options) {
  if (auto answer = NotToComplete(table, plan, holder, now, options)) return *std::move(answer);
  GuardStep step;
  step.plan = Ended(*plan, PlanState::kCompleted);
  step.plan->completion = Completion{holder.fence, time, table.id_version};
  step.answer.fence = holder.fence;
  step.answer.completion = step.plan->completion;
  return step;
}

GuardStep SettleComplete(const TableRow& table, const PlanRow& plan, Settled settled) {
  if (plan.state != PlanState::kCommitting) return Answer(GuardCode::kTooLate);
  GuardStep step;
  step.table = table;
  step.table->commit_prepared = false;
  step.plan = plan;
  step.answer.fence = plan.fence;
  if (settled == Settled::kUndone) {
    step.plan->state = PlanState::kClaimed;
    step.plan->prepared.reset();
    step.answer.code = GuardCode::kRetryLater;
    return step;
  }
  step.plan = Ended(plan, PlanState::kCompleted);
  step.plan->completion = plan.prepared;
  step.table->id_version = plan.prepared->id_version;
  step.answer.completion = plan.prepared;
  return step;
}

GuardStep FailPlan(const TableRow& table, const PlanRow* plan, const Holder& holder,
                   const std::string& error, TimePoint now, const GuardOptions& options) {
  if (const auto refused = Refused(table, plan, holder)) return Answer(*refused);
  if (plan->state != PlanState::kClaimed) return AnswerOver(*plan);
  if (plan->claim->cancel_requested) return Cancelled(*plan, GuardCode::kOk);
  const bool out = plan->attempts >= options.max_attempts;
  GuardStep step;
  step.plan = Ended(*plan, out ? PlanState::kFailed : PlanState::kRequested);
  step.plan->last_error = error;
  if (!out) step.plan->next_attempt = now + Backoff(plan->attempts, options);
  step.answer.attempt = plan->attempts;
  return step;
}

GuardStep AbortPlan(const TableRow& table, const PlanRow* plan, const Holder& holder) {
  if (const auto refused = Refused(table, plan, holder)) return Answer(*refused);
  if (plan->state == PlanState::kCancelled) return Answer(GuardCode::kOk);
  if (plan->state == PlanState::kCommitting || plan->state == PlanState::kCompleted) {
    return Answer(GuardCode::kTooLate);
  }
  if (plan->state != PlanState::kClaimed) return AnswerOver(*plan);
  if (!plan->claim->cancel_requested) return Answer(GuardCode::kNotCancelled);
  return Cancelled(*plan, GuardCode::kOk);
}

GuardStep CancelPlan(const TableRow& table, const PlanRow* plan, const std::string& table_id,
                     TimePoint now) {
  if (const auto missing = Missing(table, plan, table_id)) return Answer(*missing);
  switch (plan->state) {
    case PlanState::kCommitting:
    case PlanState::kCompleted:
      return Answer(GuardCode::kTooLate);
    case PlanState::kCancelled:
      return Answer(GuardCode::kOk);
    case PlanState::kRequested:
    case PlanState::kFailed:
      return Cancelled(*plan, GuardCode::kOk);
    case PlanState::kClaimed:
      break;
  }
  if (ClaimExpired(*plan, now)) return Cancelled(*plan, GuardCode::kOk);
  GuardStep step = AnswerBusy(GuardCode::kCancelPending, *plan, now);
  step.plan = *plan;
  step.plan->claim->cancel_requested = true;
  return step;
}

GuardStep ResetPlan(const TableRow& table, const PlanRow* plan, const std::string& table_id) {
  if (const auto missing = Missing(table, plan, table_id)) return Answer(*missing);
  if (plan->state == PlanState::kCompleted) {
    return AnswerCompleted(GuardCode::kAlreadyCompleted, *plan);
  }
  if (plan->state == PlanState::kCancelled) return Answer(GuardCode::kPlanCancelled);
  if (plan->claim) {
    GuardStep step = Answer(GuardCode::kPlanBusy);
    step.answer.owner = plan->claim->owner;
    return step;
  }
  GuardStep step;
  step.plan = Ended(*plan, PlanState::kRequested);
  step.plan->attempts = 0;
  step.plan->next_attempt = TimePoint();
  return step;
}

PlanRow RestoreClaim(PlanRow plan, bool was_alive, TimePoint ready) {
  plan.next_attempt = ready;
  if (!plan.claim) return plan;
  plan.claim->deadline = was_alive ? ready + plan.claim->lease : ready - Duration(1);
  return plan;
}

}  // namespace catalogd::coord
