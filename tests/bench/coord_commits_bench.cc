#include <benchmark/benchmark.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catalog/coord/conflict_check.h"
#include "catalog/coord/service/coordinator.h"
#include "tests/support/coord/fake_publisher.h"
#include "tests/support/temporary_directory.h"

// Commits of table coordination: begin and commit of one file, full durability, nothing published
// to a metastore before the answer; and the check of one commit against those of the meantime.
namespace catalogd::coord {
namespace {

constexpr int64_t kCommits = 20;  // Of each table in one iteration.

template <class T, class Call>
CoordResult<T> Ask(Call call) {
  auto answer = std::make_shared<std::promise<CoordResult<T>>>();
  auto given = answer->get_future();
  call(Done<T>([answer](CoordResult<T> result) { answer->set_value(std::move(result)); }));
  return given.get();
}

class Service {
 public:
  explicit Service(int64_t tables) {
    auto store = OpenSqliteCoordStore(directory_ / "coord.db", {});
    writer_ = std::make_unique<StoreWriter>(std::move(*store));
    coord_ = std::make_unique<Coordinator>(writer_.get(), &publisher_, &SystemClock(), &timer_,
                                           &workers_);
    for (int64_t table = 0; table < tables; ++table) {
      publisher_.Create(*ParseObjectName(Name(table)));
      api::RegisterTableRequest request;
      request.caller.table = Name(table);
      request.type = "APPEND_DELTA";
      request.table_options = {{"publish", "async"}, {"inserts_commute", "true"}};
      const auto made = Ask<api::CoordTable>(
          [&](auto done) { coord_->tables.Register(request, std::move(done)); });
      if (!made) failed_ = made.error().message;
    }
  }
  ~Service() {
    coord_->Stop();
    timer_.Shutdown();
    workers_.Shutdown();
    writer_->Stop();
  }

  static std::string Name(int64_t table) { return "db.t" + std::to_string(table); }
  [[nodiscard]] const std::string& failed() const { return failed_; }

  bool Commit(int64_t table) {
    api::BeginTxnRequest begin;
    begin.caller.table = Name(table);
    begin.op = "INSERT";
    const auto txn =
        Ask<api::TxnInfo>([&](auto done) { coord_->txns.Begin(begin, std::move(done)); });
    if (!txn) return false;
    api::CommitRequest commit;
    commit.caller.table = Name(table);
    commit.txn_id = txn->txn_id;
    commit.fence = txn->fence;
    commit.added.emplace_back().name = "part-" + txn->requested;
    return Ask<api::CommitResult>([&](auto done) { coord_->txns.Commit(commit, std::move(done)); })
        .has_value();
  }

 private:
  const catalogd::testing::TemporaryDirectory directory_;
  testing::FakePublisher publisher_;
  ThreadTimer timer_{SystemClock()};
  ThreadPoolExecutor workers_{{.name = "coord", .threads = 2, .max_queue = 100'000}};
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<Coordinator> coord_;
  std::string failed_;
};

// range(0) tables with a writer each, which waits for each of its answers. Items are commits, of
// two durable steps each.
void Commits(benchmark::State& state) {
  Service service(state.range(0));
  if (!service.failed().empty()) return state.SkipWithError(service.failed().c_str());
  std::atomic<int> failed = 0;
  for (auto iteration : state) {
    std::vector<std::thread> threads;
    for (int64_t table = 0; table < state.range(0); ++table) {
      threads.emplace_back([&service, &failed, table] {
        for (int64_t i = 0; i < kCommits; ++i) failed += service.Commit(table) ? 0 : 1;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  if (failed > 0) state.SkipWithError("a commit failed");
  state.SetItemsProcessed(state.iterations() * state.range(0) * kCommits);
}
BENCHMARK(Commits)->Arg(1)->Arg(8)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

// A compaction of 100 files against range(0) commits after its snapshot, each of 10 files in the
// same partition.
void ConflictCheck(benchmark::State& state) {
  OpenTxn open;
  open.op = OpClass::kMinor;
  LiveFiles live;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "input-" + std::to_string(i);
    open.partitions["p=1"].removed.insert(name);
    live["p=1"].insert(name);
  }
  open.partitions["p=1"].added.insert("output");
  std::vector<CommittedTxn> committed;
  for (int64_t id = 1; id <= state.range(0); ++id) {
    CommittedTxn txn{IdVersion(id), OpClass::kInsert, {}};
    for (int i = 0; i < 10; ++i) {
      txn.partitions["p=1"].added.insert("f-" + std::to_string(id * 10 + i));
    }
    committed.push_back(std::move(txn));
  }
  CheckOptions options;
  options.partitioned = true;
  for (auto iteration : state) {
    const CheckResult result = CheckConflicts(open, committed, live, options);
    if (result.conflict) return state.SkipWithError("a conflict where there is none");
    benchmark::DoNotOptimize(result);
  }
}
BENCHMARK(ConflictCheck)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace catalogd::coord

BENCHMARK_MAIN();
