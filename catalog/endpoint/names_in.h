#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/endpoint/method_table.h"
#include "thrift/wire/view.h"

// The names in the arguments of a call. Pure functions.
namespace catalogd::endpoint {

// "@hive#sales" or "sales", or a plain name beside a catalog field of its own.
DatabaseArgument DatabaseOf(std::optional<std::string_view> catalog, std::string_view db);

// What a write locks, without repetitions. Empty when the row names nothing or a name is missing
// where one is needed: then nothing is known about what the call changes.
std::vector<ObjectName> NamesIn(const MethodRow& row, const wire::StructView& arguments);
// The same for one path.
std::vector<ObjectName> NamesAt(const NamePath& path, const wire::StructView& arguments);

}  // namespace catalogd::endpoint
