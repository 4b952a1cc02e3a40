#include "hms_client/metastore_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "hms_client/socket_connector.h"
#include "tests/unit/hms_client/fake_metastore.h"

namespace catalogd::hms {
namespace {

using server::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Request = FakeMetastore::Request;

const ObjectName kSales = ObjectName::Database("hive", "sales");
const ObjectName kOrders = ObjectName::Table("hive", "sales", "orders");
const ObjectName kOtherOrders = ObjectName::Table("spark", "sales", "orders");

// A struct {1: text} in the place of a table, database or partition.
std::string Object(std::string_view text) {
  std::string out;
  wire::Writer writer(&out);
  writer.StringField(1, text);
  writer.Stop();
  return out;
}

std::string Structs(const std::vector<std::string>& structs) {
  std::string out;
  wire::Writer writer(&out);
  writer.ListBegin(wire::TType::kStruct, structs.size());
  for (const auto& one : structs) writer.Raw(one);
  return out;
}

std::string InField(wire::TType type, int16_t id, const std::string& value) {
  std::string out;
  wire::Writer writer(&out);
  writer.RawField(type, id, value);
  writer.Stop();
  return out;
}

class MetastoreClientTest : public ::testing::Test {
 protected:
  MetastoreClientTest()
      : connector_(ConnectorOptions{{fake_.address()}, {}, {}, 1}, SystemClock()),
        pool_(&connector_, SystemClock(), {}),
        client_(&pool_) {
    BeHive3();
  }

  void BeHive2() {
    BeHive3();
    Forget("get_metastore_db_uuid");
    Forget("get_catalogs");
  }
  void BeHive3() {
    fake_.AnswerString("getVersion", "3.0");
    fake_.AnswerString("get_metastore_db_uuid", "u-u-i-d");
    fake_.Throw("get_table", 2, "hive.x.y table not found");
  }
  void BeHive4() {
    fake_.AnswerString("getVersion", "4.2.0");
    Forget("get_table");
  }
  void Forget(const std::string& method) {
    fake_.Fail(method, wire::ApplicationError::kUnknownMethod,
               "Invalid method name: '" + method + "'");
  }
  // Remembers the arguments of the last call of that method, and answers.
  void Answer(const std::string& method, wire::TType type, const std::string& value) {
    fake_.On(method, [this, type, value](const Request& request, std::string* reply) {
      args_ = std::string(request.args.bytes());
      *reply = wire::EncodeReply(request.method, request.sequence_id, type, 0, value);
      return Outcome::kReplied;
    });
  }
  [[nodiscard]] wire::StructView args() const { return wire::StructView(args_); }

