#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/coord/conflict_matrix.h"

namespace catalogd::coord {

enum class TxnState {
  kOpen,
  kPrepared,  // Has an id and a time; nobody sees it yet.
  kCommitted,
  kAborted,
  kUnknown,  // The answer to its publication is lost: it may be committed.
};
std::string_view TxnStateName(TxnState state);

// One transaction of a table, as the store keeps it.
// Thread safety: plain value.
// Invariants: `completed` and `id_version` are there when prepared, committed or unknown, and
// `time_version` then unless the transaction is a service's; a committed one never changes.
struct TxnRow {
  int64_t txn_id = 0;
  OpClass op = OpClass::kInsert;
  TxnState state = TxnState::kOpen;
  Instant requested;
  IdVersion snapshot;  // What it began on.
  Fence fence;
  std::string owner;
  Duration lease{};
  TimePoint deadline;           // Passed: it may be aborted by others. It decides nothing else.
  std::string idempotency_key;  // Empty: none.
  std::optional<Instant> completed;
  std::optional<IdVersion> id_version;
  std::optional<Instant> time_version;
  std::optional<PlanId> plan;
  std::string reason;  // Of an abort.

  friend bool operator==(const TxnRow&, const TxnRow&) = default;
};

}  // namespace catalogd::coord
