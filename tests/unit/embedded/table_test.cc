#include <fstream>

#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

class TableTest : public EmbeddedTest {
 protected:
  void SetUp() override {
    EmbeddedTest::SetUp();
    client().create_database(MakeDatabase("sales"));
  }
};

TEST_F(TableTest, CreateCompletesAndAnnouncesWhatIsStored) {
  api::Table table = MakeTable("Sales", "Orders");
  table.sd.cols[0].__set_name("ID");
  const auto event = EventOf([&] { client().create_table(table); });
  const api::Table stored = ReadTable("sales", "orders");
  EXPECT_EQ(stored.tableName, "orders");
  EXPECT_EQ(stored.dbName, "sales");
  EXPECT_EQ(stored.catName, "hive");
  EXPECT_EQ(stored.tableType, "MANAGED_TABLE");
  EXPECT_EQ(stored.createTime, kStartSeconds);
  EXPECT_EQ(stored.parameters.at("transient_lastDdlTime"), std::to_string(kStartSeconds));
  EXPECT_EQ(stored.sd.cols[0].name, "id");
  EXPECT_EQ(stored.sd.location, Place("sales.db/orders"));
  EXPECT_TRUE(stored.sd.__isset.skewedInfo);
  EXPECT_EQ(stored.ownerType, api::PrincipalType::USER);
  EXPECT_EQ(stored.writeId, 0);
  EXPECT_GT(stored.id, 0);
  EXPECT_TRUE(Exists("sales.db/orders"));

  EXPECT_EQ(event.eventType, "CREATE_TABLE");
  EXPECT_EQ(event.tableName, "orders");
  const auto message = Message(event);
  EXPECT_THAT(KeysOf(message), ElementsAre("server", "servicePrincipal", "db", "table", "tableType",
                                           "tableObjJson", "timestamp", "files"));
  EXPECT_EQ(Image<api::Table>(message["tableObjJson"]), stored);
  EXPECT_EQ(message["files"].size(), 0U);
}

// C++ writes fields that never came as empty text; readers take that for a view or a comment.
TEST_F(TableTest, WhatWasNotSentDoesNotComeBack) {
  client().create_table(MakeTable("sales", "orders"));
  const api::Table stored = ReadTable("sales", "orders");
  EXPECT_FALSE(stored.__isset.viewOriginalText);
  EXPECT_FALSE(stored.__isset.viewExpandedText);
  EXPECT_FALSE(stored.__isset.privileges);
  EXPECT_FALSE(stored.sd.cols[0].__isset.comment);
  EXPECT_FALSE(stored.sd.serdeInfo.__isset.name);
}

// General JSON readers fail on such an image; the log must carry it all the same.
TEST_F(TableTest, SkewAndOddTextSurviveStoreAndLog) {
  api::Table table = MakeTable("sales", "orders");
  table.parameters = {{"quote\"s", "back\\slash"}, {"ctl\x01", "new\nline"}, {"数据", "😀"}};
  api::SkewedInfo skew;
  skew.__set_skewedColNames({"name"});
  skew.__set_skewedColValues({{"smith"}});
  skew.__set_skewedColValueLocationMaps({{{"smith"}, "file:/x/name=smith"}});
  table.sd.__set_skewedInfo(skew);
  const auto event = EventOf([&] { client().create_table(table); });
  const api::Table stored = ReadTable("sales", "orders");
  EXPECT_EQ(stored.sd.skewedInfo, skew);
  EXPECT_EQ(stored.parameters.at("quote\"s"), "back\\slash");
  EXPECT_EQ(Image<api::Table>(Message(event)["tableObjJson"]), stored);
}

TEST_F(TableTest, TypeFollowsTheParameterExternal) {
  api::Table table = MakeTable("sales", "external");
  table.parameters["EXTERNAL"] = "true";
  client().create_table(table);
  EXPECT_EQ(ReadTable("sales", "external").tableType, "EXTERNAL_TABLE");
  table = MakeTable("sales", "managed");
  table.__set_tableType("EXTERNAL_TABLE");
  client().create_table(table);
  EXPECT_EQ(ReadTable("sales", "managed").tableType, "MANAGED_TABLE");
  table = MakeTable("sales", "view");
  table.__set_tableType("VIRTUAL_VIEW");
  table.__set_viewOriginalText("select 1");
  client().create_table(table);
  const api::Table view = ReadTable("sales", "view");
  EXPECT_EQ(view.tableType, "VIRTUAL_VIEW");
  EXPECT_FALSE(view.sd.__isset.location);
  EXPECT_EQ(view.viewOriginalText, "select 1");
}

