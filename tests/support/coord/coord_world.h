#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/store/coord_store.h"
#include "tests/support/coord/fake_publisher.h"
#include "tests/support/fake_time.h"
#include "tests/support/temporary_directory.h"

namespace catalogd::coord::testing {

// A coordinator on a real store in a file, with a metastore and a clock of the test's. Background
// work runs when the test lets it: while it waits for an answer, and in Settle and Advance.
class CoordWorld : public ::testing::Test {
 protected:
  CoordWorld() {
    publisher_.Create(orders_);
    Boot();
  }
  ~CoordWorld() override { ShutDown(); }

  void Boot() {
    auto store = OpenSqliteCoordStore(path_, {.full_sync = false});
    ASSERT_TRUE(store) << store.error().message;
    auto content = (*store)->Load();
    ASSERT_TRUE(content) << content.error().message;
    writer_ = std::make_unique<StoreWriter>(std::move(*store));
    coord_ =
        std::make_unique<Coordinator>(writer_.get(), &publisher_, &clock_, &timer_, &executor_);
    const Status started = coord_->tables.Start(std::move(*content));
    ASSERT_TRUE(started) << started.error().message;
    Settle();
  }
  void ShutDown() {
    if (coord_ == nullptr) return;
    coord_->Stop();
    Settle();
    writer_->Stop();
    Pump();
    coord_.reset();
    writer_.reset();
  }
  // As after a kill that the disk has survived: what was stored is there, nothing else.
  void Restart() {
    ShutDown();
    while (timer_.NextTime()) timer_.AdvanceAndRun(*timer_.NextTime() - clock_.Now());
    executor_.RunAll();
    Boot();
  }

  void Pump() {
    executor_.RunAll();
    timer_.RunDue();
    executor_.RunAll();
  }
  // Until nothing is to be done now.
  void Settle() {
    for (int quiet = 0; quiet < 3;) {
      const bool ran = executor_.RunAll() + timer_.RunDue() > 0;
      Barrier();
      quiet = ran || executor_.pending() > 0 ? 0 : quiet + 1;
    }
  }
  void Advance(Duration by) {
    const TimePoint end = clock_.Now() + by;
    Settle();
    for (auto next = timer_.NextTime(); next && *next <= end; next = timer_.NextTime()) {
      if (*next > clock_.Now()) clock_.Advance(*next - clock_.Now());
      Settle();
    }
    clock_.Advance(end - clock_.Now());
    Settle();
  }

  // The answer of an asynchronous call: Ask<api::TxnInfo>([&](auto done) { ...Begin(r, done); }).
  template <class T, class Call>
  CoordResult<T> Ask(Call call) {
    auto answer = std::make_shared<std::promise<CoordResult<T>>>();
    auto given = answer->get_future();
    call(Done<T>([answer](CoordResult<T> result) { answer->set_value(std::move(result)); }));
    while (given.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) Pump();
    return given.get();
  }

  api::CoordCaller Caller(const std::string& table = "sales.orders") {
    api::CoordCaller caller;
    caller.table = table;
    caller.owner = "test/me";
    return caller;
  }
  CoordResult<api::CoordTable> Register(const std::map<std::string, std::string>& options = {},
                                        const std::string& type = "PK_DELTA",
                                        const std::string& policy = "maxcompute") {
    api::RegisterTableRequest request;
    request.caller = Caller();
    request.type = type;
    request.policy = policy;
    request.table_options = options;
    return Ask<api::CoordTable>(
        [&](auto done) { coord_->tables.Register(request, std::move(done)); });
  }
  CoordResult<api::TxnInfo> Begin(const std::string& op = "INSERT", const std::string& key = "",
                                  int64_t lease_ms = 0) {
    api::BeginTxnRequest request;
    request.caller = Caller();
    request.caller.idempotency_key = key;
    request.op = op;
    request.lease_ms = lease_ms;
    return Ask<api::TxnInfo>([&](auto done) { coord_->txns.Begin(request, std::move(done)); });
  }
  static api::DataFile File(const std::string& name, const std::string& partition = "",
                            const std::string& group = "") {
    api::DataFile file;
    file.partition = partition;
    file.name = name;
    file.file_id = group;
    file.size = 100;
    file.row_count = 10;
    return file;
  }
  static api::PartitionFile Gone(const std::string& name, const std::string& partition = "") {
    api::PartitionFile file;
    file.partition = partition;
    file.name = name;
    return file;
  }
  CoordResult<api::CommitResult> Commit(const api::CommitRequest& request) {
    return Ask<api::CommitResult>(
        [&](auto done) { coord_->txns.Commit(request, std::move(done)); });
  }
  api::CommitRequest CommitOf(const api::TxnInfo& txn, std::vector<api::DataFile> added,
                              std::vector<api::PartitionFile> removed = {}) {
    api::CommitRequest request;
    request.caller = Caller();
    request.txn_id = txn.txn_id;
    request.fence = txn.fence;
    request.added = std::move(added);
    request.removed = std::move(removed);
    return request;
  }
  CoordResult<api::CommitResult> Commit(const api::TxnInfo& txn, std::vector<api::DataFile> added,
                                        std::vector<api::PartitionFile> removed = {}) {
    return Commit(CommitOf(txn, std::move(added), std::move(removed)));
  }
  // Begins and commits.
  CoordResult<api::CommitResult> Write(std::vector<api::DataFile> added,
                                       const std::string& op = "INSERT",
                                       std::vector<api::PartitionFile> removed = {}) {
    const auto txn = Begin(op);
    if (!txn) return AsFailure(txn.error());
    return Commit(*txn, std::move(added), std::move(removed));
  }
  CoordResult<api::TxnInfo> GetTxn(int64_t txn_id) {
    api::GetTxnRequest request;
    request.caller = Caller();
    request.txn_id = txn_id;
    return coord_->txns.Get(request);
  }
  CoordResult<api::CoordTable> State() {
    api::TableRequest request;
    request.caller = Caller();
    return coord_->tables.State(request);
  }

  catalogd::testing::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "coord.db";
  const ObjectName orders_ = ObjectName::Table("hive", "sales", "orders");
  catalogd::testing::FakeClock clock_;
  catalogd::testing::ManualExecutor executor_;
  catalogd::testing::ManualTimer timer_{&clock_};
  FakePublisher publisher_;
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<Coordinator> coord_;

 private:
  // What was handed to the writer has been stored and told.
  void Barrier() {
    if (writer_ != nullptr) static_cast<void>(writer_->Reload("-"));
  }
};

}  // namespace catalogd::coord::testing
