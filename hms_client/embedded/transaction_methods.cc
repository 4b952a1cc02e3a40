#include "hms_client/embedded/transaction_methods.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/transactions.h"

namespace catalogd::hms {

namespace {

// Throws what transactions.h's codes stand for.
template <class... Declared>
[[noreturn]] void RaiseTxn(const char* method, const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      internal::ThrowIfDeclared<api::NoSuchLockException, Declared...>(error.message);
      break;
    case ErrorCode::kInvalidArgument:
      internal::ThrowIfDeclared<api::NoSuchTxnException, Declared...>(error.message);
      break;
    case ErrorCode::kInvalidState:
      internal::ThrowIfDeclared<api::TxnAbortedException, Declared...>(error.message);
      break;
    case ErrorCode::kNotEmpty:
      internal::ThrowIfDeclared<api::TxnOpenException, Declared...>(error.message);
      break;
    default:
      break;
  }
  internal::RaiseOther<Declared...>(method, error);
}

template <class... Declared, class T>
T UnwrapTxn(const char* method, Result<T> result) {
  if (!result) RaiseTxn<Declared...>(method, result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

api::GetOpenTxnsResponse Summary(const api::GetOpenTxnsInfoResponse& info) {
  api::GetOpenTxnsResponse answer;
  answer.txn_high_water_mark = info.txn_high_water_mark;
  std::vector<bool> aborted;
  for (const api::TxnInfo& one : info.open_txns) {
    answer.open_txns.push_back(one.id);
    aborted.push_back(one.state == api::TxnState::ABORTED);
    if (!aborted.back() && !answer.__isset.min_open_txn) answer.__set_min_open_txn(one.id);
  }
  answer.abortedBits = ops::BitSetBytes(aborted);
  return answer;
}

}  // namespace

void TransactionMethods::abort_txn(const api::AbortTxnRequest& request) {
  UnwrapTxn<api::NoSuchTxnException>("abort_txn", ops::AbortTransaction(store(), request.txnid));
}

void TransactionMethods::abort_txns(const api::AbortTxnsRequest& request) {
  UnwrapTxn<api::NoSuchTxnException>("abort_txns",
                                     ops::AbortTransactions(store(), request.txn_ids));
}

void TransactionMethods::add_dynamic_partitions(const api::AddDynamicPartitions& request) {
  // What was written matters to compaction only, of which there is none here.
  UnwrapTxn<api::NoSuchTxnException, api::TxnAbortedException>(
      "add_dynamic_partitions", ops::CheckTransactionOpen(store(), request.txnid));
}

void TransactionMethods::allocate_table_write_ids(
    api::AllocateTableWriteIdsResponse& answer, const api::AllocateTableWriteIdsRequest& request) {
  answer.txnToWriteIds =
      UnwrapTxn<api::NoSuchTxnException, api::TxnAbortedException, api::MetaException>(
          "allocate_table_write_ids", ops::AllocateWriteIds(store(), request));
}

void TransactionMethods::check_lock(api::LockResponse& answer,
                                    const api::CheckLockRequest& request) {
  answer = UnwrapTxn<api::NoSuchTxnException, api::TxnAbortedException, api::NoSuchLockException>(
      "check_lock", ops::CheckLock(store(), request.lockid));
}

void TransactionMethods::commit_txn(const api::CommitTxnRequest& request) {
  UnwrapTxn<api::NoSuchTxnException, api::TxnAbortedException>(
      "commit_txn", ops::CommitTransaction(store(), request.txnid));
}

void TransactionMethods::get_max_allocated_table_write_id(
    api::MaxAllocatedTableWriteIdResponse& answer,
    const api::MaxAllocatedTableWriteIdRequest& request) {
  answer.maxWriteId =
      UnwrapTxn<api::MetaException>("get_max_allocated_table_write_id",
                                    ops::MaxWriteId(store(), request.dbName, request.tableName));
}

void TransactionMethods::get_open_txns(api::GetOpenTxnsResponse& answer) {
  answer = Summary(UnwrapTxn<>("get_open_txns", ops::ListTransactions(store(), {})));
}

void TransactionMethods::get_open_txns_info(api::GetOpenTxnsInfoResponse& answer) {
  answer = UnwrapTxn<>("get_open_txns_info", ops::ListTransactions(store(), {}));
}

void TransactionMethods::get_open_txns_req(api::GetOpenTxnsResponse& answer,
                                           const api::GetOpenTxnsRequest& request) {
  answer = Summary(
      UnwrapTxn<>("get_open_txns_req", ops::ListTransactions(store(), request.excludeTxnTypes)));
}

void TransactionMethods::get_valid_write_ids(api::GetValidWriteIdsResponse& answer,
                                             const api::GetValidWriteIdsRequest& request) {
  answer.tblValidWriteIds = UnwrapTxn<api::NoSuchTxnException, api::MetaException>(
      "get_valid_write_ids", ops::ValidWriteIds(store(), request));
}

void TransactionMethods::heartbeat(const api::HeartbeatRequest& request) {
  UnwrapTxn<api::NoSuchLockException, api::NoSuchTxnException, api::TxnAbortedException>(
      "heartbeat", ops::Heartbeat(store(), request.lockid, request.txnid));
}

void TransactionMethods::heartbeat_txn_range(api::HeartbeatTxnRangeResponse& answer,
                                             const api::HeartbeatTxnRangeRequest& request) {
  answer =
      UnwrapTxn<>("heartbeat_txn_range", ops::HeartbeatRange(store(), request.min, request.max));
}

void TransactionMethods::lock(api::LockResponse& answer, const api::LockRequest& request) {
  answer = UnwrapTxn<api::NoSuchTxnException, api::TxnAbortedException>(
      "lock", ops::Lock(store(), request));
}

void TransactionMethods::open_txns(api::OpenTxnsResponse& answer,
                                   const api::OpenTxnRequest& request) {
  answer.txn_ids = UnwrapTxn<>("open_txns", ops::OpenTransactions(store(), request));
}

void TransactionMethods::show_compact(api::ShowCompactResponse& answer,
                                      const api::ShowCompactRequest& /*request*/) {
  answer.compacts.clear();
}

void TransactionMethods::show_locks(api::ShowLocksResponse& answer,
                                    const api::ShowLocksRequest& request) {
  answer.__set_locks(UnwrapTxn<>("show_locks", ops::ShowLocks(store(), request)));
}

void TransactionMethods::unlock(const api::UnlockRequest& request) {
  UnwrapTxn<api::NoSuchLockException, api::TxnOpenException>("unlock",
                                                             ops::Unlock(store(), request.lockid));
}

}  // namespace catalogd::hms
