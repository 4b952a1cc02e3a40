#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/guard.h"
#include "catalog/coord/txn.h"

// The life of a transaction: begun, kept alive by beats, prepared, settled, or aborted by its owner
// or, once it has expired, by others. Each function is one event, as in guard.h.
//
// Not for: conflicts between transactions (conflict_check.h), which are looked for before a
// transaction is prepared and under the same lock.
// Thread safety: pure functions.
// Invariants: C-I1 times are the caller's and used once; C-I2 an id is taken when prepared and
// given again when that was undone; C-I4; C-I6 what is not committed has no version.
// Units: `now` is monotonic.
namespace catalogd::coord {

enum class TxnCode {
  kOk,
  kNotFound,
  kFenced,
  kNotOpen,       // Aborted: `reason` says why.
  kTooLate,       // Prepared or committed, and stays.
  kTxnExpired,    // `strict_expiry` only.
  kAlive,         // Not to be aborted by others yet: `remaining`.
  kRetryLater,    // A commit of the table is not settled yet.
  kStateUnknown,  // It may be committed: ask again, never send it again.
  kTableGone,
};
std::string_view TxnCodeName(TxnCode code);

struct TxnOptions {
  Duration lease = std::chrono::seconds(120);  // For those who ask for none.
  Duration max_lease = std::chrono::hours(24);
  bool strict_expiry = false;
};

struct TxnStep {
  TxnCode code = TxnCode::kOk;
  Duration remaining{};
  std::optional<TableRow> table;
  std::optional<TxnRow> txn;  // New, changed, or (an answer that is repeated) as it is.
};

struct BeginTxnRequest {
  std::string table_id;
  int64_t txn_id = 0;
  OpClass op = OpClass::kInsert;
  std::string owner;
  Duration lease{};  // 0: the default one. Longer than the longest: that.
  Instant requested;
  std::string idempotency_key;
  std::optional<PlanId> plan;
};
TxnStep BeginTxn(const TableRow& table, const BeginTxnRequest& request, TimePoint now,
                 const TxnOptions& options);

// `txn` is nullptr when there is none (all functions).
TxnStep BeatTxn(const TableRow& table, const TxnRow* txn, const Holder& holder, TimePoint now,
                const TxnOptions& options);
// OPEN to PREPARED, after the check for conflicts. Of one that is committed: its row again, so a
// call that is repeated gets the answer of the first. Waiting for the table lock for longer than
// the lease does no harm.
TxnStep PrepareTxn(const TableRow& table, const TxnRow* txn, const Holder& holder,
                   const Instant& completion, TimePoint now, const TxnOptions& options);

enum class TxnSettled {
  kCommitted,
  kUndone,   // Open again: its owner may commit anew.
  kUnknown,  // To be settled later; until then no other commit of the table is prepared.
};
// Of a transaction that is neither PREPARED nor UNKNOWN: TOO_LATE, nothing changes.
TxnStep SettleTxn(const TableRow& table, const TxnRow& txn, TxnSettled settled);

TxnStep AbortTxn(const TableRow& table, const TxnRow* txn, const Holder& holder,
                 const std::string& reason);
// By others: only what is open and expired, as it is now, under the lock.
TxnStep ReapTxn(const TableRow& table, const TxnRow* txn, TimePoint now);
// Candidates for it. Others are left alone.
std::vector<int64_t> ExpiredTxns(std::span<const TxnRow> txns, TimePoint now);
// After a start: a full lease for what is open, from the moment on at which it can beat again.
TxnRow RestoreTxn(TxnRow txn, TimePoint ready);

}  // namespace catalogd::coord
