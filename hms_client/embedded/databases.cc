#include <algorithm>

#include "hms_client/embedded/event_messages.h"
#include "hms_client/embedded/functions.h"
#include "hms_client/embedded/name_pattern.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

namespace {

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

Status DropTables(Writer& writer, const std::string& db, bool delete_data) {
  ASSIGN_OR_RETURN(std::vector<TableEntry> entries, writer.ListTables(db));
  // Materialized views go first: they use the tables.
  std::stable_partition(entries.begin(), entries.end(),
                        [](const TableEntry& entry) { return entry.type == kMaterializedView; });
  for (const TableEntry& entry : entries) {
    ASSIGN_OR_RETURN(const std::optional<StoredTable> stored,
                     writer.FindTable(db, entry.name, IfDamaged::kUseNames));
    if (stored) RETURN_IF_ERROR(DropTableIn(writer, *stored, delete_data));
  }
  return Ok();
}

}  // namespace

Status CreateDatabase(Store& store, api::Database database) {
  const CalledName name = CalledName::Database(
      database.__isset.catalogName ? database.catalogName : kDefaultCatalog, database.name);
  if (name.catalog() != kDefaultCatalog) {
    return MakeError(ErrorCode::kInvalidArgument, "No such catalog " + name.catalog());
  }
  RETURN_IF_ERROR(CheckDatabaseName(database.name));
  if (database.__isset.locationUri) {
    RETURN_IF_ERROR(Warehouse::CheckLocation(database.locationUri));
  }
  RETURN_IF_ERROR(CheckLengths(database));
  CompleteDatabase(&database);
  const std::string location = database.locationUri.empty()
                                   ? store.warehouse().DatabaseLocation(name.db())
                                   : Warehouse::Qualify(database.locationUri);
  database.__set_locationUri(location);
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const std::optional<api::Database> existing, writer.FindDatabase(name.db()));
    if (existing) {
      return MakeError(ErrorCode::kAlreadyExists, "Database " + name.db() + " already exists");
    }
    database.__set_createTime(writer.now());
    RETURN_IF_ERROR(writer.MakeDirectory(database.locationUri));
    RETURN_IF_ERROR(writer.InsertDatabase(database));
    return writer.Log({event_type::kCreateDatabase,
                       database.name,
                       {},
                       CreateDatabaseMessage(database, writer.now())});
  });
}

Result<api::Database> GetDatabase(Store& store, const CalledName& name) {
  return store.Read([&](Rows& rows) { return RequireDatabase(rows, name); });
}

Status AlterDatabase(Store& store, const CalledName& name, const api::Database& next) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const api::Database before, RequireDatabase(writer, name));
    api::Database after = before;
    after.parameters = next.parameters;
    after.ownerName = next.ownerName;
    after.__isset.ownerName = next.__isset.ownerName;
    if (next.__isset.ownerType) after.__set_ownerType(next.ownerType);
    if (!IsBlank(next.description)) after.__set_description(next.description);
    if (!IsBlank(next.locationUri)) {
      after.__set_locationUri(Warehouse::Qualify(next.locationUri));
    }
    if (!IsBlank(next.managedLocationUri)) {
      after.__set_managedLocationUri(Warehouse::Qualify(next.managedLocationUri));
    }
    RETURN_IF_ERROR(CheckLengths(after));
    RETURN_IF_ERROR(writer.UpdateDatabase(name.db(), after));
    return writer.Log({event_type::kAlterDatabase,
                       name.db(),
                       {},
                       AlterDatabaseMessage(before, after, writer.now())});
  });
}

Status DropDatabase(Store& store, const CalledName& name, const DropDatabaseOptions& options) {
  if (name.db() == "default" && name.catalog() == kDefaultCatalog) {
    return MakeError(ErrorCode::kConflict, "Can not drop default database in catalog hive");
  }
  return store.Write([&](Writer& writer) -> Status {
    Result<api::Database> found = RequireDatabase(writer, name, IfDamaged::kUseNames);
    if (!found) {
      const bool missing = found.error().code == ErrorCode::kNotFound;
      if (missing && options.ignore_unknown) return Ok();
      return AsError(found.error());
    }
    if (!options.cascade) {
      ASSIGN_OR_RETURN(const std::vector<TableEntry> tables, writer.ListTables(name.db()));
      if (!tables.empty()) {
        return MakeError(ErrorCode::kNotEmpty,
                         "Database " + name.db() + " is not empty. One or more tables exist.");
      }
      ASSIGN_OR_RETURN(const auto functions, FunctionsOf(writer, name.db()));
      if (!functions.empty()) {
        return MakeError(ErrorCode::kNotEmpty,
                         "Database " + name.db() + " is not empty. One or more functions exist.");
      }
    }
    RETURN_IF_ERROR(DropFunctionsIn(writer, name.db()));
    RETURN_IF_ERROR(DropTables(writer, name.db(), options.delete_data));
    RETURN_IF_ERROR(writer.DeleteDatabase(name.db()));
    if (options.delete_data && !found->locationUri.empty()) {
      writer.RemoveDirectoryLater(found->locationUri);
    }
    return writer.Log(
        {event_type::kDropDatabase, name.db(), {}, DropDatabaseMessage(*found, writer.now())});
  });
}

Result<Strings> ListDatabases(Store& store, const std::string& catalog,
                              const std::optional<std::string>& pattern) {
  if (catalog != kDefaultCatalog) return Strings();
  ASSIGN_OR_RETURN(Strings names, store.Read([](Rows& rows) { return rows.ListDatabases(); }));
  if (!pattern) return names;
  ASSIGN_OR_RETURN(const NamePattern wanted, NamePattern::Parse(*pattern));
  std::erase_if(names, [&](const std::string& name) { return !wanted.Matches(name); });
  return names;
}

}  // namespace catalogd::hms::ops
