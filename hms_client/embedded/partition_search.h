#pragma once

#include <string>
#include <vector>

#include "hms_client/embedded/operations.h"
#include "hms_client/filter/filter.h"

// Partitions and tables by a filter, values of partition keys, and partitions that change tables.
// Errors: as operations.h; kConflict: a filter that cannot be read.
namespace catalogd::hms::ops {

// --- partition_search.cc. `max` < 0: all.
Result<Partitions> PartitionsByFilter(Store& store, const CalledName& table,
                                      const std::string& filter, LikeDialect like, int64_t max);
Result<int64_t> CountPartitionsByFilter(Store& store, const CalledName& table,
                                        const std::string& filter);
// Names of the partitions that a client's expression chooses, to drop them. kConflict unless it is
// a filter from its beginning to its end: a compiler's expressions cannot be read.
Result<Strings> PartitionNamesByExpression(Store& store, const CalledName& table,
                                           const std::string& expression);
// Whether an expression is text, and so may be a filter; Hive's compiler sends Java objects.
bool IsFilterText(const std::string& expression);
// Rows of the values of some keys, in the order of partition names.
struct ValuesQuery {
  Strings keys;
  std::string filter;
  bool distinct = true;
  bool ascending = true;
  int64_t max = -1;
};
Result<std::vector<Strings>> PartitionValues(Store& store, const CalledName& table,
                                             const ValuesQuery& query);
// Keys are hive_filter_field_owner__, ..._last_access__, ..._params__NAME, ..._tableName__ and
// ..._tableType__. kNotFound: the database.
Result<Strings> TableNamesByFilter(Store& store, const CalledName& db, const std::string& filter,
                                   int64_t max);

// --- exchange_partitions.cc
// Moves the partitions that have these values from one table to another with the same columns.
// Returns them as they are now. kNotFound: table or partition.
Result<Partitions> ExchangePartitions(Store& store, const Properties& values,
                                      const CalledName& source, const CalledName& target);

}  // namespace catalogd::hms::ops
