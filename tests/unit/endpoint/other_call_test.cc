#include "catalog/endpoint/other_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "catalog/endpoint/call_rows.h"
#include "tests/support/objects.h"
#include "tests/unit/endpoint/idl_facts.h"
#include "tests/unit/endpoint/messages.h"

// Clients of Hive 4 fail on older metastores at their first call; a translation that leaves
// something out would be worse: it would do something else.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::IdlFacts;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using hms::Generation;
using wire::TType;

std::optional<OtherCall> Older(const std::string& message,
                               Generation generation = Generation::kHive3) {
  return ToOlder(*wire::ParseMessageHeader(message), ResultOf(message), generation);
}

std::string From(const std::string& message, const std::string& reply) {
  return FromOther(*wire::ParseMessageHeader(message), *Older(message), reply);
}

const auto& Facts() {
  static const IdlFacts facts = IdlFacts::Load();
  return facts;
}

// None: the facts have no line for it.
std::vector<IdlFacts::Field> ArgumentsOf(std::string_view method) {
  const auto found = Facts().arguments.find(std::string(method));
  return found == Facts().arguments.end() ? std::vector<IdlFacts::Field>() : found->second;
}

// The fields of the newer method's request; its arguments where it has none.
std::vector<IdlFacts::Field> FieldsOf(const CallRow& row) {
  const auto arguments = ArgumentsOf(row.newer);
  if (row.by_arguments) return arguments;
  return Facts().fields.at(IdlFacts::Find(arguments, 1)->type);
}

std::string ElementOf(const std::string& type) {
  return type.starts_with("list<") ? type.substr(5, type.size() - 6) : type;
}

void ExpectArguments(const CallRow& row) {
  const auto request = FieldsOf(row);
  const auto older = ArgumentsOf(row.older);
  int to = 1;
  if (row.db != 0) {
    EXPECT_EQ(IdlFacts::Find(request, row.db)->type, "string") << row.newer;
    EXPECT_EQ(IdlFacts::Find(older, to++)->type, "string") << row.newer;
  }
  for (const CallArgument& each : row.arguments) {
    if (each.source == ArgumentSource::kNone || each.source == ArgumentSource::kRequest) continue;
    const auto* from = IdlFacts::Find(request, each.from);
    const auto* target = IdlFacts::Find(older, to++);
    ASSERT_NE(from, nullptr) << row.newer << " " << each.from;
    ASSERT_NE(target, nullptr) << row.older << " " << to - 1;
    const bool only =
        each.source == ArgumentSource::kOnly || each.source == ArgumentSource::kOnlyOrAll;
    EXPECT_EQ(only ? ElementOf(from->type) : from->type, target->type)
        << row.newer << " " << from->name;
  }
  const bool whole = row.arguments[0].source == ArgumentSource::kRequest;
  std::set<int> ids;
  for (const auto& argument : older) ids.insert(argument.id);
  EXPECT_EQ(ids.size(), whole ? 1U : static_cast<size_t>(to - 1)) << row.older;
}

void ExpectCatalog(const CallRow& row) {
  if (row.catalog == 0) return;
  auto holder = FieldsOf(row);
  for (const int16_t step : row.catalog_way) {
    if (step != 0) holder = Facts().fields.at(ElementOf(IdlFacts::Find(holder, step)->type));
  }
  EXPECT_THAT(IdlFacts::Find(holder, row.catalog)->name, ::testing::StartsWith("cat")) << row.newer;
}

std::map<std::string, std::set<int>> Declared(std::string_view method) {
  const auto found = Facts().throws.find(std::string(method));
  return found == Facts().throws.end() ? std::map<std::string, std::set<int>>() : found->second;
}

// What could go wrong: a field lands in an argument that means something else.
TEST(OtherCall, RowsAgreeWithTheFacts) {
  for (const CallRow& row : CallRows()) {
    ExpectArguments(row);
    ExpectCatalog(row);
    const auto older = Declared(row.older);
    for (const auto& [exception, ids] : Declared(row.newer)) {
      // A newer exception that the older method does not have cannot come back.
      const auto known = older.find(exception);
      if (known == older.end() || row.swaps_exceptions) continue;
      EXPECT_TRUE(known->second.contains(*ids.begin())) << row.older;
    }
    if (row.direction == Direction::kToOlder) continue;
    EXPECT_EQ(older.size(), static_cast<size_t>(row.exceptions)) << row.older;
    for (const auto& [exception, ids] : older) {
      EXPECT_EQ(Declared(row.newer)[exception], ids) << row.older << " " << exception;
    }
  }
}

