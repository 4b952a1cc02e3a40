#include "catalog/endpoint/cached_read.h"

#include "tests/unit/endpoint/rig.h"

// Every test sends a call through the whole endpoint: either the answer came from the cache, or the
// call reached the metastore untouched.
namespace catalogd::endpoint {
namespace {

using cache::SlotState;
using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::ErrorText;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::PartitionBytes;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::TableBytes;
using ::catalogd::testing::TestTable;
using ::catalogd::testing::WriteArguments;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::TType;

class CachedReadTest : public ::testing::Test {
 protected:
  CachedReadTest() {
    partitioned_.name = "events";
    partitioned_.keys = {"y", "m"};
    rig_.view.PutTable(table_, 90, cache::PartitionSet::Empty());
    rig_.view.PutTable(partitioned_, 90, cache::PartitionSet::Empty()->With(Entries(), {}));
    wire::Writer(&database_).StringField(1, "sales");
    wire::Writer(&database_).Stop();
    rig_.view.PutDatabase(ObjectName::Database("hive", "sales"), database_, 90);
    rig_.view.PutState(ObjectName::Table("hive", "sales", "gone"), SlotState::kAbsent, 90);
    rig_.view.PutState(ObjectName::Database("hive", "nodb"), SlotState::kAbsent, 90);
  }

  cache::PartitionSet::Entry Entry(const std::vector<std::string>& values) const {
    return {*MakePartitionName(partitioned_.keys, values), "",
            PartitionBytes(partitioned_, values)};
  }
  std::vector<cache::PartitionSet::Entry> Entries() const {
    std::vector<cache::PartitionSet::Entry> entries;
    for (const auto& values : kPartitions) entries.push_back(Entry(values));
    return entries;
  }
  std::string Bytes(const std::vector<std::string>& values) const {
    return PartitionBytes(partitioned_, values);
  }

  std::string Cached(const std::string& call) {
    const std::string reply = rig_.Send(call);
    EXPECT_EQ(rig_.outcome, server::Outcome::kReplied) << "not from the cache";
    EXPECT_THAT(rig_.forwarded, IsEmpty());
    const auto header = wire::CheckMessage(reply);
    EXPECT_TRUE(header.has_value());
    EXPECT_EQ(header ? header->sequence_id : 0, 7);
    return reply;
  }
  void ExpectPassed(const std::string& call) {
    rig_.forwarded.clear();
    rig_.Send(call);
    EXPECT_THAT(rig_.forwarded, ElementsAre(call));
    EXPECT_EQ(rig_.outcome, server::Outcome::kDeferred);
    rig_.forwarded.clear();
    rig_.session->state = std::make_shared<SessionState>();
  }
  static std::string Value(const std::string& reply) {
    const auto field = ResultOf(reply).Find(0);
    return field ? std::string(field->value) : "no success";
  }
  static std::string Wrapped(const std::string& reply) {
    const auto result = ResultOf(reply).Struct(0);
    const auto field = result ? result->Find(1) : std::nullopt;
    return field ? std::string(field->value) : "no success";
  }
  static std::vector<std::string> Strings(const std::string& list) {
    return wire::ListView(list).Strings();
  }
  static std::vector<std::string> Elements(const std::string& list) {
    const wire::ListView view(list);
    const auto elements = view.Elements();
    return {elements.begin(), elements.end()};
  }

