// The world of the model checker: what its actors do, and the rules that hold whatever they do. The
// rules know the grants and completions that the actors have seen, not the rows of the guard.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/coord/guard_model.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord::testing {
namespace {

constexpr const char* kTable = "t1";
constexpr int kLongest = 4;  // Longer than any lease, so that its end is told apart.

// One transition, as the rules see it.
struct Transition {
  const World& before;
  const Event& event;
  const Bounds& bounds;
  World after;
  GuardAnswer answer;
  std::string broken;

  void Require(bool holds, std::string_view rule) {
    if (!holds && broken.empty()) broken = rule;
  }
  [[nodiscard]] bool ok() const { return answer.code == GuardCode::kOk; }
};

// Ticks until `when`; what has passed has passed, however long ago.
int64_t Ahead(TimePoint when, int now) {
  const auto ahead = std::chrono::duration_cast<std::chrono::seconds>(when - TimeOf(now)).count();
  return std::max<int64_t>(ahead, -1);
}

std::string RowKey(const PlanRow& plan, int now) {
  std::string key = fmt::format("{}f{}a{}n{}", static_cast<int>(plan.state), plan.fence.value(),
                                plan.attempts, Ahead(plan.next_attempt, now) > 0);
  if (plan.claim) {
    key += fmt::format("c{}{}{}", plan.claim->owner, Ahead(plan.claim->deadline, now),
                       plan.claim->cancel_requested);
  }
  if (plan.completion) key += fmt::format("d{}", plan.completion->fence.value());
  return fmt::format("{}r{}", key, plan.files.size());
}

bool IsHolderCall(Op op) {
  return op == Op::kBeat || op == Op::kRegister || op == Op::kPrepare || op == Op::kPrepareGone ||
         op == Op::kFail || op == Op::kAbort;
}

const Grant* Newest(const World& world) {
  return world.grants.empty() ? nullptr : &world.grants.back();
}

// Somebody holds the plan by what was said to it, and was heard of within the lease.
bool SomebodyLives(const World& world, const Bounds& bounds) {
  const Grant* newest = Newest(world);
  return newest != nullptr && !newest->over && world.now <= newest->last_life + bounds.lease;
}

void EndGrants(World* world) {
  for (Grant& grant : world->grants) grant.over = true;
}

void NoteGrant(Transition* t) {
  World& world = t->after;
  for (const Grant& grant : world.grants) {
    t->Require(t->answer.fence > grant.fence, "C-I4: a grant has a fence that is not the greatest");
  }
  t->Require(!SomebodyLives(t->before, t->bounds), "a grant over somebody who is alive");
  t->Require(t->before.plan.state != PlanState::kCommitting, "a grant during a commit");
  t->Require(t->before.completions.empty(), "C-I3: a completed plan was granted");
  EndGrants(&world);
  world.grants.push_back({t->answer.fence, t->event.actor, world.now, false, 0});
}

void CheckClaim(Transition* t) {
  const Grant* newest = Newest(t->before);
  const bool expired = newest != nullptr && !newest->over && !SomebodyLives(t->before, t->bounds);
  if (expired && t->before.plan.state == PlanState::kClaimed && !t->before.table.dropped) {
    t->Require(t->answer.code != GuardCode::kPlanBusy, "an expired plan cannot be taken over");
  }
  if (t->ok() && newest != nullptr && t->answer.fence == newest->fence && !t->answer.takeover) {
    t->Require(!newest->over && newest->actor == t->event.actor && t->event.fence == newest->fence,
               "a claim was given again to somebody who does not hold it");
    t->after.grants.back().last_life = t->after.now;
  } else if (t->ok()) {
    NoteGrant(t);
  } else if (t->after.plan != t->before.plan) {
    EndGrants(&t->after);  // Cancelled or out of attempts.
    t->Require(!SomebodyLives(t->before, t->bounds), "a claim ended somebody who is alive");
  }
}

// An OK for a holder, by what was said to it before.
void CheckHolderCall(Transition* t) {
  const Grant* newest = Newest(t->before);
  const bool current = newest != nullptr && newest->fence == t->event.fence && !newest->over;
  const bool repeated = !t->before.completions.empty() &&
                        t->before.completions[0].fence == t->event.fence &&
                        (t->event.op == Op::kPrepare || t->event.op == Op::kPrepareGone);
  // Whoever stopped because it was told to may be told twice.
  const bool stopped = t->event.op == Op::kAbort && newest != nullptr &&
                       newest->fence == t->event.fence && t->after.plan == t->before.plan;
  if (!current) {
    t->Require(!t->ok() || repeated || stopped, "C-I4: a call of somebody replaced was accepted");
    t->Require(t->after.plan == t->before.plan && t->after.table == t->before.table,
               "C-I4: a call of somebody replaced changed something");
    return;
  }
  const bool expired = t->before.now > newest->last_life + t->bounds.lease;
  const bool claimed = t->before.plan.state == PlanState::kClaimed;
  if (t->bounds.strict_expiry && expired && claimed) {
    t->Require(!t->ok() || t->event.op == Op::kFail || t->event.op == Op::kAbort ||
                   t->event.op == Op::kRegister,
               "strict expiry: an expired holder went on");
  }
  const bool cancelled = t->before.plan.claim && t->before.plan.claim->cancel_requested;
  if (!t->bounds.strict_expiry && claimed && !cancelled && !t->before.table.dropped) {
    if (t->event.op == Op::kBeat) t->Require(t->ok(), "a holder nobody replaced may not beat");
    if (t->event.op == Op::kPrepare && !t->before.table.commit_prepared) {
      t->Require(t->ok(), "a holder nobody replaced may not complete");
    }
  }
  Grant& grant = t->after.grants.back();
  if (t->ok() && t->event.op == Op::kBeat) grant.last_life = t->after.now;
  if (t->ok() && t->event.op == Op::kRegister) grant.files = 1;
  const bool ends = t->ok() && (t->event.op == Op::kFail || t->event.op == Op::kAbort);
  if (ends || t->after.plan.state == PlanState::kCancelled) grant.over = true;
}

void CheckSettled(Transition* t) {
  World& world = t->after;
  if (t->event.op == Op::kUndo) {
    t->Require(world.table.id_version == t->before.table.id_version, "C-I2: an undone id is lost");
    return;
  }
  t->Require(world.plan.completion.has_value(), "a committed plan has no completion");
  if (!world.plan.completion) return;
  for (const Completion& earlier : world.completions) {
    t->Require(world.plan.completion->time > earlier.time, "C-I1: a time was given twice");
  }
  world.completions.push_back(*world.plan.completion);
  t->Require(world.completions.size() == 1, "C-I3: completed twice");
  world.grants.back().over = true;
}

void CheckRow(Transition* t) {
  const PlanRow& plan = t->after.plan;
  const bool settles = t->event.op == Op::kCommit || t->event.op == Op::kUndo;
  if (t->before.plan.state == PlanState::kCommitting && !settles) {
    t->Require(plan.state == PlanState::kCommitting, "a commit was ended by something else");
  }
  const bool held = plan.state == PlanState::kClaimed || plan.state == PlanState::kCommitting;
  t->Require(plan.claim.has_value() == held, "a claim without a holder's state, or the reverse");
  t->Require(plan.prepared.has_value() == (plan.state == PlanState::kCommitting),
             "a prepared completion outside of a commit");
  t->Require(plan.completion.has_value() == (plan.state == PlanState::kCompleted),
             "a completion of a plan that is not completed");
  t->Require(plan.fence >= t->before.plan.fence, "C-I4: the fence of a plan went back");
  t->Require(t->after.table.id_version.value() == static_cast<int64_t>(t->after.completions.size()),
             "C-I2: the id version is not the number of commits");
  if (!t->after.completions.empty()) {
    t->Require(plan.completion == t->after.completions[0], "C-I3: a completion changed");
  }
}

// Files of other attempts are to be removed, and those of the result never.
void CheckFiles(Transition* t) {
  const PlanRow& plan = t->after.plan;
  std::vector<std::string> expected;
  for (const Grant& grant : t->after.grants) {
    const bool result = plan.completion && plan.completion->fence == grant.fence;
    const bool running = plan.claim && plan.fence == grant.fence;
    if (grant.files > 0 && !result && !running) {
      expected.push_back(fmt::format("file{}", grant.fence.value()));
    }
  }
  t->Require(FilesToRemove(plan) == expected, "C-I6: files of dead attempts are forgotten or kept");
}

GuardStep Reset(const World& world) { return ResetPlan(world.table, &world.plan, kTable); }

void Store(Transition* t, const GuardStep& step) {
  t->answer = step.answer;
  if (step.table) t->after.table = *step.table;
  if (step.plan) t->after.plan = *step.plan;
}

void Prepare(Transition* t, const Machine& machine, const Holder& holder,
             const GuardOptions& options) {
  CompleteRequest request;
  request.time = At(t->before.times + 1);
  request.inputs_alive = t->event.op == Op::kPrepare;
  Store(t, machine.Prepare(t->before.table, t->before.plan, holder, request, TimeOf(t->before.now),
                           options));
  if (t->after.plan.state == PlanState::kCommitting) ++t->after.times;
}

void Rollback(Transition* t, const Machine& machine, const GuardOptions& options) {
  const World& world = t->before;
  RollbackRequest request;
  request.table_id = kTable;
  request.owner = "C";
  request.new_plan = PlanId(2);
  request.new_instant = At(99);
  const RollbackStep step =
      machine.Rollback(world.table, world.plan, request, TimeOf(world.now), options);
  t->answer = step.answer;
  if (step.table) t->after.table = *step.table;
  if (step.target) t->after.plan = *step.target;
  if (step.rollback) t->after.rollback = *step.rollback;
  if (!t->ok()) return;
  for (const Grant& grant : world.grants) {
    t->Require(step.answer.fence > grant.fence, "C-I4: a rollback has a fence of an executor");
  }
  t->Require(!SomebodyLives(world, t->bounds), "a rollback of somebody who is alive");
  t->Require(world.completions.empty(), "a rollback of what is completed");
  EndGrants(&t->after);
}

void Restart(Transition* t, const Machine& machine) {
  const World& world = t->before;
  const bool alive = !ClaimExpired(world.plan, TimeOf(world.now));
  t->after.plan = machine.Restore(world.plan, alive, TimeOf(world.now));
  // Nobody could beat while the daemon was away.
  if (SomebodyLives(world, t->bounds)) t->after.grants.back().last_life = world.now;
}

void Apply(Transition* t, const Machine& machine) {
  const World& world = t->before;
  const GuardOptions options = OptionsOf(t->bounds);
  const TimePoint now = TimeOf(world.now);
  const Holder holder{kTable, t->event.fence};
  switch (t->event.op) {
    case Op::kTick:
      ++t->after.now;
      return;
    case Op::kClaim:
    case Op::kClaimHeld: {
      ClaimRequest request;
      request.table_id = kTable;
      request.owner = t->event.actor;
      request.held = t->event.fence;
      return Store(t, machine.Claim(world.table, world.plan, request, now, options));
    }
    case Op::kBeat:
      return Store(t, machine.Beat(world.table, world.plan, holder, now, options));
    case Op::kRegister:
      return Store(t, machine.Register(world.table, world.plan, holder,
                                       {fmt::format("file{}", t->event.fence.value())}));
    case Op::kPrepare:
    case Op::kPrepareGone:
      return Prepare(t, machine, holder, options);
    case Op::kFail:
      return Store(t, machine.Fail(world.table, world.plan, holder, now, options));
    case Op::kAbort:
      return Store(t, machine.Abort(world.table, world.plan, holder));
    case Op::kCommit:
      return Store(t, machine.Settle(world.table, world.plan, Settled::kCommitted));
    case Op::kUndo:
      t->after.undone = true;
      return Store(t, machine.Settle(world.table, world.plan, Settled::kUndone));
    case Op::kCancel:
      return Store(t, machine.Cancel(world.table, world.plan, now));
    case Op::kReset:
      return Store(t, Reset(world));
    case Op::kRestart:
      return Restart(t, machine);
    case Op::kRollback:
      return Rollback(t, machine, options);
    case Op::kDrop:
      t->after.table.dropped = true;
      return;
  }
}

void Check(Transition* t) {
  const Op op = t->event.op;
  const bool daemon = op == Op::kTick || op == Op::kRestart || op == Op::kDrop ||
                      op == Op::kCommit || op == Op::kUndo;
  if (t->before.table.dropped && !daemon) {
    t->Require(t->answer.code == GuardCode::kTableGone && t->after.plan == t->before.plan &&
                   t->after.table == t->before.table,
               "a dropped table was changed");
  }
  if (op == Op::kClaim || op == Op::kClaimHeld) CheckClaim(t);
  if (IsHolderCall(op)) CheckHolderCall(t);
  if (op == Op::kCommit || op == Op::kUndo) CheckSettled(t);
  if (op == Op::kCancel && t->after.plan.state == PlanState::kCancelled) {
    t->Require(!SomebodyLives(t->before, t->bounds), "a cancel ended somebody who is alive");
    EndGrants(&t->after);
  }
  CheckRow(t);
  CheckFiles(t);
}

}  // namespace

