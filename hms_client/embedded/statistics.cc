#include "hms_client/embedded/statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "hms_client/embedded/object_codec.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/service_messages.h"

namespace catalogd::hms::ops {

namespace {

constexpr const char* kColumnStats = "COLUMN_STATS";

// The row that statistics hang on.
struct Owner {
  const char* table = "table_statistics";
  int64_t id = 0;
  std::string name;  // As errors call it.
};
Owner OwnerOf(const StoredTable& stored) {
  return {"table_statistics", stored.id,
          "table " + stored.table.dbName + "." + stored.table.tableName};
}
Owner OwnerOf(const StoredPartition& stored) {
  const thrift::hms::Partition& one = stored.partition;
  return {"partition_statistics", stored.id,
          "partition " + stored.name + " of table " + one.dbName + "." + one.tableName};
}

std::string Lower(const std::string& engine) { return engine.empty() ? "hive" : engine; }

struct StoredStats {
  int64_t analyzed = 0;
  api::ColumnStatisticsObj object;
};

// By name of the column.
Result<std::map<std::string, StoredStats>> ReadStats(Rows& rows, const Owner& owner,
                                                     const std::string& engine) {
  std::map<std::string, StoredStats> found;
  RETURN_IF_ERROR(QueryObjects<api::ColumnStatisticsObj>(
      rows.db(),
      std::string("SELECT object, column_name, analyzed FROM ") + owner.table +
          " WHERE owner = ? AND engine = ?",
      {owner.id, engine},
      [&](const SqlRow& row) {
        return "statistics of column " + std::string(row.Bytes(1)) + " of " + owner.name;
      },
      [&](const SqlRow& row, api::ColumnStatisticsObj one) {
        found[std::string(row.Bytes(1))] = {row.Int(2), std::move(one)};
      }));
  return found;
}

// The parameter that says which statistics are exact.
nlohmann::ordered_json ExactStats(const Properties& parameters) {
  const auto found = parameters.find(kColumnStatsAccurate);
  if (found == parameters.end()) return nlohmann::ordered_json::object();
  auto json = nlohmann::ordered_json::parse(found->second, nullptr, false);
  return json.is_object() ? json : nlohmann::ordered_json::object();
}

bool IsExact(const Properties& parameters, const std::string& column) {
  const nlohmann::ordered_json json = ExactStats(parameters);
  return json.contains(kColumnStats) && json[kColumnStats].is_object() &&
         json[kColumnStats].contains(column);
}

// Bytes that are not UTF-8 are replaced: the names of columns may be anything.
std::string Text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void MarkExact(const ColumnStats& columns, Properties* parameters) {
  nlohmann::ordered_json json = ExactStats(*parameters);
  std::set<std::string> names;
  if (json.contains(kColumnStats) && json[kColumnStats].is_object()) {
    for (const auto& item : json[kColumnStats].items()) names.insert(item.key());
  }
  for (const api::ColumnStatisticsObj& one : columns) names.insert(one.colName);
  json[kColumnStats] = nlohmann::ordered_json::object();
  for (const std::string& name : names) json[kColumnStats][name] = "true";
  (*parameters)[kColumnStatsAccurate] = Text(json);
}

Result<StoredTable> TableOfStatistics(Rows& rows, const CalledName& table) {
  return Retold(RequireTable(rows, table), ErrorCode::kNotFound,
                "Specified catalog.database.table does not exist : " + FullName(table));
}

Status CheckColumns(const api::Table& table, const ColumnStats& columns) {
  for (const api::ColumnStatisticsObj& one : columns) {
    const auto same = [&](const api::FieldSchema& column) { return column.name == one.colName; };
    if (std::any_of(table.sd.cols.begin(), table.sd.cols.end(), same)) continue;
    return MakeError(ErrorCode::kConflict, "Column " + one.colName + " doesn't exist in table " +
                                               table.tableName + " in database " + table.dbName);
  }
  return Ok();
}

Status WriteStats(Writer& writer, const Owner& owner, const std::string& engine,
                  const ColumnStats& columns) {
  for (const api::ColumnStatisticsObj& one : columns) {
    const std::string object = EncodeObject(one);
    RETURN_IF_ERROR(
        writer.Change(std::string("INSERT OR REPLACE INTO ") + owner.table +
                          " (owner, engine, column_name, analyzed, object) "
                          "VALUES (?, ?, ?, ?, ?)",
                      {owner.id, engine, one.colName, int64_t{writer.now()}, SqlBlob{object}}));
  }
  return Ok();
}

// Leaves out what cannot be merged.
Status MergeIn(Rows& rows, const Owner& owner, const std::string& engine,
               const Properties& parameters, ColumnStats* columns) {
  ASSIGN_OR_RETURN(const auto old, ReadStats(rows, owner, engine));
  ColumnStats merged;
  for (const api::ColumnStatisticsObj& one : *columns) {
    if (!IsExact(parameters, one.colName)) continue;
    const auto found = old.find(one.colName);
    merged.push_back(found == old.end() ? one : Merged(found->second.object, one));
  }
  *columns = std::move(merged);
  return Ok();
}

Status UpdateIn(Writer& writer, api::ColumnStatistics one, bool merge) {
  const api::ColumnStatisticsDesc& desc = one.statsDesc;
  const CalledName name =
      CalledName::Table(desc.catName.empty() ? std::string(kDefaultCatalog) : desc.catName,
                        desc.dbName, desc.tableName);
  ASSIGN_OR_RETURN(StoredTable stored, TableOfStatistics(writer, name));
  for (api::ColumnStatisticsObj& column : one.statsObj) {
    column.__set_colName(NormalizeName(column.colName));
  }
  RETURN_IF_ERROR(CheckColumns(stored.table, one.statsObj));
  std::optional<StoredPartition> partition;
  if (!desc.isTblLevel) {
    ASSIGN_OR_RETURN(partition, writer.FindPartition(stored.id, desc.partName));
    if (!partition) {
      return MakeError(ErrorCode::kNotFound,
                       "Partition for which stats is gathered doesn't exist.");
    }
  }
  one.__set_engine(Lower(one.engine));
  one.statsDesc.__set_dbName(stored.table.dbName);
  one.statsDesc.__set_tableName(stored.table.tableName);
  one.statsDesc.__set_lastAnalyzed(writer.now());
  one.statsDesc.__set_catName(std::string(kDefaultCatalog));
  const Owner owner = partition ? OwnerOf(*partition) : OwnerOf(stored);
  Properties& parameters = partition ? partition->partition.parameters : stored.table.parameters;
  if (merge) {
    RETURN_IF_ERROR(MergeIn(writer, owner, one.engine, parameters, &one.statsObj));
    if (one.statsObj.empty()) return Ok();
  }
  RETURN_IF_ERROR(WriteStats(writer, owner, one.engine, one.statsObj));
  MarkExact(one.statsObj, &parameters);
  if (partition) {
    RETURN_IF_ERROR(writer.UpdatePartition(partition->id, partition->name, partition->partition));
  } else {
    RETURN_IF_ERROR(writer.UpdateTable(stored.id, stored.table));
  }
  return writer.Log(
      {partition ? event_type::kUpdatePartitionStatistics : event_type::kUpdateTableStatistics,
       stored.table.dbName, stored.table.tableName,
       UpdateStatisticsMessage(one, stored.table, partition ? &partition->partition : nullptr,
                               writer.now())});
}

Result<ColumnStats> Chosen(Rows& rows, const Owner& owner, const std::string& engine,
                           const Strings& columns) {
  ASSIGN_OR_RETURN(auto stats, ReadStats(rows, owner, engine));
  std::set<std::string> wanted;
  for (const std::string& column : columns) wanted.insert(NormalizeName(column));
  ColumnStats chosen;
  for (auto& [name, one] : stats) {
    if (wanted.contains(name)) chosen.push_back(std::move(one.object));
  }
  return chosen;
}

Status DeleteRows(Writer& writer, const Owner& owner, const std::optional<std::string>& engine,
                  const std::string* column) {
  std::string sql = std::string("DELETE FROM ") + owner.table + " WHERE owner = ?";
  std::vector<SqlValue> values = {owner.id};
  if (engine) {
    sql += " AND engine = ?";
    values.emplace_back(std::string_view(*engine));
  }
  if (column != nullptr) {
    sql += " AND column_name = ?";
    values.emplace_back(std::string_view(*column));
  }
  return writer.Change(sql, values);
}

// `columns`: pointers to names; one null pointer for all.
Status DeleteOf(Writer& writer, const api::Table& table, const Owner& owner,
                const StoredPartition* partition, const StatisticsToDelete& what) {
  std::vector<const std::string*> columns;
  for (const std::string& column : what.columns) columns.push_back(&column);
  if (columns.empty()) columns.push_back(nullptr);
  for (const std::string* column : columns) {
    RETURN_IF_ERROR(DeleteRows(writer, owner, what.engine, column));
    DeletedStatistics deleted;
    deleted.db = table.dbName;
    if (column != nullptr) deleted.column = *column;
    if (partition != nullptr) {
      deleted.partition_name = &partition->name;
      deleted.partition_values = &partition->partition.values;
    }
    RETURN_IF_ERROR(writer.Log({partition != nullptr ? event_type::kDeletePartitionStatistics
                                                     : event_type::kDeleteTableStatistics,
                                table.dbName, table.tableName,
                                DeleteStatisticsMessage(deleted, writer.now())}));
  }
  return Ok();
}

}  // namespace

Status UpdateStatistics(Store& store, std::vector<api::ColumnStatistics> statistics, bool merge) {
  const bool of_table = !statistics.empty() && statistics.front().statsDesc.isTblLevel;
  if (of_table && statistics.size() != 1) {
    return MakeError(ErrorCode::kConflict,
                     "Expecting only 1 ColumnStatistics for table's column stats, but find " +
                         std::to_string(statistics.size()));
  }
  return store.Write([&](Writer& writer) -> Status {
    for (api::ColumnStatistics& one : statistics) {
      RETURN_IF_ERROR(UpdateIn(writer, std::move(one), merge));
    }
    return Ok();
  });
}

Result<ColumnStats> TableStatistics(Store& store, const StatisticsOf& of, const Strings& columns) {
  return store.Read([&](Rows& rows) -> Result<ColumnStats> {
    ASSIGN_OR_RETURN(const StoredTable stored, TableOfStatistics(rows, of.table));
    return Chosen(rows, OwnerOf(stored), Lower(of.engine), columns);
  });
}

Result<std::map<std::string, ColumnStats>> PartitionStatistics(Store& store, const StatisticsOf& of,
                                                               const Strings& partitions,
                                                               const Strings& columns) {
  using ByPartition = std::map<std::string, ColumnStats>;
  return store.Read([&](Rows& rows) -> Result<ByPartition> {
    ASSIGN_OR_RETURN(const StoredTable stored, TableOfStatistics(rows, of.table));
    ByPartition found;
    for (const std::string& name : partitions) {
      ASSIGN_OR_RETURN(const auto partition, rows.FindPartition(stored.id, name));
      if (!partition) continue;
      ASSIGN_OR_RETURN(ColumnStats stats,
                       Chosen(rows, OwnerOf(*partition), Lower(of.engine), columns));
      if (!stats.empty()) found[name] = std::move(stats);
    }
    return found;
  });
}

Result<api::AggrStats> AggregateStatistics(Store& store, const StatisticsOf& of,
                                           const Strings& partitions, const Strings& columns) {
  ASSIGN_OR_RETURN(const auto found, PartitionStatistics(store, of, partitions, columns));
  api::AggrStats answer;
  std::map<std::string, api::ColumnStatisticsObj> merged;
  const std::set<std::string> wanted(columns.begin(), columns.end());
  for (const auto& [name, stats] : found) {
    if (stats.size() == wanted.size()) ++answer.partsFound;
    for (const api::ColumnStatisticsObj& one : stats) {
      const auto [place, added] = merged.try_emplace(one.colName, one);
      if (!added) place->second = Merged(place->second, one);
    }
  }
  for (auto& [column, one] : merged) answer.colStats.push_back(std::move(one));
  return answer;
}

Result<api::ColumnStatistics> ColumnStatistics(Store& store, const StatisticsOf& of,
                                               const std::optional<std::string>& partition,
                                               const std::string& column) {
  const std::string lower = NormalizeName(column);
  return store.Read([&](Rows& rows) -> Result<api::ColumnStatistics> {
    ASSIGN_OR_RETURN(const StoredTable stored, TableOfStatistics(rows, of.table));
    Owner owner = OwnerOf(stored);
    std::string where = FullName(of.table);
    bool there = true;
    if (partition) {
      ASSIGN_OR_RETURN(const auto found, rows.FindPartition(stored.id, *partition));
      there = found.has_value();
      if (found) owner = OwnerOf(*found);
      where += " partition " + *partition;
    }
    std::map<std::string, StoredStats> stats;
    if (there) {
      ASSIGN_OR_RETURN(stats, ReadStats(rows, owner, Lower(of.engine)));
    }
    const auto one = stats.find(lower);
    if (one == stats.end()) {
      return MakeError(ErrorCode::kNotFound,
                       "Column stats doesn't exist for " + where + " col=" + column);
    }
    api::ColumnStatistics answer;
    answer.statsDesc.isTblLevel = !partition;
    answer.statsDesc.dbName = stored.table.dbName;
    answer.statsDesc.tableName = stored.table.tableName;
    if (partition) answer.statsDesc.__set_partName(*partition);
    answer.statsDesc.__set_lastAnalyzed(one->second.analyzed);
    answer.statsDesc.__set_catName(std::string(kDefaultCatalog));
    answer.statsObj.push_back(std::move(one->second.object));
    answer.__set_engine(Lower(of.engine));
    return answer;
  });
}

Status DeleteStatistics(Store& store, const CalledName& table, const StatisticsToDelete& what) {
  StatisticsToDelete lower = what;
  for (std::string& column : lower.columns) column = NormalizeName(column);
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored,
                     Retold(RequireTable(writer, table), ErrorCode::kUnsupported,
                            FullName(table) + " table not found"));
    if (IsTransactional(stored.table)) {
      return MakeError(ErrorCode::kConflict,
                       "Cannot delete stats via this API for a transactional table");
    }
    if (!lower.partitions) return DeleteOf(writer, stored.table, OwnerOf(stored), nullptr, lower);
    for (const std::string& name : *lower.partitions) {
      ASSIGN_OR_RETURN(const auto partition, writer.FindPartition(stored.id, name));
      if (!partition) continue;
      RETURN_IF_ERROR(DeleteOf(writer, stored.table, OwnerOf(*partition), &*partition, lower));
    }
    return Ok();
  });
}

Status ForgetChangedColumnsIn(Writer& writer, int64_t table_id, const api::Table& before,
                              const api::Table& after) {
  const Owner owner = {"table_statistics", table_id, ""};
  for (const api::FieldSchema& old : before.sd.cols) {
    const auto same = [&](const api::FieldSchema& column) {
      return column.name == old.name && column.type == old.type;
    };
    if (std::any_of(after.sd.cols.begin(), after.sd.cols.end(), same)) continue;
    RETURN_IF_ERROR(DeleteRows(writer, owner, std::nullopt, &old.name));
  }
  return Ok();
}

}  // namespace catalogd::hms::ops
