#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/names.h"

namespace catalogd::events {

// What an event does, as far as the cache cares. Several stored types may share a kind.
enum class EventKind {
  kCreateDatabase,
  kAlterDatabase,
  kDropDatabase,
  kCreateTable,
  kAlterTable,  // Also renames (old_name) and truncates (truncate).
  kDropTable,   // Also DROP_INDEX of Hive 2.3, which takes the index's table along.
  kAddPartition,
  kAlterPartition,  // ALTER_PARTITION and ALTER_PARTITIONS.
  kDropPartition,
  kInsert,
  kReload,
  kCreateFunction,
  kDropFunction,
  kConstraint,   // Any ADD_*KEY, ADD_*CONSTRAINT, DROP_CONSTRAINT.
  kTransaction,  // OPEN_TXN, COMMIT_TXN, ABORT_TXN, ALLOC_WRITE_ID_EVENT, ACID_WRITE_EVENT.
  kIndex,        // Hive 2.3: an index came or changed; its table has events of its own.
  kUpdateTableStats,
  kUpdatePartitionStats,
  kDeleteStats,
  kCommitCompaction,
  kUnknown,  // A type this build has never heard of.
};
std::string_view EventKindName(EventKind kind);

// A partition as a message carries it.
struct PartitionImage {
  std::vector<std::string> values;
  std::string bytes;  // Partition struct, Thrift binary, exactly as in the message.
};

// One decoded entry of the notification log. Immutable once made; shared by everyone who needs it.
//
// Images are Thrift binary as the writer sent them to the log: what must be normalised to equal the
// metastore's answer is not done here (catalog/sync/image.h).
struct Event {
  EventId id;
  EventKind kind = EventKind::kUnknown;
  std::string type;  // As stored.
  int32_t time = 0;  // Seconds since 1970.

  // The name the event belongs to: a table, or a database, or nothing (default constructed) for
  // transactions and unknown types without names. After a rename: the new name.
  ObjectName name;
  // Rename only: what the table was called before.
  std::optional<ObjectName> old_name;

  // Set when the message of a known type could not be understood: why. Names come from the row
  // then.
  std::string problem;

  // First seen after events with higher ids (2.3 and non-transactional listeners): its names may
  // already show a later state, so they are read again.
  bool late = false;

  bool truncate = false;
  // CREATE_TABLE, ALTER_TABLE (after), UPDATE_TBL_COL_STAT_EVENT: the Table struct. Absent when the
  // message has none.
  std::optional<std::string> table_image;
  // CREATE_DATABASE, ALTER_DATABASE (after): the Database struct as the client sent it. Absent when
  // the message has none.
  std::optional<std::string> database_image;
  // ALTER_TABLE: the columns of the before image differ from those of the after image.
  bool columns_changed = false;
  // ADD_PARTITION, ALTER_PARTITION(S): the new images.
  std::vector<PartitionImage> partitions;
  // ALTER_PARTITION: the values before (differ on a rename); DROP_PARTITION: what went;
  // UPDATE_PART_COL_STAT_EVENT: what changed. Values in partition key order, or empty when the
  // message's key-value map has to be ordered by the table's keys: then partition_specs has them.
  std::vector<std::vector<std::string>> partition_values;
  std::vector<std::vector<std::pair<std::string, std::string>>> partition_specs;
  // UPDATE_PART_COL_STAT_EVENT: the parameter COLUMN_STATS_ACCURATE that the partition has now.
  std::optional<std::string> partition_statistics;
  // The message should list partitions and does not (stripped, or another server's dialect).
  bool partitions_missing = false;
  std::string function;  // kCreateFunction, kDropFunction: lower-cased name.

  // Rough memory use, for budgets.
  size_t bytes = 0;
  // Hash of the whole row: tells two events of one id apart, and one log from another. 0 where
  // nobody will compare it.
  uint64_t fingerprint = 0;

  // True when the event touches that name (either end of a rename; a database drop touches all
  // tables of the database).
  [[nodiscard]] bool Touches(const ObjectName& object) const;
  // A rename or a database drop: it concerns more than one name.
  [[nodiscard]] bool CrossesNames() const {
    return old_name.has_value() || kind == EventKind::kDropDatabase;
  }
};

using EventPtr = std::shared_ptr<const Event>;

}  // namespace catalogd::events