// What could go wrong: a method that came with Hive 4 is forgotten. These have no older words:
std::set<std::string> MethodsWithoutOlderWords() {
  return {
      // The answer is made of several, or has what no older one tells.
      "get_partition_names_req",
      "get_partitions_spec_by_expr",
      "get_partitions_with_specs",
      "get_tables_ext",
      "get_all_table_constraints",
      "get_all_materialized_view_objects_for_rewriting",
      // What they are about came with Hive 4, or was no call before.
      "abort_Compactions",
      "add_package",
      "add_replication_metrics",
      "add_write_ids_to_min_history",
      "add_write_notification_log",
      "add_write_notification_log_in_batch",
      "create_stored_procedure",
      "drop_package",
      "drop_stored_procedure",
      "find_columns_with_stats",
      "find_next_compact",
      "find_next_compact2",
      "find_package",
      "get_all_packages",
      "get_all_stored_procedures",
      "get_all_write_event_info",
      "get_dataconnector_req",
      "get_dataconnectors",
      "get_latest_committed_compaction_info",
      "get_latest_txnid_in_conflict",
      "get_max_allocated_table_write_id",
      "get_properties",
      "get_replayed_txns_for_policy",
      "get_replication_metrics",
      "get_scheduled_query",
      "get_stored_procedure",
      "mark_cleaned",
      "mark_compacted",
      "mark_failed",
      "mark_refused",
      "remove_compaction_metrics_data",
      "scheduled_query_maintenance",
      "scheduled_query_poll",
      "scheduled_query_progress",
      "seed_txn_id",
      "seed_write_id",
      "set_hadoop_jobid",
      "set_properties",
      "submit_for_cleanup",
      "translate_table_dryrun",
      "update_compaction_metrics_data",
      "update_compactor_state",
      "update_table_params",
      "update_transaction_statistics",
  };
}

TEST(OtherCall, EveryMethodOfHive4HasOlderWordsOrIsKnownToHaveNone) {
  std::set<std::string> without;
  for (const auto& [method, since] : Facts().since) {
    const bool has_row =
        std::any_of(CallRows().begin(), CallRows().end(),
                    [&name = method](const CallRow& row) { return row.newer == name; });
    const bool is_listed = method == "get_databases_req" || method == "get_functions_req";
    const bool older_is_there = method.ends_with("_dataconnector");
    if (since >= "4" && !has_row && !is_listed && !older_is_there) without.insert(method);
  }
  EXPECT_EQ(without, MethodsWithoutOlderWords());
}

TEST(OtherCall, CatalogsGoWhereTheMetastoreLooksForThem) {
  const auto call = [](const char* catalog) {
    return RequestCall("get_database_req", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      if (catalog != nullptr) out->StringField(2, catalog);
      out->StringListField(3, {"HIVEFULLACIDREAD"});
    });
  };
  const auto sent = [&](const char* catalog, Generation generation) -> std::string {
    const auto older = Older(call(catalog), generation);
    if (!older) return "none";
    EXPECT_EQ(older->method, "get_database");
    return std::string(ResultOf(older->message).String(1).value_or("absent"));
  };
  EXPECT_EQ(sent("hive", Generation::kHive3), "@hive#sales");
  EXPECT_EQ(sent("spark", Generation::kHive3), "@spark#sales");
  EXPECT_EQ(sent(nullptr, Generation::kHive3), "sales");
  EXPECT_EQ(sent("hive", Generation::kHive2), "sales");
  EXPECT_EQ(sent("spark", Generation::kHive2), "none");
}

// What could go wrong: the name that already has its catalog gets it twice, and is not found.
TEST(OtherCall, ACatalogInTheNameIsEnough) {
  const std::string call = RequestCall("alter_database_req", [](wire::Writer* out) {
    out->StringField(1, "@hive#sales");
    out->Field(TType::kStruct, 2);
    out->StringField(1, "sales");
    out->StringField(8, "hive");
    out->Stop();
  });
  const auto sent = [&](Generation generation) {
    return std::string(
        ResultOf(Older(call, generation).value().message).String(1).value_or("absent"));
  };
  EXPECT_EQ(sent(Generation::kHive3), "@hive#sales");
  EXPECT_EQ(sent(Generation::kHive2), "sales");
}

