#include "catalog/endpoint/layouts.h"

#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

using wire::Field;
using wire::StructView;
using wire::TType;

// FireEventRequest, FireEventRequestData, InsertEventRequestData.
constexpr int16_t kData = 2;
constexpr int16_t kInsert = 1;
// Hive 2 numbers the files 1 and their checksums 2; later releases 2 and 3, after `replace`.
constexpr int16_t kReplace = 1;
constexpr int16_t kLastOfBoth = 3;

// ShowLocksResponse, ShowLocksResponseElement.
constexpr int16_t kLocks = 1;
constexpr int16_t kType = 6;
constexpr int32_t kLastOldType = 3;

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

std::optional<std::string> InsertEventFor(hms::Generation generation,
                                          const wire::MessageHeader& header,
                                          const StructView& arguments) {
  if (header.method != "fire_listener_event" || generation == hms::Generation::kUnknown) {
    return std::nullopt;
  }
  const auto request = arguments.Struct(1);
  const auto data = request ? request->Struct(kData) : std::nullopt;
  const auto insert = data ? data->Struct(kInsert) : std::nullopt;
  if (!insert) return std::nullopt;
  const auto first = insert->Find(1);
  const bool is_of_hive2 = first && first->type == TType::kList;
  if (is_of_hive2 == (generation == hms::Generation::kHive2)) return std::nullopt;
  const auto other = is_of_hive2 ? FromHive2(*insert) : ToHive2(*insert);
  if (!other) return std::nullopt;
  const std::string changed = wire::WithField(data->bytes(), kInsert, TType::kStruct, *other);
  const std::string event = wire::WithField(request->bytes(), kData, TType::kStruct, changed);
  return wire::EncodeCall(header.method, header.sequence_id,
                          wire::WithField(arguments.bytes(), 1, TType::kStruct, event));
}

std::optional<std::string> WithoutNewLocks(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return std::nullopt;
  const auto response = StructView(reply.substr(header->body)).Struct(0);
  const auto list = response ? response->Find(kLocks) : std::nullopt;
  if (!list || list->type != TType::kList) return std::nullopt;
  const wire::ListView locks(list->value);
  if (locks.element_type() != TType::kStruct) return std::nullopt;
  std::string kept;
  size_t count = 0;
  for (const std::string_view lock : locks.Elements()) {
    const auto type = StructView(lock).Find(kType);
    const bool is_new =
        type && type->type == TType::kI32 && wire::DecodeI32(type->value) > kLastOldType;
    if (is_new) continue;
    kept.append(lock);
    ++count;
  }
  if (count == locks.size()) return std::nullopt;
  std::string left;
  wire::Writer(&left).ListBegin(TType::kStruct, count);
  left.append(kept);
  return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0,
                           wire::WithField(response->bytes(), kLocks, TType::kList, left));
}

}  // namespace catalogd::endpoint
