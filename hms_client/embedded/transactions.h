#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/base/result.h"
#include "hms_client/embedded/store.h"
#include "hms_idl/hive_metastore_types.h"

// Transactions, write ids and locks: what clients of a metastore coordinate with. The metastore
// itself never looks at them when it changes objects.
//
// A lock or transaction that has had no heartbeat for Store::lock_timeout() is over: the next call
// here removes or aborts it.
// Errors: those of Store; kNotFound: no such lock; kInvalidArgument: no such transaction;
// kInvalidState: the transaction is aborted; kNotEmpty: the lock belongs to an open transaction;
// kConflict: a request without sense. Texts are Hive 4's.
namespace catalogd::hms::ops {

namespace api = thrift::hms;
using Ids = std::vector<int64_t>;

// --- Transactions (transactions.cc)
Result<Ids> OpenTransactions(Store& store, const api::OpenTxnRequest& request);
// One that is committed already may be committed again.
Status CommitTransaction(Store& store, int64_t id);
// One that is aborted already may be aborted again.
Status AbortTransaction(Store& store, int64_t id);
// Those of the list that are open.
Status AbortTransactions(Store& store, const Ids& ids);
// Open and aborted ones, in order. `excluded`: types left out.
Result<api::GetOpenTxnsInfoResponse> ListTransactions(
    Store& store, const std::vector<api::TxnType::type>& excluded);
Result<api::HeartbeatTxnRangeResponse> HeartbeatRange(Store& store, int64_t min, int64_t max);
// Of a lock, of a transaction, or of both; 0: not given.
Status Heartbeat(Store& store, int64_t lock, int64_t transaction);
Status CheckTransactionOpen(Store& store, int64_t id);

// --- Write ids (write_ids.cc)
Result<std::vector<api::TxnToWriteId>> AllocateWriteIds(
    Store& store, const api::AllocateTableWriteIdsRequest& request);
Result<int64_t> MaxWriteId(Store& store, const std::string& db, const std::string& table);
Result<std::vector<api::TableValidWriteIds>> ValidWriteIds(
    Store& store, const api::GetValidWriteIdsRequest& request);

// --- Locks (locks.cc)
Result<api::LockResponse> Lock(Store& store, const api::LockRequest& request);
Result<api::LockResponse> CheckLock(Store& store, int64_t id);
// Of a lock that is not there: nothing happens.
Status Unlock(Store& store, int64_t id);
Result<std::vector<api::ShowLocksResponseElement>> ShowLocks(Store& store,
                                                             const api::ShowLocksRequest& request);

// --- Shared by the above
// Removes and aborts what is over.
Status ExpireIn(Writer& writer, Store& store);
// kInvalidArgument or kInvalidState unless it is open.
Status RequireOpenIn(Rows& rows, int64_t id);
// The bits of the set positions, as Java's BitSet writes them.
std::string BitSetBytes(const std::vector<bool>& bits);

}  // namespace catalogd::hms::ops
