#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "catalog/cache/partition_set.h"
#include "events/event.h"
#include "hms_client/metastore.h"

// From the objects in event messages to what the metastore answers when it is asked: the
// normalisation rules measured on real 2.3, 3.1 and 4.x servers. Pure.
// Errors: kCorrupt for an image that is not what it should be, kUnsupported for one whose answer
// cannot be told; the caller makes a stub.
namespace catalogd::sync {

class StructFields;

// Names lower-case, privileges dropped, members filled that the writer may have left out and that
// answers always have (those of sd, partitionKeys, tableType, rewriteEnabled, ownerType), tableType
// recomputed from EXTERNAL, writeId filled on Hive 4, storage of full-ACID tables reduced on Hive 4
// as their answers are, view texts of what is no view dropped on Hive 4. kUnsupported with a text
// that is too long to be stored (stored_lengths.h), as of partitions.
Result<std::string> NormalizeTableImage(std::string_view table, events::EventKind kind,
                                        hms::Generation generation);
// An alter cannot change id and creation time, nor the write id of a table that is not
// transactional (any more), whatever its image says: the metastore keeps them from the table that
// it had before. `table` and `before` are normalised. kUnsupported where they differ in members of
// the serde that some versions store with an alter and some do not.
Result<std::string> WithKeptMembers(std::string table, std::string_view before);
// Names of the table lower-case, storage filled in. kUnsupported also where reads of one and reads
// of many partitions answer different things of what was stored.
Result<std::string> NormalizePartitionImage(std::string_view partition, hms::Generation generation);

// Which statistics of a table or partition can be trusted: JSON that the metastore writes.
inline constexpr std::string_view kColumnStatisticsParameter = "COLUMN_STATS_ACCURATE";
// The Partition struct with one parameter put; all others, and the other members, stay.
std::string WithPartitionParameter(std::string_view partition, std::string_view key,
                                   std::string_view value);

// Is the Table struct that of a table with row-level transactions?
bool IsFullAcid(std::string_view table);
bool IsFullAcid(const StructFields& table);

// Entries of a partition set from Partition structs; `keys` are the table's partition keys.
Result<cache::PartitionSet::Entry> MakePartitionEntry(const std::vector<std::string>& keys,
                                                      std::string partition);
// Name of a partition from a key-value map as DROP_PARTITION and ALTER_PARTITION carry it.
Result<std::string> PartitionNameOf(const std::vector<std::string>& keys,
                                    const std::vector<std::pair<std::string, std::string>>& spec);

}  // namespace catalogd::sync
