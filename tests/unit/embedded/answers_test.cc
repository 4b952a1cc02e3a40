#include <functional>

#include "tests/unit/embedded/embedded_fixture.h"

// What a client is told, call by call: kind of exception and text as Hive 4.2 was measured to
// answer the same call.
namespace catalogd::hms {

namespace {

using apache::thrift::TException;

template <class Exception>
void TellIf(const TException& error, const char* kind, std::string* answer) {
  const auto* known = dynamic_cast<const Exception*>(&error);
  if (known != nullptr) *answer = std::string(kind) + ": " + known->message;
}

std::string TextOf(const TException& error) {
  std::string answer = std::string("internal: ") + error.what();
  TellIf<api::MetaException>(error, "Meta", &answer);
  TellIf<api::NoSuchObjectException>(error, "NoSuch", &answer);
  TellIf<api::InvalidObjectException>(error, "Invalid", &answer);
  TellIf<api::InvalidOperationException>(error, "Operation", &answer);
  TellIf<api::AlreadyExistsException>(error, "Exists", &answer);
  TellIf<api::UnknownDBException>(error, "UnknownDb", &answer);
  return answer;
}

// "Meta: text", "Invalid: text", ..., "internal: text", or "ok".
std::string AnswerOf(const std::function<void()>& call) {
  std::string answer = "ok";
  const auto tell = [&](const TException& error) {
    answer = TextOf(error);
    return true;
  };
  static_cast<void>(
      ::testing::Matches(::testing::Throws<TException>(::testing::Truly(tell)))(call));
  return answer;
}

struct Case {
  std::string what;
  std::function<void()> call;
  std::string answer;
};

class AnswersTest : public EmbeddedTest {
 protected:
  // sales.two with keys p, q and a few partitions.
  void SetUp() override {
    EmbeddedTest::SetUp();
    client().create_database(MakeDatabase("sales"));
    client().create_table(MakeTable("sales", "two", {"p", "q"}));
    two_ = ReadTable("sales", "two");
    for (const Strings& values : std::vector<Strings>{{"a", "1"}, {"ab", "2"}, {"", "11"}}) {
      api::Partition answer;
      client().add_partition(answer, MakePartition(two_, values));
    }
  }

  // Refused calls leave no event behind.
  void Check(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      const int64_t before = CurrentId();
      EXPECT_EQ(AnswerOf(one.call), one.answer) << one.what;
      if (one.answer != "ok") {
        EXPECT_EQ(CurrentId(), before) << one.what;
      }
    }
  }

  Case Create(const std::string& what, const std::function<void(api::Table*)>& change,
              const std::string& answer) {
    return {what,
            [this, what, change] {
              api::Table table = MakeTable("sales", "t" + std::to_string(++tables_));
              change(&table);
              client().create_table(table);
            },
            answer};
  }
  Case ByName(const std::string& name, const std::string& answer) {
    return {"get_partition_by_name " + name,
            [this, name] {
              api::Partition found;
              client().get_partition_by_name(found, "sales", "two", name);
            },
            answer};
  }
  Case Values(const Strings& values, const std::string& answer) {
    return {"get_partition " + ::testing::PrintToString(values),
            [this, values] { ReadPartition("sales", "two", values); }, answer};
  }

