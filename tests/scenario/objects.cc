#include "tests/scenario/objects.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "hms_client/embedded/object_codec.h"
#include "tests/support/hms_objects.h"

namespace catalogd::scenario {
namespace {

namespace api = thrift::hms;
using Parameters = std::map<std::string, std::string>;

constexpr const char* kDdlTime = "transient_lastDdlTime";
constexpr const char* kPlainOwner = "alice";  // Of objects that say nothing of an owner.
constexpr const char* kPlainType = "MANAGED_TABLE";
constexpr const char* kWarehouse = "file:/warehouse/";

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  if (!text.empty() && text.back() == by) parts.emplace_back();
  return parts;
}

// "a=b" into its two sides.
std::pair<std::string, std::string> Sides(const std::string& word) {
  const size_t at = word.find('=');
  if (at == std::string::npos) return {word, ""};
  return {word.substr(0, at), word.substr(at + 1)};
}

api::FieldSchema Column(const std::string& text) {
  const size_t at = text.find(':');
  return at == std::string::npos ? testing::MakeColumn(text)
                                 : testing::MakeColumn(text.substr(0, at), text.substr(at + 1));
}

std::vector<api::FieldSchema> Columns(const std::string& text) {
  std::vector<api::FieldSchema> columns;
  for (const std::string& column : Split(text, ',')) columns.push_back(Column(column));
  return columns;
}

void SetParameter(const std::string& key, const std::string& value, Parameters* parameters) {
  if (value.empty()) {
    parameters->erase(key);
  } else {
    (*parameters)[key] = value;
  }
}

Status Change(const std::string& word, api::Table* table) {
  if (word[0] == '+') {
    table->sd.cols.push_back(Column(word.substr(1)));
    return Ok();
  }
  if (word[0] == '-') {
    std::erase_if(table->sd.cols,
                  [&](const auto& column) { return column.name == word.substr(1); });
    return Ok();
  }
  const auto [key, value] = Sides(word);
  if (word.find('=') == std::string::npos) {
    table->sd.__set_cols(Columns(word));
    return Ok();
  }
  if (key == "keys") {
    table->__set_partitionKeys(Columns(value));
  } else if (key == "owner") {
    table->__set_owner(value);
  } else if (key == "type") {
    table->__set_tableType(value);
  } else if (key == "location") {
    table->sd.__set_location(value);
  } else {
    SetParameter(key, value, &table->parameters);
    table->__isset.parameters = true;
  }
  return Ok();
}

std::string JoinColumns(const std::vector<api::FieldSchema>& columns) {
  std::string text;
  for (const auto& column : columns) {
    if (!text.empty()) text += ",";
    text += column.name;
    if (column.type != "string") text += ":" + column.type;
  }
  return text;
}

// Times that the metastore sets are left out; those of scripts are small.
std::string JoinParameters(const Parameters& parameters) {
  constexpr size_t kDigitsOfRealTimes = 10;
  std::string text;
  for (const auto& [key, value] : parameters) {
    if (key == kDdlTime && value.size() >= kDigitsOfRealTimes) continue;
    text += " " + key + "=" + (value.find(' ') == std::string::npos ? value : "\"" + value + "\"");
  }
  return text;
}

template <class Object>
bool Same(std::string_view a, std::string_view b) {
  const auto left = hms::DecodeObject<Object>(a);
  const auto right = hms::DecodeObject<Object>(b);
  return left && right && *left == *right;
}

std::string LocationWord(const std::string& location) {
  if (location.empty() || location.rfind(kWarehouse, 0) == 0) return "";
  return " location=" + location;
}

}  // namespace

Result<std::string> ChangeTable(std::string_view table, const ObjectName& name,
                                const std::vector<std::string>& changes) {
  api::Table object = testing::MakeTable(name.db(), name.table());
  object.sd.__set_cols({testing::MakeColumn("id")});
  if (!table.empty()) {
    ASSIGN_OR_RETURN(object, hms::DecodeObject<api::Table>(table));
  }
  for (const std::string& word : changes) RETURN_IF_ERROR(Change(word, &object));
  return hms::EncodeObject(object);
}

std::string RenamedTable(std::string_view table, const ObjectName& to) {
  auto object = hms::DecodeObject<api::Table>(table);
  if (!object) return "";
  object->__set_dbName(to.db());
  object->__set_tableName(to.table());
  return hms::EncodeObject(*object);
}

