#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::hms {

// A pattern of get_databases, get_tables and their like: alternatives between '|', '*' is any
// text, whole names, letter case ignored, the rest is the common part of Java's regular
// expressions: '.', '+', '?', [classes] and backslash escapes. Groups and counts are refused.
// Matching takes time polynomial in the lengths. Thread safety: immutable.
class NamePattern {
 public:
  // kInvalidArgument on a broken pattern. The empty pattern matches the empty name only.
  static Result<NamePattern> Parse(std::string_view pattern);
  [[nodiscard]] bool Matches(std::string_view name) const;

 private:
  struct Token {
    enum class Repeat { kOnce, kOptional, kAny, kSome };
    bool any = false;      // '.'
    bool negated = false;  // [^...]
    std::vector<std::pair<char, char>> ranges;
    Repeat repeat = Repeat::kOnce;
    [[nodiscard]] bool Accepts(char c) const;
  };
  using Alternative = std::vector<Token>;

  static Result<Alternative> ParseAlternative(std::string_view text);
  static Result<Token> ParseToken(std::string_view* rest);
  static bool MatchesAlternative(const Alternative& tokens, std::string_view name);

  std::vector<Alternative> alternatives_;
};

}  // namespace catalogd::hms
