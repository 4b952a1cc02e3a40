#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thrift/wire/types.h"

// Reading bytes that CheckMessage, ValueLength or our own writers have vouched for: no allocation,
// no schema. On bytes that are not well formed after all, iteration just ends; nothing is read
// outside the view.
// Thread safety: pure values over borrowed memory; the bytes must outlive the view.
namespace catalogd::wire {

struct Field {
  int16_t id = 0;
  TType type = TType::kStop;
  std::string_view value;    // Encoded value without the field header.
  std::string_view encoded;  // With the three bytes of field header.
};

// 0 when the value is too short.
int32_t DecodeI32(std::string_view value);
int64_t DecodeI64(std::string_view value);
// The content of an encoded string value (without its length).
std::string_view DecodeString(std::string_view value);

// A struct from its first field header up to and including its stop byte.
class StructView {
 public:
  StructView() = default;
  explicit StructView(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  // The first field with that id, whatever its type.
  [[nodiscard]] std::optional<Field> Find(int16_t id) const;
  [[nodiscard]] std::vector<Field> Fields() const;
  // Typed look-ups: absent also when the field has another type.
  [[nodiscard]] std::optional<std::string_view> String(int16_t id) const;
  [[nodiscard]] std::optional<int16_t> I16(int16_t id) const;
  [[nodiscard]] std::optional<int32_t> I32(int16_t id) const;
  [[nodiscard]] std::optional<int64_t> I64(int16_t id) const;
  [[nodiscard]] std::optional<bool> Bool(int16_t id) const;
  [[nodiscard]] std::optional<StructView> Struct(int16_t id) const;

  // Walks the fields in wire order. Next() is absent at the stop byte.
  class Iterator {
   public:
    explicit Iterator(std::string_view bytes) : rest_(bytes) {}
    std::optional<Field> Next();

   private:
    std::string_view rest_;
  };
  [[nodiscard]] Iterator Begin() const { return Iterator(bytes_); }

 private:
  std::string_view bytes_;
};

// A list or set from its element type byte on. Empty when the bytes cannot hold as many elements
// as they declare.
class ListView {
 public:
  explicit ListView(std::string_view value);
  [[nodiscard]] TType element_type() const { return element_; }
  [[nodiscard]] size_t size() const { return size_; }
  // Encoded elements in order.
  [[nodiscard]] std::vector<std::string_view> Elements() const;
  // Decoded strings; empty when the elements are not strings.
  [[nodiscard]] std::vector<std::string> Strings() const;

 private:
  TType element_ = TType::kStop;
  size_t size_ = 0;
  std::string_view rest_;
};

// A map with string keys and values, from its key type byte on; empty when it has other types.
std::vector<std::pair<std::string_view, std::string_view>> StringMap(std::string_view value);
// The value of one key of such a map.
std::optional<std::string_view> StringMapValue(std::string_view value, std::string_view key);

}  // namespace catalogd::wire
