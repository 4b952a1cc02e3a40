#include "hms_client/filter/filter.h"

#include <charconv>
#include <chrono>

#include "catalog/base/names.h"
#include "hms_client/filter/parser.h"

namespace catalogd::hms {

namespace {

using Operator = FilterLeaf::Operator;

template <class T>
bool Compare(Operator op, const T& left, const T& right) {
  switch (op) {
    case Operator::kEqual:
      return left == right;
    case Operator::kNotEqual:
      return left != right;
    case Operator::kLess:
      return left < right;
    case Operator::kLessOrEqual:
      return left <= right;
    case Operator::kGreater:
      return left > right;
    case Operator::kGreaterOrEqual:
      return left >= right;
    case Operator::kLike:
      break;
  }
  return false;
}

Truth AsTruth(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

Truth And(Truth a, Truth b) {
  if (a == Truth::kFalse || b == Truth::kFalse) return Truth::kFalse;
  return a == Truth::kTrue ? b : Truth::kUnknown;
}

Truth Not(Truth a) {
  if (a == Truth::kUnknown) return a;
  return AsTruth(a == Truth::kFalse);
}

Truth Or(Truth a, Truth b) { return Not(And(Not(a), Not(b))); }

}  // namespace

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || parsed != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<int64_t> ParseDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  int parts[3] = {};
  const std::string_view pieces[3] = {text.substr(0, 4), text.substr(5, 2), text.substr(8, 2)};
  for (size_t i = 0; i < 3; ++i) {
    const char* end = pieces[i].data() + pieces[i].size();
    const auto [parsed, error] = std::from_chars(pieces[i].data(), end, parts[i]);
    if (error != std::errc() || parsed != end || parts[i] < 0) return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch().count();
}

KeyKind KindOfType(std::string_view column_type) {
  const std::string lower = NormalizeName(column_type);
  const std::string name = lower.substr(0, lower.find('('));
  if (name == "string" || name == "varchar" || name == "char") return KeyKind::kText;
  for (const std::string_view integral : {"tinyint", "smallint", "int", "integer", "bigint"}) {
    if (name == integral) return KeyKind::kInteger;
  }
  if (name == "date") return KeyKind::kDate;
  return name == "timestamp" ? KeyKind::kTimestamp : KeyKind::kOther;
}

Truth FilterLeaf::Evaluate(std::optional<std::string_view> value) const {
  if (!value) return Truth::kUnknown;
  const std::string_view text = value->empty() ? kDefaultPartitionName : *value;
  if (like_) return AsTruth(like_->Matches(text));
  if (comparison_ == Comparison::kText) {
    return AsTruth(Compare(operator_, text, std::string_view(text_)));
  }
  if (text == kDefaultPartitionName) return Truth::kUnknown;
  const std::optional<int64_t> number =
      comparison_ == Comparison::kNumber ? ParseInteger(text) : ParseDay(text);
  if (!number) return Truth::kUnknown;
  // The metastore looks equal numbers up by their text: "01" is not 1, and not different from it.
  if (operator_ == Operator::kEqual) return AsTruth(*number == number_ && text == text_);
  return AsTruth(Compare(operator_, *number, number_));
}

Result<Filter> Filter::Parse(std::string_view text, const KeyResolver& keys, LikeDialect like) {
  return FilterParser(text, keys, like).Run();
}

bool Filter::Combine(const std::vector<Truth>& leaves) const {
  std::vector<Truth> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kLeaf) {
      stack.push_back(leaves[step.leaf]);
      continue;
    }
    if (step.kind == Step::Kind::kNot) {
      stack.back() = Not(stack.back());
      continue;
    }
    const Truth right = stack.back();
    stack.pop_back();
    stack.back() =
        step.kind == Step::Kind::kAnd ? And(stack.back(), right) : Or(stack.back(), right);
  }
  return stack.empty() || stack.back() == Truth::kTrue;
}

bool Filter::Matches(const ValueFunction& value) const {
  std::vector<Truth> truths;
  truths.reserve(leaves_.size());
  for (const FilterLeaf& leaf : leaves_) truths.push_back(leaf.Evaluate(value(leaf.column())));
  return Combine(truths);
}

Result<Filter> ParsePartitionFilter(std::string_view text,
                                    const std::vector<PartitionColumn>& columns, LikeDialect like) {
  const auto resolve = [&](const std::string& name) -> Result<FilterKey> {
    const std::string lower = NormalizeName(name);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (NormalizeName(columns[i].name) == lower) return FilterKey{i, KindOfType(columns[i].type)};
    }
    return MakeError(ErrorCode::kConflict,
                     "Specified key <" + name + "> is not a partitioning key for the table");
  };
  return Filter::Parse(text, resolve, like);
}

}  // namespace catalogd::hms
