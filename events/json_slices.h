#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/result.h"

// A message's outer JSON, cut into slices: keys and values as they stand in the text, strings still
// escaped. Nothing is copied, so that an embedded object costs one pass over its bytes only.
//
// Not a JSON library: numbers and nested values are delimited, not interpreted.
// Thread safety: pure functions over borrowed text. Errors: kCorrupt.
namespace catalogd::events {

struct JsonSlice {
  enum class Kind { kAbsent, kNull, kString, kObject, kArray, kOther };
  Kind kind = Kind::kAbsent;
  std::string_view text;  // kString: between the quotes, still escaped.

  // Absent and null are the same to every reader of messages.
  [[nodiscard]] bool present() const { return kind != Kind::kAbsent && kind != Kind::kNull; }
};

// Members of one JSON object in the order of the text.
class JsonMembers {
 public:
  static Result<JsonMembers> Parse(std::string_view text);

  // Absent when there is no such key. Keys are compared as written.
  [[nodiscard]] JsonSlice Find(std::string_view key) const;
  [[nodiscard]] const std::vector<std::pair<std::string_view, JsonSlice>>& all() const {
    return members_;
  }

 private:
  std::vector<std::pair<std::string_view, JsonSlice>> members_;
};

Result<std::vector<JsonSlice>> JsonElements(std::string_view array);

// The text of a string slice. kCorrupt for other kinds and bad escapes.
Result<std::string> JsonText(const JsonSlice& slice);
// An object of strings, in the order of the text.
Result<std::vector<std::pair<std::string, std::string>>> JsonStringMap(const JsonSlice& slice);
Result<std::vector<std::string>> JsonStringList(const JsonSlice& slice);

}  // namespace catalogd::events
