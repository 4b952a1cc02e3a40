#include "hms_client/embedded/function_methods.h"

#include <utility>

#include "hms_client/embedded/constraints.h"
#include "hms_client/embedded/functions.h"
#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"

namespace catalogd::hms {

namespace {

Error Missing(const char* text) { return {ErrorCode::kConflict, text}; }

// These methods declare no InvalidObjectException, and the metastore trips over it.
void Finish(const char* method, const Status& status) {
  if (!status && status.error().code == ErrorCode::kInvalidArgument) {
    throw UndeclaredError(method, "");
  }
  Unwrap<api::NoSuchObjectException, api::MetaException>(method, status);
}

template <class Request>
ops::Constraints Read(const char* method, Store& store, const Request& request) {
  return Unwrap<api::MetaException, api::NoSuchObjectException>(
      method,
      ops::ConstraintsOf(store, TableName(request.catName, request.db_name, request.tbl_name)));
}

}  // namespace

void FunctionMethods::alter_function(const std::string& db_name, const std::string& function_name,
                                     const api::Function& next) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_function", ops::AlterFunction(store(), DatabaseName(db_name), function_name, next));
}

void FunctionMethods::create_function(const api::Function& function) {
  const char* missing = !function.__isset.functionName ? "Function name cannot be null."
                        : !function.__isset.dbName     ? "Database name in Function cannot be null."
                                                       : nullptr;
  if (missing != nullptr) Raise<api::MetaException>("create_function", Missing(missing));
  Unwrap<api::AlreadyExistsException, api::InvalidObjectException, api::MetaException,
         api::NoSuchObjectException>("create_function", ops::CreateFunction(store(), function));
}

void FunctionMethods::drop_function(const std::string& db_name, const std::string& function_name) {
  if (!Given(2)) {
    Raise<api::MetaException>("drop_function", Missing("Function name cannot be null."));
  }
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_function", ops::DropFunction(store(), DatabaseName(db_name), function_name));
}

void FunctionMethods::get_all_functions(api::GetAllFunctionsResponse& answer) {
  answer.__set_functions(Unwrap<api::MetaException>(
      "get_all_functions", ops::ListFunctions(store(), std::nullopt, std::nullopt)));
}

void FunctionMethods::get_function(api::Function& answer, const std::string& db_name,
                                   const std::string& function_name) {
  if (!Given(1) || !Given(2)) {
    Raise<api::MetaException>("get_function",
                              Missing("Database and function name cannot be null."));
  }
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_function", ops::GetFunction(store(), DatabaseName(db_name), function_name));
}

void FunctionMethods::get_functions(Strings& answer, const std::string& db_name,
                                    const std::string& pattern) {
  for (api::Function& one : Unwrap<api::MetaException>(
           "get_functions",
           ops::ListFunctions(store(), DatabaseName(db_name), PatternIf(Given(2), pattern)))) {
    answer.push_back(std::move(one.functionName));
  }
}

void FunctionMethods::get_functions_req(api::GetFunctionsResponse& answer,
                                        const api::GetFunctionsRequest& request) {
  auto functions = Unwrap<api::MetaException>(
      "get_functions_req",
      ops::ListFunctions(store(), DatabaseName(request.catalogName, request.dbName),
                         PatternIf(request.__isset.pattern, request.pattern)));
  if (!request.returnNames) {
    answer.__set_functions(functions);
    return;
  }
  Strings names;
  for (api::Function& one : functions) names.push_back(std::move(one.functionName));
  answer.__set_function_names(names);
}

void FunctionMethods::add_check_constraint(const api::AddCheckConstraintRequest& request) {
  ops::Constraints added;
  added.checks = request.checkConstraintCols;
  Finish("add_check_constraint", ops::AddConstraints(store(), std::move(added)));
}

void FunctionMethods::add_default_constraint(const api::AddDefaultConstraintRequest& request) {
  ops::Constraints added;
  added.defaults = request.defaultConstraintCols;
  Finish("add_default_constraint", ops::AddConstraints(store(), std::move(added)));
}

