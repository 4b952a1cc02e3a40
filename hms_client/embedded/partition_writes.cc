#include <algorithm>
#include <set>

#include "hms_client/embedded/event_messages.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

namespace {

// As many partitions go into one event, as the metastore writes them in batches.
constexpr size_t kPartitionsPerEvent = 1000;

tl::unexpected<Error> NotPossible(std::string text) {
  return MakeError(ErrorCode::kInvalidState, std::move(text));
}

// The table an add or append goes to; its absence is a fault of the object given.
Result<StoredTable> TargetTable(Writer& writer, const CalledName& table, std::string complaint) {
  return Retold(RequireTable(writer, table), ErrorCode::kInvalidArgument, std::move(complaint));
}

// How a call by partition name tells of a table that is not there.
std::string NotFoundByName(const CalledName& table) {
  return table.written_db() + "." + table.written_table().value_or("") + " table not found";
}

// The table of an alter or rename; its absence makes the operation impossible.
Result<StoredTable> AlteredTable(Writer& writer, const CalledName& table) {
  return Retold(RequireTable(writer, table), ErrorCode::kInvalidState,
                FullName(table) + " table not found");
}

void PlacePartition(const api::Table& table, const std::string& name, api::Partition* partition) {
  if (!partition->__isset.sd) return;
  if (!partition->sd.location.empty()) {
    partition->sd.__set_location(Warehouse::Qualify(partition->sd.location));
  } else if (table.tableType == kVirtualView || table.sd.location.empty()) {
    partition->sd.__isset.location = false;
  } else {
    partition->sd.__set_location(Warehouse::PartitionLocation(table.sd.location, name));
  }
}

Status CheckBelongs(const api::Table& table, const api::Partition& partition) {
  const bool right_db =
      !partition.__isset.dbName || NormalizeName(partition.dbName) == table.dbName;
  const bool right_table =
      !partition.__isset.tableName || NormalizeName(partition.tableName) == table.tableName;
  if (right_db && right_table) return Ok();
  return MakeError(ErrorCode::kConflict,
                   "Partition does not belong to target table hive." + table.dbName + "." +
                       table.tableName + ". It belongs to the table " + partition.dbName + "." +
                       partition.tableName + " : Partition(values:" + ValuesText(partition.values) +
                       ")");
}

Status InsertPartition(Writer& writer, const StoredTable& stored, const std::string& name,
                       api::Partition* partition) {
  if (!partition->__isset.sd && stored.table.tableType != kVirtualView) {
    return MakeError(ErrorCode::kConflict, "partition " + ValuesText(partition->values) +
                                               " has no storage descriptor (field sd)");
  }
  if (partition->__isset.sd) {
    RETURN_IF_ERROR(CheckStorage(partition->sd));
    if (!partition->sd.location.empty()) {
      RETURN_IF_ERROR(Warehouse::CheckLocation(partition->sd.location));
    }
  }
  RETURN_IF_ERROR(CheckLengths(*partition));
  CompletePartition(stored.table, partition);
  PlacePartition(stored.table, name, partition);
  partition->__set_createTime(writer.now());
  SetDdlTime(writer.now(), partition);
  if (partition->__isset.sd && partition->sd.__isset.location) {
    RETURN_IF_ERROR(writer.MakeDirectory(partition->sd.location));
  }
  return writer.InsertPartition(stored.id, name, *partition);
}

Status LogAdded(Writer& writer, const api::Table& table, const Partitions& added) {
  if (added.empty()) return Ok();
  return writer.Log({event_type::kAddPartition, table.dbName, table.tableName,
                     AddPartitionMessage(table, added, writer.now())});
}

Result<Partitions> AddIn(Writer& writer, const StoredTable& stored, Partitions partitions,
                         bool if_not_exists) {
  Partitions added;
  std::set<std::string> seen;
  Strings existing;
  for (api::Partition& one : partitions) {
    if (one.values.empty()) {
      return MakeError(ErrorCode::kConflict, "The partition values cannot be null or empty.");
    }
    RETURN_IF_ERROR(CheckBelongs(stored.table, one));
    ASSIGN_OR_RETURN(const std::string name, PartitionNameOf(stored.table, one.values));
    if (!seen.insert(name).second) {
      return MakeError(ErrorCode::kConflict, "Duplicate partitions in the list: Partition(values:" +
                                                 ValuesText(one.values) + ")");
    }
    ASSIGN_OR_RETURN(const std::optional<StoredPartition> present,
                     writer.FindPartition(stored.id, name));
    if (present) {
      existing.push_back(name);
      continue;
    }
    RETURN_IF_ERROR(InsertPartition(writer, stored, name, &one));
    added.push_back(std::move(one));
  }
  if (!existing.empty() && !if_not_exists) {
    return MakeError(ErrorCode::kAlreadyExists,
                     "Partition(s) already exist, partition name(s): " + ValuesText(existing));
  }
  RETURN_IF_ERROR(LogAdded(writer, stored.table, added));
  return added;
}

Result<api::Partition> AppendIn(Writer& writer, const StoredTable& stored, const Strings& values) {
  if (values.empty()) {
    return MakeError(ErrorCode::kConflict, "The partition values must not be null or empty.");
  }
  ASSIGN_OR_RETURN(const std::string name, PartitionNameOf(stored.table, values));
  ASSIGN_OR_RETURN(const std::optional<StoredPartition> present,
                   writer.FindPartition(stored.id, name));
  if (present) {
    return MakeError(ErrorCode::kAlreadyExists,
                     "Partition already exists:Partition(values:" + ValuesText(values) +
                         ", dbName:" + stored.table.dbName +
                         ", tableName:" + stored.table.tableName + ")");
  }
  api::Partition partition;
  partition.__set_values(values);
  partition.__set_sd(stored.table.sd);
  partition.sd.__isset.location = false;
  partition.sd.location.clear();
  Partitions one;
  one.push_back(std::move(partition));
  ASSIGN_OR_RETURN(Partitions added, AddIn(writer, stored, std::move(one), false));
  return std::move(added.front());
}

// Replaces the content of a partition that keeps its values.
Result<StoredPartition> ReplaceIn(Writer& writer, const StoredTable& stored, api::Partition* next) {
  ASSIGN_OR_RETURN(const std::string name, PartitionNameOf(stored.table, next->values));
  ASSIGN_OR_RETURN(std::optional<StoredPartition> before, writer.FindPartition(stored.id, name));
  if (!before) {
    return NotPossible("alter is not possible: partition values=" + ValuesText(next->values));
  }
  if (!next->__isset.sd) next->__set_sd(before->partition.sd);
  if (next->sd.location.empty()) next->sd.__set_location(before->partition.sd.location);
  CompletePartition(stored.table, next);
  PlacePartition(stored.table, name, next);
  SetDdlTime(writer.now(), next);
  RETURN_IF_ERROR(writer.UpdatePartition(before->id, name, *next));
  return std::move(*before);
}

Status LogDropped(Writer& writer, const StoredTable& stored, const Partitions& dropped) {
  if (dropped.empty()) return Ok();
  return writer.Log({event_type::kDropPartition, stored.table.dbName, stored.table.tableName,
                     DropPartitionMessage(stored.table, dropped, writer.now())});
}

Status DeleteIn(Writer& writer, const StoredTable& stored, const StoredPartition& partition,
                bool delete_data) {
  if (delete_data && OwnsFiles(stored.table) && !partition.partition.sd.location.empty()) {
    writer.RemoveDirectoryLater(partition.partition.sd.location);
  }
  return writer.DeletePartition(partition.id);
}

Status DropOneIn(Writer& writer, const StoredTable& stored, const Strings& values,
                 bool delete_data) {
  if (values.empty()) return MakeError(ErrorCode::kConflict, "Partition name is invalid. null");
  ASSIGN_OR_RETURN(const std::string name, PartitionNameOf(stored.table, values));
  ASSIGN_OR_RETURN(std::optional<StoredPartition> found,
                   writer.FindPartition(stored.id, name, IfDamaged::kUseNames));
  if (!found) {
    return MakeError(ErrorCode::kNotFound, "partition values=" + ValuesText(values));
  }
  RETURN_IF_ERROR(DeleteIn(writer, stored, *found, delete_data));
  Partitions dropped;
  dropped.push_back(std::move(found->partition));
  return LogDropped(writer, stored, dropped);
}

// A managed partition in its default place follows its name.
Status PlaceRenamed(Writer& writer, const api::Table& table, const StoredPartition& before,
                    const std::string& new_name, api::Partition* next) {
  const std::string& old_place = before.partition.sd.location;
  const bool keeps = next->sd.location.empty() || next->sd.location == old_place;
  if (!keeps) return Ok();
  next->sd.__set_location(old_place);
  const std::string standard = Warehouse::PartitionLocation(table.sd.location, before.name);
  if (!IsManaged(table) || old_place != standard) return Ok();
  next->sd.__set_location(Warehouse::PartitionLocation(table.sd.location, new_name));
  return writer.MoveDirectory(old_place, next->sd.location);
}

Status RenameIn(Writer& writer, const StoredTable& stored, const Strings& values,
                api::Partition next) {
  const api::Table& table = stored.table;
  ASSIGN_OR_RETURN(const std::string old_name, PartitionNameOf(table, values));
  ASSIGN_OR_RETURN(const std::optional<StoredPartition> before,
                   writer.FindPartition(stored.id, old_name));
  if (!before) {
    return NotPossible("Unable to rename partition because old partition does not exist");
  }
  ASSIGN_OR_RETURN(const std::string new_name, PartitionNameOf(table, next.values));
  if (new_name != old_name) {
    ASSIGN_OR_RETURN(const std::optional<StoredPartition> target,
                     writer.FindPartition(stored.id, new_name));
    if (target) {
      return NotPossible("Partition already exists:" + table.dbName + "." + table.tableName + "." +
                         ValuesText(next.values));
    }
  }
  if (!next.__isset.sd) next.__set_sd(before->partition.sd);
  RETURN_IF_ERROR(PlaceRenamed(writer, table, *before, new_name, &next));
  CompletePartition(table, &next);
  PlacePartition(table, new_name, &next);
  SetDdlTime(writer.now(), &next);
  RETURN_IF_ERROR(writer.UpdatePartition(before->id, new_name, next));
  return writer.Log({event_type::kAlterPartition, table.dbName, table.tableName,
                     AlterPartitionMessage(table, before->partition, next, writer.now())});
}

}  // namespace

