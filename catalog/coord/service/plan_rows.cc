#include "catalog/coord/service/plan_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace catalogd::coord {

StoreBatch BatchOf(const TableState& state, const PlanRecord* plan, const GuardStep& step,
                   bool must_store, TimePoint now) {
  StoreBatch batch;
  if (step.table || must_store) {
    TableRecord table = state.record();
    if (step.table) table.row = *step.table;
    batch.emplace_back(std::move(table));
  }
  if (step.plan && plan != nullptr) {
    PlanRecord record = *plan;
    record.row = *step.plan;
    record.claim_alive = record.row.claim.has_value() && !ClaimExpired(record.row, now);
    batch.emplace_back(std::move(record));
  }
  return batch;
}

PlanChange ChangeOf(const TableState& state, const PlanRecord* plan, PlanId id,
                    const GuardStep& step, TimePoint now) {
  PlanChange change{BatchOf(state, plan, step, false, now), std::nullopt};
  if (step.answer.code != GuardCode::kOk) change.failure = FailureOf(step.answer, id);
  return change;
}

void StorePlanChange(const ManagedTablePtr& table, const DecidePlanChange& decide,
                     std::function<void(CoordStatus)> done) {
  std::optional<CoordFailure> failure;
  {
    const MutexLock lock(table->mutex);
    const CoordStatus may = table->state.MayChange();
    CoordResult<PlanChange> change = PlanChange();
    if (may) {
      change = decide(&table->state);
    } else {
      change = AsFailure(may.error());
    }
    if (change && (!change->batch.empty() || !change->failure)) {
      table->Store(std::move(change->batch), [failed = std::move(change->failure),
                                              done = std::move(done)](const CoordStatus& stored) {
        if (!stored || !failed) {
          done(stored);
        } else {
          done(AsFailure(*failed));
        }
      });
      return;
    }
    failure = change ? std::move(change->failure) : std::move(change).error();
  }
  done(AsFailure(*std::move(failure)));
}

CoordResult<ManagedTablePtr> TableOfPlan(const TableDirectory& tables, const std::string& reference,
                                         PlanId plan) {
  if (!reference.empty()) return tables.Find(reference);
  for (const ManagedTablePtr& table : tables.All()) {
    const MutexLock lock(table->mutex);
    if (table->state.FindPlan(plan) != nullptr) return table;
  }
  return Fail(CoordCode::kNotFound,
              fmt::format("there is no plan {} of any table; list the pending ones", plan.value()));
}

std::vector<PlanGroups> TakenGroups(const TableState& state) {
  std::vector<PlanGroups> taken;
  for (const auto& [id, plan] : state.plans()) {
    const bool open = IsPending(plan.row.state) || plan.row.state == PlanState::kFailed;
    if (open && !plan.groups.empty()) taken.push_back({id, plan.groups});
  }
  return taken;
}

ServiceState OwnServiceState(const ServiceOptions& options) {
  const bool runs = options.asynchronous || options.inline_execution || options.inline_schedule;
  return runs ? ServiceState::kRunning : ServiceState::kStopped;
}

CoordStatus CheckFileNames(const std::vector<std::string>& names) {
  constexpr size_t kMaxName = 4096;
  constexpr size_t kMaxNames = 1'000'000;
  if (names.size() > kMaxNames) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("{} names of files in one call; at most {}", names.size(), kMaxNames));
  }
  for (const std::string& name : names) {
    const std::string slashed = "/" + name + "/";
    const bool bad = name.empty() || name.size() > kMaxName || name.front() == '/' ||
                     name.find('\0') != std::string::npos ||
                     slashed.find("/../") != std::string::npos;
    if (!bad) continue;
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}' is no name of a file: below the table's folder, without '..', "
                            "of 1 to {} bytes",
                            name.substr(0, 200), kMaxName));
  }
  return {};
}

Duration DurationOf(int64_t millis) {
  constexpr int64_t kDay = 24LL * 3600 * 1000;
  return std::chrono::milliseconds(std::clamp<int64_t>(millis, 0, kDay));
}

AuditRecord MakeAudit(const TableState& state, const Clock& clock, const std::string& who,
                      std::string what, std::string outcome) {
  return {who, std::move(what), state.id(), WallMillis(clock), std::move(outcome)};
}

}  // namespace catalogd::coord
