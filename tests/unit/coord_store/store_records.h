#pragma once

#include <string>

#include "catalog/coord/store/records.h"
#include "tests/unit/coord/instants.h"

// Records with something in every field.
namespace catalogd::coord::testing {

inline TableRecord Table(const std::string& id = "t1", const std::string& name = "orders") {
  TableRecord table;
  table.row = {id, false, Fence(7), IdVersion(3), false};
  table.catalog = "hive";
  table.db = "sales";
  table.name = name;
  table.type = TableType::kDeltaWithKeys;
  table.policy = ConflictPolicy::kHudiNbcc;
  table.base_path = "file:/warehouse/orders";
  table.epoch = 2;
  table.last_time_version = At(55);
  table.clock_high_water = 1000;
  table.nonce = "n1";
  table.options = R"({"strict_inputs":true})";
  return table;
}

inline PlanRecord Plan(int64_t id, int64_t requested) {
  PlanRecord plan;
  plan.table_id = "t1";
  plan.row.id = PlanId(id);
  plan.row.type = PlanType::kCluster;
  plan.row.requested = At(requested);
  plan.payload = std::string("a\0b", 3);
  plan.groups = {{"p=1", "g" + std::to_string(id)}};
  plan.inputs = {"f1", "f2"};
  plan.created_ms = 1'700'000'000'000;
  plan.trigger = "5 commits";
  plan.cancellable = true;
  return plan;
}

inline PlanRecord Claimed(int64_t id, int64_t requested) {
  PlanRecord plan = Plan(id, requested);
  plan.row.state = PlanState::kClaimed;
  plan.row.fence = Fence(7);
  plan.row.attempts = 2;
  plan.row.claim = Claim{"spark/app", std::chrono::seconds(120), TimePoint(), true};
  plan.row.last_error = "exit code 1";
  plan.row.files = {{Fence(6), "x"}, {Fence(7), "y"}};
  plan.claim_alive = true;
  return plan;
}

inline PlanRecord Completed(int64_t id, int64_t requested) {
  PlanRecord plan = Plan(id, requested);
  plan.row.state = PlanState::kCompleted;
  plan.row.fence = Fence(7);
  plan.row.completion = Completion{Fence(7), At(90), IdVersion(3)};
  return plan;
}

inline TxnRecord Txn(int64_t id, TxnState state = TxnState::kCommitted) {
  TxnRecord txn;
  txn.table_id = "t1";
  txn.row.txn_id = id;
  txn.row.op = OpClass::kUpdate;
  txn.row.state = state;
  txn.row.requested = At(100 + id);
  txn.row.snapshot = IdVersion(id - 1);
  txn.row.fence = Fence(5);
  txn.row.owner = "trino";
  txn.row.lease = std::chrono::milliseconds(120'000);
  txn.row.idempotency_key = "key" + std::to_string(id);
  if (state != TxnState::kOpen && state != TxnState::kAborted) {
    txn.row.completed = At(200 + id);
    txn.row.id_version = IdVersion(id);
    txn.row.time_version = At(200 + id);
  }
  txn.partitions = {"p=2", "p=1"};
  txn.overwrite_reads_table = true;
  txn.extra = R"({"app":"a"})";
  txn.created_ms = 1'700'000'000'001;
  txn.ended_ms = 1'700'000'000'002;
  txn.attempt_files = {"p=1/b", "p=1/a"};
  txn.event_id = 4711;
  return txn;
}

inline FileRecord File(const std::string& name, int64_t added_by) {
  FileRecord file;
  file.table_id = "t1";
  file.group = {"p=1", "g1"};
  file.kind = FileKind::kLog;
  file.name = name;
  file.size = 1 << 20;
  file.rows = 5;
  file.added_by = added_by;
  return file;
}

inline bool SameContent(const StoreContent& a, const StoreContent& b) {
  return a.tables == b.tables && a.plans == b.plans && a.txns == b.txns && a.files == b.files &&
         a.pins == b.pins && a.publications == b.publications && a.history == b.history;
}

inline PublishRecord Publication(int64_t version, const std::string& table_id = "t1") {
  PublishRecord publication;
  publication.table_id = table_id;
  publication.version = IdVersion(version);
  publication.nonce = "n";
  return publication;
}

}  // namespace catalogd::coord::testing