// What could go wrong: a filter that is more than a pattern is taken for one.
TEST(OtherCall, AFilterThatIsAPatternListsTables) {
  const auto sent = [](const char* filter, int16_t most = -1,
                       Generation generation = Generation::kHive3) -> std::string {
    const auto older = Older(MakeCall("get_table_names_by_filter",
                                      [&](wire::Writer* out) {
                                        out->StringField(1, "@hive#sales");
                                        out->StringField(2, filter);
                                        out->I16Field(3, most);
                                      }),
                             generation);
    if (!older) return "none";
    EXPECT_EQ(older->method, "get_tables");
    const auto arguments = ResultOf(older->message);
    return std::string(*arguments.String(1)) + " " + std::string(*arguments.String(2));
  };
  const char* const any = R"(hive_filter_field_tableName__ like "(?i).*")";
  EXPECT_EQ(sent(any), "@hive#sales *");
  EXPECT_EQ(sent(any, -1, Generation::kHive2), "sales *");
  EXPECT_EQ(sent(R"(hive_filter_field_tableName__ like "(?i)Or_1.*x")"), "@hive#sales Or_1*x");
  EXPECT_EQ(sent(any, 10), "none");
  for (const char* filter :
       {R"(hive_filter_field_tableName__ like "(?i)a|b")",
        R"(hive_filter_field_tableName__ like "(?i)a.")",
        R"(hive_filter_field_tableName__ like "(?i)a" and hive_filter_field_owner__ = "b")",
        R"(hive_filter_field_tableName__ like "(?i))", R"(hive_filter_field_owner__ like "(?i)a")",
        ""}) {
    EXPECT_EQ(sent(filter), "none") << filter;
  }
}

// What could go wrong: the object is made in the catalog that Hive 2 has, and nobody is told.
TEST(OtherCall, NothingIsMadeInAnotherCatalogThanWasAskedFor) {
  const auto database = [](const char* catalog) {
    return RequestCall("create_database_req", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringField(8, catalog);
    });
  };
  const auto table = [](const char* catalog) {
    return RequestCall("create_table_req", [&](wire::Writer* out) {
      out->Field(TType::kStruct, 1);
      out->StringField(1, "orders");
      out->StringField(17, catalog);
      out->Stop();
    });
  };
  for (const std::string& call : {database("spark"), table("spark")}) {
    EXPECT_FALSE(Older(call, Generation::kHive2));
    EXPECT_TRUE(Older(call, Generation::kHive3));
  }
  for (const std::string& call : {database("Hive"), table("hive"), table("")}) {
    EXPECT_TRUE(Older(call, Generation::kHive2));
  }
}

TEST(OtherCall, DatabasesAreMadeOfTheirRequest) {
  const auto call = [](int32_t type, const char* managed) {
    return RequestCall("create_database_req", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringMapField(4, {{"a", "b"}});
      out->I32Field(11, type);
      out->StringField(10, managed);
    });
  };
  const auto older = Older(call(1, ""));
  ASSERT_TRUE(older);
  EXPECT_EQ(older->method, "create_database");
  EXPECT_EQ(ResultOf(older->message).Struct(1)->String(1), "sales");
  EXPECT_FALSE(Older(call(2, ""))) << "a remote database";
  EXPECT_FALSE(Older(call(1, "/managed")));
}

// One half of what is expected in the request, the other in its environment.
TEST(OtherCall, AnAlterKeepsWhatItExpectsInTwoPlaces) {
  const std::string table = testing::TableBytes({});
  const auto older = Older(RequestCall("alter_table_req", [&](wire::Writer* out) {
    out->StringField(1, "hive");
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->RawField(TType::kStruct, 4, table);
    out->Field(TType::kStruct, 5);
    out->StringMapField(1, {{"expected_parameter_key", "n"}, {"expected_parameter_value", "old"}});
    out->Stop();
    out->StringField(11, "1");
  }));
  ASSERT_TRUE(older);
  const std::string expected = MakeCall("alter_table_with_environment_context", [&](wire::Writer*
                                                                                        out) {
    out->StringField(1, "@hive#sales");
    out->StringField(2, "orders");
    out->RawField(TType::kStruct, 3, table);
    out->Field(TType::kStruct, 4);
    out->StringMapField(1, {{"expected_parameter_key", "n"}, {"expected_parameter_value", "1"}});
    out->Stop();
  });
  EXPECT_EQ(older->message, expected);
}

