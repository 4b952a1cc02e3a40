#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/commit_pipeline.h"
#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"

namespace catalogd::coord {
namespace {

constexpr size_t kMaxNames = 100'000;

std::chrono::milliseconds LeaseOf(int64_t milliseconds) {
  // More than any limit of a table is that limit.
  constexpr int64_t kMost = 365LL * 24 * 3600 * 1000;
  return std::chrono::milliseconds(std::clamp<int64_t>(milliseconds, 0, kMost));
}

CoordStatus CheckKey(const std::string& key) {
  if (key.size() <= 1000) return {};
  return Fail(CoordCode::kInvalidArgument, "an idempotency key has at most 1000 bytes");
}

TxnRecord NewRecord(const TableState& state, const api::BeginTxnRequest& request, TxnRow row,
                    int64_t now_ms) {
  TxnRecord record;
  record.table_id = state.id();
  record.row = std::move(row);
  record.partitions = request.partitions;
  record.overwrite_reads_table = request.overwrite_reads_table;
  record.created_ms = now_ms;
  return record;
}

}  // namespace

void TxnCalls::Begin(const api::BeginTxnRequest& request, Done<api::TxnInfo> done) {
  auto info = std::make_shared<api::TxnInfo>();
  const auto begin = [&](const ManagedTablePtr& table) -> CoordStatus {
    COORD_ASSIGN_OR_RETURN(const OpClass op, ParseOp(request.op));
    COORD_RETURN_IF_FAILED(CheckKey(request.caller.idempotency_key));
    const TimePoint now = context_->clock->Now();
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    const auto answer = [done, info](const CoordStatus& stored) {
      stored ? done(*info) : done(AsFailure(stored.error()));
    };
    COORD_RETURN_IF_FAILED(state.MayChange());
    const std::string& key = request.caller.idempotency_key;
    if (const TxnRecord* begun = key.empty() ? nullptr : state.FindTxnByKey(key)) {
      *info = MakeTxnInfo(state, *begun, now);
      table->Store({}, answer);
      return {};
    }
    const size_t pending = state.PendingPlans();
    if (!IsService(op) && Throttled(pending, state.options().service)) {
      return Fail(CoordCode::kThrottled,
                  fmt::format("{} plans are pending, more than {}: nothing new is begun until "
                              "executors have caught up",
                              pending, state.options().service.max_pending));
    }
    bool must_store = false;  // The row is written in any case.
    const auto requested = state.TakeTime(*context_->clock, &must_store);
    if (!requested) return AsFailure(FailureOf(requested.error(), "begin"));
    BeginTxnRequest row_request{state.id(),
                                context_->next_txn.fetch_add(1),
                                op,
                                request.caller.owner,
                                LeaseOf(request.lease_ms),
                                *requested,
                                key,
                                {}};
    TxnStep step = coord::BeginTxn(state.record().row, row_request, now, state.options().txn);
    if (step.code != TxnCode::kOk) return AsFailure(FailureOf(step, nullptr, row_request.txn_id));
    TableRecord record = state.record();
    record.row = std::move(*step.table);
    TxnRecord txn = NewRecord(state, request, std::move(*step.txn), WallMillis(*context_->clock));
    *info = MakeTxnInfo(state, txn, now);
    context_->counters.begun.fetch_add(1, std::memory_order_relaxed);
    table->Store({std::move(record), std::move(txn)}, answer);
    return {};
  };
  const auto table = context_->tables.Find(request.caller.table);
  if (!table) return done(AsFailure(table.error()));
  if (const CoordStatus begun = begin(*table); !begun) done(AsFailure(begun.error()));
}

void TxnCalls::Beat(const api::TxnCall& request, Done<api::Beat> done) {
  const auto beat = [&]() -> CoordResult<api::Beat> {
    COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table,
                           context_->tables.Find(request.caller.table));
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    const TxnRecord* txn = state.FindTxn(request.txn_id);
    const TxnStep step = coord::BeatTxn(state.record().row, txn != nullptr ? &txn->row : nullptr,
                                        {state.id(), Fence(request.fence)}, context_->clock->Now(),
                                        state.options().txn);
    if (step.code == TxnCode::kFenced) context_->counters.fenced.fetch_add(1);
    if (step.code != TxnCode::kOk) {
      return AsFailure(FailureOf(step, txn != nullptr ? &txn->row : nullptr, request.txn_id));
    }
    // Deadlines are not stored: a start gives everybody a full lease.
    TxnRecord beaten = *txn;
    beaten.row = *step.txn;
    state.Apply(std::move(beaten));
    api::Beat answer;
    answer.remaining_ms = MillisOf(step.remaining);
    return answer;
  };
  done(beat());
}

