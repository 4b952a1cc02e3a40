#include "tests/unit/embedded/embedded_fixture.h"
#include "thrift/wire/write.h"

// What could go wrong: a filter that finds too much or too little, an expression that drops what
// nobody meant, partitions that are lost on their way to another table.
namespace catalogd::hms {
namespace {

class PartitionSearchTest : public EmbeddedTest {
 protected:
  // sales.orders with the keys day string, n int.
  api::Table CreateKeyed() {
    client().create_database(MakeDatabase("sales"));
    api::Table table = MakeTable("sales", "orders");
    table.__set_partitionKeys({MakeColumn("day"), MakeColumn("n", "int")});
    client().create_table(table);
    table = ReadTable("sales", "orders");
    std::vector<api::Partition> partitions;
    for (const Strings& values :
         std::vector<Strings>{{"a1", "1"}, {"a2", "2"}, {"b1", "10"}, {"b%", "3"}}) {
      partitions.push_back(MakePartition(table, values));
    }
    client().add_partitions(partitions);
    return table;
  }
  static Strings FirstValues(const std::vector<api::Partition>& partitions) {
    Strings values;
    for (const api::Partition& one : partitions) values.push_back(one.values.front());
    return values;
  }
  Strings Old(const std::string& filter, int16_t max = -1) {
    std::vector<api::Partition> found;
    client().get_partitions_by_filter(found, "sales", "orders", filter, max);
    return FirstValues(found);
  }
  Strings New(const std::string& filter) {
    api::GetPartitionsByFilterRequest request;
    request.__set_dbName("sales");
    request.__set_tblName("orders");
    request.__set_filter(filter);
    std::vector<api::Partition> found;
    client().get_partitions_by_filter_req(found, request);
    return FirstValues(found);
  }
  api::DropPartitionsRequest DropRequest(const std::string& expression) {
    api::DropPartitionsExpr expr;
    expr.expr = expression;
    api::RequestPartsSpec spec;
    spec.__set_exprs({expr});
    api::DropPartitionsRequest request;
    request.dbName = "sales";
    request.tblName = "orders";
    request.parts = spec;
    return request;
  }
};

TEST_F(PartitionSearchTest, FindsByFilter) {
  CreateKeyed();
  EXPECT_THAT(Old("day = \"a1\""), ElementsAre("a1"));
  EXPECT_THAT(Old("n > 1 and n < 10"), ElementsAre("a2", "b%"));
  EXPECT_THAT(Old(""), ElementsAre("a1", "a2", "b%", "b1"));
  EXPECT_THAT(Old("", 2), ElementsAre("a1", "a2"));
  EXPECT_THAT(Old("n >= 1", 0), IsEmpty());
  EXPECT_EQ(client().get_num_partitions_by_filter("sales", "orders", "n != 1"), 3);
  EXPECT_THAT([&] { Old("zz = 1"); },
              ThrowsHive<api::MetaException>("<zz> is not a partitioning key"));
  EXPECT_THAT([&] { Old("day ="); }, ThrowsHive<api::MetaException>("Error parsing"));
  std::vector<api::Partition> found;
  EXPECT_THAT([&] { client().get_partitions_by_filter(found, "sales", "None", "", -1); },
              ThrowsHive<api::NoSuchObjectException>("does not exist : hive.sales.none"));
}

// Clients of Hive 2 and 3 write expressions of Java, those of Hive 4 SQL.
TEST_F(PartitionSearchTest, KnowsBothDialectsOfLike) {
  CreateKeyed();
  EXPECT_THAT(Old("day like \"a.*\""), ElementsAre("a1", "a2"));
  EXPECT_THAT(Old("day like \"a%\""), ElementsAre("a1", "a2"));
  EXPECT_THAT(New("day like \"b%\""), ElementsAre("b%", "b1"));
  EXPECT_THAT(New("day like \"b\\%\""), ElementsAre("b%"));
  EXPECT_THAT(New("day like \"a.*\""), IsEmpty());
}

TEST_F(PartitionSearchTest, AnswersSpecs) {
  CreateKeyed();
  std::vector<api::PartitionSpec> specs;
  client().get_part_specs_by_filter(specs, "sales", "orders", "n = 1", -1);
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_THAT(FirstValues(specs[0].partitionList.partitions), ElementsAre("a1"));
  EXPECT_EQ(specs[0].rootPath, Place("sales.db/orders"));
  client().get_partitions_pspec(specs, "sales", "orders", -1);
  EXPECT_EQ(specs[0].partitionList.partitions.size(), 4U);
}

TEST_F(PartitionSearchTest, AddsSpecs) {
  const api::Table table = CreateKeyed();
  api::PartitionWithoutSD bare;
  bare.__set_values({"c1", "7"});
  bare.__set_relativePath("/c");
  api::PartitionSpecWithSharedSD shared;
  shared.__set_partitions({bare});
  shared.__set_sd(MakeStorage(table.sd.cols));
  api::PartitionSpec spec;
  spec.__set_dbName("sales");
  spec.__set_tableName("orders");
  spec.__set_rootPath(Place("elsewhere"));
  spec.__set_sharedSDPartitionSpec(shared);
  EXPECT_EQ(client().add_partitions_pspec({spec}), 1);
  EXPECT_EQ(ReadPartition("sales", "orders", {"c1", "7"}).sd.location, Place("elsewhere/c"));
}

TEST_F(PartitionSearchTest, AnswersValues) {
  CreateKeyed();
  api::PartitionValuesRequest request;
  request.dbName = "sales";
  request.tblName = "orders";
  request.partitionKeys = {MakeColumn("N", "int")};
  request.__set_filter("day like 'a.*'");
  api::PartitionValuesResponse answer;
  client().get_partition_values(answer, request);
  ASSERT_EQ(answer.partitionValues.size(), 2U);
  EXPECT_THAT(answer.partitionValues[1].row, ElementsAre("2"));
  request.partitionKeys = {MakeColumn("zz")};
  EXPECT_THAT([&] { client().get_partition_values(answer, request); },
              ThrowsHive<api::MetaException>("Key zz"));
}

TEST_F(PartitionSearchTest, AnExpressionThatCannotBeReadChoosesAllAndSaysSo) {
  CreateKeyed();
  api::PartitionsByExprRequest request;
  request.dbName = "sales";
  request.tblName = "orders";
  request.expr = std::string("\x01\x00org.apache", 12);
  api::PartitionsByExprResult answer;
  client().get_partitions_by_expr(answer, request);
  EXPECT_TRUE(answer.hasUnknownPartitions);
  EXPECT_EQ(answer.partitions.size(), 4U);
  request.expr = "n = 2";
  client().get_partitions_by_expr(answer, request);
  EXPECT_FALSE(answer.hasUnknownPartitions);
  EXPECT_THAT(FirstValues(answer.partitions), ElementsAre("a2"));
}

TEST_F(PartitionSearchTest, ExpressionsAreAnsweredAsSpecsToo) {
  CreateKeyed();
  api::PartitionsByExprRequest request;
  request.dbName = "sales";
  request.tblName = "orders";
  request.expr = "n = 2";
  api::PartitionsSpecByExprResult answer;
  client().get_partitions_spec_by_expr(answer, request);
  EXPECT_FALSE(answer.hasUnknownPartitions);
  ASSERT_EQ(answer.partitionsSpec.size(), 1U);
  EXPECT_EQ(answer.partitionsSpec[0].rootPath, ReadTable("sales", "orders").sd.location);
  EXPECT_THAT(FirstValues(answer.partitionsSpec[0].partitionList.partitions), ElementsAre("a2"));
  request.expr = std::string("\x01\x00org.apache", 12);
  client().get_partitions_spec_by_expr(answer, request);
  EXPECT_TRUE(answer.hasUnknownPartitions);
  EXPECT_EQ(answer.partitionsSpec[0].partitionList.partitions.size(), 4U);
  request.tblName = "gone";
  EXPECT_THROW(client().get_partitions_spec_by_expr(answer, request), apache::thrift::TException);
}

TEST_F(PartitionSearchTest, DropsByAFilterButNotByLess) {
  CreateKeyed();
  api::DropPartitionsResult answer;
  for (const std::string& bad :
       {std::string("\x01\x00x", 3), std::string("n = 2 && n = 3"), std::string("")}) {
    EXPECT_THROW(client().drop_partitions_req(answer, DropRequest(bad)), api::MetaException);
  }
  EXPECT_EQ(Old("").size(), 4U);
  const api::NotificationEvent dropped =
      EventOf([&] { client().drop_partitions_req(answer, DropRequest("n <= 2")); });
  EXPECT_EQ(Message(dropped)["partitions"].size(), 2U);
  EXPECT_THAT(Old(""), ElementsAre("b%", "b1"));
}

TEST_F(PartitionSearchTest, PartitionsChangeTables) {
  const api::Table from = CreateKeyed();
  api::Table to = MakeTable("sales", "archive");
  to.__set_partitionKeys(from.partitionKeys);
  client().create_table(to);
  const int64_t before = CurrentId();
  std::vector<api::Partition> moved;
  // An empty value stands for any.
  client().exchange_partitions(moved, {{"day", "a1"}, {"n", ""}}, "sales", "orders", "sales",
                               "archive");
  EXPECT_THAT(TypesOf(EventsAfter(before)), ElementsAre("ADD_PARTITION", "DROP_PARTITION"));
  EXPECT_THAT(FirstValues(moved), ElementsAre("a1"));
  EXPECT_THAT(Old(""), ElementsAre("a2", "b%", "b1"));
  EXPECT_EQ(ReadPartition("sales", "archive", {"a1", "1"}).sd.location,
            Place("sales.db/archive/day=a1/n=1"));
  EXPECT_TRUE(Exists("sales.db/archive/day=a1/n=1"));
  EXPECT_FALSE(Exists("sales.db/orders/day=a1/n=1"));
  const auto exchange = [&](const Properties& values, const std::string& target) {
    return [&, values, target] {
      client().exchange_partitions(moved, values, "sales", "orders", "sales", target);
    };
  };
  EXPECT_THAT(exchange({{"day", "gone"}}, "archive"),
              ThrowsHive<api::MetaException>("No partition is found"));
  EXPECT_THAT(exchange({{"n", "2"}}, "archive"), ThrowsHive<api::MetaException>("n"));
  EXPECT_THAT(exchange({}, "archive"), ThrowsHive<api::MetaException>("not given"));
  EXPECT_THAT(exchange({{"day", "a2"}}, "none"),
              ThrowsHive<api::NoSuchObjectException>("none table not found"));
  client().create_table(MakeTable("sales", "other", {"day"}));
  EXPECT_THAT(exchange({{"day", "a2"}}, "other"),
              ThrowsHive<api::MetaException>("different schemas"));
  // All or nothing: the second of two is there already.
  client().add_partitions({MakePartition(ReadTable("sales", "archive"), {"a2", "2"})});
  EXPECT_THAT(exchange({{"day", "a2"}}, "archive"),
              ThrowsHive<api::MetaException>("already exists"));
  EXPECT_EQ(ReadPartition("sales", "orders", {"a2", "2"}).sd.location,
            Place("sales.db/orders/day=a2/n=2"));
}

TEST_F(PartitionSearchTest, FindsTablesByFilter) {
  client().create_database(MakeDatabase("sales"));
  const auto create = [&](const std::string& name, const Properties& parameters) {
    api::Table table = MakeTable("sales", name);
    table.__set_parameters(parameters);
    client().create_table(table);
  };
  create("ice", {{"table_type", "ICEBERG"}, {"k", "1"}});
  create("plain", {{"k", "2"}});
  const auto names = [&](const std::string& filter, int16_t max = -1) {
    Strings found;
    client().get_table_names_by_filter(found, "sales", filter, max);
    return found;
  };
  EXPECT_THAT(names("hive_filter_field_params__table_type like \"ICEBERG\""), ElementsAre("ice"));
  EXPECT_THAT(names("hive_filter_field_params__table_type = \"ICEBERG\""), ElementsAre("ice"));
  // Only tables that have the parameter.
  EXPECT_THAT(names("hive_filter_field_params__table_type <> \"x\""), ElementsAre("ice"));
  EXPECT_THAT(names("hive_filter_field_params__k != \"1\""), ElementsAre("plain"));
  // As SHOW TABLES of Hive 4.1 asks.
  EXPECT_THAT(names("hive_filter_field_tableName__ like \"(?i)P.*\""), ElementsAre("plain"));
  EXPECT_THAT(names("hive_filter_field_tableName__ like \"(?i).*\"", 1), ElementsAre("ice"));
  EXPECT_THAT(names("hive_filter_field_owner__ = \"alice\""), ElementsAre("ice", "plain"));
  EXPECT_THAT(names("hive_filter_field_last_access__ < 5"), ElementsAre("ice", "plain"));
  EXPECT_THAT(names("hive_filter_field_tableType__ = \"MANAGED_TABLE\""),
              ElementsAre("ice", "plain"));
  EXPECT_THAT([&] { names("nonsense = \"1\""); },
              ThrowsHive<api::InvalidOperationException>("Invalid key name in filter"));
  Strings found;
  EXPECT_THAT([&] { client().get_table_names_by_filter(found, "none", "", -1); },
              ThrowsHive<api::UnknownDBException>("none"));
}

TEST_F(PartitionSearchTest, MarksPartitions) {
  CreateKeyed();
  const Properties values = {{"day", "a1"}, {"n", "1"}};
  const auto done = api::PartitionEventType::LOAD_DONE;
  EXPECT_FALSE(client().isPartitionMarkedForEvent("sales", "orders", values, done));
  client().markPartitionForEvent("sales", "orders", values, done);
  EXPECT_TRUE(client().isPartitionMarkedForEvent("Sales", "orders", values, done));
  EXPECT_FALSE(client().isPartitionMarkedForEvent("sales", "orders", {{"day", "a1"}}, done));
  EXPECT_THAT([&] { client().markPartitionForEvent("sales", "none", values, done); },
              ThrowsHive<api::UnknownTableException>("none table not found"));
}

// Hive 2 numbers the fields of a report otherwise.
TEST_F(PartitionSearchTest, ReportsOfOldClientsAreUnderstood) {
  CreateKeyed();
  std::string insert;
  wire::Writer(&insert).StringListField(1, {"file:/x/0"});
  wire::Writer(&insert).StringListField(2, {"checksum"});
  wire::Writer(&insert).Stop();
  std::string data;
  wire::Writer(&data).RawField(wire::TType::kStruct, 1, insert);
  wire::Writer(&data).Stop();
  std::string request;
  wire::Writer(&request).BoolField(1, true);
  wire::Writer(&request).RawField(wire::TType::kStruct, 2, data);
  wire::Writer(&request).StringField(3, "sales");
  wire::Writer(&request).StringField(4, "orders");
  wire::Writer(&request).Stop();
  std::string arguments;
  wire::Writer(&arguments).RawField(wire::TType::kStruct, 1, request);
  wire::Writer(&arguments).Stop();
  const api::NotificationEvent event = EventOf([&] {
    EXPECT_TRUE(client().channel().Call(wire::EncodeCall("fire_listener_event", 1, arguments),
                                        TimePoint::max()));
  });
  EXPECT_EQ(event.eventType, "INSERT");
  EXPECT_EQ(Message(event)["files"].dump(), R"(["file:/x/0###"])");
  EXPECT_EQ(Message(event)["replace"], "true");
}

TEST_F(PartitionSearchTest, ReportsOfClientsAreLogged) {
  CreateKeyed();
  api::InsertEventRequestData data;
  data.filesAdded = {"file:/x/0"};
  data.__set_replace(false);
  api::FireEventRequest request;
  request.successful = true;
  request.__set_dbName("Sales");
  request.__set_tableName("Orders");
  request.__set_partitionVals({"a1", "1"});
  request.data.__set_insertData(data);
  api::FireEventResponse answer;
  const api::NotificationEvent insert =
      EventOf([&] { client().fire_listener_event(answer, request); });
  EXPECT_EQ(insert.eventType, "INSERT");
  EXPECT_THAT(answer.eventIds, ElementsAre(insert.eventId));
  EXPECT_EQ(Message(insert)["files"].dump(), R"(["file:/x/0###"])");
  EXPECT_EQ(Message(insert)["replace"], "false");
  EXPECT_EQ(Image<api::Partition>(Message(insert)["ptnObjJson"]),
            ReadPartition("sales", "orders", {"a1", "1"}));

  api::FireEventRequest reload;
  reload.successful = true;
  reload.__set_dbName("sales");
  reload.__set_tableName("orders");
  reload.data.__set_refreshEvent(true);
  const api::NotificationEvent reloaded =
      EventOf([&] { client().fire_listener_event(answer, reload); });
  EXPECT_EQ(reloaded.eventType, "RELOAD");
  EXPECT_EQ(Message(reloaded)["refreshEvent"], "true");
  reload.__set_tableName("none");
  EXPECT_THROW(client().fire_listener_event(answer, reload), apache::thrift::TApplicationException);
}

TEST_F(PartitionSearchTest, ReportsOfTransactionsAreTakenAndWriteNoEvent) {
  CreateKeyed();
  const int64_t before = CurrentId();
  api::WriteNotificationLogRequest write;
  write.txnId = write.writeId = 1;
  write.db = "sales";
  write.table = "orders";
  write.__set_partitionVals({"a1", "1"});
  api::WriteNotificationLogResponse answer;
  client().add_write_notification_log(answer, write);
  api::WriteNotificationLogBatchRequest batch;
  batch.catalog = "hive";
  batch.db = "sales";
  batch.table = "orders";
  batch.requestList = {write, write};
  api::WriteNotificationLogBatchResponse answers;
  client().add_write_notification_log_in_batch(answers, batch);
  EXPECT_EQ(CurrentId(), before);
  batch.requestList[1].__set_partitionVals({"gone", "1"});
  EXPECT_THROW(client().add_write_notification_log_in_batch(answers, batch),
               apache::thrift::TApplicationException);
  write.table = "gone";
  EXPECT_THROW(client().add_write_notification_log(answer, write),
               apache::thrift::TApplicationException);
}

}  // namespace
}  // namespace catalogd::hms
