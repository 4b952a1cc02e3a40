#include "hms_client/filter/tokens.h"

#include <cctype>

#include "catalog/base/names.h"

namespace catalogd::hms {

namespace {

using Kind = FilterTokens::Kind;
using Token = FilterTokens::Token;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether the text begins like the pattern, where '9' stands for any digit.
bool Looks(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '9' ? !IsDigit(text[i]) : text[i] != pattern[i]) return false;
  }
  return text.size() == pattern.size() || !IsWordCharacter(text[pattern.size()]);
}

Token Take(std::string_view* rest, Kind kind, size_t length) {
  Token token{kind, std::string(rest->substr(0, length))};
  rest->remove_prefix(length);
  return token;
}

// Between quotes a backslash protects what follows it, but both stay in the text.
Token TakeString(std::string_view* rest) {
  const char quote = rest->front();
  for (size_t i = 1; i < rest->size(); ++i) {
    if ((*rest)[i] == '\\') {
      ++i;
    } else if ((*rest)[i] == quote) {
      Token token{Kind::kString, std::string(rest->substr(1, i - 1))};
      rest->remove_prefix(i + 1);
      return token;
    }
  }
  return Take(rest, Kind::kSymbol, 1);
}

// A doubled back quote inside stands for one.
Token TakeQuotedIdentifier(std::string_view* rest) {
  Token token{Kind::kQuotedIdentifier, ""};
  for (size_t i = 1; i < rest->size(); ++i) {
    if ((*rest)[i] != '`') {
      token.text += (*rest)[i];
    } else if (i + 1 < rest->size() && (*rest)[i + 1] == '`') {
      token.text += (*rest)[i++];
    } else {
      rest->remove_prefix(i + 1);
      return token;
    }
  }
  return Take(rest, Kind::kSymbol, 1);
}

}  // namespace

FilterTokens::FilterTokens(std::string_view text) : rest_(text) { Next(); }

Token FilterTokens::Cut(std::string_view* rest) {
  const size_t begin = rest->find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    *rest = {};
    return {};
  }
  rest->remove_prefix(begin);
  const char first = rest->front();
  if (first == '\'' || first == '"') return TakeString(rest);
  if (first == '`') return TakeQuotedIdentifier(rest);
  for (const std::string_view two : {"==", "<>", "!=", "<=", ">="}) {
    // "<=>" is no comparison that the metastore knows.
    if (rest->starts_with(two)) {
      const bool null_safe = rest->starts_with("<=>");
      return Take(rest, null_safe ? Kind::kSymbol : Kind::kOperator, null_safe ? 3 : 2);
    }
  }
  if (first == '=' || first == '<' || first == '>') return Take(rest, Kind::kOperator, 1);
  if (Looks(*rest, "9999-99-99 99:99:99")) return Take(rest, Kind::kTimestamp, 19);
  if (Looks(*rest, "9999-99-99")) return Take(rest, Kind::kDate, 10);
  size_t length = 0;
  bool digits = true;
  while (length < rest->size() && IsWordCharacter((*rest)[length])) {
    digits = digits && IsDigit((*rest)[length]);
    ++length;
  }
  if (length == 0) return Take(rest, Kind::kSymbol, 1);
  return Take(rest, digits ? Kind::kInteger : Kind::kIdentifier, length);
}

bool FilterTokens::IsSymbol(char symbol) const {
  return now_.kind == Kind::kSymbol && now_.text == std::string_view(&symbol, 1);
}

bool FilterTokens::IsWord(std::string_view lower) const {
  return now_.kind == Kind::kIdentifier && NormalizeName(now_.text) == lower;
}

Token FilterTokens::Peek() const {
  std::string_view rest = rest_;
  return Cut(&rest);
}

void FilterTokens::Next() { now_ = Cut(&rest_); }

tl::unexpected<Error> FilterTokens::Unexpected(std::string_view wanted) const {
  const std::string found =
      now_.kind == Kind::kEnd ? std::string("the end") : "'" + now_.text.substr(0, 100) + "'";
  return MakeError(ErrorCode::kConflict, "Error parsing partition filter: found " + found +
                                             " where " + std::string(wanted) + " should be");
}

}  // namespace catalogd::hms
