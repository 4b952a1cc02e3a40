#include "tests/unit/endpoint/rig.h"

// Floors and levels: when the cache may answer, when it must wait, when it must not answer at all.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::ErrorText;
using ::catalogd::testing::FakeSession;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::TableBytes;
using ::catalogd::testing::TestTable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LevelsTest : public ::testing::Test {
 protected:
  LevelsTest() { rig_.view.PutTable(table_, 90, cache::PartitionSet::Empty()); }

  std::string GetTable() { return rig_.Send(StringCall("get_table", {"sales", "orders"})); }
  // The watermark is 100.
  std::string Answer() const {
    return wire::EncodeReply("get_table", 7, wire::TType::kStruct, 0, TableBytes(table_));
  }
  void SetLevel(const std::string& level) {
    EXPECT_EQ(rig_.Send(StringCall("setMetaConf", {"catalogd.read", level})),
              wire::EncodeVoidReply("setMetaConf", 7));
  }
  std::string Position() {
    const std::string reply = rig_.Send(StringCall("getMetaConf", {"catalogd.event"}));
    return std::string(ResultOf(reply).String(0).value_or("?"));
  }

  EndpointRig rig_;
  TestTable table_;
};

TEST_F(LevelsTest, CachedAsksNobody) {
  EXPECT_EQ(GetTable(), Answer());
  EXPECT_THAT(rig_.view.questions, IsEmpty());
  EXPECT_THAT(rig_.view.waits, IsEmpty());
}

TEST_F(LevelsTest, BelowTheFloorOfItsNameAReadWaitsForThatName) {
  rig_.view.floors[table_.object()] = EventId(105);
  EXPECT_EQ(GetTable(), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_THAT(rig_.view.waits.front().names, ElementsAre(table_.object()));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(105));
  rig_.view.PutTable(table_, 105, cache::PartitionSet::Empty());
  rig_.view.EndWait(Ok());
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
  EXPECT_EQ(rig_.counters().floor_waits, 1U);
}

// Another name is locked for long and holds up the watermark: a reader of this one would wait for
// it, though nothing of its name is pending.
TEST_F(LevelsTest, WhatTheLogShowsToBeQuietWaitsForNobody) {
  rig_.view.floors[table_.object()] = EventId(105);
  rig_.view.nothing_pending.insert(table_.object());
  EXPECT_EQ(GetTable(), Answer());
  EXPECT_THAT(rig_.view.waits, IsEmpty());
}