TEST(OtherCall, AnAlterKeepsWhatItExpects) {
  const std::string table = testing::TableBytes({});
  const auto older = Older(RequestCall("alter_table_req", [&](wire::Writer* out) {
    out->StringField(1, "hive");
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->RawField(TType::kStruct, 4, table);
    out->Field(TType::kStruct, 5);
    out->StringMapField(1, {{"CASCADE", "true"}});
    out->Stop();
    out->I64Field(6, -1);
    out->StringField(10, "metadata_location");
    out->StringField(11, "v1");
  }));
  ASSERT_TRUE(older);
  const std::string expected =
      MakeCall("alter_table_with_environment_context", [&](wire::Writer* out) {
        out->StringField(1, "@hive#sales");
        out->StringField(2, "orders");
        out->RawField(TType::kStruct, 3, table);
        out->Field(TType::kStruct, 4);
        out->StringMapField(1, {{"CASCADE", "true"},
                                {"expected_parameter_key", "metadata_location"},
                                {"expected_parameter_value", "v1"}});
        out->Stop();
      });
  EXPECT_EQ(older->message, expected);
}

TEST(OtherCall, WhatItCannotSayIsNotTranslated) {
  const auto alter = [](int64_t write_id) {
    return RequestCall("alter_table_req", [&](wire::Writer* out) {
      out->StringField(2, "sales");
      out->StringField(3, "orders");
      out->I64Field(6, write_id);
    });
  };
  EXPECT_TRUE(Older(alter(-1)));
  EXPECT_TRUE(Older(alter(0)));
  EXPECT_FALSE(Older(alter(5))) << "a write to a transactional table";
  const auto create = [](size_t keys) {
    return RequestCall("create_table_req", [&](wire::Writer* out) {
      out->RawField(TType::kStruct, 1, testing::TableBytes({}));
      out->Field(TType::kList, 3);
      out->ListBegin(TType::kStruct, keys);
      for (size_t i = 0; i < keys; ++i) out->Stop();
    });
  };
  EXPECT_TRUE(Older(create(0)));
  EXPECT_FALSE(Older(create(1))) << "a primary key";
  const auto future = RequestCall("get_partition_req", [](wire::Writer* out) {
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->StringField(99, "of the future");
  });
  EXPECT_FALSE(Older(future));
  EXPECT_FALSE(Older(RequestCall("lock", [](wire::Writer*) {})));
  EXPECT_FALSE(Older(MakeCall("get_database_req", [](wire::Writer*) {})));
}

TEST(OtherCall, PartitionsAreNamedOneWayOrTheOther) {
  const auto call = [](bool by_name) {
    return RequestCall("drop_partition_req", [&](wire::Writer* out) {
      out->StringField(2, "sales");
      out->StringField(3, "orders");
      if (by_name) {
        out->StringField(4, "day=1");
      } else {
        out->StringListField(5, {"1"});
      }
      out->BoolField(6, true);
    });
  };
  EXPECT_EQ(Older(call(true))->method, "drop_partition_by_name_with_environment_context");
  EXPECT_EQ(ResultOf(Older(call(true))->message).String(3), "day=1");
  EXPECT_EQ(Older(call(false))->method, "drop_partition_with_environment_context");
  EXPECT_EQ(ResultOf(Older(call(false))->message).Bool(4), true);
}

TEST(OtherCall, AnswersArePackedAsTheNewerMethodHasThem) {
  const std::string partition("\x0b\x00\x01\x00\x00\x00\x01x\x00", 9);
  const std::string one = RequestCall("get_partition_req", [](wire::Writer* out) {
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->StringListField(4, {"1"});
  });
  const std::string answer =
      From(one, wire::EncodeReply("get_partition", 7, TType::kStruct, 0, partition));
  EXPECT_EQ(wire::ParseMessageHeader(answer)->method, "get_partition_req");
  EXPECT_EQ(ResultOf(answer).Struct(0)->Struct(1)->bytes(), partition);
  EXPECT_EQ(From(one, wire::EncodeExceptionReply("get_partition", 7, 2, "none")),
            wire::EncodeExceptionReply("get_partition_req", 7, 2, "none"));
  EXPECT_EQ(From(one, wire::EncodeApplicationError("get_partition", 7,
                                                   wire::ApplicationError::kInternalError, "boom")),
            wire::EncodeApplicationError("get_partition_req", 7,
                                         wire::ApplicationError::kInternalError, "boom"));
  const std::string alter = RequestCall("alter_table_req", [](wire::Writer* out) {
    out->StringField(2, "sales");
    out->StringField(3, "orders");
  });
  const std::string done =
      From(alter, wire::EncodeVoidReply("alter_table_with_environment_context", 7));
  EXPECT_EQ(ResultOf(done).Struct(0)->Fields().size(), 0U);
}

