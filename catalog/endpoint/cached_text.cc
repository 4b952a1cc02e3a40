#include "catalog/endpoint/cached_text.h"

#include <algorithm>

#include "thrift/idl/field_ids.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

bool MatchesOnlyItself(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

}  // namespace

std::optional<std::string> AbsentText(const ReadRequest& request, hms::Generation generation) {
  const std::string db(request.db_text);
  const bool of_hive2 = generation == hms::Generation::kHive2;
  if (generation == hms::Generation::kUnknown) return std::nullopt;
  // What a client writes for the default catalog in other ways is not worth knowing.
  if (!of_hive2 && request.catalog_text != kDefaultCatalog) return std::nullopt;
  if (request.target.is_table()) {
    const std::string table = db + "." + std::string(request.table_text) + " table not found";
    return of_hive2 ? table : "hive." + table;
  }
  return generation == hms::Generation::kHive4 ? "database hive." + db : db;
}

std::string AbsentPartitionText(const std::vector<std::string>& values) {
  std::string text = "partition values=[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text += ", ";
    text += values[i];
  }
  return text + "]";
}

std::optional<std::vector<std::string>> ValuesOfExactName(const std::vector<std::string>& keys,
                                                          std::string_view name) {
  auto values = PartitionNameToValues(name);
  if (!values || keys.empty() || values->size() != keys.size()) return std::nullopt;
  const auto made = MakePartitionName(keys, *values);
  if (!made || *made != name) return std::nullopt;
  return std::move(*values);
}

bool MayHaveOtherValues(std::string_view partition_name) {
  return partition_name.find(kDefaultPartitionName) != std::string_view::npos;
}

std::optional<std::vector<std::string>> ValuesOf(const cache::PartitionSet& partitions,
                                                 std::string_view name) {
  std::string partition;
  if (!partitions.AppendPartition(name, &partition)) return std::nullopt;
  const auto values = wire::StructView(partition).Find(ids::partition::kValues);
  if (!values || values->type != wire::TType::kList) return std::nullopt;
  return wire::ListView(values->value).Strings();
}

bool HasPartitionPrivileges(const cache::Snapshot& table) {
  const auto parameters = wire::StructView(table.object).Find(ids::table::kParameters);
  return parameters && parameters->type == wire::TType::kMap &&
         wire::StringMapValue(parameters->value, "PARTITION_LEVEL_PRIVILEGE").has_value();
}

void AppendStrings(const std::vector<std::string>& strings, std::string* out) {
  size_t bytes = 5;
  for (const std::string& text : strings) bytes += 4 + text.size();
  out->reserve(out->size() + bytes + 2);
  wire::Writer writer(out);
  writer.ListBegin(wire::TType::kString, strings.size());
  for (const std::string& text : strings) writer.String(text);
}

CountedList::CountedList(wire::TType element, std::string* out) : out_(out) {
  wire::Writer(out).ListBegin(element, 0);
  offset_ = out->size() - 4;
}

void CountedList::Finish() {
  std::string count;
  wire::Writer(&count).I32(static_cast<int32_t>(count_));
  out_->replace(offset_, count.size(), count);
}

std::optional<ValuePrefix> ValuePrefix::Of(const std::vector<std::string>& keys,
                                           const std::vector<std::string>& values) {
  if (values.empty() || values.size() > keys.size()) return std::nullopt;
  ValuePrefix prefix;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::all_of(values[i].begin(), values[i].end(), MatchesOnlyItself)) return std::nullopt;
    prefix.components_.push_back(values[i].empty() ? std::string()
                                                   : EscapePathName(keys[i]) + "=" + values[i]);
  }
  prefix.open_ended_ = values.size() < keys.size();
  return prefix;
}

bool ValuePrefix::Matches(std::string_view partition_name) const {
  for (size_t i = 0; i < components_.size(); ++i) {
    const std::string& wanted = components_[i];
    const size_t slash = std::min(partition_name.find('/'), partition_name.size());
    const std::string_view component = partition_name.substr(0, slash);
    const bool begins = open_ended_ && i + 1 == components_.size();
    const bool matches = begins ? component.starts_with(wanted) : component == wanted;
    if (!wanted.empty() && !matches) return false;
    partition_name.remove_prefix(std::min(slash + 1, partition_name.size()));
  }
  return true;
}

}  // namespace catalogd::endpoint
