#include "tests/unit/endpoint/rig.h"

// Where the metastore judges who may read what, nobody may be shown through the cache what it would
// refuse him; and where it has been away too long, or one user is too busy, others must not suffer.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::ErrorText;
using ::catalogd::testing::FakeSession;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::TableBytes;
using ::catalogd::testing::TestTable;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kGetTable = StringCall("get_table", {"sales", "orders"});

std::string SetUgi(const std::string& user, const std::vector<std::string>& groups) {
  return MakeCall("set_ugi", [&](wire::Writer* out) {
    out->StringField(1, user);
    out->StringListField(2, groups);
  });
}

EndpointOptions Options() {
  EndpointOptions options;
  options.right_life = std::chrono::seconds(60);
  options.max_rights = 3;
  options.calls_per_user = 1;
  options.max_staleness = std::chrono::seconds(30);
  return options;
}

class RightsTest : public ::testing::Test {
 protected:
  RightsTest() : rig_(100, Options()) {
    rig_.view.reads_per_user = true;
    rig_.view.PutTable(table_, 90, cache::PartitionSet::Empty());
    rig_.view.log_end = {rig_.clock.Now(), EventId(100)};
    rig_.forward_answer = [this](std::string_view message) -> Result<std::string> {
      const auto header = wire::ParseMessageHeader(message);
      if (refuses_) {
        return wire::EncodeExceptionReply(header->method, header->sequence_id, 1, "not yours");
      }
      return wire::EncodeReply(header->method, header->sequence_id, wire::TType::kStruct, 0,
                               TableBytes(table_));
    };
  }

  void Become(const std::string& user, const std::vector<std::string>& groups = {"staff"}) {
    rig_.session = std::make_shared<FakeSession>();
    rig_.endpoint.OnOpen(*rig_.session);
    rig_.Send(SetUgi(user, groups));
  }
  // The log is read to its end.
  void LookAtLog() {
    rig_.clock.Advance(std::chrono::microseconds(1));
    rig_.view.log_end = {rig_.clock.Now(), EventId(100)};
  }
  // True when the metastore was asked.
  bool Asks(const std::string& message) {
    if (rig_.view.reads_per_user) LookAtLog();
    const size_t before = rig_.forwarded.size();
    answer_ = rig_.Send(message);
    return rig_.forwarded.size() > before;
  }

  EndpointRig rig_;
  TestTable table_;
  bool refuses_ = false;
  std::string answer_;
};

TEST_F(RightsTest, OnlyWhoWasShownATableIsShownItFromTheCache) {
  Become("alice");
  EXPECT_TRUE(Asks(kGetTable)) << "nobody has been shown it";
  EXPECT_FALSE(Asks(kGetTable));
  EXPECT_TRUE(ResultOf(answer_).Find(0).has_value());
  Become("bob");
  EXPECT_TRUE(Asks(kGetTable)) << "what alice may see";
  Become("alice", {"staff", "admins"});
  EXPECT_TRUE(Asks(kGetTable)) << "other groups, other rights";
  Become("alice");
  EXPECT_FALSE(Asks(kGetTable)) << "on another connection";
}

// Somebody has just made public what was private, and the cache still holds the private one.
TEST_F(RightsTest, WhatTheMetastoreHasJudgedMayBeNewerThanTheCache) {
  Become("alice");
  EXPECT_TRUE(Asks(kGetTable));
  const auto first = rig_.session;
  Become("alice");
  rig_.view.log_end.began -= std::chrono::seconds(1);
  std::string reply;
  EXPECT_EQ(rig_.endpoint.OnMessage(rig_.session, kGetTable, &reply), server::Outcome::kDeferred)
      << "the log was not read since";
  rig_.workers.RunAll();
  LookAtLog();
  rig_.view.watermark = EventId(99);
  EXPECT_EQ(rig_.endpoint.OnMessage(rig_.session, kGetTable, &reply), server::Outcome::kDeferred)
      << "what was read is not in the cache yet";
  rig_.workers.RunAll();
  rig_.view.watermark = EventId(100);
  EXPECT_FALSE(Asks(kGetTable));
}

TEST_F(RightsTest, NamesWithOddBytesAreNotTakenForOthers) {
  Become("root", {"x"});
  EXPECT_TRUE(Asks(kGetTable));
  for (const auto& [user, groups] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {std::string("root\0x", 6), {}}, {"root1:x", {}}, {"4:root1:x", {}}, {"root", {}}}) {
    Become(user, groups);
    EXPECT_TRUE(Asks(kGetTable)) << user;
  }
}

