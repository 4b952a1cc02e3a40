#include "hms_client/embedded/partition_search.h"

#include <algorithm>
#include <set>

#include "hms_client/embedded/object_rules.h"

namespace catalogd::hms::ops {

namespace {

std::vector<PartitionColumn> KeysOf(const api::Table& table) {
  std::vector<PartitionColumn> keys;
  for (const api::FieldSchema& key : table.partitionKeys) keys.push_back({key.name, key.type});
  return keys;
}

bool Passes(const Filter& filter, const Strings& values) {
  return filter.Matches([&](size_t column) -> std::optional<std::string_view> {
    if (column >= values.size()) return std::nullopt;
    return values[column];
  });
}

// The table of a filter; its absence is told in the words of the search.
Result<StoredTable> SearchedTable(Rows& rows, const CalledName& table) {
  return Retold(RequireTable(rows, table), ErrorCode::kNotFound,
                "Specified catalog.database.table does not exist : " + table.catalog() + "." +
                    table.db() + "." + table.table());
}

// The stored partitions that pass, in order of their names.
Result<std::vector<StoredPartition>> Found(Rows& rows, const StoredTable& stored,
                                           const std::string& text, LikeDialect like, int64_t max) {
  ASSIGN_OR_RETURN(const Filter filter, ParsePartitionFilter(text, KeysOf(stored.table), like));
  ASSIGN_OR_RETURN(std::vector<StoredPartition> all, rows.ListPartitions(stored.id, -1));
  std::vector<StoredPartition> found;
  for (StoredPartition& one : all) {
    if (max >= 0 && std::ssize(found) >= max) break;
    if (Passes(filter, one.partition.values)) found.push_back(std::move(one));
  }
  return found;
}

constexpr std::string_view kParameterKey = "hive_filter_field_params__";

// What a key of a filter over tables stands for; parameters come after the fixed ones.
enum TableKey : size_t { kOwner, kLastAccess, kName, kType, kFirstParameter };

struct TableKeys {
  Strings parameters;

  Result<FilterKey> Resolve(const std::string& name) {
    if (name == "hive_filter_field_owner__") return FilterKey{kOwner, KeyKind::kText};
    if (name == "hive_filter_field_last_access__") return FilterKey{kLastAccess, KeyKind::kInteger};
    if (name == "hive_filter_field_tableName__") return FilterKey{kName, KeyKind::kText};
    if (name == "hive_filter_field_tableType__") return FilterKey{kType, KeyKind::kText};
    if (name.starts_with(kParameterKey)) {
      parameters.push_back(name.substr(kParameterKey.size()));
      return FilterKey{kFirstParameter + parameters.size() - 1, KeyKind::kText};
    }
    return MakeError(ErrorCode::kConflict,
                     "Invalid key name in filter.  Use constants from "
                     "org.apache.hadoop.hive.metastore.api");
  }

  [[nodiscard]] std::optional<std::string> ValueOf(const api::Table& table, size_t column) const {
    switch (column) {
      case kOwner:
        return table.owner;
      case kLastAccess:
        return std::to_string(table.lastAccessTime);
      case kName:
        return table.tableName;
      case kType:
        return table.tableType;
      default:
        break;
    }
    const auto found = table.parameters.find(parameters[column - kFirstParameter]);
    if (found == table.parameters.end()) return std::nullopt;
    return found->second;
  }
};

bool Passes(const Filter& filter, const TableKeys& keys, const api::Table& table) {
  std::vector<Truth> truths;
  for (const FilterLeaf& leaf : filter.leaves()) {
    const std::optional<std::string> value = keys.ValueOf(table, leaf.column());
    truths.push_back(leaf.Evaluate(value ? std::optional<std::string_view>(*value) : std::nullopt));
  }
  return filter.Combine(truths);
}

}  // namespace

Result<Partitions> PartitionsByFilter(Store& store, const CalledName& table,
                                      const std::string& filter, LikeDialect like, int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const StoredTable stored, SearchedTable(rows, table));
    ASSIGN_OR_RETURN(std::vector<StoredPartition> found, Found(rows, stored, filter, like, max));
    Partitions partitions;
    for (StoredPartition& one : found) partitions.push_back(std::move(one.partition));
    return partitions;
  });
}

