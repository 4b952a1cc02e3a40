#include "hms_client/filter/parser.h"

#include "catalog/base/names.h"

namespace catalogd::hms {

namespace {

// Deeper nesting is refused: the stack is finite, and no client writes it.
constexpr int kMaxDepth = 200;
// IN lists of clients have thousands of values; this many comparisons are refused.
constexpr size_t kMaxLeaves = 100'000;

tl::unexpected<Error> WrongType() {
  return MakeError(ErrorCode::kConflict,
                   "Filtering is supported only on partition keys of type string");
}

tl::unexpected<Error> BadLiteral(const std::string& text, const char* what) {
  return MakeError(ErrorCode::kConflict,
                   "Error parsing partition filter: Text '" + text + "' is not a " + what);
}

using Operator = FilterLeaf::Operator;

// The same comparison with its sides exchanged.
Operator Mirrored(Operator op) {
  switch (op) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessOrEqual:
      return Operator::kGreaterOrEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterOrEqual:
      return Operator::kLessOrEqual;
    default:
      return op;
  }
}

}  // namespace

Result<Filter> FilterParser::Run() {
  if (tokens_.now().kind == Kind::kEnd) return std::move(filter_);
  RETURN_IF_ERROR(Or(0));
  filter_.is_whole_ = tokens_.now().kind == Kind::kEnd;
  return std::move(filter_);
}

Status FilterParser::Or(int depth) {
  if (depth > kMaxDepth) {
    return MakeError(ErrorCode::kConflict, "Error parsing partition filter: nested too deeply");
  }
  RETURN_IF_ERROR(And(depth));
  while (TakeWord("or")) {
    RETURN_IF_ERROR(And(depth));
    AddStep(Filter::Step::Kind::kOr);
  }
  return Ok();
}

Status FilterParser::And(int depth) {
  RETURN_IF_ERROR(Factor(depth));
  while (TakeWord("and")) {
    RETURN_IF_ERROR(Factor(depth));
    AddStep(Filter::Step::Kind::kAnd);
  }
  return Ok();
}

Status FilterParser::Factor(int depth) {
  if (!tokens_.IsSymbol('(')) return Comparison();
  tokens_.Next();
  if (tokens_.IsWord("struct") && tokens_.Peek().text == "(") return StructIn();
  if (IsInHere()) {
    ASSIGN_OR_RETURN(const FilterKey key, Key());
    RETURN_IF_ERROR(Expect(')'));
    return In(key);
  }
  RETURN_IF_ERROR(Or(depth + 1));
  return Expect(')');
}

bool FilterParser::IsInHere() const {
  const Kind kind = tokens_.now().kind;
  return (kind == Kind::kIdentifier || kind == Kind::kQuotedIdentifier) &&
         tokens_.Peek().text == ")";
}

bool FilterParser::IsKeyHere() const {
  if (tokens_.now().kind == Kind::kQuotedIdentifier) return true;
  if (tokens_.now().kind != Kind::kIdentifier) return false;
  // "date = ..." is a key, DATE '...' a literal.
  const bool typed = tokens_.IsWord("date") || tokens_.IsWord("timestamp");
  return !typed || tokens_.Peek().kind != Kind::kString;
}

Status FilterParser::Comparison() {
  if (IsKeyHere()) {
    ASSIGN_OR_RETURN(const FilterKey key, Key());
    if (TakeWord("not")) {
      RETURN_IF_ERROR(ExpectWord("between"));
      return Between(key, true);
    }
    if (TakeWord("between")) return Between(key, false);
    ASSIGN_OR_RETURN(const Operator op, TakeOperator());
    ASSIGN_OR_RETURN(const Literal literal, Constant());
    return AddLeaf(key, op, literal, false);
  }
  ASSIGN_OR_RETURN(const Literal literal, Constant());
  ASSIGN_OR_RETURN(const Operator op, TakeOperator());
  const std::string name = tokens_.now().text;
  ASSIGN_OR_RETURN(const FilterKey key, Key());
  if (op == Operator::kLike) {
    return MakeError(ErrorCode::kConflict,
                     "Value should be on the RHS for LIKE operator : Key <" + name + ">");
  }
  return AddLeaf(key, Mirrored(op), literal, false);
}

