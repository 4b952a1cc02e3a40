// Written by tools/idl/generate.py from tools/idl/hms_idl_facts.tsv.gz; edit those, not this file.
#pragma once

#include <cstdint>

// Field ids of metastore structs: one namespace per struct, newest version.
namespace catalogd::ids {

namespace catalog {
inline constexpr int16_t kName = 1;
inline constexpr int16_t kDescription = 2;
inline constexpr int16_t kLocationUri = 3;
inline constexpr int16_t kCreateTime = 4;
inline constexpr int16_t kParameters = 5;
}  // namespace catalog
namespace database {
inline constexpr int16_t kName = 1;
inline constexpr int16_t kDescription = 2;
inline constexpr int16_t kLocationUri = 3;
inline constexpr int16_t kParameters = 4;
inline constexpr int16_t kPrivileges = 5;
inline constexpr int16_t kOwnerName = 6;
inline constexpr int16_t kOwnerType = 7;
inline constexpr int16_t kCatalogName = 8;
inline constexpr int16_t kCreateTime = 9;
inline constexpr int16_t kManagedLocationUri = 10;
inline constexpr int16_t kType = 11;
inline constexpr int16_t kConnectorName = 12;
inline constexpr int16_t kRemoteDbname = 13;
}  // namespace database
namespace table {
inline constexpr int16_t kTableName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kOwner = 3;
inline constexpr int16_t kCreateTime = 4;
inline constexpr int16_t kLastAccessTime = 5;
inline constexpr int16_t kRetention = 6;
inline constexpr int16_t kSd = 7;
inline constexpr int16_t kPartitionKeys = 8;
inline constexpr int16_t kParameters = 9;
inline constexpr int16_t kViewOriginalText = 10;
inline constexpr int16_t kViewExpandedText = 11;
inline constexpr int16_t kTableType = 12;
inline constexpr int16_t kPrivileges = 13;
inline constexpr int16_t kTemporary = 14;
inline constexpr int16_t kRewriteEnabled = 15;
inline constexpr int16_t kCreationMetadata = 16;
inline constexpr int16_t kCatName = 17;
inline constexpr int16_t kOwnerType = 18;
inline constexpr int16_t kWriteId = 19;
inline constexpr int16_t kIsStatsCompliant = 20;
inline constexpr int16_t kColStats = 21;
inline constexpr int16_t kAccessType = 22;
inline constexpr int16_t kRequiredReadCapabilities = 23;
inline constexpr int16_t kRequiredWriteCapabilities = 24;
inline constexpr int16_t kId = 25;
inline constexpr int16_t kFileMetadata = 26;
inline constexpr int16_t kDictionary = 27;
inline constexpr int16_t kTxnId = 28;
}  // namespace table
namespace partition {
inline constexpr int16_t kValues = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTableName = 3;
inline constexpr int16_t kCreateTime = 4;
inline constexpr int16_t kLastAccessTime = 5;
inline constexpr int16_t kSd = 6;
inline constexpr int16_t kParameters = 7;
inline constexpr int16_t kPrivileges = 8;
inline constexpr int16_t kCatName = 9;
inline constexpr int16_t kWriteId = 10;
inline constexpr int16_t kIsStatsCompliant = 11;
inline constexpr int16_t kColStats = 12;
inline constexpr int16_t kFileMetadata = 13;
}  // namespace partition
namespace storage_descriptor {
inline constexpr int16_t kCols = 1;
inline constexpr int16_t kLocation = 2;
inline constexpr int16_t kInputFormat = 3;
inline constexpr int16_t kOutputFormat = 4;
inline constexpr int16_t kCompressed = 5;
inline constexpr int16_t kNumBuckets = 6;
inline constexpr int16_t kSerdeInfo = 7;
inline constexpr int16_t kBucketCols = 8;
inline constexpr int16_t kSortCols = 9;
inline constexpr int16_t kParameters = 10;
inline constexpr int16_t kSkewedInfo = 11;
inline constexpr int16_t kStoredAsSubDirectories = 12;
}  // namespace storage_descriptor
namespace serde_info {
inline constexpr int16_t kName = 1;
inline constexpr int16_t kSerializationLib = 2;
inline constexpr int16_t kParameters = 3;
inline constexpr int16_t kDescription = 4;
inline constexpr int16_t kSerializerClass = 5;
inline constexpr int16_t kDeserializerClass = 6;
inline constexpr int16_t kSerdeType = 7;
}  // namespace serde_info
namespace skewed_info {
inline constexpr int16_t kSkewedColNames = 1;
inline constexpr int16_t kSkewedColValues = 2;
inline constexpr int16_t kSkewedColValueLocationMaps = 3;
}  // namespace skewed_info
namespace field_schema {
inline constexpr int16_t kName = 1;
inline constexpr int16_t kType = 2;
inline constexpr int16_t kComment = 3;
}  // namespace field_schema
namespace order {
inline constexpr int16_t kCol = 1;
inline constexpr int16_t kOrder = 2;
}  // namespace order
namespace creation_metadata {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kTablesUsed = 4;
inline constexpr int16_t kValidTxnList = 5;
inline constexpr int16_t kMaterializationTime = 6;
inline constexpr int16_t kSourceTables = 7;
}  // namespace creation_metadata
namespace source_table {
inline constexpr int16_t kTable = 1;
inline constexpr int16_t kInsertedCount = 2;
inline constexpr int16_t kUpdatedCount = 3;
inline constexpr int16_t kDeletedCount = 4;
}  // namespace source_table
namespace function {
inline constexpr int16_t kFunctionName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kClassName = 3;
inline constexpr int16_t kOwnerName = 4;
inline constexpr int16_t kOwnerType = 5;
inline constexpr int16_t kCreateTime = 6;
inline constexpr int16_t kFunctionType = 7;
inline constexpr int16_t kResourceUris = 8;
inline constexpr int16_t kCatName = 9;
}  // namespace function
namespace environment_context {
inline constexpr int16_t kProperties = 1;
}  // namespace environment_context
namespace principal_privilege_set {
inline constexpr int16_t kUserPrivileges = 1;
inline constexpr int16_t kGroupPrivileges = 2;
inline constexpr int16_t kRolePrivileges = 3;
}  // namespace principal_privilege_set
namespace partition_spec {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTableName = 2;
inline constexpr int16_t kRootPath = 3;
inline constexpr int16_t kSharedSDPartitionSpec = 4;
inline constexpr int16_t kPartitionList = 5;
inline constexpr int16_t kCatName = 6;
inline constexpr int16_t kWriteId = 7;
inline constexpr int16_t kIsStatsCompliant = 8;
}  // namespace partition_spec
namespace partition_spec_with_shared_sd {
inline constexpr int16_t kPartitions = 1;
inline constexpr int16_t kSd = 2;
}  // namespace partition_spec_with_shared_sd
namespace partition_without_sd {
inline constexpr int16_t kValues = 1;
inline constexpr int16_t kCreateTime = 2;
inline constexpr int16_t kLastAccessTime = 3;
inline constexpr int16_t kRelativePath = 4;
inline constexpr int16_t kParameters = 5;
inline constexpr int16_t kPrivileges = 6;
}  // namespace partition_without_sd
namespace partition_list_composing_spec {
inline constexpr int16_t kPartitions = 1;
}  // namespace partition_list_composing_spec
namespace table_meta {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTableName = 2;
inline constexpr int16_t kTableType = 3;
inline constexpr int16_t kComments = 4;
inline constexpr int16_t kCatName = 5;
inline constexpr int16_t kOwnerName = 6;
inline constexpr int16_t kOwnerType = 7;
}  // namespace table_meta
namespace notification_event {
inline constexpr int16_t kEventId = 1;
inline constexpr int16_t kEventTime = 2;
inline constexpr int16_t kEventType = 3;
inline constexpr int16_t kDbName = 4;
inline constexpr int16_t kTableName = 5;
inline constexpr int16_t kMessage = 6;
inline constexpr int16_t kMessageFormat = 7;
inline constexpr int16_t kCatName = 8;
}  // namespace notification_event
namespace current_notification_event_id {
inline constexpr int16_t kEventId = 1;
}  // namespace current_notification_event_id
namespace meta_exception {
inline constexpr int16_t kMessage = 1;
}  // namespace meta_exception
namespace notification_event_request {
inline constexpr int16_t kLastEvent = 1;
inline constexpr int16_t kMaxEvents = 2;
inline constexpr int16_t kEventTypeSkipList = 3;
inline constexpr int16_t kCatName = 4;
inline constexpr int16_t kDbName = 5;
inline constexpr int16_t kTableNames = 6;
inline constexpr int16_t kEventTypeList = 7;
}  // namespace notification_event_request
namespace notification_event_response {
inline constexpr int16_t kEvents = 1;
}  // namespace notification_event_response
namespace notification_events_count_request {
inline constexpr int16_t kFromEventId = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kCatName = 3;
inline constexpr int16_t kToEventId = 4;
inline constexpr int16_t kLimit = 5;
inline constexpr int16_t kTableNames = 6;
}  // namespace notification_events_count_request
namespace notification_events_count_response {
inline constexpr int16_t kEventsCount = 1;
}  // namespace notification_events_count_response

}  // namespace catalogd::ids
