#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hms_idl/hive_metastore_types.h"

// The messages of functions, constraints, column statistics, transactions and what clients report
// (event_messages.h has those of databases, tables and partitions). Keys, their order and what is
// null as Hive 4.2.0 writes them.
// Thread safety: pure functions.
namespace catalogd::hms {

namespace event_type {
inline constexpr std::string_view kCreateFunction = "CREATE_FUNCTION";
inline constexpr std::string_view kDropFunction = "DROP_FUNCTION";
inline constexpr std::string_view kDropConstraint = "DROP_CONSTRAINT";
inline constexpr std::string_view kUpdateTableStatistics = "UPDATE_TBL_COL_STAT_EVENT";
inline constexpr std::string_view kUpdatePartitionStatistics = "UPDATE_PART_COL_STAT_EVENT";
inline constexpr std::string_view kDeleteTableStatistics = "DELETE_TBL_COL_STAT_EVENT";
inline constexpr std::string_view kDeletePartitionStatistics = "DELETE_PART_COL_STAT_EVENT";
inline constexpr std::string_view kOpenTxn = "OPEN_TXN";
inline constexpr std::string_view kCommitTxn = "COMMIT_TXN";
inline constexpr std::string_view kAbortTxn = "ABORT_TXN";
inline constexpr std::string_view kAllocWriteId = "ALLOC_WRITE_ID_EVENT";
inline constexpr std::string_view kInsert = "INSERT";
inline constexpr std::string_view kReload = "RELOAD";
}  // namespace event_type

std::string CreateFunctionMessage(const thrift::hms::Function& function, int32_t now);
std::string DropFunctionMessage(const thrift::hms::Function& function, int32_t now);

// `key`: "primaryKeyListJson" and its like; `images`: TJSON of the constraints.
std::string AddConstraintsMessage(std::string_view key, const std::vector<std::string>& images,
                                  int32_t now);
std::string DropConstraintMessage(std::string_view db, std::string_view table,
                                  std::string_view constraint, int32_t now);

// Of a table, or of the partition given.
std::string UpdateStatisticsMessage(const thrift::hms::ColumnStatistics& statistics,
                                    const thrift::hms::Table& table,
                                    const thrift::hms::Partition* partition, int32_t now);
// No column: all of them.
struct DeletedStatistics {
  std::string_view db;
  std::optional<std::string> column;
  const std::string* partition_name = nullptr;
  const std::vector<std::string>* partition_values = nullptr;
};
std::string DeleteStatisticsMessage(const DeletedStatistics& deleted, int32_t now);

std::string OpenTxnMessage(int64_t first, int64_t last, int32_t now);
std::string CommitTxnMessage(int64_t id, const std::vector<int64_t>& write_ids,
                             const std::vector<std::string>& databases, int32_t now);
std::string AbortTxnMessage(int64_t id, const std::vector<int64_t>& write_ids,
                            const std::vector<std::string>& databases, int32_t now);
std::string AllocWriteIdMessage(std::string_view db, std::string_view table,
                                const std::vector<int64_t>& transactions,
                                const std::vector<int64_t>& write_ids, int32_t now);

// Of a table, or of one of its partitions.
std::string InsertMessage(const thrift::hms::Table& table, const thrift::hms::Partition* partition,
                          bool replace, const std::vector<std::string>& files, int32_t now);
std::string ReloadMessage(const thrift::hms::Table& table, const thrift::hms::Partition* partition,
                          bool refresh, int32_t now);

}  // namespace catalogd::hms
