#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"

// Plans that somebody asks for, and those that the triggers of a table ask for.
namespace catalogd::coord {
namespace {

struct LockOf {
  CoordStatus may;
  TablePublisher::Lock lock;
};

LockOf MakeLock(const TableState& state, const std::string& owner, Duration timeout) {
  return {state.MayChange(),
          {state.name(), owner, timeout > Duration() ? timeout : state.options().lock_timeout}};
}

// The lock of the table's name as it is now.
LockOf TakeNameOf(const ManagedTablePtr& table, const std::string& owner, Duration timeout) {
  const MutexLock lock(table->mutex);
  return MakeLock(table->state, owner, timeout);
}

// A table may be renamed while its lock is waited for.
CoordStatus StillNamed(const TableState& state, const ObjectName& name) {
  COORD_RETURN_IF_FAILED(state.MayChange());
  if (state.name() == name) return {};
  return Fail(CoordCode::kRetryLater, "the table was renamed to " + state.name().ToString());
}

// What the newest commit did; none when it is forgotten.
const CommittedTxn* NewestChange(const TableState& state) {
  const auto& changes = state.changes();
  const auto found = std::find_if(
      changes.rbegin(), changes.rend(),
      [&](const CommittedTxn& change) { return change.id <= state.record().row.id_version; });
  return found == changes.rend() ? nullptr : &*found;
}

std::vector<std::string> NewestPartitions(const TableState& state) {
  std::vector<std::string> partitions;
  const CommittedTxn* const change = NewestChange(state);
  if (change == nullptr) return partitions;
  for (const auto& [partition, files] : change->partitions) partitions.push_back(partition);
  return partitions;
}

// Whether a compaction is planned and has everything that the newest commit touched.
bool NewestIsPlanned(const TableState& state) {
  std::set<FileGroup> planned;
  for (const auto& [id, plan] : state.plans()) {
    if (plan.row.type != PlanType::kCompact || !IsPending(plan.row.state)) continue;
    planned.insert(plan.groups.begin(), plan.groups.end());
  }
  const CommittedTxn* const change = NewestChange(state);
  if (planned.empty() || change == nullptr) return false;
  for (const auto& [partition, files] : change->partitions) {
    for (const std::string& group : files.groups) {
      if (!planned.contains(FileGroup{partition, group})) return false;
    }
  }
  return true;
}

PlanLook LookAt(const TableState& state) {
  PlanLook look{state.record().row.id_version, false, {}, state.options().set};
  for (const auto& [id, plan] : state.plans()) {
    const PlanState is = plan.row.state;
    if (is != PlanState::kCompleted && is != PlanState::kCancelled) look.plans.emplace(id, is);
  }
  return look;
}

bool GoesByTime(TriggerStrategy strategy) {
  return strategy == TriggerStrategy::kTimeElapsed || strategy == TriggerStrategy::kNumAndTime ||
         strategy == TriggerStrategy::kNumOrTime;
}

// What a table plans by itself now. `before`: what the last look at the whole table saw; without
// it only what the newest commit touched is looked at.
std::set<PlanType> FindDue(const TableState& state, const Clock& clock, const PlanLook* before,
                           PlanLook* now) {
  std::set<PlanType> due;
  const ServiceOptions& options = state.options().service;
  if (!state.MayChange() || OwnServiceState(options) == ServiceState::kStopped) return due;
  *now = LookAt(state);
  if (before != nullptr) {
    now->due = before->due;
    // Nothing has changed since the last look, and time changes nothing.
    if (*now == *before && !GoesByTime(options.trigger.strategy)) return due;
  }
  now->due = CompactionDue(state, TriggeredBy::kSchedule, clock).verdict == TriggerVerdict::kDue;
  if (before != nullptr && *now == *before) return due;
  // While a plan waits for its executor the trigger stays due: most commits add nothing to plan.
  const bool more = before != nullptr || !NewestIsPlanned(state);
  if (now->due && more) due.insert(PlanType::kCompact);
  const std::vector<std::string> partitions = NewestPartitions(state);
  if (LogCompactionDue(state, before != nullptr ? nullptr : &partitions)) {
    due.insert(PlanType::kLogCompact);
  }
  return due;
}

}  // namespace

void PlanCalls::Schedule(const api::SchedulePlanRequest& request, Done<api::ScheduledPlan> done) {
  const auto order = ReadPlanOrder(request);
  if (!order) return done(AsFailure(order.error()));
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr table = *found;
  const std::string what = "schedule of " + std::string(PlanTypeName(order->type));
  LockOf lock = TakeNameOf(table, what, DurationOf(request.caller.deadline_ms));
  if (!lock.may) return done(AsFailure(lock.may.error()));
  const auto body = [this, table, order = *order, name = lock.lock.table, what,
                     who = request.caller.owner,
                     done = std::move(done)](const Status& locked) mutable {
    if (!locked) return done(AsFailure(FailureOf(locked.error(), what)));
    auto answer = std::make_shared<api::ScheduledPlan>();
    const auto decide = [&](TableState* state) -> CoordResult<PlanChange> {
      COORD_RETURN_IF_FAILED(StillNamed(*state, name));
      COORD_ASSIGN_OR_RETURN(MadePlan made,
                             MakePlan(state, order, *context_->clock, &context_->next_plan));
      answer->reason = made.reason;
      if (made.batch.empty()) return PlanChange();
      const auto& plan = std::get<PlanRecord>(made.batch.back());
      answer->__set_plan(InfoOf(*state, plan));
      made.batch.emplace_back(MakeAudit(*state, *context_->clock, who, what,
                                        "plan " + std::to_string(made.plan.value())));
      ++context_->counters.plans_scheduled;
      return PlanChange{std::move(made.batch), std::nullopt};
    };
    StorePlanChange(table, decide, [answer, done = std::move(done)](const CoordStatus& stored) {
      if (!stored) return done(AsFailure(stored.error()));
      done(*answer);
    });
  };
  context_->publisher->UnderLock(std::move(lock.lock), body);
}

void PlanCalls::CheckTriggers(const ManagedTablePtr& table) { CheckTable(table, false); }

void PlanCalls::CheckAllTriggers() {
  for (const ManagedTablePtr& table : context_->tables.All()) {
    NoteExpired(table);
    CheckTable(table, true);
  }
}

// After a start only those claims get a new lease that were alive: the others are free at once.
void PlanCalls::NoteExpired(const ManagedTablePtr& table) {
  const MutexLock lock(table->mutex);
  if (!table->state.MayChange()) return;
  StoreBatch batch;
  for (const auto& [id, plan] : table->state.plans()) {
    if (!plan.claim_alive || !ClaimExpired(plan.row, context_->clock->Now())) continue;
    PlanRecord expired = plan;
    expired.claim_alive = false;
    batch.emplace_back(std::move(expired));
  }
  if (batch.empty()) return;
  table->Store(std::move(batch), [](const CoordStatus&) {});
}

// What is due is found out under the table's mutex alone, which is cheap; what is planned then is
// decided anew under its lock.
void PlanCalls::CheckTable(const ManagedTablePtr& table, bool whole) {
  if (context_->stopping.load()) return;
  PlanLook before;
  if (whole) {
    const MutexLock lock(mutex_);
    before = looked_[table->id()];
  }
  PlanLook now;
  std::set<PlanType> due;
  {
    const MutexLock lock(table->mutex);
    due = FindDue(table->state, *context_->clock, whole ? &before : nullptr, &now);
  }
  if (whole) {
    const MutexLock lock(mutex_);
    looked_[table->id()] = std::move(now);
  }
  if (!due.empty()) ScheduleDue(table, due);
}

void PlanCalls::LookAgain(const std::string& table_id) {
  const MutexLock lock(mutex_);
  looked_.erase(table_id);
}

void PlanCalls::ScheduleDue(const ManagedTablePtr& table, const std::set<PlanType>& types) {
  {
    const MutexLock lock(mutex_);
    const auto [waiting, first] = due_.try_emplace(table->id());
    waiting->second.insert(types.begin(), types.end());
    if (!first) return;  // What waits for the lock does it.
  }
  LockOf lock = TakeNameOf(table, "triggers of table services", Duration());
  const ObjectName name = lock.lock.table;
  const auto body = [this, table, name](const Status& locked) {
    std::set<PlanType> due;
    {
      const MutexLock held(mutex_);
      due.swap(due_[table->id()]);
      due_.erase(table->id());
    }
    if (!locked) {
      LOG(WARNING) << "no plan is made for table " << table->id() << ": "
                   << locked.error().ToString();
      return LookAgain(table->id());
    }
    for (const PlanType type : due) PlanByTrigger(table, name, type);
  };
  context_->publisher->UnderLock(std::move(lock.lock), body);
}

void PlanCalls::PlanByTrigger(const ManagedTablePtr& table, const ObjectName& name, PlanType type) {
  const auto decide = [&](TableState* state) -> CoordResult<PlanChange> {
    COORD_RETURN_IF_FAILED(StillNamed(*state, name));
    PlanOrder order;
    order.type = type;
    COORD_ASSIGN_OR_RETURN(MadePlan made,
                           MakePlan(state, order, *context_->clock, &context_->next_plan));
    if (!made.batch.empty()) ++context_->counters.plans_scheduled;
    return PlanChange{std::move(made.batch), std::nullopt};
  };
  StorePlanChange(table, decide, [this, table](const CoordStatus& stored) {
    if (stored) return;
    LookAgain(table->id());
    if (stored.error().code == CoordCode::kRetryLater) return;
    LOG(WARNING) << "no plan is made for table " << table->id() << ": " << stored.error().message;
  });
}

}  // namespace catalogd::coord
