#include "hms_client/embedded/handler.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hms_client/embedded/constraints.h"
#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms {

namespace {

std::vector<api::FieldSchema> WithKeys(api::Table table) {
  std::vector<api::FieldSchema> columns = std::move(table.sd.cols);
  columns.insert(columns.end(), table.partitionKeys.begin(), table.partitionKeys.end());
  return columns;
}

ops::AlterTableOptions Options(Properties environment, const ConnectionState& connection) {
  const auto said =
      connection.meta_conf.find("hive.metastore.disallow.incompatible.col.type.changes");
  const bool disallow = said == connection.meta_conf.end() || said->second != "false";
  return {std::move(environment), disallow};
}

// "@hive#" asks for every database, as no argument does.
std::string DatabasePattern(bool given, const std::string& argument) {
  return given ? ParseDatabaseArgument(argument).db.value_or("*") : "*";
}

// The kinds of tables that can be asked for, spelled exactly.
Status CheckTableType(const std::string& type) {
  constexpr std::array<std::string_view, 4> kTypes = {kManagedTable, kExternalTable, kVirtualView,
                                                      kMaterializedView};
  if (std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end()) return Ok();
  return MakeError(ErrorCode::kConflict,
                   "java.lang.IllegalArgumentException: No enum constant "
                   "org.apache.hadoop.hive.metastore.TableType." +
                       type);
}

}  // namespace

void TableMethods::alter_table(const std::string& dbname, const std::string& tbl_name,
                               const api::Table& new_tbl) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_table",
      ops::AlterTable(store(), TableName(dbname, tbl_name), new_tbl, Options({}, connection())));
}

void TableMethods::alter_table_req(api::AlterTableResponse& /*answer*/,
                                   const api::AlterTableRequest& request) {
  Properties properties = request.environmentContext.properties;
  // The request's own fields are the same check as the keys of the context.
  if (request.__isset.expectedParameterKey) {
    properties["expected_parameter_key"] = request.expectedParameterKey;
  }
  if (request.__isset.expectedParameterValue) {
    properties["expected_parameter_value"] = request.expectedParameterValue;
  }
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_table_req",
      ops::AlterTable(store(), TableName(request.catName, request.dbName, request.tableName),
                      request.table, Options(properties, connection())));
}

void TableMethods::alter_table_with_cascade(const std::string& dbname, const std::string& tbl_name,
                                            const api::Table& new_tbl, bool cascade) {
  Properties properties;
  if (cascade) properties["CASCADE"] = "true";
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_table_with_cascade", ops::AlterTable(store(), TableName(dbname, tbl_name), new_tbl,
                                                  Options(properties, connection())));
}

void TableMethods::alter_table_with_environment_context(const std::string& dbname,
                                                        const std::string& tbl_name,
                                                        const api::Table& new_tbl,
                                                        const api::EnvironmentContext& context) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_table_with_environment_context",
      ops::AlterTable(store(), TableName(dbname, tbl_name), new_tbl,
                      Options(context.properties, connection())));
}

void TableMethods::create_table(const api::Table& tbl) {
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException,
         api::NoSuchObjectException>("create_table", ops::CreateTable(store(), tbl, {}, {}));
}

void TableMethods::create_table_req(const api::CreateTableRequest& request) {
  ops::Constraints constraints = {request.primaryKeys,        request.foreignKeys,
                                  request.uniqueConstraints,  request.notNullConstraints,
                                  request.defaultConstraints, request.checkConstraints};
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException,
         api::NoSuchObjectException>(
      "create_table_req", ops::CreateTable(store(), request.table, request.processorCapabilities,
                                           std::move(constraints)));
}

void TableMethods::create_table_with_constraints(
    const api::Table& tbl, const std::vector<api::SQLPrimaryKey>& primary_keys,
    const std::vector<api::SQLForeignKey>& foreign_keys,
    const std::vector<api::SQLUniqueConstraint>& unique_constraints,
    const std::vector<api::SQLNotNullConstraint>& not_null_constraints,
    const std::vector<api::SQLDefaultConstraint>& default_constraints,
    const std::vector<api::SQLCheckConstraint>& check_constraints) {
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException,
         api::NoSuchObjectException>(
      "create_table_with_constraints",
      ops::CreateTable(store(), tbl, {},
                       {primary_keys, foreign_keys, unique_constraints, not_null_constraints,
                        default_constraints, check_constraints}));
}

void TableMethods::create_table_with_environment_context(
    const api::Table& tbl, const api::EnvironmentContext& /*context*/) {
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException,
         api::NoSuchObjectException>("create_table_with_environment_context",
                                     ops::CreateTable(store(), tbl, {}, {}));
}

void TableMethods::drop_table(const std::string& dbname, const std::string& name,
                              bool delete_data) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_table", ops::DropTable(store(), TableName(dbname, name), delete_data));
}

void TableMethods::drop_table_req(const api::DropTableRequest& request) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_table_req",
      ops::DropTable(store(), TableName(request.catalogName, request.dbName, request.tableName),
                     request.deleteData));
}

void TableMethods::drop_table_with_environment_context(const std::string& dbname,
                                                       const std::string& name, bool delete_data,
                                                       const api::EnvironmentContext& /*context*/) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_table_with_environment_context",
      ops::DropTable(store(), TableName(dbname, name), delete_data));
}

void TableMethods::get_all_tables(Strings& answer, const std::string& db_name) {
  answer = Unwrap<api::MetaException>(
      "get_all_tables", ops::ListTables(store(), DatabaseName(db_name), std::nullopt, ""));
}

