#include "hms_client/embedded/reported_events.h"

#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/service_messages.h"

namespace catalogd::hms::ops {

namespace {

using EventIds = std::vector<int64_t>;

// Without change management there is neither a checksum nor another place to tell of.
Strings FileEntries(const Strings& files) {
  Strings entries;
  for (const std::string& file : files) entries.push_back(file + "###");
  return entries;
}

// No values: none is meant.
Result<std::optional<api::Partition>> PartitionOf(Rows& rows, const StoredTable& stored,
                                                  const Strings& values) {
  if (values.empty() || stored.table.partitionKeys.empty()) return std::optional<api::Partition>();
  ASSIGN_OR_RETURN(const std::string name, PartitionNameOf(stored.table, values));
  ASSIGN_OR_RETURN(auto found, rows.FindPartition(stored.id, name));
  if (found) return std::optional<api::Partition>(std::move(found->partition));
  return MakeError(ErrorCode::kNotFound, "partition values=" + ValuesText(values));
}

Status LogInsert(Writer& writer, const StoredTable& stored, const api::InsertEventRequestData& data,
                 const Strings& values, EventIds* ids) {
  ASSIGN_OR_RETURN(const std::optional<api::Partition> partition,
                   PartitionOf(writer, stored, values));
  // An absent flag reads as true.
  const bool replace = !data.__isset.replace || data.replace;
  const std::string message = InsertMessage(stored.table, partition ? &*partition : nullptr,
                                            replace, FileEntries(data.filesAdded), writer.now());
  ASSIGN_OR_RETURN(const int64_t id, AppendEvent(writer.db(), writer.now(),
                                                 {event_type::kInsert, stored.table.dbName,
                                                  stored.table.tableName, message}));
  ids->push_back(id);
  return Ok();
}

Status LogReload(Writer& writer, const StoredTable& stored, const Strings& values, bool refresh,
                 EventIds* ids) {
  ASSIGN_OR_RETURN(const std::optional<api::Partition> partition,
                   PartitionOf(writer, stored, values));
  const std::string message =
      ReloadMessage(stored.table, partition ? &*partition : nullptr, refresh, writer.now());
  ASSIGN_OR_RETURN(const int64_t id, AppendEvent(writer.db(), writer.now(),
                                                 {event_type::kReload, stored.table.dbName,
                                                  stored.table.tableName, message}));
  ids->push_back(id);
  return Ok();
}

}  // namespace

Result<EventIds> ReportEvents(Store& store, const api::FireEventRequest& request) {
  const CalledName table = hms::TableName(request.catName, request.dbName, request.tableName);
  return store.Write([&](Writer& writer) -> Result<EventIds> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(writer, table));
    EventIds ids;
    const api::FireEventRequestData& data = request.data;
    if (data.__isset.insertData) {
      RETURN_IF_ERROR(LogInsert(writer, stored, data.insertData, request.partitionVals, &ids));
    }
    for (const api::InsertEventRequestData& one : data.insertDatas) {
      RETURN_IF_ERROR(LogInsert(writer, stored, one, one.partitionVal, &ids));
    }
    if (!data.__isset.refreshEvent) return ids;
    std::vector<Strings> partitions = request.batchPartitionValsForRefresh;
    if (partitions.empty()) partitions.push_back(request.partitionVals);
    for (const Strings& values : partitions) {
      RETURN_IF_ERROR(LogReload(writer, stored, values, data.refreshEvent, &ids));
    }
    return ids;
  });
}

Status ReportWrites(Store& store, const CalledName& table,
                    const std::vector<api::WriteNotificationLogRequest>& writes) {
  return store.Read([&](Rows& rows) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    for (const api::WriteNotificationLogRequest& one : writes) {
      auto partition = PartitionOf(rows, stored, one.partitionVals);
      if (!partition) return AsError(std::move(partition).error());
    }
    return Ok();
  });
}

}  // namespace catalogd::hms::ops
