#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/cache/snapshot.h"

// Differences of what the cache holds and what the metastore answers. Pure.
namespace catalogd::sync {

// Fields in which two structs of Thrift binary differ, as paths: "sd.cols", "parameters{numRows}",
// "#99" for a field without a name here. The order of fields, of map entries and of set elements
// does not count; at most `most` of them.
std::vector<std::string> DiffTables(std::string_view left, std::string_view right, size_t most = 8);
std::vector<std::string> DiffPartitions(std::string_view left, std::string_view right,
                                        size_t most = 8);
// Of whole snapshots: the table and, where both have them, the partitions ("partition dt=1: sd").
std::vector<std::string> DiffSnapshots(const cache::Snapshot& left, const cache::Snapshot& right,
                                       size_t most = 8);

}  // namespace catalogd::sync
