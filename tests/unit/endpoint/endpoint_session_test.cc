#include "tests/unit/endpoint/rig.h"

// What belongs to one connection: identity, settings, its end.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::ErrorText;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string SetUgi(const std::string& user, const std::vector<std::string>& groups) {
  return MakeCall("set_ugi", [&](wire::Writer* out) {
    out->StringField(1, user);
    out->StringListField(2, groups);
  });
}

const std::string kRead = StringCall("get_fields", {"sales", "orders"});

TEST(EndpointSession, SetUgiFixesTheIdentityAndAnswersTheGroups) {
  EndpointRig rig;
  const std::string reply = rig.Send(SetUgi("bob", {"g1", "g2"}));
  EXPECT_EQ(rig.outcome, server::Outcome::kReplied);
  EXPECT_THAT(wire::ListView(ResultOf(reply).Find(0)->value).Strings(), ElementsAre("g1", "g2"));
  rig.Send(kRead);
  EXPECT_EQ(rig.identities.back(), (hms::Identity{"bob", {"g1", "g2"}}));
  EXPECT_THAT(rig.forwarded, ElementsAre(kRead)) << "set_ugi itself is not forwarded";
}

TEST(EndpointSession, BeforeSetUgiCallsAreTheDaemons) {
  EndpointRig rig;
  rig.Send(kRead);
  EXPECT_EQ(rig.identities.back(), hms::Identity{});
}

// As real servers: no answer, the connection is closed.
TEST(EndpointSession, ASecondOrBrokenSetUgiClosesTheConnection) {
  EndpointRig rig;
  rig.Send(SetUgi("bob", {}));
  EXPECT_EQ(rig.Send(SetUgi("eve", {})), "");
  EXPECT_EQ(rig.outcome, server::Outcome::kClose);
  for (const std::string& broken :
       {StringCall("set_ugi", {}), StringCall("set_ugi", {"bob"}), SetUgi("", {"g"})}) {
    EndpointRig fresh;
    EXPECT_EQ(fresh.Send(broken), "");
    EXPECT_EQ(fresh.outcome, server::Outcome::kClose);
  }
}

TEST(EndpointSession, ShutdownEndsTheConnectionAndIsNeverForwarded) {
  EndpointRig rig;
  std::string oneway;
  wire::Writer out(&oneway);
  out.MessageBegin(wire::MessageType::kOneway, "shutdown", 7);
  out.Stop();
  EXPECT_EQ(rig.Send(oneway), "");
  EXPECT_EQ(rig.outcome, server::Outcome::kClose);
  rig.Send(MakeCall("shutdown", [](wire::Writer*) {}));
  EXPECT_EQ(rig.outcome, server::Outcome::kClose);
  EXPECT_THAT(rig.forwarded, IsEmpty());
}

TEST(EndpointSession, OtherOnewayMessagesAreIgnored) {
  EndpointRig rig;
  std::string oneway;
  wire::Writer out(&oneway);
  out.MessageBegin(wire::MessageType::kOneway, "reinitialize", 7);
  out.Stop();
  EXPECT_EQ(rig.Send(oneway), "");
  EXPECT_EQ(rig.outcome, server::Outcome::kNoReply);
  EXPECT_THAT(rig.forwarded, IsEmpty());
}

TEST(EndpointSession, TheReadLevelIsAnsweredHere) {
  EndpointRig rig;
  EXPECT_EQ(rig.Send(StringCall("setMetaConf", {"catalogd.read", "latest"})),
            wire::EncodeVoidReply("setMetaConf", 7));
  const std::string reply = rig.Send(StringCall("getMetaConf", {"catalogd.read"}));
  EXPECT_EQ(ResultOf(reply).String(0).value_or(""), "latest");
  EXPECT_THAT(ErrorText(rig.Send(StringCall("setMetaConf", {"catalogd.read", "soon"})), 1),
              HasSubstr("cached, latest, or at-least"));
  for (const std::string& wrong : {StringCall("setMetaConf", {"catalogd.event", "5"}),
                                   StringCall("setMetaConf", {"catalogd.reed", "latest"}),
                                   StringCall("getMetaConf", {"catalogd.reed"})}) {
    EXPECT_THAT(ErrorText(rig.Send(wrong), 1), HasSubstr("catalogd.read"));
  }
  EXPECT_THAT(rig.forwarded, IsEmpty());
  EXPECT_THAT(rig.connector.log.opened, IsEmpty());
}

const std::string kSetting = StringCall("setMetaConf", {"hive.metastore.try.direct.sql", "false"});

// What could go wrong: a setting of one client changes a pooled connection that others use next.
TEST(EndpointSession, SettingsOfTheMetastoreGetAConnectionOfTheirOwn) {
  EndpointRig rig;
  rig.Send(SetUgi("bob", {"g"}));
  EXPECT_EQ(rig.Send(kSetting), wire::EncodeVoidReply("setMetaConf", 7));
  EXPECT_THAT(rig.connector.log.opened, ElementsAre(hms::Identity{"bob", {"g"}}));
  rig.Send(kRead);
  rig.Send(StringCall("getMetaConf", {"hive.metastore.try.direct.sql"}));
  EXPECT_THAT(rig.connector.log.messages, SizeIs(3));
  EXPECT_THAT(rig.connector.log.opened, SizeIs(1));
  EXPECT_THAT(rig.forwarded, IsEmpty());
}

