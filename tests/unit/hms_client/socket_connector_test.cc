#include "hms_client/socket_connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_time.h"
#include "tests/unit/hms_client/fake_metastore.h"

namespace catalogd::hms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Identity kDaemon;
const Identity kAlice{"alice", {"staff", "ops"}};

ConnectorOptions For(const std::vector<Address>& addresses) {
  ConnectorOptions options;
  options.addresses = addresses;
  return options;
}

std::string EndpointOf(const Result<std::unique_ptr<Channel>>& channel) {
  return channel ? (*channel)->endpoint() : channel.error().ToString();
}

// Deadlines are real time here; only the back-off is by the fake clock.
TimePoint In5Minutes(const Clock& clock) { return clock.Now() + std::chrono::minutes(5); }

TEST(SocketConnector, GoesOnToTheNextAddressAndStaysThere) {
  FakeMetastore first;
  FakeMetastore second;
  catalogd::testing::FakeClock clock;
  SocketConnector connector(For({first.address(), second.address()}), clock);
  EXPECT_EQ(EndpointOf(connector.Open(kDaemon, In5Minutes(clock))), first.address().ToString());
  first.Stop();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(EndpointOf(connector.Open(kDaemon, In5Minutes(clock))), second.address().ToString());
  }
  EXPECT_FALSE(connector.States()[0].good);
  EXPECT_TRUE(connector.States()[1].good);
  first.Restart();
  // The one that works is not left for one that came back ...
  clock.Advance(std::chrono::minutes(1));
  EXPECT_EQ(EndpointOf(connector.Open(kDaemon, In5Minutes(clock))), second.address().ToString());
  // ... until it fails itself.
  second.Stop();
  EXPECT_EQ(EndpointOf(connector.Open(kDaemon, In5Minutes(clock))), first.address().ToString());
  second.Restart();
}

TEST(SocketConnector, SaysWhyEachAddressFailed) {
  FakeMetastore first;
  FakeMetastore second;
  catalogd::testing::FakeClock clock;
  SocketConnector connector(For({first.address(), second.address()}), clock);
  first.Stop();
  second.Stop();
  const auto channel = connector.Open(kDaemon, In5Minutes(clock));
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::kUnavailable);
  for (const FakeMetastore* fake : {&first, &second}) {
    EXPECT_THAT(channel.error().message,
                HasSubstr(fake->address().ToString() + ": Connection refused"));
  }
  first.Restart();
  second.Restart();
}

// A metastore that is down must not see a storm, and must be found again soon.
TEST(SocketConnector, LeavesAFailedAddressAloneUntilItsTime) {
  FakeMetastore fake;
  catalogd::testing::FakeClock clock;
  SocketConnector connector(For({fake.address()}), clock);
  fake.Stop();
  EXPECT_FALSE(connector.Open(kDaemon, In5Minutes(clock)));
  fake.Restart();
  // It is back, but nobody looks yet.
  const auto early = connector.Open(kDaemon, In5Minutes(clock));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(early.error().message, HasSubstr("Connection refused"));
  EXPECT_EQ(fake.stats().accepted, 0U);
  clock.Advance(std::chrono::seconds(2));
  EXPECT_TRUE(connector.Open(kDaemon, In5Minutes(clock)));
}

TEST(SocketConnector, SetsTheUserOfAConnectionOnce) {
  FakeMetastore fake;
  std::string user;
  std::vector<std::string> groups;
  fake.On("set_ugi", [&](const FakeMetastore::Request& request, std::string* reply) {
    user = std::string(request.args.String(1).value_or(""));
    groups = wire::ListView(request.args.Find(2)->value).Strings();
    *reply = wire::EncodeReply(request.method, request.sequence_id, wire::TType::kList, 0,
                               FakeMetastore::EncodedStrings({"staff", "alice"}));
    return server::Outcome::kReplied;
  });
  SocketConnector connector(For({fake.address()}), SystemClock());
  EXPECT_TRUE(connector.Open(kDaemon, Later()));
  EXPECT_THAT(fake.seen(), IsEmpty());
  EXPECT_TRUE(connector.Open(kAlice, Later()));
  EXPECT_THAT(fake.seen(), ElementsAre("set_ugi"));
  EXPECT_EQ(user, "alice");
  EXPECT_THAT(groups, ElementsAre("staff", "ops"));
}

TEST(SocketConnector, ARefusedUserIsNoReasonToAvoidTheServer) {
  FakeMetastore fake;
  fake.Throw("set_ugi", 1, "alice is not welcome");
  SocketConnector connector(For({fake.address()}), SystemClock());
  const auto channel = connector.Open(kAlice, Later());
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::kPermission);
  EXPECT_THAT(channel.error().message, HasSubstr("alice is not welcome"));
  EXPECT_TRUE(connector.Open(kDaemon, Later()));
}

TEST(SocketConnector, AConnectionLostInSetUgiHasSentNothingOfTheUsers) {
  FakeMetastore first;
  FakeMetastore second;
  first.Cut("set_ugi");
  second.AnswerStrings("set_ugi", {"alice"});
  SocketConnector connector(For({first.address(), second.address()}), SystemClock());
  EXPECT_EQ(EndpointOf(connector.Open(kAlice, Later())), second.address().ToString());
  second.Cut("set_ugi");
  const auto channel = connector.Open(kAlice, Later());
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace catalogd::hms