Result<Partitions> AddPartitions(Store& store, const CalledName& table, Partitions partitions,
                                 bool if_not_exists) {
  return store.Write([&](Writer& writer) -> Result<Partitions> {
    ASSIGN_OR_RETURN(
        const StoredTable stored,
        TargetTable(writer, table,
                    "Unable to add partitions because " + FullName(table) + " does not exist"));
    return AddIn(writer, stored, std::move(partitions), if_not_exists);
  });
}

Result<api::Partition> AppendPartition(Store& store, const CalledName& table,
                                       const Strings& values) {
  return store.Write([&](Writer& writer) -> Result<api::Partition> {
    ASSIGN_OR_RETURN(const StoredTable stored,
                     TargetTable(writer, table,
                                 "Unable to add partition because table or database do not exist"));
    return AppendIn(writer, stored, values);
  });
}

Result<api::Partition> AppendPartitionByName(Store& store, const CalledName& table,
                                             const std::string& name) {
  return store.Write([&](Writer& writer) -> Result<api::Partition> {
    ASSIGN_OR_RETURN(const StoredTable stored, TargetTable(writer, table, NotFoundByName(table)));
    const Result<Strings> values = ValuesOfName(stored.table, name);
    if (values) return AppendIn(writer, stored, *values);
    // A name without a key is a fault of the object that would be made.
    const bool missing = values.error().code == ErrorCode::kNotFound;
    return MakeError(missing ? ErrorCode::kInvalidArgument : values.error().code,
                     values.error().message);
  });
}

