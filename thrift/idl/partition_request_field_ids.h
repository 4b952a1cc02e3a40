// Written by tools/idl/generate.py from tools/idl/hms_idl_facts.tsv.gz; edit those, not this file.
#pragma once

#include <cstdint>

// Field ids of metastore structs: one namespace per struct, newest version.
namespace catalogd::ids {

namespace add_partitions_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblName = 2;
inline constexpr int16_t kParts = 3;
inline constexpr int16_t kIfNotExists = 4;
inline constexpr int16_t kNeedResult = 5;
inline constexpr int16_t kCatName = 6;
inline constexpr int16_t kValidWriteIdList = 7;
inline constexpr int16_t kSkipColumnSchemaForPartition = 8;
inline constexpr int16_t kPartitionColSchema = 9;
inline constexpr int16_t kEnvironmentContext = 10;
}  // namespace add_partitions_request
namespace add_partitions_result {
inline constexpr int16_t kPartitions = 1;
inline constexpr int16_t kIsStatsCompliant = 2;
inline constexpr int16_t kPartitionColSchema = 3;
}  // namespace add_partitions_result
namespace append_partitions_request {
inline constexpr int16_t kCatalogName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTableName = 3;
inline constexpr int16_t kName = 4;
inline constexpr int16_t kPartVals = 5;
inline constexpr int16_t kEnvironmentContext = 6;
}  // namespace append_partitions_request
namespace drop_partition_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kPartName = 4;
inline constexpr int16_t kPartVals = 5;
inline constexpr int16_t kDeleteData = 6;
inline constexpr int16_t kEnvironmentContext = 7;
}  // namespace drop_partition_request
namespace drop_partitions_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblName = 2;
inline constexpr int16_t kParts = 3;
inline constexpr int16_t kDeleteData = 4;
inline constexpr int16_t kIfExists = 5;
inline constexpr int16_t kIgnoreProtection = 6;
inline constexpr int16_t kEnvironmentContext = 7;
inline constexpr int16_t kNeedResult = 8;
inline constexpr int16_t kCatName = 9;
inline constexpr int16_t kSkipColumnSchemaForPartition = 10;
}  // namespace drop_partitions_request
namespace request_parts_spec {
inline constexpr int16_t kNames = 1;
inline constexpr int16_t kExprs = 2;
}  // namespace request_parts_spec
namespace drop_partitions_result {
inline constexpr int16_t kPartitions = 1;
}  // namespace drop_partitions_result
namespace alter_partitions_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTableName = 3;
inline constexpr int16_t kPartitions = 4;
inline constexpr int16_t kEnvironmentContext = 5;
inline constexpr int16_t kWriteId = 6;
inline constexpr int16_t kValidWriteIdList = 7;
inline constexpr int16_t kSkipColumnSchemaForPartition = 8;
inline constexpr int16_t kPartitionColSchema = 9;
}  // namespace alter_partitions_request
namespace rename_partition_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTableName = 3;
inline constexpr int16_t kPartVals = 4;
inline constexpr int16_t kNewPart = 5;
inline constexpr int16_t kValidWriteIdList = 6;
inline constexpr int16_t kTxnId = 7;
inline constexpr int16_t kClonePart = 8;
}  // namespace rename_partition_request
namespace get_partition_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kPartVals = 4;
inline constexpr int16_t kValidWriteIdList = 5;
inline constexpr int16_t kId = 6;
}  // namespace get_partition_request
namespace get_partition_response {
inline constexpr int16_t kPartition = 1;
}  // namespace get_partition_response
namespace partitions_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kMaxParts = 4;
inline constexpr int16_t kValidWriteIdList = 5;
inline constexpr int16_t kId = 6;
inline constexpr int16_t kSkipColumnSchemaForPartition = 7;
inline constexpr int16_t kIncludeParamKeyPattern = 8;
inline constexpr int16_t kExcludeParamKeyPattern = 9;
}  // namespace partitions_request
namespace partitions_response {
inline constexpr int16_t kPartitions = 1;
}  // namespace partitions_response
namespace get_partition_names_ps_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kPartValues = 4;
inline constexpr int16_t kMaxParts = 5;
inline constexpr int16_t kValidWriteIdList = 6;
inline constexpr int16_t kId = 7;
}  // namespace get_partition_names_ps_request
namespace get_partition_names_ps_response {
inline constexpr int16_t kNames = 1;
}  // namespace get_partition_names_ps_response
namespace get_partitions_ps_with_auth_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kPartVals = 4;
inline constexpr int16_t kMaxParts = 5;
inline constexpr int16_t kUserName = 6;
inline constexpr int16_t kGroupNames = 7;
inline constexpr int16_t kValidWriteIdList = 8;
inline constexpr int16_t kId = 9;
inline constexpr int16_t kSkipColumnSchemaForPartition = 10;
inline constexpr int16_t kIncludeParamKeyPattern = 11;
inline constexpr int16_t kExcludeParamKeyPattern = 12;
inline constexpr int16_t kPartNames = 13;
}  // namespace get_partitions_ps_with_auth_request
namespace get_partitions_ps_with_auth_response {
inline constexpr int16_t kPartitions = 1;
}  // namespace get_partitions_ps_with_auth_response
namespace get_partitions_by_names_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblName = 2;
inline constexpr int16_t kNames = 3;
inline constexpr int16_t kGetColStats = 4;
inline constexpr int16_t kProcessorCapabilities = 5;
inline constexpr int16_t kProcessorIdentifier = 6;
inline constexpr int16_t kEngine = 7;
inline constexpr int16_t kValidWriteIdList = 8;
inline constexpr int16_t kGetFileMetadata = 9;
inline constexpr int16_t kId = 10;
inline constexpr int16_t kSkipColumnSchemaForPartition = 11;
inline constexpr int16_t kIncludeParamKeyPattern = 12;
inline constexpr int16_t kExcludeParamKeyPattern = 13;
}  // namespace get_partitions_by_names_request
namespace get_partitions_by_names_result {
inline constexpr int16_t kPartitions = 1;
inline constexpr int16_t kDictionary = 2;
}  // namespace get_partitions_by_names_result
namespace get_partitions_by_filter_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kFilter = 4;
inline constexpr int16_t kMaxParts = 5;
inline constexpr int16_t kSkipColumnSchemaForPartition = 6;
inline constexpr int16_t kIncludeParamKeyPattern = 7;
inline constexpr int16_t kExcludeParamKeyPattern = 8;
}  // namespace get_partitions_by_filter_request
namespace partitions_by_expr_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblName = 2;
inline constexpr int16_t kExpr = 3;
inline constexpr int16_t kDefaultPartitionName = 4;
inline constexpr int16_t kMaxParts = 5;
inline constexpr int16_t kCatName = 6;
inline constexpr int16_t kOrder = 7;
inline constexpr int16_t kValidWriteIdList = 8;
inline constexpr int16_t kId = 9;
inline constexpr int16_t kSkipColumnSchemaForPartition = 10;
inline constexpr int16_t kIncludeParamKeyPattern = 11;
inline constexpr int16_t kExcludeParamKeyPattern = 12;
}  // namespace partitions_by_expr_request
namespace get_partitions_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kWithAuth = 4;
inline constexpr int16_t kUser = 5;
inline constexpr int16_t kGroupNames = 6;
inline constexpr int16_t kProjectionSpec = 7;
inline constexpr int16_t kFilterSpec = 8;
inline constexpr int16_t kProcessorCapabilities = 9;
inline constexpr int16_t kProcessorIdentifier = 10;
inline constexpr int16_t kValidWriteIdList = 11;
}  // namespace get_partitions_request
namespace partition_values_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblName = 2;
inline constexpr int16_t kPartitionKeys = 3;
inline constexpr int16_t kApplyDistinct = 4;
inline constexpr int16_t kFilter = 5;
inline constexpr int16_t kPartitionOrder = 6;
inline constexpr int16_t kAscending = 7;
inline constexpr int16_t kMaxParts = 8;
inline constexpr int16_t kCatName = 9;
inline constexpr int16_t kValidWriteIdList = 10;
}  // namespace partition_values_request
namespace fire_event_request {
inline constexpr int16_t kSuccessful = 1;
inline constexpr int16_t kData = 2;
inline constexpr int16_t kDbName = 3;
inline constexpr int16_t kTableName = 4;
inline constexpr int16_t kPartitionVals = 5;
inline constexpr int16_t kCatName = 6;
inline constexpr int16_t kTblParams = 7;
inline constexpr int16_t kBatchPartitionValsForRefresh = 8;
}  // namespace fire_event_request

}  // namespace catalogd::ids
