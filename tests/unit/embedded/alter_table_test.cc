#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

class AlterTableTest : public EmbeddedTest {
 protected:
  void SetUp() override {
    EmbeddedTest::SetUp();
    orders_ = CreateOrders();
  }
  api::Table orders_;
};

TEST_F(AlterTableTest, ReplacesTheObjectAndCarriesBothImages) {
  api::Table next = orders_;
  next.parameters = {{"new", "1"}};
  next.createTime = 1;
  clock_.Advance(std::chrono::seconds(10));
  const auto event = EventOf([&] { client().alter_table("sales", "ORDERS", next); });
  const api::Table after = ReadTable("sales", "orders");
  EXPECT_EQ(after.parameters.size(), 2U);  // With the server's own time; nothing is merged.
  EXPECT_EQ(after.parameters.at("transient_lastDdlTime"), std::to_string(kStartSeconds + 10));
  EXPECT_EQ(after.createTime, orders_.createTime);
  EXPECT_EQ(after.id, orders_.id);
  const auto message = Message(event);
  EXPECT_THAT(KeysOf(message), ElementsAre("server", "servicePrincipal", "db", "table", "tableType",
                                           "tableObjBeforeJson", "tableObjAfterJson",
                                           "isTruncateOp", "timestamp", "writeId"));
  EXPECT_EQ(Image<api::Table>(message["tableObjBeforeJson"]), orders_);
  EXPECT_EQ(Image<api::Table>(message["tableObjAfterJson"]), after);
  EXPECT_EQ(message["isTruncateOp"], "false");
  EXPECT_EQ(message["writeId"], 0);
}

TEST_F(AlterTableTest, MissingTable) {
  EXPECT_THAT([&] { client().alter_table("sales", "none", orders_); },
              ThrowsHive<api::InvalidOperationException>("hive.sales.none table not found"));
}

TEST_F(AlterTableTest, PartitionKeysStay) {
  api::Table next = orders_;
  next.partitionKeys[0].__set_name("other");
  EXPECT_THAT([&] { client().alter_table("sales", "orders", next); },
              ThrowsHive<api::InvalidOperationException>("partition keys can not be changed."));
  next = orders_;
  next.partitionKeys[0].__set_comment("a comment may come");
  client().alter_table("sales", "orders", next);
  EXPECT_EQ(ReadTable("sales", "orders").partitionKeys[0].comment, "a comment may come");
}

TEST_F(AlterTableTest, ColumnsMayWidenButNotNarrowUnlessTheConnectionSaysSo) {
  api::Table next = orders_;
  next.sd.cols[0].__set_type("bigint");
  client().alter_table("sales", "orders", next);
  next.sd.cols[0].__set_type("smallint");
  EXPECT_THAT([&] { client().alter_table("sales", "orders", next); },
              ThrowsHive<api::InvalidOperationException>("incompatible"));
  client().setMetaConf("metastore.disallow.incompatible.col.type.changes", "false");
  client().alter_table("sales", "orders", next);
  EXPECT_EQ(ReadTable("sales", "orders").sd.cols[0].type, "smallint");
}

TEST_F(AlterTableTest, CascadeReachesPartitionsWithoutEventsOfTheirOwn) {
  AddDays(orders_, {"1", "2"});
  api::Table next = orders_;
  next.sd.cols.push_back(MakeColumn("extra"));
  client().alter_table("sales", "orders", next);
  EXPECT_EQ(ReadPartition("sales", "orders", {"1"}).sd.cols.size(), 2U);
  const auto event =
      EventOf([&] { client().alter_table_with_cascade("sales", "orders", next, true); });
  EXPECT_EQ(event.eventType, "ALTER_TABLE");
  EXPECT_EQ(ReadPartition("sales", "orders", {"1"}).sd.cols.size(), 3U);
}

TEST_F(AlterTableTest, RenameMovesAManagedTableAndItsPartitions) {
  AddDays(orders_, {"1"});
  client().create_database(MakeDatabase("archive"));
  api::Table next = orders_;
  next.__set_dbName("Archive");
  next.__set_tableName("Old_Orders");
  const auto event = EventOf([&] { client().alter_table("sales", "orders", next); });
  EXPECT_EQ(event.dbName, "archive");
  EXPECT_EQ(event.tableName, "old_orders");
  EXPECT_EQ(Message(event)["db"], "sales");
  EXPECT_EQ(Message(event)["table"], "orders");
  const api::Table moved = ReadTable("archive", "old_orders");
  EXPECT_EQ(moved.sd.location, Place("archive.db/old_orders"));
  EXPECT_EQ(Image<api::Table>(Message(event)["tableObjAfterJson"]), moved);
  EXPECT_TRUE(Exists("archive.db/old_orders/day=1"));
  EXPECT_FALSE(Exists("sales.db/orders"));
  const api::Partition partition = ReadPartition("archive", "old_orders", {"1"});
  EXPECT_EQ(partition.dbName, "archive");
  EXPECT_EQ(partition.tableName, "old_orders");
  EXPECT_EQ(partition.sd.location, Place("archive.db/old_orders/day=1"));
  EXPECT_THAT([&] { ReadTable("sales", "orders"); },
              ThrowsHive<api::NoSuchObjectException>("not found"));
}

