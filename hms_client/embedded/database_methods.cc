#include "hms_client/embedded/handler.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms {

namespace {

api::Database WithOwner(api::Database database, const ConnectionState& connection) {
  if (!database.__isset.ownerName && connection.user) {
    database.__set_ownerName(*connection.user);
  }
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
Result<Strings> ListMatching(Store& store, const std::string& argument) {
  const DatabaseArgument parsed = ParseDatabaseArgument(argument);
  return ops::ListDatabases(store, parsed.catalog, NonEmpty(parsed.db.value_or("")));
}

}  // namespace

void DatabaseMethods::alter_database(const std::string& dbname, const api::Database& db) {
  Unwrap<api::MetaException, api::NoSuchObjectException>(
      "alter_database", ops::AlterDatabase(store(), DatabaseName(dbname), db));
}

void DatabaseMethods::alter_database_req(const api::AlterDatabaseRequest& request) {
  Unwrap<api::MetaException, api::NoSuchObjectException>(
      "alter_database_req",
      ops::AlterDatabase(store(), DatabaseName(request.newDb.catalogName, request.oldDbName),
                         request.newDb));
}

void DatabaseMethods::create_database(const api::Database& database) {
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException>(
      "create_database", ops::CreateDatabase(store(), WithOwner(database, connection())));
}

void DatabaseMethods::create_database_req(const api::CreateDatabaseRequest& request) {
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException>(
      "create_database_req",
      ops::CreateDatabase(store(), WithOwner(FromRequest(request), connection())));
}

void DatabaseMethods::drop_database(const std::string& name, bool delete_data, bool cascade) {
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
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_database", ops::GetDatabase(store(), DatabaseName(name)));
}

void DatabaseMethods::get_database_req(api::Database& answer,
                                       const api::GetDatabaseRequest& request) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_database_req",
      ops::GetDatabase(store(), DatabaseName(request.catalogName, request.name)));
}

void DatabaseMethods::get_databases(Strings& answer, const std::string& pattern) {
  answer = Unwrap<api::MetaException>("get_databases", ListMatching(store(), pattern));
}

void DatabaseMethods::get_databases_req(api::GetDatabaseObjectsResponse& answer,
                                        const api::GetDatabaseObjectsRequest& request) {
  const std::string pattern = request.pattern;
  const std::string catalog = CatalogOr(request.catalogName);
  for (const std::string& name : Unwrap<api::MetaException>(
           "get_databases_req", ops::ListDatabases(store(), catalog, NonEmpty(pattern)))) {
    answer.databases.push_back(Unwrap<api::MetaException>(
        "get_databases_req", ops::GetDatabase(store(), ObjectName::Database(catalog, name))));
  }
}

}  // namespace catalogd::hms
