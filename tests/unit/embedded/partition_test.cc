#include <fstream>

#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

class PartitionTest : public EmbeddedTest {
 protected:
  void SetUp() override {
    EmbeddedTest::SetUp();
    orders_ = CreateOrders();
  }
  Strings Names(int16_t max = -1) {
    Strings names;
    client().get_partition_names(names, "sales", "orders", max);
    return names;
  }
  api::Table orders_;
};

TEST_F(PartitionTest, AddCompletesAndAnnouncesWhatIsStored) {
  api::Partition answer;
  const auto event =
      EventOf([&] { client().add_partition(answer, MakePartition(orders_, {"2026/11"})); });
  const api::Partition stored = ReadPartition("sales", "orders", {"2026/11"});
  EXPECT_EQ(answer.values, stored.values);
  EXPECT_EQ(answer.sd.location, stored.sd.location);
  EXPECT_EQ(answer.parameters, stored.parameters);
  EXPECT_EQ(stored.sd.location, Place("sales.db/orders/day=2026%2F11"));
  EXPECT_EQ(stored.createTime, kStartSeconds);
  EXPECT_EQ(stored.parameters.at("transient_lastDdlTime"), std::to_string(kStartSeconds));
  EXPECT_EQ(stored.catName, "hive");
  EXPECT_EQ(stored.writeId, -1);
  EXPECT_TRUE(Exists("sales.db/orders/day=2026%2F11"));
  const auto message = Message(event);
  EXPECT_EQ(event.eventType, "ADD_PARTITION");
  EXPECT_THAT(KeysOf(message),
              ElementsAre("server", "servicePrincipal", "db", "table", "tableType", "tableObjJson",
                          "timestamp", "partitions", "partitionListJson", "partitionFiles"));
  EXPECT_EQ(message["partitions"].dump(), R"([{"day":"2026/11"}])");
  EXPECT_EQ(message["partitionFiles"].dump(), R"([{"partitionName":"day=2026%2F11","files":[]}])");
  EXPECT_EQ(Image<api::Partition>(message["partitionListJson"][0]), stored);
  EXPECT_EQ(Image<api::Table>(message["tableObjJson"]), orders_);
}

TEST_F(PartitionTest, AddRefusesWhatCannotBeAndAddsNothing) {
  AddDays(orders_, {"1"});
  const int64_t before = CurrentId();
  EXPECT_THAT(
      [&] {
        AddDays(orders_, {"2", "1"});
      },
      ThrowsHive<api::AlreadyExistsException>(
          "Partition(s) already exist, partition name(s): [day=1]"));
  EXPECT_THAT(
      [&] {
        AddDays(orders_, {"3", "3"});
      },
      ThrowsHive<api::MetaException>("Duplicate partitions in the list: Partition(values:[3])"));
  api::Partition answer;
  EXPECT_THAT(
      [&] {
        client().add_partition(answer, MakePartition(orders_, {"a", "b"}));
      },
      ThrowsHive<api::MetaException>(
          "Invalid partition key & values; keys [day, ], values [a, b, ]"));
  EXPECT_THAT(
      [&] { client().add_partition(answer, MakePartition(MakeTable("sales", "none"), {"1"})); },
      ThrowsHive<api::InvalidObjectException>("hive.sales.none does not exist"));
  api::AddPartitionsRequest request;
  request.__set_dbName("sales");
  request.__set_tblName("orders");
  request.__set_parts({MakePartition(MakeTable("sales", "other"), {"5"})});
  api::AddPartitionsResult result;
  EXPECT_THAT([&] { client().add_partitions_req(result, request); },
              ThrowsHive<api::MetaException>("does not belong to target table"));
  api::Partition bare = MakePartition(orders_, {"6"});
  bare.__isset.sd = false;
  EXPECT_THAT([&] { client().add_partition(answer, bare); },
              ThrowsHive<api::MetaException>("no storage descriptor"));
  EXPECT_EQ(CurrentId(), before);
  EXPECT_THAT(Names(), ElementsAre("day=1"));
  EXPECT_FALSE(Exists("sales.db/orders/day=2"));
}

