#include <algorithm>

#include "catalog/base/names.h"
#include "catalog/endpoint/call_rows.h"
#include "catalog/endpoint/other_call.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/write.h"

// Newer calls in older words.
namespace catalogd::endpoint {
namespace {

using wire::Field;
using wire::StructView;
using wire::TType;

constexpr int16_t kExpectedKey = 10;  // Of AlterTableRequest; the value is the next one.

// Says nothing: false, empty, negative or zero.
bool IsNeutral(const Field& field) {
  switch (field.type) {
    case TType::kBool:
      return field.value.front() == '\0';
    case TType::kI16:
    case TType::kI32:
    case TType::kI64:
      return (static_cast<unsigned char>(field.value.front()) & 0x80U) != 0 ||
             field.value.find_first_not_of('\0') == std::string_view::npos;
    case TType::kString:
      return wire::DecodeString(field.value).empty();
    case TType::kList:
      return wire::ListView(field.value).size() == 0;
    default:
      return false;
  }
}

bool Passes(const FieldCheck& check, const Field& field) {
  switch (check.kind) {
    case FieldCheck::Kind::kNone:
      return true;
    case FieldCheck::Kind::kIs:
      if (field.type == TType::kBool) return (field.value.front() != '\0') == (check.number != 0);
      return field.type == TType::kI32 && wire::DecodeI32(field.value) == check.number;
    case FieldCheck::Kind::kLacks: {
      if (field.type != TType::kList) return false;
      const wire::ListView list(field.value);
      if (list.size() > 0 && list.element_type() != TType::kI32) return false;
      const auto numbers = list.Elements();
      return std::none_of(numbers.begin(), numbers.end(), [&](std::string_view number) {
        return wire::DecodeI32(number) == check.number;
      });
    }
    case FieldCheck::Kind::kNegative:
      return (static_cast<unsigned char>(field.value.front()) & 0x80U) != 0;
    case FieldCheck::Kind::kText:
      return field.type == TType::kString && wire::DecodeString(field.value) == check.text;
  }
  return false;
}

bool Takes(const CallRow& row, int16_t id) {
  const auto takes = [id](const CallArgument& argument) {
    if (argument.source == ArgumentSource::kRequest) return id <= ids::database::kCatalogName;
    if (argument.source == ArgumentSource::kNone) return false;
    const bool expected = argument.source == ArgumentSource::kEnvironment &&
                          (id == kExpectedKey || id == kExpectedKey + 1);
    return argument.from == id || expected;
  };
  return (id == row.catalog && row.catalog_way[0] == 0) || id == row.db ||
         std::any_of(row.arguments.begin(), row.arguments.end(), takes);
}

// Whether the older call says all that this request does.
bool IsExact(const CallRow& row, const StructView& request) {
  auto fields = request.Begin();
  while (const auto field = fields.Next()) {
    if (field->id == row.check.id && row.check.kind != FieldCheck::Kind::kNone) {
      if (!Passes(row.check, *field)) return false;
      continue;
    }
    const bool ignored =
        field->id > 0 && field->id < 32 && (row.ignored & FieldBit(field->id)) != 0;
    if (!ignored && !Takes(row, field->id) && !IsNeutral(*field)) return false;
  }
  return true;
}

// What holds the catalog's name.
std::optional<StructView> EndOfWay(const CallRow& row, const StructView& request) {
  StructView holder = request;
  for (const int16_t step : row.catalog_way) {
    if (step == 0) break;
    const auto field = holder.Find(step);
    if (!field) return std::nullopt;
    if (field->type == TType::kStruct) {
      holder = StructView(field->value);
      continue;
    }
    if (field->type != TType::kList) return std::nullopt;
    const wire::ListView list(field->value);
    if (list.size() != 1 || list.element_type() != TType::kStruct) return std::nullopt;
    holder = StructView(list.Elements().front());
  }
  return holder;
}

// Empty when the request does not say.
std::string_view CatalogText(const CallRow& row, const StructView& request) {
  if (row.catalog == 0) return "";
  const auto holder = EndOfWay(row, request);
  return holder ? holder->String(row.catalog).value_or("") : "";
}

void WriteEnvironment(const StructView& request, int16_t from, int16_t to, wire::Writer* out) {
  const auto key = request.String(kExpectedKey);
  const auto value = request.String(kExpectedKey + 1);
  const auto environment = request.Find(from);
  if (!key && !value) {
    if (environment) out->RawField(environment->type, to, environment->value);
    return;
  }
  std::map<std::string, std::string> properties;
  const auto given =
      environment && environment->type == TType::kStruct
          ? StructView(environment->value).Find(ids::environment_context::kProperties)
          : std::nullopt;
  if (given && given->type == TType::kMap) {
    for (const auto& [name, text] : wire::StringMap(given->value)) properties.emplace(name, text);
  }
  // Hive 4 takes each of them from the request where it is there, else from the environment.
  if (key) properties["expected_parameter_key"] = *key;
  if (value) properties["expected_parameter_value"] = *value;
  out->Field(TType::kStruct, to);
  out->StringMapField(ids::environment_context::kProperties, properties);
  out->Stop();
}

// "tables*" for the filter by which Hive 4's client lists the tables that match this pattern;
// absent for any other filter. Patterns mean the same to older metastores.
std::optional<std::string> PatternOfFilter(std::string_view filter) {
  constexpr std::string_view kBegin = R"(hive_filter_field_tableName__ like "(?i))";
  if (!filter.starts_with(kBegin) || !filter.ends_with('"')) return std::nullopt;
  filter.remove_prefix(kBegin.size());
  if (filter.empty()) return std::nullopt;
  filter.remove_suffix(1);
  std::string pattern;
  for (size_t at = 0; at < filter.size(); ++at) {
    const char c = filter[at];
    const bool plain =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (filter.substr(at, 2) == ".*") {
      pattern.push_back('*');
      ++at;
    } else if (plain) {
      pattern.push_back(c);
    } else {
      return std::nullopt;
    }
  }
  return pattern;
}

bool WriteOnly(const std::optional<Field>& field, int16_t to, wire::Writer* out) {
  if (!field || field->type != TType::kList) return false;
  const wire::ListView list(field->value);
  if (list.size() != 1) return false;
  out->RawField(list.element_type(), to, list.Elements().front());
  return true;
}

// False when it cannot be said.
bool WriteArgument(const CallArgument& argument, const StructView& request, int16_t to,
                   hms::Generation generation, wire::Writer* out) {
  const auto field = request.Find(argument.from);
  switch (argument.source) {
    case ArgumentSource::kNone:
      break;
    case ArgumentSource::kRequest:
      out->RawField(TType::kStruct, to, request.bytes());
      break;
    case ArgumentSource::kEnvironment:
      WriteEnvironment(request, argument.from, to, out);
      break;
    case ArgumentSource::kField:
      if (field) out->RawField(field->type, to, field->value);
      break;
    case ArgumentSource::kList:
      if (field) {
        out->RawField(field->type, to, field->value);
      } else {
        out->StringListField(to, {});
      }
      break;
    case ArgumentSource::kMax:
      out->I16Field(to, request.I16(argument.from).value_or(-1));
      break;
    case ArgumentSource::kFlag:
      out->BoolField(to, request.Bool(argument.from).value_or(false));
      break;
    case ArgumentSource::kOnly:
      return WriteOnly(field, to, out);
    case ArgumentSource::kOnlyOrAll:
      if (!field) return NeedsOlderCalls(generation);
      return WriteOnly(field, to, out);
    case ArgumentSource::kNamesPattern: {
      const auto pattern = PatternOfFilter(request.String(argument.from).value_or(""));
      if (!pattern) return false;
      out->StringField(to, *pattern);
      break;
    }
  }
  return true;
}

std::optional<OtherCall> Translate(const CallRow& row, const wire::MessageHeader& header,
                                   const StructView& request, hms::Generation generation) {
  if (!IsExact(row, request)) return std::nullopt;
  const std::string_view catalog = CatalogText(row, request);
  if (!HasCatalog(catalog, generation)) return std::nullopt;
  std::string arguments;
  wire::Writer out(&arguments);
  int16_t to = 1;
  if (row.db != 0) {
    const auto db = request.String(row.db);
    if (!db && !row.db_may_lack) return std::nullopt;
    if (db) out.StringField(to, OldStyleName(catalog, *db, generation));
    ++to;
  }
  for (const CallArgument& argument : row.arguments) {
    if (!WriteArgument(argument, request, to++, generation, &out)) return std::nullopt;
  }
  out.Stop();
  return OtherCall{row.older, OlderMessage(row.older, header, arguments, generation), &row};
}

bool IsAskedOf(const CallRow& row, hms::Generation generation) {
  const bool hive2 = generation == hms::Generation::kHive2;
  return row.asked_of == AskedOf::kAll || (row.asked_of == AskedOf::kHive2) == hive2;
}

bool HasWhatIsWanted(const CallRow& row, const StructView& request) {
  if (row.only_with == 0) return true;
  const auto field = request.Find(row.only_with);
  return field && (field->type != TType::kBool || !IsNeutral(*field));
}

}  // namespace

