#include <optional>
#include <string_view>
#include <vector>

#include "hms_client/filter/filter.h"
#include "tests/fuzz/fuzz_target.h"

// Whatever a client writes as a filter: it is read or refused, and what was read decides the same
// way however it is asked.
namespace catalogd::fuzz {

namespace {

const std::vector<hms::PartitionColumn>& Columns() {
  static const std::vector<hms::PartitionColumn> columns = {
      {"p", "string"}, {"q", "int"}, {"d", "date"}, {"t", "timestamp"}, {"r", "double"}};
  return columns;
}

// Rows of values, one per column; absent values among them.
std::optional<std::string_view> Value(size_t row, size_t column) {
  constexpr std::string_view kValues[][5] = {
      {"a", "1", "2024-01-01", "2024-01-01 00:00:00", "1.5"},
      {"", "", "", "", ""},
      {"x.y", "01", "nonsense", "\xFF\xFE", "-"},
  };
  if (row >= std::size(kValues)) return std::nullopt;
  return kValues[row][column];
}

}  // namespace

void FilterTarget(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const hms::LikeDialect dialect :
       {hms::LikeDialect::kSql, hms::LikeDialect::kJavaRegex, hms::LikeDialect::kByPattern}) {
    const auto filter = hms::ParsePartitionFilter(text, Columns(), dialect);
    const auto again = hms::ParsePartitionFilter(text, Columns(), dialect);
    Require(filter.has_value() == again.has_value());
    if (!filter) {
      Require(!filter.error().message.empty());
      continue;
    }
    for (size_t row = 0; row < 4; ++row) {
      std::vector<hms::Truth> truths;
      for (const hms::FilterLeaf& leaf : filter->leaves()) {
        Require(leaf.column() < Columns().size());
        truths.push_back(leaf.Evaluate(Value(row, leaf.column())));
      }
      const auto value = [row](size_t column) { return Value(row, column); };
      Require(filter->Matches(value) == filter->Combine(truths));
      Require(filter->Matches(value) == again->Matches(value));
    }
  }
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::FilterTarget);