  api::Table two_;
  int tables_ = 0;
};

TEST_F(AnswersTest, PartitionsByName) {
  Check({ByName("p=a/q=1", "ok"), ByName("q=1/p=a", "ok"), ByName("p=a/q=1/", "ok"),
         ByName("/p=a//q=1", "ok"), ByName("p=a/q=1/r=2", "ok"), ByName("p=b/p=a/q=1", "ok"),
         ByName("P=a/Q=1", "NoSuch: incomplete partition name - missing p"),
         ByName("p=/q=11", "NoSuch: incomplete partition name - missing p"),
         ByName("p=a", "NoSuch: incomplete partition name - missing q"),
         ByName("p==a/q=1", "NoSuch: incomplete partition name - missing p"),
         ByName("nonsense", "NoSuch: incomplete partition name - missing p"),
         ByName("p=a/b/q=4", "NoSuch: partition values=[a, 4]"),
         ByName("", "Meta: Partition name is invalid. ")});
  api::Partition answer;
  Check({{"append P", [&] { client().append_partition_by_name(answer, "sales", "two", "P=n/Q=1"); },
          "Invalid: incomplete partition name - missing p"},
         {"append half", [&] { client().append_partition_by_name(answer, "sales", "two", "p=n"); },
          "Invalid: incomplete partition name - missing q"},
         {"append nothing", [&] { client().append_partition_by_name(answer, "sales", "two", ""); },
          "Meta: Partition name is invalid. "},
         {"append again",
          [&] { client().append_partition_by_name(answer, "sales", "two", "p=a/q=1"); },
          "Exists: Partition already exists:Partition(values:[a, 1], dbName:sales, tableName:two)"},
         {"drop half", [&] { client().drop_partition_by_name("sales", "two", "p=a", false); },
          "NoSuch: incomplete partition name - missing q"},
         {"drop nothing", [&] { client().drop_partition_by_name("sales", "two", "", false); },
          "Meta: Partition name is invalid. "},
         {"drop P", [&] { client().drop_partition_by_name("sales", "two", "P=a/Q=1", false); },
          "NoSuch: incomplete partition name - missing p"}});
}

TEST_F(AnswersTest, NamesIntoValues) {
  const std::vector<std::pair<std::string, Strings>> names = {
      {"nonsense", {}},          {"a/1", {}},       {"p=/q=11", {"11"}},
      {"p=a/b/q=4", {"a", "4"}}, {"p=a/q=", {"a"}}, {"=a/q=1", {"1"}},
      {"p==a", {"a"}},           {"p=a=b", {"b"}},  {"p=a/p=b/q=1", {"b", "1"}},
      {"p=a%2Fb", {"a/b"}}};
  for (const auto& [name, expected] : names) {
    Strings values;
    client().partition_name_to_vals(values, name);
    EXPECT_EQ(values, expected) << name;
  }
  std::map<std::string, std::string> spec;
  client().partition_name_to_spec(spec, "p==a/q=b=1/q=2");
  EXPECT_EQ(spec, (std::map<std::string, std::string>{{"p=", "a"}, {"q=b", "1"}, {"q", "2"}}));
}

TEST_F(AnswersTest, PartitionsByValues) {
  Check({Values({"a"}, "Meta: Invalid partition key & values; keys [p, q, ], values [a, ]"),
         Values({}, "Meta: Invalid partition key & values; keys [p, q, ], values []"),
         Values({"", ""}, "NoSuch: partition values=[, ]"), Values({"a", "1"}, "ok")});
  api::Partition few = MakePartition(two_, {"a"});
  const std::string bad = "Invalid partition key & values; keys [p, q, ], values [a, ]";
  api::Partition answer;
  Check(
      {{"alter few", [&] { client().alter_partition("sales", "two", few); }, "Meta: " + bad},
       {"rename few", [&] { client().rename_partition("sales", "two", {"a"}, few); },
        "Meta: " + bad},
       {"drop few", [&] { client().drop_partition("sales", "two", {"a"}, false); }, "Meta: " + bad},
       {"drop none", [&] { client().drop_partition("sales", "two", {}, false); },
        "Meta: Partition name is invalid. null"},
       {"append none", [&] { client().append_partition(answer, "sales", "two", {}); },
        "Meta: The partition values must not be null or empty."},
       {"add none", [&] { client().add_partition(answer, MakePartition(two_, {})); },
        "Meta: The partition values cannot be null or empty."},
       {"rename absent",
        [&] {
          client().rename_partition("sales", "two", {"z", "9"}, MakePartition(two_, {"z", "8"}));
        },
        "Operation: Unable to rename partition because old partition does not exist"},
       {"one twice",
        [&] {
          const api::Partition one = MakePartition(two_, {"a", "1"});
          client().alter_partitions("sales", "two", {one, one});
        },
        "Operation: Alter partition operation failed: new parts size 2 not matching with old "
        "parts size 1"}});
}

TEST_F(AnswersTest, PartialValuesArePrefixesOfNames) {
  Strings names;
  client().get_partition_names_ps(names, "sales", "two", {"a"}, -1);
  EXPECT_THAT(names, ElementsAre("p=a/q=1", "p=ab/q=2"));
  client().get_partition_names_ps(names, "sales", "two", {"a", ""}, -1);
  EXPECT_THAT(names, ElementsAre("p=a/q=1"));
  client().get_partition_names_ps(names, "sales", "two", {"A"}, -1);
  EXPECT_THAT(names, IsEmpty());
  std::vector<api::Partition> found;
  client().get_partitions_ps(found, "sales", "two", {"a"}, -1);
  EXPECT_EQ(found.size(), 2U);
  client().get_partitions_ps(found, "sales", "two", {}, -1);
  EXPECT_EQ(found.size(), 3U);
  Check({{"no values", [&] { client().get_partition_names_ps(names, "sales", "two", {}, -1); },
          "Meta: Invalid partition key & values; keys [], values []"},
         {"too many",
          [&] {
            client().get_partition_names_ps(names, "sales", "two", {"a", "", "1"}, -1);
          },
          "Meta: Incorrect number of partition values. numPartKeys=2, part_val=[a, , 1]"}});
}

TEST_F(AnswersTest, TablesThatAreNotThere) {
  Strings names;
  std::vector<api::Partition> found;
  api::Partition one;
  Check({
      {"names", [&] { client().get_partition_names(names, "sales", "No", -1); }, "ok"},
      {"partitions", [&] { client().get_partitions(found, "nodb", "No", -1); }, "ok"},
      {"values", [&] { client().get_partition(one, "Sales", "No", {"1"}); },
       "NoSuch: Unable to get partition because hive.Sales.No does not exist"},
      {"name", [&] { client().get_partition_by_name(one, "Sales", "No", "p=1"); },
       "NoSuch: Sales.No table not found"},
      {"by names", [&] { client().get_partitions_by_names(found, "sales", "No", {"p=1"}); },
       "Invalid: hive.sales.No table not found"},
      {"append", [&] { client().append_partition(one, "sales", "No", {"1"}); },
       "Invalid: Unable to add partition because table or database do not exist"},
      {"append name", [&] { client().append_partition_by_name(one, "sales", "No", "p=1"); },
       "Invalid: sales.No table not found"},
      {"drop", [&] { client().drop_partition("sales", "No", {"1"}, false); },
       "NoSuch: Unable to get partition because hive.sales.No does not exist"},
      {"drop name", [&] { client().drop_partition_by_name("sales", "No", "p=1", false); },
       "NoSuch: sales.No table not found"},
      {"no table name", [&] { client().get_partitions(found, "sales", "", -1); },
       "NoSuch: tblName is not valid"},
      {"names of no table", [&] { client().get_partition_names(names, "sales", "", -1); },
       "Meta: NoSuchObjectException(message:tblName is not valid)"},
      {"no db name", [&] { client().get_partitions_ps(found, "", "t", {"1"}, -1); },
       "NoSuch: dbName is not valid"},
      {"table", [&] { ReadTable("SALES", "No"); }, "NoSuch: hive.SALES.No table not found"},
      {"empty table", [&] { ReadTable("sales", ""); }, "NoSuch: hive.sales. table not found"},
      {"drop in no db", [&] { client().drop_table("nodb", "x", false); },
       "NoSuch: database hive.nodb"},
      {"create in no db", [&] { client().create_table(MakeTable("NoDb", "x")); },
       "Invalid: database hive.NoDb"},
      {"create again", [&] { client().create_table(MakeTable("sales", "TWO")); },
       "Exists: Table hive.sales.TWO already exists"},
  });
  api::GetTablesRequest request;
  request.__set_dbName("NoDb");
  request.__set_tblNames({"a"});
  api::GetTablesResult result;
  Check({{"many", [&] { client().get_table_objects_by_name_req(result, request); },
          "UnknownDb: Could not find database hive.NoDb"}});
}

TEST_F(AnswersTest, TypesOfTablesToList) {
  Strings names;
  const std::string none =
      "Meta: java.lang.IllegalArgumentException: No enum constant "
      "org.apache.hadoop.hive.metastore.TableType.";
  for (const char* type : {"FOO", "", "managed_table"}) {
    Check({{type, [&] { client().get_tables_by_type(names, "sales", "*", type); }, none + type}});
  }
  Check(
      {{"good", [&] { client().get_tables_by_type(names, "sales", "*", "VIRTUAL_VIEW"); }, "ok"}});
}

TEST_F(AnswersTest, EmptyPatternsMatchNothing) {
  Strings names;
  client().get_databases(names, "");
  EXPECT_THAT(names, IsEmpty());
  client().get_tables(names, "sales", "");
  EXPECT_THAT(names, IsEmpty());
  std::vector<api::TableMeta> metas;
  client().get_table_meta(metas, "*", "", {});
  EXPECT_THAT(metas, IsEmpty());
}

TEST_F(AnswersTest, TablesThatCannotBe) {
  const auto column = [](const std::string& name, const std::string& type) {
    return [=](api::Table* table) { table->sd.__set_cols({MakeColumn(name, type)}); };
  };
  const auto at = [](const std::string& location) {
    return [=](api::Table* table) { table->sd.__set_location(location); };
  };
  const std::string uri = "Meta: java.lang.IllegalArgumentException: ";
  const std::string relative = uri + "java.net.URISyntaxException: Relative path in absolute URI: ";
  Check({
      Create("upper-case type", column("a", "INT"), "Invalid: Invalid column type: INT"),
      Create("half type", column("a", "array<int"), "ok"),
      Create(
          "key type", [](api::Table* t) { t->__set_partitionKeys({MakeColumn("p", "nosuch")}); },
          "Invalid: Invalid partition column type: nosuch"),
      Create(
          "key like a column", [](api::Table* t) { t->__set_partitionKeys({MakeColumn("ID")}); },
          "ok"),
      Create(
          "no serde", [](api::Table* t) { t->sd.__isset.serdeInfo = false; },
          "Meta: Invalid SerDeInfo object"),
      Create(
          "skew",
          [](api::Table* t) {
            t->sd.skewedInfo.__set_skewedColNames({"z", "y"});
            t->sd.__isset.skewedInfo = true;
          },
          "Invalid: Invalid skew column [z, y]"),
      Create("no place", at(""), uri + "Can not create a Path from an empty string"),
      Create("relative", at("a/b"), relative + "file:./a/b"),
      Create("relative file", at("file:a"), relative + "file:a"),
      Create("other host", at("file://host/a"),
             uri + "Wrong FS: file://host/a, expected: file:///"),
      Create(
          "transactional", [](api::Table* t) { t->parameters["transactional"] = "true"; },
          "Meta: Processor has no capabilities, cannot create an ACID table."),
  });
  for (const auto& [what, change] :
       std::vector<std::pair<const char*, std::function<void(api::Table*)>>>{
           {"columns", [](api::Table* t) { t->sd.__isset.cols = false; }},
           {"column name", [](api::Table* t) { t->sd.cols[0].__isset.name = false; }},
           {"column type", column("a", "")},
           {"twice", [](api::Table* t) { t->sd.__set_cols({MakeColumn("a"), MakeColumn("A")}); }},
           {"storage", [](api::Table* t) { t->__isset.sd = false; }}}) {
    EXPECT_THAT(AnswerOf(Create(what, change, "").call), ::testing::StartsWith("Meta: ")) << what;
  }
}

TEST_F(AnswersTest, AClientThatSaysWhatItCanMakesTransactionalTables) {
  api::CreateTableRequest request;
  request.__set_table(MakeTable("sales", "acid"));
  request.table.parameters["transactional"] = "true";
  request.__set_processorCapabilities({"HIVEFULLACIDWRITE"});
  client().create_table_req(request);
  EXPECT_EQ(ReadTable("sales", "acid").writeId, -1);
}

TEST_F(AnswersTest, ValuesThatAreTooLong) {
  const auto create = [this](const char* what, size_t limit,
                             const std::function<void(api::Table*, const std::string&)>& put) {
    for (const size_t length : {limit, limit + 1}) {
      const Case one = Create(
          what, [&](api::Table* t) { put(t, std::string(length, 'x')); }, "");
      EXPECT_THAT(AnswerOf(one.call), length == limit ? ::testing::Matcher<std::string>("ok")
                                                      : ::testing::HasSubstr("maximum length of " +
                                                                             std::to_string(limit)))
          << what;
    }
  };
  using T = api::Table*;
  using S = const std::string&;
  const std::string place = "file:" + (directory_ / "elsewhere");
  create("name", 256, [&](T t, S x) {
    t->__set_tableName(x);
    t->sd.__set_location(place);
  });
  create("owner", 767, [](T t, S x) { t->__set_owner(x); });
  create("parameter", 256, [](T t, S x) { t->parameters[x] = "v"; });
  create("column", 767, [](T t, S x) { t->sd.cols[0].__set_name(x); });
  create("comment", 256, [](T t, S x) { t->sd.cols[0].__set_comment(x); });
  create("key", 128, [](T t, S x) { t->__set_partitionKeys({MakeColumn(x)}); });
  create("serde", 128, [](T t, S x) { t->sd.serdeInfo.__set_name(x); });
  for (const size_t length : {128U, 129U}) {
    const std::string name(length, 'd');
    EXPECT_EQ(AnswerOf([&] { client().create_database(MakeDatabase(name)); }) == "ok",
              length == 128);
  }
  api::Partition answer;
  api::Partition partition = MakePartition(two_, {std::string(257, 'v'), "1"});
  partition.sd.__set_location(place);
  EXPECT_THAT(AnswerOf([&] { client().add_partition(answer, partition); }), HasSubstr("256"));
}

TEST_F(AnswersTest, AltersThatCannotBe) {
  const auto alter = [this](const char* what, const std::function<void(api::Table*)>& change,
                            const std::string& answer) {
    return Case{what,
                [this, change] {
                  api::Table next = two_;
                  change(&next);
                  client().alter_table("sales", "two", next);
                },
                answer};
  };
  Check({alter(
             "type", [](api::Table* t) { t->sd.cols[0].__set_type("nosuch"); },
             "Operation: Invalid column type: nosuch"),
         alter(
             "name", [](api::Table* t) { t->__set_tableName(""); },
             "Operation:  is not a valid object name"),
         alter(
             "place", [](api::Table* t) { t->sd.__set_location(""); },
             "Meta: java.lang.IllegalArgumentException: Can not create a Path from an empty "
             "string")});
}

TEST_F(AnswersTest, DatabasesOfEveryName) {
  for (const char* name : {"a b", "a.b", "a-b", "q'uote", "..", "x/y", "d$1", "p%q"}) {
    api::Database made = MakeDatabase(name);
    EXPECT_EQ(AnswerOf([&] { client().create_database(made); }), "ok") << name;
    client().get_database(made, name);
    EXPECT_EQ(made.name, name);
    client().drop_database(name, true, true);
  }
  for (const std::string name : {"", "tab\tname", "é", "ctl\x01", " lead", "trail "}) {
    EXPECT_EQ(AnswerOf([&] { client().create_database(MakeDatabase(name)); }),
              "Invalid: " + name + " is not a valid database name");
  }
}

TEST_F(AnswersTest, DatabasesThatCannotBe) {
  api::Database nameless;
  api::Database relative = MakeDatabase("rel");
  relative.__set_locationUri("rel/path");
  api::Database nowhere = MakeDatabase("sales");
  nowhere.__set_locationUri("");
  api::Database found;
  const std::string no_name = "Meta: Database name cannot be null.";
  Check({{"create", [&] { client().create_database(nameless); }, no_name},
         {"get", [&] { client().get_database(found, "@hive#"); }, no_name},
         {"drop", [&] { client().drop_database("@hive#", false, false); }, no_name},
         {"relative", [&] { client().create_database(relative); },
          "Meta: java.lang.IllegalArgumentException: java.net.URISyntaxException: Relative path in "
          "absolute URI: file:./rel/path"},
         {"empty place", [&] { client().alter_database("sales", nowhere); },
          "internal: Internal error processing alter_database"},
         {"relative place", [&] { client().alter_database("sales", relative); },
          "internal: Internal error processing alter_database"}});
}

TEST_F(AnswersTest, WhatTheServerFillsIn) {
  api::Database made = MakeDatabase("owned");
  client().create_database(made);
  client().get_database(made, "owned");
  EXPECT_NE(made.ownerName, "");

  api::Table table = MakeTable("sales", "placed");
  table.__set_tableType("FOO");
  table.sd.__set_location("file://" + (directory_ / "x/../y/"));
  client().create_table(table);
  EXPECT_EQ(ReadTable("sales", "placed").sd.location, "file:" + (directory_ / "y"));
  EXPECT_EQ(ReadTable("sales", "placed").tableType, "FOO");

  api::Partition sent = MakePartition(two_, {"n", "1"});
  sent.__set_dbName("SALES");
  sent.__set_tableName("Two");
  api::Partition answer;
  client().add_partition(answer, sent);
  EXPECT_EQ(answer.dbName, "SALES");
  EXPECT_EQ(answer.tableName, "Two");
  EXPECT_FALSE(answer.sd.__isset.skewedInfo);
  EXPECT_EQ(answer.sd.location, Place("sales.db/two/p=n/q=1"));
  EXPECT_EQ(answer.createTime, kStartSeconds);
  const api::Partition stored = ReadPartition("sales", "two", {"n", "1"});
  EXPECT_EQ(stored.dbName, "sales");
  EXPECT_TRUE(stored.sd.__isset.skewedInfo);
}

}  // namespace

}  // namespace catalogd::hms
