#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "catalog/cache/snapshot.h"

namespace catalogd::scenario {

// How scripts write objects and changes of them, as words: "id:int,name" columns (string when no
// type is given), keys=dt owner=alice type=VIRTUAL_VIEW location=..., key=value for parameters.
// A change may also say +column, -column, and key= to take a parameter away.

// The Table struct with the change made. Empty `table`: a new one of that name.
Result<std::string> ChangeTable(std::string_view table, const ObjectName& name,
                                const std::vector<std::string>& changes);
Result<std::string> ChangeDatabase(std::string_view database, const ObjectName& name,
                                   const std::vector<std::string>& changes);
// `spec` is "2024,eu" or "2024,eu{k=v}": values in key order, and parameters.
Result<std::string> MakePartition(std::string_view table, const std::string& spec);
std::vector<std::string> ValuesOf(const std::string& spec);
std::string RenamedTable(std::string_view table, const ObjectName& to);

// The same words back, without what every object has (default location, times).
std::string DescribeTable(std::string_view table);
std::string DescribeDatabase(std::string_view database);
std::string DescribePartition(std::string_view partition);
std::string DescribeSnapshot(const ObjectName& name, const cache::Snapshot& snapshot);

// Equal as objects: the order of fields and of map entries does not count.
bool SameTable(std::string_view a, std::string_view b);
bool SameDatabase(std::string_view a, std::string_view b);
bool SamePartition(std::string_view a, std::string_view b);

}  // namespace catalogd::scenario
