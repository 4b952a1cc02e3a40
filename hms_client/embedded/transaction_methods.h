#pragma once

#include "hms_client/embedded/methods_base.h"

namespace catalogd::hms {

// Transactions, write ids and locks.
class TransactionMethods : public virtual MethodsBase {
 public:
  void abort_txn(const api::AbortTxnRequest& request) override;
  void abort_txns(const api::AbortTxnsRequest& request) override;
  void add_dynamic_partitions(const api::AddDynamicPartitions& request) override;
  void allocate_table_write_ids(api::AllocateTableWriteIdsResponse& answer,
                                const api::AllocateTableWriteIdsRequest& request) override;
  void check_lock(api::LockResponse& answer, const api::CheckLockRequest& request) override;
  void commit_txn(const api::CommitTxnRequest& request) override;
  void get_max_allocated_table_write_id(
      api::MaxAllocatedTableWriteIdResponse& answer,
      const api::MaxAllocatedTableWriteIdRequest& request) override;
  void get_open_txns(api::GetOpenTxnsResponse& answer) override;
  void get_open_txns_info(api::GetOpenTxnsInfoResponse& answer) override;
  void get_open_txns_req(api::GetOpenTxnsResponse& answer,
                         const api::GetOpenTxnsRequest& request) override;
  void get_valid_write_ids(api::GetValidWriteIdsResponse& answer,
                           const api::GetValidWriteIdsRequest& request) override;
  void heartbeat(const api::HeartbeatRequest& request) override;
  void heartbeat_txn_range(api::HeartbeatTxnRangeResponse& answer,
                           const api::HeartbeatTxnRangeRequest& request) override;
  void lock(api::LockResponse& answer, const api::LockRequest& request) override;
  void open_txns(api::OpenTxnsResponse& answer, const api::OpenTxnRequest& request) override;
  void show_compact(api::ShowCompactResponse& answer,
                    const api::ShowCompactRequest& request) override;
  void show_locks(api::ShowLocksResponse& answer, const api::ShowLocksRequest& request) override;
  void unlock(const api::UnlockRequest& request) override;
};

}  // namespace catalogd::hms
