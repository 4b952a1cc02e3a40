#include "hms_client/embedded/column_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "catalog/base/names.h"

namespace catalogd::hms {

namespace {

// Types without type parameters, for the rules of change.
constexpr std::array<std::string_view, 18> kPrimitives = {"void",
                                                          "boolean",
                                                          "tinyint",
                                                          "smallint",
                                                          "int",
                                                          "bigint",
                                                          "float",
                                                          "double",
                                                          "string",
                                                          "binary",
                                                          "date",
                                                          "decimal",
                                                          "varchar",
                                                          "char",
                                                          "datetime",
                                                          "timestamp",
                                                          "interval_year_month",
                                                          "interval_day_time"};

// What the metastore takes for the beginning of a type besides.
constexpr std::array<std::string_view, 5> kOthers = {"array", "map", "struct", "uniontype",
                                                     "variant"};

// Avro and others have the reader of the files say the type.
constexpr std::string_view kFromDeserializer = "<derived from deserializer>";

bool IsPrimitive(std::string_view name) {
  return std::find(kPrimitives.begin(), kPrimitives.end(), name) != kPrimitives.end();
}

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
  if (type == kFromDeserializer) return true;
  const auto* const end = std::find_if_not(type.begin(), type.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  const std::string_view first(type.begin(), static_cast<size_t>(end - type.begin()));
  return IsPrimitive(first) || std::find(kOthers.begin(), kOthers.end(), first) != kOthers.end();
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
  if (IsText(new_name)) {
    return IsText(old_name) || old_rank >= 0 || old_name == "date" || old_name == "timestamp";
  }
  return IsText(old_name) && (new_name == "double" || new_name == "decimal");
}

}  // namespace catalogd::hms
