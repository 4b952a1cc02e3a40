#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "thrift/wire/types.h"

// Questions about the embedded objects of a message that do not need the whole object.
// `json` is Thrift-JSON inside a JSON string, still escaped. Pure functions.
namespace catalogd::events {

// Whether sd.cols of two Table objects differ; `after_image` is the binary of `after`. True when
// that cannot be told.
bool ColumnsDiffer(std::string_view before, std::string_view after, std::string_view after_image,
                   const wire::Limits& limits);

// Names of a Table's partition keys, in order.
Result<std::vector<std::string>> PartitionKeyNames(std::string_view table_json,
                                                   const wire::Limits& limits);

// Values of a Partition struct. kCorrupt when it has none.
Result<std::vector<std::string>> PartitionValues(std::string_view partition);

}  // namespace catalogd::events
