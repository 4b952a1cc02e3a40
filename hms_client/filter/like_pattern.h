#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "catalog/base/result.h"

namespace re2 {
class RE2;
}

namespace catalogd::hms {

// How the pattern of a LIKE is to be read. Clients of Hive 2 and 3 write regular expressions of
// Java ("x.*"), those of Hive 4 SQL ("x%"); Hive 4 itself reads all as SQL.
enum class LikeDialect {
  kSql,
  kJavaRegex,
  kByPattern,  // SQL if there is a '%' or '_' and neither ".*" nor a "(?" at its beginning.
};

// The pattern of one LIKE, compiled. Matches whole texts, in time linear in their length.
//
// Regular expressions are RE2's: Java's without look-around and back references.
// Thread safety: immutable. Errors: kConflict (not an expression, or too large a one).
class LikePattern {
 public:
  static Result<LikePattern> Compile(std::string_view pattern, LikeDialect dialect);
  [[nodiscard]] bool Matches(std::string_view text) const;

 private:
  explicit LikePattern(std::shared_ptr<const re2::RE2> regex) : regex_(std::move(regex)) {}
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace catalogd::hms