TEST_F(RightsTest, TheDaemonsOwnCallsAreForItsOwnHost) {
  rig_.endpoint.RegisterOwnService({"catalogd_get"},
                                   [](const auto&, std::string_view, std::string* reply) {
                                     *reply = "shown";
                                     return server::Outcome::kReplied;
                                   });
  EXPECT_EQ(rig_.Send(StringCall("catalogd_get", {})), "shown");
  rig_.session->SetPeer("10.1.2.3:40000");
  EXPECT_THAT(ErrorText(rig_.Send(StringCall("catalogd_get", {})), 0), HasSubstr("own host"));
  rig_.view.reads_per_user = false;
  EXPECT_EQ(rig_.Send(StringCall("catalogd_get", {})), "shown");
}

TEST_F(RightsTest, ARefusalIsNoRight) {
  Become("mallory");
  refuses_ = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Asks(kGetTable));
    EXPECT_THAT(ErrorText(answer_, 1), HasSubstr("not yours"));
  }
}

TEST_F(RightsTest, ARightEndsWithItsTimeAndWithTheObjectItWasFor) {
  Become("alice");
  EXPECT_TRUE(Asks(kGetTable));
  rig_.clock.Advance(std::chrono::seconds(60));
  EXPECT_TRUE(Asks(kGetTable));
  EXPECT_FALSE(Asks(kGetTable));
  cache::SlotView& slot = rig_.view.slots[table_.object()];
  slot.version = slot.version.Next();
  EXPECT_TRUE(Asks(kGetTable)) << "it may have another owner now";
}

// Lists, partitions, kept answers and absence may be one user's own view.
TEST_F(RightsTest, AllElseIsAsked) {
  Become("alice");
  rig_.view.PutState(ObjectName::Table("hive", "sales", "gone"), cache::SlotState::kAbsent, 95);
  rig_.view.tables[ObjectName::Database("hive", "sales")];
  for (const std::string& call :
       {StringCall("get_all_tables", {"sales"}), StringCall("get_table", {"sales", "gone"}),
        StringCall("get_partition_by_name", {"sales", "orders", "day=1"}),
        StringCall("get_fields", {"sales", "orders"})}) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Asks(call)) << wire::ParseMessageHeader(call)->method;
  }
}

TEST_F(RightsTest, ManyRightsAreForgottenNotKept) {
  for (const char* user : {"a", "b", "c", "d"}) {
    Become(user);
    EXPECT_TRUE(Asks(kGetTable));
  }
  EXPECT_FALSE(Asks(kGetTable)) << "the newest holds";
  Become("a");
  EXPECT_TRUE(Asks(kGetTable));
}

class StalenessTest : public RightsTest {
 protected:
  StalenessTest() { rig_.view.reads_per_user = false; }
  std::string Age() {
    const std::string reply = rig_.Send(StringCall("getMetaConf", {"catalogd.age"}));
    return std::string(ResultOf(reply).String(0).value_or("?"));
  }
};

TEST_F(StalenessTest, WhatIsTooOldPassesThrough) {
  EXPECT_FALSE(Asks(kGetTable));
  rig_.clock.Advance(std::chrono::seconds(30));
  EXPECT_FALSE(Asks(kGetTable));
  rig_.clock.Advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(Asks(kGetTable));
  LookAtLog();
  EXPECT_FALSE(Asks(kGetTable));
}

// The id that was asked for may be an old one: an answer that has reached it can be hours old.
TEST_F(StalenessTest, AtLeastAnOldIdIsNoLeaveToAnswerFromAnOldCache) {
  rig_.Send(StringCall("setMetaConf", {"catalogd.read", "at-least 50"}));
  EXPECT_FALSE(Asks(kGetTable));
  rig_.clock.Advance(std::chrono::seconds(30));
  EXPECT_FALSE(Asks(kGetTable));
  rig_.clock.Advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(Asks(kGetTable));
  LookAtLog();
  EXPECT_FALSE(Asks(kGetTable));
}

TEST_F(StalenessTest, TheAgeIsTold) {
  EXPECT_EQ(Age(), "0");
  rig_.clock.Advance(std::chrono::microseconds(1500));
  EXPECT_EQ(Age(), "2");
  rig_.view.log_end = {};
  EXPECT_EQ(Age(), "unknown");
  EXPECT_THAT(ErrorText(rig_.Send(StringCall("setMetaConf", {"catalogd.age", "1"})), 1),
              HasSubstr("not to be set"));
}

