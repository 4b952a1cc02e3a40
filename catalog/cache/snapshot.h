#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/names.h"
#include "catalog/cache/partition_set.h"

namespace catalogd::cache {

enum class SlotState : uint8_t {
  kUnknown,  // Not even the existence is known.
  kAbsent,   // Does not exist; with its synced id this is the tombstone.
  kStub,     // Exists, content not loaded.
  kPresent,  // Content loaded.
};
std::string_view SlotStateName(SlotState state);

// What an object's parameters say about following it: catalogd.sync.disabled, or, where that is not
// there, impala.disableHmsSync. A database speaks for those of its tables that say nothing.
enum class SyncSwitch : uint8_t { kUnset, kFollowed, kDisabled };
SyncSwitch SyncSwitchOfTable(std::string_view table_struct);
SyncSwitch SyncSwitchOfDatabase(std::string_view database_struct);

// The immutable published content of a slot: readers share it, nobody edits it.
struct Snapshot {
  // Database or Table struct in Thrift binary, byte for byte what the metastore would answer.
  std::string object;
  // Tables: all partitions; null when they are not loaded. Unpartitioned tables have an empty set.
  PartitionSet::Ptr partitions;

  // Encoded list<FieldSchema> of sd.cols, borrowed from `object`; empty when there is none.
  [[nodiscard]] std::string_view columns() const {
    return std::string_view(object).substr(columns_at, columns_size);
  }

  // Read off `object` once (see ReadTableTraits):
  size_t columns_at = 0;
  size_t columns_size = 0;
  std::vector<std::string> partition_keys;  // Lower-case names in order.
  bool materialized_view = false;
  bool virtual_view = false;
  bool transactional = false;          // Parameter "transactional" is true.
  bool has_column_statistics = false;  // COLUMN_STATS_ACCURATE names columns.
  SyncSwitch sync = SyncSwitch::kUnset;
  bool sync_disabled = false;  // The same as sync == kDisabled.
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

// A table's snapshot from its struct. `partitions` null: not loaded.
SnapshotPtr MakeTableSnapshot(std::string table_struct, PartitionSet::Ptr partitions);
SnapshotPtr MakeDatabaseSnapshot(std::string database_struct);
// The same table with another partition set.
SnapshotPtr WithPartitions(const Snapshot& table, PartitionSet::Ptr partitions);
// Encoded list<FieldSchema> of sd.cols; empty when there is none.
std::string_view ColumnsOf(std::string_view table_struct);

// What is published about one name at one moment.
struct SlotView {
  SlotState state = SlotState::kUnknown;
  // Every event up to it that concerns this name is reflected. Never goes back within an epoch.
  EventId synced;
  CatalogVersion version;  // Of the commit that published this; 0 for a name without a slot.
  EventId incarnation;     // Event (or load position) at which the object came into being.
  // Contradictions between log and content are only meaningful behind this id: before it, replay
  // repeats what a load or listing has already seen.
  EventId checks_from;
  // Reads of the metastore that began before this catalog version may be older than a change that
  // no event tells of: they must not be published.
  CatalogVersion reads_from;
  SnapshotPtr snapshot;  // kPresent only.
};

// One name's part of a commit.
struct SlotChange {
  ObjectName name;
  SlotState state = SlotState::kUnknown;
  EventId synced;
  SnapshotPtr snapshot;  // kPresent only.
  // The object is another one than before (created, or the target of a rename).
  bool new_incarnation = false;
  EventId incarnation;  // With new_incarnation: since which event; `synced` when 0.
  EventId checks_from;  // Kept from the slot when 0.
  // Something changed that no event tells of: SlotView::reads_from becomes this commit's version.
  bool void_reads = false;
  std::string reason;  // For the journal: "CREATE_TABLE applied", "load", "contradiction: ...".
};

}  // namespace catalogd::cache
