#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catalog/base/names.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/write.h"

namespace catalogd::testing {

// A table as tests think of it, written as the metastore answers it (Thrift binary) and as its log
// messages carry it (TJSON). Plain data.
struct TestTable {
  std::string db = "sales";
  std::string name = "orders";
  std::vector<std::string> columns = {"id"};
  std::vector<std::string> keys;
  std::map<std::string, std::string> parameters;
  std::string type = "EXTERNAL_TABLE";

  [[nodiscard]] ObjectName object() const { return ObjectName::Table("hive", db, name); }
  [[nodiscard]] TestTable With(const std::string& key, const std::string& value) const {
    TestTable copy = *this;
    copy.parameters[key] = value;
    return copy;
  }
  [[nodiscard]] TestTable Named(const std::string& other) const {
    TestTable copy = *this;
    copy.name = other;
    return copy;
  }
};

namespace internal {

inline void WriteColumns(const std::vector<std::string>& names, int16_t field, wire::Writer* out) {
  out->Field(wire::TType::kList, field);
  out->ListBegin(wire::TType::kStruct, names.size());
  for (const std::string& name : names) {
    out->StringField(ids::field_schema::kName, name);
    out->StringField(ids::field_schema::kType, "string");
    out->Stop();
  }
}

inline std::string JsonColumns(const std::vector<std::string>& names) {
  std::string text = "{\"lst\":[\"rec\"," + std::to_string(names.size());
  for (const std::string& name : names) {
    text += ",{\"1\":{\"str\":\"" + name + "\"},\"2\":{\"str\":\"string\"}}";
  }
  return text + "]}";
}

inline std::string JsonMap(const std::map<std::string, std::string>& map) {
  std::string text = "{\"map\":[\"str\",\"str\"," + std::to_string(map.size()) + ",{";
  bool first = true;
  for (const auto& [key, value] : map) {
    if (!first) text += ",";
    first = false;
    text += "\"" + key + "\":\"" + value + "\"";
  }
  return text + "}]}";
}

// The text as the content of a JSON string.
inline std::string Quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace internal

// As get_table answers it: the members that a message leaves out are there.
inline std::string TableBytes(const TestTable& table) {
  std::string bytes;
  wire::Writer out(&bytes);
  out.StringField(ids::table::kTableName, table.name);
  out.StringField(ids::table::kDbName, table.db);
  out.Field(wire::TType::kStruct, ids::table::kSd);
  internal::WriteColumns(table.columns, ids::storage_descriptor::kCols, &out);
  out.Field(wire::TType::kList, ids::storage_descriptor::kBucketCols);
  out.ListBegin(wire::TType::kString, 0);
  out.Field(wire::TType::kList, ids::storage_descriptor::kSortCols);
  out.ListBegin(wire::TType::kStruct, 0);
  out.StringMapField(ids::storage_descriptor::kParameters, {});
  out.Field(wire::TType::kStruct, ids::storage_descriptor::kSkewedInfo);
  out.Field(wire::TType::kList, ids::skewed_info::kSkewedColNames);
  out.ListBegin(wire::TType::kString, 0);
  out.Field(wire::TType::kList, ids::skewed_info::kSkewedColValues);
  out.ListBegin(wire::TType::kList, 0);
  out.Field(wire::TType::kMap, ids::skewed_info::kSkewedColValueLocationMaps);
  out.MapBegin(wire::TType::kList, wire::TType::kString, 0);
  out.Stop();
  out.BoolField(ids::storage_descriptor::kStoredAsSubDirectories, false);
  out.Stop();
  internal::WriteColumns(table.keys, ids::table::kPartitionKeys, &out);
  out.StringMapField(ids::table::kParameters, table.parameters);
  out.StringField(ids::table::kTableType, table.type);
  out.I32Field(ids::table::kOwnerType, 1);
  out.BoolField(ids::table::kRewriteEnabled, false);
  out.Stop();
  return bytes;
}

inline std::string TableJson(const TestTable& table) {
  return "{\"1\":{\"str\":\"" + table.name + "\"},\"2\":{\"str\":\"" + table.db +
         "\"},\"7\":{\"rec\":{\"1\":" + internal::JsonColumns(table.columns) +
         "}},\"8\":" + internal::JsonColumns(table.keys) +
         ",\"9\":" + internal::JsonMap(table.parameters) + ",\"12\":{\"str\":\"" + table.type +
         "\"},\"18\":{\"i32\":1}}";
}

inline std::string PartitionBytes(const TestTable& table, const std::vector<std::string>& values,
                                  const std::map<std::string, std::string>& parameters = {}) {
  std::string bytes;
  wire::Writer out(&bytes);
  out.StringListField(ids::partition::kValues, values);
  out.StringField(ids::partition::kDbName, table.db);
  out.StringField(ids::partition::kTableName, table.name);
  out.StringMapField(ids::partition::kParameters, parameters);
  out.Stop();
  return bytes;
}

inline std::string PartitionJson(const TestTable& table, const std::vector<std::string>& values,
                                 const std::map<std::string, std::string>& parameters = {}) {
  std::string list = "{\"lst\":[\"str\"," + std::to_string(values.size());
  for (const std::string& value : values) list += ",\"" + value + "\"";
  list += "]}";
  return "{\"1\":" + list + ",\"2\":{\"str\":\"" + table.db + "\"},\"3\":{\"str\":\"" + table.name +
         "\"},\"7\":" + internal::JsonMap(parameters) + "}";
}

inline std::string DatabaseBytes(const std::string& name) {
  std::string bytes;
  wire::Writer out(&bytes);
  out.StringField(ids::database::kName, name);
  out.Stop();
  return bytes;
}

// Messages of the log, json-0.2.
inline std::string CreateTableMessage(const TestTable& table) {
  return "{\"db\":\"" + table.db + "\",\"table\":\"" + table.name +
         "\",\"tableObjJson\":" + internal::Quote(TableJson(table)) +
         ",\"files\":[],\"timestamp\":1}";
}
inline std::string AlterTableMessage(const TestTable& before, const TestTable& after) {
  return "{\"db\":\"" + before.db + "\",\"table\":\"" + before.name +
         "\",\"tableObjBeforeJson\":" + internal::Quote(TableJson(before)) +
         ",\"tableObjAfterJson\":" + internal::Quote(TableJson(after)) + ",\"timestamp\":1}";
}
inline std::string DropTableMessage(const TestTable& table) {
  return "{\"db\":\"" + table.db + "\",\"table\":\"" + table.name + "\",\"timestamp\":1}";
}
inline std::string AddPartitionMessage(const TestTable& table,
                                       const std::vector<std::vector<std::string>>& partitions) {
  std::string maps;
  std::string images;
  for (const auto& values : partitions) {
    if (!maps.empty()) maps += ",";
    if (!images.empty()) images += ",";
    std::string map;
    for (size_t i = 0; i < values.size(); ++i) {
      map += (i > 0 ? ",\"" : "\"") + table.keys[i] + "\":\"" + values[i] + "\"";
    }
    maps += "{" + map + "}";
    images += internal::Quote(PartitionJson(table, values));
  }
  return "{\"db\":\"" + table.db + "\",\"table\":\"" + table.name +
         "\",\"tableObjJson\":" + internal::Quote(TableJson(table)) + ",\"partitions\":[" + maps +
         "],\"partitionListJson\":[" + images + "],\"timestamp\":1}";
}

}  // namespace catalogd::testing