std::optional<OtherCall> ToOlder(const wire::MessageHeader& header, const StructView& arguments,
                                 hms::Generation generation) {
  for (const CallRow& row : CallRows()) {
    if (row.newer != header.method || row.direction == Direction::kToNewer) continue;
    if (!IsAskedOf(row, generation)) continue;
    const auto request = row.by_arguments ? std::optional(arguments) : arguments.Struct(1);
    if (!request) return std::nullopt;
    if (HasWhatIsWanted(row, *request)) return Translate(row, header, *request, generation);
  }
  return std::nullopt;
}

bool HasCatalog(std::string_view catalog, hms::Generation generation) {
  return generation != hms::Generation::kHive2 || catalog.empty() ||
         NormalizeName(catalog) == kDefaultCatalog;
}

std::string OldStyleName(std::string_view catalog, std::string_view db,
                         hms::Generation generation) {
  // Some requests of Hive 4's client carry the catalog in the name as well: "@hive#sales".
  const bool has_it = catalog.empty() || db.starts_with('@');
  if (has_it || generation == hms::Generation::kHive2) return std::string(db);
  return "@" + std::string(catalog) + "#" + std::string(db);
}

std::string OlderMessage(std::string_view method, const wire::MessageHeader& header,
                         std::string_view arguments, hms::Generation generation) {
  if (generation == hms::Generation::kHive2) {
    auto plain =
        WithoutCatalog({header.type, method, header.sequence_id, 0}, StructView(arguments));
    if (plain) return std::move(*plain);
  }
  return wire::EncodeCall(method, header.sequence_id, arguments);
}

}  // namespace catalogd::endpoint
