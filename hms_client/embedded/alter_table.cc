#include <algorithm>
#include <set>

#include "hms_client/embedded/column_type.h"
#include "hms_client/embedded/event_messages.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"
#include "hms_client/embedded/roles.h"
#include "hms_client/embedded/statistics.h"

namespace catalogd::hms::ops {

namespace {

tl::unexpected<Error> NotPossible(std::string text) {
  return MakeError(ErrorCode::kInvalidState, std::move(text));
}

// A bad object makes the alter impossible, where a create calls the object invalid.
Status AsNotPossible(const Status& status) {
  if (status || status.error().code != ErrorCode::kInvalidArgument) return status;
  return NotPossible(status.error().message);
}

bool Says(const Properties& environment, const char* key) {
  const auto found = environment.find(key);
  return found != environment.end() && NormalizeName(found->second) == "true";
}

std::optional<std::string> Find(const Properties& properties, const std::string& key) {
  const auto found = properties.find(key);
  if (found == properties.end()) return std::nullopt;
  return found->second;
}

// The compare-and-swap that table formats commit with.
Status CheckExpectedParameter(const api::Table& before, const api::Table& after,
                              const Properties& environment) {
  const std::optional<std::string> key = Find(environment, "expected_parameter_key");
  const std::optional<std::string> expected = Find(environment, "expected_parameter_value");
  if (!key || !expected) return Ok();
  if (!Find(after.parameters, *key)) {
    return MakeError(ErrorCode::kConflict, "New value for expected key " + *key + " is not set");
  }
  const std::optional<std::string> actual = Find(before.parameters, *key);
  if (actual == expected) return Ok();
  // The sentence is the metastore's own; clients look for its beginning.
  return MakeError(ErrorCode::kConflict,
                   "The table has been modified. The parameter value for key '" + *key + "' is '" +
                       actual.value_or("null") + "'. The expected was value was '" + *expected +
                       "'");
}

Status CheckColumnChanges(const api::Table& before, const api::Table& after,
                          const AlterTableOptions& options) {
  if (IsView(before) || IsView(after)) return Ok();
  if (!Says(options.environment, "allow_partition_key_change") &&
      KeyNames(before) != KeyNames(after)) {
    return NotPossible("partition keys can not be changed.");
  }
  if (!options.disallow_incompatible_columns) return Ok();
  std::string bad;
  const size_t common = std::min(before.sd.cols.size(), after.sd.cols.size());
  for (size_t i = 0; i < common; ++i) {
    if (ColumnTypeMayBecome(before.sd.cols[i].type, after.sd.cols[i].type)) continue;
    bad += (bad.empty() ? "" : ",") + after.sd.cols[i].name;
  }
  if (bad.empty()) return Ok();
  return NotPossible(
      "The following columns have types incompatible with the existing columns in their "
      "respective positions :\n" +
      bad);
}

Status RewritePartition(Writer& writer, const api::Table& after, StoredPartition* stored,
                        const std::function<void(api::Partition*)>& change) {
  stored->partition.__set_dbName(after.dbName);
  stored->partition.__set_tableName(after.tableName);
  change(&stored->partition);
  return writer.UpdatePartition(stored->id, stored->name, stored->partition);
}

Status RewritePartitions(Writer& writer, int64_t table_id, const api::Table& after,
                         const std::function<void(api::Partition*)>& change) {
  if (after.partitionKeys.empty()) return Ok();
  ASSIGN_OR_RETURN(std::vector<StoredPartition> partitions, writer.ListPartitions(table_id, -1));
  for (StoredPartition& stored : partitions) {
    RETURN_IF_ERROR(RewritePartition(writer, after, &stored, change));
  }
  return Ok();
}

// Materialized views name what they are made of. No event tells of it, as in the metastore: nobody
// can keep a view from the log alone.
Status RenameInViews(Writer& writer, const api::Table& before, const api::Table& after) {
  const auto old_names = NamesInViews(before);
  const auto new_names = NamesInViews(after);
  ASSIGN_OR_RETURN(std::vector<StoredTable> views, writer.ListMaterializedViews());
  for (StoredTable& view : views) {
    std::set<std::string>& used = view.table.creationMetadata->tablesUsed;
    bool renamed = false;
    for (size_t i = 0; i < old_names.size(); ++i) {
      if (used.erase(old_names[i]) == 0) continue;
      used.insert(new_names[i]);
      renamed = true;
    }
    if (renamed) RETURN_IF_ERROR(writer.UpdateTable(view.id, view.table));
  }
  return Ok();
}

// New name: the target is free, and a managed table in its default place moves along.
Status Rename(Writer& writer, const StoredTable& stored, api::Table* after) {
  const api::Table& before = stored.table;
  RETURN_IF_ERROR(AsNotPossible(CheckTableName(after->tableName)));
  ASSIGN_OR_RETURN(const std::optional<api::Database> old_db, writer.FindDatabase(before.dbName));
  ASSIGN_OR_RETURN(const std::optional<api::Database> new_db, writer.FindDatabase(after->dbName));
  if (!old_db || !new_db) {
    return NotPossible(
        "Unable to change partition or table. Check metastore logs for detailed stack."
        "database hive." +
        after->dbName);
  }
  ASSIGN_OR_RETURN(const std::optional<StoredTable> target,
                   writer.FindTable(after->dbName, after->tableName));
  if (target) {
    return NotPossible("new table " + after->dbName + "." + after->tableName + " already exists");
  }
  RETURN_IF_ERROR(RenameInViews(writer, before, *after));
  RETURN_IF_ERROR(RenameInPrivileges(writer, stored.id, after->dbName, after->tableName));
  // Write ids belong to names. Those of the new name were given when no table had it.
  RETURN_IF_ERROR(writer.Change("DELETE FROM write_ids WHERE db = ? AND table_name = ?",
                                {after->dbName, after->tableName}));
  RETURN_IF_ERROR(
      writer.Change("UPDATE write_ids SET db = ?, table_name = ? WHERE db = ? AND table_name = ?",
                    {after->dbName, after->tableName, before.dbName, before.tableName}));
  const std::string old_place = before.sd.location;
  const bool follows =
      IsManaged(before) &&
      old_place == Warehouse::TableLocation(old_db->locationUri, before.tableName) &&
      (after->sd.location.empty() || after->sd.location == old_place);
  if (follows) {
    const std::string place = Warehouse::TableLocation(new_db->locationUri, after->tableName);
    after->sd.__set_location(place);
    RETURN_IF_ERROR(writer.MoveDirectory(old_place, place));
  }
  return RewritePartitions(writer, stored.id, *after, [&](api::Partition* partition) {
    std::string& location = partition->sd.location;
    if (follows && location.starts_with(old_place + "/")) {
      location = after->sd.location + location.substr(old_place.size());
    }
  });
}

// What an alter cannot change, and what it leaves out.
void KeepFromBefore(const api::Table& before, api::Table* after) {
  after->__set_createTime(before.createTime);
  after->__set_id(before.id);
  if (!after->__isset.dbName) after->__set_dbName(before.dbName);
  if (!after->__isset.tableName) after->__set_tableName(before.tableName);
  if (!after->__isset.tableType || after->tableType.empty()) {
    after->__set_tableType(before.tableType);
  }
  if (!after->__isset.sd) after->__set_sd(before.sd);
  if (after->tableType == kVirtualView) return;
  const bool placed = after->sd.__isset.location && !after->sd.location.empty();
  after->sd.__set_location(placed ? Warehouse::Qualify(after->sd.location) : before.sd.location);
}

Status AlterTableIn(Writer& writer, const StoredTable& stored, api::Table after,
                    const AlterTableOptions& options) {
  const api::Table& before = stored.table;
  RETURN_IF_ERROR(CheckExpectedParameter(before, after, options.environment));
  KeepFromBefore(before, &after);
  CompleteTable(&after);
  SetDdlTime(writer.now(), &after);
  RETURN_IF_ERROR(AsNotPossible(CheckColumns(after)));
  RETURN_IF_ERROR(CheckStorage(after.sd));
  RETURN_IF_ERROR(CheckLengths(after));
  RETURN_IF_ERROR(CheckColumnChanges(before, after, options));
  if (after.dbName != before.dbName || after.tableName != before.tableName) {
    RETURN_IF_ERROR(Rename(writer, stored, &after));
  }
  if (Says(options.environment, "CASCADE")) {
    RETURN_IF_ERROR(RewritePartitions(writer, stored.id, after, [&](api::Partition* partition) {
      partition->sd.__set_cols(after.sd.cols);
    }));
  }
  RETURN_IF_ERROR(ForgetChangedColumnsIn(writer, stored.id, before, after));
  RETURN_IF_ERROR(writer.UpdateTable(stored.id, after));
  return writer.Log({event_type::kAlterTable, after.dbName, after.tableName,
                     AlterTableMessage(before, after, false, writer.now())});
}

}  // namespace

Status AlterTable(Store& store, const CalledName& name, api::Table next,
                  const AlterTableOptions& options) {
  return store.Write([&](Writer& writer) -> Status {
    Result<StoredTable> stored = Retold(RequireTable(writer, name), ErrorCode::kInvalidState,
                                        FullName(name) + " table not found");
    if (!stored) return AsError(stored.error());
    if (next.__isset.sd && next.sd.__isset.location && next.tableType != kVirtualView) {
      RETURN_IF_ERROR(Warehouse::CheckLocation(next.sd.location));
    }
    if (next.__isset.catName && NormalizeName(next.catName) != name.catalog()) {
      return NotPossible("Tables cannot be moved between catalogs, old catalog" + name.catalog() +
                         ", new catalog " + next.catName);
    }
    return AlterTableIn(writer, *stored, std::move(next), options);
  });
}

}  // namespace catalogd::hms::ops
