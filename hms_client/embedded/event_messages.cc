#include "hms_client/embedded/event_messages.h"

#include "hms_client/embedded/json_writer.h"
#include "hms_client/embedded/object_codec.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_idl/hive_metastore_types.h"

namespace catalogd::hms {

namespace api = thrift::hms;

namespace {

void KeyValues(const api::Table& table, const std::vector<std::string>& values, JsonWriter* json) {
  json->Open('{');
  for (size_t i = 0; i < table.partitionKeys.size() && i < values.size(); ++i) {
    json->Field(table.partitionKeys[i].name, values[i]);
  }
  json->Close('}');
}

void PartitionMaps(const api::Table& table, const Partitions& partitions, JsonWriter* json) {
  json->Key("partitions").Open('[');
  for (const api::Partition& one : partitions) KeyValues(table, one.values, json);
  json->Close(']');
}

void PartitionImages(const Partitions& partitions, JsonWriter* json) {
  json->Key("partitionListJson").Open('[');
  for (const api::Partition& one : partitions) json->Text(ObjectToJson(one));
  json->Close(']');
}

}  // namespace

std::string CreateDatabaseMessage(const api::Database& database, int32_t now) {
  JsonWriter json = BeginMessage();
  json.Field("db", database.name).Field("dbJson", ObjectToJson(database));
  return json.Field("timestamp", now).Close('}').Take();
}

std::string AlterDatabaseMessage(const api::Database& before, const api::Database& after,
                                 int32_t now) {
  JsonWriter json = BeginMessage();
  json.Field("db", before.name).Field("dbObjBeforeJson", ObjectToJson(before));
  json.Field("dbObjAfterJson", ObjectToJson(after));
  return json.Field("timestamp", now).Close('}').Take();
}

std::string DropDatabaseMessage(const api::Database& database, int32_t now) {
  return CreateDatabaseMessage(database, now);
}

std::string CreateTableMessage(const api::Table& table, int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table)).Field("timestamp", now);
  return json.Key("files").Open('[').Close(']').Close('}').Take();
}

std::string AlterTableMessage(const api::Table& before, const api::Table& after, bool truncated,
                              int32_t now) {
  JsonWriter json = BeginTableMessage(before);
  json.Field("tableObjBeforeJson", ObjectToJson(before));
  json.Field("tableObjAfterJson", ObjectToJson(after));
  json.Field("isTruncateOp", BoolText(truncated)).Field("timestamp", now);
  return json.Field("writeId", after.writeId).Close('}').Take();
}

std::string DropTableMessage(const api::Table& table, int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table));
  return json.Field("timestamp", now).Close('}').Take();
}

std::string AddPartitionMessage(const api::Table& table, const Partitions& partitions,
                                int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table)).Field("timestamp", now);
  PartitionMaps(table, partitions, &json);
  PartitionImages(partitions, &json);
  json.Key("partitionFiles").Open('[');
  for (const api::Partition& one : partitions) {
    json.Open('{').Field("partitionName", PartitionNameOf(table, one.values).value_or(""));
    json.Key("files").Open('[').Close(']').Close('}');
  }
  return json.Close(']').Close('}').Take();
}

std::string AlterPartitionMessage(const api::Table& table, const api::Partition& before,
                                  const api::Partition& after, int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table)).Field("isTruncateOp", "false");
  json.Field("timestamp", now).Field("writeId", after.writeId);
  json.Key("keyValues");
  KeyValues(table, before.values, &json);
  json.Field("partitionObjBeforeJson", ObjectToJson(before));
  return json.Field("partitionObjAfterJson", ObjectToJson(after)).Close('}').Take();
}

std::string AlterPartitionsMessage(const api::Table& table, const Partitions& partitions,
                                   bool truncated, int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table)).Field("isTruncateOp", BoolText(truncated));
  json.Field("timestamp", now).Field("writeId", partitions.empty() ? -1 : partitions[0].writeId);
  PartitionMaps(table, partitions, &json);
  PartitionImages(partitions, &json);
  return json.Close('}').Take();
}

std::string DropPartitionMessage(const api::Table& table, const Partitions& partitions,
                                 int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table)).Field("timestamp", now);
  PartitionMaps(table, partitions, &json);
  return json.Close('}').Take();
}

}  // namespace catalogd::hms
