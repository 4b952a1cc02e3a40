#include "hms_client/embedded/object_rules.h"

#include <cctype>
#include <map>
#include <set>

#include "catalog/base/names.h"
#include "hms_client/embedded/column_type.h"
#include "hms_idl/hive_metastore_types.h"

namespace catalogd::hms {

namespace api = thrift::hms;

namespace {

using Parameters = std::map<std::string, std::string>;

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool SaysTrue(const Parameters& parameters, const std::string& key) {
  const auto found = parameters.find(key);
  return found != parameters.end() && NormalizeName(found->second) == "true";
}

Status BadName(const std::string& name, const char* what) {
  return MakeError(ErrorCode::kInvalidArgument, name + " is not a valid " + what + " name");
}

void LowerNames(std::vector<api::FieldSchema>* columns) {
  for (api::FieldSchema& column : *columns) column.__set_name(NormalizeName(column.name));
}

void CompleteStorage(api::StorageDescriptor* sd) {
  LowerNames(&sd->cols);
  sd->__isset.cols = true;
  sd->__isset.bucketCols = sd->__isset.sortCols = sd->__isset.parameters = true;
  sd->__isset.serdeInfo = sd->serdeInfo.__isset.parameters = true;
  api::SkewedInfo& skew = sd->skewedInfo;
  sd->__isset.skewedInfo = true;
  skew.__isset.skewedColNames = skew.__isset.skewedColValues = true;
  skew.__isset.skewedColValueLocationMaps = true;
  if (!sd->__isset.storedAsSubDirectories) sd->__set_storedAsSubDirectories(false);
}

void SetDdlTimeIn(int32_t now, Parameters* parameters) {
  std::string& time = (*parameters)[kDdlTime];
  if (time.empty() || time == "0") time = std::to_string(now);
}

std::string DerivedType(const api::Table& table) {
  if (IsView(table)) return table.tableType;
  return SaysTrue(table.parameters, "EXTERNAL") ? kExternalTable : kManagedTable;
}

}  // namespace

Status CheckDatabaseName(const std::string& name) {
  for (const char c : name) {
    if (!IsWordCharacter(c)) return BadName(name, "database");
  }
  return name.empty() ? BadName(name, "database") : Ok();
}

Status CheckTableName(const std::string& name) {
  constexpr std::string_view kSpecial = " \"%&'()*+,-./:;<=>?[]_|{}$^!~#@`";
  for (const char c : name) {
    if (!IsWordCharacter(c) && kSpecial.find(c) == std::string_view::npos) {
      return BadName(name, "object");
    }
  }
  return name.empty() ? BadName(name, "object") : Ok();
}

Status CheckColumns(const api::Table& table) {
  std::set<std::string> seen;
  for (const auto* columns : {&table.sd.cols, &table.partitionKeys}) {
    for (const api::FieldSchema& column : *columns) {
      if (!seen.insert(NormalizeName(column.name)).second) {
        return MakeError(ErrorCode::kInvalidArgument,
                         "Duplicate column name " + column.name + " in the table definition.");
      }
      if (!IsColumnType(column.type)) {
        return MakeError(ErrorCode::kInvalidArgument, "Invalid column type: " + column.type);
      }
    }
  }
  return Ok();
}

bool IsView(const api::Table& table) {
  return table.tableType == kVirtualView || table.tableType == kMaterializedView;
}

bool IsManaged(const api::Table& table) { return table.tableType == kManagedTable; }

bool IsTransactional(const api::Table& table) {
  return SaysTrue(table.parameters, "transactional");
}

bool OwnsFiles(const api::Table& table) {
  if (table.tableType == kVirtualView) return false;
  return table.tableType != kExternalTable || SaysTrue(table.parameters, "external.table.purge");
}

void CompleteTable(api::Table* table) {
  table->__set_tableName(NormalizeName(table->tableName));
  table->__set_dbName(NormalizeName(table->dbName));
  table->__set_catName(std::string(kDefaultCatalog));
  table->__isset.sd = table->__isset.parameters = table->__isset.partitionKeys = true;
  CompleteStorage(&table->sd);
  LowerNames(&table->partitionKeys);
  table->__set_tableType(DerivedType(*table));
  if (!table->__isset.ownerType) table->__set_ownerType(api::PrincipalType::USER);
  if (!table->__isset.rewriteEnabled) table->__set_rewriteEnabled(false);
  if (!IsTransactional(*table)) {
    table->__set_writeId(0);
  } else if (!table->__isset.writeId || table->writeId <= 0) {
    table->__set_writeId(-1);
  }
  // What no read of the metastore returns.
  table->privileges = {};
  table->__isset.privileges = table->__isset.temporary = false;
  table->__isset.colStats = table->__isset.isStatsCompliant = table->__isset.txnId = false;
  table->__isset.accessType = table->__isset.fileMetadata = table->__isset.dictionary = false;
  table->__isset.requiredReadCapabilities = table->__isset.requiredWriteCapabilities = false;
}

void CompletePartition(const api::Table& table, api::Partition* partition) {
  partition->__set_dbName(table.dbName);
  partition->__set_tableName(table.tableName);
  partition->__set_catName(std::string(kDefaultCatalog));
  partition->__isset.parameters = partition->__isset.values = true;
  if (partition->__isset.sd) CompleteStorage(&partition->sd);
  if (!IsTransactional(table) || !partition->__isset.writeId) partition->__set_writeId(-1);
  partition->privileges = {};
  partition->__isset.privileges = partition->__isset.colStats = false;
  partition->__isset.isStatsCompliant = partition->__isset.fileMetadata = false;
}

void CompleteDatabase(api::Database* database) {
  database->__set_name(NormalizeName(database->name));
  database->__set_catalogName(std::string(kDefaultCatalog));
  database->__isset.parameters = true;
  if (!database->__isset.ownerType) database->__set_ownerType(api::PrincipalType::USER);
  if (!database->__isset.type) database->__set_type(api::DatabaseType::NATIVE);
  database->privileges = {};
  database->__isset.privileges = false;
}

void SetDdlTime(int32_t now, api::Table* table) { SetDdlTimeIn(now, &table->parameters); }

void SetDdlTime(int32_t now, api::Partition* partition) {
  partition->__isset.parameters = true;
  SetDdlTimeIn(now, &partition->parameters);
}

std::vector<std::string> KeyNames(const api::Table& table) {
  std::vector<std::string> names;
  for (const api::FieldSchema& key : table.partitionKeys) names.push_back(key.name);
  return names;
}

Result<std::string> PartitionNameOf(const api::Table& table,
                                    const std::vector<std::string>& values) {
  const std::vector<std::string> keys = KeyNames(table);
  if (!keys.empty() && keys.size() == values.size()) return MakePartitionName(keys, values);
  std::string text = "Invalid partition key & values; keys [";
  for (const std::string& key : keys) text += key + ", ";
  text += "], values [";
  for (const std::string& value : values) text += value + ", ";
  return MakeError(ErrorCode::kConflict, text + "]");
}

std::string ValuesText(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + value;
  return text + "]";
}

}  // namespace catalogd::hms
