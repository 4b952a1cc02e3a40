#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace catalogd::cache {

// The values of neighbouring partitions key by key, each distinct one once: what filters look at
// instead of structs.
//
// Thread safety: plain value.
// Invariants: with `from_names` all columns have `rows` codes, and every code is a place in
// `distinct`; without it there are no columns.
struct PartitionValues {
  struct Column {
    std::vector<std::string> distinct;  // As they are stored, not escaped; by first appearance.
    std::vector<uint16_t> codes;        // One for each partition.
  };
  size_t rows = 0;
  // The values of all these partitions are those of their names. Otherwise there is one whose
  // values and name do not agree (an empty value, for which the name says the default one).
  bool from_names = true;
  std::vector<Column> columns;

  [[nodiscard]] size_t memory_bytes() const;
};

// Puts partitions in, in order.
// Thread safety: none.
class PartitionValuesBuilder {
 public:
  // The values of the name follow those of the names before.
  void Add(std::string_view name);
  // The values are others than those of the name: nothing can be said about this block.
  void AddOther();
  PartitionValues Finish();

 private:
  void AddValue(size_t column, std::string_view value);

  PartitionValues values_;
  std::vector<std::unordered_map<std::string, uint16_t>> codes_;  // Of distinct values, by column.
};

}  // namespace catalogd::cache