// Worlds that differ only in the time of day are one.
std::string World::Key() const {
  std::string key = fmt::format("{}{}{}{}|{}|{:d}", table.dropped, table.newest_fence.value(),
                                table.id_version.value(), table.commit_prepared, RowKey(plan, now),
                                rollback.has_value());
  for (const Grant& grant : grants) {
    // Only of the last one does anybody ask when it was heard of.
    const bool last = &grant == &grants.back() && !grant.over;
    key += fmt::format("|{}{}{}{}{}", grant.fence.value(), grant.actor, grant.over, grant.files,
                       last ? Ahead(TimeOf(grant.last_life + kLongest), now) : 0);
  }
  return fmt::format("{}|{}{}", key, completions.size(), undone);
}

GuardOptions OptionsOf(const Bounds& bounds) {
  GuardOptions options;
  options.lease = std::chrono::seconds(bounds.lease);
  options.strict_expiry = bounds.strict_expiry;
  options.max_attempts = bounds.max_attempts;
  options.backoff = std::chrono::seconds(1);
  options.max_backoff = std::chrono::seconds(1);
  return options;
}

TimePoint TimeOf(int now) { return TimePoint(std::chrono::seconds(now)); }

World StartOfWorld() {
  World world;
  world.table.table_id = kTable;
  world.plan.id = PlanId(1);
  world.plan.requested = At(1);
  return world;
}

