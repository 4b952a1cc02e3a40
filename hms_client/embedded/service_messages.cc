#include "hms_client/embedded/service_messages.h"

#include "hms_client/embedded/json_writer.h"
#include "hms_client/embedded/object_codec.h"

namespace catalogd::hms {

namespace api = thrift::hms;

namespace {

JsonWriter& Server(JsonWriter* json) {
  return json->Field("server", "").Field("servicePrincipal", "");
}

JsonWriter& ObjectOrNull(const char* key, const api::Partition* partition, JsonWriter* json) {
  json->Key(key);
  return partition != nullptr ? json->Text(ObjectToJson(*partition)) : json->Null();
}

}  // namespace

std::string CreateFunctionMessage(const api::Function& function, int32_t now) {
  JsonWriter json = BeginMessage();
  json.Field("db", function.dbName).Field("functionObjJson", ObjectToJson(function));
  return json.Field("timestamp", now).Close('}').Take();
}

std::string DropFunctionMessage(const api::Function& function, int32_t now) {
  JsonWriter json = BeginMessage();
  json.Field("db", function.dbName).Field("functionName", function.functionName);
  return json.Field("timestamp", now).Close('}').Take();
}

std::string AddConstraintsMessage(std::string_view key, const std::vector<std::string>& images,
                                  int32_t now) {
  JsonWriter json = BeginMessage();
  return json.Field("timestamp", now).Key(key).Array(images).Close('}').Take();
}

std::string DropConstraintMessage(std::string_view db, std::string_view table,
                                  std::string_view constraint, int32_t now) {
  JsonWriter json = BeginMessage();
  json.Field("dbName", db).Field("tableName", table).Field("constraintName", constraint);
  return json.Field("timestamp", now).Close('}').Take();
}

std::string UpdateStatisticsMessage(const api::ColumnStatistics& statistics,
                                    const api::Table& table, const api::Partition* partition,
                                    int32_t now) {
  JsonWriter json;
  json.Open('{').Field("writeId", -1).Field("timestamp", now);
  Server(&json).Field("database", table.dbName);
  json.Field("colStatsJson", ObjectToJson(statistics)).Key("parameters").Open('{');
  for (const auto& [key, value] : partition != nullptr ? partition->parameters : table.parameters) {
    json.Field(key, value);
  }
  json.Close('}');
  if (partition != nullptr) json.Key("partVals").Array(partition->values);
  return json.Field("tableObjJson", ObjectToJson(table)).Close('}').Take();
}

std::string DeleteStatisticsMessage(const DeletedStatistics& deleted, int32_t now) {
  JsonWriter json;
  json.Open('{').Field("timestamp", now);
  Server(&json).Field("database", deleted.db).Key("colName");
  deleted.column ? json.Text(*deleted.column) : json.Null();
  if (deleted.partition_name != nullptr) {
    json.Field("partName", *deleted.partition_name);
    json.Key("partValues").Array(*deleted.partition_values);
  }
  return json.Close('}').Take();
}

std::string OpenTxnMessage(int64_t first, int64_t last, int32_t now) {
  JsonWriter json;
  json.Open('{').Key("txnIds").Null().Field("timestamp", now);
  json.Field("fromTxnId", first).Field("toTxnId", last);
  return Server(&json).Close('}').Take();
}

std::string CommitTxnMessage(int64_t id, const std::vector<int64_t>& write_ids,
                             const std::vector<std::string>& databases, int32_t now) {
  JsonWriter json;
  json.Open('{').Field("txnid", id).Field("timestamp", now);
  Server(&json).Key("writeIds").Array(write_ids).Key("databases").Array(databases);
  for (const char* key : {"tables", "partitions", "tableObjs", "partitionObjs", "files"}) {
    json.Key(key).Null();
  }
  return json.Close('}').Take();
}

std::string AbortTxnMessage(int64_t id, const std::vector<int64_t>& write_ids,
                            const std::vector<std::string>& databases, int32_t now) {
  JsonWriter json;
  json.Open('{').Field("txnid", id).Field("timestamp", now);
  Server(&json).Key("dbsUpdated").Array(databases).Key("writeIds").Array(write_ids);
  return json.Close('}').Take();
}

std::string AllocWriteIdMessage(std::string_view db, std::string_view table,
                                const std::vector<int64_t>& transactions,
                                const std::vector<int64_t>& write_ids, int32_t now) {
  JsonWriter json = BeginMessage();
  json.Field("dbName", db).Field("tableName", table);
  json.Key("txnIdList").Array(transactions).Key("writeIdList").Array(write_ids);
  return json.Field("timestamp", now).Close('}').Take();
}

std::string InsertMessage(const api::Table& table, const api::Partition* partition, bool replace,
                          const std::vector<std::string>& files, int32_t now) {
  JsonWriter json = BeginTableMessage(table);
  json.Field("tableObjJson", ObjectToJson(table));
  ObjectOrNull("ptnObjJson", partition, &json).Field("timestamp", now);
  return json.Field("replace", BoolText(replace)).Key("files").Array(files).Close('}').Take();
}

std::string ReloadMessage(const api::Table& table, const api::Partition* partition, bool refresh,
                          int32_t now) {
  JsonWriter json;
  json.Open('{').Field("timestamp", now);
  Server(&json).Field("db", table.dbName).Field("table", table.tableName);
  json.Field("tableObjJson", ObjectToJson(table));
  ObjectOrNull("ptnObjJson", partition, &json).Field("refreshEvent", BoolText(refresh));
  return json.Key("partitionListJson").Null().Close('}').Take();
}

}  // namespace catalogd::hms
