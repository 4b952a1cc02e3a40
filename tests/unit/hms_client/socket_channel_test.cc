#include "hms_client/socket_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/hms_client/fake_metastore.h"

namespace catalogd::hms {
namespace {

using server::Outcome;
using ::testing::HasSubstr;
using Request = FakeMetastore::Request;

const std::string kNoArgs(1, '\0');

std::unique_ptr<SocketChannel> Connected(const FakeMetastore& fake, SocketOptions options = {}) {
  auto channel = SocketChannel::Connect(fake.address(), options, SystemClock(), Later());
  EXPECT_TRUE(channel) << channel.error().ToString();
  return channel ? std::move(*channel) : nullptr;
}

std::string Ping(int32_t sequence_id = 5) { return wire::EncodeCall("ping", sequence_id, kNoArgs); }

void ExpectBroken(const FakeMetastore& fake, ErrorCode code, const std::string& text,
                  SocketOptions options = {}) {
  const auto channel = Connected(fake, options);
  const auto reply = channel->Call(Ping(), Later());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, code) << reply.error().ToString();
  EXPECT_THAT(reply.error().message, HasSubstr(text));
  EXPECT_THAT(reply.error().message, HasSubstr("ping at " + fake.address().ToString()));
  EXPECT_FALSE(channel->usable());
  // Nothing is ever sent on it again.
  EXPECT_EQ(channel->Call(Ping(), Later()).error().code, ErrorCode::kUnavailable);
}

TEST(SocketChannel, CarriesCallsFramedAndUnframed) {
  FakeMetastore fake;
  const std::string large(size_t{5} << 20U, 'x');
  fake.AnswerString("ping", large);
  for (const bool framed : {false, true}) {
    SocketOptions options;
    options.framed = framed;
    const auto channel = Connected(fake, options);
    for (int32_t i = 1; i <= 3; ++i) {
      const auto reply = channel->Call(Ping(i), Later());
      ASSERT_TRUE(reply) << reply.error().ToString();
      const auto header = wire::CheckMessage(*reply, options.reply_limits);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->sequence_id, i);
      EXPECT_EQ(wire::StructView(std::string_view(*reply).substr(header->body)).String(0), large);
    }
    EXPECT_TRUE(channel->usable());
  }
}

TEST(SocketChannel, ExceptionsAreAnswers) {
  FakeMetastore fake;
  fake.Throw("ping", 1, "no");
  const auto channel = Connected(fake);
  EXPECT_TRUE(channel->Call(Ping(), Later()));
  const auto unknown = channel->Call(wire::EncodeCall("moon", 1, kNoArgs), Later());
  ASSERT_TRUE(unknown);
  EXPECT_EQ(wire::ParseMessageHeader(*unknown)->type, wire::MessageType::kException);
  EXPECT_TRUE(channel->usable());
}

TEST(SocketChannel, RefusedConnectionSaysWhoAndWhy) {
  Address address;
  {
    const FakeMetastore fake;
    address = fake.address();
  }
  const auto channel = SocketChannel::Connect(address, {}, SystemClock(), Later());
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(channel.error().message, HasSubstr(address.ToString()));
  EXPECT_THAT(channel.error().message, HasSubstr("refused"));
  EXPECT_THAT(SocketChannel::Connect({"no.such.host.invalid", 1}, {}, SystemClock(), Later())
                  .error()
                  .message,
              HasSubstr("look up host 'no.such.host.invalid'"));
}

// A connection that the server closed while it was idle: nothing may be sent, so a retry is safe.
TEST(SocketChannel, ClosedWhileIdleIsNotSent) {
  FakeMetastore fake;
  fake.AnswerString("ping", "");
  const auto channel = Connected(fake);
  ASSERT_TRUE(channel->Call(Ping(), Later()));
  fake.Restart();
  const auto reply = channel->Call(Ping(), Later());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(channel->usable());
  EXPECT_EQ(fake.CountOf("ping"), 1U);
}