TEST(OtherCall, ExceptionsKeepTheirClass) {
  const std::string call = RequestCall("get_partitions_ps_with_auth_req", [](wire::Writer* out) {
    out->StringField(2, "sales");
    out->StringField(3, "orders");
  });
  EXPECT_EQ(From(call, wire::EncodeExceptionReply("get_partitions_ps_with_auth", 7, 1, "absent")),
            wire::EncodeExceptionReply("get_partitions_ps_with_auth_req", 7, 2, "absent"));
}

// Hive 4 says the same of it.
TEST(OtherCall, ADatabaseWithoutANameIsAskedForWithoutOne) {
  const auto older = Older(
      RequestCall("get_database_req", [](wire::Writer* out) { out->StringField(2, "hive"); }));
  ASSERT_TRUE(older);
  EXPECT_EQ(older->message, MakeCall("get_database", [](wire::Writer*) {}));
  EXPECT_FALSE(Older(RequestCall("drop_database_req", [](wire::Writer*) {})));
}

// ColumnStatistics of a table.
void WriteStatistics(wire::Writer* out, const char* catalog) {
  out->Field(TType::kStruct, 1);
  out->BoolField(1, true);
  out->StringField(2, "sales");
  out->StringField(3, "orders");
  out->StringField(6, catalog);
  out->Stop();
  out->StringField(4, "hive");
  out->Stop();
}

std::string UpdateStatistics(size_t count, const char* engine = "hive", bool merge = false,
                             const char* catalog = "hive") {
  return RequestCall("update_table_column_statistics_req", [&](wire::Writer* out) {
    out->Field(TType::kList, 1);
    out->ListBegin(TType::kStruct, count);
    for (size_t i = 0; i < count; ++i) WriteStatistics(out, catalog);
    out->BoolField(2, merge);
    out->I64Field(3, -1);
    if (engine != nullptr) out->StringField(5, engine);
  });
}

TEST(OtherCall, StatisticsOfOneTableAreTheWholeRequest) {
  const auto older = Older(UpdateStatistics(1));
  ASSERT_TRUE(older);
  EXPECT_EQ(older->message, MakeCall("update_table_column_statistics", [](wire::Writer* out) {
              out->Field(TType::kStruct, 1);
              WriteStatistics(out, "hive");
            }));
  std::string yes;
  wire::Writer(&yes).Byte(1);
  const std::string answer =
      From(UpdateStatistics(1),
           wire::EncodeReply("update_table_column_statistics", 7, TType::kBool, 0, yes));
  EXPECT_EQ(ResultOf(answer).Struct(0)->Bool(1), true);
  EXPECT_TRUE(Older(UpdateStatistics(1, nullptr)));
  EXPECT_FALSE(Older(UpdateStatistics(0)));
  EXPECT_FALSE(Older(UpdateStatistics(2)));
  EXPECT_FALSE(Older(UpdateStatistics(1, "impala"))) << "of another engine";
  EXPECT_FALSE(Older(UpdateStatistics(1, "hive", true))) << "to be merged";
  EXPECT_TRUE(Older(UpdateStatistics(1, "hive", false, "spark")));
  EXPECT_FALSE(Older(UpdateStatistics(1, "hive", false, "spark"), Generation::kHive2));
}

struct Deleted {
  std::vector<std::string> partitions{};
  std::vector<std::string> columns{};
  bool of_table = false;
};

std::string DeleteStatistics(const Deleted& deleted) {
  return RequestCall("delete_column_statistics_req", [&](wire::Writer* out) {
    out->StringField(1, "hive");
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    if (!deleted.partitions.empty()) out->StringListField(4, deleted.partitions);
    if (!deleted.columns.empty()) out->StringListField(5, deleted.columns);
    out->StringField(6, "hive");
    out->BoolField(7, deleted.of_table);
  });
}

