#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/base/result.h"
#include "catalog/sqlite/sqlite_db.h"
#include "hms_client/embedded/notification_log.h"
#include "hms_client/embedded/object_codec.h"
#include "hms_client/embedded/warehouse.h"
#include "hms_idl/hive_metastore_types.h"

namespace catalogd::hms {

struct StoredTable {
  int64_t id = 0;
  thrift::hms::Table table;
};

struct StoredPartition {
  int64_t id = 0;
  std::string name;
  thrift::hms::Partition partition;
};

struct TableEntry {
  std::string name;
  std::string type;
};

// What stands in for an object that cannot be read: nothing but an error, or an object made of the
// names in its row, which is all that a drop needs. Such an object has no location: its files stay.
enum class IfDamaged { kFail, kUseNames };

// kCorrupt: what is damaged, in which file, and what to do.
Error DamagedObject(const SqliteDb& db, const std::string& what, const Error& reason);

// A query whose first column holds objects. Each is given to `take(row, object)`; of those that
// cannot be read, the first is the error, by the name that `called(row)` gives it; where
// `stand_in(row)` is given, it makes the object instead.
template <class Object, class Called, class Take>
Status QueryObjects(SqliteDb& db, const std::string& sql, const std::vector<SqlValue>& values,
                    const Called& called, const Take& take,
                    Object (*stand_in)(const SqlRow&) = nullptr) {
  Status first = Ok();
  RETURN_IF_ERROR(db.Query(sql, values, [&](const SqlRow& row) {
    Result<Object> object = DecodeObject<Object>(row.Bytes(0));
    if (object) {
      take(row, std::move(*object));
    } else if (stand_in != nullptr) {
      take(row, stand_in(row));
    } else if (first) {
      first = AsError(DamagedObject(db, called(row), object.error()));
    }
  }));
  return first;
}

// Reads objects inside one transaction: everything seen belongs to one moment.
//
// Names given must be normalised. Lists are sorted by bytes of the name. `limit` < 0: all.
// Thread safety: none. Errors: those of SqliteDb and DecodeObject.
class Rows {
 public:
  explicit Rows(SqliteDb& db) : db_(db) {}

  Result<std::optional<thrift::hms::Database>> FindDatabase(
      const std::string& name, IfDamaged if_damaged = IfDamaged::kFail);
  Result<std::vector<std::string>> ListDatabases();

  Result<std::optional<StoredTable>> FindTable(const std::string& db, const std::string& name,
                                               IfDamaged if_damaged = IfDamaged::kFail);
  Result<std::vector<TableEntry>> ListTables(const std::string& db);
  // Of all databases; those that say what they are made of. What cannot be read says nothing, and
  // must not stop every drop.
  Result<std::vector<StoredTable>> ListMaterializedViews();

  Result<std::optional<StoredPartition>> FindPartition(int64_t table_id, const std::string& name,
                                                       IfDamaged if_damaged = IfDamaged::kFail);
  Result<std::vector<std::string>> ListPartitionNames(int64_t table_id, int64_t limit);
  Result<std::vector<StoredPartition>> ListPartitions(int64_t table_id, int64_t limit,
                                                      IfDamaged if_damaged = IfDamaged::kFail);

  Result<std::string> Fact(const std::string& name);
  // "db.table", as errors call it.
  std::string NameOfTable(int64_t id);
  SqliteDb& db() { return db_; }

 private:
  // "partition day=1 of table db.table"; the name is column 1.
  std::string NameOfPartition(int64_t table_id, const SqlRow& row);

  SqliteDb& db_;
};

// Reads and changes objects inside one write transaction, together with the events that tell of
// the changes. Files made or moved on the way are put back if the transaction fails.
//
// Thread safety: none. Errors: those of Rows; kConflict from directories.
class Writer : public Rows {
 public:
  // Time in milliseconds since 1970.
  Writer(SqliteDb& db, const Warehouse& warehouse, int64_t now)
      : Rows(db), warehouse_(warehouse), now_(now) {}
  Writer(const Writer&) = delete;  // What undoes it knows where it is.
  Writer& operator=(const Writer&) = delete;

  // Seconds since 1970; the same for all of the transaction.
  [[nodiscard]] int32_t now() const { return static_cast<int32_t>(now_ / 1000); }
  [[nodiscard]] int64_t now_millis() const { return now_; }
  [[nodiscard]] const Warehouse& warehouse() const { return warehouse_; }

  Status InsertDatabase(const thrift::hms::Database& database);
  Status UpdateDatabase(const std::string& name, const thrift::hms::Database& database);
  Status DeleteDatabase(const std::string& name);

  // Gives the table its id.
  Status InsertTable(thrift::hms::Table* table);
  // May change its name and database.
  Status UpdateTable(int64_t id, const thrift::hms::Table& table);
  // Its partitions go too.
  Status DeleteTable(int64_t id);

  Status InsertPartition(int64_t table_id, const std::string& name,
                         const thrift::hms::Partition& partition);
  Status UpdatePartition(int64_t id, const std::string& name,
                         const thrift::hms::Partition& partition);
  Status DeletePartition(int64_t id);

  // One statement that changes rows.
  Status Change(const std::string& sql, const std::vector<SqlValue>& values);
  Status SetFact(const std::string& name, const std::string& value);
  Status Log(const NewEvent& event);

  Status MakeDirectory(const std::string& location);
  Status MoveDirectory(const std::string& from, const std::string& to);
  // Happens once the transaction is committed.
  void RemoveDirectoryLater(const std::string& location);
  void EmptyDirectoryLater(const std::string& location);

  // Directories go once the transaction is committed, so whatever wants them must come after that.
  [[nodiscard]] bool HasMoreToDo() const { return !to_remove_.empty() || !to_empty_.empty(); }
  // For whoever runs the transaction, after it has ended and before the next begins. Returns what
  // was set aside and can be erased at leisure.
  std::vector<std::string> Finish(bool committed);

 private:
  const Warehouse& warehouse_;
  const int64_t now_;
  std::vector<std::function<void()>> undo_;
  std::vector<std::string> to_remove_;
  std::vector<std::string> to_empty_;
};

}  // namespace catalogd::hms