TEST(DefaultLevel, IsThatOfConnectionsThatDoNotSay) {
  EndpointOptions options;
  options.level.kind = ReadLevel::Kind::kLatest;
  EndpointRig rig(100, options);
  const auto level = [&rig] {
    return std::string(*ResultOf(rig.Send(StringCall("getMetaConf", {"catalogd.read"}))).String(0));
  };
  EXPECT_EQ(level(), "latest");
  rig.Send(StringCall("setMetaConf", {"catalogd.read", "cached"}));
  EXPECT_EQ(level(), "cached");
}

// Calls of several connections at once: nothing runs before RunAll.
class TurnsTest : public RightsTest {
 protected:
  std::shared_ptr<FakeSession> Connect(const std::string& user) {
    auto session = std::make_shared<FakeSession>();
    rig_.endpoint.OnOpen(*session);
    std::string reply;
    if (!user.empty()) rig_.endpoint.OnMessage(session, SetUgi(user, {"staff"}), &reply);
    return session;
  }
  void Call(const std::shared_ptr<FakeSession>& session, const std::string& method = "get_fields") {
    std::string reply;
    rig_.endpoint.OnMessage(session, StringCall(method, {"sales", "orders"}), &reply);
  }
  void Write(const std::shared_ptr<FakeSession>& session) { Call(session, "drop_table"); }
  void EndWrite() {
    ASSERT_FALSE(rig_.view.writes.empty()) << "no write has begun";
    const auto done = std::move(rig_.view.writes.front().second);
    rig_.view.writes.pop_front();
    done(ddl::DdlOutcome{wire::EncodeVoidReply("drop_table", 7), EventId(101), {}});
  }
};

TEST_F(TurnsTest, OneUsersCallsWaitForEachOtherAndNotForOthers) {
  const auto first = Connect("busy");
  const auto second = Connect("busy");
  const auto third = Connect("busy");
  const auto other = Connect("other");
  for (const auto& session : {first, second, third, other}) Call(session);
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 2U);
  EXPECT_TRUE(rig_.workers.RunOne());
  EXPECT_THAT(first->completed, SizeIs(1));
  EXPECT_TRUE(rig_.workers.RunOne());
  EXPECT_THAT(other->completed, SizeIs(1)) << "before the second one of the busy user";
  EXPECT_THAT(second->completed, SizeIs(0));
  EXPECT_TRUE(rig_.workers.RunOne());
  EXPECT_THAT(second->completed, SizeIs(1));
  EXPECT_THAT(third->completed, SizeIs(0)) << "in the order in which they came";
  rig_.workers.RunAll();
  EXPECT_THAT(third->completed, SizeIs(1));
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 0U);
  LookAtLog();
  Call(first);
  rig_.workers.RunAll();
  EXPECT_THAT(first->completed, SizeIs(2)) << "turns are given back";
}

TEST_F(TurnsTest, WhoDoesNotSayWhoHeIsCountsByHisAddress) {
  const auto first = Connect("");
  const auto second = Connect("");
  Call(first);
  Call(second);
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 1U);
}

// What could go wrong: the metastore does what nobody waits for any more, and others wait for that.
TEST_F(TurnsTest, TheCallOfAClientThatHasLeftIsNotMade) {
  const auto first = Connect("busy");
  auto second = Connect("busy");
  const auto third = Connect("busy");
  for (const auto& session : {first, second, third}) Call(session);
  EXPECT_FALSE(first->hang_up_counts) << "it has begun";
  EXPECT_TRUE(second->hang_up_counts);
  rig_.endpoint.OnClose(*second);
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 1U);
  EXPECT_EQ(second.use_count(), 1) << "nothing keeps it";
  rig_.endpoint.OnClose(*first);  // Its call is under way, and gives its turn back.
  rig_.workers.RunAll();
  EXPECT_THAT(rig_.forwarded, SizeIs(2));
  EXPECT_THAT(second->completed, SizeIs(0));
  EXPECT_THAT(third->completed, SizeIs(1));
  Call(third);
  rig_.workers.RunAll();
  EXPECT_THAT(third->completed, SizeIs(2));
}

