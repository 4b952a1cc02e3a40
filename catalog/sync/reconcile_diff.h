#pragma once

#include <string>

#include "catalog/base/names.h"
#include "catalog/cache/snapshot.h"

namespace catalogd::sync {

// What differs between what the cache has of an object and what the metastore answered, in one line
// for people; empty when they are equal. Null: there is no such object on that side. Partitions
// count where the cache has them. The order of members does not count. Pure.
std::string DescribeDifference(const ObjectName& name, const cache::SnapshotPtr& cached,
                               const cache::SnapshotPtr& read);

// The same for one struct alone, and for one partition.
std::string DescribeStructs(const ObjectName& name, std::string_view cached, std::string_view read);
std::string DescribePartition(std::string_view cached, std::string_view read);

}  // namespace catalogd::sync