Status FilterParser::Between(const FilterKey& key, bool negated) {
  ASSIGN_OR_RETURN(const Literal low, Constant());
  RETURN_IF_ERROR(ExpectWord("and"));
  ASSIGN_OR_RETURN(const Literal high, Constant());
  // Both ends are compared in the same way.
  const bool as_text = key.kind == KeyKind::kDate && (!ParseDay(low.text) || !ParseDay(high.text));
  RETURN_IF_ERROR(AddLeaf(key, Operator::kGreaterOrEqual, low, as_text));
  RETURN_IF_ERROR(AddLeaf(key, Operator::kLessOrEqual, high, as_text));
  AddStep(Filter::Step::Kind::kAnd);
  if (negated) AddStep(Filter::Step::Kind::kNot);
  return Ok();
}

Status FilterParser::In(const FilterKey& key) {
  const bool negated = TakeWord("not");
  RETURN_IF_ERROR(ExpectWord("in"));
  RETURN_IF_ERROR(Expect('('));
  for (bool first = true; first || tokens_.IsSymbol(','); first = false) {
    if (!first) tokens_.Next();
    ASSIGN_OR_RETURN(const Literal literal, Constant());
    RETURN_IF_ERROR(AddLeaf(key, negated ? Operator::kNotEqual : Operator::kEqual, literal, false));
    if (!first) AddStep(negated ? Filter::Step::Kind::kAnd : Filter::Step::Kind::kOr);
  }
  return Expect(')');
}

Status FilterParser::StructIn() {
  tokens_.Next();
  RETURN_IF_ERROR(Expect('('));
  std::vector<FilterKey> keys;
  for (bool first = true; first || tokens_.IsSymbol(','); first = false) {
    if (!first) tokens_.Next();
    ASSIGN_OR_RETURN(const FilterKey key, Key());
    keys.push_back(key);
  }
  RETURN_IF_ERROR(Expect(')'));
  RETURN_IF_ERROR(Expect(')'));
  const bool negated = TakeWord("not");
  RETURN_IF_ERROR(ExpectWord("in"));
  RETURN_IF_ERROR(Expect('('));
  for (bool first = true; first || tokens_.IsSymbol(','); first = false) {
    if (!first) tokens_.Next();
    static_cast<void>(TakeWord("const"));
    RETURN_IF_ERROR(ExpectWord("struct"));
    RETURN_IF_ERROR(Expect('('));
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) RETURN_IF_ERROR(Expect(','));
      ASSIGN_OR_RETURN(const Literal literal, Constant());
      RETURN_IF_ERROR(AddLeaf(keys[i], Operator::kEqual, literal, false));
      if (i > 0) AddStep(Filter::Step::Kind::kAnd);
    }
    RETURN_IF_ERROR(Expect(')'));
    if (!first) AddStep(Filter::Step::Kind::kOr);
  }
  if (negated) AddStep(Filter::Step::Kind::kNot);
  return Expect(')');
}

Result<FilterKey> FilterParser::Key() {
  const FilterTokens::Token token = tokens_.now();
  if (token.kind != Kind::kIdentifier && token.kind != Kind::kQuotedIdentifier) {
    return tokens_.Unexpected("the name of a key");
  }
  tokens_.Next();
  return keys_(token.text);
}