  const std::vector<std::vector<std::string>> kPartitions = {
      {"2024", "1"}, {"2024", "2"}, {"2023", "1"}, {"20.4", "a_b"}, {"2024", "10"}, {"a:b", "1"}};
  EndpointRig rig_;
  TestTable table_;
  TestTable partitioned_;
  std::string database_;
};

WriteArguments TableRequest(const std::string& db, const std::string& table,
                            const WriteArguments& more = nullptr) {
  return [=](wire::Writer* out) {
    out->StringField(1, db);
    out->StringField(2, table);
    if (more) more(out);
  };
}

TEST_F(CachedReadTest, GetTableIsTheStoredBytesInAReply) {
  for (const char* db : {"sales", "SALES ", "@hive#sales"}) {
    const std::string reply = Cached(StringCall("get_table", {db, "Orders"}));
    EXPECT_EQ(reply, wire::EncodeReply("get_table", 7, TType::kStruct, 0, TableBytes(table_)));
  }
  EXPECT_EQ(rig_.counters().cached_answers, 3U);
}

TEST_F(CachedReadTest, GetTableReqWrapsTheTable) {
  EXPECT_EQ(Wrapped(Cached(RequestCall("get_table_req", TableRequest("sales", "orders")))),
            TableBytes(table_));
  // What Java clients of Hive 4 always write, with the meaning of "nothing special".
  EXPECT_EQ(Wrapped(Cached(RequestCall("get_table_req", TableRequest("sales", "orders",
                                                                     [](wire::Writer* out) {
                                                                       out->StringField(4, "hive");
                                                                       out->BoolField(7, false);
                                                                       out->StringField(
                                                                           9, "HiveServer2#4.1");
                                                                       out->StringField(10, "hive");
                                                                       out->I64Field(11, -1);
                                                                     })))),
            TableBytes(table_));
}

// What could go wrong: a field that asks for more is overlooked, and the client gets less than the
// metastore would have given.
TEST_F(CachedReadTest, RequestsThatAskForMoreArePassedOn) {
  const auto with = [](const WriteArguments& more) {
    return RequestCall("get_table_req", TableRequest("sales", "orders", more));
  };
  ExpectPassed(with([](wire::Writer* out) { out->StringField(6, "sales.orders:5"); }));
  ExpectPassed(with([](wire::Writer* out) { out->BoolField(7, true); }));
  ExpectPassed(with([](wire::Writer* out) { out->StringListField(8, {"HIVEFULLACIDREAD"}); }));
  ExpectPassed(with([](wire::Writer* out) { out->I64Field(11, 5); }));
  ExpectPassed(with([](wire::Writer* out) { out->I64Field(12, 5); }));   // Not known yet.
  ExpectPassed(with([](wire::Writer* out) { out->I64Field(300, 5); }));  // Nor this.
  ExpectPassed(MakeCall("get_table", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "orders");
    out->StringField(3, "something new");
  }));
  // Prefixes are literal in requests with a catalog field, and Hive 2 has no other catalog.
  ExpectPassed(RequestCall("get_table_req", TableRequest("@hive#sales", "orders")));
  rig_.view.generation = hms::Generation::kHive2;
  ExpectPassed(StringCall("get_table", {"@spark#sales", "orders"}));
}

TEST_F(CachedReadTest, BrokenArgumentsArePassedOn) {
  ExpectPassed(StringCall("get_table", {}));
  ExpectPassed(StringCall("get_table", {"sales"}));
  ExpectPassed(StringCall("get_table", {"sales", ""}));
  ExpectPassed(StringCall("get_table", {"@hive#", "orders"}));
  ExpectPassed(StringCall("get_table", {"@hive", "orders"}));
  ExpectPassed(StringCall("get_table_req", {"sales", "orders"}));
  ExpectPassed(MakeCall("get_table", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->I32Field(2, 5);
  }));
}

// Texts as measured; clients such as Spark and Iceberg read them.
TEST_F(CachedReadTest, AnAbsentTableIsToldInTheWordsOfTheVersion) {
  EXPECT_EQ(ErrorText(Cached(StringCall("get_table", {"Sales", "Gone"})), 2),
            "hive.Sales.Gone table not found");
  EXPECT_EQ(ErrorText(Cached(StringCall("get_table", {"@hive#sales", "gone"})), 2),
            "hive.sales.gone table not found");
  EXPECT_EQ(ErrorText(Cached(RequestCall("get_table_req", TableRequest("sales", "gone"))), 2),
            "hive.sales.gone table not found");
  rig_.view.generation = hms::Generation::kHive2;
  EXPECT_EQ(ErrorText(Cached(StringCall("get_table", {"sales", "gone"})), 2),
            "sales.gone table not found");
  rig_.view.generation = hms::Generation::kUnknown;
  ExpectPassed(StringCall("get_table", {"sales", "gone"}));
}