TEST_F(PartitionTest, IfNotExistsSkipsAndIsSilentWhenNothingIsNew) {
  AddDays(orders_, {"1"});
  api::AddPartitionsRequest request;
  request.__set_dbName("sales");
  request.__set_tblName("orders");
  request.__set_ifNotExists(true);
  request.__set_parts({MakePartition(orders_, {"1"}), MakePartition(orders_, {"2"})});
  api::AddPartitionsResult result;
  const auto event = EventOf([&] { client().add_partitions_req(result, request); });
  ASSERT_EQ(result.partitions.size(), 1U);
  EXPECT_THAT(result.partitions[0].values, ElementsAre("2"));
  EXPECT_EQ(Message(event)["partitions"].dump(), R"([{"day":"2"}])");
  const int64_t before = CurrentId();
  request.__set_needResult(false);
  result = {};
  client().add_partitions_req(result, request);
  EXPECT_FALSE(result.__isset.partitions);
  EXPECT_EQ(CurrentId(), before);
}

TEST_F(PartitionTest, EveryFormOfAppend) {
  api::Partition answer;
  client().append_partition(answer, "sales", "orders", {"1"});
  client().append_partition_by_name(answer, "sales", "orders", "day=2");
  client().append_partition_with_environment_context(answer, "sales", "orders", {"3"}, {});
  client().append_partition_by_name_with_environment_context(answer, "sales", "orders", "day=4",
                                                             {});
  api::AppendPartitionsRequest request;
  request.__set_dbName("sales");
  request.__set_tableName("orders");
  request.__set_partVals({"5"});
  client().append_partition_req(answer, request);
  request.__set_name("day=6");
  answer = {};
  answer.__isset.writeId = false;
  client().append_partition_req(answer, request);
  EXPECT_THAT(Names(), ElementsAre("day=1", "day=2", "day=3", "day=4", "day=5", "day=6"));
  EXPECT_EQ(answer.sd.location, Place("sales.db/orders/day=6"));
  EXPECT_EQ(answer.sd.cols, orders_.sd.cols);
  EXPECT_FALSE(answer.__isset.writeId);
  EXPECT_THAT([&] { client().append_partition_by_name(answer, "sales", "orders", "hour=1"); },
              ThrowsHive<api::InvalidObjectException>("incomplete partition name"));
}

// Names sort by the bytes of their escaped text, so day=10 comes before day=2.
TEST_F(PartitionTest, OrderAndLimits) {
  AddDays(orders_, {"2", "10", "1"});
  EXPECT_THAT(Names(), ElementsAre("day=1", "day=10", "day=2"));
  EXPECT_THAT(Names(2), ElementsAre("day=1", "day=10"));
  EXPECT_THAT(Names(0), IsEmpty());
  std::vector<api::Partition> partitions;
  client().get_partitions(partitions, "sales", "orders", 1);
  ASSERT_EQ(partitions.size(), 1U);
  EXPECT_THAT(partitions[0].values, ElementsAre("1"));
  client().get_partitions_with_auth(partitions, "sales", "orders", -1, "bob", {});
  EXPECT_EQ(partitions.size(), 3U);
  client().get_partitions_by_names(partitions, "sales", "orders",
                                   {"day=2", "day=none", "day=1", "day=2"});
  ASSERT_EQ(partitions.size(), 2U);
  EXPECT_THAT(partitions[0].values, ElementsAre("1"));
}

TEST_F(PartitionTest, RequestFormsOfReads) {
  AddDays(orders_, {"1", "2"});
  api::PartitionsRequest list;
  list.__set_dbName("sales");
  list.__set_tblName("orders");
  list.__set_skipColumnSchemaForPartition(true);
  api::PartitionsResponse listed;
  client().get_partitions_req(listed, list);
  ASSERT_EQ(listed.partitions.size(), 2U);
  EXPECT_FALSE(listed.partitions[0].sd.__isset.cols);
  Strings names;
  client().fetch_partition_names_req(names, list);
  EXPECT_THAT(names, ElementsAre("day=1", "day=2"));
  api::GetPartitionRequest get;
  get.__set_dbName("sales");
  get.__set_tblName("orders");
  get.__set_partVals({"2"});
  api::GetPartitionResponse got;
  client().get_partition_req(got, get);
  EXPECT_EQ(got.partition, ReadPartition("sales", "orders", {"2"}));
  api::GetPartitionsByNamesRequest by_names;
  by_names.__set_db_name("sales");
  by_names.__set_tbl_name("orders");
  by_names.__set_names({"day=2"});
  api::GetPartitionsByNamesResult found;
  client().get_partitions_by_names_req(found, by_names);
  EXPECT_THAT(found.partitions, ElementsAre(got.partition));
  api::Partition by_name;
  client().get_partition_by_name(by_name, "sales", "orders", "day=2");
  EXPECT_EQ(by_name, got.partition);
}

