#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"

// Who executes a plan: claims, of one plan or of whatever is there, and those that wait for one.
namespace catalogd::coord {
namespace {

constexpr size_t kKeptClaims = 10'000;

CoordStatus CheckClaim(const api::ClaimPlanRequest& request) {
  if (request.caller.owner.empty()) {
    return Fail(CoordCode::kInvalidArgument, "a claim has an owner: the host and process");
  }
  if (request.lease_ms < 0 || request.wait_ms < 0) {
    return Fail(CoordCode::kInvalidArgument,
                "lease_ms is 0 (the default) or more, wait_ms is 0 (at once) or more");
  }
  return {};
}

// Empty: none.
std::string KeyOf(const api::CoordCaller& caller) {
  if (caller.idempotency_key.empty()) return "";
  return caller.owner + '\n' + caller.idempotency_key;
}

void Note(const GuardAnswer& answer, CoordCounters* counters) {
  if (answer.code == GuardCode::kPlanBusy) ++counters->plan_busy;
  if (answer.code != GuardCode::kOk) return;
  ++counters->claims;
  if (answer.takeover) ++counters->takeovers;
}

bool TakesType(const std::set<PlanType>& types, PlanType type) {
  return types.empty() || types.contains(type);
}

// Pending plans of the types, without what only people look at.
std::vector<PlanRow> OfferedRows(const TableState& state, const std::set<PlanType>& types,
                                 const std::set<PlanId>& passed_over) {
  std::vector<PlanRow> rows;
  if (!state.MayChange()) return rows;
  for (const auto& [id, plan] : state.plans()) {
    const PlanRow& row = plan.row;
    if (!IsPending(row.state) || !TakesType(types, row.type) || passed_over.contains(id)) continue;
    PlanRow& offered = rows.emplace_back();
    offered.id = row.id;
    offered.type = row.type;
    offered.requested = row.requested;
    offered.state = row.state;
    offered.claim = row.claim;
    offered.next_attempt = row.next_attempt;
  }
  return rows;
}

// When the first of them may be executed although nobody does anything until then.
std::optional<TimePoint> NextFree(const std::vector<PlanRow>& rows, TimePoint now) {
  std::optional<TimePoint> next;
  for (const PlanRow& row : rows) {
    TimePoint at = row.next_attempt;
    if (row.state == PlanState::kClaimed) at = row.claim->deadline + Duration(1);
    if (row.state == PlanState::kCommitting || at <= now) continue;
    next = std::min(at, next.value_or(at));
  }
  return next;
}

}  // namespace

struct PlanCalls::Wanted {
  ManagedTablePtr table;  // nullptr: any.
  std::set<PlanType> types;
  ClaimRequest claim;  // Without a table.
  std::string key;
};

void PlanCalls::NoteClaim(const std::string& key, const std::string& table_id,
                          const api::ClaimedPlan& claimed) {
  if (key.empty()) return;
  const MutexLock lock(mutex_);
  if (kept_claims_.try_emplace(key).second) kept_keys_.push_back(key);
  kept_claims_[key] = {table_id, PlanId(claimed.plan.plan_id), Fence(claimed.fence)};
  if (kept_keys_.size() <= kKeptClaims) return;
  kept_claims_.erase(kept_keys_.front());
  kept_keys_.pop_front();
}

CoordResult<PlanChange> PlanCalls::DecideClaim(TableState* state, PlanId plan,
                                               const ClaimRequest& request,
                                               api::ClaimedPlan* claimed) {
  const PlanRecord* record = state->FindPlan(plan);
  const TimePoint now = context_->clock->Now();
  ClaimRequest of_table = request;
  of_table.table_id = state->id();
  of_table.lease = std::min(of_table.lease, state->options().txn.max_lease);
  const GuardStep step = ClaimPlan(state->record().row, record == nullptr ? nullptr : &record->row,
                                   of_table, now, state->options().guard);
  Note(step.answer, &context_->counters);
  PlanChange change = ChangeOf(*state, record, plan, step, now);
  if (change.failure) return change;
  const auto& made = std::get<PlanRecord>(change.batch.back());
  claimed->plan = InfoOf(*state, made);
  claimed->fence = step.answer.fence.value();
  claimed->attempt = step.answer.attempt;
  claimed->takeover = step.answer.takeover;
  claimed->earlier_files = step.answer.earlier_files;
  claimed->lease_ms = MillisOf(made.row.claim->lease);
  return change;
}

void PlanCalls::ClaimOne(const ManagedTablePtr& table, PlanId plan, ClaimRequest request,
                         const std::string& key, Done<api::ClaimedPlan> done) {
  auto claimed = std::make_shared<api::ClaimedPlan>();
  const auto decide = [&](TableState* state) {
    return DecideClaim(state, plan, request, claimed.get());
  };
  StorePlanChange(
      table, decide,
      [this, claimed, key, id = table->id(), done = std::move(done)](const CoordStatus& stored) {
        if (!stored) return done(AsFailure(stored.error()));
        NoteClaim(key, id, *claimed);
        done(*claimed);
      });
}

void PlanCalls::Claim(const api::ClaimPlanRequest& request, Done<api::ClaimedPlan> done) {
  if (const CoordStatus fine = CheckClaim(request); !fine) return done(AsFailure(fine.error()));
  Wanted wanted;
  for (const std::string& word : request.types) {
    const auto type = ParsePlanType(word);
    if (!type) return done(AsFailure(type.error()));
    wanted.types.insert(*type);
  }
  wanted.claim.owner = request.caller.owner;
  wanted.claim.lease = DurationOf(request.lease_ms);
  wanted.claim.held = Fence(request.held_fence);
  wanted.key = KeyOf(request.caller);
  PlanId plan(request.plan_id);
  std::string reference = request.caller.table;
  if (!wanted.key.empty()) {
    const MutexLock lock(mutex_);
    const auto kept = kept_claims_.find(wanted.key);
    if (kept != kept_claims_.end()) {
      reference = kept->second.table_id;
      plan = kept->second.plan;
      wanted.claim.held = kept->second.fence;
    }
  }
  if (plan != PlanId()) {
    const auto table = TableOfPlan(context_->tables, reference, plan);
    if (!table) return done(AsFailure(table.error()));
    return ClaimOne(*table, plan, wanted.claim, wanted.key, std::move(done));
  }
  if (!reference.empty()) {
    auto table = context_->tables.Find(reference);
    if (!table) return done(AsFailure(table.error()));
    wanted.table = std::move(*table);
  }
  const std::string table_id = wanted.table == nullptr ? "" : wanted.table->id();
  const auto shared = std::make_shared<const Wanted>(std::move(wanted));
  const auto none = Fail(CoordCode::kNoneAvailable, "no plan may be executed now; ask again");
  if (request.wait_ms == 0) {
    if (!ClaimNext(shared, done)) done(none);
    return;
  }
  context_->parking.Wait(
      table_id, context_->clock->Now() + DurationOf(request.wait_ms),
      [this, shared, done] { return ClaimNext(shared, done); },
      [done, none](Parking::GiveUp how) {
        if (how != Parking::GiveUp::kStopping) return done(none);
        done(Fail(CoordCode::kStopping, "the daemon is stopping"));
      });
}

std::optional<Offer> PlanCalls::FindOffer(const Wanted& wanted,
                                          const std::set<PlanId>& passed_over) {
  std::vector<ManagedTablePtr> tables = {wanted.table};
  if (wanted.table == nullptr) tables = context_->tables.All();
  const TimePoint now = context_->clock->Now();
  std::vector<std::vector<PlanRow>> rows(tables.size());
  std::vector<TablePlans> plans;
  for (size_t i = 0; i < tables.size(); ++i) {
    const MutexLock lock(tables[i]->mutex);
    rows[i] = OfferedRows(tables[i]->state, wanted.types, passed_over);
  }
  for (size_t i = 0; i < tables.size(); ++i) plans.push_back({tables[i]->id(), rows[i]});
  std::string last;
  {
    const MutexLock lock(mutex_);
    last = last_served_;
  }
  auto offer = NextOffer(plans, last, now, QueueOrder::kOldestFirst);
  for (size_t i = 0; i < tables.size() && !offer; ++i) {
    if (const auto next = NextFree(rows[i], now)) WakeAt(tables[i]->id(), *next);
  }
  return offer;
}

bool PlanCalls::ClaimNext(const std::shared_ptr<const Wanted>& wanted,
                          const Done<api::ClaimedPlan>& done) {
  std::set<PlanId> passed_over;
  while (const auto offer = FindOffer(*wanted, passed_over)) {
    const auto table = context_->tables.Find(offer->table_id);
    // Each plan is tried once: another one may have been faster, or it is ended by the claim.
    passed_over.insert(offer->plan);
    if (!table) continue;
    auto claimed = std::make_shared<api::ClaimedPlan>();
    const MutexLock lock((*table)->mutex);
    if (!(*table)->state.MayChange()) continue;
    auto change = DecideClaim(&(*table)->state, offer->plan, wanted->claim, claimed.get());
    if (!change || (change->failure && change->batch.empty())) continue;
    const bool ended = change->failure.has_value();
    (*table)->Store(std::move(change->batch),
                    [this, ended, claimed, wanted, offer, done](const CoordStatus& stored) {
                      if (ended) {
                        if (!stored)
                          LOG(ERROR) << "plan " << offer->plan << ": " << stored.error().message;
                        return;
                      }
                      if (!stored) return done(AsFailure(stored.error()));
                      {
                        const MutexLock served(mutex_);
                        last_served_ = offer->table_id;
                      }
                      NoteClaim(wanted->key, offer->table_id, *claimed);
                      done(*claimed);
                    });
    if (!ended) return true;
  }
  return false;
}

void PlanCalls::WakeAt(const std::string& table_id, TimePoint when) {
  {
    const MutexLock lock(mutex_);
    const auto [wake, added] = wakes_.try_emplace(table_id, when);
    if (!added && wake->second <= when) return;
    wake->second = when;
  }
  context_->timer->At(when, [this, table_id, when] {
    {
      const MutexLock lock(mutex_);
      const auto wake = wakes_.find(table_id);
      if (wake != wakes_.end() && wake->second <= when) wakes_.erase(wake);
    }
    context_->parking.Wake(table_id);
  });
}

}  // namespace catalogd::coord