TEST_F(CachedReadTest, DatabasesAndTheirAbsence) {
  EXPECT_EQ(Value(Cached(StringCall("get_database", {"Sales"}))), database_);
  EXPECT_EQ(Value(Cached(RequestCall("get_database_req",
                                     [](wire::Writer* out) {
                                       out->StringField(1, "sales");
                                       out->StringField(2, "hive");
                                     }))),
            database_);
  EXPECT_EQ(ErrorText(Cached(StringCall("get_database", {"@hive#NoDB"})), 1), "database hive.NoDB");
  rig_.view.generation = hms::Generation::kHive3;
  EXPECT_EQ(ErrorText(Cached(StringCall("get_database", {"NoDB"})), 1), "NoDB");
  // Without a catalog real servers fail in their own way.
  ExpectPassed(StringCall("get_database", {"@hive#"}));
  rig_.view.generation = hms::Generation::kHive4;
  ExpectPassed(
      RequestCall("get_database_req", [](wire::Writer* out) { out->StringField(1, "sales"); }));
  ExpectPassed(StringCall("get_database", {}));
}

TEST_F(CachedReadTest, TablesThatTheCacheCannotSpeakForArePassedOn) {
  TestTable view = table_.Named("view");
  view.type = "MATERIALIZED_VIEW";
  rig_.view.PutTable(view, 90, cache::PartitionSet::Empty());
  rig_.view.PutTable(table_.Named("acid").With("transactional", "true"), 90,
                     cache::PartitionSet::Empty());
  rig_.view.PutTable(table_.Named("off").With("catalogd.sync.disabled", "true"), 90,
                     cache::PartitionSet::Empty());
  for (const char* name : {"view", "acid", "off"}) {
    ExpectPassed(StringCall("get_table", {"sales", name}));
    ExpectPassed(MakeCall("get_partitions", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringField(2, name);
      out->I16Field(3, -1);
    }));
  }
  EXPECT_THAT(rig_.view.loads, IsEmpty()) << "they are loaded already";
}

TEST_F(CachedReadTest, WhatIsNotLoadedIsPassedOnAndLoaded) {
  const ObjectName stub = ObjectName::Table("hive", "sales", "stub");
  const ObjectName unknown = ObjectName::Table("hive", "sales", "unknown");
  rig_.view.PutState(stub, SlotState::kStub, 90);
  ExpectPassed(StringCall("get_table", {"sales", "stub"}));
  ExpectPassed(StringCall("get_table", {"sales", "unknown"}));
  rig_.view.PutTable(partitioned_, 90, nullptr);
  ExpectPassed(StringCall("get_partition_by_name", {"sales", "events", "y=2024/m=1"}));
  EXPECT_THAT(rig_.view.loads, ElementsAre(stub, unknown, partitioned_.object()));
  EXPECT_EQ(rig_.counters().not_loaded, 3U);
  // The table itself is there.
  EXPECT_EQ(Value(Cached(StringCall("get_table", {"sales", "events"}))), TableBytes(partitioned_));
}

TEST_F(CachedReadTest, WhatIsNotServedIsPassedOn) {
  rig_.view.not_served = {table_.object()};
  ExpectPassed(StringCall("get_table", {"sales", "orders"}));
  ExpectPassed(MakeCall("get_table_objects_by_name", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringListField(2, {"events", "orders"});
  }));
  rig_.view.serves = false;
  ExpectPassed(StringCall("get_database", {"sales"}));
  ExpectPassed(MakeCall("get_all_databases", [](wire::Writer*) {}));
}

TEST_F(CachedReadTest, ManyTablesByName) {
  const auto call = [](const std::vector<std::string>& names) {
    return MakeCall("get_table_objects_by_name", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringListField(2, names);
    });
  };
  // Missing names are left out, repeated ones come once.
  EXPECT_THAT(Elements(Value(Cached(call({"orders", "gone", "EVENTS", "orders"})))),
              ElementsAre(TableBytes(partitioned_), TableBytes(table_)));
  EXPECT_THAT(Elements(Value(Cached(call({"gone"})))), IsEmpty());
  ExpectPassed(call({}));
  ExpectPassed(call({"orders", "unknown"}));
  const auto request = [](const WriteArguments& more) {
    return RequestCall("get_table_objects_by_name_req", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      more(out);
    });
  };
  EXPECT_THAT(Elements(Wrapped(
                  Cached(request([](wire::Writer* out) { out->StringListField(2, {"orders"}); })))),
              ElementsAre(TableBytes(table_)));
  ExpectPassed(request([](wire::Writer* out) { out->StringField(8, "*"); }));
  ExpectPassed(request([](wire::Writer* out) {
    out->StringListField(2, {"orders"});
    out->Field(TType::kStruct, 7);  // A projection.
    out->Stop();
  }));
}