  FakeMetastore fake_;
  SocketConnector connector_;
  ChannelPool pool_;
  MetastoreClient client_;
  std::string args_;
};

TEST_F(MetastoreClientTest, TellsGenerationsByWhatTheyKnow) {
  auto facts = client_.Facts(Later());
  ASSERT_TRUE(facts) << facts.error().ToString();
  EXPECT_EQ(facts->generation, Generation::kHive3);
  EXPECT_EQ(facts->version, "3.0");
  EXPECT_EQ(facts->uuid, "u-u-i-d");
  EXPECT_TRUE(facts->has_get_table);

  BeHive2();
  facts = client_.Facts(Later());
  EXPECT_EQ(facts->generation, Generation::kHive2);
  EXPECT_EQ(facts->uuid, std::nullopt);
  EXPECT_TRUE(facts->has_get_table);

  BeHive3();
  BeHive4();
  facts = client_.Facts(Later());
  EXPECT_EQ(facts->generation, Generation::kHive4);
  EXPECT_FALSE(facts->has_get_table);

  // A distributor's version text says nothing; a method of Hive 4 does.
  fake_.AnswerString("getVersion", "3.1.3000.7");
  EXPECT_EQ(client_.Facts(Later())->generation, Generation::kHive3);
  fake_.Throw("get_database_req", 1, "x");
  EXPECT_EQ(client_.Facts(Later())->generation, Generation::kHive4);
}

TEST_F(MetastoreClientTest, ReadsTheCurrentEventId) {
  std::string id;
  wire::Writer writer(&id);
  writer.I64Field(1, 4711);
  writer.Stop();
  fake_.Answer("get_current_notificationEventId", wire::TType::kStruct, id);
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(4711));
  fake_.Answer("get_current_notificationEventId", wire::TType::kStruct, std::string(1, '\0'));
  EXPECT_EQ(client_.CurrentEventId(Later()).error().code, ErrorCode::kCorrupt);
}

TEST_F(MetastoreClientTest, ReadsEventsWithAndWithoutOptionalFields) {
  std::string full;
  wire::Writer writer(&full);
  writer.I64Field(1, 7);
  writer.I32Field(2, 1700000000);
  writer.StringField(3, "CREATE_TABLE");
  writer.StringField(4, "sales");
  writer.StringField(5, "orders");
  writer.StringField(6, "{}");
  writer.StringField(7, "json-0.2");
  writer.StringField(8, "hive");
  writer.StringField(99, "from the future");
  writer.Stop();
  std::string bare;
  wire::Writer bare_writer(&bare);
  bare_writer.I64Field(1, 8);
  bare_writer.I32Field(2, 5);
  bare_writer.StringField(3, "OPEN_TXN");
  bare_writer.StringField(6, "");
  bare_writer.Stop();
  Answer("get_next_notification", wire::TType::kStruct,
         InField(wire::TType::kList, 1, Structs({full, bare})));
  const auto events = client_.NextEvents(EventId(6), 100, Later());
  ASSERT_TRUE(events) << events.error().ToString();
  EXPECT_THAT(*events,
              ElementsAre(NotificationEvent{EventId(7), 1700000000, "CREATE_TABLE", "hive", "sales",
                                            "orders", "{}", "json-0.2"},
                          NotificationEvent{EventId(8), 5, "OPEN_TXN", {}, {}, {}, "", {}}));
  EXPECT_EQ(args().Struct(1)->I64(1), 6);
  EXPECT_EQ(args().Struct(1)->I32(2), 100);
  ASSERT_TRUE(client_.NextEvents(EventId(6), 0, Later()));
  EXPECT_EQ(args().Struct(1)->I32(2), std::nullopt);

  Answer("get_next_notification", wire::TType::kStruct,
         InField(wire::TType::kList, 1, Structs({Object("no id")})));
  EXPECT_EQ(client_.NextEvents(EventId(6), 0, Later()).error().code, ErrorCode::kCorrupt);
}

// Both causes arrive as the same text; the server's setting tells them apart.
TEST_F(MetastoreClientTest, TellsARefusedLogFromABrokenServer) {
  for (const std::string method : {"get_next_notification", "get_current_notificationEventId"}) {
    const auto ask = [&]() -> Error {
      if (method == "get_next_notification") {
        return client_.NextEvents(EventId(0), 1, Later()).error();
      }
      return client_.CurrentEventId(Later()).error();
    };
    fake_.Fail(method, wire::ApplicationError::kInternalError,
               "Internal error processing " + method);
    fake_.AnswerString("get_config_value", "true");
    EXPECT_EQ(ask().code, ErrorCode::kPermission);
    EXPECT_THAT(ask().message, HasSubstr("hive.metastore.event.db.notification.api.auth=false"));
    fake_.AnswerString("get_config_value", "false");
    EXPECT_EQ(ask().code, ErrorCode::kInternal);
    EXPECT_THAT(ask().message, HasSubstr("Internal error processing " + method));
    fake_.Fail(method, wire::ApplicationError::kInternalError,
               "User bob is not authorized to perform this operation");
    EXPECT_EQ(ask().code, ErrorCode::kPermission);
    Forget(method);
    EXPECT_EQ(ask().code, ErrorCode::kUnsupported);
  }
  // Hive 2.3 answers null after a failure of its own.
  fake_.On("get_next_notification", [](const Request& request, std::string* reply) {
    *reply = wire::EncodeVoidReply(request.method, request.sequence_id);
    return Outcome::kReplied;
  });
  const auto null = client_.NextEvents(EventId(0), 1, Later());
  EXPECT_EQ(null.error().code, ErrorCode::kInternal);
}

TEST_F(MetastoreClientTest, ListsCatalogsDatabasesAndTables) {
  fake_.Answer("get_catalogs", wire::TType::kStruct,
               InField(wire::TType::kList, 1, FakeMetastore::EncodedStrings({"hive", "spark"})));
  EXPECT_THAT(*client_.ListCatalogs(Later()), ElementsAre("hive", "spark"));
  fake_.AnswerStrings("get_all_databases", {"default", "sales"});
  EXPECT_THAT(*client_.ListDatabases("hive", Later()), ElementsAre("default", "sales"));

  Answer("get_databases", wire::TType::kList, FakeMetastore::EncodedStrings({"other"}));
  EXPECT_THAT(*client_.ListDatabases("spark", Later()), ElementsAre("other"));
  EXPECT_EQ(args().String(1), "@spark#");
  Answer("get_all_tables", wire::TType::kList, FakeMetastore::EncodedStrings({"a", "b.c"}));
  EXPECT_THAT(*client_.ListTables(kSales, Later()), ElementsAre("a", "b.c"));
  EXPECT_EQ(args().String(1), "sales");
  ASSERT_TRUE(client_.ListTables(kOtherOrders.DatabaseName(), Later()));
  EXPECT_EQ(args().String(1), "@spark#sales");
  Answer("get_all_tables", wire::TType::kList, FakeMetastore::EncodedStrings({}));
  EXPECT_THAT(*client_.ListTables(kSales, Later()), IsEmpty());
}

TEST_F(MetastoreClientTest, Hive2HasOneCatalog) {
  BeHive2();
  EXPECT_THAT(*client_.ListCatalogs(Later()), ElementsAre("hive"));
  EXPECT_EQ(client_.ListDatabases("spark", Later()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(client_.ReadTable(kOtherOrders, Later()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(client_.ReadPartitions(kOtherOrders, Later()).error().code, ErrorCode::kNotFound);
}

TEST_F(MetastoreClientTest, ReadsDatabasesRaw) {
  Answer("get_database", wire::TType::kStruct, Object("sales"));
  EXPECT_EQ(*client_.ReadDatabase(kSales, Later()), Object("sales"));
  fake_.Throw("get_database", 1, "sales");
  const auto missing = client_.ReadDatabase(kSales, Later());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "get_database sales: NoSuchObjectException: sales");
  fake_.Throw("get_database", 2, "database is down");
  const auto broken = client_.ReadDatabase(kSales, Later());
  EXPECT_EQ(broken.error().code, ErrorCode::kInternal);
  EXPECT_EQ(broken.error().message, "get_database sales: MetaException: database is down");
}

TEST_F(MetastoreClientTest, ReadsTablesOldStyleWhereThereIsOne) {
  Answer("get_table", wire::TType::kStruct, Object("orders"));
  EXPECT_EQ(*client_.ReadTable(kOrders, Later()), Object("orders"));
  EXPECT_EQ(args().String(1), "sales");
  EXPECT_EQ(args().String(2), "orders");
  ASSERT_TRUE(client_.ReadTable(kOtherOrders, Later()));
  EXPECT_EQ(args().String(1), "@spark#sales");
  EXPECT_EQ(fake_.CountOf("get_table_req"), 0U);
  fake_.Throw("get_table", 2, "hive.sales.orders table not found");
  EXPECT_EQ(client_.ReadTable(kOrders, Later()).error().code, ErrorCode::kNotFound);
  // What was found out once is not asked again.
  EXPECT_EQ(fake_.CountOf("getVersion"), 1U);
}

TEST_F(MetastoreClientTest, ReadsTablesByRequestWhereGetTableIsGone) {
  BeHive4();
  Answer("get_table_req", wire::TType::kStruct, InField(wire::TType::kStruct, 1, Object("orders")));
  EXPECT_EQ(*client_.ReadTable(kOrders, Later()), Object("orders"));
  EXPECT_EQ(args().Struct(1)->String(1), "sales");
  EXPECT_EQ(args().Struct(1)->String(2), "orders");
  EXPECT_FALSE(args().Struct(1)->Find(3));
  EXPECT_FALSE(args().Struct(1)->Find(4));
  ASSERT_TRUE(client_.ReadTable(kOtherOrders, Later()));
  EXPECT_EQ(args().Struct(1)->String(1), "sales");
  EXPECT_EQ(args().Struct(1)->String(4), "spark");
  fake_.Throw("get_table_req", 2, "not found");
  EXPECT_EQ(client_.ReadTable(kOrders, Later()).error().code, ErrorCode::kNotFound);
}

TEST_F(MetastoreClientTest, NoticesThatAnotherServerAnswersNow) {
  Answer("get_table", wire::TType::kStruct, Object("orders"));
  ASSERT_TRUE(client_.ReadTable(kOrders, Later()));
  BeHive4();
  Answer("get_table_req", wire::TType::kStruct, InField(wire::TType::kStruct, 1, Object("orders")));
  EXPECT_EQ(*client_.ReadTable(kOrders, Later()), Object("orders"));
  EXPECT_EQ(*client_.ReadTable(kOrders, Later()), Object("orders"));
  EXPECT_EQ(fake_.CountOf("getVersion"), 2U);
}

TEST_F(MetastoreClientTest, ReadsInsertOnlyTablesWithTheCapability) {
  const auto with_capability = [this](const Request& request, std::string* reply) {
    args_ = std::string(request.args.bytes());
    *reply = args().Struct(1)->Find(3)
                 ? wire::EncodeReply(request.method, request.sequence_id, wire::TType::kStruct, 0,
                                     InField(wire::TType::kStruct, 1, Object("mm")))
                 : wire::EncodeExceptionReply(request.method, request.sequence_id, 1,
                                              "Your client does not appear to support insert-only "
                                              "tables.");
    return Outcome::kReplied;
  };
  fake_.On("get_table_req", with_capability);
  fake_.Throw("get_table", 1, "Your client does not appear to support insert-only tables.");
  EXPECT_EQ(*client_.ReadTable(kOrders, Later()), Object("mm"));
  const auto capabilities = args().Struct(1)->Struct(3)->Find(1);
  ASSERT_TRUE(capabilities);
  const wire::ListView list(capabilities->value);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(wire::DecodeI32(list.Elements()[0]), 2);
  BeHive4();
  EXPECT_EQ(*client_.ReadTable(kOrders, Later()), Object("mm"));
}

std::vector<std::string> Numbered(size_t count, const std::string& prefix) {
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) out.push_back(prefix + std::to_string(100000 + i));
  return out;
}

std::vector<std::string> AsObjects(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const auto& text : texts) out.push_back(Object(text));
  return out;
}

TEST_F(MetastoreClientTest, ReadsSmallTablesInOneCall) {
  Answer("get_partitions", wire::TType::kList, Structs({Object("a"), Object("b")}));
  EXPECT_THAT(*client_.ReadPartitions(kOrders, Later()), ElementsAre(Object("a"), Object("b")));
  EXPECT_EQ(args().I16(3), 1001);
  EXPECT_THAT(fake_.seen(), ElementsAre("get_partitions"));
  Answer("get_partitions", wire::TType::kList, Structs({}));
  EXPECT_THAT(*client_.ReadPartitions(kOrders, Later()), IsEmpty());
  fake_.Throw("get_partitions", 1, "hive.sales.orders table not found");
  EXPECT_EQ(client_.ReadPartitions(kOrders, Later()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fake_.CountOf("get_partition_names"), 0U);
}

// The far side holds 2,500 partitions and has `most` as its limit for one request; beyond it says
// so, or just dies, as metastores without memory do.
class LargeTable {
 public:
  LargeTable(FakeMetastore* fake, size_t most, bool cuts) {
    const auto fail = [cuts](const Request& request, int16_t id, std::string* reply) {
      if (cuts) return Outcome::kClose;
      *reply = wire::EncodeExceptionReply(request.method, request.sequence_id, id, "too many");
      return Outcome::kReplied;
    };
    const auto all = Numbered(2500, "day=");
    fake->On("get_partitions", [=](const Request& request, std::string* reply) {
      const auto asked = static_cast<size_t>(request.args.I16(3).value_or(-1));
      if (asked > most) return fail(request, 2, reply);
      *reply = wire::EncodeReply(request.method, request.sequence_id, wire::TType::kList, 0,
                                 Structs(AsObjects(Numbered(asked, "day="))));
      return Outcome::kReplied;
    });
    fake->AnswerStrings("get_partition_names", all);
    fake->On("get_partitions_by_names",
             [this, fail, most](const Request& request, std::string* reply) {
               const auto names = wire::ListView(request.args.Find(3)->value).Strings();
               largest_ = std::max(largest_, names.size());
               if (names.size() > most) return fail(request, 1, reply);
               *reply = wire::EncodeReply(request.method, request.sequence_id, wire::TType::kList,
                                          0, Structs(AsObjects(names)));
               return Outcome::kReplied;
             });
  }
  [[nodiscard]] size_t largest() const { return largest_; }

 private:
  size_t largest_ = 0;
};

TEST_F(MetastoreClientTest, ReadsLargeTablesByNameInBatches) {
  for (const bool cuts : {false, true}) {
    for (const size_t most : {5000U, 1000U, 100U, 1U}) {
      LargeTable table(&fake_, most, cuts);
      const auto partitions = client_.ReadPartitions(kOrders, Later());
      ASSERT_TRUE(partitions) << partitions.error().ToString();
      EXPECT_EQ(*partitions, AsObjects(Numbered(2500, "day="))) << most;
      EXPECT_LE(table.largest(), MetastoreClient::kPartitionBatch);
    }
  }
}

TEST_F(MetastoreClientTest, GivesUpWhenNotEvenOnePartitionCanBeRead) {
  const LargeTable table(&fake_, 0, false);
  const auto partitions = client_.ReadPartitions(kOrders, Later());
  ASSERT_FALSE(partitions);
  EXPECT_EQ(partitions.error().code, ErrorCode::kInternal);
  EXPECT_THAT(partitions.error().message,
              HasSubstr("get_partitions_by_names sales.orders: MetaException: too many"));
}

TEST_F(MetastoreClientTest, ReadsPartitionsByNames) {
  Answer("get_partitions_by_names", wire::TType::kList, Structs({Object("a")}));
  EXPECT_THAT(*client_.ReadPartitionsByNames(kOtherOrders, {"p=1", "p=2"}, Later()),
              ElementsAre(Object("a")));
  EXPECT_EQ(args().String(1), "@spark#sales");
  EXPECT_THAT(wire::ListView(args().Find(3)->value).Strings(), ElementsAre("p=1", "p=2"));
  fake_.Throw("get_partitions_by_names", 2, "no table");
  EXPECT_EQ(client_.ReadPartitionsByNames(kOrders, {"p=1"}, Later()).error().code,
            ErrorCode::kNotFound);
  // As Hive 4 says it.
  fake_.Throw("get_partitions_by_names", 3, "hive.sales.orders table not found");
  EXPECT_EQ(client_.ReadPartitionsByNames(kOrders, {"p=1"}, Later()).error().code,
            ErrorCode::kNotFound);
  fake_.Throw("get_partitions_by_names", 3, "strange name");
  EXPECT_EQ(client_.ReadPartitionsByNames(kOrders, {"p=1"}, Later()).error().code,
            ErrorCode::kInternal);
  EXPECT_THAT(*client_.ReadPartitionsByNames(kOrders, {}, Later()), IsEmpty());
}

TEST_F(MetastoreClientTest, ReadsConfigValues) {
  Answer("get_config_value", wire::TType::kString, std::string("\0\0\0\x02ok", 6));
  EXPECT_EQ(*client_.ConfigValue("hive.x", "d", Later()), "ok");
  EXPECT_EQ(args().String(1), "hive.x");
  EXPECT_EQ(args().String(2), "d");
  fake_.Throw("get_config_value", 1, "For security reasons, no");
  const auto refused = client_.ConfigValue("password", "", Later());
  EXPECT_EQ(refused.error().code, ErrorCode::kPermission);
  EXPECT_EQ(refused.error().message,
            "get_config_value password: ConfigValSecurityException: For security reasons, no");
}

TEST_F(MetastoreClientTest, AsksOnceMoreWhenTheAnswerOfAReadIsLost) {
  int calls = 0;
  fake_.On("get_database", [&calls](const Request& request, std::string* reply) {
    if (++calls == 1) return Outcome::kClose;
    *reply = wire::EncodeReply(request.method, request.sequence_id, wire::TType::kStruct, 0,
                               Object("sales"));
    return Outcome::kReplied;
  });
  EXPECT_EQ(*client_.ReadDatabase(kSales, Later()), Object("sales"));
  fake_.Cut("get_database");
  EXPECT_EQ(client_.ReadDatabase(kSales, Later()).error().code, ErrorCode::kUnknownOutcome);
  EXPECT_EQ(fake_.CountOf("get_database"), 4U);
}

TEST_F(MetastoreClientTest, WrongTypesInAnAnswerAreCorrupt) {
  Answer("get_database", wire::TType::kI64, std::string(8, '\0'));
  EXPECT_EQ(client_.ReadDatabase(kSales, Later()).error().code, ErrorCode::kCorrupt);
  Answer("get_partitions", wire::TType::kList, FakeMetastore::EncodedStrings({"text"}));
  EXPECT_EQ(client_.ReadPartitions(kOrders, Later()).error().code, ErrorCode::kCorrupt);
}

TEST_F(MetastoreClientTest, ForwardsMessagesByteForByte) {
  std::string answer;
  fake_.On("drop_table", [&answer](const Request& request, std::string* reply) {
    *reply = wire::EncodeExceptionReply(request.method, request.sequence_id, 1, "gone");
    answer = *reply;
    return Outcome::kReplied;
  });
  const std::string message = wire::EncodeCall("drop_table", -77, Object("t"));
  const auto reply = client_.Forward(message, {}, Later());
  ASSERT_TRUE(reply);
  EXPECT_EQ(*reply, answer);
}

// Each connection answers with what its own position in `ids` says, the first one with the first.
class CurrentIdTest : public MetastoreClientTest {
 protected:
  CurrentIdTest() {
    fake_.On("get_current_notificationEventId", [this](const Request& request, std::string* reply) {
      const size_t number =
          number_of_.try_emplace(request.session->id(), number_of_.size()).first->second;
      std::string value;
      wire::Writer writer(&value);
      writer.I64Field(1, ids_.at(number));
      writer.Stop();
      *reply =
          wire::EncodeReply(request.method, request.sequence_id, wire::TType::kStruct, 0, value);
      return Outcome::kReplied;
    });
  }
  std::vector<int64_t> ids_;
  std::map<uint64_t, size_t> number_of_;
};

// What could go wrong: a connection is stuck in an old transaction and tells old ids for ever.
TEST_F(CurrentIdTest, AnIdBelowAKnownOneIsAskedForOnAFreshConnection) {
  ids_ = {10, 25};
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(10));
  ids_[0] = 9;
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(25));
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(25)) << "the old one is not used again";
  EXPECT_EQ(fake_.CountOf("get_current_notificationEventId"), 4U);
}

