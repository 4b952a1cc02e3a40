#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/random.h"
#include "catalog/cache/catalog_cache.h"
#include "catalog/cache/watermark.h"
#include "tests/support/fake_time.h"
#include "tests/support/partition_structs.h"

// The cache: partition sets of a million, directory look-ups and commits, name locks.
namespace catalogd::cache {
namespace {

constexpr int kMillion = 1000000;

size_t HeapBytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

testing::PartitionParts Parts(int number, bool derived) {
  testing::PartitionParts parts;
  parts.values = {std::to_string(1970 + number / 20000), std::to_string(1 + number / 2000 % 10),
                  std::to_string(number % 2000)};
  parts.create_time = 1500000000 + number * 60;
  const std::string tail =
      "/year=" + parts.values[0] + "/month=" + parts.values[1] + "/part=" + parts.values[2];
  Random random(static_cast<uint64_t>(number));
  parts.location = derived ? "hdfs://namenode:8020/warehouse/sales.db/orders" + tail
                           : "s3://bucket-of-the-lake/ingest/" + std::to_string(random.Next()) +
                                 "/" + std::to_string(random.Next());
  parts.parameters = {{"transient_lastDdlTime", std::to_string(parts.create_time + number % 9)},
                      {"totalSize", std::to_string(1000000000 + random.Below(1000000000))},
                      {"numRows", std::to_string(1000000 + random.Below(1000000))},
                      {"COLUMN_STATS_ACCURATE", R"({"BASIC_STATS":"true"})"},
                      {"numFiles", std::to_string(1 + random.Below(100))}};
  return parts;
}

PartitionSet::Entry EntryOf(int number, bool derived) {
  const testing::PartitionParts parts = Parts(number, derived);
  return {*MakePartitionName({"year", "month", "part"}, parts.values), "", PartitionStruct(parts)};
}

std::string NameOf(int number) {
  return *MakePartitionName({"year", "month", "part"}, Parts(number, true).values);
}

// Built in runs, so that the structs do not take gigabytes at once.
const PartitionSet::Ptr& MillionPartitions(bool derived) {
  static PartitionSet::Ptr sets[2];
  static size_t heap[2];
  PartitionSet::Ptr& set = sets[derived ? 1 : 0];
  if (set) return set;
  const size_t before = HeapBytes();
  set = PartitionSet::Empty();
  for (int begin = 0; begin < kMillion; begin += 20000) {
    std::vector<PartitionSet::Entry> entries;
    for (int i = begin; i < begin + 20000; ++i) entries.push_back(EntryOf(i, derived));
    set = set->With(std::move(entries), {});
  }
  heap[derived ? 1 : 0] = HeapBytes() - before;
  std::printf("# %s location: %.1f B of heap, %.1f B as counted, per partition of %zu B\n",
              derived ? "derived" : "own", static_cast<double>(heap[derived ? 1 : 0]) / kMillion,
              static_cast<double>(set->memory_bytes()) / kMillion,
              EntryOf(0, derived).bytes.size());
  return set;
}

void BM_PartitionsBuild(benchmark::State& state) {
  std::vector<PartitionSet::Entry> entries;
  for (int i = 0; i < 20000; ++i) entries.push_back(EntryOf(i, state.range(0) != 0));
  for (auto _ : state) benchmark::DoNotOptimize(PartitionSet::Of(entries));
  state.SetItemsProcessed(state.iterations() * 20000);
}
BENCHMARK(BM_PartitionsBuild)->ArgName("derived")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void BM_PartitionsFirst1000(benchmark::State& state) {
  const PartitionSet::Ptr& set = MillionPartitions(state.range(0) != 0);
  std::string out;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(set->AppendFirst(1000, &out));
  }
  state.SetItemsProcessed(state.iterations() * 1000);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(BM_PartitionsFirst1000)
    ->ArgName("derived")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMicrosecond);

void BM_Partitions1000ByName(benchmark::State& state) {
  const PartitionSet::Ptr& set = MillionPartitions(true);
  Random random(1);
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back(NameOf(static_cast<int>(random.Below(kMillion))));
  std::string out;
  for (auto _ : state) {
    out.clear();
    for (const std::string& name : names)
      benchmark::DoNotOptimize(set->AppendPartition(name, &out));
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_Partitions1000ByName)->Unit(benchmark::kMicrosecond);

void BM_PartitionNames1000(benchmark::State& state) {
  const PartitionSet::Ptr& set = MillionPartitions(true);
  for (auto _ : state) benchmark::DoNotOptimize(set->Names(1000));
}
BENCHMARK(BM_PartitionNames1000)->Unit(benchmark::kMicrosecond);

// A run of `count` neighbours is changed somewhere in a million.
void BM_PartitionsChange(benchmark::State& state) {
  PartitionSet::Ptr set = MillionPartitions(true);
  Random random(2);
  const auto count = static_cast<int>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<PartitionSet::Entry> put;
    const auto first = static_cast<int>(random.Below(kMillion - 1000));
    for (int i = 0; i < count; ++i) {
      testing::PartitionParts parts = Parts(first + i, true);
      parts.parameters[2].second = std::to_string(random.Below(1000000));
      put.push_back({NameOf(first + i), "", PartitionStruct(parts)});
    }
    state.ResumeTiming();
    set = set->With(std::move(put), {});
  }
}
BENCHMARK(BM_PartitionsChange)->ArgName("count")->Arg(1)->Arg(100)->Unit(benchmark::kMicrosecond);

class Counter final : public VersionSource {
 public:
  CatalogVersion Next() override { return last_ = last_.Next(); }