TEST_F(CachedReadTest, NoTablesOfAnAbsentDatabaseIsAnErrorOfTheMetastore) {
  rig_.view.PutState(ObjectName::Table("hive", "nodb", "x"), SlotState::kAbsent, 90);
  ExpectPassed(MakeCall("get_table_objects_by_name", [](wire::Writer* out) {
    out->StringField(1, "nodb");
    out->StringListField(2, {"x"});
  }));
}

TEST_F(CachedReadTest, NamesOfDatabasesAndTables) {
  rig_.view.databases["hive"] = {true, {"default", "sales"}};
  rig_.view.tables[ObjectName::Database("hive", "sales")] = {true, {"events", "orders"}};
  rig_.view.tables[ObjectName::Database("hive", "nodb")] = {true, {}};
  rig_.view.databases["nocatalog"] = {true, {}};  // More likely unknown than empty.
  EXPECT_THAT(Strings(Value(Cached(MakeCall("get_all_databases", [](wire::Writer*) {})))),
              ElementsAre("default", "sales"));
  for (const char* pattern : {"@hive#", "*", ".*", "@hive#*"}) {
    EXPECT_THAT(Strings(Value(Cached(StringCall("get_databases", {pattern})))),
                ElementsAre("default", "sales"))
        << pattern;
  }
  EXPECT_THAT(Strings(Value(Cached(StringCall("get_all_tables", {"@hive#Sales"})))),
              ElementsAre("events", "orders"));
  EXPECT_THAT(Strings(Value(Cached(StringCall("get_tables", {"sales", "*"})))),
              ElementsAre("events", "orders"));
  EXPECT_THAT(Strings(Value(Cached(StringCall("get_all_tables", {"nodb"})))), IsEmpty());
  for (const char* pattern : {"S*", "@hive#sal..", "none|sales"}) {
    EXPECT_THAT(Strings(Value(Cached(StringCall("get_databases", {pattern})))),
                ElementsAre("sales"));
  }
  for (const char* pattern : {"s+", "", "@hive#!", "@nocatalog#", "@hive#a||b"}) {
    ExpectPassed(StringCall("get_databases", {pattern}));
  }
  ExpectPassed(StringCall("get_databases", {}));
  EXPECT_THAT(Strings(Value(Cached(StringCall("get_tables", {"@hive#sales", "O*"})))),
              ElementsAre("orders"));
  EXPECT_THAT(Strings(Value(Cached(StringCall("get_tables", {"sales", "x*"})))), IsEmpty());
  for (const char* pattern : {"o[a-z]*", "", "orders.*?", "(?i)o.*"}) {
    ExpectPassed(StringCall("get_tables", {"sales", pattern}));
  }
  ExpectPassed(StringCall("get_tables", {"sales"}));
  ExpectPassed(StringCall("get_all_tables", {}));
}

// What could go wrong: a list that is not known as a whole, or that misses an own write.
TEST_F(CachedReadTest, ListsThatAreNotExactArePassedOn) {
  rig_.view.databases["hive"] = {false, {"default"}};
  ExpectPassed(MakeCall("get_all_databases", [](wire::Writer*) {}));
  rig_.view.databases["hive"].exact = true;
  rig_.view.lists_exact = false;
  ExpectPassed(MakeCall("get_all_databases", [](wire::Writer*) {}));
}

std::string ByValues(const std::string& method, const std::vector<std::string>& values) {
  return MakeCall(method, [&](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "events");
    out->StringListField(3, values);
  });
}