void TxnCalls::RegisterFiles(const api::RegisterFilesRequest& request, Done<api::Beat> done) {
  const auto note = [&](const ManagedTablePtr& table) -> CoordStatus {
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    COORD_RETURN_IF_FAILED(state.MayChange());
    const TxnRecord* txn = state.FindTxn(request.txn_id);
    const TxnStep step = coord::BeatTxn(state.record().row, txn != nullptr ? &txn->row : nullptr,
                                        {state.id(), Fence(request.fence)}, context_->clock->Now(),
                                        state.options().txn);
    if (step.code == TxnCode::kFenced) context_->counters.fenced.fetch_add(1);
    if (step.code != TxnCode::kOk) {
      return AsFailure(FailureOf(step, txn != nullptr ? &txn->row : nullptr, request.txn_id));
    }
    TxnRecord noted = *txn;
    noted.row = *step.txn;
    for (const std::string& name : request.names) {
      if (std::find(noted.attempt_files.begin(), noted.attempt_files.end(), name) ==
          noted.attempt_files.end()) {
        noted.attempt_files.push_back(name);
      }
    }
    if (noted.attempt_files.size() > kMaxNames) {
      return Fail(CoordCode::kInvalidArgument,
                  fmt::format("a transaction announces at most {} files", kMaxNames));
    }
    api::Beat answer;
    answer.remaining_ms = MillisOf(step.remaining);
    table->Store({std::move(noted)}, [done, answer](const CoordStatus& stored) {
      stored ? done(answer) : done(AsFailure(stored.error()));
    });
    return {};
  };
  const auto table = context_->tables.Find(request.caller.table);
  if (!table) return done(AsFailure(table.error()));
  if (const CoordStatus noted = note(*table); !noted) done(AsFailure(noted.error()));
}

void TxnCalls::Commit(const api::CommitRequest& request, Done<api::CommitResult> done) {
  const auto table = context_->tables.Find(request.caller.table);
  if (!table) return done(AsFailure(table.error()));
  if (request.plan_id != 0) {
    return done(Fail(CoordCode::kInvalidArgument, "CommitTxn takes a transaction, not a plan"));
  }
  CommitToTable(context_, *table, request, std::move(done));
}

void TxnCalls::Abort(const api::AbortRequest& request, Done<api::TxnInfo> done) {
  const auto abort = [&](const ManagedTablePtr& table) -> CoordStatus {
    const TimePoint now = context_->clock->Now();
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    const TxnRecord* txn = state.FindTxn(request.txn_id);
    TxnStep step = coord::AbortTxn(state.record().row, txn != nullptr ? &txn->row : nullptr,
                                   {state.id(), Fence(request.fence)}, request.reason);
    if (step.code == TxnCode::kFenced) context_->counters.fenced.fetch_add(1);
    if (step.code != TxnCode::kOk) {
      return AsFailure(FailureOf(step, txn != nullptr ? &txn->row : nullptr, request.txn_id));
    }
    TxnRecord aborted = *txn;
    StoreBatch batch;
    if (step.txn) {
      aborted.row = std::move(*step.txn);
      aborted.ended_ms = WallMillis(*context_->clock);
      batch.emplace_back(aborted);
      context_->counters.aborted.fetch_add(1, std::memory_order_relaxed);
    }
    api::TxnInfo info = MakeTxnInfo(state, aborted, now);
    table->Store(std::move(batch), [done, info = std::move(info)](const CoordStatus& stored) {
      stored ? done(info) : done(AsFailure(stored.error()));
    });
    return {};
  };
  const auto table = context_->tables.Find(request.caller.table);
  if (!table) return done(AsFailure(table.error()));
  if (const CoordStatus aborted = abort(*table); !aborted) done(AsFailure(aborted.error()));
}

