#pragma once

#include <compare>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd {

inline constexpr std::string_view kDefaultCatalog = "hive";

// Trims ASCII white space and lower-cases ASCII letters, as the metastore does before every lookup.
std::string NormalizeName(std::string_view name);

// The name of a database (table empty) or of a table, normalised once and for all when it is made.
// Not a display string: table names of Hive 4 may contain dots, so parts are kept apart.
//
// Order: catalog, database, table; a database sorts right before its tables. This is the key order
// in which name locks are taken.
// Thread safety: plain value.
class ObjectName {
 public:
  ObjectName() = default;
  static ObjectName Database(std::string_view catalog, std::string_view db);
  static ObjectName Table(std::string_view catalog, std::string_view db, std::string_view table);

  [[nodiscard]] const std::string& catalog() const { return catalog_; }
  [[nodiscard]] const std::string& db() const { return db_; }
  [[nodiscard]] const std::string& table() const { return table_; }
  [[nodiscard]] bool is_database() const { return table_.empty(); }
  [[nodiscard]] bool is_table() const { return !table_.empty(); }
  [[nodiscard]] ObjectName DatabaseName() const { return Database(catalog_, db_); }

  // "db" or "db.table", with "catalog." in front when it is not the default catalog.
  [[nodiscard]] std::string ToString() const;

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ObjectName& n) {
    return out << n.ToString();
  }

 private:
  std::string catalog_;
  std::string db_;
  std::string table_;
};

// What an old-style database argument says: "sales", "@hive#sales", "@hive#" (no database: all),
// "@hive#!" (the empty database).
struct DatabaseArgument {
  std::string catalog;            // Normalised; the default catalog when not given.
  std::optional<std::string> db;  // Normalised; absent for "@cat#".
};
DatabaseArgument ParseDatabaseArgument(std::string_view argument);

// "db.table" or "catalog.db.table" or "db" as people type it on a command line. With one dot the
// first part is the database. Fails with kInvalidArgument on empty parts.
Result<ObjectName> ParseObjectName(std::string_view text);

// Partition names, "k1=v1/k2=v2", as Hive escapes them (Unix builds).
std::string EscapePathName(std::string_view text);
std::string UnescapePathName(std::string_view text);
inline constexpr std::string_view kDefaultPartitionName = "__HIVE_DEFAULT_PARTITION__";
// REQUIRES: as many values as keys, else kInvalidArgument. An empty value becomes the default name.
Result<std::string> MakePartitionName(const std::vector<std::string>& keys,
                                      const std::vector<std::string>& values);
// The values of a partition name, unescaped. "" has none. A component without '=' is an error.
Result<std::vector<std::string>> PartitionNameToValues(std::string_view name);

}  // namespace catalogd

template <>
struct std::hash<catalogd::ObjectName> {
  size_t operator()(const catalogd::ObjectName& n) const noexcept {
    const std::hash<std::string> h;
    return (h(n.db()) * 1000003U) ^ h(n.table()) ^ (h(n.catalog()) << 1U);
  }
};