TEST_F(AlterTableTest, RenameOfATableElsewhereLeavesItsFiles) {
  api::Table table = MakeTable("sales", "external");
  table.parameters["EXTERNAL"] = "TRUE";
  client().create_table(table);
  table = ReadTable("sales", "external");
  const std::string place = table.sd.location;
  table.__set_tableName("renamed");
  client().alter_table("sales", "external", table);
  EXPECT_EQ(ReadTable("sales", "renamed").sd.location, place);
  EXPECT_TRUE(Exists("sales.db/external"));
}

TEST_F(AlterTableTest, RenameNeedsAFreeNameAndADatabase) {
  client().create_table(MakeTable("sales", "taken"));
  const int64_t before = CurrentId();
  api::Table next = orders_;
  next.__set_tableName("taken");
  EXPECT_THAT([&] { client().alter_table("sales", "orders", next); },
              ThrowsHive<api::InvalidOperationException>("new table sales.taken already exists"));
  next.__set_tableName("free");
  next.__set_dbName("nowhere");
  EXPECT_THAT([&] { client().alter_table("sales", "orders", next); },
              ThrowsHive<api::InvalidOperationException>("database hive.nowhere"));
  EXPECT_EQ(CurrentId(), before);
  EXPECT_EQ(ReadTable("sales", "orders"), orders_);
}

// The directory in the way must stop the rename before a row changes.
TEST_F(AlterTableTest, RenameIntoAnExistingDirectoryIsRefused) {
  std::filesystem::create_directories((directory_ / "warehouse") + "/sales.db/free");
  api::Table next = orders_;
  next.__set_tableName("free");
  EXPECT_THAT([&] { client().alter_table("sales", "orders", next); },
              ThrowsHive<api::InvalidOperationException>("already exists"));
  EXPECT_EQ(ReadTable("sales", "orders"), orders_);
  EXPECT_TRUE(Exists("sales.db/orders"));
}

TEST_F(AlterTableTest, CompareAndSwapOnAParameter) {
  api::Table next = orders_;
  next.parameters["metadata_location"] = "v1";
  client().alter_table("sales", "orders", next);
  api::EnvironmentContext context;
  context.__set_properties(
      {{"expected_parameter_key", "metadata_location"}, {"expected_parameter_value", "v0"}});
  next.parameters["metadata_location"] = "v2";
  EXPECT_THAT(
      [&] { client().alter_table_with_environment_context("sales", "orders", next, context); },
      ThrowsHive<api::MetaException>(
          "The table has been modified. The parameter value for key 'metadata_location' is 'v1'. "
          "The expected was value was 'v0'"));
  EXPECT_EQ(ReadTable("sales", "orders").parameters.at("metadata_location"), "v1");
  api::AlterTableRequest request;
  request.__set_dbName("sales");
  request.__set_tableName("orders");
  request.__set_table(next);
  request.__set_expectedParameterKey("metadata_location");
  request.__set_expectedParameterValue("v1");
  api::AlterTableResponse response;
  client().alter_table_req(response, request);
  EXPECT_EQ(ReadTable("sales", "orders").parameters.at("metadata_location"), "v2");
  EXPECT_THAT([&] { client().alter_table_req(response, request); },
              ThrowsHive<api::MetaException>("The table has been modified"));
  request.table.parameters.erase("metadata_location");
  EXPECT_THAT([&] { client().alter_table_req(response, request); },
              ThrowsHive<api::MetaException>("is not set"));
}

TEST_F(AlterTableTest, TypeIsDerivedAgain) {
  api::Table next = orders_;
  next.parameters["EXTERNAL"] = "TRUE";
  client().alter_table("sales", "orders", next);
  EXPECT_EQ(ReadTable("sales", "orders").tableType, "EXTERNAL_TABLE");
  Strings names;
  client().get_tables_by_type(names, "sales", "*", "EXTERNAL_TABLE");
  EXPECT_THAT(names, ElementsAre("orders"));
}

}  // namespace

}  // namespace catalogd::hms
