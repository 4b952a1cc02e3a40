// Written by tools/idl/generate.py from tools/idl/hms_idl_facts.tsv.gz; edit those, not this file.
#pragma once

#include <cstdint>

// Field ids of metastore structs: one namespace per struct, newest version.
namespace catalogd::ids {

namespace get_table_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblName = 2;
inline constexpr int16_t kCapabilities = 3;
inline constexpr int16_t kCatName = 4;
inline constexpr int16_t kValidWriteIdList = 6;
inline constexpr int16_t kGetColumnStats = 7;
inline constexpr int16_t kProcessorCapabilities = 8;
inline constexpr int16_t kProcessorIdentifier = 9;
inline constexpr int16_t kEngine = 10;
inline constexpr int16_t kId = 11;
}  // namespace get_table_request
namespace get_table_result {
inline constexpr int16_t kTable = 1;
inline constexpr int16_t kIsStatsCompliant = 2;
}  // namespace get_table_result
namespace get_tables_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTblNames = 2;
inline constexpr int16_t kCapabilities = 3;
inline constexpr int16_t kCatName = 4;
inline constexpr int16_t kProcessorCapabilities = 5;
inline constexpr int16_t kProcessorIdentifier = 6;
inline constexpr int16_t kProjectionSpec = 7;
inline constexpr int16_t kTablesPattern = 8;
}  // namespace get_tables_request
namespace get_tables_result {
inline constexpr int16_t kTables = 1;
}  // namespace get_tables_result
namespace create_table_request {
inline constexpr int16_t kTable = 1;
inline constexpr int16_t kEnvContext = 2;
inline constexpr int16_t kPrimaryKeys = 3;
inline constexpr int16_t kForeignKeys = 4;
inline constexpr int16_t kUniqueConstraints = 5;
inline constexpr int16_t kNotNullConstraints = 6;
inline constexpr int16_t kDefaultConstraints = 7;
inline constexpr int16_t kCheckConstraints = 8;
inline constexpr int16_t kProcessorCapabilities = 9;
inline constexpr int16_t kProcessorIdentifier = 10;
}  // namespace create_table_request
namespace alter_table_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTableName = 3;
inline constexpr int16_t kTable = 4;
inline constexpr int16_t kEnvironmentContext = 5;
inline constexpr int16_t kWriteId = 6;
inline constexpr int16_t kValidWriteIdList = 7;
inline constexpr int16_t kProcessorCapabilities = 8;
inline constexpr int16_t kProcessorIdentifier = 9;
inline constexpr int16_t kExpectedParameterKey = 10;
inline constexpr int16_t kExpectedParameterValue = 11;
}  // namespace alter_table_request
namespace drop_table_request {
inline constexpr int16_t kCatalogName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTableName = 3;
inline constexpr int16_t kDeleteData = 4;
inline constexpr int16_t kEnvContext = 5;
inline constexpr int16_t kDropPartitions = 6;
inline constexpr int16_t kId = 7;
inline constexpr int16_t kAsyncDrop = 8;
inline constexpr int16_t kCancel = 9;
}  // namespace drop_table_request
namespace truncate_table_request {
inline constexpr int16_t kDbName = 1;
inline constexpr int16_t kTableName = 2;
inline constexpr int16_t kPartNames = 3;
inline constexpr int16_t kWriteId = 4;
inline constexpr int16_t kValidWriteIdList = 5;
inline constexpr int16_t kEnvironmentContext = 6;
}  // namespace truncate_table_request
namespace get_fields_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kEnvContext = 4;
inline constexpr int16_t kValidWriteIdList = 5;
inline constexpr int16_t kId = 6;
}  // namespace get_fields_request
namespace get_fields_response {
inline constexpr int16_t kFields = 1;
}  // namespace get_fields_response
namespace get_schema_request {
inline constexpr int16_t kCatName = 1;
inline constexpr int16_t kDbName = 2;
inline constexpr int16_t kTblName = 3;
inline constexpr int16_t kEnvContext = 4;
inline constexpr int16_t kValidWriteIdList = 5;
inline constexpr int16_t kId = 6;
}  // namespace get_schema_request
namespace get_schema_response {
inline constexpr int16_t kFields = 1;
}  // namespace get_schema_response
namespace get_database_request {
inline constexpr int16_t kName = 1;
inline constexpr int16_t kCatalogName = 2;
inline constexpr int16_t kProcessorCapabilities = 3;
inline constexpr int16_t kProcessorIdentifier = 4;
}  // namespace get_database_request
namespace create_database_request {
inline constexpr int16_t kDatabaseName = 1;
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
inline constexpr int16_t kDataConnectorName = 12;
inline constexpr int16_t kRemoteDbname = 13;
}  // namespace create_database_request
namespace alter_database_request {
inline constexpr int16_t kOldDbName = 1;
inline constexpr int16_t kNewDb = 2;
}  // namespace alter_database_request
namespace drop_database_request {
inline constexpr int16_t kName = 1;
inline constexpr int16_t kCatalogName = 2;
inline constexpr int16_t kIgnoreUnknownDb = 3;
inline constexpr int16_t kDeleteData = 4;
inline constexpr int16_t kCascade = 5;
inline constexpr int16_t kSoftDelete = 6;
inline constexpr int16_t kTxnId = 7;
inline constexpr int16_t kDeleteManagedDir = 8;
inline constexpr int16_t kId = 9;
inline constexpr int16_t kAsyncDrop = 10;
inline constexpr int16_t kCancel = 11;
}  // namespace drop_database_request
namespace get_database_objects_request {
inline constexpr int16_t kCatalogName = 1;
inline constexpr int16_t kPattern = 2;
}  // namespace get_database_objects_request
namespace get_database_objects_response {
inline constexpr int16_t kDatabases = 1;
}  // namespace get_database_objects_response
namespace get_catalog_request {
inline constexpr int16_t kName = 1;
}  // namespace get_catalog_request
namespace get_catalogs_response {
inline constexpr int16_t kNames = 1;
}  // namespace get_catalogs_response

}  // namespace catalogd::ids