TEST_F(TableTest, CreateRefusesWhatCannotBe) {
  client().create_table(MakeTable("sales", "orders"));
  const int64_t before = CurrentId();
  EXPECT_THAT([&] { client().create_table(MakeTable("sales", "ORDERS")); },
              ThrowsHive<api::AlreadyExistsException>("Table hive.sales.ORDERS already exists"));
  EXPECT_THAT([&] { client().create_table(MakeTable("nowhere", "t")); },
              ThrowsHive<api::InvalidObjectException>("database hive.nowhere"));
  EXPECT_THAT([&] { client().create_table(MakeTable("sales", "bad\x01name")); },
              ThrowsHive<api::InvalidObjectException>("is not a valid object name"));
  api::Table table = MakeTable("sales", "t");
  table.sd.cols[0].__set_type("nosuchtype");
  EXPECT_THAT([&] { client().create_table(table); },
              ThrowsHive<api::InvalidObjectException>("Invalid column type: nosuchtype"));
  table = MakeTable("sales", "t");
  table.__isset.sd = false;
  EXPECT_THAT([&] { client().create_table(table); },
              ThrowsHive<api::MetaException>("no storage descriptor"));
  EXPECT_EQ(CurrentId(), before);
}

// Names may be any bytes, but Java clients and logs want texts in UTF-8.
TEST_F(TableTest, BadBytesInNamesDoNotReachTheTextsOfErrors) {
  EXPECT_THAT(
      [&] { ReadTable("sales", "a\xc3\xa9\xff"); },
      ThrowsHive<api::NoSuchObjectException>("hive.sales.a\xc3\xa9\xef\xbf\xbd table not found"));
  EXPECT_THAT([&] { client().create_table(MakeTable("no\xff", "t")); },
              ThrowsHive<api::InvalidObjectException>("database hive.no\xef\xbf\xbd"));
  api::Table table = MakeTable("sales", "t");
  table.sd.cols[0].__set_type("\xfe\xfe");
  EXPECT_THAT([&] { client().create_table(table); },
              ThrowsHive<api::InvalidObjectException>("\xef\xbf\xbd\xef\xbf\xbd"));
}

TEST_F(TableTest, EveryFormOfCreateWorks) {
  client().create_table_with_environment_context(MakeTable("sales", "a"), {});
  client().create_table_with_constraints(MakeTable("sales", "b"), {}, {}, {}, {}, {}, {});
  api::CreateTableRequest request;
  request.__set_table(MakeTable("sales", "c"));
  client().create_table_req(request);
  Strings names;
  client().get_all_tables(names, "sales");
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

// A place that cannot be made must leave neither a table nor an event.
TEST_F(TableTest, ADirectoryThatCannotBeMadeFailsTheCreate) {
  std::ofstream(directory_ / "file") << "x";
  api::Table table = MakeTable("sales", "orders");
  table.sd.__set_location("file:" + (directory_ / "file") + "/below");
  const int64_t before = CurrentId();
  EXPECT_THAT([&] { client().create_table(table); },
              ThrowsHive<api::MetaException>("is not a directory or unable to create one"));
  EXPECT_EQ(CurrentId(), before);
  Strings names;
  client().get_all_tables(names, "sales");
  EXPECT_THAT(names, IsEmpty());
}

TEST_F(TableTest, ReadsOfManyTables) {
  for (const char* name : {"a", "b"}) client().create_table(MakeTable("sales", name));
  std::vector<api::Table> tables;
  client().get_table_objects_by_name(tables, "sales", {"B", "missing", "a", "b"});
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0], ReadTable("sales", "a"));
  EXPECT_THAT([&] { client().get_table_objects_by_name(tables, "nowhere", {"a"}); },
              ::testing::Throws<apache::thrift::TApplicationException>(
                  ::testing::Property(&apache::thrift::TApplicationException::getType,
                                      apache::thrift::TApplicationException::INTERNAL_ERROR)));
  api::GetTablesRequest request;
  request.__set_dbName("sales");
  api::GetTablesResult result;
  EXPECT_THAT([&] { client().get_table_objects_by_name_req(result, request); },
              ThrowsHive<api::InvalidOperationException>("cannot find null tables"));
  request.__set_tablesPattern("b*");
  client().get_table_objects_by_name_req(result, request);
  EXPECT_EQ(result.tables.size(), 1U);
  request.__set_dbName("nowhere");
  request.__set_tblNames({"a"});
  EXPECT_THAT([&] { client().get_table_objects_by_name_req(result, request); },
              ThrowsHive<api::UnknownDBException>("hive.nowhere"));
}

