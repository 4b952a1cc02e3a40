#include "hms_client/embedded/rows.h"

#include <utility>

#include "hms_client/embedded/object_rules.h"

namespace catalogd::hms {

namespace api = thrift::hms;

namespace {

template <class Object>
using MadeOfNames = Object (*)(const SqlRow& row);

template <class Object>
MadeOfNames<Object> StandIn(IfDamaged if_damaged, MadeOfNames<Object> made) {
  return if_damaged == IfDamaged::kUseNames ? made : nullptr;
}

api::Database DatabaseOfNames(const SqlRow& row) {
  api::Database database;
  database.__set_name(std::string(row.Bytes(1)));
  database.__set_catalogName(std::string(kDefaultCatalog));
  return database;
}

api::Table TableOfNames(const SqlRow& row) {
  api::Table table;
  table.__set_catName(std::string(kDefaultCatalog));
  table.__set_dbName(std::string(row.Bytes(2)));
  table.__set_tableName(std::string(row.Bytes(3)));
  table.__set_tableType(std::string(row.Bytes(4)));
  return table;
}

api::Partition PartitionOfNames(const SqlRow& row) {
  api::Partition partition;
  partition.__set_catName(std::string(kDefaultCatalog));
  std::vector<std::string> values;
  for (auto& [key, value] : PartitionNameParts(row.Bytes(1))) values.push_back(std::move(value));
  partition.__set_values(values);
  return partition;
}

}  // namespace

Error DamagedObject(const SqliteDb& db, const std::string& what, const Error& reason) {
  return {ErrorCode::kCorrupt, what + " is damaged in metastore file " + db.path() + " (" +
                                   reason.message +
                                   "); restore the file from a copy, or drop it and make it again"};
}

std::string Rows::NameOfTable(int64_t id) {
  std::string name = "with id " + std::to_string(id);
  const Status found =
      db_.Query("SELECT db, name FROM tables WHERE id = ?", {id}, [&](const SqlRow& row) {
        name = std::string(row.Bytes(0)) + "." + std::string(row.Bytes(1));
      });
  // Only for the text of an error, which counts more than why the name is not known.
  static_cast<void>(found.has_value());
  return name;
}

std::string Rows::NameOfPartition(int64_t table_id, const SqlRow& row) {
  return "partition " + std::string(row.Bytes(1)) + " of table " + NameOfTable(table_id);
}

Result<std::optional<api::Database>> Rows::FindDatabase(const std::string& name,
                                                        IfDamaged if_damaged) {
  std::optional<api::Database> found;
  RETURN_IF_ERROR(QueryObjects<api::Database>(
      db_, "SELECT object, name FROM databases WHERE name = ?", {name},
      [&](const SqlRow&) { return "database " + name; },
      [&](const SqlRow&, api::Database database) { found = std::move(database); },
      StandIn(if_damaged, DatabaseOfNames)));
  return found;
}

Result<std::vector<std::string>> Rows::ListDatabases() {
  std::vector<std::string> names;
  RETURN_IF_ERROR(db_.Query("SELECT name FROM databases ORDER BY name", {},
                            [&](const SqlRow& row) { names.emplace_back(row.Bytes(0)); }));
  return names;
}

Result<std::optional<StoredTable>> Rows::FindTable(const std::string& db, const std::string& name,
                                                   IfDamaged if_damaged) {
  std::optional<StoredTable> found;
  RETURN_IF_ERROR(QueryObjects<api::Table>(
      db_, "SELECT object, id, db, name, type FROM tables WHERE db = ? AND name = ?", {db, name},
      [&](const SqlRow&) { return "table " + db + "." + name; },
      [&](const SqlRow& row, api::Table table) {
        found = {row.Int(1), std::move(table)};
      },
      StandIn(if_damaged, TableOfNames)));
  return found;
}

Result<std::vector<TableEntry>> Rows::ListTables(const std::string& db) {
  std::vector<TableEntry> entries;
  RETURN_IF_ERROR(db_.Query(
      "SELECT name, type FROM tables WHERE db = ? ORDER BY name", {db}, [&](const SqlRow& row) {
        entries.push_back({std::string(row.Bytes(0)), std::string(row.Bytes(1))});
      }));
  return entries;
}

Result<std::vector<StoredTable>> Rows::ListMaterializedViews() {
  std::vector<StoredTable> views;
  RETURN_IF_ERROR(QueryObjects<api::Table>(
      db_,
      "SELECT object, id, db, name, type FROM tables WHERE type = 'MATERIALIZED_VIEW' "
      "ORDER BY db, name",
      {}, [](const SqlRow&) { return std::string(); },
      [&](const SqlRow& row, api::Table view) {
        if (view.creationMetadata) views.push_back({row.Int(1), std::move(view)});
      },
      TableOfNames));
  return views;
}

Result<std::optional<StoredPartition>> Rows::FindPartition(int64_t table_id,
                                                           const std::string& name,
                                                           IfDamaged if_damaged) {
  std::optional<StoredPartition> found;
  RETURN_IF_ERROR(QueryObjects<api::Partition>(
      db_, "SELECT object, name, id FROM partitions WHERE table_id = ? AND name = ?",
      {table_id, name}, [&](const SqlRow& row) { return NameOfPartition(table_id, row); },
      [&](const SqlRow& row, api::Partition partition) {
        found = {row.Int(2), std::string(row.Bytes(1)), std::move(partition)};
      },
      StandIn(if_damaged, PartitionOfNames)));
  return found;
}

Result<std::vector<std::string>> Rows::ListPartitionNames(int64_t table_id, int64_t limit) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(db_.Query("SELECT name FROM partitions WHERE table_id = ? ORDER BY name LIMIT ?",
                            {table_id, limit},
                            [&](const SqlRow& row) { names.emplace_back(row.Bytes(0)); }));
  return names;
}

