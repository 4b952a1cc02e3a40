#include <set>

#include "hms_client/embedded/event_messages.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

std::string FullName(const CalledName& name) {
  std::string text = name.catalog() + "." + name.written_db();
  if (name.written_table()) text += "." + *name.written_table();
  return text;
}

Result<api::Database> RequireDatabase(Rows& rows, const CalledName& name, IfDamaged if_damaged) {
  std::optional<api::Database> found;
  if (name.catalog() == kDefaultCatalog) {
    ASSIGN_OR_RETURN(found, rows.FindDatabase(name.db(), if_damaged));
  }
  if (found) return std::move(*found);
  return MakeError(ErrorCode::kNotFound, "database " + FullName(name.DatabaseName()));
}

Result<StoredTable> RequireTable(Rows& rows, const CalledName& name, IfDamaged if_damaged) {
  std::optional<StoredTable> found;
  if (name.catalog() == kDefaultCatalog) {
    ASSIGN_OR_RETURN(found, rows.FindTable(name.db(), name.table(), if_damaged));
  }
  if (found) return std::move(*found);
  return MakeError(ErrorCode::kNotFound, FullName(name) + " table not found");
}

Status CheckNamed(const CalledName& table) {
  if (table.db().empty()) return MakeError(ErrorCode::kNotFound, "dbName is not valid");
  if (table.table().empty()) return MakeError(ErrorCode::kNotFound, "tblName is not valid");
  return Ok();
}

Result<StoredTable> Retold(Result<StoredTable> stored, ErrorCode code, std::string text) {
  if (stored || stored.error().code != ErrorCode::kNotFound) return stored;
  return MakeError(code, std::move(text));
}

std::array<std::string, 2> NamesInViews(const api::Table& table) {
  const std::string name = table.dbName + "." + table.tableName;
  return {name, std::string(kDefaultCatalog) + "." + name};
}

namespace {

// Materialized views that are made of the table: "db.view".
Result<Strings> ViewsOver(Rows& rows, const api::Table& table) {
  const auto names = NamesInViews(table);
  Strings views;
  ASSIGN_OR_RETURN(const std::vector<StoredTable> all, rows.ListMaterializedViews());
  for (const StoredTable& view : all) {
    const std::set<std::string>& used = view.table.creationMetadata->tablesUsed;
    if (!used.contains(names[0]) && !used.contains(names[1])) continue;
    views.push_back(view.table.dbName + "." + view.table.tableName);
  }
  return views;
}

}  // namespace

Status DropTableIn(Writer& writer, const StoredTable& stored, bool delete_data) {
  const api::Table& table = stored.table;
  ASSIGN_OR_RETURN(const Strings views, ViewsOver(writer, table));
  if (!views.empty()) {
    return MakeError(ErrorCode::kConflict,
                     "Cannot drop table as it is used in the following materialized views " +
                         ValuesText(views) + "\n");
  }
  // Without its place, as of a damaged table, nothing is known of its files.
  if (delete_data && OwnsFiles(table) && !table.sd.location.empty()) {
    writer.RemoveDirectoryLater(table.sd.location);
    // Partitions may lie elsewhere.
    ASSIGN_OR_RETURN(const std::vector<StoredPartition> partitions,
                     writer.ListPartitions(stored.id, -1, IfDamaged::kUseNames));
    for (const StoredPartition& one : partitions) {
      const std::string& location = one.partition.sd.location;
      if (!location.empty() && !location.starts_with(table.sd.location + "/")) {
        writer.RemoveDirectoryLater(location);
      }
    }
  }
  RETURN_IF_ERROR(writer.DeleteTable(stored.id));
  RETURN_IF_ERROR(writer.Change("DELETE FROM write_ids WHERE db = ? AND table_name = ?",
                                {table.dbName, table.tableName}));
  return writer.Log({event_type::kDropTable, table.dbName, table.tableName,
                     DropTableMessage(table, writer.now())});
}

}  // namespace catalogd::hms::ops