TEST_F(PartitionTest, MissingPartitionsAndTables) {
  EXPECT_THAT([&] { ReadPartition("sales", "orders", {"9"}); },
              ThrowsHive<api::NoSuchObjectException>("partition values=[9]"));
  EXPECT_THAT(
      [&] {
        ReadPartition("sales", "orders", {"9", "9"});
      },
      ThrowsHive<api::MetaException>(
          "Invalid partition key & values; keys [day, ], values [9, 9, ]"));
  EXPECT_THAT([&] { ReadPartition("sales", "none", {"9"}); },
              ThrowsHive<api::NoSuchObjectException>(
                  "Unable to get partition because hive.sales.none does not exist"));
  Strings names;
  client().get_partition_names(names, "sales", "none", -1);
  EXPECT_THAT(names, IsEmpty());
  std::vector<api::Partition> partitions;
  client().get_partitions(partitions, "sales", "none", -1);
  EXPECT_THAT(partitions, IsEmpty());
  client().create_table(MakeTable("sales", "plain"));
  client().get_partition_names(names, "sales", "plain", -1);
  EXPECT_THAT(names, IsEmpty());
}

TEST_F(PartitionTest, PartialValues) {
  client().create_table(MakeTable("sales", "two", {"a", "b"}));
  const api::Table two = ReadTable("sales", "two");
  client().add_partitions({MakePartition(two, {"1", "x"}), MakePartition(two, {"1", "y"}),
                           MakePartition(two, {"2", "x"})});
  Strings names;
  client().get_partition_names_ps(names, "sales", "two", {"1"}, -1);
  EXPECT_THAT(names, ElementsAre("a=1/b=x", "a=1/b=y"));
  client().get_partition_names_ps(names, "sales", "two", {"", "x"}, -1);
  EXPECT_THAT(names, ElementsAre("a=1/b=x", "a=2/b=x"));
  client().get_partition_names_ps(names, "sales", "two", {"", "x"}, 1);
  EXPECT_THAT(names, ElementsAre("a=1/b=x"));
  std::vector<api::Partition> partitions;
  client().get_partitions_ps(partitions, "sales", "two", {"2"}, -1);
  EXPECT_EQ(partitions.size(), 1U);
  client().get_partitions_ps_with_auth(partitions, "sales", "two", {"7"}, -1, "bob", {});
  EXPECT_THAT(partitions, IsEmpty());
  EXPECT_THAT(
      [&] {
        client().get_partitions_ps(partitions, "sales", "two", {"1", "x", "z"}, -1);
      },
      ThrowsHive<api::MetaException>("Incorrect number of partition values"));
  api::GetPartitionsPsWithAuthRequest request;
  request.__set_dbName("sales");
  request.__set_tblName("two");
  request.__set_partVals({"1"});
  api::GetPartitionsPsWithAuthResponse response;
  client().get_partitions_ps_with_auth_req(response, request);
  EXPECT_EQ(response.partitions.size(), 2U);
  api::GetPartitionNamesPsRequest names_request;
  names_request.__set_dbName("sales");
  names_request.__set_tblName("two");
  names_request.__set_partValues({"2"});
  api::GetPartitionNamesPsResponse names_response;
  client().get_partition_names_ps_req(names_response, names_request);
  EXPECT_THAT(names_response.names, ElementsAre("a=2/b=x"));
}