void TableMethods::get_fields(std::vector<api::FieldSchema>& answer, const std::string& db_name,
                              const std::string& table_name) {
  answer = Unwrap<api::MetaException, api::UnknownTableException, api::UnknownDBException>(
               "get_fields", ops::GetTable(store(), TableName(db_name, table_name)))
               .sd.cols;
}

void TableMethods::get_fields_req(api::GetFieldsResponse& answer,
                                  const api::GetFieldsRequest& request) {
  answer.fields =
      Unwrap<api::MetaException, api::UnknownTableException, api::UnknownDBException>(
          "get_fields_req",
          ops::GetTable(store(), TableName(request.catName, request.dbName, request.tblName)))
          .sd.cols;
}

void TableMethods::get_fields_with_environment_context(std::vector<api::FieldSchema>& answer,
                                                       const std::string& db_name,
                                                       const std::string& table_name,
                                                       const api::EnvironmentContext& /*context*/) {
  answer = Unwrap<api::MetaException, api::UnknownTableException, api::UnknownDBException>(
               "get_fields_with_environment_context",
               ops::GetTable(store(), TableName(db_name, table_name)))
               .sd.cols;
}

void TableMethods::get_schema(std::vector<api::FieldSchema>& answer, const std::string& db_name,
                              const std::string& table_name) {
  answer = WithKeys(Unwrap<api::MetaException, api::UnknownTableException, api::UnknownDBException>(
      "get_schema", ops::GetTable(store(), TableName(db_name, table_name))));
}

void TableMethods::get_schema_req(api::GetSchemaResponse& answer,
                                  const api::GetSchemaRequest& request) {
  answer.fields =
      WithKeys(Unwrap<api::MetaException, api::UnknownTableException, api::UnknownDBException>(
          "get_schema_req",
          ops::GetTable(store(), TableName(request.catName, request.dbName, request.tblName))));
}

void TableMethods::get_schema_with_environment_context(std::vector<api::FieldSchema>& answer,
                                                       const std::string& db_name,
                                                       const std::string& table_name,
                                                       const api::EnvironmentContext& /*context*/) {
  answer = WithKeys(Unwrap<api::MetaException, api::UnknownTableException, api::UnknownDBException>(
      "get_schema_with_environment_context",
      ops::GetTable(store(), TableName(db_name, table_name))));
}

void TableMethods::get_table(api::Table& answer, const std::string& dbname,
                             const std::string& tbl_name) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_table", ops::GetTable(store(), TableName(dbname, tbl_name)));
}

void TableMethods::get_table_meta(std::vector<api::TableMeta>& answer,
                                  const std::string& db_patterns, const std::string& tbl_patterns,
                                  const Strings& tbl_types) {
  answer = Unwrap<api::MetaException>(
      "get_table_meta", ops::ListTableMeta(store(), DatabasePattern(Given(1), db_patterns),
                                           Given(2) ? tbl_patterns : "*", tbl_types));
}

void TableMethods::get_table_objects_by_name(std::vector<api::Table>& answer,
                                             const std::string& dbname, const Strings& tbl_names) {
  answer = Unwrap<>("get_table_objects_by_name",
                    ops::GetTables(store(), DatabaseName(dbname), tbl_names));
}

void TableMethods::get_table_objects_by_name_req(api::GetTablesResult& answer,
                                                 const api::GetTablesRequest& request) {
  const CalledName db = DatabaseName(request.catName, request.dbName);
  if (!request.__isset.tblNames && !request.__isset.tablesPattern) {
    Raise<api::MetaException, api::InvalidOperationException, api::UnknownDBException>(
        "get_table_objects_by_name_req",
        {ErrorCode::kInvalidState, db.db() + " cannot find null tables"});
  }
  Strings names = request.tblNames;
  if (!request.__isset.tblNames) {
    names = Unwrap<api::MetaException, api::InvalidOperationException, api::UnknownDBException>(
        "get_table_objects_by_name_req", ops::ListTables(store(), db, request.tablesPattern, ""));
  }
  answer.tables =
      Unwrap<api::MetaException, api::InvalidOperationException, api::UnknownDBException>(
          "get_table_objects_by_name_req", ops::GetTables(store(), db, names));
}

void TableMethods::get_table_req(api::GetTableResult& answer, const api::GetTableRequest& request) {
  answer.table = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_table_req",
      ops::GetTable(store(), TableName(request.catName, request.dbName, request.tblName)));
}

void TableMethods::get_tables(Strings& answer, const std::string& db_name,
                              const std::string& pattern) {
  answer = Unwrap<api::MetaException>(
      "get_tables",
      ops::ListTables(store(), DatabaseName(db_name), PatternIf(Given(2), pattern), ""));
}

void TableMethods::get_tables_by_type(Strings& answer, const std::string& db_name,
                                      const std::string& pattern, const std::string& table_type) {
  Unwrap<api::MetaException>("get_tables_by_type", CheckTableType(table_type));
  answer = Unwrap<api::MetaException>(
      "get_tables_by_type",
      ops::ListTables(store(), DatabaseName(db_name), PatternIf(Given(2), pattern), table_type));
}

void TableMethods::truncate_table(const std::string& db_name, const std::string& table_name,
                                  const Strings& part_names) {
  Unwrap<api::MetaException>(
      "truncate_table", ops::TruncateTable(store(), TableName(db_name, table_name), part_names));
}

void TableMethods::truncate_table_req(api::TruncateTableResponse& /*answer*/,
                                      const api::TruncateTableRequest& request) {
  Unwrap<api::MetaException>(
      "truncate_table_req",
      ops::TruncateTable(store(), TableName(request.dbName, request.tableName), request.partNames));
}

}  // namespace catalogd::hms