Result<int64_t> CountPartitionsByFilter(Store& store, const CalledName& table,
                                        const std::string& filter) {
  ASSIGN_OR_RETURN(const Partitions found,
                   PartitionsByFilter(store, table, filter, LikeDialect::kByPattern, -1));
  return std::ssize(found);
}

bool IsFilterText(const std::string& expression) {
  return !expression.empty() && std::all_of(expression.begin(), expression.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20U || c == '\t' || c == '\n' || c == '\r';
  });
}

Result<Strings> PartitionNamesByExpression(Store& store, const CalledName& table,
                                           const std::string& expression) {
  if (!IsFilterText(expression)) {
    return MakeError(ErrorCode::kConflict,
                     "partitions can be dropped by name or by a filter, not by an expression of "
                     "Hive's compiler");
  }
  return store.Read([&](Rows& rows) -> Result<Strings> {
    ASSIGN_OR_RETURN(const StoredTable stored, SearchedTable(rows, table));
    ASSIGN_OR_RETURN(const Filter filter, ParsePartitionFilter(expression, KeysOf(stored.table),
                                                               LikeDialect::kByPattern));
    if (!filter.is_whole()) {
      return MakeError(ErrorCode::kConflict,
                       "only the beginning of '" + expression + "' is a filter");
    }
    ASSIGN_OR_RETURN(const std::vector<StoredPartition> all, rows.ListPartitions(stored.id, -1));
    Strings names;
    for (const StoredPartition& one : all) {
      if (Passes(filter, one.partition.values)) names.push_back(one.name);
    }
    return names;
  });
}

Result<std::vector<Strings>> PartitionValues(Store& store, const CalledName& table,
                                             const ValuesQuery& query) {
  return store.Read([&](Rows& rows) -> Result<std::vector<Strings>> {
    ASSIGN_OR_RETURN(const StoredTable stored, SearchedTable(rows, table));
    const Strings keys = KeyNames(stored.table);
    std::vector<size_t> columns;
    for (const std::string& key : query.keys) {
      const auto found = std::find(keys.begin(), keys.end(), NormalizeName(key));
      if (found == keys.end()) {
        return MakeError(ErrorCode::kConflict,
                         "Key " + key + " is not a partition key of table " + FullName(table));
      }
      columns.push_back(static_cast<size_t>(found - keys.begin()));
    }
    ASSIGN_OR_RETURN(std::vector<StoredPartition> found,
                     Found(rows, stored, query.filter, LikeDialect::kByPattern, -1));
    if (!query.ascending) std::reverse(found.begin(), found.end());
    std::vector<Strings> values;
    std::set<Strings> seen;
    for (const StoredPartition& one : found) {
      if (query.max >= 0 && std::ssize(values) >= query.max) break;
      Strings row;
      for (const size_t column : columns) row.push_back(one.partition.values[column]);
      if (!query.distinct || seen.insert(row).second) values.push_back(std::move(row));
    }
    return values;
  });
}

Result<Strings> TableNamesByFilter(Store& store, const CalledName& db, const std::string& filter,
                                   int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Strings> {
    auto database = RequireDatabase(rows, db);
    if (!database) return AsError(std::move(database).error());
    TableKeys keys;
    const auto resolve = [&](const std::string& name) { return keys.Resolve(name); };
    ASSIGN_OR_RETURN(const Filter parsed, Filter::Parse(filter, resolve, LikeDialect::kByPattern));
    ASSIGN_OR_RETURN(const std::vector<TableEntry> entries, rows.ListTables(db.db()));
    Strings names;
    for (const TableEntry& entry : entries) {
      if (max >= 0 && std::ssize(names) >= max) break;
      ASSIGN_OR_RETURN(const std::optional<StoredTable> stored,
                       rows.FindTable(db.db(), entry.name));
      if (stored && Passes(parsed, keys, stored->table)) names.push_back(entry.name);
    }
    return names;
  });
}

}  // namespace catalogd::hms::ops
