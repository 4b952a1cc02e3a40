#pragma once

#include <string>
#include <vector>

#include "catalog/coord/service/table_state.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// Which state of a table a reader gets.
// Thread safety: pure functions; those that take a state, under its mutex.
// Invariants: nothing above `TableState::durable`, nothing below `TableState::floor`.
namespace catalogd::coord {

struct ReadPosition {
  IdVersion version;
  Instant at;  // Plans that were requested after it are not there yet.
};

// TABLE_GONE, NOT_OWNER: what is known is not what is so. A table that is held is read on.
CoordStatus MayRead(const TableState& state);

// VERSION_EXPIRED with the oldest that is there; INVALID_ARGUMENT for what does not exist yet.
CoordStatus CheckReadable(const TableState& state, IdVersion version);

// LATEST; ID; COMPLETION: the last commit at or before the time. TIME: the last change of content
// at or before it, as services improved it since. REQUESTED: the first version that has all that
// was begun at or before it and is committed.
CoordResult<ReadPosition> Resolve(const TableState& state, const api::ReadPoint& point);

// What readers know of the past, as versions.h takes it; without names of files.
struct VisibleHistory {
  std::vector<TxnVersion> txns;
  IdVersion floor;
  Instant floor_completed;

  [[nodiscard]] VersionHistory view() const { return {txns, floor, floor_completed}; }
};
VisibleHistory MakeVisibleHistory(const TableState& state);

// Of an error of versions.h.
CoordFailure HistoryFailure(const TableState& state, const Error& error);

// What was committed as this version and is retained, else nullptr.
const CommittedTxn* ChangeOf(const TableState& state, IdVersion version);

}  // namespace catalogd::coord
