#include "catalog/coord/rollback.h"

#include <algorithm>
#include <utility>

namespace catalogd::coord {
namespace {

RollbackStep Answer(GuardCode code) {
  RollbackStep step;
  step.answer.code = code;
  return step;
}

ClaimRequest ClaimOf(const RollbackRequest& request) {
  ClaimRequest claim;
  claim.table_id = request.table_id;
  claim.owner = request.owner;
  claim.lease = request.lease;
  return claim;
}

RollbackStep ClaimPlanned(const TableRow& table, const PlanRow& rollback,
                          const RollbackRequest& request, TimePoint now,
                          const GuardOptions& options) {
  GuardStep claimed = ClaimPlan(table, &rollback, ClaimOf(request), now, options);
  RollbackStep step;
  step.answer = std::move(claimed.answer);
  if (step.answer.code == GuardCode::kOk) step.answer.earlier_files = rollback.removes;
  step.table = std::move(claimed.table);
  step.rollback = std::move(claimed.plan);
  return step;
}

std::vector<std::string> NamesOf(const std::vector<AttemptFile>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const AttemptFile& file : files) names.push_back(file.name);
  return names;
}

// Takes the target from its dead holder, and claims the rollback.
RollbackStep TakeFromDead(const TableRow& table, const PlanRow& target,
                          const RollbackRequest& request, TimePoint now,
                          const GuardOptions& options) {
  PlanRow undone = target;
  undone.state = PlanState::kRequested;
  undone.claim.reset();
  undone.fence = table.newest_fence.Next();
  TableRow raised = table;
  raised.newest_fence = undone.fence;
  PlanRow rollback;
  rollback.id = request.new_plan;
  rollback.type = PlanType::kRollback;
  rollback.requested = request.new_instant;
  rollback.target = target.requested;
  rollback.removes = NamesOf(target.files);
  RollbackStep step = ClaimPlanned(raised, rollback, request, now, options);
  step.target = std::move(undone);
  return step;
}

}  // namespace

RollbackStep ClaimRollback(const TableRow& table, const PlanRow* target, const PlanRow* pending,
                           const RollbackRequest& request, TimePoint now,
                           const GuardOptions& options) {
  if (table.dropped || table.table_id != request.table_id) return Answer(GuardCode::kTableGone);
  if (target == nullptr) return Answer(GuardCode::kPlanNotFound);
  if (target->state == PlanState::kCommitting || target->state == PlanState::kCompleted) {
    return Answer(GuardCode::kTooLate);
  }
  if (pending != nullptr) return ClaimPlanned(table, *pending, request, now, options);
  if (!target->claim) return Answer(GuardCode::kNothingToRollBack);
  if (!ClaimExpired(*target, now)) {
    RollbackStep step = Answer(GuardCode::kInstantAlive);
    step.answer.owner = target->claim->owner;
    step.answer.remaining = target->claim->deadline - now;
    return step;
  }
  return TakeFromDead(table, *target, request, now, options);
}

std::vector<PlanId> ExpiredAttempts(std::span<const PlanRow> plans, TimePoint now) {
  std::vector<PlanId> expired;
  for (const PlanRow& plan : plans) {
    if (plan.state == PlanState::kClaimed && ClaimExpired(plan, now)) expired.push_back(plan.id);
  }
  return expired;
}

bool AllGone(std::span<const Removal> removals) {
  return std::none_of(removals.begin(), removals.end(),
                      [](Removal removal) { return removal == Removal::kFailed; });
}

}  // namespace catalogd::coord
