#include "catalog/endpoint/name_glob.h"

#include <algorithm>

#include "catalog/base/names.h"

namespace catalogd::endpoint {
namespace {

// Longer ones are no client's, and their matching is not worth thinking about.
constexpr size_t kMaxPattern = 256;

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '*';
}

// Goes back to the last '*' only: what an earlier one would take more of, it can take itself.
bool MatchesOne(std::string_view pattern, std::string_view name) {
  size_t at = 0;
  size_t in_name = 0;
  size_t star = std::string_view::npos;
  size_t after_star = 0;
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      after_star = in_name;
    } else if (at < pattern.size() && (pattern[at] == '.' || pattern[at] == name[in_name])) {
      ++at;
      ++in_name;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_name = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

std::optional<NameGlob> NameGlob::Parse(std::string_view pattern) {
  if (pattern.size() > kMaxPattern || NormalizeName(pattern).size() != pattern.size()) {
    return std::nullopt;
  }
  NameGlob glob;
  const std::string lower = NormalizeName(pattern);
  std::string_view rest = lower;
  while (true) {
    const size_t bar = rest.find('|');
    const std::string_view one = rest.substr(0, bar);
    if (one.empty() || !std::all_of(one.begin(), one.end(), IsPlain)) return std::nullopt;
    // No name is empty.
    glob.matches_all_ = glob.matches_all_ || one == "*" || one == ".*";
    glob.alternatives_.emplace_back(one);
    if (bar == std::string_view::npos) return glob;
    rest.remove_prefix(bar + 1);
  }
}

bool NameGlob::Matches(std::string_view name) const {
  return matches_all_ ||
         std::any_of(alternatives_.begin(), alternatives_.end(),
                     [name](const std::string& one) { return MatchesOne(one, name); });
}

}  // namespace catalogd::endpoint
