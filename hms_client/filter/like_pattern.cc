#include "hms_client/filter/like_pattern.h"

#include <re2/re2.h>

namespace catalogd::hms {

namespace {

// Memory of one compiled expression and its automaton.
constexpr int64_t kMaxMemory = int64_t{1} << 20U;
constexpr size_t kMaxPattern = 4096;

// '%' is any text, '_' any character, and a backslash takes the next character as it is.
std::string SqlToRegex(std::string_view pattern) {
  std::string regex;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '%') {
      regex += ".*";
    } else if (c == '_') {
      regex += '.';
    } else {
      const bool escape = c == '\\' && i + 1 < pattern.size();
      // A character of several bytes stays whole.
      size_t length = 1;
      const size_t at = escape ? i + 1 : i;
      while (at + length < pattern.size() &&
             (static_cast<unsigned char>(pattern[at + length]) & 0xC0U) == 0x80U) {
        ++length;
      }
      regex += re2::RE2::QuoteMeta(re2::StringPiece(pattern.data() + at, length));
      i = at + length - 1;
    }
  }
  return regex;
}

bool IsSql(std::string_view pattern, LikeDialect dialect) {
  if (dialect != LikeDialect::kByPattern) return dialect == LikeDialect::kSql;
  return pattern.find_first_of("%_") != std::string_view::npos &&
         pattern.find(".*") == std::string_view::npos && !pattern.starts_with("(?");
}

}  // namespace

Result<LikePattern> LikePattern::Compile(std::string_view pattern, LikeDialect dialect) {
  const std::string shown(pattern.substr(0, 100));
  if (pattern.size() > kMaxPattern) {
    return MakeError(ErrorCode::kConflict, "LIKE pattern '" + shown + "...' is too long");
  }
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMaxMemory);
  options.set_dot_nl(true);
  auto regex = std::make_shared<re2::RE2>(
      IsSql(pattern, dialect) ? SqlToRegex(pattern) : std::string(pattern), options);
  if (!regex->ok()) {
    return MakeError(ErrorCode::kConflict,
                     "LIKE pattern '" + shown + "' cannot be read: " + regex->error());
  }
  return LikePattern(std::move(regex));
}

bool LikePattern::Matches(std::string_view text) const {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

}  // namespace catalogd::hms
