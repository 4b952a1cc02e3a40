#include "catalog/cache/partition_values.h"

#include <utility>

#include "catalog/cache/partition_template.h"

namespace catalogd::cache {
size_t PartitionValues::memory_bytes() const {
  size_t bytes = sizeof(*this) + columns.capacity() * sizeof(Column);
  for (const Column& column : columns) {
    bytes += column.codes.capacity() * sizeof(uint16_t) +
             column.distinct.capacity() * sizeof(std::string);
    for (const std::string& text : column.distinct) {
      if (text.capacity() >= sizeof(std::string) / 2) bytes += text.capacity() + 1;
    }
  }
  return bytes;
}

void PartitionValuesBuilder::Add(std::string_view name) {
  if (!values_.from_names) {
    ++values_.rows;
    return;
  }
  size_t column = 0;
  ForEachValueOfName(name, [&](std::string_view value) {
    if (values_.rows == 0) {
      values_.columns.emplace_back();
      codes_.emplace_back();
    }
    if (column < codes_.size()) AddValue(column, value);
    ++column;
  });
  if (column != values_.columns.size()) AddOther();
  ++values_.rows;
}

// Names are sorted: mostly the value is that of the row before.
void PartitionValuesBuilder::AddValue(size_t column, std::string_view value) {
  auto& [distinct, codes] = values_.columns[column];
  if (!codes.empty() && distinct[codes.back()] == value) {
    codes.push_back(codes.back());
    return;
  }
  const auto [found, is_new] =
      codes_[column].try_emplace(std::string(value), static_cast<uint16_t>(distinct.size()));
  if (is_new) distinct.emplace_back(value);
  codes.push_back(found->second);
}

void PartitionValuesBuilder::AddOther() {
  values_.from_names = false;
  values_.columns.clear();
}

PartitionValues PartitionValuesBuilder::Finish() {
  for (auto& column : values_.columns) {
    column.codes.shrink_to_fit();
    column.distinct.shrink_to_fit();
  }
  return std::move(values_);
}

}  // namespace catalogd::cache