TEST(EndpointSession, WritesOfAClientWithSettingsUseItsOwnConnection) {
  EndpointRig rig;
  rig.Send(kSetting);
  rig.Send(StringCall("drop_table", {"sales", "orders"}));
  ASSERT_THAT(rig.view.writes, SizeIs(1));
  ASSERT_TRUE(rig.view.writes.front().first.forward);
  const std::string call = StringCall("drop_table", {"sales", "orders"});
  const auto reply = rig.view.writes.front().first.forward(call, TimePoint::max());
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(rig.connector.log.messages.back(), call);
}

TEST(EndpointSession, ARefusedSettingKeepsNoConnection) {
  EndpointRig rig;
  rig.connector.log.answer = [](std::string_view) {
    return wire::EncodeExceptionReply("setMetaConf", 7, 1, "Invalid configuration key x");
  };
  EXPECT_EQ(ErrorText(rig.Send(StringCall("setMetaConf", {"x", "y"})), 1),
            "Invalid configuration key x");
  rig.Send(kRead);
  EXPECT_THAT(rig.forwarded, ElementsAre(kRead)) << "back on shared connections";
}

// What could go wrong: the metastore leaves a transaction open there, and all later answers are
// old.
TEST(EndpointSession, AfterAFailedWriteAConnectionOfItsOwnIsOpenedAnew) {
  EndpointRig rig;
  rig.Send(kSetting);
  rig.connector.log.answer = [](std::string_view) {
    return wire::EncodeExceptionReply("exchange_partition", 7, 1, "no such partition");
  };
  rig.Send(StringCall("drop_table", {"sales", "orders"}));
  ASSERT_THAT(rig.view.writes, SizeIs(1));
  ASSERT_TRUE(rig.view.writes.front().first.forward("exchange", TimePoint::max()).has_value());
  rig.view.writes.front().second(ddl::DdlOutcome{"", EventId(1), {}});
  rig.connector.log.answer = [](std::string_view message) {
    return *EndpointRig::VoidReply(message);
  };
  rig.connector.log.messages.clear();
  rig.Send(kRead);
  EXPECT_THAT(rig.connector.log.opened, SizeIs(2));
  EXPECT_THAT(rig.connector.log.messages, ElementsAre(kSetting, kRead));
}

TEST(EndpointSession, ALostConnectionOfItsOwnComesBackWithItsSettings) {
  EndpointRig rig;
  rig.Send(kSetting);
  rig.connector.log.fail_calls.push_back({ErrorCode::kUnavailable, "closed by the server"});
  rig.connector.log.messages.clear();
  EXPECT_EQ(rig.Send(kRead), wire::EncodeVoidReply("get_fields", 7));
  EXPECT_THAT(rig.connector.log.messages, ElementsAre(kSetting, kRead));
  // Sent and not answered is never sent again.
  rig.connector.log.fail_calls.push_back({ErrorCode::kUnknownOutcome, "closed by the server"});
  rig.connector.log.messages.clear();
  EXPECT_THAT(ErrorText(rig.Send(kRead), 0), HasSubstr("closed by the server"));
  EXPECT_THAT(rig.connector.log.messages, IsEmpty());
  EXPECT_EQ(rig.Send(kRead), wire::EncodeVoidReply("get_fields", 7));
}

// What could go wrong: a connection that was lost meanwhile is opened as the new user, who is then
// named there a second time, which ends it.
TEST(EndpointSession, ALaterIdentityReachesTheConnectionOfItsOwn) {
  for (const bool lost : {false, true}) {
    EndpointRig rig;
    rig.Send(kSetting);
    rig.connector.log.messages.clear();
    if (lost) rig.connector.log.fail_calls.push_back({ErrorCode::kUnavailable, "closed"});
    const std::string reply = rig.Send(SetUgi("bob", {"g"}));
    ASSERT_TRUE(ResultOf(reply).Find(0)) << ErrorText(reply, 0);
    EXPECT_THAT(wire::ListView(ResultOf(reply).Find(0)->value).Strings(), ElementsAre("g"));
    rig.connector.log.fail_calls.clear();
    EXPECT_EQ(rig.Send(kRead), wire::EncodeVoidReply("get_fields", 7));
    EXPECT_THAT(rig.connector.log.opened,
                ElementsAre(hms::Identity{}, hms::Identity{"bob", {"g"}}));
    EXPECT_THAT(rig.connector.log.messages, ElementsAre(kSetting, kRead));
    EXPECT_THAT(rig.forwarded, IsEmpty());
  }
}

}  // namespace
}  // namespace catalogd::endpoint