TEST_F(CachedReadTest, APartitionByItsValues) {
  EXPECT_EQ(Value(Cached(ByValues("get_partition", {"2024", "1"}))), Bytes({"2024", "1"}));
  EXPECT_EQ(Value(Cached(ByValues("get_partition", {"a:b", "1"}))), Bytes({"a:b", "1"}));
  EXPECT_EQ(ErrorText(Cached(ByValues("get_partition", {"2024", "9"})), 2),
            "partition values=[2024, 9]");
  // Values may be any bytes; the text is UTF-8 all the same.
  EXPECT_EQ(ErrorText(Cached(ByValues("get_partition", {"a\xc3\xa9\xff", "9"})), 2),
            "partition values=[a\xc3\xa9\xef\xbf\xbd, 9]");
  // Wrong numbers of values are an error with a text of its own.
  ExpectPassed(ByValues("get_partition", {"2024"}));
  ExpectPassed(ByValues("get_partition", {"2024", "1", "1"}));
  ExpectPassed(ByValues("get_partition", {}));
  const auto request = [](const WriteArguments& more) {
    return RequestCall("get_partition_req", [&](wire::Writer* out) {
      out->StringField(2, "sales");
      out->StringField(3, "events");
      out->StringListField(4, {"2024", "1"});
      more(out);
    });
  };
  EXPECT_EQ(Wrapped(Cached(request([](wire::Writer* out) { out->I64Field(6, -1); }))),
            Bytes({"2024", "1"}));
  ExpectPassed(request([](wire::Writer* out) { out->StringField(5, "writes"); }));
}

TEST_F(CachedReadTest, APartitionOfAnAbsentOrUnpartitionedTableIsTheMetastores) {
  const auto of = [](const char* table) {
    return MakeCall("get_partition", [&](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringField(2, table);
      out->StringListField(3, {"1"});
    });
  };
  ExpectPassed(of("gone"));
  ExpectPassed(of("orders"));
}

TEST_F(CachedReadTest, APartitionByItsName) {
  const auto by_name = [](const char* name) {
    return StringCall("get_partition_by_name", {"sales", "events", name});
  };
  EXPECT_EQ(Value(Cached(by_name("y=2024/m=10"))), Bytes({"2024", "10"}));
  EXPECT_EQ(Value(Cached(by_name("y=a%3Ab/m=1"))), Bytes({"a:b", "1"}));
  EXPECT_EQ(ErrorText(Cached(by_name("y=2024/m=01")), 2), "partition values=[2024, 01]");
  // The metastore understands these, or complains in its own words.
  for (const char* odd : {"m=1/y=2024", "y=2024", "Y=2024/M=1", "y=a:b/m=1", "y=2024/m=1/", ""}) {
    ExpectPassed(by_name(odd));
  }
}

// The metastore finds either by the other, and shows what was asked for.
TEST_F(CachedReadTest, AnEmptyValueAndTheDefaultOneAreNotTakenForEachOther) {
  const std::string standing(kDefaultPartitionName);
  for (const std::string& stored : {std::string(), standing}) {
    rig_.view.PutTable(partitioned_, 90,
                       cache::PartitionSet::Empty()->With({Entry({stored, "1"})}, {}));
    for (const std::string& asked : {std::string(), standing}) {
      const std::string call = ByValues("get_partition", {asked, "1"});
      if (asked == stored) {
        EXPECT_EQ(Value(Cached(call)), Bytes({stored, "1"}));
      } else {
        ExpectPassed(call);
      }
    }
    const std::string by_name =
        StringCall("get_partition_by_name", {"sales", "events", "y=" + standing + "/m=1"});
    if (stored == standing) {
      EXPECT_EQ(Value(Cached(by_name)), Bytes({standing, "1"}));
    } else {
      ExpectPassed(by_name);
    }
  }
}

// It is no other word for the default one: the metastore refuses it or finds nothing.
TEST_F(CachedReadTest, ACatalogWithoutANameIsTheMetastores) {
  const auto in_catalog = [](const std::string& catalog) {
    return RequestCall("get_table_req",
                       TableRequest("sales", "orders", [catalog](wire::Writer* out) {
                         out->StringField(4, catalog);
                       }));
  };
  EXPECT_EQ(Wrapped(Cached(in_catalog("HIVE"))), TableBytes(table_));
  for (const char* odd : {"", " ", " hive"}) ExpectPassed(in_catalog(odd));
  for (const char* odd : {"@#sales", "@ #sales", "@ hive#sales"}) {
    ExpectPassed(StringCall("get_table", {odd, "orders"}));
    ExpectPassed(StringCall("get_database", {odd}));
    ExpectPassed(StringCall("get_all_tables", {odd}));
  }
}

