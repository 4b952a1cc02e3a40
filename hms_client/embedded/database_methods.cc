#include "hms_client/embedded/handler.h"

#include <pwd.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms {

namespace {

// The user this process runs as.
std::string ServerUser() {
  std::vector<char> text(4096);
  struct passwd entry = {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) != 0 || !found) return "";
  return found->pw_name;
}

api::Database WithOwner(api::Database database, const ConnectionState& connection) {
  if (database.__isset.ownerName) return database;
  const std::string owner = connection.user.value_or(ServerUser());
  if (!owner.empty()) database.__set_ownerName(owner);
  return database;
}

api::Database FromRequest(const api::CreateDatabaseRequest& request) {
  api::Database database;
  database.__set_name(request.databaseName);
  if (request.__isset.description) database.__set_description(request.description);
  if (request.__isset.locationUri) database.__set_locationUri(request.locationUri);
  if (request.__isset.parameters) database.__set_parameters(request.parameters);
  if (request.__isset.ownerName) database.__set_ownerName(request.ownerName);
  if (request.__isset.ownerType) database.__set_ownerType(request.ownerType);
  if (request.__isset.catalogName) database.__set_catalogName(request.catalogName);
  if (request.__isset.managedLocationUri) {
    database.__set_managedLocationUri(request.managedLocationUri);
  }
  return database;
}

// "@hive#" and "@hive#pattern" carry the catalog.
Result<Strings> ListMatching(Store& store, bool given, const std::string& argument) {
  const DatabaseArgument parsed = ParseDatabaseArgument(argument);
  return ops::ListDatabases(store, parsed.catalog, given ? parsed.db : std::nullopt);
}

Error NoName() { return {ErrorCode::kConflict, "Database name cannot be null."}; }

// "@cat#" is a catalog and no database; "" is a database that does not exist.
bool NamesDatabase(bool given, const std::string& argument) {
  return given && ParseDatabaseArgument(argument).db.has_value();
}

}  // namespace

void DatabaseMethods::alter_database(const std::string& dbname, const api::Database& db) {
  if (!Given(1)) Raise<api::MetaException>("alter_database", NoName());
  // The metastore trips over these.
  if (!Given(2) || (db.__isset.locationUri && !Warehouse::CheckLocation(db.locationUri))) {
    throw UndeclaredError("alter_database", "");
  }
  Unwrap<api::MetaException, api::NoSuchObjectException>(
      "alter_database", ops::AlterDatabase(store(), DatabaseName(dbname), db));
}

void DatabaseMethods::alter_database_req(const api::AlterDatabaseRequest& request) {
  // The request has no field for the catalog: it is in the name, "@hive#sales", or the default one.
  Unwrap<api::MetaException, api::NoSuchObjectException>(
      "alter_database_req",
      ops::AlterDatabase(store(), DatabaseName(request.oldDbName), request.newDb));
}

void DatabaseMethods::create_database(const api::Database& database) {
  if (!database.__isset.name) Raise<api::MetaException>("create_database", NoName());
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException>(
      "create_database", ops::CreateDatabase(store(), WithOwner(database, connection())));
}

void DatabaseMethods::create_database_req(const api::CreateDatabaseRequest& request) {
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException>(
      "create_database_req",
      ops::CreateDatabase(store(), WithOwner(FromRequest(request), connection())));
}

void DatabaseMethods::drop_database(const std::string& name, bool delete_data, bool cascade) {
  if (!NamesDatabase(Given(1), name)) Raise<api::MetaException>("drop_database", NoName());
  Unwrap<api::NoSuchObjectException, api::InvalidOperationException, api::MetaException>(
      "drop_database",
      ops::DropDatabase(store(), DatabaseName(name), {delete_data, cascade, false}));
}

void DatabaseMethods::drop_database_req(const api::DropDatabaseRequest& request) {
  Unwrap<api::NoSuchObjectException, api::InvalidOperationException, api::MetaException>(
      "drop_database_req",
      ops::DropDatabase(store(), DatabaseName(request.catalogName, request.name),
                        {request.deleteData, request.cascade, request.ignoreUnknownDb}));
}

void DatabaseMethods::get_all_databases(Strings& answer) {
  answer = Unwrap<api::MetaException>(
      "get_all_databases", ops::ListDatabases(store(), std::string(kDefaultCatalog), std::nullopt));
}

void DatabaseMethods::get_catalog(api::GetCatalogResponse& answer,
                                  const api::GetCatalogRequest& cat_name) {
  if (NormalizeName(cat_name.name) != kDefaultCatalog) {
    Raise<api::NoSuchObjectException, api::MetaException>(
        "get_catalog", {ErrorCode::kNotFound, "No catalog " + cat_name.name});
  }
  api::Catalog catalog;
  catalog.__set_name(std::string(kDefaultCatalog));
  catalog.__set_description("Default catalog for Hive");
  catalog.__set_locationUri(store().warehouse().root());
  answer.catalog = std::move(catalog);
  answer.__isset.catalog = true;
}

void DatabaseMethods::get_catalogs(api::GetCatalogsResponse& answer) {
  answer.names = {std::string(kDefaultCatalog)};
  answer.__isset.names = true;
}

void DatabaseMethods::get_database(api::Database& answer, const std::string& name) {
  if (!NamesDatabase(Given(1), name)) Raise<api::MetaException>("get_database", NoName());
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_database", ops::GetDatabase(store(), DatabaseName(name)));
}

void DatabaseMethods::get_database_req(api::Database& answer,
                                       const api::GetDatabaseRequest& request) {
  if (!request.__isset.name) Raise<api::MetaException>("get_database_req", NoName());
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_database_req",
      ops::GetDatabase(store(), DatabaseName(request.catalogName, request.name)));
}

void DatabaseMethods::get_databases(Strings& answer, const std::string& pattern) {
  answer = Unwrap<api::MetaException>("get_databases", ListMatching(store(), Given(1), pattern));
}

void DatabaseMethods::get_databases_req(api::GetDatabaseObjectsResponse& answer,
                                        const api::GetDatabaseObjectsRequest& request) {
  const std::optional<std::string> pattern = PatternIf(request.__isset.pattern, request.pattern);
  const std::string catalog = CatalogOr(request.catalogName);
  for (const std::string& name : Unwrap<api::MetaException>(
           "get_databases_req", ops::ListDatabases(store(), catalog, pattern))) {
    answer.databases.push_back(Unwrap<api::MetaException>(
        "get_databases_req", ops::GetDatabase(store(), CalledName::Database(catalog, name))));
  }
}

}  // namespace catalogd::hms
