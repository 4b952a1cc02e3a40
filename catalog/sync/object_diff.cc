#include "catalog/sync/object_diff.h"

#include <algorithm>
#include <map>

#include "thrift/idl/field_ids.h"
#include "thrift/wire/view.h"

namespace catalogd::sync {
namespace {

using wire::Field;
using wire::StructView;
using wire::TType;
using Names = std::map<int16_t, std::string_view>;

const Names& TableNames() {
  static const Names names = {{ids::table::kTableName, "tableName"},
                              {ids::table::kDbName, "dbName"},
                              {ids::table::kSd, "sd"},
                              {ids::table::kPartitionKeys, "partitionKeys"},
                              {ids::table::kParameters, "parameters"},
                              {ids::table::kTableType, "tableType"},
                              {ids::table::kWriteId, "writeId"},
                              {ids::table::kCreateTime, "createTime"},
                              {ids::table::kId, "id"},
                              {ids::table::kRewriteEnabled, "rewriteEnabled"}};
  return names;
}

const Names& PartitionNames() {
  static const Names names = {
      {ids::partition::kValues, "values"},         {ids::partition::kDbName, "dbName"},
      {ids::partition::kTableName, "tableName"},   {ids::partition::kSd, "sd"},
      {ids::partition::kParameters, "parameters"}, {ids::partition::kWriteId, "writeId"}};
  return names;
}

const Names& StorageNames() {
  static const Names names = {
      {ids::storage_descriptor::kCols, "cols"},
      {ids::storage_descriptor::kSerdeInfo, "serdeInfo"},
      {ids::storage_descriptor::kBucketCols, "bucketCols"},
      {ids::storage_descriptor::kSortCols, "sortCols"},
      {ids::storage_descriptor::kParameters, "parameters"},
      {ids::storage_descriptor::kSkewedInfo, "skewedInfo"},
      {ids::storage_descriptor::kStoredAsSubDirectories, "storedAsSubDirectories"}};
  return names;
}

// Equal texts for values that mean the same.
std::string Canonical(TType type, std::string_view value) {
  std::vector<std::string> parts;
  if (type == TType::kStruct) {
    for (const Field& field : StructView(value).Fields()) {
      parts.push_back(std::to_string(field.id) + ':' + Canonical(field.type, field.value));
    }
    std::sort(parts.begin(), parts.end());
  } else if (type == TType::kList || type == TType::kSet) {
    const wire::ListView list(value);
    for (const std::string_view element : list.Elements()) {
      parts.push_back(Canonical(list.element_type(), element));
    }
    if (type == TType::kSet) std::sort(parts.begin(), parts.end());
  } else if (type == TType::kMap && !wire::StringMap(value).empty()) {
    for (const auto& [key, mapped] : wire::StringMap(value)) {
      parts.push_back(std::to_string(key.size()) + ':' + std::string(key) + '=' +
                      std::string(mapped));
    }
    std::sort(parts.begin(), parts.end());
  } else {
    return std::string(value);
  }
  std::string text = "(";
  for (const std::string& part : parts) text += std::to_string(part.size()) + ' ' + part + ',';
  return text + ')';
}

class Diff {
 public:
  explicit Diff(size_t most) : most_(most) {}
  std::vector<std::string> Take() { return std::move(paths_); }
  [[nodiscard]] bool full() const { return paths_.size() >= most_; }
  void Add(std::string path) {
    if (!full()) paths_.push_back(std::move(path));
  }

  void Structs(const std::string& prefix, const Names& names, std::string_view left,
               std::string_view right) {
    std::map<int16_t, std::pair<Field, Field>> fields;
    for (const Field& field : StructView(left).Fields()) fields[field.id].first = field;
    for (const Field& field : StructView(right).Fields()) fields[field.id].second = field;
    for (const auto& [id, both] : fields) {
      const auto& [mine, theirs] = both;
      const auto name = names.find(id);
      const std::string path =
          prefix + (name == names.end() ? "#" + std::to_string(id) : std::string(name->second));
      if (mine.type == theirs.type && mine.value == theirs.value) continue;
      if (mine.type != theirs.type) {
        Add(path);
      } else {
        Values(path, mine, theirs);
      }
    }
  }

 private:
  void Values(const std::string& path, const Field& left, const Field& right) {
    if (Canonical(left.type, left.value) == Canonical(right.type, right.value)) return;
    if (path == "sd" && left.type == TType::kStruct) {
      Structs("sd.", StorageNames(), left.value, right.value);
    } else if (path == "parameters" && left.type == TType::kMap) {
      Maps(path, left.value, right.value);
    } else {
      Add(path);
    }
  }
  void Maps(const std::string& path, std::string_view left, std::string_view right) {
    std::map<std::string_view, std::pair<std::string_view, std::string_view>> entries;
    for (const auto& [key, value] : wire::StringMap(left)) entries[key].first = value;
    for (const auto& [key, value] : wire::StringMap(right)) entries[key].second = value;
    for (const auto& [key, values] : entries) {
      if (values.first != values.second) Add(path + "{" + std::string(key) + "}");
    }
  }

  const size_t most_;
  std::vector<std::string> paths_;
};

}  // namespace

std::vector<std::string> DiffTables(std::string_view left, std::string_view right, size_t most) {
  Diff diff(most);
  diff.Structs("", TableNames(), left, right);
  return diff.Take();
}

std::vector<std::string> DiffPartitions(std::string_view left, std::string_view right,
                                        size_t most) {
  Diff diff(most);
  diff.Structs("", PartitionNames(), left, right);
  return diff.Take();
}

std::vector<std::string> DiffSnapshots(const cache::Snapshot& left, const cache::Snapshot& right,
                                       size_t most) {
  Diff diff(most);
  for (std::string& path : DiffTables(left.object, right.object, most)) diff.Add(std::move(path));
  if (left.partitions == nullptr || right.partitions == nullptr) return diff.Take();
  right.partitions->ForEach([&](std::string_view name, const auto&) {
    if (!left.partitions->Contains(name)) diff.Add("partition " + std::string(name));
    return !diff.full();
  });
  left.partitions->ForEach([&](std::string_view name, const auto& append) {
    std::string mine;
    std::string theirs;
    append(&mine);
    if (!right.partitions->AppendPartition(name, &theirs)) {
      diff.Add("partition " + std::string(name));
    } else if (mine != theirs) {
      for (const std::string& path : DiffPartitions(mine, theirs, most)) {
        diff.Add("partition " + std::string(name) + ": " + path);
      }
    }
    return !diff.full();
  });
  return diff.Take();
}

}  // namespace catalogd::sync
