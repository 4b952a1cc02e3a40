#include "hms_client/embedded/name_pattern.h"

#include <utility>

#include "catalog/base/names.h"

namespace catalogd::hms {

NamePattern::Alternative NamePattern::ParseAlternative(std::string_view text) {
  Alternative tokens;
  while (!text.empty()) {
    Token token;
    if (text.starts_with("\\.")) {
      text.remove_prefix(1);
      token.literal = '.';
    } else if (text.front() == '*') {
      // Hive turns every '*' into ".*", also one that already follows a dot.
      token.kind = Token::Kind::kAnyText;
    } else if (text.front() == '.') {
      token.kind = Token::Kind::kAnyCharacter;
    } else {
      token.literal = text.front();
    }
    tokens.push_back(token);
    text.remove_prefix(1);
  }
  return tokens;
}

Result<NamePattern> NamePattern::Parse(std::string_view pattern) {
  NamePattern parsed;
  const std::string lower = NormalizeName(pattern);
  if (!lower.empty() && lower.find_first_not_of('|') == std::string::npos) {
    return MakeError(ErrorCode::kConflict, "pattern '" + std::string(pattern) +
                                               "' has no alternative; write '*' for all");
  }
  std::string_view rest = lower;
  while (true) {
    const size_t bar = rest.find('|');
    parsed.alternatives_.push_back(ParseAlternative(rest.substr(0, bar)));
    if (bar == std::string_view::npos) return parsed;
    rest.remove_prefix(bar + 1);
  }
}

NamePattern NamePattern::OfPartitions(std::string_view pattern) {
  NamePattern parsed;
  parsed.alternatives_.push_back(ParseAlternative(pattern));
  parsed.ignore_case_ = false;
  return parsed;
}

// Keeps the set of positions in the name that the tokens so far can end at.
bool NamePattern::MatchesAlternative(const Alternative& tokens, std::string_view name) {
  std::vector<bool> ends(name.size() + 1, false);
  ends[0] = true;
  for (const Token& token : tokens) {
    const bool any_text = token.kind == Token::Kind::kAnyText;
    std::vector<bool> next(ends.size(), false);
    for (size_t at = 0; at < ends.size(); ++at) {
      if (ends[at] && any_text) next[at] = true;
      if (at == name.size()) continue;
      if (token.kind == Token::Kind::kLiteral && token.literal != name[at]) continue;
      if (ends[at] || (any_text && next[at])) next[at + 1] = true;
    }
    ends = std::move(next);
  }
  return ends.back();
}

bool NamePattern::Matches(std::string_view name) const {
  const std::string text = ignore_case_ ? NormalizeName(name) : std::string(name);
  for (const Alternative& tokens : alternatives_) {
    if (MatchesAlternative(tokens, text)) return true;
  }
  return false;
}

}  // namespace catalogd::hms
