#include "catalog/daemon/table_parameters.h"

#include <algorithm>
#include <set>

#include "thrift/idl/field_ids.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::daemon {
namespace {

using wire::TType;
using Parameters = std::map<std::string, std::string>;

std::string DatabaseArgument(const ObjectName& name) {
  return name.catalog() == kDefaultCatalog ? name.db() : "@" + name.catalog() + "#" + name.db();
}

std::vector<std::pair<std::string_view, std::string_view>> Entries(std::string_view table) {
  const auto field = wire::StructView(table).Find(ids::table::kParameters);
  if (!field || field->type != TType::kMap) return {};
  return wire::StringMap(field->value);
}

void WriteView(const ObjectName& name, const Parameters& parameters, wire::Writer* out) {
  constexpr std::string_view kText = "SELECT 1 AS `x`";
  out->StringField(ids::table::kTableName, name.table());
  out->StringField(ids::table::kDbName, name.db());
  out->Field(TType::kStruct, ids::table::kSd);
  out->Field(TType::kList, ids::storage_descriptor::kCols);
  out->ListBegin(TType::kStruct, 1);
  out->StringField(ids::field_schema::kName, "x");
  out->StringField(ids::field_schema::kType, "int");
  out->Stop();
  out->Field(TType::kStruct, ids::storage_descriptor::kSerdeInfo);
  out->StringMapField(ids::serde_info::kParameters, {});
  out->Stop();
  out->StringListField(ids::storage_descriptor::kBucketCols, {});
  out->Field(TType::kList, ids::storage_descriptor::kSortCols);
  out->ListBegin(TType::kStruct, 0);
  out->StringMapField(ids::storage_descriptor::kParameters, {});
  out->Stop();
  out->Field(TType::kList, ids::table::kPartitionKeys);
  out->ListBegin(TType::kStruct, 0);
  out->StringMapField(ids::table::kParameters, parameters);
  out->StringField(ids::table::kViewOriginalText, kText);
  out->StringField(ids::table::kViewExpandedText, kText);
  out->StringField(ids::table::kTableType, "VIRTUAL_VIEW");
  if (name.catalog() != kDefaultCatalog) out->StringField(ids::table::kCatName, name.catalog());
  out->Stop();
}

}  // namespace

Parameters ParametersOf(std::string_view table) {
  Parameters parameters;
  for (const auto& [key, value] : Entries(table)) {
    parameters.emplace(std::string(key), std::string(value));
  }
  return parameters;
}

std::string LocationOf(std::string_view table) {
  const auto storage = wire::StructView(table).Struct(ids::table::kSd);
  const auto location =
      storage ? storage->String(ids::storage_descriptor::kLocation) : std::nullopt;
  return std::string(location.value_or(""));
}

bool IsPartitioned(std::string_view table) {
  const auto keys = wire::StructView(table).Find(ids::table::kPartitionKeys);
  return keys && keys->type == TType::kList && wire::ListView(keys->value).size() > 0;
}

std::string IncarnationOf(std::string_view table) {
  const wire::StructView view(table);
  const int32_t created = view.I32(ids::table::kCreateTime).value_or(0);
  if (created == 0) return "";
  const int64_t id = view.I64(ids::table::kId).value_or(0);
  return std::to_string(created) + (id > 0 ? "/" + std::to_string(id) : "");
}

bool MayBeSame(std::string_view incarnation, std::string_view other) {
  if (incarnation.empty() || other.empty()) return true;
  const size_t slash = incarnation.find('/');
  const size_t other_slash = other.find('/');
  if (incarnation.substr(0, slash) != other.substr(0, other_slash)) return false;
  return slash == std::string_view::npos || other_slash == std::string_view::npos ||
         incarnation == other;
}

std::string WithParameters(std::string_view table, const Parameters& set,
                           const std::vector<std::string>& remove) {
  const std::set<std::string_view> gone(remove.begin(), remove.end());
  std::vector<std::pair<std::string_view, std::string_view>> kept;
  for (const auto& [key, value] : Entries(table)) {
    if (!gone.contains(key) && !set.contains(std::string(key))) kept.emplace_back(key, value);
  }
  kept.insert(kept.end(), set.begin(), set.end());
  std::string value;
  wire::Writer out(&value);
  out.MapBegin(TType::kString, TType::kString, kept.size());
  for (const auto& [key, text] : kept) {
    out.String(key);
    out.String(text);
  }
  return wire::WithField(table, ids::table::kParameters, TType::kMap, value);
}

std::string AlterTableCall(const ObjectName& name, std::string_view table,
                           const std::optional<ExpectedValue>& expected) {
  Parameters properties{{"DO_NOT_UPDATE_STATS", "true"}};
  if (expected) {
    properties["expected_parameter_key"] = expected->key;
    properties["expected_parameter_value"] = expected->value;
  }
  std::string arguments;
  wire::Writer out(&arguments);
  out.StringField(1, DatabaseArgument(name));
  out.StringField(2, name.table());
  out.RawField(TType::kStruct, 3, table);
  out.Field(TType::kStruct, 4);
  out.StringMapField(ids::environment_context::kProperties, properties);
  out.Stop();
  out.Stop();
  return wire::EncodeCall("alter_table_with_environment_context", 1, arguments);
}

std::string CreateViewCall(const ObjectName& name, const Parameters& parameters) {
  std::string arguments;
  wire::Writer out(&arguments);
  out.Field(TType::kStruct, 1);
  WriteView(name, parameters, &out);
  out.Stop();
  return wire::EncodeCall("create_table", 1, arguments);
}

std::string DropTableCall(const ObjectName& name) {
  std::string arguments;
  wire::Writer out(&arguments);
  out.StringField(1, DatabaseArgument(name));
  out.StringField(2, name.table());
  out.BoolField(3, false);
  out.Stop();
  return wire::EncodeCall("drop_table", 1, arguments);
}

std::optional<std::string> ExceptionText(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header) return std::nullopt;
  const wire::StructView body(reply.substr(header->body));
  if (header->type == wire::MessageType::kException) {
    return std::string(body.String(1).value_or("an application error without a text"));
  }
  const auto first = body.Begin().Next();
  if (!first || first->id == 0 || first->type != TType::kStruct) return std::nullopt;
  const auto text = wire::StructView(first->value).String(1);
  return std::string(text.value_or("an exception without a text"));
}

bool SaysModified(std::string_view exception_text) {
  return exception_text.find("The table has been modified") != std::string_view::npos;
}

}  // namespace catalogd::daemon
