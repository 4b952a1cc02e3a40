#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::hms {

// A pattern of names as the metastore's database matches them: '.' is any character, "\\." a dot,
// '*' any text; everything else stands for itself. Matching takes time polynomial in the lengths.
// Thread safety: immutable.
class NamePattern {
 public:
  // Of databases and tables (get_tables and its like): whole names, letter case ignored,
  // alternatives between '|'. The empty pattern matches the empty name only; kConflict when there
  // are only bars.
  static Result<NamePattern> Parse(std::string_view pattern);
  // Of partition names: whole names, one alternative, letter case counts.
  static NamePattern OfPartitions(std::string_view pattern);
  [[nodiscard]] bool Matches(std::string_view name) const;

 private:
  struct Token {
    enum class Kind { kLiteral, kAnyCharacter, kAnyText };
    Kind kind = Kind::kLiteral;
    char literal = 0;
  };
  using Alternative = std::vector<Token>;

  static Alternative ParseAlternative(std::string_view text);
  static bool MatchesAlternative(const Alternative& tokens, std::string_view name);

  std::vector<Alternative> alternatives_;
  bool ignore_case_ = true;
};

}  // namespace catalogd::hms
