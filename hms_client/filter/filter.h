#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "hms_client/filter/like_pattern.h"

namespace catalogd::hms {

// What SQL makes of a comparison: nothing can be said of a missing value.
enum class Truth : uint8_t { kFalse, kTrue, kUnknown };

// How the values of a key compare. From the type of its column.
enum class KeyKind { kText, kInteger, kDate, kTimestamp, kOther };
KeyKind KindOfType(std::string_view column_type);

struct FilterKey {
  size_t column = 0;  // The caller's number for it.
  KeyKind kind = KeyKind::kText;
};
// What a name in a filter stands for. The error is passed on as it is.
using KeyResolver = std::function<Result<FilterKey>(const std::string& name)>;

// One comparison of a filter: a value of its column in, true, false or unknown out.
class FilterLeaf {
 public:
  enum class Operator { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kLike };

  [[nodiscard]] size_t column() const { return column_; }
  // No value: the row has none (a table without the parameter). An empty one is the default
  // partition's.
  [[nodiscard]] Truth Evaluate(std::optional<std::string_view> value) const;

 private:
  friend class ExactFilter;
  friend class FilterParser;
  enum class Comparison { kText, kNumber, kDay };

  size_t column_ = 0;
  bool quoted_ = false;  // The literal is a text.
  Operator operator_ = Operator::kEqual;
  Comparison comparison_ = Comparison::kText;
  std::string text_;    // The literal; of a number its shortest form.
  int64_t number_ = 0;  // Or days since 1970.
  std::optional<LikePattern> like_;
};

// A filter over partitions (their values) or tables (their attributes), in the metastore's
// language: comparisons, LIKE, [NOT] BETWEEN, [NOT] IN, IN of STRUCTs, AND, OR, parentheses.
//
// Not a search: whoever has rows or dictionaries of values asks. Each leaf can be evaluated once
// per distinct value and combined per row.
//
// Thread safety: immutable.
// Errors of Parse: kConflict with texts of the metastore (a MetaException there).
// Source: measured on Hive 4.2.0; see README.
class Filter {
 public:
  // No text: everything matches.
  static Result<Filter> Parse(std::string_view text, const KeyResolver& keys, LikeDialect like);

  [[nodiscard]] const std::vector<FilterLeaf>& leaves() const { return leaves_; }
  // Whether the text was a filter to its end; what follows one is not looked at.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  // One truth for each leaf, in their order.
  [[nodiscard]] bool Combine(const std::vector<Truth>& leaves) const;
  // `value(column)` is asked once for each leaf.
  using ValueFunction = std::function<std::optional<std::string_view>(size_t column)>;
  [[nodiscard]] bool Matches(const ValueFunction& value) const;

 private:
  friend class ExactFilter;
  friend class FilterParser;
  // A program for a stack of truths: leaves push, the others replace.
  struct Step {
    enum class Kind : uint8_t { kLeaf, kAnd, kOr, kNot };
    Kind kind = Kind::kLeaf;
    uint32_t leaf = 0;
  };

  std::vector<FilterLeaf> leaves_;
  std::vector<Step> steps_;
  bool is_whole_ = true;
};

// Keys of a partitioned table, by name without letter case.
struct PartitionColumn {
  std::string name;
  std::string type;
};
Result<Filter> ParsePartitionFilter(std::string_view text,
                                    const std::vector<PartitionColumn>& columns, LikeDialect like);

}  // namespace catalogd::hms