Result<FilterParser::Literal> FilterParser::Constant() {
  const bool date = tokens_.IsWord("date");
  if (date || tokens_.IsWord("timestamp")) {
    tokens_.Next();
    if (tokens_.now().kind != Kind::kString) return tokens_.Unexpected("a text in quotes");
    Literal literal{date ? Kind::kDate : Kind::kTimestamp, tokens_.now().text};
    if (date && !ParseDay(literal.text)) return BadLiteral(literal.text, "date");
    tokens_.Next();
    return literal;
  }
  const bool negative = tokens_.IsSymbol('-');
  if (negative) tokens_.Next();
  Literal literal{tokens_.now().kind, tokens_.now().text};
  switch (literal.kind) {
    case Kind::kInteger:
      if (negative) literal.text.insert(0, "-");
      break;
    case Kind::kDate:
      if (!ParseDay(literal.text)) return BadLiteral(literal.text, "date");
      [[fallthrough]];
    case Kind::kTimestamp:
    case Kind::kString:
      if (!negative) break;
      [[fallthrough]];
    default:
      return tokens_.Unexpected("a constant");
  }
  tokens_.Next();
  return literal;
}

Result<FilterParser::Operator> FilterParser::TakeOperator() {
  const FilterTokens::Token token = tokens_.now();
  if (TakeWord("like")) return Operator::kLike;
  if (token.kind != Kind::kOperator) return tokens_.Unexpected("a comparison");
  tokens_.Next();
  if (token.text == "=" || token.text == "==") return Operator::kEqual;
  if (token.text == "<") return Operator::kLess;
  if (token.text == "<=") return Operator::kLessOrEqual;
  if (token.text == ">") return Operator::kGreater;
  if (token.text == ">=") return Operator::kGreaterOrEqual;
  return Operator::kNotEqual;
}

Status FilterParser::Expect(char symbol) {
  if (!tokens_.IsSymbol(symbol)) {
    return tokens_.Unexpected(std::string("'") + symbol + "'");
  }
  tokens_.Next();
  return Ok();
}

Status FilterParser::ExpectWord(std::string_view lower) {
  if (TakeWord(lower)) return Ok();
  return tokens_.Unexpected(lower);
}

bool FilterParser::TakeWord(std::string_view lower) {
  if (!tokens_.IsWord(lower)) return false;
  tokens_.Next();
  return true;
}

Status FilterParser::AddLeaf(const FilterKey& key, Operator op, const Literal& literal,
                             bool as_text) {
  if (filter_.leaves_.size() >= kMaxLeaves) {
    return MakeError(ErrorCode::kConflict, "Error parsing partition filter: more than " +
                                               std::to_string(kMaxLeaves) + " comparisons");
  }
  if (key.kind == KeyKind::kOther) return WrongType();
  const bool is_number = literal.kind == Kind::kInteger;
  const bool is_default = literal.kind == Kind::kString && literal.text == kDefaultPartitionName;
  const bool number_key = key.kind == KeyKind::kInteger;
  if (is_number != number_key && !(number_key && is_default)) return WrongType();
  if (op == Operator::kLike && literal.kind != Kind::kString) return WrongType();

  FilterLeaf leaf;
  leaf.column_ = key.column;
  leaf.operator_ = op;
  leaf.quoted_ = literal.kind == Kind::kString;
  leaf.text_ = literal.text;
  if (op == Operator::kLike) {
    ASSIGN_OR_RETURN(leaf.like_, LikePattern::Compile(literal.text, like_));
  } else if (is_number) {
    const std::optional<int64_t> number = ParseInteger(literal.text);
    if (!number) {
      return MakeError(ErrorCode::kConflict, "java.lang.NumberFormatException: For input string: " +
                                                 ("\"" + literal.text + "\""));
    }
    leaf.comparison_ = FilterLeaf::Comparison::kNumber;
    leaf.number_ = *number;
    leaf.text_ = std::to_string(*number);
  } else if (key.kind == KeyKind::kDate && !as_text) {
    const std::optional<int64_t> day = ParseDay(literal.text);
    if (day) {
      leaf.comparison_ = FilterLeaf::Comparison::kDay;
      leaf.number_ = *day;
    }
  }
  filter_.steps_.push_back(
      {Filter::Step::Kind::kLeaf, static_cast<uint32_t>(filter_.leaves_.size())});
  filter_.leaves_.push_back(std::move(leaf));
  return Ok();
}

}  // namespace catalogd::hms