 private:
  CatalogVersion last_;
};

struct Parts100k {
  Parts100k() {
    std::vector<ObjectName> names;
    for (int db = 0; db < 100; ++db) {
      names.push_back(ObjectName::Database("hive", "database_" + std::to_string(db)));
      for (int table = 0; table < 1000; ++table) {
        names.push_back(ObjectName::Table("hive", "database_" + std::to_string(db),
                                          "table_with_a_name_" + std::to_string(table)));
      }
    }
    const size_t before = HeapBytes();
    cache.InstallListing(LogEpoch(1), EventId(1), EventId(1), names);
    std::printf("# stubs: %.1f B of heap each\n",
                static_cast<double>(HeapBytes() - before) / static_cast<double>(names.size()));
    tables = std::move(names);
  }
  Counter versions;
  CatalogCache cache{&versions, 1000};
  std::vector<ObjectName> tables;
};

Parts100k& Catalog() {
  static Parts100k catalog;
  return catalog;
}

void BM_Lookup(benchmark::State& state) {
  const CatalogCache& cache = Catalog().cache;
  Random random(static_cast<uint64_t>(state.thread_index()));
  for (auto _ : state) {
    const ObjectName& name = Catalog().tables[random.Below(Catalog().tables.size())];
    benchmark::DoNotOptimize(cache.Lookup(name));
  }
}
BENCHMARK(BM_Lookup)->Threads(1)->Threads(2);

void BM_ListTables1000(benchmark::State& state) {
  const ObjectName db = ObjectName::Database("hive", "database_7");
  for (auto _ : state) benchmark::DoNotOptimize(Catalog().cache.Tables(db));
}
BENCHMARK(BM_ListTables1000)->Unit(benchmark::kMicrosecond);

void BM_Commit(benchmark::State& state) {
  testing::FakeClock clock;
  testing::ManualExecutor executor;
  testing::ManualTimer timer(&clock);
  NameLocks locks(&executor, &timer, &clock);
  int64_t id = 1000;
  Random random(3);
  for (auto _ : state) {
    NameLocks::Request request;
    SlotChange change;
    change.name = Catalog().tables[random.Below(Catalog().tables.size())];
    change.state = SlotState::kStub;
    change.synced = EventId(++id);
    change.reason = "ALTER_TABLE applied";
    request.exclusive = {change.name};
    const auto guard = locks.Acquire(std::move(request), nullptr);
    std::vector<SlotChange> changes;
    changes.push_back(std::move(change));
    benchmark::DoNotOptimize(Catalog().cache.Commit(*guard, std::move(changes)));
  }
}
BENCHMARK(BM_Commit);

void BM_LockTable(benchmark::State& state) {
  static testing::ManualExecutor executor;
  static testing::FakeClock clock;
  static testing::ManualTimer timer(&clock);
  static NameLocks locks(&executor, &timer, &clock);
  const ObjectName name =
      ObjectName::Table("hive", "sales", "orders_" + std::to_string(state.thread_index()));
  for (auto _ : state) {
    NameLocks::Request request;
    request.exclusive.push_back(name);
    request.owner = "event 4711 ALTER_TABLE";
    benchmark::DoNotOptimize(locks.Acquire(std::move(request), nullptr));
  }
}
BENCHMARK(BM_LockTable)->Threads(1)->Threads(2);

// A database whose lock is taken while many of its tables' events wait.
void BM_LockQueue(benchmark::State& state) {
  testing::ManualExecutor executor;
  testing::FakeClock clock;
  testing::ManualTimer timer(&clock);
  const auto count = static_cast<int>(state.range(0));
  for (auto _ : state) {
    NameLocks locks(&executor, &timer, &clock);
    NameLocks::Request whole;
    whole.exclusive = {ObjectName::Database("hive", "sales")};
    auto guard = locks.Acquire(std::move(whole), nullptr);
    for (int i = 0; i < count; ++i) {
      NameLocks::Request request;
      request.exclusive = {ObjectName::Table("hive", "sales", std::to_string(i % 100))};
      locks.Acquire(std::move(request), [](const Result<NameGuard>&) {});
    }
    guard->Release();
    executor.RunAll();
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(BM_LockQueue)->Arg(1000)->Arg(30000)->Unit(benchmark::kMillisecond);

void BM_Watermark(benchmark::State& state) {
  Watermark watermark;
  int64_t id = 0;
  for (auto _ : state) watermark.Done(watermark.Expect(EventId(++id)));
}
BENCHMARK(BM_Watermark);

}  // namespace
}  // namespace catalogd::cache

BENCHMARK_MAIN();
