#include "catalog/endpoint/older_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/endpoint/older_call_rows.h"
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
using hms::Generation;
using wire::TType;

std::optional<OlderCall> Older(const std::string& message,
                               Generation generation = Generation::kHive3) {
  return ToOlder(*wire::ParseMessageHeader(message), ResultOf(message), generation);
}

std::string From(const std::string& message, const std::string& reply) {
  return FromOlder(*wire::ParseMessageHeader(message), *Older(message), reply);
}

// What could go wrong: a field lands in an argument that means something else.
TEST(OlderCall, RowsAgreeWithTheFacts) {
  const IdlFacts facts = IdlFacts::Load();
  for (const OlderRow& row : OlderRows()) {
    const auto* argument = IdlFacts::Find(facts.arguments.at(std::string(row.method)), 1);
    ASSERT_NE(argument, nullptr) << row.method;
    const auto& request = facts.fields.at(argument->type);
    const auto& older = facts.arguments.at(std::string(row.older));
    int to = 1;
    if (row.db != 0) {
      EXPECT_EQ(IdlFacts::Find(request, row.db)->type, "string") << row.method;
      EXPECT_EQ(IdlFacts::Find(older, to++)->type, "string") << row.method;
    }
    if (row.catalog != 0) {
      const auto& holder = row.catalog_in == 0
                               ? request
                               : facts.fields.at(IdlFacts::Find(request, row.catalog_in)->type);
      EXPECT_THAT(IdlFacts::Find(holder, row.catalog)->name, ::testing::StartsWith("cat"));
    }
    for (const OlderArgument& each : row.arguments) {
      if (each.source == OlderSource::kNone || each.source == OlderSource::kRequest) continue;
      const auto* from = IdlFacts::Find(request, each.from);
      const auto* target = IdlFacts::Find(older, to++);
      ASSERT_NE(from, nullptr) << row.method << " " << each.from;
      ASSERT_NE(target, nullptr) << row.older << " " << to - 1;
      EXPECT_EQ(from->type, target->type) << row.method << " " << from->name;
    }
    const bool whole = row.arguments[0].source == OlderSource::kRequest;
    EXPECT_EQ(older.size(), whole ? 1U : static_cast<size_t>(to - 1)) << row.older;
    if (!row.swaps_exceptions) {
      for (const auto& [exception, ids] : facts.throws.at(std::string(row.method))) {
        // A newer exception that the older method does not have cannot come back.
        const auto& declared = facts.throws.at(std::string(row.older));
        const auto known = declared.find(exception);
        if (known == declared.end()) continue;
        EXPECT_TRUE(known->second.contains(*ids.begin())) << row.older;
      }
    }
  }
}

TEST(OlderCall, CatalogsGoWhereTheMetastoreLooksForThem) {
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
TEST(OlderCall, ACatalogInTheNameIsEnough) {
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
TEST(OlderCall, AFilterThatIsAPatternListsTables) {
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
TEST(OlderCall, NothingIsMadeInAnotherCatalogThanWasAskedFor) {
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

TEST(OlderCall, DatabasesAreMadeOfTheirRequest) {
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
TEST(OlderCall, AnAlterKeepsWhatItExpectsInTwoPlaces) {
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

TEST(OlderCall, AnAlterKeepsWhatItExpects) {
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

TEST(OlderCall, WhatItCannotSayIsNotTranslated) {
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

TEST(OlderCall, PartitionsAreNamedOneWayOrTheOther) {
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

TEST(OlderCall, AnswersArePackedAsTheNewerMethodHasThem) {
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

TEST(OlderCall, ExceptionsKeepTheirClass) {
  const std::string call = RequestCall("get_partitions_ps_with_auth_req", [](wire::Writer* out) {
    out->StringField(2, "sales");
    out->StringField(3, "orders");
  });
  EXPECT_EQ(From(call, wire::EncodeExceptionReply("get_partitions_ps_with_auth", 7, 1, "absent")),
            wire::EncodeExceptionReply("get_partitions_ps_with_auth_req", 7, 2, "absent"));
}

TEST(OlderCall, Hive2IsGivenPlainNames) {
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
