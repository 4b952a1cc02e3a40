#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::replay {

// The metastore's IDL as data, read from the table of facts that the build generates code from:
// enough to make the bytes of a call from its JSON, and to name the exception of an answer.
// Of several shapes of a thing the newest counts; names of older ones are still known.
// Thread safety: immutable. Errors of Read: those of ReadFile, kCorrupt.
class IdlFacts {
 public:
  struct Field {
    int16_t id = 0;
    std::string type;
  };
  using Fields = std::map<std::string, Field>;  // By name.

  static Result<IdlFacts> Read(const std::string& path);

  // Null when there is no such struct or method.
  [[nodiscard]] const Fields* Struct(const std::string& name) const;
  [[nodiscard]] const Fields* Arguments(const std::string& method) const;
  [[nodiscard]] bool IsEnum(const std::string& name) const { return enums_.contains(name); }
  // The class of the exception at that field of the method's result; empty when none is.
  [[nodiscard]] std::string ExceptionClass(const std::string& method, int16_t field) const;

 private:
  Status AddLine(std::string_view line);

  std::map<std::string, Fields> structs_;
  std::map<std::string, Fields> arguments_;
  std::map<std::string, std::map<int16_t, std::string>> exceptions_;
  std::set<std::string> enums_;
};

}  // namespace catalogd::replay
