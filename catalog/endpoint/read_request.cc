#include "catalog/endpoint/read_request.h"

#include "catalog/endpoint/names_in.h"

namespace catalogd::endpoint {
namespace {

using wire::Field;
using wire::TType;

struct RawRequest {
  std::optional<std::string_view> catalog;
  std::optional<std::string_view> db;
  std::optional<std::string_view> table;
  std::optional<Field> list;
  int64_t max = -1;
};

bool IsNeutral(const Field& field) {
  switch (field.type) {
    case TType::kBool:
      return field.value == std::string_view("\0", 1);
    case TType::kI16:
    case TType::kI32:
    case TType::kI64:
      return (static_cast<unsigned char>(field.value.front()) & 0x80U) != 0;
    case TType::kString:
      return wire::DecodeString(field.value).empty();
    case TType::kList:
    case TType::kSet:
      return wire::ListView(field.value).size() == 0;
    default:
      return false;
  }
}

bool TakeString(const Field& field, std::optional<std::string_view>* out) {
  if (field.type != TType::kString) return false;
  *out = wire::DecodeString(field.value);
  return true;
}

bool TakeMax(const Field& field, int64_t* out) {
  if (field.type == TType::kI16 && field.value.size() == 2) {
    const auto high = static_cast<unsigned char>(field.value[0]);
    const auto low = static_cast<unsigned char>(field.value[1]);
    *out = static_cast<int16_t>((high << 8U) | low);
  } else if (field.type == TType::kI32) {
    *out = wire::DecodeI32(field.value);
  } else {
    return false;
  }
  // Zero means "all" to some methods of some versions, and "none" to the others.
  return *out != 0;
}

bool TakeField(const ReadSpec& spec, const Field& field, RawRequest* raw) {
  if (field.id <= 0 || field.id >= 32) return false;
  if (field.id == spec.catalog) return TakeString(field, &raw->catalog);
  if (field.id == spec.db) return TakeString(field, &raw->db);
  if (field.id == spec.table) return TakeString(field, &raw->table);
  if (field.id == spec.max) return TakeMax(field, &raw->max);
  if (field.id == spec.list) {
    raw->list = field;
    return field.type == TType::kString || field.type == TType::kList;
  }
  if ((spec.any & FieldBit(field.id)) != 0) return true;
  return (spec.neutral & FieldBit(field.id)) != 0 && IsNeutral(field);
}

bool TakeFields(const ReadSpec& spec, const wire::StructView& fields, RawRequest* raw) {
  auto each = fields.Begin();
  while (const auto field = each.Next()) {
    if (!TakeField(spec, *field, raw)) return false;
  }
  return true;
}

bool TakePattern(std::string_view pattern, ReadRequest* request) {
  request->names = NameGlob::Parse(pattern);
  return request->names.has_value();
}

// The metastore refuses a catalog without a name; blanks around one are its to judge.
bool IsPlainCatalog(std::string_view catalog) {
  return !catalog.empty() && NormalizeName(catalog).size() == catalog.size();
}

// Which slot the request is about.
bool TakeTarget(const ReadSpec& spec, const RawRequest& raw, hms::Generation generation,
                ReadRequest* request) {
  if (!raw.db) {
    // Only get_all_databases has no argument at all.
    request->catalog_text = kDefaultCatalog;
    request->target = ObjectName::Database(kDefaultCatalog, "");
    return spec.db == 0;
  }
  const bool prefixed = !raw.db->empty() && raw.db->front() == '@';
  // Request structs take it literally.
  if (prefixed && (spec.catalog != 0 || generation == hms::Generation::kUnknown)) return false;
  const DatabaseArgument argument = DatabaseOf(raw.catalog, *raw.db);
  const bool other_catalog = argument.catalog != kDefaultCatalog;
  if (prefixed && other_catalog && generation == hms::Generation::kHive2) return false;
  request->catalog_text = raw.catalog ? *raw.catalog : kDefaultCatalog;
  request->db_text = *raw.db;
  if (prefixed) {
    const size_t hash = raw.db->find('#');
    if (hash == std::string_view::npos) return false;
    request->catalog_text = raw.db->substr(1, hash - 1);
    request->db_text = raw.db->substr(hash + 1);
  }
  if (!IsPlainCatalog(request->catalog_text)) return false;
  if (spec.shape == ReadShape::kDatabaseNames) {
    request->target = ObjectName::Database(argument.catalog, "");
    return !argument.db || TakePattern(request->db_text, request);
  }
  if (!argument.db || argument.db->empty()) return false;
  if (spec.table == 0) {
    request->target = ObjectName::Database(argument.catalog, *argument.db);
    return true;
  }
  if (!raw.table) return false;
  request->table_text = *raw.table;
  request->target = ObjectName::Table(argument.catalog, *argument.db, *raw.table);
  return request->target.is_table();
}

bool TakeList(const ReadSpec& spec, const RawRequest& raw, ReadRequest* request) {
  if (spec.list == 0) return true;
  if (!raw.list) return false;
  const bool is_text = raw.list->type == TType::kString;
  switch (spec.shape) {
    case ReadShape::kTableNames:
      return is_text && TakePattern(wire::DecodeString(raw.list->value), request);
    case ReadShape::kPartitionByName:
    case ReadShape::kPartitionsByFilter:
    case ReadShape::kPartitionCount:
      request->text = wire::DecodeString(raw.list->value);
      return is_text && !request->text.empty();
    default:
      if (is_text) return false;
      request->list = wire::ListView(raw.list->value).Strings();
      return !request->list.empty();
  }
}

}  // namespace

std::optional<ReadRequest> ParseRead(const ReadSpec& spec, const wire::StructView& arguments,
                                     hms::Generation generation) {
  RawRequest raw;
  if (spec.request) {
    auto each = arguments.Begin();
    const auto first = each.Next();
    if (!first || first->id != 1 || first->type != TType::kStruct || each.Next()) {
      return std::nullopt;
    }
    if (!TakeFields(spec, wire::StructView(first->value), &raw)) return std::nullopt;
  } else if (!TakeFields(spec, arguments, &raw)) {
    return std::nullopt;
  }
  // Real servers stumble over a missing catalog here, each in its own way.
  const bool needs_catalog = spec.request && (spec.shape == ReadShape::kDatabase ||
                                              ((spec.shape == ReadShape::kPartitionNames ||
                                                spec.shape == ReadShape::kPartitionsByFilter) &&
                                               spec.catalog != 0));
  if (needs_catalog && !raw.catalog) return std::nullopt;
  ReadRequest request;
  request.max = raw.max;
  if (!TakeTarget(spec, raw, generation, &request) || !TakeList(spec, raw, &request)) {
    return std::nullopt;
  }
  return request;
}

}  // namespace catalogd::endpoint