CoordResult<api::TxnInfo> TxnCalls::Get(const api::GetTxnRequest& request) {
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context_->tables.Find(request.caller.table));
  const MutexLock lock(table->mutex);
  const TableState& state = table->state;
  const TxnRecord* txn = request.txn_id != 0 ? state.FindTxn(request.txn_id)
                                             : state.FindTxnByKey(request.caller.idempotency_key);
  if (txn == nullptr) {
    return Fail(CoordCode::kNotFound,
                "there is no such transaction of this table (any more): ended ones are forgotten "
                "after retain_hours");
  }
  return MakeTxnInfo(state, *txn, context_->clock->Now());
}

CoordResult<std::vector<api::TxnInfo>> TxnCalls::List(const api::ListTxnsRequest& request) {
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context_->tables.Find(request.caller.table));
  const TimePoint now = context_->clock->Now();
  const MutexLock lock(table->mutex);
  const auto& txns = table->state.txns();
  std::vector<api::TxnInfo> infos;
  const auto limit = static_cast<size_t>(std::max(request.limit, 1));
  for (auto txn = txns.rbegin(); txn != txns.rend() && infos.size() < limit; ++txn) {
    api::TxnInfo info = MakeTxnInfo(table->state, txn->second, now);
    if (request.state.empty() || info.state == request.state) infos.push_back(std::move(info));
  }
  return infos;
}

namespace {

// A version may be forgotten once nobody can ask for it: no open transaction began below it, no pin
// and no pending plan needs it.
IdVersion ForgettableUpTo(const TableState& state, int64_t now_ms) {
  const TableOptions& options = state.options();
  IdVersion up_to = state.record().row.id_version;
  const auto keep = [&](IdVersion needed) {
    if (needed < up_to) up_to = needed;
  };
  for (const auto& [id, txn] : state.txns()) {
    if (txn.row.state == TxnState::kOpen) keep(txn.row.snapshot);
  }
  for (const auto& [token, pin] : state.pins()) {
    if (pin.until_ms > now_ms) keep(pin.version);
  }
  for (const auto& [id, plan] : state.plans()) {
    if (!IsPending(plan.row.state)) continue;
    const auto payload = PayloadFromJson(plan.payload);
    if (payload) keep(payload->snapshot);
  }
  if (state.published()) keep(state.published()->version);
  const int64_t retained_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.retain).count();
  for (const auto& [id, txn] : state.txns()) {
    if (txn.row.state != TxnState::kCommitted) continue;
    if (txn.ended_ms + retained_ms <= now_ms) continue;
    keep(IdVersion(txn.row.id_version->value() - 1));
  }
  return up_to;
}

StoreBatch ReapBatch(const TableState& state, const Clock& clock, int64_t* reaped) {
  const TimePoint now = clock.Now();
  const int64_t now_ms = WallMillis(clock);
  const auto retained_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(state.options().retain).count();
  const IdVersion up_to = ForgettableUpTo(state, now_ms);
  StoreBatch batch;
  for (const auto& [id, txn] : state.txns()) {
    if (txn.row.state == TxnState::kOpen) {
      TxnStep step = ReapTxn(state.record().row, &txn.row, now);
      if (step.code != TxnCode::kOk || !step.txn) continue;
      TxnRecord aborted = txn;
      aborted.row = std::move(*step.txn);
      aborted.ended_ms = now_ms;
      batch.emplace_back(std::move(aborted));
      ++*reaped;
      continue;
    }
    const bool old = txn.ended_ms + retained_ms <= now_ms;
    const bool aborted = txn.row.state == TxnState::kAborted && old;
    const bool committed = txn.row.state == TxnState::kCommitted && *txn.row.id_version <= up_to &&
                           *txn.row.id_version < state.record().row.id_version;
    if (aborted || committed) batch.emplace_back(ForgetTxn{id});
  }
  for (const auto& [token, pin] : state.pins()) {
    if (pin.until_ms <= now_ms) batch.emplace_back(DropPin{token});
  }
  return batch;
}

}  // namespace

void TxnCalls::Reap() {
  for (const ManagedTablePtr& table : context_->tables.All()) {
    const MutexLock lock(table->mutex);
    if (!table->state.MayChange() && !table->state.record().row.dropped) continue;
    int64_t reaped = 0;
    StoreBatch batch = ReapBatch(table->state, *context_->clock, &reaped);
    context_->counters.reaped.fetch_add(reaped, std::memory_order_relaxed);
    if (!batch.empty()) table->Store(std::move(batch), [](const CoordStatus&) {});
  }
}

}  // namespace catalogd::coord