TEST_F(TableTest, GetTableReqAndFieldsAndSchema) {
  client().create_table(MakeTable("sales", "orders", {"day"}));
  api::GetTableRequest request;
  request.__set_dbName("sales");
  request.__set_tblName("orders");
  api::GetTableResult result;
  client().get_table_req(result, request);
  EXPECT_EQ(result.table, ReadTable("sales", "orders"));
  std::vector<api::FieldSchema> fields;
  client().get_fields(fields, "sales", "orders");
  EXPECT_EQ(fields.size(), 2U);
  client().get_schema(fields, "sales", "orders");
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[2].name, "day");
  EXPECT_THAT([&] { client().get_fields(fields, "sales", "none"); },
              ThrowsHive<api::UnknownTableException>("hive.sales.none table not found"));
}

TEST_F(TableTest, NamesByPatternAndTypeAndMeta) {
  api::Table table = MakeTable("sales", "b_external");
  table.parameters = {{"EXTERNAL", "TRUE"}, {"comment", "words"}};
  client().create_table(table);
  client().create_table(MakeTable("sales", "a_managed"));
  Strings names;
  client().get_tables(names, "sales", "*_MAN*");
  EXPECT_THAT(names, ElementsAre("a_managed"));
  client().get_tables(names, "nowhere", "*");
  EXPECT_THAT(names, IsEmpty());
  client().get_tables_by_type(names, "sales", ".*", "EXTERNAL_TABLE");
  EXPECT_THAT(names, ElementsAre("b_external"));
  std::vector<api::TableMeta> metas;
  client().get_table_meta(metas, "*", "*", {"EXTERNAL_TABLE"});
  ASSERT_EQ(metas.size(), 1U);
  EXPECT_EQ(metas[0].tableName, "b_external");
  EXPECT_EQ(metas[0].comments, "words");
  EXPECT_EQ(metas[0].catName, "hive");
}

TEST_F(TableTest, DropTellsAndTakesManagedFilesOnly) {
  client().create_table(MakeTable("sales", "managed"));
  api::Table external = MakeTable("sales", "external");
  external.parameters["EXTERNAL"] = "TRUE";
  client().create_table(external);
  const api::Table stored = ReadTable("sales", "managed");
  const auto event = EventOf([&] { client().drop_table("sales", "managed", true); });
  EXPECT_THAT(KeysOf(Message(event)), ElementsAre("server", "servicePrincipal", "db", "table",
                                                  "tableType", "tableObjJson", "timestamp"));
  EXPECT_EQ(Image<api::Table>(Message(event)["tableObjJson"]), stored);
  client().drop_table("sales", "external", true);
  EXPECT_FALSE(Exists("sales.db/managed"));
  EXPECT_TRUE(Exists("sales.db/external"));
  EXPECT_THAT([&] { client().drop_table("sales", "managed", true); },
              ThrowsHive<api::NoSuchObjectException>("hive.sales.managed table not found"));
}

TEST_F(TableTest, ARecreatedTableHasAnotherId) {
  client().create_table(MakeTable("sales", "orders"));
  const int64_t id = ReadTable("sales", "orders").id;
  client().drop_table("sales", "orders", true);
  client().create_table(MakeTable("sales", "orders"));
  EXPECT_GT(ReadTable("sales", "orders").id, id);
}

