#include "hms_client/filter/exact_filter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "catalog/base/names.h"
#include "hms_client/filter/exact_values.h"
#include "hms_client/filter/like_dialect.h"
#include "hms_client/filter/tokens.h"

namespace catalogd::hms {

namespace {

// Levels of the stack are blocks of bytes.
constexpr size_t kMaxSteps = 1000;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

// Nothing but what every release's lexer reads in the same way. Texts without backslashes, which
// protect in one place and not in the other, and not empty: to some databases that is no value.
bool IsPlain(std::string_view text) {
  constexpr std::string_view kSymbols = " (),=<>!";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const size_t end = text.find(c, i + 1);
      if (end == std::string_view::npos || end == i + 1) return false;
      if (!IsPlainText(text.substr(i + 1, end - i - 1))) return false;
      i = end;
    } else if (c == '-') {
      // A sign, or within a date.
      if (i + 1 == text.size() || !IsDigit(text[i + 1])) return false;
    } else if (!IsWord(c) && kSymbols.find(c) == std::string_view::npos) {
      return false;
    }
    if (c == '=' && text.substr(i).starts_with("==")) return false;
  }
  return true;
}

// A name that is no word of the language anywhere.
bool IsPlainKey(std::string_view name) {
  constexpr std::array<std::string_view, 14> kWords = {
      "and",       "or",    "not",    "like", "between", "in",   "date",
      "timestamp", "const", "struct", "is",   "null",    "true", "false"};
  return !name.empty() && IsLetter(name.front()) && std::all_of(name.begin(), name.end(), IsWord) &&
         std::find(kWords.begin(), kWords.end(), NormalizeName(name)) == kWords.end();
}

LikeDialect DialectOf(const ExactRules& rules) { return rules.of_client.value_or(rules.like); }

// Letters and digits, and what stands for any text: "%", or ".*" in the older dialect. "_" and "."
// are any character where nothing escapes them, and that differs. In the dialect of the client
// alone: what can be said in the other one, too.
bool IsPlainPattern(std::string_view pattern, const ExactRules& rules) {
  const LikeDialect dialect = DialectOf(rules);
  if (dialect != rules.like) return LikeInDialect(pattern, dialect, rules.like).has_value();
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (IsLetter(pattern[i]) || IsDigit(pattern[i])) continue;
    if (dialect == LikeDialect::kSql && (pattern[i] == '%' || pattern[i] == '-')) continue;
    if (dialect != LikeDialect::kJavaRegex || !pattern.substr(i).starts_with(".*")) return false;
    ++i;
  }
  return true;
}

// Literals with their type in front, and structs: releases differ.
bool HasTypedLiterals(std::string_view text) {
  for (FilterTokens tokens(text); tokens.now().kind != FilterTokens::Kind::kEnd; tokens.Next()) {
    if (tokens.IsWord("struct") || tokens.IsWord("date") || tokens.IsWord("timestamp")) return true;
  }
  return false;
}

// Days with and without quotes in one list or BETWEEN: an error before Hive 4. Negative numbers
// there: an error in Hive 4.
bool HasOddLists(std::string_view text) {
  using Kind = FilterTokens::Kind;
  const auto is_literal = [](Kind kind) {
    return kind == Kind::kString || kind == Kind::kInteger || kind == Kind::kDate;
  };
  Kind first = Kind::kEnd;  // None yet.
  bool in_list = false;
  size_t in_between = 0;  // Literals to come.
  for (FilterTokens tokens(text); tokens.now().kind != Kind::kEnd; tokens.Next()) {
    const Kind kind = tokens.now().kind;
    if (tokens.IsWord("in") || tokens.IsWord("between")) {
      in_list = tokens.IsWord("in");
      in_between = in_list ? 0 : 2;
      first = Kind::kEnd;
    } else if (is_literal(kind) && (in_list || in_between > 0)) {
      if (first != Kind::kEnd && first != kind) return true;
      first = kind;
      if (in_between > 0) --in_between;
    } else if (tokens.IsSymbol('-') && (in_list || in_between > 0)) {
      return true;
    } else if (tokens.IsSymbol(')')) {
      in_list = false;
    }
  }
  return false;
}

}  // namespace

std::optional<ExactFilter> ExactFilter::Parse(std::string_view text,
                                              const std::vector<PartitionColumn>& keys,
                                              const ExactRules& rules) {
  if (!IsPlain(text) || HasTypedLiterals(text) || HasOddLists(text)) return std::nullopt;
  const auto filter = ParsePartitionFilter(text, keys, DialectOf(rules));
  if (!filter || !filter->is_whole() || filter->leaves().empty()) return std::nullopt;
  ExactFilter exact;
  for (const PartitionColumn& key : keys) exact.kinds_.push_back(KindOfType(key.type));
  for (const FilterLeaf& leaf : filter->leaves()) {
    if (!IsPlainKey(keys[leaf.column()].name)) return std::nullopt;
  }
  if (!exact.Take(*filter, rules)) return std::nullopt;
  return exact;
}

