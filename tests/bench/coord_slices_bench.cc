#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "catalog/coord/service/coordinator.h"
#include "tests/support/fake_time.h"
#include "tests/unit/coord/instants.h"

// Reading the slices of a large table, page by page, and what a live file costs in memory.
// 10,000 partitions of 10 file groups, each with a base and four logs.

namespace {
std::atomic<int64_t> allocated{0};
std::atomic<bool> counts{false};  // Off while the allocator itself starts.
}  // namespace

// Counted with what the allocator rounds up to.
__attribute__((noinline)) void* operator new(size_t size) {
  void* const place = std::malloc(size);
  if (place == nullptr) std::abort();
  if (counts) allocated += static_cast<int64_t>(malloc_usable_size(place));
  return place;
}
__attribute__((noinline)) void* operator new[](size_t size) { return operator new(size); }
__attribute__((noinline)) void operator delete(void* place) noexcept {
  if (counts && place != nullptr) allocated -= static_cast<int64_t>(malloc_usable_size(place));
  std::free(place);
}
__attribute__((noinline)) void operator delete(void* place, size_t) noexcept {
  if (counts && place != nullptr) allocated -= static_cast<int64_t>(malloc_usable_size(place));
  std::free(place);
}

__attribute__((noinline)) void operator delete[](void* place) noexcept { operator delete(place); }
__attribute__((noinline)) void operator delete[](void* place, size_t) noexcept {
  operator delete(place);
}

namespace catalogd::coord {
namespace {

using testing::At;

constexpr int64_t kPartitions = 10'000;
constexpr int64_t kGroups = 10;  // Of each partition.
constexpr int64_t kVersions = 5;
constexpr const char* kTable = "8b1c0f5e-7f0f-4c8e-9a53-0d2f6c1b7a10";

FileRecord FileOf(int64_t partition, int64_t group, int64_t version) {
  FileRecord file;
  file.table_id = kTable;
  file.group.partition = fmt::format("dt=2026-{:05}", partition);
  file.group.file_id = fmt::format("{:08x}-6b1f-4c5e-8f5a-{:05}", partition * kGroups + group, 0);
  const std::string instant(At(10 * version).text());
  file.name = version == 1 ? fmt::format("{}_0-1-1_{}.parquet", file.group.file_id, instant)
                           : fmt::format(".{}_{}.log.1_0-1-1", file.group.file_id, instant);
  file.kind = version == 1 ? FileKind::kBase : FileKind::kLog;
  file.size = 1 << 20;
  file.rows = 1000;
  file.added_by = version;
  return file;
}

// Accepts whatever is written.
class NoStore final : public CoordStore {
 public:
  Result<StoreContent> Load() override { return StoreContent(); }
  Result<StoreContent> LoadTable(const std::string&) override { return StoreContent(); }
  Result<std::vector<AuditRecord>> ReadAudit(const std::string&, int64_t) override {
    return std::vector<AuditRecord>();
  }
  std::vector<Status> Write(std::span<const TableBatch> batches) override {
    return std::vector<Status>(batches.size(), Ok());
  }
};

TableState LargeState() {
  TableRecord record;
  record.row.table_id = kTable;
  record.row.id_version = IdVersion(kVersions);
  record.catalog = "hive";
  record.db = "sales";
  record.name = "orders";
  TableState state(record);
  for (int64_t version = 1; version <= kVersions; ++version) {
    TxnRecord txn;
    txn.table_id = kTable;
    txn.row.txn_id = version;
    txn.row.state = TxnState::kCommitted;
    txn.row.requested = At(10 * version);
    txn.row.completed = At(10 * version + 5);
    txn.row.id_version = IdVersion(version);
    state.Apply(txn);
    for (int64_t partition = 0; partition < kPartitions; ++partition) {
      for (int64_t group = 0; group < kGroups; ++group) {
        state.Apply(FileOf(partition, group, version));
      }
    }
  }
  state.RaiseDurable(IdVersion(kVersions));
  return state;
}

struct World {
  World() {
    auto table = std::make_shared<ManagedTable>(LargeState(), coord.Ways());
    coord.tables.Add(table, ObjectName::Table("hive", "sales", "orders"), true);
  }
  catalogd::testing::FakeClock clock;
  catalogd::testing::ManualTimer timer{&clock};
  catalogd::testing::ManualExecutor workers;
  StoreWriter writer{std::make_unique<NoStore>()};
  CoordContext coord{&writer, nullptr, &clock, &timer, &workers};
  ReadCalls reads{&coord};
};

World& TheWorld() {
  static World world;
  return world;
}

// range(0): groups in a page.
void AllSlices(benchmark::State& state, const char* form) {
  World& world = TheWorld();
  size_t slices = 0;
  for (auto _ : state) {
    api::GetFileSlicesRequest request;
    request.caller.table = kTable;
    request.form = form;
    request.limit = static_cast<int32_t>(state.range(0));
    slices = 0;
    do {
      std::promise<api::FileSlicePage> answer;
      world.reads.Slices(request, [&](CoordResult<api::FileSlicePage> page) {
        answer.set_value(page ? *page : api::FileSlicePage());
      });
      const api::FileSlicePage page = answer.get_future().get();
      slices += page.slices.size();
      request.page_token = page.page_token;
    } while (!request.page_token.empty());
  }
  if (slices != kPartitions * kGroups) state.SkipWithError("not all groups were there");
  state.SetItemsProcessed(state.iterations() * kPartitions * kGroups);
}
BENCHMARK_CAPTURE(AllSlices, merged, "MERGED")
    ->Arg(1000)
    ->Arg(10'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(AllSlices, read_optimized, "READ_OPTIMIZED")
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// range(0): files in a group.
void MemoryOfFiles(benchmark::State& state) {
  for (auto _ : state) {
    TableFiles files;
    allocated = 0;
    counts = true;
    int64_t count = 0;
    size_t name = 0;
    for (int64_t version = 1; version <= state.range(0); ++version) {
      for (int64_t partition = 0; partition < kPartitions; ++partition) {
        for (int64_t group = 0; group < kGroups; ++group, ++count) {
          const FileRecord file = FileOf(partition, group, version);
          name += file.name.size();
          files.Add(file, IdVersion(version), IdVersion());
        }
      }
    }
    counts = false;
    state.counters["bytes_per_file"] = static_cast<double>(allocated) / static_cast<double>(count);
    state.counters["name"] = static_cast<double>(name) / static_cast<double>(count);
  }
}
BENCHMARK(MemoryOfFiles)
    ->Arg(1)
    ->Arg(2)
    ->Arg(3)
    ->Arg(5)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catalogd::coord

BENCHMARK_MAIN();