TEST_F(TableTest, TruncateEmptiesFilesResetsStatisticsAndSaysSo) {
  api::Table table = MakeTable("sales", "orders");
  table.parameters["numRows"] = "7";
  client().create_table(table);
  std::ofstream((directory_ / "warehouse") + "/sales.db/orders/data") << "x";
  const auto event = EventOf([&] { client().truncate_table("sales", "orders", {}); });
  EXPECT_EQ(event.eventType, "ALTER_TABLE");
  EXPECT_EQ(Message(event)["isTruncateOp"], "true");
  EXPECT_EQ(ReadTable("sales", "orders").parameters.at("numRows"), "0");
  EXPECT_TRUE(Exists("sales.db/orders"));
  EXPECT_FALSE(Exists("sales.db/orders/data"));
}

TEST_F(TableTest, TruncateOfPartitionsIsOneEvent) {
  client().create_table(MakeTable("sales", "orders", {"day"}));
  AddDays(ReadTable("sales", "orders"), {"1", "2", "3"});
  api::TruncateTableRequest request;
  request.__set_dbName("sales");
  request.__set_tableName("orders");
  request.__set_partNames({"day=1", "day=3"});
  api::TruncateTableResponse response;
  const auto event = EventOf([&] { client().truncate_table_req(response, request); });
  EXPECT_EQ(event.eventType, "ALTER_PARTITIONS");
  EXPECT_EQ(Message(event)["isTruncateOp"], "true");
  EXPECT_EQ(Message(event)["partitions"].dump(), R"([{"day":"1"},{"day":"3"}])");
}

TEST_F(TableTest, TruncateOfAnExternalTableIsRefused) {
  api::Table external = MakeTable("sales", "external");
  external.parameters["EXTERNAL"] = "TRUE";
  client().create_table(external);
  EXPECT_THAT([&] { client().truncate_table("sales", "external", {}); },
              ThrowsHive<api::MetaException>("Cannot truncate non-managed table"));
}

TEST_F(TableTest, ATableThatAViewIsMadeOfIsNotDropped) {
  client().create_table(MakeTable("sales", "source"));
  api::Table view = MakeTable("sales", "totals");
  view.__set_tableType("MATERIALIZED_VIEW");
  api::CreationMetadata made;
  made.catName = "hive";
  made.dbName = "sales";
  made.tblName = "totals";
  made.tablesUsed = {"sales.source"};
  view.__set_creationMetadata(std::make_shared<api::CreationMetadata>(made));
  client().create_table(view);
  EXPECT_THAT(
      [&] { client().drop_table("sales", "source", false); },
      ThrowsHive<api::MetaException>("used in the following materialized views [sales.totals]"));
  // A cascade drops views first.
  client().drop_database("sales", false, true);
}

// Clients write what a view is made of with and without the catalog.
TEST_F(TableTest, AViewKnowsItsRenamedTableInBothSpellings) {
  for (const std::string& catalog : Strings{"", "hive."}) {
    const std::string suffix = catalog.empty() ? "1" : "2";
    client().create_table(MakeTable("sales", "source" + suffix));
    api::Table view = MakeTable("sales", "totals" + suffix);
    view.__set_tableType("MATERIALIZED_VIEW");
    api::CreationMetadata made;
    made.catName = "hive";
    made.dbName = "sales";
    made.tblName = "totals" + suffix;
    made.tablesUsed = {catalog + "sales.source" + suffix, "sales.other"};
    view.__set_creationMetadata(std::make_shared<api::CreationMetadata>(made));
    client().create_table(view);
    api::Table next = ReadTable("sales", "source" + suffix);
    next.__set_tableName("renamed" + suffix);
    client().alter_table("sales", "source" + suffix, next);
    EXPECT_THAT(
        ReadTable("sales", "totals" + suffix).creationMetadata->tablesUsed,
        ElementsAre(std::min(catalog + "sales.renamed" + suffix, std::string("sales.other")),
                    std::max(catalog + "sales.renamed" + suffix, std::string("sales.other"))));
    EXPECT_THAT([&] { client().drop_table("sales", "renamed" + suffix, false); },
                ThrowsHive<api::MetaException>("used in the following materialized views"));
  }
}

}  // namespace

}  // namespace catalogd::hms