TEST_F(CurrentIdTest, EventsThatWereReadCountToo) {
  ids_ = {10, 12};
  std::string event;
  wire::Writer writer(&event);
  writer.I64Field(1, 12);
  writer.StringField(3, "CREATE_TABLE");
  writer.Stop();
  Answer("get_next_notification", wire::TType::kStruct,
         InField(wire::TType::kList, 1, Structs({event})));
  ASSERT_TRUE(client_.NextEvents(EventId(1), 10, Later()));
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(12));
}

TEST_F(CurrentIdTest, ARestoredMetastoreIsBelievedAndNotDoubtedAgain) {
  ids_ = {100, 50};
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(100));
  ids_[0] = 50;
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(50));
  ids_[1] = 51;
  EXPECT_EQ(*client_.CurrentEventId(Later()), EventId(51));
  EXPECT_EQ(fake_.CountOf("get_current_notificationEventId"), 4U);
}

TEST_F(MetastoreClientTest, TheDaemonReadsOnNoConnectionOfAClient) {
  fake_.AnswerString("ping", "");
  ASSERT_TRUE(client_.Forward(wire::EncodeCall("ping", 1, std::string(1, '\0')), {}, Later()));
  ASSERT_TRUE(client_.Facts(Later()));
  EXPECT_EQ(pool_.stats().opened, 2U);
}