Result<std::vector<StoredPartition>> Rows::ListPartitions(int64_t table_id, int64_t limit,
                                                          IfDamaged if_damaged) {
  std::vector<StoredPartition> found;
  RETURN_IF_ERROR(QueryObjects<api::Partition>(
      db_, "SELECT object, name, id FROM partitions WHERE table_id = ? ORDER BY name LIMIT ?",
      {table_id, limit}, [&](const SqlRow& row) { return NameOfPartition(table_id, row); },
      [&](const SqlRow& row, api::Partition partition) {
        found.push_back({row.Int(2), std::string(row.Bytes(1)), std::move(partition)});
      },
      StandIn(if_damaged, PartitionOfNames)));
  return found;
}

Result<std::string> Rows::Fact(const std::string& name) {
  std::string value;
  RETURN_IF_ERROR(db_.Query("SELECT value FROM facts WHERE name = ?", {name},
                            [&](const SqlRow& row) { value = row.Bytes(0); }));
  return value;
}

Status Writer::Change(const std::string& sql, const std::vector<SqlValue>& values) {
  auto changed = db().Run(sql, values);
  if (!changed) return AsError(std::move(changed).error());
  return Ok();
}

Status Writer::InsertDatabase(const api::Database& database) {
  const std::string object = EncodeObject(database);
  return Change("INSERT INTO databases (name, object) VALUES (?, ?)",
                {database.name, SqlBlob{object}});
}

Status Writer::UpdateDatabase(const std::string& name, const api::Database& database) {
  const std::string object = EncodeObject(database);
  return Change("UPDATE databases SET object = ? WHERE name = ?", {SqlBlob{object}, name});
}

Status Writer::DeleteDatabase(const std::string& name) {
  return Change("DELETE FROM databases WHERE name = ?", {name});
}

Status Writer::InsertTable(api::Table* table) {
  ASSIGN_OR_RETURN(
      const int64_t id,
      db().QueryInt("SELECT seq + 1 FROM sqlite_sequence WHERE name = 'tables'", {}, 1));
  table->__set_id(id);
  const std::string object = EncodeObject(*table);
  return Change("INSERT INTO tables (id, db, name, type, object) VALUES (?, ?, ?, ?, ?)",
                {id, table->dbName, table->tableName, table->tableType, SqlBlob{object}});
}

Status Writer::UpdateTable(int64_t id, const api::Table& table) {
  const std::string object = EncodeObject(table);
  return Change("UPDATE tables SET db = ?, name = ?, type = ?, object = ? WHERE id = ?",
                {table.dbName, table.tableName, table.tableType, SqlBlob{object}, id});
}

Status Writer::DeleteTable(int64_t id) { return Change("DELETE FROM tables WHERE id = ?", {id}); }

Status Writer::InsertPartition(int64_t table_id, const std::string& name,
                               const api::Partition& partition) {
  const std::string object = EncodeObject(partition);
  return Change("INSERT INTO partitions (table_id, name, object) VALUES (?, ?, ?)",
                {table_id, name, SqlBlob{object}});
}

Status Writer::UpdatePartition(int64_t id, const std::string& name,
                               const api::Partition& partition) {
  const std::string object = EncodeObject(partition);
  return Change("UPDATE partitions SET name = ?, object = ? WHERE id = ?",
                {name, SqlBlob{object}, id});
}

Status Writer::DeletePartition(int64_t id) {
  return Change("DELETE FROM partitions WHERE id = ?", {id});
}

Status Writer::SetFact(const std::string& name, const std::string& value) {
  return Change("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", {name, value});
}

Status Writer::Log(const NewEvent& event) {
  auto id = AppendEvent(db(), now(), event);
  if (!id) return AsError(std::move(id).error());
  return Ok();
}

Status Writer::MakeDirectory(const std::string& location) {
  ASSIGN_OR_RETURN(const bool made, warehouse_.MakeDirectory(location));
  if (made)
    undo_.emplace_back([this, location] { Warehouse::Erase(warehouse_.SetAside(location)); });
  return Ok();
}

Status Writer::MoveDirectory(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(warehouse_.MoveDirectory(from, to));
  undo_.emplace_back([this, from, to] {
    // Nothing better can be done when moving back fails: the rows still name the old place.
    static_cast<void>(warehouse_.MoveDirectory(to, from).has_value());
  });
  return Ok();
}

void Writer::RemoveDirectoryLater(const std::string& location) { to_remove_.push_back(location); }

void Writer::EmptyDirectoryLater(const std::string& location) { to_empty_.push_back(location); }

std::vector<std::string> Writer::Finish(bool committed) {
  std::vector<std::string> aside;
  if (committed) {
    for (const std::string& location : to_remove_) aside.push_back(warehouse_.SetAside(location));
    for (const std::string& location : to_empty_) {
      aside.push_back(warehouse_.SetAside(location));
      static_cast<void>(warehouse_.MakeDirectory(location).has_value());
    }
  } else {
    for (auto action = undo_.rbegin(); action != undo_.rend(); ++action) (*action)();
  }
  undo_.clear();
  to_remove_.clear();
  to_empty_.clear();
  return aside;
}

}  // namespace catalogd::hms
