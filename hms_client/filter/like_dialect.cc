#include "hms_client/filter/like_dialect.h"

#include "hms_client/filter/tokens.h"

namespace catalogd::hms {

namespace {

// Signs of regular expressions. Hive 2 and 3 take most of them as they are, but a client that
// writes one may mean more than they do.
constexpr std::string_view kSigns = "\\+*?^$|()[]{}";

// One thing that a pattern asks for.
struct Part {
  enum class Kind { kAnyText, kAnyCharacter, kLiteral };
  Kind kind = Kind::kLiteral;
  char literal = 0;
};

// Takes the first part off.
std::optional<Part> TakeRegex(std::string_view* rest) {
  const char c = rest->front();
  if (rest->starts_with(".*")) {
    rest->remove_prefix(2);
    return Part{Part::Kind::kAnyText};
  }
  if (rest->starts_with("\\.")) {
    rest->remove_prefix(2);
    return Part{Part::Kind::kLiteral, '.'};
  }
  rest->remove_prefix(1);
  if (c == '.') return Part{Part::Kind::kAnyCharacter};
  // A literal here, and hardly what is meant.
  if (c == '%') return std::nullopt;
  if (kSigns.find(c) != std::string_view::npos) return std::nullopt;
  return Part{Part::Kind::kLiteral, c};
}

std::optional<Part> TakeSql(std::string_view* rest) {
  const char c = rest->front();
  if (rest->starts_with("\\%") || rest->starts_with("\\_")) {
    const char literal = (*rest)[1];
    rest->remove_prefix(2);
    return Part{Part::Kind::kLiteral, literal};
  }
  rest->remove_prefix(1);
  if (c == '%') return Part{Part::Kind::kAnyText};
  if (c == '_') return Part{Part::Kind::kAnyCharacter};
  if (kSigns.find(c) != std::string_view::npos) return std::nullopt;
  return Part{Part::Kind::kLiteral, c};
}

void Append(const Part& part, LikeDialect to, std::string* out) {
  const bool sql = to == LikeDialect::kSql;
  switch (part.kind) {
    case Part::Kind::kAnyText:
      out->append(sql ? "%" : ".*");
      return;
    case Part::Kind::kAnyCharacter:
      out->append(sql ? "_" : ".");
      return;
    case Part::Kind::kLiteral:
      break;
  }
  const std::string_view special = sql ? "%_" : ".";
  if (special.find(part.literal) != std::string_view::npos) out->push_back('\\');
  out->push_back(part.literal);
}

}  // namespace

std::optional<std::string> LikeInDialect(std::string_view pattern, LikeDialect from,
                                         LikeDialect to) {
  std::string out;
  while (!pattern.empty()) {
    const auto part = from == LikeDialect::kSql ? TakeSql(&pattern) : TakeRegex(&pattern);
    if (!part) return std::nullopt;
    Append(*part, to, &out);
  }
  return out;
}

std::optional<std::string> FilterInDialect(std::string_view filter, LikeDialect from,
                                           LikeDialect to) {
  if (from == to) return std::nullopt;
  std::string out;
  size_t copied = 0;
  bool after_like = false;
  for (FilterTokens tokens(filter); tokens.now().kind != FilterTokens::Kind::kEnd; tokens.Next()) {
    if (after_like && tokens.now().kind == FilterTokens::Kind::kString) {
      const auto pattern = LikeInDialect(tokens.now().text, from, to);
      if (!pattern) return std::nullopt;
      // The closing quote is the last byte of the token.
      const size_t end = filter.size() - tokens.left() - 1;
      out += filter.substr(copied, end - tokens.now().text.size() - copied);
      out += *pattern;
      copied = end;
    }
    after_like = tokens.IsWord("like");
  }
  out += filter.substr(copied);
  if (out == filter) return std::nullopt;
  return out;
}

}  // namespace catalogd::hms