bool ExactFilter::Take(const Filter& filter, const ExactRules& rules) {
  for (const FilterLeaf& leaf : filter.leaves()) {
    if (!leaf.like_) continue;
    has_like_ = true;
    if (!IsPlainPattern(leaf.text_, rules)) return false;
  }
  const bool texts_only = has_like_ && rules.like == LikeDialect::kJavaRegex &&
                          DialectOf(rules) == LikeDialect::kJavaRegex;
  for (const Filter::Step& step : filter.steps_) {
    switch (step.kind) {
      case Filter::Step::Kind::kLeaf: {
        const FilterLeaf& leaf = filter.leaves()[step.leaf];
        if (texts_only && kinds_[leaf.column()] != KeyKind::kText) return false;
        if (!TakeLeaf(leaf)) return false;
        break;
      }
      case Filter::Step::Kind::kAnd:
        Join(Step::Kind::kAnd);
        break;
      case Filter::Step::Kind::kOr:
        Join(Step::Kind::kOr);
        break;
      case Filter::Step::Kind::kNot:
        steps_.push_back({Step::Kind::kNot, 0, nullptr, {}});
        break;
    }
  }
  return steps_.size() <= kMaxSteps;
}

// Equality becomes membership, so that long lists of values cost one look-up.
bool ExactFilter::TakeLeaf(const FilterLeaf& leaf) {
  using Comparison = FilterLeaf::Comparison;
  bool fits = false;
  switch (kinds_[leaf.column()]) {
    case KeyKind::kText:
      fits = leaf.quoted_ && leaf.comparison_ == Comparison::kText;
      break;
    case KeyKind::kInteger:
      fits = !leaf.quoted_ && leaf.comparison_ == Comparison::kNumber && IsPlainInteger(leaf.text_);
      break;
    case KeyKind::kDate:
      fits = leaf.comparison_ == Comparison::kDay && IsPlainDay(leaf.text_);
      break;
    case KeyKind::kTimestamp:
    case KeyKind::kOther:
      break;
  }
  if (!fits) return false;
  const bool unequal = leaf.operator_ == Operator::kNotEqual;
  if (!unequal && leaf.operator_ != Operator::kEqual) {
    steps_.push_back({Step::Kind::kCompare, leaf.column(), nullptr, leaf});
    return true;
  }
  auto values = std::make_shared<std::unordered_set<std::string>>();
  values->insert(leaf.text_);
  steps_.push_back({Step::Kind::kIn, leaf.column(), std::move(values), {}});
  if (unequal) steps_.push_back({Step::Kind::kNot, 0, nullptr, {}});
  return true;
}

bool ExactFilter::EndsWith(std::initializer_list<Step::Kind> kinds, size_t before) const {
  if (steps_.size() < kinds.size() + before) return false;
  return std::equal(kinds.begin(), kinds.end(),
                    steps_.end() - static_cast<ptrdiff_t>(kinds.size() + before),
                    [](Step::Kind kind, const Step& step) { return step.kind == kind; });
}

// x IN a OR x IN b is x IN a, b; x NOT IN a AND x NOT IN b likewise.
void ExactFilter::Join(Step::Kind kind) {
  using Kind = Step::Kind;
  const size_t size = steps_.size();
  const bool lists = kind == Kind::kOr && EndsWith({Kind::kIn, Kind::kIn});
  const bool negated =
      kind == Kind::kAnd && EndsWith({Kind::kIn, Kind::kNot, Kind::kIn, Kind::kNot});
  if (!lists && !negated) {
    steps_.push_back({kind, 0, nullptr, {}});
    return;
  }
  const size_t width = lists ? 1 : 2;
  Step& left = steps_[size - 2 * width];
  Step& right = steps_[size - width];
  if (left.column != right.column) {
    steps_.push_back({kind, 0, nullptr, {}});
    return;
  }
  left.values->merge(*right.values);
  steps_.resize(size - width);
}

// Truth is a byte: false 0, unknown 1, true 2, so that AND is the lesser and OR the greater one.
class ExactFilter::Runner {
 public:
  Runner(const ExactFilter& filter, const std::vector<Column>& columns, size_t rows)
      : filter_(filter), columns_(columns), rows_(rows) {}

