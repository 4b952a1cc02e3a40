#include "catalog/endpoint/method_rows.h"

// Catalogs, databases, tables, functions.
namespace catalogd::endpoint {
namespace {

// Hive 2 writes no event; Hive 4 none when only description or location change.
constexpr Announcements kAlterDatabase = {kNo, kYes, kSome};

// Get{Fields,Schema}Request. Neutral: validWriteIdList, id.
constexpr ReadSpec kSchemaRequest = {.request = true,
                                     .catalog = 1,
                                     .db = 2,
                                     .table = 3,
                                     .any = FieldBit(4),
                                     .neutral = FieldBit(5) | FieldBit(6)};

constexpr MethodRow kRows[] = {
    // A catalog comes and goes with its default database; only the coming is announced.
    Write("create_catalog", 3, kAnnounced, DefaultDatabaseOf({1, 1})),
    Write("alter_catalog", 3, kSilent, DefaultDatabaseOf({1})),
    Write("drop_catalog", 3, kSilent, DefaultDatabaseOf({1})),
    Read("get_catalog", 2),
    Read("get_catalogs", 1),

    Write("create_database", 3, kAnnounced, DatabaseAt(1)),
    Hive4(Write("create_database_req", 3, kAnnounced, Request(8, 1))),
    Write("alter_database", 1, kAlterDatabase, Args(1)),
    Hive4(Write("alter_database_req", 1, kAlterDatabase, Request(0, 1))),
    Older(Write("drop_database", 3, kAnnounced, Args(1))),
    Hive4(Write("drop_database_req", 3, kAnnounced, Request(2, 1))),
    Older(Cached("get_database", 2, {.shape = ReadShape::kDatabase, .db = 1, .not_found = 1})),
    // Without a catalog real servers fail here; they do so themselves then.
    Hive4(Cached("get_database_req", 2,
                 {.shape = ReadShape::kDatabase,
                  .request = true,
                  .catalog = 2,
                  .db = 1,
                  .any = FieldBit(4),
                  .neutral = FieldBit(3),
                  .not_found = 1})),
    Cached("get_all_databases", 1, {.shape = ReadShape::kDatabaseNames}),
    Cached("get_databases", 1, {.shape = ReadShape::kDatabaseNames, .db = 1}),
    Hive4(Read("get_databases_req", 1)),

    Write("create_table", 3, kAnnounced, TableAt(1)),
    Older(Write("create_table_with_environment_context", 3, kAnnounced, TableAt(1))),
    Write("create_table_with_constraints", 3, kAnnounced, TableAt(1)),
    Hive4(Write("create_table_req", 3, kAnnounced, TableAt(1, 1))),
    Write("drop_table", 2, kAnnounced, Args(1, 2)),
    Write("drop_table_with_environment_context", 2, kAnnounced, Args(1, 2)),
    Hive4(Write("drop_table_req", 2, kAnnounced, Request(1, 2, 3))),
    // The second name is the same one, or the new name of a rename.
    Write("alter_table", 2, kAnnounced, Args(1, 2), TableAt(3)),
    Older(Write("alter_table_with_environment_context", 2, kAnnounced, Args(1, 2), TableAt(3))),
    Write("alter_table_with_cascade", 2, kAnnounced, Args(1, 2), TableAt(3)),
    Hive4(Write("alter_table_req", 2, kAnnounced, Request(1, 2, 3), TableAt(1, 4))),
    Write("truncate_table", 1, kAnnounced, Args(1, 2)),
    Hive4(Write("truncate_table_req", 1, kAnnounced, Request(0, 1, 2))),
    Write("update_creation_metadata", 1, kSilent, NamePath{{}, 1, 2, 3}),
    Hive4(Write("update_table_params", 1, {kNo, kNo, kSome}, Request(1, 2, 3))),
    Hive4(Pass("translate_table_dryrun", 3)),

    Older(
        Cached("get_table", 1, {.shape = ReadShape::kTable, .db = 1, .table = 2, .not_found = 2})),
    // Capabilities and the processor's name only matter for tables that are never served.
    Cached("get_table_req", 1,
           {.shape = ReadShape::kTable,
            .result = ReadResult::kWrapped,
            .request = true,
            .catalog = 4,
            .db = 1,
            .table = 2,
            .any = FieldBit(3) | FieldBit(9) | FieldBit(10),
            .neutral = FieldBit(7) | FieldBit(8) | FieldBit(11),
            .not_found = 2}),
    Older(
        Cached("get_table_objects_by_name", 0, {.shape = ReadShape::kTables, .db = 1, .list = 2})),
    Cached("get_table_objects_by_name_req", 1,
           {.shape = ReadShape::kTables,
            .result = ReadResult::kWrapped,
            .request = true,
            .catalog = 4,
            .db = 1,
            .list = 2,
            .any = FieldBit(3) | FieldBit(6),
            .neutral = FieldBit(5)}),
    Cached("get_all_tables", 1, {.shape = ReadShape::kTableNames, .db = 1}),
    Cached("get_tables", 1, {.shape = ReadShape::kTableNames, .db = 1, .list = 2}),
    // The type of a table that was made without one is not that of get_table.
    Side("get_tables_by_type", 1, kTablesTold, sync::SideKind::kTableList,
         {.db = 1, .any = FieldBit(2) | FieldBit(3)}),
    Hive4(Side("get_tables_ext", 1, kTablesTold, sync::SideKind::kTableList,
               {.request = true,
                .catalog = 1,
                .db = 2,
                .any = FieldBit(3) | FieldBit(4) | FieldBit(5) | FieldBit(6) | FieldBit(7)})),
    Side("get_table_meta", 1, kTablesTold,
         SideSpec{.kind = sync::SideKind::kTableList, .db_is_pattern = true},
         {.db = 1, .any = FieldBit(2) | FieldBit(3)}),
    Side("get_table_names_by_filter", 1, kTablesSometimesTold, sync::SideKind::kTableList,
         {.db = 1, .any = FieldBit(2) | FieldBit(3)}),
    Schema("get_fields", {.db = 1, .table = 2}),
    Schema("get_fields_with_environment_context", {.db = 1, .table = 2, .any = FieldBit(3)}),
    Hive4(Schema("get_fields_req", kSchemaRequest)),
    Schema("get_schema", {.db = 1, .table = 2}),
    Schema("get_schema_with_environment_context", {.db = 1, .table = 2, .any = FieldBit(3)}),
    Hive4(Schema("get_schema_req", kSchemaRequest)),
    Read("get_materialized_views_for_rewriting", 1),
    Hive4(Read("get_all_materialized_view_objects_for_rewriting", 1)),
    Read("get_materialization_invalidation_info", 1),

    // Indexes come with a table of their own. Only Hive 2 has them, and its log is not complete.
    Write("add_index", 3, kSilent, NamePath{{1}, 0, 3, 4}, TableAt(2)),
    Write("alter_index", 2, kSilent, Args(1, 2)),
    Write("drop_index_by_name", 2, kSilent),
    Read("get_index_by_name", 1),
    Read("get_indexes", 2),
    Read("get_index_names", 1),

    Write("create_function", 3, kAnnounced, NamePath{{1}, 9, 2, 0}),
    Write("drop_function", 2, kAnnounced, Args(1)),
    Write("alter_function", 2, kSilent, Args(1)),
    Side("get_function", 1, kFunctions, sync::SideKind::kFunctions, {.db = 1, .any = FieldBit(2)}),
    Side("get_functions", 1, kFunctions, sync::SideKind::kFunctions, {.db = 1, .any = FieldBit(2)}),
    Hive4(Side("get_functions_req", 1, kFunctions, sync::SideKind::kFunctions,
               {.request = true, .catalog = 2, .db = 1, .any = FieldBit(3) | FieldBit(4)})),
    Side("get_all_functions", 1, kFunctions, sync::SideKind::kFunctions, {}),
};

}  // namespace

std::span<const MethodRow> ObjectRows() { return kRows; }

}  // namespace catalogd::endpoint
