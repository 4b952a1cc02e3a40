#include "hms_client/insert_layout.h"

#include "thrift/wire/write.h"

namespace catalogd::hms {

namespace {

using wire::Field;
using wire::StructView;
using wire::TType;

// FireEventRequest, FireEventRequestData, InsertEventRequestData.
constexpr int16_t kData = 2;
constexpr int16_t kInsert = 1;
constexpr int16_t kReplace = 1;
constexpr int16_t kLastOfBoth = 3;

bool IsFalse(const Field& field) {
  return field.type == TType::kBool && field.value == std::string_view("\0", 1);
}

std::optional<std::string> ToHive2(const StructView& insert) {
  std::string out;
  wire::Writer writer(&out);
  auto fields = insert.Begin();
  while (const auto field = fields.Next()) {
    if (field->id == kReplace && IsFalse(*field)) continue;
    if (field->id <= kReplace || field->id > kLastOfBoth) return std::nullopt;
    writer.RawField(field->type, static_cast<int16_t>(field->id - 1), field->value);
  }
  writer.Stop();
  return out;
}

std::optional<std::string> FromHive2(const StructView& insert) {
  std::string out;
  wire::Writer writer(&out);
  auto fields = insert.Begin();
  while (const auto field = fields.Next()) {
    if (field->type != TType::kList || field->id < 1 || field->id >= kLastOfBoth) {
      return std::nullopt;
    }
    writer.RawField(field->type, static_cast<int16_t>(field->id + 1), field->value);
  }
  writer.Stop();
  return out;
}

}  // namespace

std::optional<std::string> InsertEventIn(InsertLayout layout, const StructView& arguments) {
  const auto request = arguments.Struct(1);
  const auto data = request ? request->Struct(kData) : std::nullopt;
  const auto insert = data ? data->Struct(kInsert) : std::nullopt;
  if (!insert) return std::nullopt;
  const auto first = insert->Find(1);
  const bool is_of_hive2 = first && first->type == TType::kList;
  if (is_of_hive2 == (layout == InsertLayout::kHive2)) return std::nullopt;
  const auto other = is_of_hive2 ? FromHive2(*insert) : ToHive2(*insert);
  if (!other) return std::nullopt;
  const std::string changed = wire::WithField(data->bytes(), kInsert, TType::kStruct, *other);
  const std::string event = wire::WithField(request->bytes(), kData, TType::kStruct, changed);
  return wire::WithField(arguments.bytes(), 1, TType::kStruct, event);
}

}  // namespace catalogd::hms
