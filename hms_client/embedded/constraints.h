#pragma once

#include <string>
#include <vector>

#include "hms_client/embedded/operations.h"

// Constraints of tables: kept for clients, never enforced.
// Errors: as operations.h; kInvalidArgument: table or column is not there, or the name is taken.
namespace catalogd::hms::ops {

// All of one call; each list is of one table.
struct Constraints {
  std::vector<api::SQLPrimaryKey> primary_keys;
  std::vector<api::SQLForeignKey> foreign_keys;
  std::vector<api::SQLUniqueConstraint> unique;
  std::vector<api::SQLNotNullConstraint> not_null;
  std::vector<api::SQLDefaultConstraint> defaults;
  std::vector<api::SQLCheckConstraint> checks;
};

// One event for each kind that is there, in Hive's order.
Status AddConstraints(Store& store, Constraints constraints);
// The same inside the transaction that makes their table; they are of that table, whatever they
// name.
Status AddConstraintsOfNewTableIn(Writer& writer, const api::Table& table, Constraints constraints);
Status DropConstraint(Store& store, const CalledName& table, const std::string& name);

// Those of the table; a table that is not there has none. Foreign keys are of the child.
Result<Constraints> ConstraintsOf(Store& store, const CalledName& table);
// Foreign keys by parent, child or both. No name: any.
Result<std::vector<api::SQLForeignKey>> ForeignKeys(Store& store,
                                                    const std::optional<CalledName>& parent,
                                                    const std::optional<CalledName>& child);

}  // namespace catalogd::hms::ops