void FunctionMethods::add_foreign_key(const api::AddForeignKeyRequest& request) {
  ops::Constraints added;
  added.foreign_keys = request.foreignKeyCols;
  Finish("add_foreign_key", ops::AddConstraints(store(), std::move(added)));
}

void FunctionMethods::add_not_null_constraint(const api::AddNotNullConstraintRequest& request) {
  ops::Constraints added;
  added.not_null = request.notNullConstraintCols;
  Finish("add_not_null_constraint", ops::AddConstraints(store(), std::move(added)));
}

void FunctionMethods::add_primary_key(const api::AddPrimaryKeyRequest& request) {
  ops::Constraints added;
  added.primary_keys = request.primaryKeyCols;
  Finish("add_primary_key", ops::AddConstraints(store(), std::move(added)));
}

void FunctionMethods::add_unique_constraint(const api::AddUniqueConstraintRequest& request) {
  ops::Constraints added;
  added.unique = request.uniqueConstraintCols;
  Finish("add_unique_constraint", ops::AddConstraints(store(), std::move(added)));
}

void FunctionMethods::drop_constraint(const api::DropConstraintRequest& request) {
  Finish("drop_constraint",
         ops::DropConstraint(store(), TableName(request.catName, request.dbname, request.tablename),
                             request.constraintname));
}

void FunctionMethods::get_all_table_constraints(api::AllTableConstraintsResponse& answer,
                                                const api::AllTableConstraintsRequest& request) {
  const ops::Constraints all = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_all_table_constraints",
      ops::ConstraintsOf(store(), TableName(request.catName, request.dbName, request.tblName)));
  api::SQLAllTableConstraints& lists = answer.allTableConstraints;
  lists.__set_primaryKeys(all.primary_keys);
  lists.__set_foreignKeys(all.foreign_keys);
  lists.__set_uniqueConstraints(all.unique);
  lists.__set_notNullConstraints(all.not_null);
  lists.__set_defaultConstraints(all.defaults);
  lists.__set_checkConstraints(all.checks);
}

void FunctionMethods::get_check_constraints(api::CheckConstraintsResponse& answer,
                                            const api::CheckConstraintsRequest& request) {
  answer.checkConstraints = Read("get_check_constraints", store(), request).checks;
}

void FunctionMethods::get_default_constraints(api::DefaultConstraintsResponse& answer,
                                              const api::DefaultConstraintsRequest& request) {
  answer.defaultConstraints = Read("get_default_constraints", store(), request).defaults;
}

void FunctionMethods::get_foreign_keys(api::ForeignKeysResponse& answer,
                                       const api::ForeignKeysRequest& request) {
  const auto named = [&](bool given, const std::string& db, const std::string& table) {
    return given && !table.empty() ? std::optional(TableName(request.catName, db, table))
                                   : std::nullopt;
  };
  answer.foreignKeys = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_foreign_keys",
      ops::ForeignKeys(
          store(),
          named(request.__isset.parent_tbl_name, request.parent_db_name, request.parent_tbl_name),
          named(request.__isset.foreign_tbl_name, request.foreign_db_name,
                request.foreign_tbl_name)));
}

void FunctionMethods::get_not_null_constraints(api::NotNullConstraintsResponse& answer,
                                               const api::NotNullConstraintsRequest& request) {
  answer.notNullConstraints = Read("get_not_null_constraints", store(), request).not_null;
}

void FunctionMethods::get_primary_keys(api::PrimaryKeysResponse& answer,
                                       const api::PrimaryKeysRequest& request) {
  answer.primaryKeys = Read("get_primary_keys", store(), request).primary_keys;
}

void FunctionMethods::get_unique_constraints(api::UniqueConstraintsResponse& answer,
                                             const api::UniqueConstraintsRequest& request) {
  answer.uniqueConstraints = Read("get_unique_constraints", store(), request).unique;
}

}  // namespace catalogd::hms
