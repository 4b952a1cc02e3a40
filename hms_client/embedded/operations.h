#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/result.h"
#include "hms_client/embedded/called_name.h"
#include "hms_client/embedded/store.h"
#include "hms_idl/hive_metastore_types.h"

// What the embedded metastore does, one function per thing it can be asked; the Thrift methods
// (handler.h) are thin clothes over these. Writes change rows and log their events in one
// transaction.
//
// Names carry their catalog; there is only "hive", anything else does not exist.
// Errors: kNotFound, kAlreadyExists, kNotEmpty, kInvalidArgument (bad object), kInvalidState (the
// operation does not fit the object), kConflict (MetaException) with Hive 4's texts; those of
// Store.
namespace catalogd::hms::ops {

namespace api = thrift::hms;
using Properties = std::map<std::string, std::string>;
using Strings = std::vector<std::string>;
using Partitions = std::vector<api::Partition>;

// --- Databases (databases.cc)
Status CreateDatabase(Store& store, api::Database database);
Result<api::Database> GetDatabase(Store& store, const CalledName& name);
Status AlterDatabase(Store& store, const CalledName& name, const api::Database& next);
struct DropDatabaseOptions {
  bool delete_data = true;
  bool cascade = false;
  bool ignore_unknown = false;
};
Status DropDatabase(Store& store, const CalledName& name, const DropDatabaseOptions& options);
// No pattern: all.
Result<Strings> ListDatabases(Store& store, const std::string& catalog,
                              const std::optional<std::string>& pattern);

// --- Tables (tables.cc)
// `capabilities`: what the client says it can do; without any it makes no transactional table.
// `constraints` (constraints.h) are of this table.
struct Constraints;
Status CreateTable(Store& store, api::Table table, const Strings& capabilities,
                   Constraints constraints);
Result<api::Table> GetTable(Store& store, const CalledName& name);
// Missing tables are left out; kNotFound for the database when nothing was found and it is missing.
Result<std::vector<api::Table>> GetTables(Store& store, const CalledName& db, const Strings& names);
// Empty type: any. An unknown database has no tables.
Result<Strings> ListTables(Store& store, const CalledName& db,
                           const std::optional<std::string>& pattern, const std::string& type);
Result<std::vector<api::TableMeta>> ListTableMeta(Store& store, const std::string& db_pattern,
                                                  const std::string& table_pattern,
                                                  const Strings& types);
Status DropTable(Store& store, const CalledName& name, bool delete_data);
// Partitioned: the partitions named, or all.
Status TruncateTable(Store& store, const CalledName& name, const Strings& partitions);

// --- Altering tables (alter_table.cc)
struct AlterTableOptions {
  Properties environment;
  bool disallow_incompatible_columns = true;
};
Status AlterTable(Store& store, const CalledName& name, api::Table next,
                  const AlterTableOptions& options);

// --- Reading partitions (partition_reads.cc). `max` < 0: all.
Result<api::Partition> GetPartition(Store& store, const CalledName& table, const Strings& values);
Result<api::Partition> GetPartitionByName(Store& store, const CalledName& table,
                                          const std::string& name);
Result<Partitions> ListPartitions(Store& store, const CalledName& table, int64_t max);
Result<Strings> ListPartitionNames(Store& store, const CalledName& table, int64_t max);
Result<Partitions> GetPartitionsByNames(Store& store, const CalledName& table,
                                        const Strings& names);
// The first values are given; an empty one stands for any. Fewer values than keys: the last is the
// beginning of a value.
Result<Partitions> ListPartitionsLike(Store& store, const CalledName& table, const Strings& values,
                                      int64_t max);
Result<Strings> ListPartitionNamesLike(Store& store, const CalledName& table, const Strings& values,
                                       int64_t max);
// Values in the order of the table's keys. kNotFound when a key is missing, kConflict when empty.
Result<Strings> ValuesOfName(const api::Table& table, const std::string& partition_name);

// --- Writing partitions (partition_writes.cc)
// Returns those that are new, as stored.
Result<Partitions> AddPartitions(Store& store, const CalledName& table, Partitions partitions,
                                 bool if_not_exists);
Result<api::Partition> AppendPartition(Store& store, const CalledName& table,
                                       const Strings& values);
Result<api::Partition> AppendPartitionByName(Store& store, const CalledName& table,
                                             const std::string& name);
// One event ALTER_PARTITION.
Status AlterPartition(Store& store, const CalledName& table, api::Partition next);
// Events ALTER_PARTITIONS, 1000 partitions each; all or nothing.
Status AlterPartitions(Store& store, const CalledName& table, Partitions next);
Status RenamePartition(Store& store, const CalledName& table, const Strings& values,
                       api::Partition next);
struct DropPartitionsOptions {
  bool if_exists = true;
  bool delete_data = false;
};
// Returns those that were there.
Result<Partitions> DropPartitions(Store& store, const CalledName& table, const Strings& names,
                                  const DropPartitionsOptions& options);
Status DropPartition(Store& store, const CalledName& table, const Strings& values,
                     bool delete_data);
Status DropPartitionByName(Store& store, const CalledName& table, const std::string& name,
                           bool delete_data);

// --- Shared by the above (lookup.cc)
Result<api::Database> RequireDatabase(Rows& rows, const CalledName& name,
                                      IfDamaged if_damaged = IfDamaged::kFail);
// kNotFound "hive.db.t table not found".
Result<StoredTable> RequireTable(Rows& rows, const CalledName& name,
                                 IfDamaged if_damaged = IfDamaged::kFail);
// kNotFound "dbName is not valid", "tblName is not valid" on empty names.
Status CheckNamed(const CalledName& table);
// The same, where absence is told in other words or as another kind of error.
Result<StoredTable> Retold(Result<StoredTable> stored, ErrorCode code, std::string text);
std::string FullName(const CalledName& name);  // As it was written, always with its catalog.
// How a materialized view may call a table it is made of: "db.t", "hive.db.t".
std::array<std::string, 2> NamesInViews(const api::Table& table);
// Drops a table inside a transaction, with its event.
Status DropTableIn(Writer& writer, const StoredTable& stored, bool delete_data);

}  // namespace catalogd::hms::ops
