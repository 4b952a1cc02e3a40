#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"
#include "tests/support/fake_time.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord::testing {

// One table whose commits the test writes down as they are in the store, with small numbers for
// times, and the calls that read it.
class ReadWorld : public ::testing::Test {
 protected:
  // REQUIRES: before anything is committed.
  void Make(TableType type, ConflictPolicy policy = ConflictPolicy::kMaxCompute,
            const std::string& base_path = "hdfs://nn/orders") {
    TableRecord record;
    record.row.table_id = kId;
    record.catalog = "hive";
    record.db = "sales";
    record.name = "orders";
    record.type = type;
    record.policy = policy;
    record.base_path = base_path;
    auto store = OpenSqliteCoordStore(":memory:", {.full_sync = false});
    ASSERT_TRUE(store) << store.error().message;
    writer_ = std::make_unique<StoreWriter>(std::move(*store));
    context_ = std::make_unique<CoordContext>(writer_.get(), nullptr, &clock_, &timer_, &executor_);
    reads_ = std::make_unique<ReadCalls>(context_.get());
    TableState state(record);
    TableOptions options;
    options.check.matrix.policy = policy;
    state.SetOptions(options);
    table_ = std::make_shared<ManagedTable>(std::move(state), context_->Ways());
    context_->tables.Add(table_, ObjectName::Table("hive", "sales", "orders"), true);
    ASSERT_EQ(Store({record}), "");
  }
  ~ReadWorld() override {
    if (context_ != nullptr) context_->parking.Stop();
    if (writer_ != nullptr) writer_->Stop();
  }

  struct Span {
    int64_t requested = 0;
    int64_t completed = 0;  // 0: pending.
  };
  struct Change {
    std::string partition;
    std::string file_id;
    std::string name;
  };
  struct Commit {
    OpClass op = OpClass::kInsert;
    Span span;
    std::vector<Change> added;
    std::vector<Change> removed;
    std::optional<int64_t> plan;
  };

  // The next version; "" or why it was not stored.
  std::string Add(const Commit& commit) {
    StoreBatch batch = {Record(next_version_)};
    TxnRecord txn = Txn(commit);
    GiveVersion(commit, TxnState::kCommitted, &txn);
    batch.emplace_back(txn);
    AddFiles(commit, txn.row.txn_id, &batch);
    if (commit.plan) {
      PlanRecord plan =
          StateOf([&](const TableState& state) { return *state.FindPlan(PlanId(*commit.plan)); });
      plan.row.state = PlanState::kCompleted;
      plan.row.completion =
          Completion{Fence(1), At(commit.span.completed), IdVersion(next_version_)};
      batch.emplace_back(plan);
    }
    ++next_version_;
    return Store(std::move(batch));
  }
  // Has a version and files, and nobody may see it.
  std::string Prepare(const Commit& commit) {
    TxnRecord txn = Txn(commit);
    GiveVersion(commit, TxnState::kPrepared, &txn);
    StoreBatch batch = {txn};
    AddFiles(commit, txn.row.txn_id, &batch);
    return Store(std::move(batch));
  }
  std::string Open(int64_t requested, TxnState state = TxnState::kOpen) {
    TxnRecord txn = Txn({OpClass::kInsert, {requested, 0}, {}, {}, {}});
    txn.row.state = state;
    return Store({txn});
  }
  std::string Plan(int64_t id, int64_t requested, PlanType type,
                   const std::vector<PlanPayload::Group>& groups,
                   PlanState state = PlanState::kRequested) {
    PlanRecord plan;
    plan.table_id = kId;
    plan.row.id = PlanId(id);
    plan.row.type = type;
    plan.row.state = state;
    plan.row.requested = At(requested);
    for (const PlanPayload::Group& group : groups) {
      plan.groups.push_back({group.partition, group.file_id});
    }
    plan.payload = PayloadToJson({IdVersion(), groups});
    return Store({plan});
  }
  // Versions up to it are not retained any more.
  std::string ForgetUpTo(int64_t version) {
    StoreBatch batch;
    for (int64_t id = 1; id <= version; ++id) {
      const auto txn = StateOf([&](const TableState& state) {
        return state.FindTxnOfVersion(IdVersion(id))->row.txn_id;
      });
      batch.emplace_back(ForgetTxn{txn});
    }
    return Store(std::move(batch));
  }