TEST_F(MetastoreClientTest, ForwardNeverSendsTwice) {
  fake_.Cut("drop_table");
  const std::string message = wire::EncodeCall("drop_table", 1, Object("t"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client_.Forward(message, {}, Later()).error().code, ErrorCode::kUnknownOutcome);
  }
  EXPECT_EQ(fake_.CountOf("drop_table"), 3U);
}

TEST_F(MetastoreClientTest, ForwardUsesAConnectionOfTheIdentity) {
  fake_.AnswerStrings("set_ugi", {"alice"});
  std::vector<server::Session*> sessions;
  fake_.On("ping", [&sessions](const Request& request, std::string* reply) {
    sessions.push_back(request.session);
    *reply = wire::EncodeVoidReply(request.method, request.sequence_id);
    return Outcome::kReplied;
  });
  const std::string message = wire::EncodeCall("ping", 1, std::string(1, '\0'));
  ASSERT_TRUE(client_.Forward(message, {"alice", {}}, Later()));
  ASSERT_TRUE(client_.Forward(message, {}, Later()));
  ASSERT_TRUE(client_.Forward(message, {"alice", {}}, Later()));
  ASSERT_EQ(sessions.size(), 3U);
  EXPECT_EQ(sessions[0], sessions[2]);
  EXPECT_NE(sessions[0], sessions[1]);
  EXPECT_EQ(fake_.CountOf("set_ugi"), 1U);
}

