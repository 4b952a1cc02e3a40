#include <algorithm>
#include <set>

#include "hms_client/embedded/constraints.h"
#include "hms_client/embedded/event_messages.h"
#include "hms_client/embedded/name_pattern.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

namespace {

constexpr const char* kExactBasicStatistics = R"({"BASIC_STATS":"true"})";

Status CheckNewTable(const CalledName& name, const api::Table& table, const Strings& capabilities) {
  if (!table.__isset.dbName) {
    return MakeError(ErrorCode::kConflict, "Null database name is not allowed");
  }
  RETURN_IF_ERROR(CheckTableName(name.table()));
  if (!table.__isset.sd) {
    return MakeError(ErrorCode::kConflict,
                     "table " + FullName(name) + " has no storage descriptor (field sd)");
  }
  if (IsTransactional(table) && capabilities.empty()) {
    return MakeError(ErrorCode::kConflict,
                     "Processor has no capabilities, cannot create an ACID table.");
  }
  RETURN_IF_ERROR(CheckColumns(table));
  RETURN_IF_ERROR(CheckStorage(table.sd));
  if (table.sd.__isset.location && table.tableType != kVirtualView) {
    RETURN_IF_ERROR(Warehouse::CheckLocation(table.sd.location));
  }
  return CheckLengths(table);
}

void PlaceTable(const api::Database& database, api::Table* table) {
  if (!table->sd.location.empty()) {
    table->sd.__set_location(Warehouse::Qualify(table->sd.location));
  } else if (table->tableType == kVirtualView) {
    table->sd.__isset.location = false;
  } else {
    table->sd.__set_location(Warehouse::TableLocation(database.locationUri, table->tableName));
  }
}

// As the metastore marks what has no rows any more.
void ResetStatistics(Properties* parameters) {
  for (const char* key : {"numFiles", "totalSize", "numRows", "rawDataSize"}) {
    const auto found = parameters->find(key);
    if (found != parameters->end()) found->second = "0";
  }
  (*parameters)[kColumnStatsAccurate] = kExactBasicStatistics;
}

Status TruncateWhole(Writer& writer, const StoredTable& stored) {
  api::Table after = stored.table;
  ResetStatistics(&after.parameters);
  RETURN_IF_ERROR(writer.UpdateTable(stored.id, after));
  if (!after.sd.location.empty()) writer.EmptyDirectoryLater(after.sd.location);
  return writer.Log({event_type::kAlterTable, after.dbName, after.tableName,
                     AlterTableMessage(stored.table, after, true, writer.now())});
}

Status TruncatePartitions(Writer& writer, const StoredTable& stored, const Strings& names) {
  std::vector<StoredPartition> chosen;
  if (names.empty()) {
    ASSIGN_OR_RETURN(chosen, writer.ListPartitions(stored.id, -1));
  }
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::optional<StoredPartition> one, writer.FindPartition(stored.id, name));
    if (!one) return MakeError(ErrorCode::kConflict, "partition " + name + " not found");
    chosen.push_back(std::move(*one));
  }
  Partitions images;
  for (StoredPartition& one : chosen) {
    ResetStatistics(&one.partition.parameters);
    RETURN_IF_ERROR(writer.UpdatePartition(one.id, one.name, one.partition));
    if (!one.partition.sd.location.empty()) {
      writer.EmptyDirectoryLater(one.partition.sd.location);
    }
    images.push_back(std::move(one.partition));
  }
  if (images.empty()) return Ok();
  return writer.Log({event_type::kAlterPartitions, stored.table.dbName, stored.table.tableName,
                     AlterPartitionsMessage(stored.table, images, true, writer.now())});
}

}  // namespace

Status CreateTable(Store& store, api::Table table, const Strings& capabilities,
                   Constraints constraints) {
  const CalledName name =
      CalledName::Table(table.__isset.catName ? table.catName : std::string(kDefaultCatalog),
                        table.dbName, table.tableName);
  RETURN_IF_ERROR(CheckNewTable(name, table, capabilities));
  CompleteTable(&table);
  return store.Write([&](Writer& writer) -> Status {
    std::optional<api::Database> database;
    if (name.catalog() == kDefaultCatalog) {
      ASSIGN_OR_RETURN(database, writer.FindDatabase(name.db()));
    }
    if (!database) {
      return MakeError(ErrorCode::kInvalidArgument, "database " + FullName(name.DatabaseName()));
    }
    ASSIGN_OR_RETURN(const std::optional<StoredTable> existing,
                     writer.FindTable(name.db(), name.table()));
    if (existing) {
      return MakeError(ErrorCode::kAlreadyExists, "Table " + FullName(name) + " already exists");
    }
    PlaceTable(*database, &table);
    table.__set_createTime(writer.now());
    SetDdlTime(writer.now(), &table);
    if (table.sd.__isset.location) RETURN_IF_ERROR(writer.MakeDirectory(table.sd.location));
    RETURN_IF_ERROR(writer.InsertTable(&table));
    RETURN_IF_ERROR(writer.Log({event_type::kCreateTable, table.dbName, table.tableName,
                                CreateTableMessage(table, writer.now())}));
    return AddConstraintsOfNewTableIn(writer, table, std::move(constraints));
  });
}

