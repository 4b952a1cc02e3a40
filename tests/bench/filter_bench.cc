#include <benchmark/benchmark.h>

#include <numeric>
#include <string>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/cache/partition_set.h"
#include "catalog/cache/partition_values.h"
#include "hms_client/filter/exact_filter.h"
#include "tests/support/partition_structs.h"

// Filters over a table's partitions, as the endpoint runs them, without the answer's structs.
namespace catalogd {
namespace {

using hms::ExactFilter;

constexpr int kPartitions = 100'000;
const std::vector<hms::PartitionColumn> kKeys = {{"day", "string"}, {"region", "int"}};

// Nearly 30 years of days, ten regions each; or one partition for each number.
const cache::PartitionSet::Ptr& Partitions(bool unique) {
  static cache::PartitionSet::Ptr sets[2];
  cache::PartitionSet::Ptr& set = sets[unique ? 1 : 0];
  if (set) return set;
  std::vector<cache::PartitionSet::Entry> entries;
  for (int i = 0; i < kPartitions; ++i) {
    const int day = i / 10;
    testing::PartitionParts parts;
    parts.values = {std::to_string(1990 + day / 336) + "-" +
                        std::to_string(101 + day / 28 % 12).substr(1) + "-" +
                        std::to_string(101 + day % 28).substr(1),
                    std::to_string(unique ? i : i % 10)};
    parts.location = "s3://lake/t/" + std::to_string(i);
    entries.push_back(
        {*MakePartitionName({"day", "region"}, parts.values), "", testing::PartitionStruct(parts)});
  }
  return set = cache::PartitionSet::Of(std::move(entries));
}

size_t Count(const ExactFilter& filter, const cache::PartitionSet& partitions) {
  size_t found = 0;
  std::vector<uint8_t> chosen;
  partitions.ForEachBlock([&](const cache::PartitionSet::Block& block) {
    const cache::PartitionValues& values = block.values();
    std::vector<ExactFilter::Column> columns;
    for (const auto& column : values.columns) columns.push_back({&column.distinct, &column.codes});
    if (!filter.Run(columns, values.rows, &chosen)) return false;
    found += std::accumulate(chosen.begin(), chosen.end(), size_t{0});
    return true;
  });
  return found;
}

void BM_Filter(benchmark::State& state, const std::string& text) {
  const cache::PartitionSet& partitions = *Partitions(state.range(0) != 0);
  size_t found = Count(*ExactFilter::Parse(text, kKeys, {}), partitions);
  for (auto _ : state) {
    const auto filter = ExactFilter::Parse(text, kKeys, {});
    benchmark::DoNotOptimize(found = Count(*filter, partitions));
  }
  state.counters["found"] = static_cast<double>(found);
  state.SetItemsProcessed(state.iterations() * kPartitions);
}
#define FILTER(name, text)                 \
  BENCHMARK_CAPTURE(BM_Filter, name, text) \
      ->ArgName("unique")                  \
      ->Arg(0)                             \
      ->Arg(1)                             \
      ->Unit(benchmark::kMillisecond)
FILTER(one_day, "day = '2001-02-03'");
FILTER(a_month, "day >= '2001-02-01' and day < '2001-03-01'");
FILTER(month_and_region, "day >= '2001-02-01' and day < '2001-03-01' and region = 7");
FILTER(list, "(day) in ('2001-02-03', '2001-02-04', '2001-02-05') or (region) in (1, 2, 3)");
FILTER(like, "day like '2001-02%'");

// The first filter takes the names apart; so does one after a load.
void BM_FirstFilter(benchmark::State& state) {
  const auto filter = ExactFilter::Parse("day = '2001-02-03'", kKeys, {});
  std::vector<cache::PartitionSet::Entry> entries;
  Partitions(false)->ForEach([&](std::string_view name, const auto& append) {
    entries.push_back({std::string(name), "", ""});
    append(&entries.back().bytes);
    return true;
  });
  for (auto _ : state) {
    state.PauseTiming();
    const auto fresh = cache::PartitionSet::Of(entries);
    state.ResumeTiming();
    benchmark::DoNotOptimize(Count(*filter, *fresh));
  }
}
BENCHMARK(BM_FirstFilter)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catalogd

BENCHMARK_MAIN();
