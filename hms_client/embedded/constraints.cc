#include "hms_client/embedded/constraints.h"

#include <algorithm>
#include <functional>

#include "hms_client/embedded/object_codec.h"
#include "hms_client/embedded/service_messages.h"

namespace catalogd::hms::ops {

namespace {

// What the six kinds have under different names.
struct Kind {
  const char* name;  // In the column `kind`, and how a made-up name begins.
  std::string_view event;
  std::string_view list_key;
};
constexpr Kind kPrimaryKey = {"pk", "ADD_PRIMARYKEY", "primaryKeyListJson"};
constexpr Kind kForeignKey = {"fk", "ADD_FOREIGNKEY", "foreignKeyListJson"};
constexpr Kind kUnique = {"uk", "ADD_UNIQUECONSTRAINT", "uniqueConstraintListJson"};
constexpr Kind kNotNull = {"nn", "ADD_NOTNULLCONSTRAINT", "notNullConstraintListJson"};
constexpr Kind kDefault = {"dc", "ADD_DEFAULTCONSTRAINT", "defaultConstraintListJson"};
constexpr Kind kCheck = {"cc", "ADD_CHECKCONSTRAINT", "checkConstraintListJson"};

// The parts of a constraint that are looked at; they point into it.
struct Parts {
  std::string* db = nullptr;
  std::string* table = nullptr;
  std::string* column = nullptr;
  std::string* name = nullptr;
};

Parts PartsOf(api::SQLPrimaryKey* one) {
  return {&one->table_db, &one->table_name, &one->column_name, &one->pk_name};
}
Parts PartsOf(api::SQLForeignKey* one) {
  return {&one->fktable_db, &one->fktable_name, &one->fkcolumn_name, &one->fk_name};
}
Parts PartsOf(api::SQLUniqueConstraint* one) {
  return {&one->table_db, &one->table_name, &one->column_name, &one->uk_name};
}
Parts PartsOf(api::SQLNotNullConstraint* one) {
  return {&one->table_db, &one->table_name, &one->column_name, &one->nn_name};
}
Parts PartsOf(api::SQLDefaultConstraint* one) {
  return {&one->table_db, &one->table_name, &one->column_name, &one->dc_name};
}
Parts PartsOf(api::SQLCheckConstraint* one) {
  return {&one->table_db, &one->table_name, &one->column_name, &one->dc_name};
}

void MarkName(api::SQLPrimaryKey* one) { one->__isset.pk_name = true; }
void MarkName(api::SQLForeignKey* one) { one->__isset.fk_name = true; }
void MarkName(api::SQLUniqueConstraint* one) { one->__isset.uk_name = true; }
void MarkName(api::SQLNotNullConstraint* one) { one->__isset.nn_name = true; }
void MarkName(api::SQLDefaultConstraint* one) { one->__isset.dc_name = true; }
void MarkName(api::SQLCheckConstraint* one) { one->__isset.dc_name = true; }

Result<StoredTable> TableOf(Rows& rows, const std::string& db, const std::string& table) {
  const CalledName name = CalledName::Table(kDefaultCatalog, db, table);
  return Retold(RequireTable(rows, name), ErrorCode::kInvalidArgument,
                FullName(name) + " table not found");
}

Status CheckColumn(const api::Table& table, const std::string& column) {
  for (const auto* columns : {&table.sd.cols, &table.partitionKeys}) {
    for (const api::FieldSchema& one : *columns) {
      if (one.name == column) return Ok();
    }
  }
  return MakeError(ErrorCode::kInvalidArgument, "Column " + column +
                                                    " of a constraint is not in table hive." +
                                                    table.dbName + "." + table.tableName);
}

Status CheckNameIsFree(Rows& rows, const api::Table& table, const std::string& name) {
  ASSIGN_OR_RETURN(const int64_t taken,
                   rows.db().QueryInt("SELECT count(*) FROM constraints c JOIN tables t ON "
                                      "t.id = c.table_id WHERE t.db = ? AND c.name = ?",
                                      {table.dbName, name}));
  if (taken == 0) return Ok();
  return MakeError(ErrorCode::kInvalidArgument,
                   "Constraint name already exists: hive." + table.dbName + "." + name);
}

Status CheckOnlyPrimaryKey(Rows& rows, const StoredTable& stored) {
  ASSIGN_OR_RETURN(const int64_t taken,
                   rows.db().QueryInt("SELECT count(*) FROM constraints WHERE table_id = ? AND "
                                      "kind = 'pk'",
                                      {stored.id}));
  if (taken == 0) return Ok();
  return MakeError(ErrorCode::kConflict, " Primary key already exists for: hive." +
                                             stored.table.dbName + "." + stored.table.tableName);
}

// The parent of a foreign key; other kinds have none.
template <class Constraint>
Result<SqlValue> ParentOf(Rows& rows, Constraint* one) {
  if constexpr (std::is_same_v<Constraint, api::SQLForeignKey>) {
    ASSIGN_OR_RETURN(const StoredTable parent, TableOf(rows, one->pktable_db, one->pktable_name));
    one->__set_pktable_db(parent.table.dbName);
    one->__set_pktable_name(parent.table.tableName);
    one->__set_pkcolumn_name(NormalizeName(one->pkcolumn_name));
    RETURN_IF_ERROR(CheckColumn(parent.table, one->pkcolumn_name));
    return SqlValue(parent.id);
  }
  return SqlValue();
}

template <class Constraint>
Status AddKind(Writer& writer, const Kind& kind, std::vector<Constraint> list) {
  if (list.empty()) return Ok();
  const Parts first = PartsOf(&list.front());
  ASSIGN_OR_RETURN(const StoredTable stored, TableOf(writer, *first.db, *first.table));
  const api::Table& table = stored.table;
  if (std::is_same_v<Constraint, api::SQLPrimaryKey>) {
    RETURN_IF_ERROR(CheckOnlyPrimaryKey(writer, stored));
  }
  Strings images;
  Strings seen;
  for (Constraint& one : list) {
    const Parts parts = PartsOf(&one);
    *parts.db = table.dbName;
    *parts.table = table.tableName;
    *parts.column = NormalizeName(*parts.column);
    *parts.name = NormalizeName(*parts.name);
    if (parts.name->empty()) {
      *parts.name = std::string(kind.name) + "_" + std::to_string(stored.id) + "_" +
                    std::to_string(writer.now_millis()) + "_" + std::to_string(seen.size());
    }
    MarkName(&one);
    one.__set_catName(std::string(kDefaultCatalog));
    RETURN_IF_ERROR(CheckColumn(table, *parts.column));
    // Columns of one key share its name.
    if (std::find(seen.begin(), seen.end(), *parts.name) == seen.end()) {
      RETURN_IF_ERROR(CheckNameIsFree(writer, table, *parts.name));
    }
    seen.push_back(*parts.name);
    ASSIGN_OR_RETURN(const SqlValue parent, ParentOf(writer, &one));
    const std::string object = EncodeObject(one);
    RETURN_IF_ERROR(writer.Change(
        "INSERT INTO constraints (table_id, parent_id, kind, name, object) VALUES (?, ?, ?, ?, ?)",
        {stored.id, parent, std::string_view(kind.name), *parts.name, SqlBlob{object}}));
    images.push_back(ObjectToJson(one));
  }
  std::string db = table.dbName;
  std::string name = table.tableName;
  if constexpr (std::is_same_v<Constraint, api::SQLForeignKey>) {
    // The row of the log names the parent.
    db = list.front().pktable_db;
    name = list.front().pktable_name;
  }
  return writer.Log(
      {kind.event, db, name, AddConstraintsMessage(kind.list_key, images, writer.now())});
}

// Constraints of one kind, with the names that their tables have now.
template <class Constraint>
Result<std::vector<Constraint>> ReadKind(Rows& rows, const Kind& kind, int64_t table_id) {
  std::vector<Constraint> found;
  RETURN_IF_ERROR(QueryObjects<Constraint>(
      rows.db(),
      "SELECT c.object, t.db, t.name, p.db, p.name, c.name FROM constraints c "
      "JOIN tables t ON t.id = c.table_id LEFT JOIN tables p ON p.id = c.parent_id "
      "WHERE c.kind = ? AND (? = 0 OR c.table_id = ?) ORDER BY c.id",
      {std::string_view(kind.name), table_id, table_id},
      [](const SqlRow& row) {
        return "constraint " + std::string(row.Bytes(5)) + " of table " +
               std::string(row.Bytes(1)) + "." + std::string(row.Bytes(2));
      },
      [&](const SqlRow& row, Constraint one) {
        *PartsOf(&one).db = row.Bytes(1);
        *PartsOf(&one).table = row.Bytes(2);
        if constexpr (std::is_same_v<Constraint, api::SQLForeignKey>) {
          one.pktable_db = row.Bytes(3);
          one.pktable_name = row.Bytes(4);
        }
        found.push_back(std::move(one));
      }));
  return found;
}

template <class Constraint>
void SetTable(const api::Table& table, std::vector<Constraint>* list) {
  for (Constraint& one : *list) {
    *PartsOf(&one).db = table.dbName;
    *PartsOf(&one).table = table.tableName;
  }
}

Status AddConstraintsIn(Writer& writer, Constraints constraints) {
  RETURN_IF_ERROR(AddKind(writer, kPrimaryKey, std::move(constraints.primary_keys)));
  RETURN_IF_ERROR(AddKind(writer, kForeignKey, std::move(constraints.foreign_keys)));
  RETURN_IF_ERROR(AddKind(writer, kUnique, std::move(constraints.unique)));
  RETURN_IF_ERROR(AddKind(writer, kNotNull, std::move(constraints.not_null)));
  RETURN_IF_ERROR(AddKind(writer, kCheck, std::move(constraints.checks)));
  return AddKind(writer, kDefault, std::move(constraints.defaults));
}

}  // namespace

Status AddConstraintsOfNewTableIn(Writer& writer, const api::Table& table,
                                  Constraints constraints) {
  SetTable(table, &constraints.primary_keys);
  SetTable(table, &constraints.foreign_keys);
  SetTable(table, &constraints.unique);
  SetTable(table, &constraints.not_null);
  SetTable(table, &constraints.defaults);
  SetTable(table, &constraints.checks);
  return AddConstraintsIn(writer, std::move(constraints));
}

Status AddConstraints(Store& store, Constraints constraints) {
  return store.Write(
      [&](Writer& writer) { return AddConstraintsIn(writer, std::move(constraints)); });
}

Status DropConstraint(Store& store, const CalledName& table, const std::string& name) {
  const std::string lower = NormalizeName(name);
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, TableOf(writer, table.db(), table.table()));
    auto dropped = writer.db().Run("DELETE FROM constraints WHERE table_id = ? AND name = ?",
                                   {stored.id, lower});
    if (!dropped) return AsError(std::move(dropped).error());
    if (*dropped == 0) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "The constraint: " + name +
                           " does not exist for the associated table: " + FullName(table));
    }
    return writer.Log({event_type::kDropConstraint, table.db(), table.table(),
                       DropConstraintMessage(table.db(), table.table(), lower, writer.now())});
  });
}

