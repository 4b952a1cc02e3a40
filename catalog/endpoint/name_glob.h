#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catalogd::endpoint {

// A pattern of table or database names that every metastore reads alike: letters, digits and '_'
// stand for themselves in either case, '.' is any character and '*' any text; '|' parts
// alternatives. Metastores turn a pattern into a regular expression, so anything else may mean
// more.
//
// Thread safety: immutable. Matching a name takes no memory.
class NameGlob {
 public:
  // Absent: the metastore must match.
  static std::optional<NameGlob> Parse(std::string_view pattern);
  // REQUIRES: a lower-case name, as metastores keep them.
  [[nodiscard]] bool Matches(std::string_view name) const;
  [[nodiscard]] bool matches_all() const { return matches_all_; }

 private:
  std::vector<std::string> alternatives_;  // Lower case.
  bool matches_all_ = false;
};

}  // namespace catalogd::endpoint
