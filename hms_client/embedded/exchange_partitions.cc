#include <algorithm>

#include "hms_client/embedded/event_messages.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/partition_search.h"

namespace catalogd::hms::ops {

namespace {

bool SameColumns(const std::vector<api::FieldSchema>& a, const std::vector<api::FieldSchema>& b) {
  const auto same = [](const api::FieldSchema& x, const api::FieldSchema& y) {
    return x.name == y.name && x.type == y.type;
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

// The values given must be those of the first keys.
Status CheckValues(const api::Table& table, const Properties& values) {
  if (values.empty()) {
    return MakeError(ErrorCode::kConflict, "The partition values to exchange are not given");
  }
  // An empty value stands for any.
  const Strings keys = KeyNames(table);
  bool gap = false;
  for (const std::string& key : keys) {
    const auto found = values.find(key);
    const bool has = found != values.end() && !found->second.empty();
    if (has && gap) {
      return MakeError(ErrorCode::kConflict,
                       "Invalid partition value for key " + key + ": an earlier one is missing");
    }
    gap = gap || !has;
  }
  for (const auto& [key, value] : values) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    return MakeError(ErrorCode::kConflict, "Key " + key + " is not a partition key of table " +
                                               table.dbName + "." + table.tableName);
  }
  return Ok();
}

bool HasValues(const api::Table& table, const Properties& values, const Strings& have) {
  const Strings keys = KeyNames(table);
  for (size_t i = 0; i < keys.size() && i < have.size(); ++i) {
    const auto found = values.find(keys[i]);
    const bool any = found == values.end() || found->second.empty();
    if (!any && found->second != have[i]) return false;
  }
  return true;
}

Result<api::Partition> MoveIn(Writer& writer, const StoredPartition& one, const StoredTable& to) {
  ASSIGN_OR_RETURN(const auto taken, writer.FindPartition(to.id, one.name));
  if (taken) {
    return MakeError(ErrorCode::kConflict,
                     "The partition already exists in the destination: " + to.table.dbName + "." +
                         to.table.tableName + " " + one.name);
  }
  api::Partition moved = one.partition;
  const std::string from = moved.sd.location;
  moved.sd.__set_location(Warehouse::PartitionLocation(to.table.sd.location, one.name));
  CompletePartition(to.table, &moved);
  if (!from.empty()) RETURN_IF_ERROR(writer.MoveDirectory(from, moved.sd.location));
  RETURN_IF_ERROR(writer.DeletePartition(one.id));
  RETURN_IF_ERROR(writer.InsertPartition(to.id, one.name, moved));
  return moved;
}

}  // namespace

Result<Partitions> ExchangePartitions(Store& store, const Properties& values,
                                      const CalledName& source, const CalledName& target) {
  return store.Write([&](Writer& writer) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const StoredTable to, RequireTable(writer, target));
    ASSIGN_OR_RETURN(const StoredTable from, RequireTable(writer, source));
    if (!SameColumns(from.table.sd.cols, to.table.sd.cols) ||
        !SameColumns(from.table.partitionKeys, to.table.partitionKeys)) {
      return MakeError(ErrorCode::kConflict,
                       "The tables have different schemas. Their partitions "
                       "cannot be exchanged.");
    }
    RETURN_IF_ERROR(CheckValues(from.table, values));
    ASSIGN_OR_RETURN(std::vector<StoredPartition> all, writer.ListPartitions(from.id, -1));
    std::erase_if(all, [&](const StoredPartition& one) {
      return !HasValues(from.table, values, one.partition.values);
    });
    if (all.empty()) {
      return MakeError(ErrorCode::kConflict, "No partition is found with the values given");
    }
    Partitions moved;
    for (const StoredPartition& one : all) {
      ASSIGN_OR_RETURN(api::Partition now, MoveIn(writer, one, to));
      moved.push_back(std::move(now));
    }
    RETURN_IF_ERROR(writer.Log({event_type::kAddPartition, to.table.dbName, to.table.tableName,
                                AddPartitionMessage(to.table, moved, writer.now())}));
    for (const StoredPartition& one : all) {
      RETURN_IF_ERROR(
          writer.Log({event_type::kDropPartition, from.table.dbName, from.table.tableName,
                      DropPartitionMessage(from.table, {one.partition}, writer.now())}));
    }
    return moved;
  });
}

}  // namespace catalogd::hms::ops