std::string FirstPartitions(const std::string& method, std::optional<int16_t> max) {
  return MakeCall(method, [&](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "events");
    if (max) out->I16Field(3, *max);
  });
}

TEST_F(CachedReadTest, TheFirstPartitionsInOrderOfTheirNames) {
  const std::vector<std::string> all = {"y=20.4/m=a_b", "y=2023/m=1", "y=2024/m=1",
                                        "y=2024/m=10",  "y=2024/m=2", "y=a%3Ab/m=1"};
  EXPECT_EQ(Strings(Value(Cached(FirstPartitions("get_partition_names", -1)))), all);
  EXPECT_EQ(Strings(Value(Cached(FirstPartitions("get_partition_names", std::nullopt)))), all);
  EXPECT_THAT(Strings(Value(Cached(FirstPartitions("get_partition_names", 2)))),
              ElementsAre(all[0], all[1]));
  EXPECT_THAT(Elements(Value(Cached(FirstPartitions("get_partitions", 2)))),
              ElementsAre(Bytes({"20.4", "a_b"}), Bytes({"2023", "1"})));
  EXPECT_EQ(Elements(Value(Cached(FirstPartitions("get_partitions", 100)))).size(), all.size());
  // None or all, depending on the version.
  ExpectPassed(FirstPartitions("get_partition_names", 0));
  const auto request = [](const std::string& method, bool with_catalog, bool skip_columns) {
    return RequestCall(method, [&](wire::Writer* out) {
      if (with_catalog) out->StringField(1, "hive");
      out->StringField(2, "sales");
      out->StringField(3, "events");
      out->I16Field(4, -1);
      out->BoolField(7, skip_columns);
    });
  };
  EXPECT_EQ(Elements(Wrapped(Cached(request("get_partitions_req", false, false)))).size(),
            all.size());
  EXPECT_EQ(Strings(Value(Cached(request("fetch_partition_names_req", true, false)))), all);
  ExpectPassed(request("get_partitions_req", false, true));
  ExpectPassed(request("fetch_partition_names_req", false, false));
}

TEST_F(CachedReadTest, PartitionsByNames) {
  // Missing ones are left out, repeated ones come once, in order of the names.
  EXPECT_THAT(Elements(Value(Cached(
                  ByValues("get_partitions_by_names",
                           {"y=2024/m=2", "y=2024/m=1", "y=2024/m=2", "y=9/m=9", "m=1/y=2024"})))),
              ElementsAre(Bytes({"2024", "1"}), Bytes({"2024", "2"})));
  ExpectPassed(ByValues("get_partitions_by_names", {}));
  const auto request = [](const WriteArguments& more) {
    return RequestCall("get_partitions_by_names_req", [&](wire::Writer* out) {
      out->StringField(1, "@hive#sales");
      out->StringField(2, "events");
      out->StringListField(3, {"y=2024/m=1"});
      more(out);
    });
  };
  EXPECT_THAT(Elements(Wrapped(Cached(request([](wire::Writer* out) {
                out->BoolField(4, false);
                out->StringField(7, "hive");
                out->BoolField(9, false);
              })))),
              ElementsAre(Bytes({"2024", "1"})));
  ExpectPassed(request([](wire::Writer* out) { out->BoolField(4, true); }));
  ExpectPassed(request([](wire::Writer* out) { out->BoolField(9, true); }));
  ExpectPassed(request([](wire::Writer* out) { out->StringField(12, "^num.*"); }));
}

std::string Ps(const std::string& method, const std::vector<std::string>& values, int16_t max) {
  return MakeCall(method, [&](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "events");
    out->StringListField(3, values);
    out->I16Field(4, max);
  });
}

