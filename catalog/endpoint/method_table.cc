#include "catalog/endpoint/method_table.h"

#include <glog/logging.h>

#include <functional>

#include "catalog/endpoint/method_rows.h"

namespace catalogd::endpoint {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kCachedRead:
      return "cached_read";
    case Kind::kSideRead:
      return "side_read";
    case Kind::kPassRead:
      return "pass_read";
    case Kind::kPassThrough:
      return "pass_through";
    case Kind::kWrite:
      return "write";
    case Kind::kSession:
      return "session";
  }
  return "unknown";
}

ddl::Announced MethodRow::AnnouncedOn(hms::Generation generation) const {
  switch (generation) {
    case hms::Generation::kHive2:
      return announced[0];
    case hms::Generation::kHive3:
      return announced[1];
    case hms::Generation::kHive4:
      return announced[2];
    case hms::Generation::kUnknown:
      break;
  }
  // Only what every version announces can be counted on.
  for (const ddl::Announced on_version : announced) {
    if (on_version != ddl::Announced::kAlways) return ddl::Announced::kSometimes;
  }
  return ddl::Announced::kAlways;
}

const MethodTable& MethodTable::Get() {
  static const MethodTable table;
  return table;
}

MethodTable::MethodTable() {
  for (const auto rows : {ObjectRows(), PartitionRows(), StatisticsRows(), OtherRows()}) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  size_t size = 1;
  while (size < rows_.size() * 4) size *= 2;
  slots_.resize(size);
  for (const MethodRow& row : rows_) {
    const size_t slot = Slot(row.name);
    CHECK(slots_[slot] == nullptr) << "method " << row.name << " has two rows";
    slots_[slot] = &row;
  }
}

size_t MethodTable::Slot(std::string_view method) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>{}(method)&mask;
  while (slots_[slot] != nullptr && slots_[slot]->name != method) slot = (slot + 1) & mask;
  return slot;
}

const MethodRow* MethodTable::Find(std::string_view method) const { return slots_[Slot(method)]; }

}  // namespace catalogd::endpoint
