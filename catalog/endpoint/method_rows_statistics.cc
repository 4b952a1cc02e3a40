#include "catalog/endpoint/method_rows.h"

namespace catalogd::endpoint {
namespace {

using sync::SideKind;

// get_*_statistics of a table or of partitions. Write ids only count where there are transactions.
constexpr MethodRow Statistics(std::string_view name, ReadSpec read, bool is_aggregate = false) {
  return Side(name, 2, kStatistics,
              SideSpec{.kind = SideKind::kStatistics, .is_aggregate = is_aggregate}, read);
}
// Requests with the catalog first.
constexpr MethodRow Constraints(std::string_view name, Announcements announced) {
  return Side(
      name, 1, announced, SideKind::kConstraints,
      {.request = true, .catalog = 1, .db = 2, .table = 3, .neutral = FieldBit(4) | FieldBit(5)});
}

constexpr MethodRow kRows[] = {
    Write("update_table_column_statistics", 3, kStatistics, StatisticsAt(1, 1)),
    Write("update_partition_column_statistics", 3, kStatistics, StatisticsAt(1, 1)),
    Hive4(Write("update_table_column_statistics_req", 3, kStatistics, StatisticsAt(1, 1, 1))),
    Hive4(Write("update_partition_column_statistics_req", 3, kStatistics, StatisticsAt(1, 1, 1))),
    Write("set_aggr_stats_for", 3, kStatistics, StatisticsAt(1, 1, 1)),
    Write("delete_table_column_statistics", 2, kStatistics, Args(1, 2)),
    Write("delete_partition_column_statistics", 2, kStatistics, Args(1, 2)),
    Hive4(Write("delete_column_statistics_req", 2, kStatistics, Request(1, 2, 3))),
    Statistics("get_table_column_statistics", {.db = 1, .table = 2, .any = FieldBit(3)}),
    Statistics("get_partition_column_statistics",
               {.db = 1, .table = 2, .any = FieldBit(3) | FieldBit(4)}),
    Statistics("get_table_statistics_req", {.request = true,
                                            .catalog = 4,
                                            .db = 1,
                                            .table = 2,
                                            .any = FieldBit(3) | FieldBit(6),
                                            .neutral = FieldBit(5) | FieldBit(7)}),
    Statistics("get_partitions_statistics_req", {.request = true,
                                                 .catalog = 5,
                                                 .db = 1,
                                                 .table = 2,
                                                 .any = FieldBit(3) | FieldBit(4) | FieldBit(7),
                                                 .neutral = FieldBit(6)}),
    Statistics("get_aggr_stats_for",
               {.request = true,
                .catalog = 5,
                .db = 1,
                .table = 2,
                .any = FieldBit(3) | FieldBit(4) | FieldBit(7),
                .neutral = FieldBit(6)},
               true),

    // Constraints are objects of their own and change no table: what a server does not tell of them
    // is missed by nobody but by those reads of constraints that are not kept for that reason.
    Write("add_primary_key", 2, kAnnounced, NamePath{{1, 1}, 9, 1, 2}),
    Write("add_foreign_key", 2, kAnnounced, NamePath{{1, 1}, 15, 4, 5}),
    Write("add_unique_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("add_not_null_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("add_default_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("add_check_constraint", 2, kAnnounced, NamePath{{1, 1}, 1, 2, 3}),
    Write("drop_constraint", 2, kAnnounced, Request(4, 1, 2)),
    Side(
        "get_primary_keys", 1, kKeys, SideKind::kConstraints,
        {.request = true, .catalog = 3, .db = 1, .table = 2, .neutral = FieldBit(4) | FieldBit(5)}),
    Side("get_foreign_keys", 1, kKeys,
         SideSpec{.kind = SideKind::kForeignKeys, .names_parent = true},
         {.request = true,
          .catalog = 5,
          .db = 3,
          .table = 4,
          .any = FieldBit(1) | FieldBit(2),
          .neutral = FieldBit(6) | FieldBit(7)}),
    Constraints("get_unique_constraints", kKeys),
    Constraints("get_not_null_constraints", kKeys),
    Constraints("get_default_constraints", kOtherConstraints),
    Constraints("get_check_constraints", kOtherConstraints),
    Hive4(Side("get_all_table_constraints", 1, kOtherConstraints,
               SideSpec{.kind = SideKind::kForeignKeys, .keys_among_others = true},
               {.request = true,
                .catalog = 3,
                .db = 1,
                .table = 2,
                .neutral = FieldBit(4) | FieldBit(5)})),
};

}  // namespace

std::span<const MethodRow> StatisticsRows() { return kRows; }

}  // namespace catalogd::endpoint
