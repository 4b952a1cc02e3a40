#include <algorithm>
#include <set>

#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

namespace {

tl::unexpected<Error> NoPartition(const Strings& values) {
  return MakeError(ErrorCode::kNotFound, "partition values=" + ValuesText(values));
}

Result<api::Partition> PartitionIn(Rows& rows, const StoredTable& stored, const Strings& values) {
  // A wrong number of values names no partition.
  const Result<std::string> name = PartitionNameOf(stored.table, values);
  if (!name) return NoPartition(values);
  ASSIGN_OR_RETURN(std::optional<StoredPartition> found, rows.FindPartition(stored.id, *name));
  if (!found) return NoPartition(values);
  return std::move(found->partition);
}

// Names whose first values are as given; an empty value stands for any.
Result<Strings> NamesLike(Rows& rows, const StoredTable& stored, const Strings& values,
                          int64_t max) {
  if (values.size() > stored.table.partitionKeys.size()) {
    return MakeError(ErrorCode::kConflict, "Incorrect number of partition values. numPartKeys=" +
                                               std::to_string(stored.table.partitionKeys.size()) +
                                               ", part_val=" + std::to_string(values.size()));
  }
  ASSIGN_OR_RETURN(const Strings names, rows.ListPartitionNames(stored.id, -1));
  Strings matching;
  for (const std::string& name : names) {
    if (max >= 0 && std::ssize(matching) >= max) break;
    ASSIGN_OR_RETURN(const Strings has, PartitionNameToValues(name));
    bool matches = true;
    for (size_t i = 0; i < values.size() && i < has.size(); ++i) {
      matches = matches && (values[i].empty() || values[i] == has[i]);
    }
    if (matches) matching.push_back(name);
  }
  return matching;
}

Result<Partitions> PartitionsNamed(Rows& rows, int64_t table_id, const Strings& names) {
  const std::set<std::string> wanted(names.begin(), names.end());
  Partitions found;
  for (const std::string& name : wanted) {
    ASSIGN_OR_RETURN(std::optional<StoredPartition> one, rows.FindPartition(table_id, name));
    if (one) found.push_back(std::move(one->partition));
  }
  return found;
}

}  // namespace

Result<Strings> ValuesOfName(const api::Table& table, const std::string& partition_name) {
  Properties spec;
  for (size_t begin = 0; begin <= partition_name.size();) {
    const size_t end = std::min(partition_name.find('/', begin), partition_name.size());
    const std::string part = partition_name.substr(begin, end - begin);
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
      return MakeError(ErrorCode::kConflict, "Unexpected component " + part);
    }
    spec[NormalizeName(UnescapePathName(part.substr(0, equals)))] =
        UnescapePathName(part.substr(equals + 1));
    begin = end + 1;
  }
  Strings values;
  for (const api::FieldSchema& key : table.partitionKeys) {
    const auto found = spec.find(key.name);
    if (found == spec.end() || spec.size() != table.partitionKeys.size()) {
      return MakeError(ErrorCode::kConflict,
                       "incomplete partition name - missing " + key.name + " in " + partition_name);
    }
    values.push_back(found->second);
  }
  return values;
}

Result<api::Partition> GetPartition(Store& store, const ObjectName& table, const Strings& values) {
  return store.Read([&](Rows& rows) -> Result<api::Partition> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    return PartitionIn(rows, stored, values);
  });
}

Result<api::Partition> GetPartitionByName(Store& store, const ObjectName& table,
                                          const std::string& name) {
  return store.Read([&](Rows& rows) -> Result<api::Partition> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    ASSIGN_OR_RETURN(const Strings values, ValuesOfName(stored.table, name));
    return PartitionIn(rows, stored, values);
  });
}

Result<Partitions> ListPartitions(Store& store, const ObjectName& table, int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    ASSIGN_OR_RETURN(std::vector<StoredPartition> found, rows.ListPartitions(stored.id, max));
    Partitions partitions;
    partitions.reserve(found.size());
    for (StoredPartition& one : found) partitions.push_back(std::move(one.partition));
    return partitions;
  });
}

Result<Strings> ListPartitionNames(Store& store, const ObjectName& table, int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Strings> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    return rows.ListPartitionNames(stored.id, max);
  });
}

Result<Partitions> GetPartitionsByNames(Store& store, const ObjectName& table,
                                        const Strings& names) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    return PartitionsNamed(rows, stored.id, names);
  });
}

Result<Partitions> ListPartitionsLike(Store& store, const ObjectName& table, const Strings& values,
                                      int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    ASSIGN_OR_RETURN(const Strings names, NamesLike(rows, stored, values, max));
    return PartitionsNamed(rows, stored.id, names);
  });
}

Result<Strings> ListPartitionNamesLike(Store& store, const ObjectName& table, const Strings& values,
                                       int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Strings> {
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    return NamesLike(rows, stored, values, max);
  });
}

}  // namespace catalogd::hms::ops