// The log has to be polled before it can show that.
TEST_F(LevelsTest, ANameIsLookedAtAgainSoonAfterThePoll) {
  rig_.view.floors[table_.object()] = EventId(105);
  EXPECT_EQ(GetTable(), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_LT(rig_.view.waits.front().deadline, rig_.clock.Now() + std::chrono::seconds(1));
  rig_.view.nothing_pending.insert(table_.object());
  rig_.view.EndWait(MakeError(ErrorCode::kTimedOut, "sales.orders is at 100"));
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
  EXPECT_THAT(rig_.forwarded, IsEmpty());
}

TEST_F(LevelsTest, AReadThatWaitedInVainIsPassedThrough) {
  rig_.view.floors[table_.object()] = EventId(105);
  GetTable();
  rig_.view.EndWait(MakeError(ErrorCode::kTimedOut, "sales.orders is at 100"));
  EXPECT_EQ(rig_.TakeCompleted(), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_EQ(rig_.view.waits.front().deadline, rig_.clock.Now() + std::chrono::seconds(2));
  rig_.view.EndWait(MakeError(ErrorCode::kTimedOut, "sales.orders is at 100"));
  EXPECT_EQ(rig_.TakeCompleted(), wire::EncodeVoidReply("get_table", 7));
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
  EXPECT_EQ(rig_.counters().floor_timeouts, 1U);
}

// What could go wrong: while one table is being changed for minutes, each read that may have to
// show its events waits for the whole of floor_wait.
TEST_F(LevelsTest, WhatSomebodyHasHeldUpIsNotWaitedFor) {
  rig_.view.floors[table_.object()] = EventId(105);
  rig_.view.held_up = {table_.object(), std::chrono::seconds(3)};
  EXPECT_EQ(GetTable(), wire::EncodeVoidReply("get_table", 7));
  EXPECT_THAT(rig_.view.waits, IsEmpty());
  EXPECT_EQ(rig_.counters().floor_timeouts, 1U);
}

// A lock that has only just been found taken may be free in a moment.
TEST_F(LevelsTest, WhatIsStillHeldUpAtTheSecondLookIsPassedThrough) {
  rig_.view.floors[table_.object()] = EventId(105);
  rig_.view.held_up = {table_.object(), Duration::zero()};
  EXPECT_EQ(GetTable(), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  rig_.view.EndWait(MakeError(ErrorCode::kTimedOut, "sales.orders is at 100"));
  EXPECT_EQ(rig_.TakeCompleted(), wire::EncodeVoidReply("get_table", 7));
}

TEST_F(LevelsTest, OtherNamesThatAreHeldUpDoNotMatter) {
  rig_.view.floors[table_.object()] = EventId(105);
  rig_.view.held_up = {ObjectName::Table("hive", "sales", "other"), std::chrono::seconds(3)};
  EXPECT_EQ(GetTable(), "");
  EXPECT_THAT(rig_.view.waits, SizeIs(1));
}

TEST_F(LevelsTest, AListPassesThroughWhileAnyNameIsHeldUp) {
  rig_.view.databases["hive"] = {true, {"default"}};
  rig_.view.floors[ObjectName::Database("hive", "")] = EventId(105);
  rig_.view.held_up = {table_.object(), Duration::zero()};
  const std::string call = MakeCall("get_all_databases", [](wire::Writer*) {});
  EXPECT_EQ(rig_.Send(call), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_LT(rig_.view.waits.front().deadline, rig_.clock.Now() + std::chrono::seconds(1));
  rig_.view.EndWait(MakeError(ErrorCode::kTimedOut, "at 100"));
  EXPECT_EQ(rig_.TakeCompleted(), wire::EncodeVoidReply("get_all_databases", 7));
  EXPECT_THAT(rig_.forwarded, ElementsAre(call));
}

TEST_F(LevelsTest, AfterAWriteOfUnknownOutcomeNothingIsWaitedFor) {
  rig_.view.floors[table_.object()] = sync::Floors::kNever;
  EXPECT_EQ(GetTable(), wire::EncodeVoidReply("get_table", 7));
  EXPECT_THAT(rig_.view.waits, IsEmpty());
}

// What could go wrong: "reached" is said again and again while the read still finds itself below.
TEST_F(LevelsTest, WaitingEndsEvenWhenItNeverHelps) {
  rig_.view.floors[table_.object()] = EventId(105);
  GetTable();
  int rounds = 0;
  while (!rig_.view.waits.empty() && rounds < 1000) {
    ++rounds;
    rig_.view.EndWait(Ok());
  }
  EXPECT_LT(rounds, 1000);
  EXPECT_EQ(rig_.TakeCompleted(), wire::EncodeVoidReply("get_table", 7));
}

TEST_F(LevelsTest, ListsWaitForTheWatermark) {
  rig_.view.databases["hive"] = {true, {"default"}};
  rig_.view.floors[ObjectName::Database("hive", "")] = EventId(105);
  EXPECT_EQ(rig_.Send(MakeCall("get_all_databases", [](wire::Writer*) {})), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_THAT(rig_.view.waits.front().names, IsEmpty());
  rig_.view.watermark = EventId(105);
  rig_.view.EndWait(Ok());
  EXPECT_THAT(wire::ListView(ResultOf(rig_.TakeCompleted()).Find(0)->value).Strings(),
              ElementsAre("default"));
}

TEST_F(LevelsTest, AtLeastAnswersAtOnceFromThatIdOn) {
  SetLevel("at-least 100");
  EXPECT_EQ(GetTable(), Answer());
  EXPECT_THAT(rig_.view.questions, IsEmpty());
}

TEST_F(LevelsTest, AtLeastWaitsForAnIdThatExists) {
  SetLevel("at-least 103");
  EXPECT_EQ(GetTable(), "");
  rig_.view.Answer(EventId(110));
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(103));
  rig_.view.watermark = EventId(104);
  rig_.view.EndWait(Ok());
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
}

TEST_F(LevelsTest, AtLeastAnIdThatDoesNotExistIsAnErrorNotAWait) {
  SetLevel("at-least 4711");
  EXPECT_EQ(GetTable(), "");
  rig_.view.Answer(EventId(110));
  EXPECT_THAT(rig_.view.waits, IsEmpty());
  const std::string text = ErrorText(rig_.TakeCompleted(), 1);
  EXPECT_THAT(text, HasSubstr("get_table sales.orders"));
  EXPECT_THAT(text, HasSubstr("4711"));
  EXPECT_THAT(text, HasSubstr("110"));
  EXPECT_THAT(rig_.forwarded, IsEmpty());
}

TEST_F(LevelsTest, LatestAsksAfterTheReadAndAnswersAtThatId) {
  SetLevel("latest");
  EXPECT_EQ(GetTable(), "");
  ASSERT_THAT(rig_.view.questions, SizeIs(1));
  rig_.view.Answer(EventId(107));
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(107));
  rig_.view.watermark = EventId(107);
  rig_.view.EndWait(Ok());
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
  // And the next one asks anew.
  EXPECT_EQ(GetTable(), "");
  rig_.view.Answer(EventId(107));
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
}

TEST_F(LevelsTest, LatestWithTheMetastoreAwayIsAnErrorThatSaysSo) {
  SetLevel("latest");
  GetTable();
  rig_.view.Answer(MakeError(ErrorCode::kUnavailable, "connection refused"));
  const std::string text = ErrorText(rig_.TakeCompleted(), 1);
  EXPECT_THAT(text, HasSubstr("connection refused"));
  EXPECT_THAT(text, HasSubstr("cached"));
  EXPECT_EQ(rig_.counters().errors, 1U);
}

// What the log does not tell is not up to date by any id.
TEST_F(LevelsTest, LatestPassesThroughWhatTheLogDoesNotTell) {
  std::string database;
  wire::Writer(&database).Stop();
  rig_.view.PutDatabase(ObjectName::Database("hive", "sales"), database, 90);
  rig_.view.databases["hive"] = {true, {"default"}};
  SetLevel("latest");
  rig_.Send(StringCall("get_database", {"sales"}));
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
  rig_.view.generation = hms::Generation::kHive3;
  GetTable();
  EXPECT_THAT(rig_.forwarded, SizeIs(2));
  EXPECT_THAT(rig_.view.questions, IsEmpty());
  // Names are told by every version.
  rig_.Send(MakeCall("get_all_databases", [](wire::Writer*) {}));
  EXPECT_THAT(rig_.view.questions, SizeIs(1));
}

// What could go wrong: a client sees an object through the metastore and its older state from the
// cache right after it.
TEST_F(LevelsTest, AfterAReadThroughTheMetastoreTheCacheMustHaveComeSoFar) {
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
  EXPECT_THAT(rig_.view.questions, IsEmpty()) << "asked before anybody needs it";
  EXPECT_EQ(GetTable(), "");
  rig_.view.Answer(EventId(103));
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(103));
  rig_.view.watermark = EventId(103);
  rig_.view.EndWait(Ok());
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
  // Once is enough.
  EXPECT_EQ(GetTable(), Answer());
}

// The metastore may be away by then: what the log showed since is enough.
TEST_F(LevelsTest, ALookAtTheLogSinceThenSavesTheQuestion) {
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  rig_.view.log_end = {rig_.clock.Now() + std::chrono::milliseconds(1), EventId(100)};
  EXPECT_EQ(GetTable(), Answer());
  EXPECT_THAT(rig_.view.questions, IsEmpty());
  EXPECT_EQ(Position(), "100");
  // What it showed is a floor as any other.
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  rig_.view.log_end = {rig_.clock.Now() + std::chrono::milliseconds(1), EventId(104)};
  EXPECT_EQ(GetTable(), "");
  EXPECT_THAT(rig_.view.questions, IsEmpty());
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(104));
}

// What could go wrong: the look began before the answer, and a change in between is missed.
TEST_F(LevelsTest, ALookThatBeganBeforeTheAnswerProvesNothing) {
  rig_.view.log_end = {rig_.clock.Now(), EventId(100)};
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  EXPECT_EQ(GetTable(), "") << "not even at the same moment";
  EXPECT_THAT(rig_.view.questions, SizeIs(1));
}

// Nor does it show anything about another log.
TEST_F(LevelsTest, AfterAnotherLogHasBegunTheQuestionIsAsked) {
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  rig_.view.log_end = {rig_.clock.Now() + std::chrono::milliseconds(1), EventId(100)};
  EXPECT_EQ(GetTable(), Answer());
  rig_.view.epoch = LogEpoch(2);
  rig_.view.watermark = EventId(10);
  rig_.view.PutTable(table_, 9, cache::PartitionSet::Empty());
  EXPECT_EQ(GetTable(), "");
  EXPECT_THAT(rig_.view.questions, SizeIs(1));
}

TEST_F(LevelsTest, LatestStillAsks) {
  SetLevel("latest");
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  rig_.view.log_end = {rig_.clock.Now() + std::chrono::milliseconds(1), EventId(100)};
  EXPECT_EQ(GetTable(), "");
  EXPECT_THAT(rig_.view.questions, SizeIs(1));
}

// What could go wrong: the connection is told to set the level that it has.
TEST_F(LevelsTest, WhereTheCurrentIdIsRefusedReadsPassThrough) {
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  rig_.forwarded.clear();
  EXPECT_EQ(GetTable(), "");
  rig_.view.Answer(MakeError(ErrorCode::kUnavailable, "the log is damaged"));
  EXPECT_EQ(rig_.TakeCompleted(), wire::EncodeVoidReply("get_table", 7));
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
}

TEST_F(LevelsTest, WhoeverHasReadTheLogHasSeenItToo) {
  rig_.Send(MakeCall("get_current_notificationEventId", [](wire::Writer*) {}));
  EXPECT_EQ(GetTable(), "");
  EXPECT_THAT(rig_.view.questions, SizeIs(1));
}

TEST_F(LevelsTest, CallsThatShowNoObjectsRaiseNoFloor) {
  rig_.Send(StringCall("get_config_value", {"a", "b"}));
  rig_.Send(RequestCall("unlock", [](wire::Writer* out) { out->I64Field(1, 5); }));
  EXPECT_EQ(GetTable(), Answer());
}

TEST_F(LevelsTest, PositionIsWhatTheConnectionHasSeen) {
  EXPECT_EQ(Position(), "100") << "nothing seen yet: the watermark";
  rig_.view.PutTable(table_, 108, cache::PartitionSet::Empty());
  GetTable();
  EXPECT_EQ(Position(), "108");
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  EXPECT_EQ(rig_.Send(StringCall("getMetaConf", {"catalogd.event"})), "");
  rig_.view.Answer(EventId(120));
  EXPECT_EQ(ResultOf(rig_.TakeCompleted()).String(0).value_or(""), "120");
  EXPECT_EQ(Position(), "120");
}

TEST_F(LevelsTest, PositionThatCannotBeAskedForIsAnError) {
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  rig_.Send(StringCall("getMetaConf", {"catalogd.event"}));
  rig_.view.Answer(MakeError(ErrorCode::kUnavailable, "connection refused"));
  EXPECT_THAT(ErrorText(rig_.TakeCompleted(), 1), HasSubstr("connection refused"));
}

// What could go wrong: ids of an old log are compared with those of a new one that starts lower,
// and the connection never gets a cached answer again.
TEST_F(LevelsTest, AFloorOfAnotherLogIsForgotten) {
  rig_.Send(StringCall("get_fields", {"sales", "orders"}));
  GetTable();
  rig_.view.Answer(EventId(100));
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
  rig_.view.epoch = LogEpoch(2);
  rig_.view.watermark = EventId(10);
  rig_.view.PutTable(table_, 9, cache::PartitionSet::Empty());
  EXPECT_EQ(GetTable(), "");
  rig_.view.Answer(EventId(10));
  EXPECT_EQ(rig_.TakeCompleted(), Answer());
  EXPECT_EQ(Position(), "10");
}

TEST_F(LevelsTest, ConnectionsDoNotShareLevels) {
  SetLevel("latest");
  rig_.session = std::make_shared<FakeSession>();
  rig_.endpoint.OnOpen(*rig_.session);
  EXPECT_EQ(GetTable(), Answer());
}

TEST(ReadLevel, TextsAndTheirMeaning) {
  EXPECT_EQ(ParseReadLevel("cached")->kind, ReadLevel::Kind::kCached);
  EXPECT_EQ(ParseReadLevel(" latest ")->kind, ReadLevel::Kind::kLatest);
  EXPECT_EQ(ParseReadLevel("at-least  4711 ")->at_least, EventId(4711));
  for (const char* good : {"cached", "latest", "at-least 4711"}) {
    EXPECT_EQ(ReadLevelText(*ParseReadLevel(good)), good);
  }
  for (const char* bad : {"", "newest", "at-least", "at-least ", "at-least x", "at-least -1",
                          "at-least 1x", "at-least 99999999999999999999", "LATEST"}) {
    const auto level = ParseReadLevel(bad);
    ASSERT_FALSE(level.has_value()) << bad;
    EXPECT_EQ(level.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(level.error().message, HasSubstr("at-least 4711"));
  }
}

}  // namespace
}  // namespace catalogd::endpoint
