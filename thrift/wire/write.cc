#include "thrift/wire/write.h"

#include <glog/logging.h>

#include <bit>

#include "catalog/base/utf8.h"
#include "thrift/wire/skip.h"

namespace catalogd::wire {
namespace {

// Thrift counts and lengths are signed 32-bit numbers.
uint32_t Count(size_t count) {
  CHECK_LE(count, size_t{0x7FFFFFFF}) << "longer than Thrift can say; limits must come first";
  return static_cast<uint32_t>(count);
}

template <class T>
void AppendBigEndian(T value, std::string* out) {
  char bytes[sizeof(T)];
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<char>(value >> (8U * (sizeof(T) - 1 - i)));
  }
  out->append(bytes, sizeof(T));
}

// Offset of the four bytes of sequence id in a checked message.
size_t SequenceIdOffset(std::string_view message) {
  const uint32_t first = internal::ReadU32(message.data());
  const bool strict = (first & 0x80000000U) != 0;
  return strict ? 8 + size_t{internal::ReadU32(message.data() + 4)} : 5 + size_t{first};
}

}  // namespace

void Writer::I16(int16_t value) { AppendBigEndian(static_cast<uint16_t>(value), out_); }
void Writer::I32(int32_t value) { AppendBigEndian(static_cast<uint32_t>(value), out_); }
void Writer::I64(int64_t value) { AppendBigEndian(static_cast<uint64_t>(value), out_); }
void Writer::Double(double value) { AppendBigEndian(std::bit_cast<uint64_t>(value), out_); }

void Writer::String(std::string_view value) {
  AppendBigEndian(Count(value.size()), out_);
  out_->append(value);
}

void Writer::Field(TType type, int16_t id) {
  Byte(static_cast<uint8_t>(type));
  I16(id);
}

void Writer::ListBegin(TType element, size_t size) {
  Byte(static_cast<uint8_t>(element));
  AppendBigEndian(Count(size), out_);
}

void Writer::MapBegin(TType key, TType value, size_t size) {
  Byte(static_cast<uint8_t>(key));
  ListBegin(value, size);
}

void Writer::BoolField(int16_t id, bool value) {
  Field(TType::kBool, id);
  Byte(value ? 1 : 0);
}

void Writer::ByteField(int16_t id, int8_t value) {
  Field(TType::kByte, id);
  Byte(static_cast<uint8_t>(value));
}

void Writer::I16Field(int16_t id, int16_t value) {
  Field(TType::kI16, id);
  I16(value);
}

void Writer::I32Field(int16_t id, int32_t value) {
  Field(TType::kI32, id);
  I32(value);
}

void Writer::I64Field(int16_t id, int64_t value) {
  Field(TType::kI64, id);
  I64(value);
}

void Writer::StringField(int16_t id, std::string_view value) {
  Field(TType::kString, id);
  String(value);
}

void Writer::RawField(TType type, int16_t id, std::string_view value) {
  Field(type, id);
  Raw(value);
}

void Writer::StringListField(int16_t id, const std::vector<std::string>& values) {
  Field(TType::kList, id);
  ListBegin(TType::kString, values.size());
  for (const std::string& value : values) String(value);
}

void Writer::StringMapField(int16_t id, const std::map<std::string, std::string>& values) {
  Field(TType::kMap, id);
  MapBegin(TType::kString, TType::kString, values.size());
  for (const auto& [key, value] : values) {
    String(key);
    String(value);
  }
}

void Writer::MessageBegin(MessageType type, std::string_view method, int32_t sequence_id) {
  AppendBigEndian(0x80010000U | static_cast<uint32_t>(type), out_);
  String(method);
  I32(sequence_id);
}

std::string EncodeCall(std::string_view method, int32_t sequence_id, std::string_view args_struct) {
  std::string message;
  message.reserve(12 + method.size() + args_struct.size());
  Writer writer(&message);
  writer.MessageBegin(MessageType::kCall, method, sequence_id);
  writer.Raw(args_struct);
  return message;
}

std::string EncodeReply(std::string_view method, int32_t sequence_id, TType type, int16_t field_id,
                        std::string_view value) {
  std::string message;
  message.reserve(16 + method.size() + value.size());
  Writer writer(&message);
  writer.MessageBegin(MessageType::kReply, method, sequence_id);
  writer.RawField(type, field_id, value);
  writer.Stop();
  return message;
}

std::string EncodeVoidReply(std::string_view method, int32_t sequence_id) {
  std::string message;
  Writer writer(&message);
  writer.MessageBegin(MessageType::kReply, method, sequence_id);
  writer.Stop();
  return message;
}

std::string EncodeExceptionReply(std::string_view method, int32_t sequence_id, int16_t field_id,
                                 std::string_view text) {
  std::string exception;
  Writer writer(&exception);
  writer.StringField(1, ValidUtf8(std::string(text)));
  writer.Stop();
  return EncodeReply(method, sequence_id, TType::kStruct, field_id, exception);
}

std::string EncodeApplicationError(std::string_view method, int32_t sequence_id,
                                   ApplicationError type, std::string_view text) {
  std::string message;
  Writer writer(&message);
  writer.MessageBegin(MessageType::kException, method, sequence_id);
  writer.StringField(1, ValidUtf8(std::string(text)));
  writer.I32Field(2, static_cast<int32_t>(type));
  writer.Stop();
  return message;
}

std::string WithSequenceId(std::string_view message, int32_t sequence_id) {
  std::string copy(message);
  SetSequenceId(&copy, sequence_id);
  return copy;
}

void SetSequenceId(std::string* message, int32_t sequence_id) {
  CHECK_GE(message->size(), 4U) << "not a checked message";
  const size_t offset = SequenceIdOffset(*message);
  CHECK_LE(offset + 4, message->size()) << "not a checked message";
  const auto value = static_cast<uint32_t>(sequence_id);
  for (size_t i = 0; i < 4; ++i) (*message)[offset + i] = static_cast<char>(value >> (24 - 8 * i));
}

std::string WithField(std::string_view struct_bytes, int16_t id, TType type,
                      std::string_view value) {
  std::string out;
  out.reserve(struct_bytes.size() + 3 + value.size());
  Writer writer(&out);
  bool written = false;
  StructView::Iterator fields = StructView(struct_bytes).Begin();
  while (const std::optional<Field> field = fields.Next()) {
    if (field->id != id) {
      writer.Raw(field->encoded);
    } else if (!written) {
      writer.RawField(type, id, value);
      written = true;
    }
  }
  if (!written) writer.RawField(type, id, value);
  writer.Stop();
  return out;
}

std::string WithoutField(std::string_view struct_bytes, int16_t id) {
  std::string out;
  out.reserve(struct_bytes.size());
  Writer writer(&out);
  StructView::Iterator fields = StructView(struct_bytes).Begin();
  while (const std::optional<Field> field = fields.Next()) {
    if (field->id != id) writer.Raw(field->encoded);
  }
  writer.Stop();
  return out;
}

}  // namespace catalogd::wire