Status AlterPartition(Store& store, const CalledName& table, api::Partition next) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, AlteredTable(writer, table));
    ASSIGN_OR_RETURN(const StoredPartition before, ReplaceIn(writer, stored, &next));
    return writer.Log({event_type::kAlterPartition, stored.table.dbName, stored.table.tableName,
                       AlterPartitionMessage(stored.table, before.partition, next, writer.now())});
  });
}

Status AlterPartitions(Store& store, const CalledName& table, Partitions next) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, AlteredTable(writer, table));
    std::set<std::string> found;
    for (api::Partition& one : next) {
      Result<StoredPartition> before = ReplaceIn(writer, stored, &one);
      if (before) {
        found.insert(before->name);
      } else if (before.error().code != ErrorCode::kInvalidState) {
        return AsError(std::move(before).error());
      }
    }
    if (found.size() != next.size()) {
      return NotPossible("Alter partition operation failed: new parts size " +
                         std::to_string(next.size()) + " not matching with old parts size " +
                         std::to_string(found.size()));
    }
    for (size_t begin = 0; begin < next.size(); begin += kPartitionsPerEvent) {
      const size_t end = std::min(begin + kPartitionsPerEvent, next.size());
      const Partitions chunk(next.begin() + static_cast<ptrdiff_t>(begin),
                             next.begin() + static_cast<ptrdiff_t>(end));
      RETURN_IF_ERROR(
          writer.Log({event_type::kAlterPartitions, stored.table.dbName, stored.table.tableName,
                      AlterPartitionsMessage(stored.table, chunk, false, writer.now())}));
    }
    return Ok();
  });
}