Result<Constraints> ConstraintsOf(Store& store, const CalledName& table) {
  return store.Read([&](Rows& rows) -> Result<Constraints> {
    Constraints all;
    const Result<StoredTable> stored = RequireTable(rows, table);
    if (!stored && stored.error().code == ErrorCode::kNotFound) return all;
    if (!stored) return AsError(stored.error());
    const int64_t id = stored->id;
    ASSIGN_OR_RETURN(all.primary_keys, ReadKind<api::SQLPrimaryKey>(rows, kPrimaryKey, id));
    ASSIGN_OR_RETURN(all.foreign_keys, ReadKind<api::SQLForeignKey>(rows, kForeignKey, id));
    ASSIGN_OR_RETURN(all.unique, ReadKind<api::SQLUniqueConstraint>(rows, kUnique, id));
    ASSIGN_OR_RETURN(all.not_null, ReadKind<api::SQLNotNullConstraint>(rows, kNotNull, id));
    ASSIGN_OR_RETURN(all.defaults, ReadKind<api::SQLDefaultConstraint>(rows, kDefault, id));
    ASSIGN_OR_RETURN(all.checks, ReadKind<api::SQLCheckConstraint>(rows, kCheck, id));
    return all;
  });
}

Result<std::vector<api::SQLForeignKey>> ForeignKeys(Store& store,
                                                    const std::optional<CalledName>& parent,
                                                    const std::optional<CalledName>& child) {
  ASSIGN_OR_RETURN(std::vector<api::SQLForeignKey> keys, store.Read([](Rows& rows) {
    return ReadKind<api::SQLForeignKey>(rows, kForeignKey, 0);
  }));
  std::erase_if(keys, [&](const api::SQLForeignKey& one) {
    const bool right_parent =
        !parent || (one.pktable_db == parent->db() && one.pktable_name == parent->table());
    const bool right_child =
        !child || (one.fktable_db == child->db() && one.fktable_name == child->table());
    return !right_parent || !right_child;
  });
  return keys;
}

}  // namespace catalogd::hms::ops
