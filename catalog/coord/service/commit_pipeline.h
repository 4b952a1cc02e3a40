#pragma once

#include <functional>
#include <memory>
#include <string>

#include "catalog/coord/service/coord_context.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// The one way in which a version of a table comes into being, for transactions and plans alike:
// lock the table's name, check, prepare and store, publish to the metastore, settle and store.
// Thread safety: yes. No thread waits for a lock, and no mutex is held while anything is waited
// for. Invariants: C-I2, C-I3, C-I6, and C-I12: what is published is what is committed, or one
// prepared step ahead of it. Errors: CONFLICT, FENCED, INPUT_GONE, LOCK_TIMEOUT,
// COMMIT_STATE_UNKNOWN (ask, do not repeat), NOT_OWNER, TABLE_*, RETRY_LATER.
namespace catalogd::coord {

// `request.txn_id` or `request.plan_id` says of what. Files and partitions are as the client says;
// their shape is checked here.
void CommitToTable(CoordContext* context, const ManagedTablePtr& table,
                   const api::CommitRequest& request, Done<api::CommitResult> done);

}  // namespace catalogd::coord
