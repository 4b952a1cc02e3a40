#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_target.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

// Views promise to end on malformed bytes; on well-formed ones splicing must keep them well formed.
namespace catalogd::fuzz {
namespace {

bool Inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void WalkField(const wire::Field& field, std::string_view bytes, int depth);

void WalkStruct(std::string_view bytes, int depth) {
  const wire::StructView view(bytes);
  for (const wire::Field& field : view.Fields()) WalkField(field, bytes, depth);
  for (int16_t id = 0; id < 4; ++id) {
    Require(Inside(view.String(id).value_or(std::string_view()), bytes));
    Require(view.I16(id).has_value() + view.I32(id).has_value() + view.I64(id).has_value() +
                view.Bool(id).has_value() <=
            1);
  }
}

void WalkField(const wire::Field& field, std::string_view bytes, int depth) {
  Require(Inside(field.encoded, bytes) && Inside(field.value, bytes));
  if (depth > 20) return;
  if (field.type == wire::TType::kStruct) WalkStruct(field.value, depth + 1);
  if (field.type == wire::TType::kList || field.type == wire::TType::kSet) {
    const wire::ListView list(field.value);
    for (const std::string_view element : list.Elements()) {
      Require(Inside(element, bytes));
      if (list.element_type() == wire::TType::kStruct) WalkStruct(element, depth + 1);
    }
    Require(list.Strings().size() <= list.size());
  }
  for (const auto& [key, value] : wire::StringMap(field.value)) {
    Require(Inside(key, bytes) && Inside(value, bytes));
    Require(wire::StringMapValue(field.value, key).has_value());
  }
}

}  // namespace

void ViewTarget(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  WalkStruct(bytes, 0);
  Require(wire::ListView(bytes).Elements().size() <= wire::ListView(bytes).size());
  wire::StringMap(bytes);
  wire::DecodeI32(bytes);
  wire::DecodeI64(bytes);
  Require(Inside(wire::DecodeString(bytes), bytes));

  const std::string with = wire::WithField(bytes, 2, wire::TType::kI16, "ab");
  // Views go as deep as any limit allows; nobody has vouched for these bytes with a lower one.
  wire::Limits limits;
  limits.max_depth = 256;
  Require(wire::ValueLength(wire::TType::kStruct, with, limits) == with.size());
  const auto length = wire::ValueLength(wire::TType::kStruct, bytes, limits);
  if (length) {
    const std::string same = wire::WithoutField(bytes.substr(0, *length), -31999);
    Require(same.size() <= *length);
  }
  const auto header = wire::CheckMessage(bytes);
  if (header) {
    std::string changed(bytes);
    wire::SetSequenceId(&changed, header->sequence_id);
    Require(changed == bytes);
  }
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::ViewTarget);
