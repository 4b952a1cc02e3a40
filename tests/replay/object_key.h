#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "catalog/base/names.h"

namespace catalogd::replay {

enum class ObjectKind { kDatabase, kTable, kPartition, kFunction };

// Names one object of a recording. Plain value; sorts a table right before its partitions.
struct ObjectKey {
  ObjectName name;   // The database, or the table.
  std::string part;  // Partition: "k1=v1/k2=v2". Function: its name. Empty otherwise.
  ObjectKind kind = ObjectKind::kDatabase;

  // "table sales.orders", "partition sales.orders day=1".
  [[nodiscard]] std::string ToString() const;
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace catalogd::replay
