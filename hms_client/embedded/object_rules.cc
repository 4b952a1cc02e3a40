#include "hms_client/embedded/object_rules.h"

#include <algorithm>
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

bool IsNameCharacter(char c) {
  constexpr std::string_view kSpecial = " \"%&'()*+,-./:;<=>?[]_|{}$^!~#@`";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         kSpecial.find(c) != std::string_view::npos;
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
  const bool external = SaysTrue(table.parameters, "EXTERNAL");
  const bool other = table.__isset.tableType && !table.tableType.empty() &&
                     table.tableType != kManagedTable && table.tableType != kExternalTable;
  if (other) return table.tableType;
  return external ? kExternalTable : kManagedTable;
}

}  // namespace

// Also names with a blank at an end are refused: Hive 4 keeps the blank, but every name here is
// trimmed before it is looked up.
Status CheckDatabaseName(const std::string& name) {
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), IsNameCharacter) &&
                    name.front() != ' ' && name.back() != ' ';
  return good ? Ok() : BadName(name, "database");
}

Status CheckTableName(const std::string& name) {
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), IsNameCharacter);
  return good ? Ok() : BadName(name, "object");
}

Status CheckColumns(const api::Table& table) {
  struct Kind {
    const std::vector<api::FieldSchema>* columns;
    const char* bad_type;
  };
  for (const Kind& kind : {Kind{&table.sd.cols, "Invalid column type: "},
                           Kind{&table.partitionKeys, "Invalid partition column type: "}}) {
    std::set<std::string> seen;
    for (const api::FieldSchema& column : *kind.columns) {
      if (!column.__isset.name || !column.__isset.type || column.type.empty()) {
        return MakeError(ErrorCode::kConflict,
                         "a column of table " + table.tableName + " has no name or no type");
      }
      if (!IsColumnType(column.type)) {
        return MakeError(ErrorCode::kInvalidArgument, kind.bad_type + column.type);
      }
      if (!seen.insert(NormalizeName(column.name)).second) {
        return MakeError(ErrorCode::kConflict,
                         "Duplicate column name " + column.name + " in the table definition.");
      }
    }
  }
  return Ok();
}

Status CheckStorage(const api::StorageDescriptor& sd) {
  for (const std::string& skewed : sd.skewedInfo.skewedColNames) {
    const auto same = [&](const api::FieldSchema& column) { return column.name == skewed; };
    if (std::none_of(sd.cols.begin(), sd.cols.end(), same)) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "Invalid skew column " + ValuesText(sd.skewedInfo.skewedColNames));
    }
  }
  if (!sd.__isset.serdeInfo) return MakeError(ErrorCode::kConflict, "Invalid SerDeInfo object");
  if (!sd.__isset.cols) {
    return MakeError(ErrorCode::kConflict, "the storage descriptor has no columns (field cols)");
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

std::vector<std::pair<std::string, std::string>> PartitionNameParts(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> parts;
  while (!name.empty()) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    const size_t equals =
        part.size() < 3 ? std::string_view::npos : part.rfind('=', part.size() - 2);
    if (equals != std::string_view::npos && equals != 0) {
      const std::string key = UnescapePathName(part.substr(0, equals));
      const std::string value = UnescapePathName(part.substr(equals + 1));
      const auto same = std::find_if(parts.begin(), parts.end(),
                                     [&](const auto& known) { return known.first == key; });
      if (same == parts.end()) {
        parts.emplace_back(key, value);
      } else {
        same->second = value;
      }
    }
    name = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
  }
  return parts;
}

std::string ValuesText(const std::vector<std::string>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + values[i];
  return text + "]";
}

}  // namespace catalogd::hms
