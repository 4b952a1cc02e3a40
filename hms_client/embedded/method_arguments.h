#pragma once

#include <optional>
#include <string>

#include "catalog/base/names.h"

// How methods name things. Old-style database arguments may carry a catalog ("@hive#db"); request
// objects have a field for it, empty for the default catalog.
namespace catalogd::hms {

inline std::string CatalogOr(const std::string& catalog) {
  return catalog.empty() ? std::string(kDefaultCatalog) : NormalizeName(catalog);
}

inline ObjectName DatabaseName(const std::string& argument) {
  const DatabaseArgument parsed = ParseDatabaseArgument(argument);
  return ObjectName::Database(parsed.catalog, parsed.db.value_or(""));
}

inline ObjectName DatabaseName(const std::string& catalog, const std::string& db) {
  return catalog.empty() ? DatabaseName(db) : ObjectName::Database(catalog, db);
}

inline ObjectName TableName(const std::string& db_argument, const std::string& table) {
  const ObjectName db = DatabaseName(db_argument);
  return ObjectName::Table(db.catalog(), db.db(), table);
}

inline ObjectName TableName(const std::string& catalog, const std::string& db,
                            const std::string& table) {
  return catalog.empty() ? TableName(db, table) : ObjectName::Table(catalog, db, table);
}

// C++ cannot tell a null argument from an empty one; both mean "everything" for patterns.
inline std::optional<std::string> NonEmpty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace catalogd::hms