TEST_F(CachedReadTest, PartitionsByTheirFirstValues) {
  EXPECT_THAT(Strings(Value(Cached(Ps("get_partition_names_ps", {"2024"}, -1)))),
              ElementsAre("y=2024/m=1", "y=2024/m=10", "y=2024/m=2"));
  EXPECT_THAT(Strings(Value(Cached(Ps("get_partition_names_ps", {"", "1"}, -1)))),
              ElementsAre("y=2023/m=1", "y=2024/m=1", "y=a%3Ab/m=1"));
  EXPECT_THAT(Elements(Value(Cached(Ps("get_partitions_ps", {"2024", "1"}, -1)))),
              ElementsAre(Bytes({"2024", "1"})));
  EXPECT_THAT(Elements(Value(Cached(Ps("get_partitions_ps", {"1999"}, -1)))), IsEmpty());
  // The last of too few values is the beginning of one; any other is a whole one.
  EXPECT_THAT(Strings(Value(Cached(Ps("get_partition_names_ps", {"202"}, -1)))),
              ElementsAre("y=2023/m=1", "y=2024/m=1", "y=2024/m=10", "y=2024/m=2"));
  EXPECT_THAT(Elements(Value(Cached(Ps("get_partitions_ps", {"202", "1"}, -1)))), IsEmpty());
  EXPECT_THAT(Elements(Value(Cached(Ps("get_partitions_ps", {"202", ""}, -1)))), IsEmpty());
  // Too many or no values, limits, and values that the metastore takes for patterns.
  for (const std::vector<std::string>& odd :
       std::vector<std::vector<std::string>>{{}, {"1", "2", "3"}, {"20.4"}, {"", "a_b"}, {"a:b"}}) {
    ExpectPassed(Ps("get_partition_names_ps", odd, -1));
  }
  ExpectPassed(Ps("get_partitions_ps", {"2024"}, 2));
}

// What could go wrong: a read of many partitions leaves members of the serde out that a read of one
// has, and the cache holds what such a read gave.
TEST_F(CachedReadTest, ReadsThatShowMorePassThroughWhenPartitionsComeFromAReadOfMany) {
  const auto with_auth = MakeCall("get_partitions_with_auth", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "events");
    out->I16Field(3, -1);
    out->StringField(4, "bob");
    out->StringListField(5, {"staff"});
  });
  const std::string one = ByValues("get_partition", {"2024", "1"});
  const std::string by_name =
      StringCall("get_partition_by_name", {"sales", "events", "y=2024/m=10"});
  rig_.view.PutTable(partitioned_, 90, cache::PartitionSet::Of(Entries()));
  Cached(FirstPartitions("get_partitions", -1));
  Cached(Ps("get_partitions_ps", {"2024", "1"}, -1));
  Cached(with_auth);
  Cached(ByValues("get_partition", {"2024", "9"}));  // There is none either way.
  ExpectPassed(one);
  ExpectPassed(by_name);
  rig_.forwarded.clear();
  rig_.view.generation = hms::Generation::kHive3;
  Cached(FirstPartitions("get_partitions", -1));
  Cached(Ps("get_partition_names_ps", {"2024"}, -1));
  ExpectPassed(one);
  ExpectPassed(with_auth);
  ExpectPassed(Ps("get_partitions_ps", {"2024", "1"}, -1));
  rig_.forwarded.clear();
  rig_.view.generation = hms::Generation::kHive2;
  EXPECT_EQ(Value(Cached(one)), Bytes({"2024", "1"}));
}

// Spark and Hive read with a user and groups; that only matters for tables with privileges of
// their own in each partition.
TEST_F(CachedReadTest, ReadsWithAuthAreTheSameWithoutPartitionPrivileges) {
  const auto call = [] {
    return MakeCall("get_partitions_with_auth", [](wire::Writer* out) {
      out->StringField(1, "sales");
      out->StringField(2, "events");
      out->I16Field(3, -1);
      out->StringField(4, "bob");
      out->StringListField(5, {"staff"});
    });
  };
  EXPECT_EQ(Elements(Value(Cached(call()))).size(), kPartitions.size());
  rig_.view.PutTable(partitioned_.With("PARTITION_LEVEL_PRIVILEGE", "TRUE"), 90,
                     cache::PartitionSet::Empty());
  ExpectPassed(call());
}

}  // namespace
}  // namespace catalogd::endpoint
