#include <thread>

#include "tests/unit/embedded/embedded_fixture.h"
#include "thrift/wire/scan.h"

namespace catalogd::hms {

namespace {

using apache::thrift::TApplicationException;

class ServerTest : public EmbeddedTest {
 protected:
  std::string ConfigValue(const std::string& key, const std::string& otherwise = "none") {
    std::string value;
    client().get_config_value(value, key, otherwise);
    return value;
  }
  // A call with an empty argument struct.
  static std::string EmptyCall(const std::string& method, char type = 1) {
    std::string bytes("\x80\x01\x00", 3);
    bytes += type;
    bytes += std::string("\x00\x00\x00", 3) + static_cast<char>(method.size()) + method;
    return bytes + std::string("\x00\x00\x00\x2a\x00", 5);
  }
  ConnectionState state_;
};

TEST_F(ServerTest, UnknownMethodsAreAnsweredAsAMetastoreDoes) {
  const std::string reply = metastore_->HandleMessage(EmptyCall("get_locks_of_mars"), &state_);
  const auto header = wire::CheckMessage(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->type, wire::MessageType::kException);
  EXPECT_EQ(header->method, "get_locks_of_mars");
  EXPECT_EQ(header->sequence_id, 42);
  EXPECT_THAT(reply, HasSubstr("Invalid method name: 'get_locks_of_mars'"));
  EXPECT_TRUE(reply.ends_with(std::string("\x08\x00\x02\x00\x00\x00\x01\x00", 8)));
  EXPECT_FALSE(state_.close_requested);
}

TEST_F(ServerTest, BadBytesInTheNameOfAMethod) {
  const std::string reply = metastore_->HandleMessage(EmptyCall("no\xff"), &state_);
  const auto header = wire::CheckMessage(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->method, "no\xff");
  EXPECT_THAT(reply, HasSubstr("Invalid method name: 'no\xef\xbf\xbd'"));
  EXPECT_TRUE(reply.ends_with(std::string("\x08\x00\x02\x00\x00\x00\x01\x00", 8)));
}

// Arguments that are no arguments cost the call, not the connection.
TEST_F(ServerTest, BrokenArgumentsAreAProtocolError) {
  // get_table_req with an empty request: two required fields are missing.
  std::string message = EmptyCall("get_table_req");
  message.back() = '\x0c';
  message += std::string("\x00\x01\x00\x00", 4);
  const std::string reply = metastore_->HandleMessage(message, &state_);
  ASSERT_TRUE(wire::CheckMessage(reply));
  EXPECT_TRUE(reply.ends_with(std::string("\x08\x00\x02\x00\x00\x00\x07\x00", 8)));
  EXPECT_FALSE(state_.close_requested);
  const std::string cut = EmptyCall("get_all_databases");
  const std::string answer =
      metastore_->HandleMessage(std::string_view(cut).substr(0, cut.size() - 1), &state_);
  EXPECT_TRUE(answer.ends_with(std::string("\x08\x00\x02\x00\x00\x00\x07\x00", 8)));
}

// Generated code makes room for all of them before it reads the first: gigabytes for this.
TEST_F(ServerTest, MoreElementsThanRealObjectsHaveAreRefusedBeforeTheyTakeMemory) {
  for (const auto& [element, size] : {std::pair('\x0c', 2'000'000), std::pair('\x02', 500'000)}) {
    std::string message = EmptyCall("add_partitions");
    message.pop_back();
    message += std::string("\x0f\x00\x01", 3) + element;
    for (const int shift : {24, 16, 8, 0}) message += static_cast<char>(size >> shift);
    message += std::string(static_cast<size_t>(size) + 1, '\0');
    const std::string reply = metastore_->HandleMessage(message, &state_);
    EXPECT_THAT(reply, HasSubstr("more than real objects have; send fewer at once"));
    EXPECT_TRUE(reply.ends_with(std::string("\x08\x00\x02\x00\x00\x00\x07\x00", 8)));
    EXPECT_FALSE(state_.close_requested);
  }
}

TEST_F(ServerTest, BytesThatAreNoMessageCloseTheConnection) {
  EXPECT_EQ(metastore_->HandleMessage("GET / HTTP/1.1\r\n", &state_), "");
  EXPECT_TRUE(state_.close_requested);
}

// The bytes 8,0,2,0,0,0,0,0 may also end an ordinary answer; only exceptions are touched.
TEST_F(ServerTest, UndeclaredErrorsAreInternalErrors) {
  std::vector<api::Table> tables;
  EXPECT_THAT([&] { client().get_table_objects_by_name(tables, "nowhere", {"t"}); },
              ::testing::Throws<TApplicationException>(::testing::Property(
                  &TApplicationException::what,
                  ::testing::StrEq("Internal error processing get_table_objects_by_name"))));
}

TEST_F(ServerTest, ShutdownEndsTheConnectionOnly) {
  client().shutdown();
  EXPECT_FALSE(client().channel().usable());
  const auto closed = client().channel().Call(EmptyCall("getName"), TimePoint::max());
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, ErrorCode::kUnavailable);
  client_ = Connect();
  Strings names;
  client().get_all_databases(names);
  EXPECT_THAT(names, ElementsAre("default"));
}

TEST_F(ServerTest, SetUgiEchoesGroupsAndUserOnceOnly) {
  Strings answer;
  client().set_ugi(answer, "alice", {"g1", "g2"});
  EXPECT_THAT(answer, ElementsAre("g1", "g2", "alice"));
  EXPECT_ANY_THROW(client().set_ugi(answer, "bob", {}));
  EXPECT_FALSE(client().channel().usable());
}

TEST_F(ServerTest, TheIdentityOwnsWhatItCreatesWithoutAnOwner) {
  auto alice = Connect({"alice", {}});
  alice->create_database(MakeDatabase("sales"));
  api::Database database;
  alice->get_database(database, "sales");
  EXPECT_EQ(database.ownerName, "alice");
}

TEST_F(ServerTest, ConfigValues) {
  const std::string listener = "org.apache.hive.hcatalog.listener.DbNotificationListener";
  EXPECT_EQ(ConfigValue("hive.metastore.transactional.event.listeners"), listener);
  EXPECT_EQ(ConfigValue("metastore.transactional.event.listeners"), listener);
  EXPECT_THAT(ConfigValue("hive.metastore.event.message.factory"), HasSubstr("JSONMessageEncoder"));
  EXPECT_EQ(ConfigValue("hive.metastore.try.direct.sql"), "false");
  EXPECT_EQ(ConfigValue("metastore.metastore.event.db.notification.api.auth"), "false");
  EXPECT_EQ(ConfigValue("hive.metastore.warehouse.dir"), "file:" + (directory_ / "warehouse"));
  EXPECT_EQ(ConfigValue("hive.never.heard.of", "default"), "default");
  EXPECT_EQ(ConfigValue("", "default"), "default");
  EXPECT_THAT([&] { ConfigValue("java.home"); },
              ThrowsHive<api::ConfigValSecurityException>(
                  "For security reasons, the config key java.home cannot be accessed"));
}

TEST_F(ServerTest, MetaConfBelongsToTheConnection) {
  std::string value;
  client().getMetaConf(value, "hive.metastore.try.direct.sql");
  EXPECT_EQ(value, "false");
  client().setMetaConf("hive.metastore.try.direct.sql", "true");
  client().getMetaConf(value, "metastore.try.direct.sql");
  EXPECT_EQ(value, "true");
  Connect()->getMetaConf(value, "hive.metastore.try.direct.sql");
  EXPECT_EQ(value, "false");
  EXPECT_THAT([&] { client().setMetaConf("no.such.key", "x"); },
              ThrowsHive<api::MetaException>("Invalid configuration key no.such.key"));
  EXPECT_THAT([&] { client().getMetaConf(value, "no.such.key"); },
              ThrowsHive<api::MetaException>("Invalid configuration key no.such.key"));
}

TEST_F(ServerTest, TheUuidIsKept) {
  std::string uuid;
  client().get_metastore_db_uuid(uuid);
  EXPECT_THAT(uuid, ::testing::MatchesRegex("[0-9a-f-]+"));
  EXPECT_EQ(uuid.size(), 36U);
  Reopen();
  std::string again;
  client().get_metastore_db_uuid(again);
  EXPECT_EQ(again, uuid);
}

TEST_F(ServerTest, Fb303Basics) {
  std::string text;
  client().getName(text);
  EXPECT_THAT(text, HasSubstr("embedded"));
  client().getVersion(text);
  EXPECT_TRUE(text.starts_with("4.")) << text;
  EXPECT_EQ(client().getStatus(), thrift::fb303::fb_status::ALIVE);
  EXPECT_EQ(client().aliveSince(), kStartSeconds);
  std::map<std::string, int64_t> counters;
  client().getCounters(counters);
  client().flushCache();
}

// Asked by clients for every table or at start; an answer that lacks its field breaks them.
TEST_F(ServerTest, WhatIsNotKeptIsEmpty) {
  api::GetAllFunctionsResponse functions;
  client().get_all_functions(functions);
  EXPECT_TRUE(functions.__isset.functions);
  Strings names{"x"};
  client().get_functions(names, "default", "*");
  EXPECT_THAT(names, IsEmpty());
  api::PrimaryKeysRequest request;
  request.__set_db_name("default");
  request.__set_tbl_name("t");
  api::PrimaryKeysResponse keys;
  client().get_primary_keys(keys, request);
  EXPECT_THAT(keys.primaryKeys, IsEmpty());
  client().get_materialized_views_for_rewriting(names, "default");
  EXPECT_THAT(names, IsEmpty());
}

// Writers queue, readers see whole states, ids stay dense.
TEST_F(ServerTest, ManyConnectionsAtOnce) {
  constexpr int kWriters = 4;
  constexpr int kRounds = 20;
  client().create_database(MakeDatabase("sales"));
  std::vector<std::thread> threads;
  std::vector<int> torn(kWriters, 0);
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      auto own = Connect();
      const std::string name = "t" + std::to_string(writer);
      for (int round = 0; round < kRounds; ++round) {
        own->create_table(MakeTable("sales", name));
        api::Table read;
        own->get_table(read, "sales", name);
        if (read.sd.cols.size() != 2) ++torn[static_cast<size_t>(writer)];
        own->drop_table("sales", name, true);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, std::vector<int>(kWriters, 0));
  const Events events = EventsAfter(0);
  ASSERT_EQ(events.size(), 1U + 2U * kWriters * kRounds);
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].eventId, static_cast<int64_t>(i) + 1);
  }
}

TEST_F(ServerTest, AMemoryDatabaseWorksToo) {
  EmbeddedOptions options = Options();
  options.path = ":memory:";
  auto opened = EmbeddedMetastore::Open(options, clock_);
  ASSERT_TRUE(opened) << opened.error().ToString();
  HmsTestClient other(*(*opened)->Open({}, TimePoint::max()));
  other.create_database(MakeDatabase("sales"));
  Strings names;
  other.get_all_databases(names);
  EXPECT_THAT(names, ElementsAre("default", "sales"));
}

}  // namespace

}  // namespace catalogd::hms