Status RenamePartition(Store& store, const CalledName& table, const Strings& values,
                       api::Partition next) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, AlteredTable(writer, table));
    return RenameIn(writer, stored, values, std::move(next));
  });
}

Result<Partitions> DropPartitions(Store& store, const CalledName& table, const Strings& names,
                                  const DropPartitionsOptions& options) {
  return store.Write([&](Writer& writer) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(writer, table));
    const std::set<std::string> wanted(names.begin(), names.end());
    Partitions dropped;
    for (const std::string& name : wanted) {
      ASSIGN_OR_RETURN(std::optional<StoredPartition> one,
                       writer.FindPartition(stored.id, name, IfDamaged::kUseNames));
      if (!one) continue;
      RETURN_IF_ERROR(DeleteIn(writer, stored, *one, options.delete_data));
      // One made of its name alone knows no other names.
      one->partition.__set_dbName(stored.table.dbName);
      one->partition.__set_tableName(stored.table.tableName);
      dropped.push_back(std::move(one->partition));
    }
    if (dropped.size() != wanted.size() && !options.if_exists) {
      return MakeError(ErrorCode::kNotFound, "Some partitions to drop are missing");
    }
    RETURN_IF_ERROR(LogDropped(writer, stored, dropped));
    return dropped;
  });
}

Status DropPartition(Store& store, const CalledName& table, const Strings& values,
                     bool delete_data) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(
        const StoredTable stored,
        Retold(RequireTable(writer, table), ErrorCode::kNotFound,
               "Unable to get partition because " + FullName(table) + " does not exist"));
    return DropOneIn(writer, stored, values, delete_data);
  });
}

Status DropPartitionByName(Store& store, const CalledName& table, const std::string& name,
                           bool delete_data) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const StoredTable stored, Retold(RequireTable(writer, table),
                                                      ErrorCode::kNotFound, NotFoundByName(table)));
    ASSIGN_OR_RETURN(const Strings values, ValuesOfName(stored.table, name));
    return DropOneIn(writer, stored, values, delete_data);
  });
}

}  // namespace catalogd::hms::ops
