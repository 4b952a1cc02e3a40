#include "catalog/daemon/object_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

namespace catalogd::daemon {
namespace {

using nlohmann::json;
using wire::TType;

struct FieldName {
  int16_t id;
  std::string_view name;
  // Of a struct, or of the structs in a list; null: none is known.
  const std::span<const FieldName>* inner = nullptr;
};
using Names = std::span<const FieldName>;

constexpr FieldName kColumnFields[] = {{1, "name"}, {2, "type"}, {3, "comment"}};
constexpr Names kColumn = kColumnFields;
constexpr FieldName kSerdeFields[] = {
    {1, "name"},        {2, "serializationLib"}, {3, "parameters"},
    {4, "description"}, {5, "serializerClass"},  {6, "deserializerClass"},
    {7, "serdeType"}};
constexpr Names kSerde = kSerdeFields;
constexpr FieldName kOrderFields[] = {{1, "col"}, {2, "order"}};
constexpr Names kOrder = kOrderFields;
constexpr FieldName kSkewFields[] = {
    {1, "skewedColNames"}, {2, "skewedColValues"}, {3, "skewedColValueLocationMaps"}};
constexpr Names kSkew = kSkewFields;
constexpr FieldName kStorageFields[] = {{1, "cols", &kColumn},      {2, "location"},
                                        {3, "inputFormat"},         {4, "outputFormat"},
                                        {5, "compressed"},          {6, "numBuckets"},
                                        {7, "serdeInfo", &kSerde},  {8, "bucketCols"},
                                        {9, "sortCols", &kOrder},   {10, "parameters"},
                                        {11, "skewedInfo", &kSkew}, {12, "storedAsSubDirectories"}};
constexpr Names kStorage = kStorageFields;
constexpr FieldName kCreationFields[] = {{1, "catName"},      {2, "dbName"},
                                         {3, "tblName"},      {4, "tablesUsed"},
                                         {5, "validTxnList"}, {6, "materializationTime"}};
constexpr Names kCreation = kCreationFields;
constexpr FieldName kTableFields[] = {{1, "tableName"},
                                      {2, "dbName"},
                                      {3, "owner"},
                                      {4, "createTime"},
                                      {5, "lastAccessTime"},
                                      {6, "retention"},
                                      {7, "sd", &kStorage},
                                      {8, "partitionKeys", &kColumn},
                                      {9, "parameters"},
                                      {10, "viewOriginalText"},
                                      {11, "viewExpandedText"},
                                      {12, "tableType"},
                                      {13, "privileges"},
                                      {14, "temporary"},
                                      {15, "rewriteEnabled"},
                                      {16, "creationMetadata", &kCreation},
                                      {17, "catName"},
                                      {18, "ownerType"},
                                      {19, "writeId"},
                                      {20, "isStatsCompliant"},
                                      {21, "colStats"},
                                      {22, "accessType"},
                                      {23, "requiredReadCapabilities"},
                                      {24, "requiredWriteCapabilities"},
                                      {25, "id"},
                                      {26, "fileMetadata"},
                                      {27, "dictionary"},
                                      {28, "txnId"}};
constexpr Names kTable = kTableFields;
constexpr FieldName kDatabaseFields[] = {
    {1, "name"},          {2, "description"},         {3, "locationUri"}, {4, "parameters"},
    {5, "privileges"},    {6, "ownerName"},           {7, "ownerType"},   {8, "catalogName"},
    {9, "createTime"},    {10, "managedLocationUri"}, {11, "type"},       {12, "connector_name"},
    {13, "remote_dbname"}};
constexpr Names kDatabase = kDatabaseFields;

const FieldName* Find(Names names, int16_t id) {
  for (const FieldName& field : names) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

json ValueToJson(TType type, std::string_view value, Names inner);

json StructToJson(std::string_view bytes, Names names) {
  json out = json::object();
  auto fields = wire::StructView(bytes).Begin();
  while (const auto field = fields.Next()) {
    const FieldName* known = Find(names, field->id);
    const std::string name =
        known != nullptr ? std::string(known->name) : fmt::format("field_{}", field->id);
    const Names inner = known != nullptr && known->inner != nullptr ? *known->inner : Names();
    out[name] = ValueToJson(field->type, field->value, inner);
  }
  return out;
}

json ListToJson(std::string_view value, Names inner) {
  const wire::ListView list(value);
  json out = json::array();
  for (const std::string_view element : list.Elements()) {
    out.push_back(ValueToJson(list.element_type(), element, inner));
  }
  return out;
}

// Takes one value off the front; empty when the bytes are not what they should be.
std::string_view TakeValue(TType type, std::string_view* rest) {
  const auto length = wire::ValueLength(type, *rest);
  if (!length) return {};
  const std::string_view value = rest->substr(0, *length);
  rest->remove_prefix(*length);
  return value;
}

// String keys make an object; keys of other types (skewed values) a list of pairs.
json MapToJson(std::string_view value) {
  constexpr size_t kHeader = 6;
  if (value.size() < kHeader) return json::object();
  const auto key_type = static_cast<TType>(value[0]);
  const auto value_type = static_cast<TType>(value[1]);
  const int32_t count = wire::DecodeI32(value.substr(2));
  std::string_view rest = value.substr(kHeader);
  json out = key_type == TType::kString ? json::object() : json::array();
  for (int32_t i = 0; i < count; ++i) {
    const std::string_view key = TakeValue(key_type, &rest);
    const std::string_view content = TakeValue(value_type, &rest);
    if (key.empty() || content.empty()) break;
    if (key_type == TType::kString) {
      out[std::string(wire::DecodeString(key))] = ValueToJson(value_type, content, {});
    } else {
      out.push_back({ValueToJson(key_type, key, {}), ValueToJson(value_type, content, {})});
    }
  }
  return out;
}

double DecodeDouble(std::string_view value) {
  const int64_t bits = wire::DecodeI64(value);
  double out = 0;
  static_assert(sizeof(out) == sizeof(bits));
  __builtin_memcpy(&out, &bits, sizeof(out));
  return out;
}

json ValueToJson(TType type, std::string_view value, Names inner) {
  switch (type) {
    case TType::kBool:
      return !value.empty() && value[0] != 0;
    case TType::kByte:
      return value.empty() ? 0 : static_cast<int>(static_cast<int8_t>(value[0]));
    case TType::kI16: {
      if (value.size() < 2) return 0;
      const auto high = static_cast<uint8_t>(value[0]);
      const auto low = static_cast<uint8_t>(value[1]);
      return static_cast<int16_t>((high << 8U) | low);
    }
    case TType::kI32:
      return wire::DecodeI32(value);
    case TType::kI64:
      return wire::DecodeI64(value);
    case TType::kDouble:
      return DecodeDouble(value);
    case TType::kString:
      return std::string(wire::DecodeString(value));
    case TType::kStruct:
      return StructToJson(value, inner);
    case TType::kList:
    case TType::kSet:
      return ListToJson(value, inner);
    case TType::kMap:
      return MapToJson(value);
    case TType::kStop:
      break;
  }
  return nullptr;
}

}  // namespace

json TableToJson(std::string_view table_struct) { return StructToJson(table_struct, kTable); }

json DatabaseToJson(std::string_view database_struct) {
  return StructToJson(database_struct, kDatabase);
}

}  // namespace catalogd::daemon
