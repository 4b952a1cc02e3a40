#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "thrift/wire/types.h"
#include "thrift/wire/view.h"

// Writing Thrift binary by hand. Appends to a string that the caller owns.
namespace catalogd::wire {

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  void Raw(std::string_view bytes) { out_->append(bytes); }
  void Byte(uint8_t value) { out_->push_back(static_cast<char>(value)); }
  void I16(int16_t value);
  void I32(int32_t value);
  void I64(int64_t value);
  void Double(double value);
  void String(std::string_view value);  // Length and content.
  void Field(TType type, int16_t id);
  void Stop() { Byte(0); }
  void ListBegin(TType element, size_t size);
  void MapBegin(TType key, TType value, size_t size);

  void BoolField(int16_t id, bool value);
  void ByteField(int16_t id, int8_t value);
  void I16Field(int16_t id, int16_t value);
  void I32Field(int16_t id, int32_t value);
  void I64Field(int16_t id, int64_t value);
  void StringField(int16_t id, std::string_view value);
  // `value` is an encoded value (for a struct: fields and stop byte).
  void RawField(TType type, int16_t id, std::string_view value);
  void StringListField(int16_t id, const std::vector<std::string>& values);
  void StringMapField(int16_t id, const std::map<std::string, std::string>& values);

  // Strict header; the body struct follows.
  void MessageBegin(MessageType type, std::string_view method, int32_t sequence_id);

 private:
  std::string* out_;
};

// Whole messages.
std::string EncodeCall(std::string_view method, int32_t sequence_id, std::string_view args_struct);
// Result struct with one field; id 0 is success, others are declared exceptions.
std::string EncodeReply(std::string_view method, int32_t sequence_id, TType type, int16_t field_id,
                        std::string_view value);
// The reply of a void method.
std::string EncodeVoidReply(std::string_view method, int32_t sequence_id);
// A declared exception: a struct {1: message} at `field_id`.
std::string EncodeExceptionReply(std::string_view method, int32_t sequence_id, int16_t field_id,
                                 std::string_view text);
std::string EncodeApplicationError(std::string_view method, int32_t sequence_id,
                                   ApplicationError type, std::string_view text);
// The same message with another sequence id. REQUIRES: a checked message.
std::string WithSequenceId(std::string_view message, int32_t sequence_id);
void SetSequenceId(std::string* message, int32_t sequence_id);

// Splicing: the struct with one field replaced (or added before the stop byte), or removed.
// Every other byte, unknown fields included, stays as it is.
std::string WithField(std::string_view struct_bytes, int16_t id, TType type,
                      std::string_view value);
std::string WithoutField(std::string_view struct_bytes, int16_t id);

}  // namespace catalogd::wire
