#include <algorithm>
#include <set>

#include "hms_client/embedded/name_pattern.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

namespace {

Result<api::Partition> PartitionIn(Rows& rows, const StoredTable& stored, const Strings& values) {
  ASSIGN_OR_RETURN(const std::string name, PartitionNameOf(stored.table, values));
  ASSIGN_OR_RETURN(std::optional<StoredPartition> found, rows.FindPartition(stored.id, name));
  if (found) return std::move(found->partition);
  return MakeError(ErrorCode::kNotFound, "partition values=" + ValuesText(values));
}

// The metastore's way: the given values make the beginning of a name, which anything may follow;
// so the last value of a list that is too short is only the beginning of a value. A dot in a value
// matches any character.
Result<Strings> NamesLike(Rows& rows, const StoredTable& stored, const Strings& values,
                          int64_t max) {
  const Strings keys = KeyNames(stored.table);
  if (values.size() > keys.size()) {
    return MakeError(ErrorCode::kConflict, "Incorrect number of partition values. numPartKeys=" +
                                               std::to_string(keys.size()) +
                                               ", part_val=" + ValuesText(values));
  }
  std::string pattern;
  for (size_t i = 0; i < values.size(); ++i) {
    pattern += (i > 0 ? "/" : "") + EscapePathName(keys[i]) + "=";
    pattern += values[i].empty() ? "*" : EscapePathName(values[i]);
  }
  if (values.size() < keys.size()) pattern += "*";
  const NamePattern wanted = NamePattern::OfPartitions(pattern);
  ASSIGN_OR_RETURN(const Strings names, rows.ListPartitionNames(stored.id, -1));
  Strings matching;
  for (const std::string& name : names) {
    if (max >= 0 && std::ssize(matching) >= max) break;
    if (wanted.Matches(name)) matching.push_back(name);
  }
  return matching;
}

// The lists answer nothing for a table that is not there.
Result<std::optional<StoredTable>> TableOrNothing(Rows& rows, const CalledName& table) {
  RETURN_IF_ERROR(CheckNamed(table));
  Result<StoredTable> stored = RequireTable(rows, table);
  if (stored) return std::optional<StoredTable>(std::move(*stored));
  if (stored.error().code == ErrorCode::kNotFound) return std::optional<StoredTable>();
  return AsError(std::move(stored).error());
}

// The table of a look-up by partition name; its absence is told without the catalog.
Result<StoredTable> TableOfName(Rows& rows, const CalledName& table) {
  return Retold(RequireTable(rows, table), ErrorCode::kNotFound,
                table.written_db() + "." + table.written_table().value_or("") + " table not found");
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
  if (partition_name.empty()) {
    return MakeError(ErrorCode::kConflict, "Partition name is invalid. ");
  }
  Properties spec;
  for (auto& [key, value] : PartitionNameParts(partition_name)) spec[key] = std::move(value);
  Strings values;
  for (const api::FieldSchema& key : table.partitionKeys) {
    const auto found = spec.find(key.name);
    if (found == spec.end()) {
      return MakeError(ErrorCode::kNotFound, "incomplete partition name - missing " + key.name);
    }
    values.push_back(found->second);
  }
  return values;
}

Result<api::Partition> GetPartition(Store& store, const CalledName& table, const Strings& values) {
  return store.Read([&](Rows& rows) -> Result<api::Partition> {
    RETURN_IF_ERROR(CheckNamed(table));
    ASSIGN_OR_RETURN(
        const StoredTable stored,
        Retold(RequireTable(rows, table), ErrorCode::kNotFound,
               "Unable to get partition because " + FullName(table) + " does not exist"));
    return PartitionIn(rows, stored, values);
  });
}

Result<api::Partition> GetPartitionByName(Store& store, const CalledName& table,
                                          const std::string& name) {
  return store.Read([&](Rows& rows) -> Result<api::Partition> {
    ASSIGN_OR_RETURN(const StoredTable stored, TableOfName(rows, table));
    ASSIGN_OR_RETURN(const Strings values, ValuesOfName(stored.table, name));
    return PartitionIn(rows, stored, values);
  });
}

Result<Partitions> ListPartitions(Store& store, const CalledName& table, int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    ASSIGN_OR_RETURN(const std::optional<StoredTable> stored, TableOrNothing(rows, table));
    Partitions partitions;
    if (!stored) return partitions;
    ASSIGN_OR_RETURN(std::vector<StoredPartition> found, rows.ListPartitions(stored->id, max));
    partitions.reserve(found.size());
    for (StoredPartition& one : found) partitions.push_back(std::move(one.partition));
    return partitions;
  });
}

Result<Strings> ListPartitionNames(Store& store, const CalledName& table, int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Strings> {
    const Status named = CheckNamed(table);
    if (!named) {
      // Told as the metastore tells it, wrapped into another kind.
      return MakeError(ErrorCode::kConflict,
                       "NoSuchObjectException(message:" + named.error().message + ")");
    }
    ASSIGN_OR_RETURN(const std::optional<StoredTable> stored, TableOrNothing(rows, table));
    if (!stored) return Strings();
    return rows.ListPartitionNames(stored->id, max);
  });
}

Result<Partitions> GetPartitionsByNames(Store& store, const CalledName& table,
                                        const Strings& names) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    RETURN_IF_ERROR(CheckNamed(table));
    // Here the metastore calls it an invalid object.
    ASSIGN_OR_RETURN(const StoredTable stored,
                     Retold(RequireTable(rows, table), ErrorCode::kInvalidArgument,
                            FullName(table) + " table not found"));
    return PartitionsNamed(rows, stored.id, names);
  });
}

Result<Partitions> ListPartitionsLike(Store& store, const CalledName& table, const Strings& values,
                                      int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Partitions> {
    RETURN_IF_ERROR(CheckNamed(table));
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    ASSIGN_OR_RETURN(const Strings names, NamesLike(rows, stored, values, max));
    return PartitionsNamed(rows, stored.id, names);
  });
}

Result<Strings> ListPartitionNamesLike(Store& store, const CalledName& table, const Strings& values,
                                       int64_t max) {
  return store.Read([&](Rows& rows) -> Result<Strings> {
    RETURN_IF_ERROR(CheckNamed(table));
    ASSIGN_OR_RETURN(const StoredTable stored, RequireTable(rows, table));
    if (values.empty()) {
      return MakeError(ErrorCode::kConflict, "Invalid partition key & values; keys [], values []");
    }
    return NamesLike(rows, stored, values, max);
  });
}

}  // namespace catalogd::hms::ops
