#pragma once

#include <optional>
#include <string>

#include "catalog/coord/service/coord_context.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// The rows of a commit on its way: prepared, committed, undone.
// Thread safety: functions of a state, under its mutex; those of a table wait for the store.
namespace catalogd::coord {

// The transaction whose commit is prepared or unknown; a table has one at most.
const TxnRecord* PreparedTxn(const TableState& state);

// A commit that was decided.
struct PreparedCommit {
  StoreBatch batch;  // Prepared, with its files.
  int64_t txn_id = 0;
  std::optional<PlanId> plan;
  IdVersion version;
  bool rebased = false;
  std::optional<api::CommitResult> repeated;  // It was committed before: nothing is to be done.
  // An outcome that is not a commit and changes rows all the same (a plan whose input is gone).
  std::optional<CoordFailure> failure;
};
CoordResult<PreparedCommit> PrepareCommit(CoordContext* context, TableState* state,
                                          const api::CommitRequest& request);

// Turns a prepared batch into a committed one.
void CommitPrepared(StoreBatch* batch, int64_t now_ms);
// What is written when the prepared commit of the state has ended. REQUIRES: there is one.
StoreBatch CommitBatch(const TableState& state, const std::optional<PublishRecord>& published,
                       int64_t now_ms);
// `published`: what the metastore has now, if that is another value than before.
StoreBatch UndoBatch(const TableState& state, const std::optional<PublishRecord>& published);

CoordStatus SettleCommitted(ManagedTable* table);
CoordStatus SettleUndone(ManagedTable* table, const std::optional<PublishRecord>& published);
CoordStatus SettleUnknown(ManagedTable* table);

// What the client of a committed version is told.
api::CommitResult MakeCommitResult(const TableState& state, const TxnRecord& txn);

}  // namespace catalogd::coord
