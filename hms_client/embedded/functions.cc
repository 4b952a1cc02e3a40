#include <algorithm>
#include <cctype>

#include "hms_client/embedded/functions.h"
#include "hms_client/embedded/name_pattern.h"
#include "hms_client/embedded/object_codec.h"
#include "hms_client/embedded/service_messages.h"

namespace catalogd::hms::ops {

namespace {

bool IsFunctionName(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

Error NoSuchFunction(const std::string& text) {
  return {ErrorCode::kNotFound, "Function " + text + " does not exist"};
}

api::Function FunctionOfNames(const SqlRow& row) {
  api::Function function;
  function.__set_dbName(std::string(row.Bytes(1)));
  function.__set_functionName(std::string(row.Bytes(2)));
  return function;
}

Result<std::vector<api::Function>> FunctionsWhere(Rows& rows, const std::string& condition,
                                                  const std::vector<SqlValue>& values,
                                                  IfDamaged if_damaged) {
  std::vector<api::Function> functions;
  RETURN_IF_ERROR(QueryObjects<api::Function>(
      rows.db(), "SELECT object, db, name FROM functions" + condition + " ORDER BY db, name",
      values,
      [](const SqlRow& row) {
        return "function " + std::string(row.Bytes(1)) + "." + std::string(row.Bytes(2));
      },
      [&](const SqlRow&, api::Function one) { functions.push_back(std::move(one)); },
      if_damaged == IfDamaged::kUseNames ? FunctionOfNames : nullptr));
  return functions;
}

Result<std::optional<api::Function>> Find(Rows& rows, const CalledName& db, const std::string& name,
                                          IfDamaged if_damaged = IfDamaged::kFail) {
  if (db.catalog() != kDefaultCatalog) return std::optional<api::Function>();
  const std::string lower = NormalizeName(name);
  ASSIGN_OR_RETURN(
      std::vector<api::Function> found,
      FunctionsWhere(rows, " WHERE db = ? AND name = ?", {db.db(), lower}, if_damaged));
  if (found.empty()) return std::optional<api::Function>();
  return std::optional<api::Function>(std::move(found.front()));
}

Status DropIn(Writer& writer, const api::Function& function) {
  RETURN_IF_ERROR(writer.Change("DELETE FROM functions WHERE db = ? AND name = ?",
                                {function.dbName, function.functionName}));
  return writer.Log({event_type::kDropFunction,
                     function.dbName,
                     {},
                     DropFunctionMessage(function, writer.now())});
}

}  // namespace

Status CreateFunction(Store& store, api::Function function) {
  const CalledName db = CalledName::Database(
      function.__isset.catName ? function.catName : std::string(kDefaultCatalog), function.dbName);
  if (!IsFunctionName(function.functionName)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     function.functionName + " is not a valid object name");
  }
  if (!function.__isset.className) {
    return MakeError(ErrorCode::kInvalidArgument, "Function class name cannot be null");
  }
  return store.Write([&](Writer& writer) -> Status {
    auto database = RequireDatabase(writer, db);
    if (!database) return AsError(std::move(database).error());
    ASSIGN_OR_RETURN(const std::optional<api::Function> existing,
                     Find(writer, db, function.functionName));
    if (existing) {
      return MakeError(ErrorCode::kAlreadyExists,
                       "Function " + function.functionName + " already exists");
    }
    function.__set_functionName(NormalizeName(function.functionName));
    function.__set_dbName(db.db());
    function.__set_createTime(writer.now());
    function.__isset.resourceUris = true;
    function.__isset.catName = false;
    // The image in the event has no catalog, what is read has.
    const std::string message = CreateFunctionMessage(function, writer.now());
    function.__set_catName(std::string(kDefaultCatalog));
    const std::string object = EncodeObject(function);
    RETURN_IF_ERROR(writer.Change("INSERT INTO functions (db, name, object) VALUES (?, ?, ?)",
                                  {function.dbName, function.functionName, SqlBlob{object}}));
    return writer.Log({event_type::kCreateFunction, function.dbName, {}, message});
  });
}

Status DropFunction(Store& store, const CalledName& db, const std::string& name) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const std::optional<api::Function> found,
                     Find(writer, db, name, IfDamaged::kUseNames));
    if (!found) return AsError(NoSuchFunction(name));
    return DropIn(writer, *found);
  });
}

Status AlterFunction(Store& store, const CalledName& db, const std::string& name,
                     const api::Function& next) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(std::optional<api::Function> found, Find(writer, db, name));
    if (!found) {
      return MakeError(ErrorCode::kConflict, "function " + name + " doesn't exist");
    }
    const std::string old_name = found->functionName;
    const std::string new_name = NormalizeName(next.functionName);
    if (new_name != old_name) {
      ASSIGN_OR_RETURN(const std::optional<api::Function> taken, Find(writer, db, new_name));
      if (taken || !IsFunctionName(new_name)) {
        return MakeError(ErrorCode::kInvalidState,
                         "function " + name + " cannot be renamed to " + next.functionName);
      }
    }
    found->__set_functionName(new_name);
    found->__set_className(next.className);
    found->__set_ownerName(next.ownerName);
    found->__set_ownerType(next.ownerType);
    found->__set_functionType(next.functionType);
    const std::string object = EncodeObject(*found);
    // As in every metastore, no event tells of it.
    return writer.Change("UPDATE functions SET name = ?, object = ? WHERE db = ? AND name = ?",
                         {new_name, SqlBlob{object}, db.db(), old_name});
  });
}

Result<api::Function> GetFunction(Store& store, const CalledName& db, const std::string& name) {
  return store.Read([&](Rows& rows) -> Result<api::Function> {
    ASSIGN_OR_RETURN(std::optional<api::Function> found, Find(rows, db, name));
    if (!found) return AsError(NoSuchFunction(db.written_db() + "." + name));
    return std::move(*found);
  });
}

Result<std::vector<api::Function>> ListFunctions(Store& store, const std::optional<CalledName>& db,
                                                 const std::optional<std::string>& pattern) {
  if (db && db->catalog() != kDefaultCatalog) return std::vector<api::Function>();
  ASSIGN_OR_RETURN(const NamePattern wanted, NamePattern::Parse(pattern.value_or("*")));
  const std::string name = db ? db->db() : "";
  ASSIGN_OR_RETURN(std::vector<api::Function> functions, store.Read([&](Rows& rows) {
    return db ? FunctionsWhere(rows, " WHERE db = ?", {name}, IfDamaged::kFail)
              : FunctionsWhere(rows, "", {}, IfDamaged::kFail);
  }));
  std::erase_if(functions,
                [&](const api::Function& one) { return !wanted.Matches(one.functionName); });
  return functions;
}

Result<std::vector<api::Function>> FunctionsOf(Rows& rows, const std::string& db) {
  return FunctionsWhere(rows, " WHERE db = ?", {db}, IfDamaged::kUseNames);
}

Status DropFunctionsIn(Writer& writer, const std::string& db) {
  ASSIGN_OR_RETURN(const std::vector<api::Function> functions, FunctionsOf(writer, db));
  for (const api::Function& one : functions) RETURN_IF_ERROR(DropIn(writer, one));
  return Ok();
}

}  // namespace catalogd::hms::ops
