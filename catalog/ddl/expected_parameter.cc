#include "catalog/ddl/expected_parameter.h"

#include "thrift/idl/field_ids.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::ddl {
namespace {

using wire::TType;

constexpr std::string_view kMethod = "alter_table_with_environment_context";
constexpr std::string_view kKey = "expected_parameter_key";
constexpr std::string_view kValue = "expected_parameter_value";
// Its arguments, and where it declares MetaException.
constexpr int16_t kDatabase = 1;
constexpr int16_t kTable = 2;
constexpr int16_t kNewTable = 3;
constexpr int16_t kEnvironment = 4;
constexpr int16_t kMetaException = 2;

std::optional<std::string> ParameterOf(const wire::StructView& table, std::string_view key) {
  const auto parameters = table.Find(ids::table::kParameters);
  if (!parameters || parameters->type != TType::kMap) return std::nullopt;
  const auto value = wire::StringMapValue(parameters->value, key);
  return value ? std::optional(std::string(*value)) : std::nullopt;
}

std::optional<wire::Field> PropertiesIn(const wire::StructView& arguments) {
  const auto environment = arguments.Struct(kEnvironment);
  if (!environment) return std::nullopt;
  const auto properties = environment->Find(ids::environment_context::kProperties);
  if (!properties || properties->type != TType::kMap) return std::nullopt;
  return properties;
}

std::string PropertiesWithout(std::string_view properties) {
  std::string out;
  wire::Writer writer(&out);
  const auto entries = wire::StringMap(properties);
  size_t kept = 0;
  for (const auto& [key, value] : entries) kept += key == kKey || key == kValue ? 0U : 1U;
  writer.MapBegin(TType::kString, TType::kString, kept);
  for (const auto& [key, value] : entries) {
    if (key == kKey || key == kValue) continue;
    writer.String(key);
    writer.String(value);
  }
  return out;
}

std::string EnvironmentWithout(const wire::StructView& environment) {
  std::string out;
  wire::Writer writer(&out);
  for (const wire::Field& field : environment.Fields()) {
    if (field.id == ids::environment_context::kProperties && field.type == TType::kMap) {
      writer.RawField(TType::kMap, field.id, PropertiesWithout(field.value));
    } else {
      writer.Raw(field.encoded);
    }
  }
  writer.Stop();
  return out;
}

}  // namespace

std::optional<ExpectedParameter> ExpectedIn(std::string_view method,
                                            const wire::StructView& arguments) {
  if (method != kMethod) return std::nullopt;
  const auto properties = PropertiesIn(arguments);
  const auto table = arguments.Struct(kNewTable);
  if (!properties || !table) return std::nullopt;
  const auto key = wire::StringMapValue(properties->value, kKey);
  const auto value = wire::StringMapValue(properties->value, kValue);
  if (!key || !value) return std::nullopt;
  const auto db = arguments.String(kDatabase);
  const auto name = arguments.String(kTable);
  if (!db || !name) return std::nullopt;
  const DatabaseArgument database = ParseDatabaseArgument(*db);
  if (!database.db) return std::nullopt;
  return ExpectedParameter{ObjectName::Table(database.catalog, *database.db, NormalizeName(*name)),
                           std::string(*key), std::string(*value), ParameterOf(*table, *key)};
}

std::string Refusal(const ExpectedParameter& expected, std::string_view table) {
  if (!expected.after) return "New value for expected key " + expected.key + " is not set";
  const auto actual = ParameterOf(wire::StructView(table), expected.key);
  if (actual == expected.value) return "";
  return "The table has been modified. The parameter value for key '" + expected.key + "' is '" +
         actual.value_or("null") + "'. The expected was value was '" + expected.value + "'";
}

std::string RefusalReply(std::string_view message, std::string_view text) {
  const auto header = wire::ParseMessageHeader(message);
  return wire::EncodeExceptionReply(kMethod, header ? header->sequence_id : 0, kMetaException,
                                    text);
}

bool CouldNotCompare(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return false;
  const auto error = wire::StructView(reply.substr(header->body)).Struct(kMetaException);
  const auto text = error ? error->String(1) : std::nullopt;
  return text && text->find("Error executing SQL query") != std::string_view::npos &&
         text->find("TABLE_PARAMS") != std::string_view::npos;
}

std::string WithoutExpectation(std::string_view message) {
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return std::string(message);
  std::string arguments;
  wire::Writer writer(&arguments);
  for (const wire::Field& field : wire::StructView(message.substr(header->body)).Fields()) {
    if (field.id == kEnvironment && field.type == TType::kStruct) {
      writer.RawField(TType::kStruct, field.id, EnvironmentWithout(wire::StructView(field.value)));
    } else {
      writer.Raw(field.encoded);
    }
  }
  writer.Stop();
  return wire::EncodeCall(kMethod, header->sequence_id, arguments);
}

}  // namespace catalogd::ddl