// What could go wrong: the statistics of a table go instead of those of a partition, or of all.
TEST(OtherCall, StatisticsAreDeletedOfOneTableOrPartition) {
  const auto sent = [](const Deleted& deleted, Generation generation = Generation::kHive3) {
    const auto older = Older(DeleteStatistics(deleted), generation);
    if (!older) return std::string("none");
    std::string text(older->method);
    for (const auto& field : ResultOf(older->message).Fields()) {
      text += ' ' + std::to_string(field.id) + ':' + std::string(wire::DecodeString(field.value));
    }
    return text;
  };
  EXPECT_EQ(sent({.columns = {"id"}, .of_table = true}),
            "delete_table_column_statistics 1:@hive#sales 2:orders 3:id 4:hive");
  EXPECT_EQ(sent({.partitions = {"p=1"}, .columns = {"id"}, .of_table = true}),
            "delete_table_column_statistics 1:@hive#sales 2:orders 3:id 4:hive");
  EXPECT_EQ(sent({.of_table = true}, Generation::kHive2),
            "delete_table_column_statistics 1:sales 2:orders 4:hive");
  EXPECT_EQ(sent({.partitions = {"p=1"}, .columns = {"id"}}),
            "delete_partition_column_statistics 1:@hive#sales 2:orders 3:p=1 4:id 5:hive");
  EXPECT_EQ(sent({.partitions = {"p=1"}}),
            "delete_partition_column_statistics 1:@hive#sales 2:orders 3:p=1 5:hive");
  EXPECT_EQ(sent({.partitions = {"p=1", "p=2"}, .columns = {"id"}}), "none");
  EXPECT_EQ(sent({.columns = {"id", "name"}, .of_table = true}), "none");
  EXPECT_EQ(sent({.columns = {"id"}}), "none") << "of all partitions";
  EXPECT_EQ(sent({.of_table = true}, Generation::kHive4), "none") << "nothing to Hive 4.0";
}

TEST(OtherCall, NamesOfFunctions) {
  const auto call = [](std::optional<bool> names_only) {
    return RequestCall("get_functions_req", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringField(2, "hive");
      out->StringField(3, "f*");
      if (names_only) out->BoolField(4, *names_only);
    });
  };
  for (const auto& names_only : {std::optional<bool>(), std::optional(true)}) {
    const auto older = Older(call(names_only));
    ASSERT_TRUE(older);
    EXPECT_EQ(older->message, StringCall("get_functions", {"@hive#sales", "f*"}));
  }
  EXPECT_FALSE(Older(call(false)));
}

TEST(OtherCall, LocksOfRebuildsAreOfPlainNames) {
  const auto call = [](const char* catalog) {
    return RequestCall("get_lock_materialization_rebuild_req", [&](wire::Writer* out) {
      out->StringField(1, catalog);
      out->StringField(2, "sales");
      out->StringField(3, "totals");
      out->I64Field(4, 7);
    });
  };
  for (const auto generation : {Generation::kHive3, Generation::kHive4}) {
    const auto older = Older(call("hive"), generation);
    ASSERT_TRUE(older);
    EXPECT_EQ(older->message, MakeCall("get_lock_materialization_rebuild", [](wire::Writer* out) {
                out->StringField(1, "sales");
                out->StringField(2, "totals");
                out->I64Field(3, 7);
              }));
    EXPECT_FALSE(Older(call("spark"), generation));
  }
  EXPECT_FALSE(Older(call("hive"), Generation::kHive2));
}

std::string OpenTransactions(const std::vector<int32_t>& excluded) {
  return RequestCall("get_open_txns_req", [&](wire::Writer* out) {
    out->Field(TType::kList, 1);
    out->ListBegin(TType::kI32, excluded.size());
    for (const int32_t type : excluded) out->I32(type);
  });
}

TEST(OtherCall, TransactionsBeforeHive4AreAllOfOneType) {
  EXPECT_EQ(Older(OpenTransactions({2}))->method, "get_open_txns");
  EXPECT_EQ(Older(OpenTransactions({}))->method, "get_open_txns");
  EXPECT_EQ(Older(OpenTransactions({2}), Generation::kHive2)->method, "get_open_txns_info");
  EXPECT_FALSE(Older(OpenTransactions({2, 0})));
  EXPECT_FALSE(Older(OpenTransactions({0}), Generation::kHive2));
  const std::string plain = MakeCall("get_open_txns", [](wire::Writer*) {});
  EXPECT_EQ(Older(plain, Generation::kHive2)->method, "get_open_txns_info");
  EXPECT_FALSE(Older(plain, Generation::kHive3));
}

