#include "events/image_parts.h"

#include <optional>

#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"

namespace catalogd::events {
namespace {

// Structural quotes of Thrift-JSON stand as \" in the escaped text. A quote of string content
// stands as \\\", so that none of these patterns can begin or end inside of a string.
constexpr std::string_view kColumnsStart = R"(,\"7\":{\"rec\":{\"1\":{\"lst\":[\"rec\",)";
constexpr std::string_view kPartitionKeysStart = R"(,\"8\":{\"lst\":[\"rec\",)";

// The end of a list of flat structs that begins at `from`: it closes where "]}" is followed by the
// key of another field. (Inside a string, the quote would be the closing one, and no digit follows
// that.) npos when the list is the last field of its struct: the caller looks in another way.
size_t FlatListEnd(std::string_view text, size_t from) {
  constexpr std::string_view kEnd = R"(]},\")";
  for (size_t at = text.find(kEnd, from); at != std::string_view::npos;
       at = text.find(kEnd, at + 1)) {
    const size_t next = at + kEnd.size();
    if (next < text.size() && text[next] >= '0' && text[next] <= '9') return at + 2;
  }
  return std::string_view::npos;
}

// The text of sd.cols, when sd is where every known server writes it: behind scalar fields, columns
// first.
std::optional<std::string_view> ColumnsText(std::string_view table) {
  const size_t at = table.find(kColumnsStart);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view head = table.substr(0, at);
  // Behind scalars only, else this could be the field of a nested object. (A name with such text in
  // it costs the short cut, nothing else.)
  if (head.find('[') != std::string_view::npos || head.find(R"(rec\")") != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t end = FlatListEnd(table, at);
  if (end == std::string_view::npos) return std::nullopt;
  return table.substr(at, end - at);
}

std::optional<std::string_view> Columns(std::string_view table_image) {
  const auto sd = wire::StructView(table_image).Struct(ids::table::kSd);
  if (!sd) return std::nullopt;
  const auto columns = sd->Find(ids::storage_descriptor::kCols);
  if (!columns) return std::nullopt;
  return columns->value;
}

Result<std::vector<std::string>> KeyNames(std::string_view table_image) {
  const auto keys = wire::StructView(table_image).Find(ids::table::kPartitionKeys);
  std::vector<std::string> names;
  if (!keys || keys->type != wire::TType::kList) return names;
  for (const std::string_view key : wire::ListView(keys->value).Elements()) {
    const auto name = wire::StructView(key).String(ids::field_schema::kName);
    if (!name) return MakeError(ErrorCode::kCorrupt, "partition key without a name");
    names.emplace_back(*name);
  }
  return names;
}

}  // namespace

bool ColumnsDiffer(std::string_view before, std::string_view after, std::string_view after_image,
                   const wire::Limits& limits) {
  const auto columns_before = ColumnsText(before);
  if (columns_before && columns_before == ColumnsText(after)) return false;
  // Rare: another order of fields, or real differences. The text could differ where the columns do
  // not (escapes), so the binary decides.
  const auto before_image = wire::TJsonStructToBinary(before, 1, limits);
  return !before_image || Columns(*before_image) != Columns(after_image);
}

Result<std::vector<std::string>> PartitionKeyNames(std::string_view table_json,
                                                   const wire::Limits& limits) {
  // A list of structs with this number is the table's own (that of the storage descriptor has
  // strings) unless the table has none and a materialized view embeds others: callers check that
  // the names fit.
  const size_t at = table_json.find(kPartitionKeysStart);
  if (at != std::string_view::npos) {
    const size_t end = FlatListEnd(table_json, at);
    if (end != std::string_view::npos) {
      std::string only_keys = "{";
      only_keys.append(table_json.substr(at + 1, end - at - 1)).append("}");
      const auto image = wire::TJsonStructToBinary(only_keys, 1, limits);
      if (image) return KeyNames(*image);
    }
  }
  ASSIGN_OR_RETURN(const std::string image, wire::TJsonStructToBinary(table_json, 1, limits));
  return KeyNames(image);
}

Result<std::vector<std::string>> PartitionValues(std::string_view partition) {
  const auto values = wire::StructView(partition).Find(ids::partition::kValues);
  if (!values || values->type != wire::TType::kList) {
    return MakeError(ErrorCode::kCorrupt, "partition image without values");
  }
  const wire::ListView list(values->value);
  if (list.size() == 0 || list.element_type() != wire::TType::kString) {
    return MakeError(ErrorCode::kCorrupt, "partition image without values");
  }
  return list.Strings();
}

}  // namespace catalogd::events
