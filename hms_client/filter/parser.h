#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hms_client/filter/filter.h"
#include "hms_client/filter/tokens.h"

namespace catalogd::hms {

// Whole texts only; absent when it is not one. Days count from 1970-01-01.
std::optional<int64_t> ParseInteger(std::string_view text);
std::optional<int64_t> ParseDay(std::string_view text);

// Makes a Filter of its text by recursive descent; used by Filter::Parse alone.
// Thread safety: none. Errors: as Filter::Parse.
class FilterParser {
 public:
  FilterParser(std::string_view text, const KeyResolver& keys, LikeDialect like)
      : tokens_(text), keys_(keys), like_(like) {}
  Result<Filter> Run();

 private:
  using Kind = FilterTokens::Kind;
  using Operator = FilterLeaf::Operator;
  struct Literal {
    Kind kind = Kind::kString;
    std::string text;
  };

  Status Or(int depth);
  Status And(int depth);
  Status Factor(int depth);
  Status Comparison();
  Status Between(const FilterKey& key, bool negated);
  Status In(const FilterKey& key);
  Status StructIn();

  Result<FilterKey> Key();
  Result<Literal> Constant();
  Result<Operator> TakeOperator();
  Status Expect(char symbol);
  Status ExpectWord(std::string_view lower);
  bool TakeWord(std::string_view lower);
  // Whether the word at hand is a key, although it may be a keyword elsewhere.
  [[nodiscard]] bool IsKeyHere() const;
  // "(key) IN", "(key) NOT IN", "(STRUCT(...": not a parenthesis around an expression.
  [[nodiscard]] bool IsInHere() const;

  Status AddLeaf(const FilterKey& key, Operator op, const Literal& literal, bool as_text);
  void AddStep(Filter::Step::Kind kind) { filter_.steps_.push_back({kind, 0}); }

  FilterTokens tokens_;
  const KeyResolver& keys_;
  const LikeDialect like_;
  Filter filter_;
};

}  // namespace catalogd::hms