// Which are aborted is told by bits that Hive 2 does not have.
TEST(OtherCall, OpenTransactionsOfHive2SayWhichAreAborted) {
  std::string info;
  wire::Writer out(&info);
  out.I64Field(1, 20);
  out.Field(TType::kList, 2);
  out.ListBegin(TType::kStruct, 10);
  for (int64_t i = 10; i > 0; --i) {
    out.I64Field(1, i);
    out.I32Field(2, i == 1 || i == 10 ? 2 : 3);
    out.Stop();
  }
  out.Stop();
  const std::string call = OpenTransactions({});
  const auto older = Older(call, Generation::kHive2);
  const std::string answer =
      FromOther(*wire::ParseMessageHeader(call), *older,
                wire::EncodeReply("get_open_txns_info", 7, TType::kStruct, 0, info));
  ASSERT_TRUE(wire::CheckMessage(answer).has_value());
  std::string list;
  wire::Writer ids(&list);
  ids.ListBegin(TType::kI64, 10);
  for (int64_t i = 1; i <= 10; ++i) ids.I64(i);
  std::string expected;
  wire::Writer response(&expected);
  response.I64Field(1, 20);
  response.RawField(TType::kSet, 2, list);
  response.RawField(TType::kList, 2, list);
  response.I64Field(3, 2);
  response.StringField(4, "\x01\x02");
  response.Stop();
  EXPECT_EQ(answer, wire::EncodeReply("get_open_txns_req", 7, TType::kStruct, 0, expected));
}

std::optional<OtherCall> Newer(const std::string& message) {
  return ToNewer(*wire::ParseMessageHeader(message), ResultOf(message));
}

TEST(OtherCall, DroppedCallsAreMadeOfTheirSuccessors) {
  EXPECT_EQ(Newer(StringCall("get_table", {"@hive#Sales", "orders"}))->message,
            RequestCall("get_table_req", [](wire::Writer* out) {
              out->StringField(1, "Sales");
              out->StringField(2, "orders");
              out->StringField(4, "hive");
            }));
  const auto drop = Newer(MakeCall("drop_dataconnector", [](wire::Writer* out) {
    out->StringField(1, "c");
    out->BoolField(2, true);
    out->BoolField(3, false);
  }));
  ASSERT_TRUE(drop);
  EXPECT_EQ(drop->message, RequestCall("drop_dataconnector_req", [](wire::Writer* out) {
              out->StringField(1, "c");
              out->BoolField(2, true);
              out->BoolField(3, false);
            }));
  EXPECT_EQ(FromOther({wire::MessageType::kCall, "drop_dataconnector", 7, 0}, *drop,
                      wire::EncodeVoidReply("drop_dataconnector_req", 7)),
            wire::EncodeVoidReply("drop_dataconnector", 7));
  EXPECT_FALSE(Newer(StringCall("get_table", {"sales"})));
  EXPECT_FALSE(Newer(StringCall("get_database", {"sales"})));
}

TEST(OtherCall, Hive2IsGivenPlainNames) {
  const auto first = [](const char* method, const char* db) -> std::string {
    const std::string message = MakeCall(method, [&](wire::Writer* out) {
      out->StringField(1, db);
      out->StringField(2, "orders");
    });
    const auto plain = WithoutCatalog(*wire::ParseMessageHeader(message), ResultOf(message));
    if (!plain) return "as it is";
    EXPECT_EQ(ResultOf(*plain).String(2), "orders");
    return std::string(*ResultOf(*plain).String(1));
  };
  EXPECT_EQ(first("get_table", "@hive#sales"), "sales");
  EXPECT_EQ(first("get_table", "@HIVE#Sales"), "Sales");
  EXPECT_EQ(first("get_table", "@hive#!"), "");
  EXPECT_EQ(first("get_databases", "@hive#s*"), "s*");
  EXPECT_EQ(first("get_databases", "@hive#"), "*");
  EXPECT_EQ(first("get_table", "@spark#sales"), "as it is");
  EXPECT_EQ(first("get_table", "sales"), "as it is");
  EXPECT_EQ(first("get_table", "@odd"), "as it is");
}

}  // namespace
}  // namespace catalogd::endpoint
