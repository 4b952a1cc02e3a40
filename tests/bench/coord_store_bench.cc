#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catalog/coord/store/store_writer.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/coord_store/store_records.h"

// The coordination store: durable batches per second, each a commit of a table of its own.
namespace catalogd::coord {
namespace {

constexpr int64_t kBatches = 20;  // Of each table in one iteration.

std::string TableId(int64_t table) { return "t" + std::to_string(table); }

// A transaction that adds a file, as a commit makes it.
StoreBatch Commit(int64_t table, int64_t version) {
  TableRecord record = testing::Table(TableId(table), TableId(table));
  record.row.id_version = IdVersion(version);
  TxnRecord txn = testing::Txn(table * 10'000'000 + version);
  txn.table_id = TableId(table);
  txn.row.requested = testing::At(2 * version);
  txn.row.completed = testing::At(2 * version + 1);
  txn.row.id_version = IdVersion(version);
  txn.row.idempotency_key.clear();
  FileRecord file = testing::File("f" + std::to_string(version), txn.row.txn_id);
  file.table_id = TableId(table);
  return {record, txn, file};
}

// range(0) writers, each waiting for its own commit before the next one.
void DurableBatches(benchmark::State& state) {
  const catalogd::testing::TemporaryDirectory directory;
  auto store = OpenSqliteCoordStore(directory / "coord.db", {});
  if (!store) return state.SkipWithError(store.error().message.c_str());
  StoreWriter writer(std::move(*store));
  std::atomic<int> failed = 0;
  int64_t first = 1;
  for (auto iteration : state) {
    std::vector<std::thread> threads;
    for (int64_t table = 0; table < state.range(0); ++table) {
      threads.emplace_back([&writer, &failed, table, first] {
        for (int64_t version = first; version < first + kBatches; ++version) {
          if (!writer.WriteNow(TableId(table), Commit(table, version))) ++failed;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    first += kBatches;
  }
  if (failed > 0) state.SkipWithError("a batch was not stored");
  state.SetItemsProcessed(state.iterations() * state.range(0) * kBatches);
}
BENCHMARK(DurableBatches)->Arg(1)->Arg(8)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catalogd::coord

BENCHMARK_MAIN();
