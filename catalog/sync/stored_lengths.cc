#include "catalog/sync/stored_lengths.h"

#include <algorithm>

#include "catalog/sync/struct_fields.h"
#include "thrift/idl/field_ids.h"

namespace catalogd::sync {
namespace {

using wire::Field;
using wire::TType;

constexpr size_t kParameterKey = 256;
constexpr size_t kPath = 4000;  // Also classes of formats and serdes.
constexpr size_t kSerdeName = 128;
constexpr size_t kSortColumn = 767;
constexpr size_t kBucketColumn = 255;
constexpr size_t kSkewed = 255;
constexpr size_t kOwner = 767;
constexpr size_t kTableType = 128;
constexpr size_t kViewText = 32700;

// What is not a text fits.
bool TextFits(const Field& field, size_t limit) {
  return field.type != TType::kString || wire::DecodeString(field.value).size() <= limit;
}

bool MemberFits(const StructFields& fields, int16_t id, size_t limit) {
  const Field* field = fields.Find(id);
  return field == nullptr || TextFits(*field, limit);
}

bool SortColumnsFit(const Field& field) {
  if (field.value.size() <= kSortColumn || field.type != TType::kList) return true;
  const wire::ListView list(field.value);
  if (list.element_type() != TType::kStruct) return true;
  const auto orders = list.Elements();
  return std::all_of(orders.begin(), orders.end(), [](std::string_view order) {
    const auto column = wire::StructView(order).String(ids::order::kCol);
    return !column || column->size() <= kSortColumn;
  });
}

bool SerdeFits(const Field& field) {
  if (field.type != TType::kStruct || field.value.size() <= kSerdeName) return true;
  const StructFields serde(field.value);
  const Field* parameters = serde.Find(ids::serde_info::kParameters);
  return MemberFits(serde, ids::serde_info::kName, kSerdeName) &&
         MemberFits(serde, ids::serde_info::kSerializationLib, kPath) &&
         MemberFits(serde, ids::serde_info::kDescription, kPath) &&
         MemberFits(serde, ids::serde_info::kSerializerClass, kPath) &&
         MemberFits(serde, ids::serde_info::kDeserializerClass, kPath) &&
         (parameters == nullptr || ParametersFit(*parameters, kLongTextLimit));
}

// list<list<string>>
bool SkewedValuesFit(const Field& field) {
  const wire::ListView list(field.value);
  if (field.type != TType::kList || list.element_type() != TType::kList) return true;
  const auto tuples = list.Elements();
  return std::all_of(tuples.begin(), tuples.end(), [](std::string_view tuple) {
    Field one;
    one.type = TType::kList;
    one.value = tuple;
    return ListFits(one, kSkewed);
  });
}

// Where skewed values lie is hardly ever told; long maps of it are not looked into.
bool SkewFits(const Field& field) {
  if (field.type != TType::kStruct || field.value.size() <= kSkewed) return true;
  const StructFields skew(field.value);
  const Field* names = skew.Find(ids::skewed_info::kSkewedColNames);
  const Field* values = skew.Find(ids::skewed_info::kSkewedColValues);
  const Field* locations = skew.Find(ids::skewed_info::kSkewedColValueLocationMaps);
  return (names == nullptr || ListFits(*names, kSkewed)) &&
         (values == nullptr || SkewedValuesFit(*values)) &&
         (locations == nullptr || locations->value.size() <= kSkewed);
}

}  // namespace

bool ColumnFits(std::string_view column, const ColumnLimits& limits) {
  if (column.size() <= std::min({limits.name, limits.type, limits.comment})) return true;
  const StructFields fields(column);
  return MemberFits(fields, ids::field_schema::kName, limits.name) &&
         MemberFits(fields, ids::field_schema::kType, limits.type) &&
         MemberFits(fields, ids::field_schema::kComment, limits.comment);
}

bool StorageFits(const StructFields& storage) {
  return std::all_of(storage.begin(), storage.end(), [](const Field& field) {
    switch (field.id) {
      case ids::storage_descriptor::kLocation:
      case ids::storage_descriptor::kInputFormat:
      case ids::storage_descriptor::kOutputFormat:
        return TextFits(field, kPath);
      case ids::storage_descriptor::kSerdeInfo:
        return SerdeFits(field);
      case ids::storage_descriptor::kBucketCols:
        return ListFits(field, kBucketColumn);
      case ids::storage_descriptor::kSortCols:
        return SortColumnsFit(field);
      case ids::storage_descriptor::kParameters:
        return ParametersFit(field, kLongTextLimit);
      case ids::storage_descriptor::kSkewedInfo:
        return SkewFits(field);
      default:
        return true;
    }
  });
}

bool TableFits(const StructFields& table) {
  const Field* parameters = table.Find(ids::table::kParameters);
  return MemberFits(table, ids::table::kOwner, kOwner) &&
         MemberFits(table, ids::table::kTableType, kTableType) &&
         MemberFits(table, ids::table::kViewOriginalText, kViewText) &&
         MemberFits(table, ids::table::kViewExpandedText, kViewText) &&
         (parameters == nullptr || ParametersFit(*parameters, kLongTextLimit));
}

bool ParametersFit(const Field& parameters, size_t value_limit) {
  if (parameters.value.size() <= kParameterKey || parameters.type != TType::kMap) return true;
  const auto map = wire::StringMap(parameters.value);
  return std::all_of(map.begin(), map.end(), [value_limit](const auto& entry) {
    return entry.first.size() <= kParameterKey && entry.second.size() <= value_limit;
  });
}

bool ListFits(const Field& list, size_t limit) {
  if (list.value.size() <= limit || list.type != TType::kList) return true;
  const wire::ListView view(list.value);
  if (view.element_type() != TType::kString) return true;
  const auto texts = view.Elements();
  return std::all_of(texts.begin(), texts.end(), [limit](std::string_view text) {
    return wire::DecodeString(text).size() <= limit;
  });
}

}  // namespace catalogd::sync