Result<std::string> ChangeDatabase(std::string_view database, const ObjectName& name,
                                   const std::vector<std::string>& changes) {
  api::Database object = testing::MakeDatabase(name.db());
  object.__set_ownerName(kPlainOwner);
  object.__set_ownerType(api::PrincipalType::USER);
  if (!database.empty()) {
    ASSIGN_OR_RETURN(object, hms::DecodeObject<api::Database>(database));
  }
  for (const std::string& word : changes) {
    const auto [key, value] = Sides(word);
    if (key == "owner") {
      object.__set_ownerName(value);
      object.__set_ownerType(api::PrincipalType::USER);
    } else if (key == "description") {
      object.__set_description(value);
    } else {
      SetParameter(key, value, &object.parameters);
      object.__isset.parameters = true;
    }
  }
  return hms::EncodeObject(object);
}

std::vector<std::string> ValuesOf(const std::string& spec) {
  const std::string values = spec.substr(0, spec.find('{'));
  if (values.empty()) return {""};
  return Split(values, ',');
}

Result<std::string> MakePartition(std::string_view table, const std::string& spec) {
  ASSIGN_OR_RETURN(const auto owner, hms::DecodeObject<api::Table>(table));
  api::Partition partition = testing::MakePartition(owner, ValuesOf(spec));
  const size_t open = spec.find('{');
  if (open != std::string::npos) {
    for (const std::string& word : Split(spec.substr(open + 1, spec.size() - open - 2), ' ')) {
      const auto [key, value] = Sides(word);
      if (key == "location") {
        partition.sd.__set_location(value);
      } else {
        SetParameter(key, value, &partition.parameters);
      }
    }
  }
  return hms::EncodeObject(partition);
}

std::string DescribeTable(std::string_view table) {
  const auto object = hms::DecodeObject<api::Table>(table);
  if (!object) return "(not a table: " + object.error().message + ")";
  std::string text = JoinColumns(object->sd.cols);
  if (!object->partitionKeys.empty()) text += " keys=" + JoinColumns(object->partitionKeys);
  if (object->owner != kPlainOwner) text += " owner=" + object->owner;
  if (object->tableType != kPlainType) text += " type=" + object->tableType;
  return text + LocationWord(object->sd.location) + JoinParameters(object->parameters);
}

std::string DescribeDatabase(std::string_view database) {
  const auto object = hms::DecodeObject<api::Database>(database);
  if (!object) return "(not a database: " + object.error().message + ")";
  std::string text = "database";
  if (object->ownerName != kPlainOwner && !object->ownerName.empty())
    text += " owner=" + object->ownerName;
  if (!object->description.empty()) text += " description=" + object->description;
  return text + JoinParameters(object->parameters);
}

std::string DescribePartition(std::string_view partition) {
  const auto object = hms::DecodeObject<api::Partition>(partition);
  if (!object) return "(not a partition: " + object.error().message + ")";
  std::string text;
  for (const std::string& value : object->values) {
    if (!text.empty()) text += ",";
    text += value.find(' ') == std::string::npos ? value : "\"" + value + "\"";
  }
  std::string more = LocationWord(object->sd.location) + JoinParameters(object->parameters);
  if (!more.empty()) text += "{" + more.substr(1) + "}";
  return text;
}

std::string DescribeSnapshot(const ObjectName& name, const cache::Snapshot& snapshot) {
  if (name.is_database()) return DescribeDatabase(snapshot.object);
  std::string text = DescribeTable(snapshot.object);
  if (snapshot.partitions == nullptr) return text + "; partitions not loaded";
  if (snapshot.partition_keys.empty()) return text;
  text += "; partitions:";
  if (snapshot.partitions->size() == 0) return text + " none";
  snapshot.partitions->ForEach([&](std::string_view, const auto& append) {
    std::string bytes;
    append(&bytes);
    text += " " + DescribePartition(bytes);
    return true;
  });
  return text;
}

bool SameTable(std::string_view a, std::string_view b) { return Same<api::Table>(a, b); }
bool SameDatabase(std::string_view a, std::string_view b) { return Same<api::Database>(a, b); }
bool SamePartition(std::string_view a, std::string_view b) { return Same<api::Partition>(a, b); }

}  // namespace catalogd::scenario
