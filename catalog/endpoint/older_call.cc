#include "catalog/endpoint/older_call.h"

#include <algorithm>

#include "catalog/base/names.h"
#include "catalog/endpoint/older_call_rows.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

using wire::Field;
using wire::StructView;
using wire::TType;

constexpr int16_t kExpectedKey = 10;   // Of AlterTableRequest; the value is the next one.
constexpr int16_t kDatabaseType = 11;  // Of CreateDatabaseRequest.
constexpr int32_t kNative = 1;

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

bool Takes(const OlderRow& row, int16_t id) {
  const auto takes = [id](const OlderArgument& argument) {
    if (argument.source == OlderSource::kRequest) return id <= ids::database::kCatalogName;
    if (argument.source == OlderSource::kNone) return false;
    const bool expected = argument.source == OlderSource::kEnvironment &&
                          (id == kExpectedKey || id == kExpectedKey + 1);
    return argument.from == id || expected;
  };
  return (id == row.catalog && row.catalog_in == 0) || id == row.db ||
         std::any_of(row.arguments.begin(), row.arguments.end(), takes);
}

// Whether the older call says all that this request does.
bool IsExact(const OlderRow& row, const StructView& request) {
  auto fields = request.Begin();
  while (const auto field = fields.Next()) {
    const bool ignored =
        field->id > 0 && field->id < 32 && (row.ignored & FieldBit(field->id)) != 0;
    if (ignored || Takes(row, field->id) || IsNeutral(*field)) continue;
    const bool native = row.method == "create_database_req" && field->id == kDatabaseType &&
                        field->type == TType::kI32 && wire::DecodeI32(field->value) == kNative;
    if (!native) return false;
  }
  return true;
}

// Empty when the request does not say.
std::string_view CatalogText(const OlderRow& row, const StructView& request) {
  if (row.catalog == 0) return "";
  const auto holder = row.catalog_in == 0 ? std::optional(request) : request.Struct(row.catalog_in);
  return holder ? holder->String(row.catalog).value_or("") : "";
}

// The old-style argument for a database.
std::optional<std::string> DatabaseText(const OlderRow& row, const StructView& request,
                                        hms::Generation generation) {
  const auto db = request.String(row.db);
  if (!db) return std::nullopt;
  const std::string_view catalog = CatalogText(row, request);
  // Some requests of Hive 4's client carry the catalog in the name as well: "@hive#sales".
  const bool has_it = catalog.empty() || db->starts_with('@');
  if (has_it || generation == hms::Generation::kHive2) return std::string(*db);
  return "@" + std::string(catalog) + "#" + std::string(*db);
}

