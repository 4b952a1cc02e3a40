#include "tests/replay/call_encoder.h"

#include <optional>

#include "events/message_text.h"
#include "thrift/wire/write.h"

namespace catalogd::replay {

namespace {

using Json = nlohmann::json;
using wire::TType;

struct Type {
  TType wire = TType::kStop;
  std::string name;   // As in the IDL.
  std::string key;    // Of a map.
  std::string value;  // Element of a container.
};

// "map<list<string>,string>" has its comma outside the inner brackets.
Type ParseType(const IdlFacts& facts, const std::string& name) {
  static const std::map<std::string, TType> kBase = {
      {"bool", TType::kBool},     {"byte", TType::kByte},     {"i8", TType::kByte},
      {"i16", TType::kI16},       {"i32", TType::kI32},       {"i64", TType::kI64},
      {"string", TType::kString}, {"binary", TType::kString}, {"double", TType::kDouble}};
  Type type;
  type.name = name;
  if (const auto base = kBase.find(name); base != kBase.end()) {
    type.wire = base->second;
    return type;
  }
  const size_t open = name.find('<');
  if (open == std::string::npos) {
    type.wire = facts.IsEnum(name) ? TType::kI32 : TType::kStruct;
    return type;
  }
  const std::string container = name.substr(0, open);
  const std::string inside = name.substr(open + 1, name.size() - open - 2);
  if (container != "map") {
    type.wire = container == "list" ? TType::kList : TType::kSet;
    type.value = inside;
    return type;
  }
  type.wire = TType::kMap;
  int depth = 0;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '<') ++depth;
    if (inside[i] == '>') --depth;
    if (inside[i] != ',' || depth != 0) continue;
    type.key = inside.substr(0, i);
    type.value = inside.substr(i + 1);
    break;
  }
  return type;
}

class Encoder {
 public:
  explicit Encoder(const IdlFacts& facts) : facts_(facts) {}

  Status Struct(const IdlFacts::Fields& fields, const Json& json, const std::string& path) {
    if (!json.is_object()) return Wrong(path, "an object");
    for (const auto& item : json.items()) {
      if (item.value().is_null()) continue;
      const auto field = fields.find(item.key());
      const std::string below = path + "." + item.key();
      if (field == fields.end()) return MakeError(ErrorCode::kCorrupt, below + ": not in the IDL");
      const Type type = ParseType(facts_, field->second.type);
      writer_.Field(type.wire, field->second.id);
      RETURN_IF_ERROR(Value(type, item.value(), below));
    }
    writer_.Stop();
    return Ok();
  }
  std::string Take() { return std::move(bytes_); }

 private:
  static tl::unexpected<Error> Wrong(const std::string& path, const std::string& wanted) {
    return MakeError(ErrorCode::kCorrupt, path + ": should be " + wanted);
  }

  Status Value(const Type& type, const Json& json, const std::string& path) {
    switch (type.wire) {
      case TType::kBool:
        writer_.Byte(json.is_boolean() ? json.get<bool>() : json.get<int>() != 0);
        return Ok();
      case TType::kDouble:
        writer_.Double(json.get<double>());
        return Ok();
      case TType::kString:
        return Text(json, path);
      case TType::kStruct: {
        const IdlFacts::Fields* fields = facts_.Struct(type.name);
        if (fields == nullptr) return Wrong(path, "a struct that the IDL has, not " + type.name);
        return Struct(*fields, json, path);
      }
      case TType::kList:
      case TType::kSet:
        return List(type, json, path);
      case TType::kMap:
        return Map(type, json, path);
      default:
        return Integer(type, json, path);
    }
  }

  Status Integer(const Type& type, const Json& json, const std::string& path) {
    if (!json.is_number_integer()) return Wrong(path, "a whole number");
    const auto number = json.get<int64_t>();
    if (type.wire == TType::kByte) writer_.Byte(static_cast<uint8_t>(number));
    if (type.wire == TType::kI16) writer_.I16(static_cast<int16_t>(number));
    if (type.wire == TType::kI32) writer_.I32(static_cast<int32_t>(number));
    if (type.wire == TType::kI64) writer_.I64(number);
    return Ok();
  }

  Status Text(const Json& json, const std::string& path) {
    if (json.is_string()) {
      writer_.String(json.get<std::string>());
      return Ok();
    }
    if (!json.is_object() || !json.contains("base64")) return Wrong(path, "a text");
    ASSIGN_OR_RETURN(const std::string bytes,
                     events::DecodeBase64(json["base64"].get<std::string>()));
    writer_.String(bytes);
    return Ok();
  }

  Status List(const Type& type, const Json& json, const std::string& path) {
    if (!json.is_array()) return Wrong(path, "a list");
    const Type element = ParseType(facts_, type.value);
    writer_.ListBegin(element.wire, json.size());
    for (const Json& one : json) RETURN_IF_ERROR(Value(element, one, path + "[]"));
    return Ok();
  }

  Status Map(const Type& type, const Json& json, const std::string& path) {
    const Type key = ParseType(facts_, type.key);
    const Type value = ParseType(facts_, type.value);
    writer_.MapBegin(key.wire, value.wire, json.size());
    if (json.is_object()) {
      for (const auto& item : json.items()) {
        RETURN_IF_ERROR(Value(key, Json(item.key()), path + "{}"));
        RETURN_IF_ERROR(Value(value, item.value(), path + "{}"));
      }
      return Ok();
    }
    if (!json.is_array()) return Wrong(path, "a map");
    for (const Json& pair : json) {
      if (!pair.is_array() || pair.size() != 2) return Wrong(path, "a list of pairs");
      RETURN_IF_ERROR(Value(key, pair[0], path + "{}"));
      RETURN_IF_ERROR(Value(value, pair[1], path + "{}"));
    }
    return Ok();
  }

  const IdlFacts& facts_;
  std::string bytes_;
  wire::Writer writer_{&bytes_};
};

}  // namespace

Result<std::string> EncodeCallFromJson(const IdlFacts& facts, const std::string& method,
                                       const Json& arguments) {
  const IdlFacts::Fields* fields = facts.Arguments(method);
  if (fields == nullptr) return MakeError(ErrorCode::kCorrupt, method + ": not in the IDL");
  Encoder encoder(facts);
  RETURN_IF_ERROR(encoder.Struct(*fields, arguments, method));
  return wire::EncodeCall(method, 1, encoder.Take());
}

}  // namespace catalogd::replay
