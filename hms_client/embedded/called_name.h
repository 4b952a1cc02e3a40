#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catalog/base/names.h"

namespace catalogd::hms {

// The name of an object together with how the client wrote it: looked up by the one, complained
// about by the other, as the metastore does. A table may have the empty name, which no table has.
// Thread safety: plain value.
class CalledName : public ObjectName {
 public:
  static CalledName Database(std::string_view catalog, std::string_view db) {
    return {ObjectName::Database(catalog, db), std::string(db), std::nullopt};
  }
  static CalledName Table(std::string_view catalog, std::string_view db, std::string_view table) {
    return {ObjectName::Table(catalog, db, table), std::string(db), std::string(table)};
  }

  [[nodiscard]] const std::string& written_db() const { return written_db_; }
  // Absent for a database.
  [[nodiscard]] const std::optional<std::string>& written_table() const { return written_table_; }
  [[nodiscard]] CalledName DatabaseName() const { return Database(catalog(), written_db_); }

 private:
  CalledName(ObjectName name, std::string db, std::optional<std::string> table)
      : ObjectName(std::move(name)), written_db_(std::move(db)), written_table_(std::move(table)) {}

  std::string written_db_;
  std::optional<std::string> written_table_;
};

}  // namespace catalogd::hms
