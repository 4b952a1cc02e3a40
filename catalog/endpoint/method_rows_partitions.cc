#include "catalog/endpoint/method_rows.h"

namespace catalogd::endpoint {
namespace {

constexpr ReadSpec ByArguments(ReadShape shape, int16_t list, int16_t max, int16_t not_found) {
  return {.shape = shape, .db = 1, .table = 2, .list = list, .max = max, .not_found = not_found};
}
constexpr ReadSpec WithAuth(ReadSpec spec, int user, int groups) {
  spec.with_auth = true;
  spec.any = FieldBit(user) | FieldBit(groups);
  return spec;
}
// The request structs whose first fields are catName, dbName, tblName.
constexpr ReadSpec ByRequest(ReadShape shape, ReadResult result, int16_t list, int16_t max,
                             uint32_t neutral, int16_t not_found) {
  return {.shape = shape,
          .result = result,
          .request = true,
          .catalog = 1,
          .db = 2,
          .table = 3,
          .list = list,
          .max = max,
          .neutral = neutral,
          .not_found = not_found};
}

// PartitionsByExprRequest. Neutral: validWriteIdList, id.
constexpr ReadSpec kByExpression = {.request = true,
                                    .catalog = 6,
                                    .db = 1,
                                    .table = 2,
                                    .any = FieldBit(3) | FieldBit(4) | FieldBit(5) | FieldBit(7) |
                                           FieldBit(10) | FieldBit(11) | FieldBit(12),
                                    .neutral = FieldBit(8) | FieldBit(9)};

constexpr MethodRow kRows[] = {
    Write("add_partition", 3, kAnnounced, PartitionAt(1)),
    Write("add_partition_with_environment_context", 3, kAnnounced, PartitionAt(1)),
    Write("add_partitions", 3, kAnnounced, PartitionAt(1)),
    Write("add_partitions_pspec", 3, kAnnounced, NamePath{{1}, 6, 1, 2}),
    // With ifNotExists and nothing new Hive 4.2 writes no event, and nothing has changed then.
    Write("add_partitions_req", 3, kAnnounced, Request(6, 1, 2)),
    Write("append_partition", 3, kAnnounced, Args(1, 2)),
    Write("append_partition_by_name", 3, kAnnounced, Args(1, 2)),
    Write("append_partition_by_name_with_environment_context", 3, kAnnounced, Args(1, 2)),
    Write("append_partition_with_environment_context", 3, kAnnounced, Args(1, 2)),
    Hive4(Write("append_partition_req", 3, kAnnounced, Request(1, 2, 3))),
    Write("drop_partition", 2, kAnnounced, Args(1, 2)),
    Write("drop_partition_by_name", 2, kAnnounced, Args(1, 2)),
    Write("drop_partition_by_name_with_environment_context", 2, kAnnounced, Args(1, 2)),
    Write("drop_partition_with_environment_context", 2, kAnnounced, Args(1, 2)),
    Hive4(Write("drop_partition_req", 2, kAnnounced, Request(1, 2, 3))),
    Write("drop_partitions_req", 2, kAnnounced, Request(9, 1, 2)),
    Write("alter_partition", 2, kAnnounced, Args(1, 2)),
    Write("alter_partition_with_environment_context", 2, kAnnounced, Args(1, 2)),
    Write("alter_partitions", 2, kAnnounced, Args(1, 2)),
    Older(Write("alter_partitions_with_environment_context", 2, kAnnounced, Args(1, 2))),
    Hive4(Write("alter_partitions_req", 2, kAnnounced, Request(1, 2, 3))),
    Older(Write("rename_partition", 2, kAnnounced, Args(1, 2))),
    Hive4(Write("rename_partition_req", 2, kAnnounced, Request(1, 2, 3))),
    Write("exchange_partition", 1, kAnnounced, Args(2, 3), Args(4, 5)),
    Write("exchange_partitions", 1, kAnnounced, Args(2, 3), Args(4, 5)),

    Cached("get_partition", 1, ByArguments(ReadShape::kPartition, 3, 0, 2)),
    Cached("get_partition_with_auth", 1,
           WithAuth(ByArguments(ReadShape::kPartition, 3, 0, 2), 4, 5)),
    Hive4(Cached("get_partition_req", 1,
                 ByRequest(ReadShape::kPartition, ReadResult::kWrapped, 4, 0, FieldBit(6), 2))),
    Cached("get_partition_by_name", 1, ByArguments(ReadShape::kPartitionByName, 3, 0, 2)),
    Cached("get_partitions", 2, ByArguments(ReadShape::kPartitions, 0, 3, 1)),
    Cached("get_partitions_with_auth", 2,
           WithAuth(ByArguments(ReadShape::kPartitions, 0, 3, 1), 4, 5)),
    // Neutral: id, skipColumnSchemaForPartition, include- and excludeParamKeyPattern.
    Hive4(Cached("get_partitions_req", 2,
                 ByRequest(ReadShape::kPartitions, ReadResult::kWrapped, 0, 4,
                           FieldBit(6) | FieldBit(7) | FieldBit(8) | FieldBit(9), 1))),
    // Hive 2 declares other exceptions here than Hive 3 and 4.
    Cached("get_partition_names", 0, ByArguments(ReadShape::kPartitionNames, 0, 3, 0)),
    Hive4(Cached("fetch_partition_names_req", 2,
                 ByRequest(ReadShape::kPartitionNames, ReadResult::kPlain, 0, 4,
                           FieldBit(6) | FieldBit(7) | FieldBit(8) | FieldBit(9), 1))),
    Cached("get_partitions_by_names", 1, ByArguments(ReadShape::kPartitionsByNames, 3, 0, 2)),
    // Neutral: get_col_stats, processorCapabilities, getFileMetadata, id, and as above.
    Hive4(Cached("get_partitions_by_names_req", 1,
                 {.shape = ReadShape::kPartitionsByNames,
                  .result = ReadResult::kWrapped,
                  .request = true,
                  .db = 1,
                  .table = 2,
                  .list = 3,
                  .any = FieldBit(6) | FieldBit(7),
                  .neutral = FieldBit(4) | FieldBit(5) | FieldBit(9) | FieldBit(10) | FieldBit(11) |
                             FieldBit(12) | FieldBit(13),
                  .not_found = 2})),
    Cached("get_partitions_ps", 1, ByArguments(ReadShape::kPartitionsPs, 3, 4, 2)),
    Cached("get_partitions_ps_with_auth", 2,
           WithAuth(ByArguments(ReadShape::kPartitionsPs, 3, 4, 1), 5, 6)),
    // Neutral: id, skipColumnSchemaForPartition, the patterns, partNames.
    Hive4(
        Cached("get_partitions_ps_with_auth_req", 1,
               {.shape = ReadShape::kPartitionsPs,
                .result = ReadResult::kWrapped,
                .request = true,
                .catalog = 1,
                .db = 2,
                .table = 3,
                .list = 4,
                .max = 5,
                .any = FieldBit(6) | FieldBit(7),
                .neutral = FieldBit(9) | FieldBit(10) | FieldBit(11) | FieldBit(12) | FieldBit(13),
                .not_found = 2,
                .with_auth = true})),
    Cached("get_partition_names_ps", 1, ByArguments(ReadShape::kPartitionNamesPs, 3, 4, 2)),
    Hive4(Cached(
        "get_partition_names_ps_req", 1,
        ByRequest(ReadShape::kPartitionNamesPs, ReadResult::kWrapped, 4, 5, FieldBit(7), 2))),

    WithFilter(3, Cached("get_partitions_by_filter", 1,
                         ByArguments(ReadShape::kPartitionsByFilter, 3, 4, 2))),
    // Neutral: skipColumnSchemaForPartition, include- and excludeParamKeyPattern.
    Hive4(WithFilter(4, Cached("get_partitions_by_filter_req", 1,
                               ByRequest(ReadShape::kPartitionsByFilter, ReadResult::kPlain, 4, 5,
                                         FieldBit(6) | FieldBit(7) | FieldBit(8), 2)))),
    WithFilter(3, Cached("get_num_partitions_by_filter", 1,
                         ByArguments(ReadShape::kPartitionCount, 3, 0, 2))),

    Hive4(Content("get_partition_names_req", 1, kByExpression)),
    Content(
        "get_partition_values", 1,
        {.request = true,
         .catalog = 9,
         .db = 1,
         .table = 2,
         .any = FieldBit(3) | FieldBit(4) | FieldBit(5) | FieldBit(6) | FieldBit(7) | FieldBit(8),
         .neutral = FieldBit(10)}),
    Content("get_partitions_pspec", 2, {.db = 1, .table = 2, .any = FieldBit(3)}),
    WithFilter(3, Content("get_part_specs_by_filter", 1,
                          {.db = 1, .table = 2, .any = FieldBit(3) | FieldBit(4)})),
    Content("get_partitions_by_expr", 1, kByExpression),
    Hive4(Content("get_partitions_spec_by_expr", 1, kByExpression)),
    // Neutral: withAuth, as grants of privileges are not told; validWriteIdList.
    Hive4(Content(
        "get_partitions_with_specs", 1,
        {.request = true,
         .catalog = 1,
         .db = 2,
         .table = 3,
         .any = FieldBit(5) | FieldBit(6) | FieldBit(7) | FieldBit(8) | FieldBit(9) | FieldBit(10),
         .neutral = FieldBit(4) | FieldBit(11)})),
    Pass("partition_name_has_valid_characters", 1),
    Pass("partition_name_to_vals", 1),
    Pass("partition_name_to_spec", 1),
    Pass("markPartitionForEvent", 1),
    Pass("isPartitionMarkedForEvent", 1),
};

}  // namespace

std::span<const MethodRow> PartitionRows() { return kRows; }

}  // namespace catalogd::endpoint