  std::string Store(StoreBatch batch) {
    const CoordStatus stored =
        table_->StoreNow([&](TableState*) -> CoordResult<StoreBatch> { return std::move(batch); });
    return stored ? "" : stored.error().message;
  }
  template <class Get>
  std::invoke_result_t<Get, const TableState&> StateOf(Get get) {
    const MutexLock lock(table_->mutex);
    return get(table_->state);
  }

  // The answer of an asynchronous call.
  template <class T, class Call>
  CoordResult<T> Ask(Call call) {
    std::promise<CoordResult<T>> answer;
    auto given = answer.get_future();
    call(Done<T>([&](CoordResult<T> result) { answer.set_value(std::move(result)); }));
    executor_.RunAll();
    return given.get();
  }
  CoordResult<api::FileSlicePage> Slices(const api::GetFileSlicesRequest& request) {
    return Ask<api::FileSlicePage>([&](auto done) { reads_->Slices(request, std::move(done)); });
  }
  static api::CoordCaller Caller() {
    api::CoordCaller caller;
    caller.table = "sales.orders";
    caller.owner = "test/me";
    return caller;
  }
  template <class T>
  static std::string CodeOf(const CoordResult<T>& result) {
    return result ? "OK" : std::string(CoordCodeName(result.error().code));
  }

  static constexpr const char* kId = "0b1c0f5e-7f0f-4c8e-9a53-0d2f6c1b7a10";
  catalogd::testing::FakeClock clock_;
  catalogd::testing::ManualTimer timer_{&clock_};
  catalogd::testing::ManualExecutor executor_;
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<CoordContext> context_;
  std::unique_ptr<ReadCalls> reads_;
  ManagedTablePtr table_;

 private:
  TableRecord Record(int64_t version) {
    TableRecord record = StateOf([](const TableState& state) { return state.record(); });
    record.row.id_version = IdVersion(version);
    return record;
  }
  TxnRecord Txn(const Commit& commit) {
    TxnRecord txn;
    txn.table_id = kId;
    txn.row.txn_id = next_txn_++;
    txn.row.op = commit.op;
    txn.row.requested = At(commit.span.requested);
    if (commit.plan) txn.row.plan = PlanId(*commit.plan);
    for (const Change& change : commit.added) txn.partitions.push_back(change.partition);
    return txn;
  }
  void GiveVersion(const Commit& commit, TxnState state, TxnRecord* txn) const {
    txn->row.state = state;
    txn->row.completed = At(commit.span.completed);
    txn->row.id_version = IdVersion(next_version_);
    if (!IsService(commit.op)) txn->row.time_version = txn->row.completed;
  }
  static void AddFiles(const Commit& commit, int64_t txn_id, StoreBatch* batch) {
    for (const Change& change : commit.removed) {
      batch->emplace_back(RemoveFile{kId, change.partition, change.name, txn_id});
    }
    for (const Change& change : commit.added) {
      FileRecord file;
      file.table_id = kId;
      file.group = {change.partition, change.file_id};
      file.name = change.name;
      const bool is_log = change.name.starts_with('.');
      const bool is_base = change.name.ends_with(".parquet");
      file.kind = is_log ? FileKind::kLog : is_base ? FileKind::kBase : FileKind::kDelta;
      file.size = static_cast<int64_t>(change.name.size());
      file.added_by = txn_id;
      batch->emplace_back(file);
    }
  }

  int64_t next_version_ = 1;
  int64_t next_txn_ = 1;
};

}  // namespace catalogd::coord::testing