TEST_F(PartitionTest, AlterOfOneHasBothImages) {
  AddDays(orders_, {"1"});
  const api::Partition before = ReadPartition("sales", "orders", {"1"});
  api::Partition next = before;
  next.parameters["k"] = "v";
  const auto event = EventOf([&] { client().alter_partition("sales", "orders", next); });
  EXPECT_EQ(event.eventType, "ALTER_PARTITION");
  const api::Partition after = ReadPartition("sales", "orders", {"1"});
  EXPECT_EQ(after.parameters.at("k"), "v");
  const auto message = Message(event);
  EXPECT_THAT(KeysOf(message),
              ElementsAre("server", "servicePrincipal", "db", "table", "tableType", "tableObjJson",
                          "isTruncateOp", "timestamp", "writeId", "keyValues",
                          "partitionObjBeforeJson", "partitionObjAfterJson"));
  EXPECT_EQ(message["keyValues"].dump(), R"({"day":"1"})");
  EXPECT_EQ(message["writeId"], -1);
  EXPECT_EQ(Image<api::Partition>(message["partitionObjBeforeJson"]), before);
  EXPECT_EQ(Image<api::Partition>(message["partitionObjAfterJson"]), after);
  next.__set_values({"missing"});
  EXPECT_THAT([&] { client().alter_partition("sales", "orders", next); },
              ThrowsHive<api::InvalidOperationException>(
                  "alter is not possible: partition values=[missing]"));
}

TEST_F(PartitionTest, AlterOfSeveralIsOneEventPerThousandAndAllOrNothing) {
  Strings days;
  for (int i = 0; i < 1001; ++i) days.push_back(std::to_string(10000 + i));
  AddDays(orders_, days);
  std::vector<api::Partition> partitions;
  client().get_partitions(partitions, "sales", "orders", -1);
  for (api::Partition& one : partitions) one.parameters["k"] = "v";
  const int64_t before = CurrentId();
  client().alter_partitions("sales", "orders", partitions);
  const Events events = EventsAfter(before);
  ASSERT_THAT(TypesOf(events), ElementsAre("ALTER_PARTITIONS", "ALTER_PARTITIONS"));
  EXPECT_EQ(Message(events[0])["partitions"].size(), 1000U);
  const auto message = Message(events[1]);
  EXPECT_THAT(KeysOf(message), ElementsAre("server", "servicePrincipal", "db", "table", "tableType",
                                           "tableObjJson", "isTruncateOp", "timestamp", "writeId",
                                           "partitions", "partitionListJson"));
  EXPECT_EQ(Image<api::Partition>(message["partitionListJson"][0]),
            ReadPartition("sales", "orders", {"11000"}));
  api::AlterPartitionsRequest request;
  request.__set_dbName("sales");
  request.__set_tableName("orders");
  api::Partition missing = partitions[0];
  missing.__set_values({"missing"});
  partitions[1].parameters["k"] = "w";
  request.__set_partitions({partitions[1], missing});
  api::AlterPartitionsResponse response;
  EXPECT_THAT([&] { client().alter_partitions_req(response, request); },
              ThrowsHive<api::InvalidOperationException>(
                  "new parts size 2 not matching with old parts size 1"));
  EXPECT_EQ(ReadPartition("sales", "orders", partitions[1].values).parameters.at("k"), "v");
  EXPECT_EQ(CurrentId(), before + 2);
}

TEST_F(PartitionTest, RenameKeepsTheOldValuesInTheEventAndMovesManagedFiles) {
  AddDays(orders_, {"1", "2"});
  const api::Partition before = ReadPartition("sales", "orders", {"1"});
  api::Partition next = before;
  next.__set_values({"3"});
  const auto event = EventOf([&] { client().rename_partition("sales", "orders", {"1"}, next); });
  EXPECT_EQ(event.eventType, "ALTER_PARTITION");
  EXPECT_EQ(Message(event)["keyValues"].dump(), R"({"day":"1"})");
  const api::Partition after = ReadPartition("sales", "orders", {"3"});
  EXPECT_EQ(Image<api::Partition>(Message(event)["partitionObjAfterJson"]), after);
  EXPECT_EQ(after.sd.location, Place("sales.db/orders/day=3"));
  EXPECT_TRUE(Exists("sales.db/orders/day=3"));
  EXPECT_FALSE(Exists("sales.db/orders/day=1"));
  EXPECT_THAT(Names(), ElementsAre("day=2", "day=3"));
  next.__set_values({"2"});
  EXPECT_THAT(
      [&] { client().rename_partition("sales", "orders", {"3"}, next); },
      ThrowsHive<api::InvalidOperationException>("Partition already exists:sales.orders.[2]"));
  api::RenamePartitionRequest request;
  request.__set_dbName("sales");
  request.__set_tableName("orders");
  request.__set_partVals({"1"});
  request.__set_newPart(next);
  api::RenamePartitionResponse response;
  EXPECT_THAT([&] { client().rename_partition_req(response, request); },
              ThrowsHive<api::InvalidOperationException>("old partition does not exist"));
}