TEST_F(MetastoreClientTest, ForwardRestoresItselfAfterARestart) {
  fake_.AnswerString("ping", "");
  const std::string message = wire::EncodeCall("ping", 1, std::string(1, '\0'));
  ASSERT_TRUE(client_.Forward(message, {}, Later()));
  fake_.Restart();
  EXPECT_TRUE(client_.Forward(message, {}, Later()));
  EXPECT_EQ(pool_.stats().stale_retries, 1U);
  EXPECT_EQ(fake_.CountOf("ping"), 2U);
}

TEST_F(MetastoreClientTest, ForwardsOnewayWithoutWaiting) {
  fake_.Mute("shutdown");
  std::string oneway;
  wire::Writer writer(&oneway);
  writer.MessageBegin(wire::MessageType::kOneway, "shutdown", 1);
  writer.Stop();
  EXPECT_EQ(*client_.Forward(oneway, {}, Later()), "");
  EXPECT_EQ(client_.Forward("junk", {}, Later()).error().code, ErrorCode::kCorrupt);
}

TEST(Generation, HasNames) {
  EXPECT_EQ(GenerationName(Generation::kHive2), "hive2");
  EXPECT_EQ(GenerationName(Generation::kHive3), "hive3");
  EXPECT_EQ(GenerationName(Generation::kHive4), "hive4");
  EXPECT_EQ(GenerationName(Generation::kUnknown), "unknown");
}

}  // namespace
}  // namespace catalogd::hms
