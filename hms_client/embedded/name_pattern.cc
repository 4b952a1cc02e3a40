#include "hms_client/embedded/name_pattern.h"

#include <utility>

#include "catalog/base/names.h"

namespace catalogd::hms {

namespace {

tl::unexpected<Error> Broken(std::string_view pattern, std::string_view why) {
  return MakeError(ErrorCode::kInvalidArgument,
                   "pattern '" + std::string(pattern) + "': " + std::string(why));
}

}  // namespace

bool NamePattern::Token::Accepts(char c) const {
  if (any) return true;
  bool found = false;
  for (const auto& [low, high] : ranges) found = found || (low <= c && c <= high);
  return found != negated;
}

Result<NamePattern::Token> NamePattern::ParseToken(std::string_view* rest) {
  const std::string_view whole = *rest;
  Token token;
  const char first = whole.front();
  rest->remove_prefix(1);
  if (first == '.') {
    token.any = true;
  } else if (first == '[') {
    const size_t end = whole.find(']', 2);
    if (end == std::string_view::npos) return Broken(whole, "'[' without ']'");
    std::string_view body = whole.substr(1, end - 1);
    rest->remove_prefix(end);
    if (body.front() == '^') {
      token.negated = true;
      body.remove_prefix(1);
    }
    while (!body.empty()) {
      const bool range = body.size() > 2 && body[1] == '-';
      token.ranges.emplace_back(body[0], body[range ? 2 : 0]);
      body.remove_prefix(range ? 3 : 1);
    }
  } else if (first == '\\') {
    if (rest->empty()) return Broken(whole, "ends in a backslash");
    token.ranges.emplace_back(rest->front(), rest->front());
    rest->remove_prefix(1);
  } else if (std::string_view("+?(){}").find(first) != std::string_view::npos) {
    return Broken(whole, std::string("'") + first + "' is not understood here");
  } else {
    token.ranges.emplace_back(first, first);
  }
  return token;
}

Result<NamePattern::Alternative> NamePattern::ParseAlternative(std::string_view text) {
  Alternative tokens;
  while (!text.empty()) {
    // Hive turns every '*' into '.*', also one that already follows a dot.
    if (text.front() == '*') {
      Token star;
      star.any = true;
      star.repeat = Token::Repeat::kAny;
      tokens.push_back(std::move(star));
      text.remove_prefix(1);
      continue;
    }
    const bool repeats = !tokens.empty() && tokens.back().repeat == Token::Repeat::kOnce;
    if (repeats && (text.front() == '+' || text.front() == '?')) {
      tokens.back().repeat = text.front() == '+' ? Token::Repeat::kSome : Token::Repeat::kOptional;
      text.remove_prefix(1);
      continue;
    }
    ASSIGN_OR_RETURN(Token token, ParseToken(&text));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Result<NamePattern> NamePattern::Parse(std::string_view pattern) {
  NamePattern parsed;
  const std::string lower = NormalizeName(pattern);
  std::string_view rest = lower;
  while (true) {
    const size_t bar = rest.find('|');
    ASSIGN_OR_RETURN(Alternative tokens, ParseAlternative(rest.substr(0, bar)));
    parsed.alternatives_.push_back(std::move(tokens));
    if (bar == std::string_view::npos) return parsed;
    rest.remove_prefix(bar + 1);
  }
}

// Keeps the set of positions in the name that the tokens so far can end at.
bool NamePattern::MatchesAlternative(const Alternative& tokens, std::string_view name) {
  std::vector<bool> ends(name.size() + 1, false);
  ends[0] = true;
  for (const Token& token : tokens) {
    const bool may_skip =
        token.repeat == Token::Repeat::kAny || token.repeat == Token::Repeat::kOptional;
    const bool may_stay =
        token.repeat == Token::Repeat::kAny || token.repeat == Token::Repeat::kSome;
    std::vector<bool> next(ends.size(), false);
    for (size_t at = 0; at < ends.size(); ++at) {
      if (ends[at] && may_skip) next[at] = true;
      if (at == name.size() || !token.Accepts(name[at])) continue;
      if (ends[at] || (may_stay && next[at])) next[at + 1] = true;
    }
    ends = std::move(next);
  }
  return ends.back();
}

bool NamePattern::Matches(std::string_view name) const {
  const std::string lower = NormalizeName(name);
  for (const Alternative& tokens : alternatives_) {
    if (MatchesAlternative(tokens, lower)) return true;
  }
  return false;
}

}  // namespace catalogd::hms