TEST_F(PartitionTest, EveryFormOfDropOfOne) {
  AddDays(orders_, {"1", "2", "3", "4", "5", "6"});
  const auto event =
      EventOf([&] { EXPECT_TRUE(client().drop_partition("sales", "orders", {"1"}, true)); });
  EXPECT_THAT(KeysOf(Message(event)),
              ElementsAre("server", "servicePrincipal", "db", "table", "tableType", "tableObjJson",
                          "timestamp", "partitions"));
  EXPECT_EQ(Message(event)["partitions"].dump(), R"([{"day":"1"}])");
  EXPECT_FALSE(Exists("sales.db/orders/day=1"));
  client().drop_partition_by_name("sales", "orders", "day=2", false);
  EXPECT_TRUE(Exists("sales.db/orders/day=2"));
  client().drop_partition_with_environment_context("sales", "orders", {"3"}, true, {});
  client().drop_partition_by_name_with_environment_context("sales", "orders", "day=4", true, {});
  api::DropPartitionRequest request;
  request.__set_dbName("sales");
  request.__set_tblName("orders");
  request.__set_partVals({"5"});
  EXPECT_TRUE(client().drop_partition_req(request));
  request.__set_partName("day=6");
  EXPECT_TRUE(client().drop_partition_req(request));
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_THAT([&] { client().drop_partition("sales", "orders", {"1"}, true); },
              ThrowsHive<api::NoSuchObjectException>("partition values=[1]"));
}

TEST_F(PartitionTest, DropOfSeveralIsOneEventWithTheList) {
  AddDays(orders_, {"1", "2", "3"});
  api::DropPartitionsRequest request;
  request.__set_dbName("sales");
  request.__set_tblName("orders");
  request.parts.__set_names({"day=3", "day=1", "day=none"});
  request.__set_ifExists(false);
  api::DropPartitionsResult result;
  EXPECT_THAT([&] { client().drop_partitions_req(result, request); },
              ThrowsHive<api::NoSuchObjectException>("Some partitions to drop are missing"));
  EXPECT_EQ(Names().size(), 3U);
  request.__set_ifExists(true);
  const auto event = EventOf([&] { client().drop_partitions_req(result, request); });
  EXPECT_EQ(event.eventType, "DROP_PARTITION");
  EXPECT_EQ(Message(event)["partitions"].dump(), R"([{"day":"1"},{"day":"3"}])");
  EXPECT_EQ(result.partitions.size(), 2U);
  const int64_t before = CurrentId();
  client().drop_partitions_req(result, request);
  EXPECT_EQ(CurrentId(), before);
  request.parts = {};
  request.parts.__set_exprs({api::DropPartitionsExpr()});
  EXPECT_THAT([&] { client().drop_partitions_req(result, request); },
              ThrowsHive<api::MetaException>("not by an expression"));
}

TEST_F(PartitionTest, NamesAndValues) {
  Strings values;
  client().partition_name_to_vals(values, "a=1%2F2/b=x");
  EXPECT_THAT(values, ElementsAre("1/2", "x"));
  std::map<std::string, std::string> spec;
  client().partition_name_to_spec(spec, "a=1%2F2/b=x");
  EXPECT_EQ(spec, (std::map<std::string, std::string>{{"a", "1/2"}, {"b", "x"}}));
  client().partition_name_to_vals(values, "nonsense");
  EXPECT_THAT(values, IsEmpty());
  client().partition_name_to_vals(values, "");
  EXPECT_THAT(values, IsEmpty());
  EXPECT_TRUE(client().partition_name_has_valid_characters({"x"}, true));
}

TEST_F(PartitionTest, AnEmptyValueIsTheDefaultPartition) {
  AddDays(orders_, {""});
  EXPECT_THAT(Names(), ElementsAre("day=__HIVE_DEFAULT_PARTITION__"));
}

}  // namespace

}  // namespace catalogd::hms
