#pragma once

#include <string>
#include <string_view>

#include "catalog/base/result.h"

namespace catalogd::hms {

// Cuts a filter text into tokens, one at a time, as the metastore's lexer does.
//
// Not a parser: it knows nothing of order or meaning. What follows a complete filter is never cut,
// so nonsense there is no error, as in the metastore.
// Thread safety: none. Errors: kConflict "Error parsing partition filter: ...".
// The text must outlive the cutter.
class FilterTokens {
 public:
  enum class Kind {
    kEnd,
    kSymbol,      // ( ) , - and whatever begins no other token.
    kOperator,    // = == <> != < <= > >=
    kString,      // Without its quotes; backslashes are kept as they are.
    kInteger,     // Digits only.
    kDate,        // 2024-01-31
    kTimestamp,   // 2024-01-31 23:59:59
    kIdentifier,  // Also keywords: which they are depends on the place.
    kQuotedIdentifier,
  };
  struct Token {
    Kind kind = Kind::kEnd;
    std::string text;
  };

  // Cuts the first token.
  explicit FilterTokens(std::string_view text);

  // The token at hand.
  [[nodiscard]] const Token& now() const { return now_; }
  [[nodiscard]] bool IsSymbol(char symbol) const;
  // A word without quotes, letter case ignored.
  [[nodiscard]] bool IsWord(std::string_view lower) const;
  // Bytes of the text after the token at hand.
  [[nodiscard]] size_t left() const { return rest_.size(); }
  // The token after the one at hand, which stays.
  [[nodiscard]] Token Peek() const;
  void Next();

  // "Error parsing partition filter: ... at 'rest'".
  [[nodiscard]] tl::unexpected<Error> Unexpected(std::string_view wanted) const;

 private:
  static Token Cut(std::string_view* rest);

  std::string_view rest_;
  Token now_;
};

}  // namespace catalogd::hms