  bool Run(std::vector<uint8_t>* matches) {
    for (const Step& step : filter_.steps_) {
      switch (step.kind) {
        case Step::Kind::kIn:
        case Step::Kind::kCompare:
          if (!Push(step)) return false;
          break;
        case Step::Kind::kNot:
          for (uint8_t& one : stack_.back().truth) one = static_cast<uint8_t>(kTrue - one);
          break;
        case Step::Kind::kAnd:
        case Step::Kind::kOr:
          Pair(step.kind == Step::Kind::kAnd);
          break;
      }
    }
    return Take(matches);
  }

 private:
  static constexpr uint8_t kFalse = 0;
  static constexpr uint8_t kUnknown = 1;
  static constexpr uint8_t kTrue = 2;
  // One byte for each distinct value of a column, or for each row.
  struct Level {
    static constexpr size_t kRows = static_cast<size_t>(-1);
    size_t column = kRows;
    std::vector<uint8_t> truth;
    std::vector<uint8_t> doubtful;  // 1: the truth may be any. Empty: none.
  };

  bool Push(const Step& step) {
    const std::vector<std::string>& values = *columns_[step.column].distinct;
    const KeyKind kind = filter_.kinds_[step.column];
    Level level{step.column, std::vector<uint8_t>(values.size()), {}};
    for (size_t i = 0; i < values.size(); ++i) {
      const bool is_default = values[i] == kDefaultPartitionName;
      if (kind != KeyKind::kText) {
        // The database reads the values of all rows, and may stumble over any.
        if (!is_default && !IsPlainValue(values[i], kind)) return false;
        level.truth[i] = is_default ? kUnknown : Of(step, values[i]);
      } else if (IsCertain(step, values[i])) {
        level.truth[i] = Of(step, values[i]);
      } else {
        level.truth[i] = kUnknown;
        level.doubtful.resize(values.size());
        level.doubtful[i] = 1;
      }
    }
    stack_.push_back(std::move(level));
    return true;
  }

  static uint8_t Of(const Step& step, const std::string& value) {
    const bool is_true = step.kind == Step::Kind::kIn ? step.values->contains(value)
                                                      : step.leaf.Evaluate(value) == Truth::kTrue;
    return is_true ? kTrue : kFalse;
  }

  static bool IsCertain(const Step& step, const std::string& value) {
    if (step.kind == Step::Kind::kIn) return HasOneSpelling(value);
    if (step.leaf.like_) return IsPlainText(value);
    return AreOrderedAnyhow(value, step.leaf.text_);
  }

  void Pair(bool is_and) {
    Level right = std::move(stack_.back());
    stack_.pop_back();
    Level& left = stack_.back();
    if (left.column != right.column) {
      Spread(&left);
      Spread(&right);
    }
    for (size_t i = 0; i < left.truth.size(); ++i) {
      left.truth[i] = is_and ? std::min(left.truth[i], right.truth[i])
                             : std::max(left.truth[i], right.truth[i]);
    }
    if (right.doubtful.empty()) return;
    left.doubtful.resize(left.truth.size());
    for (size_t i = 0; i < left.doubtful.size(); ++i) left.doubtful[i] |= right.doubtful[i];
  }

  void Spread(Level* level) const {
    if (level->column == Level::kRows) return;
    const std::vector<uint16_t>& codes = *columns_[level->column].codes;
    const auto spread = [&](std::vector<uint8_t>* bytes) {
      std::vector<uint8_t> of_rows(rows_);
      for (size_t row = 0; row < rows_; ++row) of_rows[row] = (*bytes)[codes[row]];
      *bytes = std::move(of_rows);
    };
    spread(&level->truth);
    if (!level->doubtful.empty()) spread(&level->doubtful);
    level->column = Level::kRows;
  }

  // Unknown for want of a value is no match; for a doubt, nothing is known.
  bool Take(std::vector<uint8_t>* matches) {
    Level& last = stack_.back();
    for (size_t i = 0; i < last.doubtful.size(); ++i) {
      if (last.doubtful[i] != 0 && last.truth[i] == kUnknown) return false;
    }
    for (uint8_t& one : last.truth) one = one == kTrue ? 1 : 0;
    last.doubtful.clear();
    Spread(&last);
    *matches = std::move(last.truth);
    return true;
  }

  const ExactFilter& filter_;
  const std::vector<Column>& columns_;
  const size_t rows_;
  std::vector<Level> stack_;
};

bool ExactFilter::Run(const std::vector<Column>& columns, size_t rows,
                      std::vector<uint8_t>* matches) const {
  return Runner(*this, columns, rows).Run(matches);
}

}  // namespace catalogd::hms
