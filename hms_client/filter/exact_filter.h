#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "hms_client/filter/filter.h"

namespace catalogd::hms {

// What differs between metastores in the filters that ExactFilter takes.
struct ExactRules {
  // kSql or kJavaRegex. With the latter LIKE stands among texts only: those metastores give such
  // filters to another machinery, which refuses numbers and dates.
  LikeDialect like = LikeDialect::kSql;
  // Of a client that is known to write the other dialect: it gets what its pattern says, which is
  // not what this metastore would make of it.
  std::optional<LikeDialect> of_client{};
};

// A filter over partitions of which it is certain what the metastore makes of it, for whole blocks
// of partitions at a time.
//
// Not a parser: of what Filter understands it takes the part that means the same to all releases
// and to the databases below them, for values that leave no doubt either. Whether a database orders
// "B" before "a", or trailing blanks count, is not known; neither is what it makes of the number
// "01" or the day "2024-2-1".
//
// Thread safety: immutable.
// Source: measured on Hive 2.3.10, 3.1.3 and 4.2.0; see README.
class ExactFilter {
 public:
  // Absent: the metastore must answer, perhaps with an error.
  static std::optional<ExactFilter> Parse(std::string_view text,
                                          const std::vector<PartitionColumn>& keys,
                                          const ExactRules& rules);

  // The values of one key in a block: each distinct one once, and which of them each row has.
  struct Column {
    const std::vector<std::string>* distinct = nullptr;
    const std::vector<uint16_t>* codes = nullptr;
  };
  // Leaves a byte for each row in `matches`: 1 if it passes, else 0. False when that is not certain
  // for some row. `columns` has one for each key.
  [[nodiscard]] bool Run(const std::vector<Column>& columns, size_t rows,
                         std::vector<uint8_t>* matches) const;

  // Effort per distinct value.
  [[nodiscard]] size_t steps() const { return steps_.size(); }
  [[nodiscard]] bool has_like() const { return has_like_; }

 private:
  using Operator = FilterLeaf::Operator;
  struct Step {
    enum class Kind : uint8_t { kIn, kCompare, kAnd, kOr, kNot };
    Kind kind = Kind::kIn;
    size_t column = 0;
    std::shared_ptr<std::unordered_set<std::string>> values;  // kIn, in their only spelling.
    FilterLeaf leaf;                                          // kCompare.
  };
  class Runner;

  [[nodiscard]] bool Take(const Filter& filter, const ExactRules& rules);
  [[nodiscard]] bool TakeLeaf(const FilterLeaf& leaf);
  void Join(Step::Kind kind);
  [[nodiscard]] bool EndsWith(std::initializer_list<Step::Kind> kinds, size_t before = 0) const;

  std::vector<KeyKind> kinds_;  // Of the keys.
  std::vector<Step> steps_;     // A program for a stack, as in Filter.
  bool has_like_ = false;
};

}  // namespace catalogd::hms