Result<api::Table> GetTable(Store& store, const CalledName& name) {
  return store.Read([&](Rows& rows) -> Result<api::Table> {
    ASSIGN_OR_RETURN(StoredTable stored, RequireTable(rows, name));
    return std::move(stored.table);
  });
}

Result<std::vector<api::Table>> GetTables(Store& store, const CalledName& db,
                                          const Strings& names) {
  return store.Read([&](Rows& rows) -> Result<std::vector<api::Table>> {
    std::set<std::string> wanted;
    for (const std::string& name : names) wanted.insert(NormalizeName(name));
    std::vector<api::Table> found;
    for (const std::string& name : wanted) {
      if (db.catalog() != kDefaultCatalog) break;
      ASSIGN_OR_RETURN(std::optional<StoredTable> stored, rows.FindTable(db.db(), name));
      if (stored) found.push_back(std::move(stored->table));
    }
    if (found.empty()) {
      if (db.db().empty()) return MakeError(ErrorCode::kNotFound, "DB name is null or empty");
      auto database = RequireDatabase(rows, db);
      if (!database && database.error().code == ErrorCode::kNotFound) {
        return MakeError(ErrorCode::kNotFound, "Could not find database " + FullName(db));
      }
      if (!database) return AsError(std::move(database).error());
    }
    return found;
  });
}

Result<Strings> ListTables(Store& store, const CalledName& db,
                           const std::optional<std::string>& pattern, const std::string& type) {
  if (db.catalog() != kDefaultCatalog) return Strings();
  ASSIGN_OR_RETURN(const NamePattern wanted, NamePattern::Parse(pattern.value_or("*")));
  ASSIGN_OR_RETURN(const std::vector<TableEntry> entries,
                   store.Read([&](Rows& rows) { return rows.ListTables(db.db()); }));
  Strings names;
  for (const TableEntry& entry : entries) {
    if (!type.empty() && entry.type != type) continue;
    if (wanted.Matches(entry.name)) names.push_back(entry.name);
  }
  return names;
}

Result<std::vector<api::TableMeta>> ListTableMeta(Store& store, const std::string& db_pattern,
                                                  const std::string& table_pattern,
                                                  const Strings& types) {
  ASSIGN_OR_RETURN(const NamePattern wanted_dbs, NamePattern::Parse(db_pattern));
  ASSIGN_OR_RETURN(const NamePattern wanted, NamePattern::Parse(table_pattern));
  return store.Read([&](Rows& rows) -> Result<std::vector<api::TableMeta>> {
    std::vector<api::TableMeta> metas;
    ASSIGN_OR_RETURN(const Strings databases, rows.ListDatabases());
    for (const std::string& db : databases) {
      if (!wanted_dbs.Matches(db)) continue;
      ASSIGN_OR_RETURN(const std::vector<TableEntry> entries, rows.ListTables(db));
      for (const TableEntry& entry : entries) {
        const bool typed =
            types.empty() || std::find(types.begin(), types.end(), entry.type) != types.end();
        if (!typed || !wanted.Matches(entry.name)) continue;
        ASSIGN_OR_RETURN(const std::optional<StoredTable> stored,
                         rows.FindTable(db, entry.name, IfDamaged::kUseNames));
        if (!stored) continue;
        const api::Table& table = stored->table;
        api::TableMeta meta;
        meta.__set_dbName(db);
        meta.__set_tableName(entry.name);
        meta.__set_tableType(entry.type);
        const auto comment = table.parameters.find("comment");
        if (comment != table.parameters.end()) meta.__set_comments(comment->second);
        meta.__set_catName(std::string(kDefaultCatalog));
        if (table.__isset.owner) meta.__set_ownerName(table.owner);
        meta.__set_ownerType(table.ownerType);
        metas.push_back(std::move(meta));
      }
    }
    return metas;
  });
}

Status DropTable(Store& store, const CalledName& name, bool delete_data) {
  return store.Write([&](Writer& writer) -> Status {
    auto database = RequireDatabase(writer, name.DatabaseName(), IfDamaged::kUseNames);
    if (!database) return AsError(std::move(database).error());
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(writer, name, IfDamaged::kUseNames));
    return DropTableIn(writer, stored, delete_data);
  });
}

Status TruncateTable(Store& store, const CalledName& name, const Strings& partitions) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(writer, name));
    if (IsView(stored.table) || !OwnsFiles(stored.table)) {
      return MakeError(ErrorCode::kConflict, "Cannot truncate non-managed table " + FullName(name));
    }
    if (stored.table.partitionKeys.empty()) return TruncateWhole(writer, stored);
    return TruncatePartitions(writer, stored, partitions);
  });
}

}  // namespace catalogd::hms::ops
