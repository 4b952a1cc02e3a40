#include "hms_client/embedded/column_type.h"

#include <algorithm>
#include <array>
#include <string>

#include "catalog/base/names.h"

namespace catalogd::hms {

namespace {

constexpr std::array<std::string_view, 25> kPrimitives = {"void",
                                                          "boolean",
                                                          "tinyint",
                                                          "smallint",
                                                          "int",
                                                          "integer",
                                                          "bigint",
                                                          "float",
                                                          "double",
                                                          "real",
                                                          "string",
                                                          "binary",
                                                          "date",
                                                          "datetime",
                                                          "timestamp",
                                                          "decimal",
                                                          "dec",
                                                          "numeric",
                                                          "varchar",
                                                          "char",
                                                          "timestamp with local time zone",
                                                          "timestamplocaltz",
                                                          "interval_year_month",
                                                          "interval_day_time",
                                                          "unknown"};

constexpr int kMaxDepth = 64;

bool IsPrimitive(std::string_view name) {
  return std::find(kPrimitives.begin(), kPrimitives.end(), name) != kPrimitives.end();
}

// Recursive descent over a lower-cased type; every function consumes what it understood.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool Whole() { return Type(0) && rest_.empty(); }

 private:
  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool Type(int depth) {
    if (depth > kMaxDepth) return false;
    if (Take("array<")) return Type(depth + 1) && Take(">");
    if (Take("map<")) return Type(depth + 1) && Take(",") && Type(depth + 1) && Take(">");
    if (Take("uniontype<")) return List(depth, false);
    if (Take("struct<")) return List(depth, true);
    return Primitive();
  }

  bool List(int depth, bool named) {
    do {
      if (named && !FieldName()) return false;
      if (!Type(depth + 1)) return false;
    } while (Take(","));
    return Take(">");
  }

  bool FieldName() {
    const size_t colon = rest_.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    rest_.remove_prefix(colon + 1);
    return true;
  }

  bool Primitive() {
    const size_t end = std::min(rest_.find_first_of("<>,("), rest_.size());
    const std::string name = NormalizeName(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (!IsPrimitive(name)) return false;
    if (!rest_.starts_with("(")) return true;
    const size_t close = rest_.find(')');
    if (close == std::string_view::npos) return false;
    rest_.remove_prefix(close + 1);
    return true;
  }

  std::string_view rest_;
};

// "decimal(10,2)" is a decimal.
std::string BaseName(std::string_view type) {
  return NormalizeName(type.substr(0, std::min(type.find('('), type.size())));
}

bool IsText(std::string_view name) {
  return name == "string" || name == "varchar" || name == "char";
}

// Place in the order of widening; -1: not a number.
int NumberRank(std::string_view name) {
  constexpr std::array<std::string_view, 7> kOrder = {"tinyint", "smallint", "int",   "bigint",
                                                      "decimal", "float",    "double"};
  const auto* found = std::find(kOrder.begin(), kOrder.end(), name);
  return found == kOrder.end() ? -1 : static_cast<int>(found - kOrder.begin());
}

}  // namespace

bool IsColumnType(std::string_view type) {
  const std::string lower = NormalizeName(type);
  return Parser(lower).Whole();
}

bool ColumnTypeMayBecome(std::string_view from, std::string_view to) {
  if (NormalizeName(from) == NormalizeName(to)) return true;
  const std::string old_name = BaseName(from);
  const std::string new_name = BaseName(to);
  if (!IsPrimitive(old_name) || !IsPrimitive(new_name)) return false;
  if (old_name == new_name || old_name == "void") return true;
  const int old_rank = NumberRank(old_name);
  const int new_rank = NumberRank(new_name);
  if (old_rank >= 0 && new_rank >= 0) return old_rank < new_rank;
  if (IsText(new_name)) return IsText(old_name) || old_rank >= 0 || old_name == "date";
  return IsText(old_name) && (new_name == "double" || new_name == "decimal");
}

}  // namespace catalogd::hms
