#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/random.h"
#include "thrift/wire/types.h"
#include "thrift/wire/write.h"

// Random well-formed Thrift values, in binary and as the Thrift-JSON that means the same.
// Thread safety: none; one per user. Same seed, same values.
namespace catalogd::testing {

// `text` as an encoder writes it into a JSON string, without the quotes around.
inline std::string EscapeJson(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (u < 0x20) {
      out += "\\u00";
      out += kHex[u >> 4U];
      out += kHex[u & 15U];
    } else {
      out += c;
    }
  }
  return out;
}

// The same, `times` times over.
inline std::string EscapeJson(std::string_view text, int times) {
  std::string out(text);
  for (int i = 0; i < times; ++i) out = EscapeJson(out);
  return out;
}

class RandomThrift {
 public:
  struct Pair {
    std::string binary;
    std::string json;
  };

  explicit RandomThrift(uint64_t seed) : random_(seed) {}

  // Keeps to what the library's own Thrift-JSON reader takes: no negative field ids.
  void OnlyPositiveIds() { positive_ids_ = true; }

  // A struct nested at most `levels` deep.
  Pair Struct(int levels) {
    Pair all{"", "{"};
    const uint64_t fields = random_.Below(6);
    const uint64_t id_mask = positive_ids_ ? 0x7FFFU : 0xFFFFU;
    for (uint64_t i = 0; i < fields; ++i) {
      const wire::TType type = AnyType(levels);
      const auto id = static_cast<int16_t>(random_.OneIn(8) ? random_.Next() & id_mask : i + 1);
      const Pair value = Value(type, levels - 1);
      wire::Writer(&all.binary).RawField(type, id, value.binary);
      if (i > 0) all.json += ',';
      all.json += "\"" + std::to_string(id) + "\":{\"" + Tag(type) + "\":" + value.json + "}";
    }
    wire::Writer(&all.binary).Stop();
    all.json += '}';
    return all;
  }

  // A call or reply with a random body, with a strict or an old header.
  std::string Message(int levels) {
    std::string message;
    const std::string method = "m" + std::to_string(random_.Below(1000));
    const auto sequence_id = static_cast<int32_t>(random_.Next());
    const auto type = static_cast<wire::MessageType>(1 + random_.Below(4));
    wire::Writer writer(&message);
    if (random_.OneIn(3)) {
      writer.String(method);
      writer.Byte(static_cast<uint8_t>(type));
      writer.I32(sequence_id);
    } else {
      writer.MessageBegin(type, method, sequence_id);
    }
    return message + Struct(levels).binary;
  }

  Pair Value(wire::TType type, int levels) {
    switch (type) {
      case wire::TType::kString:
        return String();
      case wire::TType::kDouble:
        return Double();
      case wire::TType::kStruct:
        return Struct(levels);
      case wire::TType::kList:
      case wire::TType::kSet:
        return List(levels);
      case wire::TType::kMap:
        return Map(levels);
      default:
        return Integer(type);
    }
  }

  Random& random() { return random_; }

 private:
  static std::string Tag(wire::TType type) {
    switch (type) {
      case wire::TType::kBool:
        return "tf";
      case wire::TType::kByte:
        return "i8";
      case wire::TType::kDouble:
        return "dbl";
      case wire::TType::kI16:
        return "i16";
      case wire::TType::kI32:
        return "i32";
      case wire::TType::kI64:
        return "i64";
      case wire::TType::kString:
        return "str";
      case wire::TType::kStruct:
        return "rec";
      case wire::TType::kMap:
        return "map";
      case wire::TType::kSet:
        return "set";
      default:
        return "lst";
    }
  }

  wire::TType AnyType(int levels) {
    using wire::TType;
    static constexpr TType kAll[] = {TType::kBool,   TType::kByte, TType::kDouble, TType::kI16,
                                     TType::kI32,    TType::kI64,  TType::kString, TType::kString,
                                     TType::kStruct, TType::kList, TType::kSet,    TType::kMap};
    return kAll[random_.Below(levels > 0 ? 12 : 8)];
  }

  Pair Integer(wire::TType type) {
    Pair pair;
    wire::Writer writer(&pair.binary);
    int64_t value = random_.OneIn(2) ? static_cast<int64_t>(random_.Below(10))
                                     : static_cast<int64_t>(random_.Next());
    switch (type) {
      case wire::TType::kBool:
        value &= 1;
        writer.Byte(static_cast<uint8_t>(value));
        break;
      case wire::TType::kByte:
        value = static_cast<int8_t>(value);
        writer.Byte(static_cast<uint8_t>(value));
        break;
      case wire::TType::kI16:
        value = static_cast<int16_t>(value);
        writer.I16(static_cast<int16_t>(value));
        break;
      case wire::TType::kI32:
        value = static_cast<int32_t>(value);
        writer.I32(static_cast<int32_t>(value));
        break;
      default:
        writer.I64(value);
        break;
    }
    pair.json = std::to_string(value);
    return pair;
  }

  Pair Double() {
    const auto value = static_cast<double>(static_cast<int32_t>(random_.Next())) / 64;
    Pair pair;
    wire::Writer(&pair.binary).Double(value);
    pair.json = std::to_string(value);  // Six decimals hold 1/64 exactly.
    return pair;
  }

  Pair String() {
    static const std::vector<std::string> kPieces = {"a",
                                                     "plain text of some length",
                                                     "\"",
                                                     "\\",
                                                     "\\\"",
                                                     "\n",
                                                     std::string("\0", 1),
                                                     "\x1f",
                                                     "/",
                                                     "\xc3\xa9",
                                                     "\xf0\x9f\x98\x80",
                                                     "\\u0041",
                                                     "{\"1\":",
                                                     "\t",
                                                     "\\\\",
                                                     "%3D"};
    std::string text;
    const uint64_t pieces = random_.Below(7);
    for (uint64_t i = 0; i < pieces; ++i) text += kPieces[random_.Below(kPieces.size())];
    Pair pair{"", "\"" + EscapeJson(text) + "\""};
    wire::Writer(&pair.binary).String(text);
    return pair;
  }

  Pair List(int levels) {
    const wire::TType type = AnyType(levels);
    const uint64_t count = random_.Below(5);
    Pair all;
    wire::Writer(&all.binary).ListBegin(type, count);
    all.json = "[\"" + Tag(type) + "\"," + std::to_string(count);
    for (uint64_t i = 0; i < count; ++i) {
      const Pair value = Value(type, levels - 1);
      all.binary += value.binary;
      all.json += "," + value.json;
    }
    all.json += "]";
    return all;
  }

  Pair Map(int levels) {
    const wire::TType key_type = AnyType(levels);
    const wire::TType type = AnyType(levels);
    const uint64_t count = random_.Below(4);
    Pair all;
    wire::Writer(&all.binary).MapBegin(key_type, type, count);
    all.json = "[\"" + Tag(key_type) + "\",\"" + Tag(type) + "\"," + std::to_string(count) + ",{";
    for (uint64_t i = 0; i < count; ++i) {
      const Pair key = Value(key_type, levels - 1);
      const Pair value = Value(type, levels - 1);
      const bool bare = key_type >= wire::TType::kString;  // Strings have quotes already.
      all.binary += key.binary + value.binary;
      if (i > 0) all.json += ",";
      all.json += bare ? key.json : "\"" + key.json + "\"";
      all.json += ":" + value.json;
    }
    all.json += "}]";
    return all;
  }

  Random random_;
  bool positive_ids_ = false;
};

}  // namespace catalogd::testing