TEST_F(TurnsTest, AtTheStopWhoWaitsIsRefusedAndNobodyWaitsAnyMore) {
  const auto first = Connect("busy");
  const auto second = Connect("busy");
  const auto third = Connect("busy");
  for (const auto& session : {first, second}) Call(session);
  rig_.endpoint.StopWaiting();
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 0U);
  ASSERT_THAT(second->completed, SizeIs(1));
  EXPECT_THAT(ErrorText(second->completed[0], 0),
              AllOf(HasSubstr("get_fields sales.orders"), HasSubstr("the daemon is stopping")));
  Call(third);
  ASSERT_THAT(third->completed, SizeIs(1));
  EXPECT_THAT(ErrorText(third->completed[0], 0), HasSubstr("the daemon is stopping"));
  rig_.workers.RunAll();
  EXPECT_THAT(first->completed, SizeIs(1)) << "what has begun is answered";
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
  Call(third);
  rig_.workers.RunAll();
  EXPECT_THAT(rig_.forwarded, SizeIs(2)) << "who need not wait is not refused";
}

TEST_F(TurnsTest, AWriteTakesATurnBeforeItLocksNames) {
  const auto first = Connect("busy");
  const auto second = Connect("busy");
  const auto third = Connect("busy");
  const auto left = Connect("busy");
  Write(first);
  Call(second);
  Write(left);
  Write(third);
  rig_.workers.RunAll();
  EXPECT_THAT(rig_.view.writes, SizeIs(1)) << "the others ask for no lock";
  EXPECT_THAT(rig_.forwarded, SizeIs(0));
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 3U);
  rig_.endpoint.OnClose(*left);
  EndWrite();
  EXPECT_THAT(first->completed, SizeIs(1));
  EXPECT_THAT(rig_.view.writes, SizeIs(0)) << "the read came before the next one";
  rig_.workers.RunAll();
  EXPECT_THAT(second->completed, SizeIs(1));
  EXPECT_THAT(rig_.view.writes, SizeIs(1));
  EndWrite();
  EXPECT_THAT(third->completed, SizeIs(1));
  EXPECT_THAT(rig_.view.writes, SizeIs(0)) << "whose client has left";
  Call(first);
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 0U) << "turns are given back";
}

TEST_F(TurnsTest, AtTheStopAWaitingWriteIsNotSent) {
  const auto first = Connect("busy");
  const auto second = Connect("busy");
  Call(first);
  Write(second);
  rig_.endpoint.StopWaiting();
  ASSERT_THAT(second->completed, SizeIs(1));
  EXPECT_THAT(ErrorText(second->completed[0], 2),
              HasSubstr("drop_table sales.orders: nothing was sent: the daemon is stopping"));
  EXPECT_THAT(rig_.view.writes, SizeIs(0));
  EXPECT_EQ(rig_.counters().failed_writes, 1U);
}

// What could go wrong: thousands of writes that are refused at once, one inside the other.
TEST_F(TurnsTest, WritesThatAreRefusedAtOnceComeOneAfterTheOther) {
  int depth = 0;
  int deepest = 0;
  rig_.view.refuse_write = [&](const ddl::DdlExecutor::Done& done) {
    deepest = std::max(deepest, ++depth);
    done(MakeError(ErrorCode::kResourceExhausted, "drop_table: too many"));
    --depth;
  };
  const auto first = Connect("busy");
  const std::vector<std::shared_ptr<FakeSession>> writers = {Connect("busy"), Connect("busy"),
                                                             Connect("busy")};
  Call(first);
  for (const auto& writer : writers) Write(writer);
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 3U);
  rig_.workers.RunAll();
  for (const auto& writer : writers) EXPECT_THAT(writer->completed, SizeIs(1));
  EXPECT_EQ(deepest, 1);
  Write(first);
  EXPECT_THAT(first->completed, SizeIs(2)) << "turns are given back";
  Call(first);
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 0U);
}

// What could go wrong: locks and transactions of a user die, or stand in the way of others, because
// what keeps or ends them waits behind a long call of his, or behind a call that waits for them.
TEST_F(TurnsTest, WhatKeepsOrFreesLocksNeverWaits) {
  Write(Connect("busy"));
  size_t forwarded = 0;
  for (const char* method :
       {"heartbeat", "heartbeat_txn_range", "heartbeat_lock_materialization_rebuild",
        "heartbeat_lock_materialization_rebuild_req", "check_lock", "unlock", "commit_txn",
        "abort_txn", "abort_txns"}) {
    const auto session = Connect("busy");
    Call(session, method);
    rig_.workers.RunAll();
    EXPECT_THAT(rig_.forwarded, SizeIs(++forwarded)) << method;
    EXPECT_THAT(session->completed, SizeIs(1)) << method;
  }
  Call(Connect("busy"), "lock");
  EXPECT_EQ(rig_.endpoint.waiting_for_turn(), 1U);
}

}  // namespace
}  // namespace catalogd::endpoint