bool HasCatalog(std::string_view catalog, hms::Generation generation) {
  return generation != hms::Generation::kHive2 || catalog.empty() ||
         NormalizeName(catalog) == kDefaultCatalog;
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

void WriteArgument(const OlderArgument& argument, const StructView& request, int16_t to,
                   wire::Writer* out) {
  const auto field = request.Find(argument.from);
  switch (argument.source) {
    case OlderSource::kNone:
      return;
    case OlderSource::kRequest:
      out->RawField(TType::kStruct, to, request.bytes());
      return;
    case OlderSource::kEnvironment:
      WriteEnvironment(request, argument.from, to, out);
      return;
    case OlderSource::kField:
      if (field) out->RawField(field->type, to, field->value);
      return;
    case OlderSource::kList:
      if (field) {
        out->RawField(field->type, to, field->value);
      } else {
        out->StringListField(to, {});
      }
      return;
    case OlderSource::kMax:
      out->I16Field(to, request.I16(argument.from).value_or(-1));
      return;
    case OlderSource::kFlag:
      out->BoolField(to, request.Bool(argument.from).value_or(false));
      return;
  }
}

std::optional<OlderCall> Translate(const OlderRow& row, const wire::MessageHeader& header,
                                   const StructView& request, hms::Generation generation) {
  if (row.since_hive3 && generation == hms::Generation::kHive2) return std::nullopt;
  if (!IsExact(row, request)) return std::nullopt;
  if (!HasCatalog(CatalogText(row, request), generation)) return std::nullopt;
  std::string arguments;
  wire::Writer out(&arguments);
  int16_t to = 1;
  if (row.db != 0) {
    const auto db = DatabaseText(row, request, generation);
    if (!db) return std::nullopt;
    out.StringField(to++, *db);
  }
  for (const OlderArgument& argument : row.arguments) WriteArgument(argument, request, to++, &out);
  out.Stop();
  OlderCall call;
  call.method = row.older;
  call.message = wire::EncodeCall(row.older, header.sequence_id, arguments);
  if (generation == hms::Generation::kHive2) {
    const auto plain =
        WithoutCatalog({header.type, row.older, header.sequence_id, 0}, StructView(arguments));
    if (plain) call.message = *plain;
  }
  call.result = row.result;
  call.swaps_exceptions = row.swaps_exceptions;
  return call;
}

std::string WithHeader(const wire::MessageHeader& header, wire::MessageType type,
                       std::string_view body) {
  std::string out;
  wire::Writer writer(&out);
  writer.MessageBegin(type, header.method, header.sequence_id);
  writer.Raw(body);
  return out;
}

std::string SuccessFromOlder(const wire::MessageHeader& header, const OlderCall& call,
                             const StructView& body) {
  if (call.result == OlderResult::kSame) {
    return WithHeader(header, wire::MessageType::kReply, body.bytes());
  }
  std::string result;
  wire::Writer out(&result);
  const auto value = body.Find(0);
  if (call.result == OlderResult::kWrapped && value) out.RawField(value->type, 1, value->value);
  out.Stop();
  return wire::EncodeReply(header.method, header.sequence_id, TType::kStruct, 0, result);
}

// "tables*" for the filter by which Hive 4's client lists the tables that match this pattern;
// absent for any other filter. Older metastores know no such filter, and patterns mean the same to
// them.
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

std::optional<OlderCall> NamesByPattern(const wire::MessageHeader& header,
                                        const StructView& arguments, hms::Generation generation) {
  const auto db = arguments.String(1);
  const auto filter = arguments.String(2);
  const auto pattern = filter ? PatternOfFilter(*filter) : std::nullopt;
  if (!db || !pattern || arguments.I16(3).value_or(-1) >= 0) return std::nullopt;
  std::string older;
  wire::Writer out(&older);
  out.StringField(1, *db);
  out.StringField(2, *pattern);
  out.Stop();
  OlderCall call;
  call.method = "get_tables";
  call.message = wire::EncodeCall(call.method, header.sequence_id, older);
  if (generation == hms::Generation::kHive2) {
    const auto plain =
        WithoutCatalog({header.type, call.method, header.sequence_id, 0}, StructView(older));
    if (plain) call.message = *plain;
  }
  return call;
}

}  // namespace

std::optional<OlderCall> ToOlder(const wire::MessageHeader& header, const StructView& arguments,
                                 hms::Generation generation) {
  if (header.method == "get_table_names_by_filter") {
    return NamesByPattern(header, arguments, generation);
  }
  for (const OlderRow& row : OlderRows()) {
    if (row.method != header.method) continue;
    const auto request = arguments.Struct(1);
    if (!request) return std::nullopt;
    if (row.only_with != 0 && !request->Find(row.only_with)) continue;
    return Translate(row, header, *request, generation);
  }
  return std::nullopt;
}

std::string FromOlder(const wire::MessageHeader& header, const OlderCall& call,
                      std::string_view reply) {
  const auto answered = wire::ParseMessageHeader(reply);
  if (!answered) return std::string(reply);
  const StructView body(reply.substr(answered->body));
  if (answered->type != wire::MessageType::kReply) {
    return WithHeader(header, answered->type, body.bytes());
  }
  auto fields = body.Begin();
  const auto first = fields.Next();
  if (!first || first->id == 0) return SuccessFromOlder(header, call, body);
  int16_t id = first->id;
  if (call.swaps_exceptions && (id == 1 || id == 2)) id = id == 1 ? 2 : 1;
  return wire::EncodeReply(header.method, header.sequence_id, first->type, id, first->value);
}

std::optional<std::string> WithoutCatalog(const wire::MessageHeader& header,
                                          const StructView& arguments) {
  const auto first = arguments.String(1);
  if (!first || first->empty() || first->front() != '@') return std::nullopt;
  const size_t end = first->find('#');
  if (end == std::string_view::npos ||
      NormalizeName(first->substr(1, end - 1)) != kDefaultCatalog) {
    return std::nullopt;
  }
  std::string_view plain = first->substr(end + 1);
  if (plain == "!") plain = "";
  if (plain.empty() && header.method == "get_databases") plain = "*";
  std::string out;
  wire::Writer writer(&out);
  auto fields = arguments.Begin();
  while (const auto field = fields.Next()) {
    if (field->id == 1) {
      writer.StringField(1, plain);
    } else {
      writer.Raw(field->encoded);
    }
  }
  writer.Stop();
  return wire::EncodeCall(header.method, header.sequence_id, out);
}

}  // namespace catalogd::endpoint
