#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/result.h"
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
Result<api::Database> GetDatabase(Store& store, const ObjectName& name);
Status AlterDatabase(Store& store, const ObjectName& name, const api::Database& next);
struct DropDatabaseOptions {
  bool delete_data = true;
  bool cascade = false;
  bool ignore_unknown = false;
};
Status DropDatabase(Store& store, const ObjectName& name, const DropDatabaseOptions& options);
// No pattern: all.
Result<Strings> ListDatabases(Store& store, const std::string& catalog,
                              const std::optional<std::string>& pattern);

// --- Tables (tables.cc)
Status CreateTable(Store& store, api::Table table);
Result<api::Table> GetTable(Store& store, const ObjectName& name);
// Missing tables are left out; kNotFound for the database when nothing was found and it is missing.
Result<std::vector<api::Table>> GetTables(Store& store, const ObjectName& db, const Strings& names);
// Empty type: any. An unknown database has no tables.
Result<Strings> ListTables(Store& store, const ObjectName& db,
                           const std::optional<std::string>& pattern, const std::string& type);
Result<std::vector<api::TableMeta>> ListTableMeta(Store& store, const std::string& db_pattern,
                                                  const std::string& table_pattern,
                                                  const Strings& types);
Status DropTable(Store& store, const ObjectName& name, bool delete_data);
// Partitioned: the partitions named, or all.
Status TruncateTable(Store& store, const ObjectName& name, const Strings& partitions);

// --- Altering tables (alter_table.cc)
struct AlterTableOptions {
  Properties environment;
  bool disallow_incompatible_columns = true;
};
Status AlterTable(Store& store, const ObjectName& name, api::Table next,
                  const AlterTableOptions& options);

// --- Reading partitions (partition_reads.cc). `max` < 0: all.
Result<api::Partition> GetPartition(Store& store, const ObjectName& table, const Strings& values);
Result<api::Partition> GetPartitionByName(Store& store, const ObjectName& table,
                                          const std::string& name);
Result<Partitions> ListPartitions(Store& store, const ObjectName& table, int64_t max);
Result<Strings> ListPartitionNames(Store& store, const ObjectName& table, int64_t max);
Result<Partitions> GetPartitionsByNames(Store& store, const ObjectName& table,
                                        const Strings& names);
// The first values are given; an empty one stands for any.
Result<Partitions> ListPartitionsLike(Store& store, const ObjectName& table, const Strings& values,
                                      int64_t max);
Result<Strings> ListPartitionNamesLike(Store& store, const ObjectName& table, const Strings& values,
                                       int64_t max);
// Values in the order of the table's keys.
Result<Strings> ValuesOfName(const api::Table& table, const std::string& partition_name);

// --- Writing partitions (partition_writes.cc)
// Returns those that are new, as stored.
Result<Partitions> AddPartitions(Store& store, const ObjectName& table, Partitions partitions,
                                 bool if_not_exists);
Result<api::Partition> AppendPartition(Store& store, const ObjectName& table,
                                       const Strings& values);
Result<api::Partition> AppendPartitionByName(Store& store, const ObjectName& table,
                                             const std::string& name);
// One event ALTER_PARTITION.
Status AlterPartition(Store& store, const ObjectName& table, api::Partition next);
// Events ALTER_PARTITIONS, 1000 partitions each; all or nothing.
Status AlterPartitions(Store& store, const ObjectName& table, Partitions next);
Status RenamePartition(Store& store, const ObjectName& table, const Strings& values,
                       api::Partition next);
struct DropPartitionsOptions {
  bool if_exists = true;
  bool delete_data = false;
};
// Returns those that were there.
Result<Partitions> DropPartitions(Store& store, const ObjectName& table, const Strings& names,
                                  const DropPartitionsOptions& options);
Status DropPartition(Store& store, const ObjectName& table, const Strings& values,
                     bool delete_data);
Status DropPartitionByName(Store& store, const ObjectName& table, const std::string& name,
                           bool delete_data);

// --- Shared by the above (lookup.cc)
Result<api::Database> RequireDatabase(Rows& rows, const ObjectName& name);
// kNotFound "hive.db.t table not found".
Result<StoredTable> RequireTable(Rows& rows, const ObjectName& name);
std::string FullName(const ObjectName& name);  // Always with its catalog.
// Drops a table inside a transaction, with its event.
Status DropTableIn(Writer& writer, const StoredTable& stored, bool delete_data);

}  // namespace catalogd::hms::ops
