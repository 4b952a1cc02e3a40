#pragma once

#include <optional>
#include <string>

#include "catalog/base/names.h"
#include "hms_client/embedded/called_name.h"

// How methods name things. Old-style database arguments may carry a catalog ("@hive#db"); request
// objects have a field for it, empty for the default catalog.
namespace catalogd::hms {

inline std::string CatalogOr(const std::string& catalog) {
  return catalog.empty() ? std::string(kDefaultCatalog) : NormalizeName(catalog);
}

// The database part of an old-style argument as it was written.
inline CalledName DatabaseName(const std::string& argument) {
  const DatabaseArgument parsed = ParseDatabaseArgument(argument);
  const bool plain = NormalizeName(argument) == parsed.db.value_or("");
  const size_t hash = argument.find('#');
  const bool empty = !parsed.db || parsed.db->empty();
  return CalledName::Database(parsed.catalog, plain   ? argument
                                              : empty ? std::string()
                                                      : argument.substr(hash + 1));
}

inline CalledName DatabaseName(const std::string& catalog, const std::string& db) {
  return catalog.empty() ? DatabaseName(db) : CalledName::Database(catalog, db);
}

inline CalledName TableName(const std::string& db_argument, const std::string& table) {
  const CalledName db = DatabaseName(db_argument);
  return CalledName::Table(db.catalog(), db.written_db(), table);
}

inline CalledName TableName(const std::string& catalog, const std::string& db,
                            const std::string& table) {
  return catalog.empty() ? TableName(db, table) : CalledName::Table(catalog, db, table);
}

// No pattern means everything; an empty one matches nothing.
inline std::optional<std::string> PatternIf(bool given, const std::string& text) {
  if (!given) return std::nullopt;
  return text;
}

}  // namespace catalogd::hms