TEST(SocketChannel, LostAnswersHaveAnUnknownOutcome) {
  FakeMetastore fake;
  fake.Cut("ping");
  ExpectBroken(fake, ErrorCode::kUnknownOutcome, "closed the connection");
  fake.On("ping", [](const Request& request, std::string* reply) {
    *reply = wire::EncodeVoidReply("ping", request.sequence_id).substr(0, 10);
    return Outcome::kClose;
  });
  ExpectBroken(fake, ErrorCode::kUnknownOutcome, "may have been carried out");
}

TEST(SocketChannel, SilentServerTimesOut) {
  FakeMetastore fake;
  fake.Mute("ping");
  const auto channel = Connected(fake);
  const auto reply = channel->Call(Ping(), Soon());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimedOut);
  EXPECT_FALSE(channel->usable());
  EXPECT_EQ(fake.CountOf("ping"), 1U);
}

TEST(SocketChannel, NothingIsSentAfterTheDeadline) {
  FakeMetastore fake;
  fake.AnswerString("ping", "");
  const auto channel = Connected(fake);
  const auto reply = channel->Call(Ping(), SystemClock().Now() - std::chrono::seconds(1));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(channel->usable());
  EXPECT_TRUE(channel->Call(Ping(), Later()));
  EXPECT_EQ(fake.CountOf("ping"), 1U);
}

TEST(SocketChannel, AnswersThatAreNoneAreCorrupt) {
  FakeMetastore fake;
  fake.On("ping", [](const Request&, std::string* reply) {
    *reply = "HTTP/1.1 400 Bad Request\r\n\r\n";
    return Outcome::kClose;
  });
  ExpectBroken(fake, ErrorCode::kCorrupt, "cannot be read");
  fake.On("ping", [](const Request& request, std::string* reply) {
    *reply = wire::EncodeVoidReply("ping", request.sequence_id) + "extra";
    return Outcome::kReplied;
  });
  ExpectBroken(fake, ErrorCode::kCorrupt, "bytes behind the answer");
  fake.On("ping", [](const Request& request, std::string* reply) {
    *reply = wire::EncodeVoidReply("ping", request.sequence_id + 1);
    return Outcome::kReplied;
  });
  ExpectBroken(fake, ErrorCode::kCorrupt, "instead of number 5");
  fake.On("ping", [](const Request& request, std::string* reply) {
    *reply = wire::EncodeVoidReply("pong", request.sequence_id);
    return Outcome::kReplied;
  });
  ExpectBroken(fake, ErrorCode::kCorrupt, "'pong'");
  fake.On("ping", [](const Request& request, std::string* reply) {
    *reply = wire::EncodeCall("ping", request.sequence_id, kNoArgs);
    return Outcome::kReplied;
  });
  ExpectBroken(fake, ErrorCode::kCorrupt, "'ping'");
}

TEST(SocketChannel, LimitsWhatAnAnswerMayBe) {
  FakeMetastore fake;
  fake.AnswerString("ping", std::string(5000, 'x'));
  SocketOptions options;
  options.reply_limits.max_message = 1000;
  ExpectBroken(fake, ErrorCode::kCorrupt, "1000", options);
  options.framed = true;
  ExpectBroken(fake, ErrorCode::kCorrupt, "over the limit", options);
}

// The complaint of a server that could not read the request carries neither name nor number.
TEST(SocketChannel, TakesAnonymousComplaintsAsAnswers) {
  FakeMetastore fake;
  fake.On("ping", [](const Request&, std::string* reply) {
    *reply = wire::EncodeApplicationError("", 0, wire::ApplicationError::kProtocolError, "what?");
    return Outcome::kClose;
  });
  EXPECT_TRUE(Connected(fake)->Call(Ping(), Later()));
}

TEST(SocketChannel, OnewayOnlySends) {
  FakeMetastore fake;
  fake.AnswerString("ping", "");
  fake.On("shutdown", [](const Request&, std::string*) { return Outcome::kNoReply; });
  const auto channel = Connected(fake);
  std::string oneway;
  wire::Writer writer(&oneway);
  writer.MessageBegin(wire::MessageType::kOneway, "shutdown", 1);
  writer.Stop();
  ASSERT_TRUE(channel->Send(oneway, Later()));
  ASSERT_TRUE(channel->Call(Ping(), Later()));
  EXPECT_THAT(fake.seen(), ::testing::ElementsAre("shutdown", "ping"));
}

}  // namespace
}  // namespace catalogd::hms
