#include "thrift/wire/view.h"

#include <limits>

#include "thrift/wire/skip.h"

namespace catalogd::wire {
namespace {

using internal::ReadU16;
using internal::ReadU32;
using internal::ReadU64;
using internal::ReadU8;

// Whoever vouched for the bytes has applied the limits.
constexpr Limits kUnlimited = {std::numeric_limits<size_t>::max(),
                               std::numeric_limits<size_t>::max(),
                               std::numeric_limits<size_t>::max(), internal::kHardMaxDepth};

// Length of the value at the front of `rest`; 0 when there is none. Strings and numbers, which
// most look-ups step over, are measured here.
inline size_t FrontLength(uint8_t type, std::string_view rest) {
  if (type == static_cast<uint8_t>(TType::kString)) {
    if (rest.size() < 4) return 0;
    const size_t length = 4 + size_t{ReadU32(rest.data())};
    return length <= rest.size() ? length : 0;
  }
  if (const size_t fixed = internal::FixedSize(type); fixed != 0) {
    return fixed <= rest.size() ? fixed : 0;
  }
  internal::Skipper skipper(rest.data() + rest.size(), kUnlimited);
  const char* const end = skipper.Value(type, rest.data(), 0);
  return end == nullptr ? 0 : static_cast<size_t>(end - rest.data());
}

// Cuts one encoded value off the front of `rest`; false and unchanged when there is none.
inline bool TakeValue(uint8_t type, std::string_view* rest, std::string_view* value) {
  const size_t length = FrontLength(type, *rest);
  if (length == 0) return false;
  *value = rest->substr(0, length);
  rest->remove_prefix(length);
  return true;
}

std::optional<std::string_view> FindTyped(const StructView& view, int16_t id, TType type) {
  const std::optional<Field> field = view.Find(id);
  if (!field || field->type != type) return std::nullopt;
  return field->value;
}

// Entries of a map of strings that follow its six bytes of header.
class StringEntries {
 public:
  explicit StringEntries(std::string_view value) {
    if (value.size() < 6 || ReadU8(value.data()) != static_cast<uint8_t>(TType::kString) ||
        ReadU8(value.data() + 1) != static_cast<uint8_t>(TType::kString)) {
      return;
    }
    rest_ = value.substr(6);
    left_ = ReadU32(value.data() + 2);
    if (left_ > rest_.size() / 8) left_ = 0;
  }
  [[nodiscard]] size_t left() const { return left_; }
  std::optional<std::pair<std::string_view, std::string_view>> Next() {
    std::string_view key;
    std::string_view value;
    constexpr auto kType = static_cast<uint8_t>(TType::kString);
    if (left_ == 0 || !TakeValue(kType, &rest_, &key) || !TakeValue(kType, &rest_, &value)) {
      return std::nullopt;
    }
    --left_;
    return std::make_pair(DecodeString(key), DecodeString(value));
  }

 private:
  std::string_view rest_;
  size_t left_ = 0;
};

}  // namespace

int32_t DecodeI32(std::string_view value) {
  return value.size() < 4 ? 0 : static_cast<int32_t>(ReadU32(value.data()));
}

int64_t DecodeI64(std::string_view value) {
  return value.size() < 8 ? 0 : static_cast<int64_t>(ReadU64(value.data()));
}

std::string_view DecodeString(std::string_view value) {
  if (value.size() < 4) return {};
  return value.substr(4, ReadU32(value.data()));
}

std::optional<Field> StructView::Iterator::Next() {
  if (rest_.size() < 3) return std::nullopt;
  const uint8_t type = ReadU8(rest_.data());
  const size_t length = type == 0 ? 0 : FrontLength(type, rest_.substr(3));
  if (length == 0) {
    rest_ = {};
    return std::nullopt;
  }
  const std::string_view encoded = rest_.substr(0, 3 + length);
  rest_.remove_prefix(encoded.size());
  return Field{static_cast<int16_t>(ReadU16(encoded.data() + 1)), static_cast<TType>(type),
               encoded.substr(3), encoded};
}

std::optional<Field> StructView::Find(int16_t id) const {
  Iterator fields = Begin();
  while (std::optional<Field> field = fields.Next()) {
    if (field->id == id) return field;
  }
  return std::nullopt;
}

std::vector<Field> StructView::Fields() const {
  std::vector<Field> all;
  Iterator fields = Begin();
  while (const std::optional<Field> field = fields.Next()) all.push_back(*field);
  return all;
}

std::optional<std::string_view> StructView::String(int16_t id) const {
  const auto value = FindTyped(*this, id, TType::kString);
  if (!value) return std::nullopt;
  return DecodeString(*value);
}

std::optional<int16_t> StructView::I16(int16_t id) const {
  const auto value = FindTyped(*this, id, TType::kI16);
  if (!value) return std::nullopt;
  return static_cast<int16_t>(ReadU16(value->data()));
}

std::optional<int32_t> StructView::I32(int16_t id) const {
  const auto value = FindTyped(*this, id, TType::kI32);
  if (!value) return std::nullopt;
  return DecodeI32(*value);
}

std::optional<int64_t> StructView::I64(int16_t id) const {
  const auto value = FindTyped(*this, id, TType::kI64);
  if (!value) return std::nullopt;
  return DecodeI64(*value);
}

std::optional<bool> StructView::Bool(int16_t id) const {
  const auto value = FindTyped(*this, id, TType::kBool);
  if (!value) return std::nullopt;
  return value->front() != 0;
}

std::optional<StructView> StructView::Struct(int16_t id) const {
  const auto value = FindTyped(*this, id, TType::kStruct);
  if (!value) return std::nullopt;
  return StructView(*value);
}

ListView::ListView(std::string_view value) {
  if (value.size() < 5) return;
  const uint8_t element = ReadU8(value.data());
  const size_t least = internal::MinSize(element);
  rest_ = value.substr(5);
  const size_t declared = ReadU32(value.data() + 1);
  if (least == 0 || declared > rest_.size() / least) return;
  element_ = static_cast<TType>(element);
  size_ = declared;
}

std::vector<std::string_view> ListView::Elements() const {
  std::vector<std::string_view> elements;
  elements.reserve(size_);
  std::string_view rest = rest_;
  std::string_view value;
  while (elements.size() < size_ && TakeValue(static_cast<uint8_t>(element_), &rest, &value)) {
    elements.push_back(value);
  }
  return elements;
}

std::vector<std::string> ListView::Strings() const {
  std::vector<std::string> strings;
  if (element_ != TType::kString) return strings;
  strings.reserve(size_);
  for (const std::string_view value : Elements()) strings.emplace_back(DecodeString(value));
  return strings;
}

std::vector<std::pair<std::string_view, std::string_view>> StringMap(std::string_view value) {
  StringEntries entries(value);
  std::vector<std::pair<std::string_view, std::string_view>> all;
  all.reserve(entries.left());
  while (const auto entry = entries.Next()) all.push_back(*entry);
  return all;
}

std::optional<std::string_view> StringMapValue(std::string_view value, std::string_view key) {
  StringEntries entries(value);
  while (const auto entry = entries.Next()) {
    if (entry->first == key) return entry->second;
  }
  return std::nullopt;
}

}  // namespace catalogd::wire
