#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hms_idl/hive_metastore_types.h"

// How the texts of notification messages are put together.
namespace catalogd::hms {

// Writes compact JSON; only what the messages need. A library would refuse text that is not UTF-8.
// Thread safety: none.
class JsonWriter {
 public:
  JsonWriter& Open(char bracket) {
    Separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  JsonWriter& Key(std::string_view key) {
    Separate();
    Quote(key);
    text_ += ':';
    first_ = true;
    return *this;
  }
  JsonWriter& Text(std::string_view value) {
    Separate();
    Quote(value);
    return *this;
  }
  JsonWriter& Number(int64_t value) {
    Separate();
    text_ += std::to_string(value);
    return *this;
  }
  JsonWriter& Null() {
    Separate();
    text_ += "null";
    return *this;
  }
  // Of texts or numbers.
  template <class List>
  JsonWriter& Array(const List& items) {
    Open('[');
    for (const auto& item : items) {
      if constexpr (std::is_convertible_v<decltype(item), std::string_view>) {
        Text(item);
      } else {
        Number(item);
      }
    }
    return Close(']');
  }
  JsonWriter& Field(std::string_view key, std::string_view value) { return Key(key).Text(value); }
  JsonWriter& Field(std::string_view key, int64_t value) { return Key(key).Number(value); }
  std::string Take() { return std::move(text_); }

 private:
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }

  void Quote(std::string_view value) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    text_ += '"';
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        text_ += {'\\', c};
      } else if (byte >= 0x20U) {
        text_ += c;
      } else if (c == '\n' || c == '\r' || c == '\t') {
        text_ += {'\\', c == '\n' ? 'n' : c == '\r' ? 'r' : 't'};
      } else {
        text_ += {'\\', 'u', '0', '0', kHex[byte >> 4U], kHex[byte & 15U]};
      }
    }
    text_ += '"';
  }

  std::string text_;
  bool first_ = true;
};

inline JsonWriter BeginMessage() {
  JsonWriter json;
  // Hive writes its configured URIs and principal here; empty where there are none.
  json.Open('{').Field("server", "").Field("servicePrincipal", "");
  return json;
}

inline JsonWriter BeginTableMessage(const thrift::hms::Table& table) {
  JsonWriter json = BeginMessage();
  json.Field("db", table.dbName).Field("table", table.tableName);
  json.Field("tableType", table.tableType);
  return json;
}

inline std::string_view BoolText(bool value) { return value ? "true" : "false"; }

}  // namespace catalogd::hms
