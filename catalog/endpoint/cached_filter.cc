#include <algorithm>

#include "catalog/cache/partition_values.h"
#include "catalog/endpoint/cached_read.h"
#include "catalog/endpoint/cached_text.h"
#include "catalog/endpoint/client_filter.h"
#include "hms_client/filter/exact_filter.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/write.h"

// Partitions by a filter: block by block, on the distinct values of each key.
namespace catalogd::endpoint {
namespace {

using hms::ExactFilter;
using wire::TType;

// Steps of a filter times partitions that an I/O thread looks at for one call; beyond that the
// metastore may do the work.
constexpr size_t kMaxEffort = 8'000'000;

std::vector<hms::PartitionColumn> KeysOf(const cache::Snapshot& table) {
  std::vector<hms::PartitionColumn> keys;
  const auto list = wire::StructView(table.object).Find(ids::table::kPartitionKeys);
  if (!list || list->type != TType::kList) return keys;
  for (const std::string_view element : wire::ListView(list->value).Elements()) {
    const wire::StructView key(element);
    keys.push_back({std::string(key.String(ids::field_schema::kName).value_or("")),
                    std::string(key.String(ids::field_schema::kType).value_or(""))});
  }
  return keys;
}

std::optional<ExactFilter> ParseFor(const cache::Snapshot& table, const ReadRequest& request,
                                    hms::Generation generation) {
  const auto like = DialectOf(generation);
  if (!like) return std::nullopt;
  return ExactFilter::Parse(request.text, KeysOf(table), {*like, request.like});
}

// Which rows of the block pass; false when that is not certain.
bool Choose(const ExactFilter& filter, const cache::PartitionValues& values, size_t keys,
            std::vector<uint8_t>* chosen) {
  if (!values.from_names || values.columns.size() != keys) return false;
  std::vector<ExactFilter::Column> columns;
  columns.reserve(keys);
  for (const auto& column : values.columns) columns.push_back({&column.distinct, &column.codes});
  return filter.Run(columns, values.rows, chosen);
}

}  // namespace

void CachedRead::PartitionsByFilter(const ReadRequest& request, ReadAnswer* answer,
                                    std::string* reply) {
  const cache::SnapshotPtr table = PartitionedTable(request, answer);
  if (table == nullptr || table->partition_keys.empty()) return;
  const auto filter = ParseFor(*table, request, view_.Generation());
  // LIKE before Hive 4 is not made in SQL.
  if (!filter || MayLackMembers(*table, filter->has_like())) return;
  if (filter->steps() * table->partitions->size() > kMaxEffort) return;
  const bool count_only = row_.read.shape == ReadShape::kPartitionCount;
  std::string structs;
  size_t found = 0;
  bool certain = true;
  std::vector<uint8_t> chosen;
  table->partitions->ForEachBlock([&](const cache::PartitionSet::Block& block) {
    certain = Choose(*filter, block.values(), table->partition_keys.size(), &chosen);
    if (!certain) return false;
    const auto passing = static_cast<size_t>(std::count(chosen.begin(), chosen.end(), 1));
    const bool enough = request.max >= 0 && found >= static_cast<size_t>(request.max);
    if (passing == 0 || enough || count_only) {
      found += count_only ? passing : 0;
      return true;  // To the end: a value that leaves doubt makes all of it uncertain.
    }
    size_t row = 0;
    return block.ForEach([&](std::string_view, const cache::PartitionSet::Append& append) {
      if (chosen[row++] == 0) return true;
      if (request.max >= 0 && found >= static_cast<size_t>(request.max)) return true;
      append(&structs);
      ++found;
      return true;
    });
  });
  if (!certain) return;
  Begin(count_only ? TType::kI32 : TType::kList, reply);
  wire::Writer out(reply);
  if (count_only) {
    out.I32(static_cast<int32_t>(found));
  } else {
    out.ListBegin(TType::kStruct, found);
    reply->append(structs);
  }
  End(answer, reply);
}

}  // namespace catalogd::endpoint
