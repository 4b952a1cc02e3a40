#include "catalog/coord/txn_guard.h"

#include <algorithm>
#include <utility>

namespace catalogd::coord {
namespace {

TxnStep Answer(TxnCode code) {
  TxnStep step;
  step.code = code;
  return step;
}

std::optional<TxnCode> Refused(const TableRow& table, const TxnRow* txn, const Holder& holder) {
  if (table.dropped || table.table_id != holder.table_id) return TxnCode::kTableGone;
  if (txn == nullptr) return TxnCode::kNotFound;
  if (holder.fence != txn->fence) return TxnCode::kFenced;
  return std::nullopt;
}

// Of a transaction that is not open: what its owner is told who wants to go on with it.
TxnStep AnswerNotOpen(const TxnRow& txn) {
  switch (txn.state) {
    case TxnState::kAborted:
      return Answer(TxnCode::kNotOpen);
    case TxnState::kPrepared:
      return Answer(TxnCode::kRetryLater);
    case TxnState::kUnknown:
      return Answer(TxnCode::kStateUnknown);
    case TxnState::kOpen:
    case TxnState::kCommitted:
      break;
  }
  TxnStep step;
  step.txn = txn;
  return step;
}

bool Expired(const TxnRow& txn, TimePoint now) { return now > txn.deadline; }

void TakeBack(TxnRow* txn) {
  txn->completed.reset();
  txn->id_version.reset();
  txn->time_version.reset();
}

TxnStep Aborted(const TxnRow& txn, const std::string& reason) {
  TxnStep step;
  step.txn = txn;
  step.txn->state = TxnState::kAborted;
  step.txn->reason = reason;
  return step;
}

}  // namespace

std::string_view TxnStateName(TxnState state) {
  switch (state) {
    case TxnState::kOpen:
      return "OPEN";
    case TxnState::kPrepared:
      return "PREPARED";
    case TxnState::kCommitted:
      return "COMMITTED";
    case TxnState::kAborted:
      return "ABORTED";
    case TxnState::kUnknown:
      return "UNKNOWN";
  }
  return "?";
}

std::string_view TxnCodeName(TxnCode code) {
  switch (code) {
    case TxnCode::kOk:
      return "OK";
    case TxnCode::kNotFound:
      return "TXN_NOT_FOUND";
    case TxnCode::kFenced:
      return "FENCED";
    case TxnCode::kNotOpen:
      return "TXN_NOT_OPEN";
    case TxnCode::kTooLate:
      return "TOO_LATE";
    case TxnCode::kTxnExpired:
      return "TXN_EXPIRED";
    case TxnCode::kAlive:
      return "TXN_ALIVE";
    case TxnCode::kRetryLater:
      return "RETRY_LATER";
    case TxnCode::kStateUnknown:
      return "COMMIT_STATE_UNKNOWN";
    case TxnCode::kTableGone:
      return "TABLE_GONE";
  }
  return "?";
}

TxnStep BeginTxn(const TableRow& table, const BeginTxnRequest& request, TimePoint now,
                 const TxnOptions& options) {
  if (table.dropped || table.table_id != request.table_id) return Answer(TxnCode::kTableGone);
  TxnStep step;
  step.table = table;
  step.table->newest_fence = table.newest_fence.Next();
  TxnRow txn;
  txn.txn_id = request.txn_id;
  txn.op = request.op;
  txn.requested = request.requested;
  txn.snapshot = table.id_version;
  txn.fence = step.table->newest_fence;
  txn.owner = request.owner;
  const Duration asked = request.lease > Duration{} ? request.lease : options.lease;
  txn.lease = std::min(asked, options.max_lease);
  txn.deadline = now + txn.lease;
  txn.idempotency_key = request.idempotency_key;
  txn.plan = request.plan;
  step.remaining = txn.lease;
  step.txn = std::move(txn);
  return step;
}

TxnStep BeatTxn(const TableRow& table, const TxnRow* txn, const Holder& holder, TimePoint now,
                const TxnOptions& options) {
  if (const auto refused = Refused(table, txn, holder)) return Answer(*refused);
  if (txn->state == TxnState::kCommitted) return Answer(TxnCode::kNotOpen);
  if (txn->state != TxnState::kOpen) return AnswerNotOpen(*txn);
  if (options.strict_expiry && Expired(*txn, now)) return Answer(TxnCode::kTxnExpired);
  TxnStep step;
  step.txn = *txn;
  step.txn->deadline = std::max(txn->deadline, now + txn->lease);
  step.remaining = step.txn->deadline - now;
  return step;
}

TxnStep PrepareTxn(const TableRow& table, const TxnRow* txn, const Holder& holder,
                   const Instant& completion, TimePoint now, const TxnOptions& options) {
  if (const auto refused = Refused(table, txn, holder)) return Answer(*refused);
  if (txn->state != TxnState::kOpen) return AnswerNotOpen(*txn);
  if (options.strict_expiry && Expired(*txn, now)) return Answer(TxnCode::kTxnExpired);
  if (table.commit_prepared) return Answer(TxnCode::kRetryLater);
  TxnStep step;
  step.table = table;
  step.table->commit_prepared = true;
  step.txn = *txn;
  step.txn->state = TxnState::kPrepared;
  step.txn->completed = completion;
  step.txn->id_version = table.id_version.Next();
  if (!IsService(txn->op)) step.txn->time_version = completion;
  return step;
}

TxnStep SettleTxn(const TableRow& table, const TxnRow& txn, TxnSettled settled) {
  if (txn.state != TxnState::kPrepared && txn.state != TxnState::kUnknown) {
    return Answer(TxnCode::kTooLate);
  }
  TxnStep step;
  step.txn = txn;
  if (settled == TxnSettled::kUnknown) {
    step.code = TxnCode::kStateUnknown;
    step.txn->state = TxnState::kUnknown;
    return step;
  }
  step.table = table;
  step.table->commit_prepared = false;
  if (settled == TxnSettled::kCommitted) {
    step.txn->state = TxnState::kCommitted;
    step.table->id_version = *txn.id_version;
    return step;
  }
  step.code = TxnCode::kRetryLater;
  step.txn->state = TxnState::kOpen;
  TakeBack(&*step.txn);
  return step;
}

TxnStep AbortTxn(const TableRow& table, const TxnRow* txn, const Holder& holder,
                 const std::string& reason) {
  if (const auto refused = Refused(table, txn, holder)) return Answer(*refused);
  if (txn->state == TxnState::kAborted) return Answer(TxnCode::kOk);
  if (txn->state != TxnState::kOpen) return Answer(TxnCode::kTooLate);
  return Aborted(*txn, reason);
}

TxnStep ReapTxn(const TableRow& table, const TxnRow* txn, TimePoint now) {
  if (txn == nullptr) return Answer(TxnCode::kNotFound);
  if (txn->state == TxnState::kAborted) return Answer(TxnCode::kOk);
  if (txn->state != TxnState::kOpen) return Answer(TxnCode::kTooLate);
  if (table.dropped) return Aborted(*txn, "its table was dropped");
  if (Expired(*txn, now)) return Aborted(*txn, "its lease ran out and nobody renewed it");
  TxnStep step = Answer(TxnCode::kAlive);
  step.remaining = txn->deadline - now;
  return step;
}

std::vector<int64_t> ExpiredTxns(std::span<const TxnRow> txns, TimePoint now) {
  std::vector<int64_t> expired;
  for (const TxnRow& txn : txns) {
    if (txn.state == TxnState::kOpen && Expired(txn, now)) expired.push_back(txn.txn_id);
  }
  return expired;
}

TxnRow RestoreTxn(TxnRow txn, TimePoint ready) {
  txn.deadline = ready + txn.lease;
  return txn;
}

}  // namespace catalogd::coord
