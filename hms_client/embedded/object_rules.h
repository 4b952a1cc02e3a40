#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::thrift::hms {
class Database;
class Table;
class Partition;
class FieldSchema;
class StorageDescriptor;
}  // namespace catalogd::thrift::hms

// What the metastore checks in an object and how it completes one before it is stored. After this
// the stored object, the answer of a read and the image in the event are the same.
// Thread safety: pure functions. Source: Hive 4, see README.
namespace catalogd::hms {

inline constexpr const char* kManagedTable = "MANAGED_TABLE";
inline constexpr const char* kExternalTable = "EXTERNAL_TABLE";
inline constexpr const char* kVirtualView = "VIRTUAL_VIEW";
inline constexpr const char* kMaterializedView = "MATERIALIZED_VIEW";
inline constexpr const char* kDdlTime = "transient_lastDdlTime";
inline constexpr const char* kColumnStatsAccurate = "COLUMN_STATS_ACCURATE";

// Errors of all checks: kInvalidArgument unless said otherwise.
Status CheckDatabaseName(const std::string& name);
Status CheckTableName(const std::string& name);
// Names, types and duplicates of columns and partition keys. kConflict where the metastore's own
// store is what refuses.
Status CheckColumns(const thrift::hms::Table& table);
// Columns, reader and skew of a table or partition.
Status CheckStorage(const thrift::hms::StorageDescriptor& sd);
// What the metastore's columns can hold (object_lengths.cc); kConflict.
Status CheckLengths(const thrift::hms::Database& database);
Status CheckLengths(const thrift::hms::Table& table);
Status CheckLengths(const thrift::hms::Partition& partition);

bool IsView(const thrift::hms::Table& table);
bool IsManaged(const thrift::hms::Table& table);
bool IsTransactional(const thrift::hms::Table& table);
// Whether dropping the table takes its files along: managed, or external.table.purge.
bool OwnsFiles(const thrift::hms::Table& table);

// Lower-cases names, fills what the server sets (catalog, owner type, skew, write id), derives the
// table type from the parameter EXTERNAL and drops what no read returns (privileges).
void CompleteTable(thrift::hms::Table* table);
// The same; names of database and table come from `table`.
void CompletePartition(const thrift::hms::Table& table, thrift::hms::Partition* partition);
void CompleteDatabase(thrift::hms::Database* database);

// Sets transient_lastDdlTime unless the client did (0 counts as not set).
void SetDdlTime(int32_t now, thrift::hms::Table* table);
void SetDdlTime(int32_t now, thrift::hms::Partition* partition);

std::vector<std::string> KeyNames(const thrift::hms::Table& table);
// "k1=v1/k2=v2". Errors: kConflict with Hive's text when the numbers differ.
Result<std::string> PartitionNameOf(const thrift::hms::Table& table,
                                    const std::vector<std::string>& values);
// What a partition name says, as the metastore reads it: a component's last '=' with text on both
// sides parts key and value, one without says nothing; of the same key the last value counts.
std::vector<std::pair<std::string, std::string>> PartitionNameParts(std::string_view name);
// Joined with ", " in brackets, nothing left out: "[a, b]", "[, ]".
std::string ValuesText(const std::vector<std::string>& values);

}  // namespace catalogd::hms
