#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace catalogd::thrift::hms {
class Database;
class Table;
class Partition;
}  // namespace catalogd::thrift::hms

// The text of notification messages as Hive 4's JSONMessageEncoder writes it: same keys, same
// order, objects as TJSON inside JSON strings. Map entries come sorted by key (Hive: hash order).
// Bytes that are not UTF-8 are kept as they are, so that the image stays equal to the object.
// Thread safety: pure functions.
namespace catalogd::hms {

inline constexpr std::string_view kMessageFormat = "json-0.2";

namespace event_type {
inline constexpr std::string_view kCreateDatabase = "CREATE_DATABASE";
inline constexpr std::string_view kAlterDatabase = "ALTER_DATABASE";
inline constexpr std::string_view kDropDatabase = "DROP_DATABASE";
inline constexpr std::string_view kCreateTable = "CREATE_TABLE";
inline constexpr std::string_view kAlterTable = "ALTER_TABLE";
inline constexpr std::string_view kDropTable = "DROP_TABLE";
inline constexpr std::string_view kAddPartition = "ADD_PARTITION";
inline constexpr std::string_view kAlterPartition = "ALTER_PARTITION";
inline constexpr std::string_view kAlterPartitions = "ALTER_PARTITIONS";
inline constexpr std::string_view kDropPartition = "DROP_PARTITION";
}  // namespace event_type

using Partitions = std::vector<thrift::hms::Partition>;

std::string CreateDatabaseMessage(const thrift::hms::Database& database, int32_t now);
std::string AlterDatabaseMessage(const thrift::hms::Database& before,
                                 const thrift::hms::Database& after, int32_t now);
std::string DropDatabaseMessage(const thrift::hms::Database& database, int32_t now);

std::string CreateTableMessage(const thrift::hms::Table& table, int32_t now);
// Names in the message are those of `before`.
std::string AlterTableMessage(const thrift::hms::Table& before, const thrift::hms::Table& after,
                              bool truncated, int32_t now);
std::string DropTableMessage(const thrift::hms::Table& table, int32_t now);

std::string AddPartitionMessage(const thrift::hms::Table& table, const Partitions& partitions,
                                int32_t now);
// keyValues holds the values of `before`.
std::string AlterPartitionMessage(const thrift::hms::Table& table,
                                  const thrift::hms::Partition& before,
                                  const thrift::hms::Partition& after, int32_t now);
std::string AlterPartitionsMessage(const thrift::hms::Table& table, const Partitions& partitions,
                                   bool truncated, int32_t now);
std::string DropPartitionMessage(const thrift::hms::Table& table, const Partitions& partitions,
                                 int32_t now);

}  // namespace catalogd::hms
