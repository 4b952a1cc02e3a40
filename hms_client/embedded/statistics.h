#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hms_client/embedded/operations.h"

// Statistics of columns, of tables and of partitions, per engine. Kept as they come; aggregates are
// made of what partitions have, nothing is extrapolated.
//
// Errors: as operations.h; kNotFound: table or partition; kConflict: a column that is not there.
namespace catalogd::hms::ops {

using ColumnStats = std::vector<api::ColumnStatisticsObj>;

// Of a table or a partition, as its description says. One event each.
// `merge`: into what there is, and only of columns whose statistics are marked as exact.
Status UpdateStatistics(Store& store, std::vector<api::ColumnStatistics> statistics, bool merge);

struct StatisticsOf {
  CalledName table;
  std::string engine;
};
// Columns without statistics are left out. In order of the names.
Result<ColumnStats> TableStatistics(Store& store, const StatisticsOf& of, const Strings& columns);
// Partitions without any are left out.
Result<std::map<std::string, ColumnStats>> PartitionStatistics(Store& store, const StatisticsOf& of,
                                                               const Strings& partitions,
                                                               const Strings& columns);
Result<api::AggrStats> AggregateStatistics(Store& store, const StatisticsOf& of,
                                           const Strings& partitions, const Strings& columns);

// One column of the table, or of the partition, as get_*_column_statistics answers it.
Result<api::ColumnStatistics> ColumnStatistics(Store& store, const StatisticsOf& of,
                                               const std::optional<std::string>& partition,
                                               const std::string& column);

struct StatisticsToDelete {
  std::optional<std::string> engine;  // None: of all.
  std::optional<Strings> partitions;  // None: of the table.
  Strings columns;                    // Empty: all.
};
// One event for each target and column, also when there was nothing.
Status DeleteStatistics(Store& store, const CalledName& table, const StatisticsToDelete& what);

// --- For the altering of tables: columns that are gone or of another type lose theirs.
Status ForgetChangedColumnsIn(Writer& writer, int64_t table_id, const api::Table& before,
                              const api::Table& after);

// --- statistics_merge.cc
// Makes one of two statistics of the same column: bounds and distinct values of the wider, sums of
// nulls. Kinds that differ: the new one.
api::ColumnStatisticsObj Merged(const api::ColumnStatisticsObj& old,
                                const api::ColumnStatisticsObj& next);

}  // namespace catalogd::hms::ops