std::vector<Event> EventsOf(const World& world, const Bounds& bounds) {
  std::vector<Event> events;
  events.reserve(32);
  const bool committing = world.plan.state == PlanState::kCommitting;
  if (!world.table.dropped) events.push_back({Op::kTick, 'S', {}});
  if (!world.table.dropped && bounds.drops) events.push_back({Op::kDrop, 'S', {}});
  if (committing) {
    events.push_back({Op::kCommit, 'S', {}});
    if (!world.undone) events.push_back({Op::kUndo, 'S', {}});
  } else {
    events.push_back({Op::kRestart, 'S', {}});
  }
  if (world.plan.state == PlanState::kFailed) events.push_back({Op::kReset, 'O', {}});
  if (world.grants.size() < bounds.max_grants) {
    events.push_back({Op::kClaim, 'A', {}});
    // Who comes first is called A.
    if (!world.grants.empty()) events.push_back({Op::kClaim, 'B', {}});
  }
  for (const Grant& grant : world.grants) {
    for (const Op op : {Op::kClaimHeld, Op::kBeat, Op::kRegister, Op::kPrepare, Op::kPrepareGone,
                        Op::kFail, Op::kAbort}) {
      if (op == Op::kRegister && grant.files > 0) continue;
      if (op == Op::kClaimHeld && world.grants.size() == bounds.max_grants) continue;
      events.push_back({op, grant.actor, grant.fence});
    }
  }
  events.push_back({Op::kCancel, 'O', {}});
  // Who claims a pending rollback is no matter of this plan.
  if (!world.rollback) events.push_back({Op::kRollback, 'C', {}});
  return events;
}

std::string Text(const Event& event) {
  static constexpr const char* kNames[] = {
      "tick",  "claim",  "claim held", "beat",   "register", "prepare", "prepare gone", "fail",
      "abort", "commit", "undo",       "cancel", "reset",    "restart", "rollback",     "drop"};
  return fmt::format("{} {} {}", event.actor, kNames[static_cast<int>(event.op)],
                     event.fence.value());
}

World After(const World& before, const Event& event, const Machine& machine, const Bounds& bounds,
            std::string* broken) {
  Transition transition{before, event, bounds, before, {}, {}};
  Apply(&transition, machine);
  Check(&transition);
  *broken = transition.broken;
  return std::move(transition.after);
}

}  // namespace catalogd::coord::testing
