#include "catalog/endpoint/method_rows.h"

namespace catalogd::endpoint {
namespace {

constexpr MethodRow kRows[] = {
    Write("update_table_column_statistics", 3, kStatistics, StatisticsAt(1, 1)),
    Write("update_partition_column_statistics", 3, kStatistics, StatisticsAt(1, 1)),
    Write("update_table_column_statistics_req", 3, kStatistics, StatisticsAt(1, 1, 1)),
    Write("update_partition_column_statistics_req", 3, kStatistics, StatisticsAt(1, 1, 1)),
    Write("set_aggr_stats_for", 3, kStatistics, StatisticsAt(1, 1, 1)),
    Write("delete_table_column_statistics", 2, kStatistics, Args(1, 2)),
    Write("delete_partition_column_statistics", 2, kStatistics, Args(1, 2)),
    Write("delete_column_statistics_req", 2, kStatistics, Request(1, 2, 3)),
    Read("get_table_column_statistics", 2),
    Read("get_partition_column_statistics", 2),
    Read("get_table_statistics_req", 2),
    Read("get_partitions_statistics_req", 2),
    Read("get_aggr_stats_for", 2),

    // Constraints are objects of their own and change no table, so that an event which a server
    // does not write is not missed.
    Write("add_primary_key", 2, kAnnounced, NamePath{{1, 1}, 9, 1, 2}),
    Write("add_foreign_key", 2, kAnnounced, NamePath{{1, 1}, 15, 4, 5}),
    Write("add_unique_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("add_not_null_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("add_default_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("add_check_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("drop_constraint", 2, kAnnounced, Request(4, 1, 2)),
    Read("get_primary_keys", 1),
    Read("get_foreign_keys", 1),
    Read("get_unique_constraints", 1),
    Read("get_not_null_constraints", 1),
    Read("get_default_constraints", 1),
    Read("get_check_constraints", 1),
    Read("get_all_table_constraints", 1),
};

}  // namespace

std::span<const MethodRow> StatisticsRows() { return kRows; }

}  // namespace catalogd::endpoint
