#include "thrift/server/message_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "thrift/wire/write.h"

namespace catalogd::server {
namespace {

std::string Message(std::string_view method, int32_t sequence_id, size_t payload) {
  std::string args;
  wire::Writer writer(&args);
  writer.StringField(1, std::string(payload, 'x'));
  writer.Stop();
  return wire::EncodeCall(method, sequence_id, args);
}

std::string AsOld(std::string strict) {
  MakeOld(&strict);
  return strict;
}

std::string Framed(const std::string& message) { return FramePrefix(message.size()) + message; }

struct Outcome {
  std::vector<std::string> messages;
  std::vector<Dialect> dialects;
  std::string reason;
  std::string answer;
};

Outcome ReadInPieces(std::string_view stream, size_t piece, const wire::Limits& limits = {}) {
  MessageReader reader(limits);
  Outcome outcome;
  for (size_t at = 0; at < stream.size(); at += piece) {
    const std::string lent(stream.substr(at, piece));  // Gone after this round.
    reader.Feed(lent);
    for (;;) {
      const auto item = reader.Next();
      if (item.state == MessageReader::State::kNeedMore) break;
      if (item.state == MessageReader::State::kBroken) {
        outcome.reason = item.reason;
        outcome.answer = item.answer;
        return outcome;
      }
      outcome.messages.emplace_back(item.message);
      outcome.dialects.push_back(item.dialect);
    }
    reader.Keep();
  }
  EXPECT_FALSE(reader.has_partial());
  return outcome;
}

// Cutting a stream in other places could lose, double or mix bytes: all cuts must read the same.
TEST(MessageReader, AllPieceSizesReadTheSameMessagesInAllDialects) {
  const std::vector<std::string> messages = {Message("a", 1, 0), Message("get_table", 2, 700),
                                             Message("b", 3, 3), Message("get_table", -4, 90)};
  const std::string stream = messages[0] + Framed(messages[1]) + AsOld(messages[2]) +
                             Framed(AsOld(messages[3])) + messages[1] + messages[0];
  const std::vector<std::string> expected = {messages[0], messages[1], messages[2],
                                             messages[3], messages[1], messages[0]};
  for (const size_t piece : {1U, 2U, 3U, 5U, 7U, 16U, 100U, 1000U, 100000U}) {
    const Outcome outcome = ReadInPieces(stream, piece);
    EXPECT_EQ(outcome.reason, "") << piece;
    EXPECT_EQ(outcome.messages, expected) << piece;
    const std::vector<Dialect> dialects = {Dialect::kStrict, Dialect::kFramedStrict,
                                           Dialect::kOld,    Dialect::kFramedOld,
                                           Dialect::kStrict, Dialect::kStrict};
    EXPECT_EQ(outcome.dialects, dialects) << piece;
  }
}

TEST(MessageReader, WholeMessagesAreNotCopied) {
  MessageReader reader({});
  const std::string stream = Message("a", 1, 10) + Message("b", 2, 10);
  reader.Feed(stream);
  const auto first = reader.Next();
  ASSERT_EQ(first.state, MessageReader::State::kMessage);
  EXPECT_EQ(first.message.data(), stream.data());
  const auto second = reader.Next();
  ASSERT_EQ(second.state, MessageReader::State::kMessage);
  EXPECT_EQ(second.message.data(), stream.data() + first.message.size());
}

TEST(MessageReader, AnswersBrokenMessagesWithTheirNameAndSequenceId) {
  // A field of a type that does not exist.
  std::string bad = Message("get_table", 42, 5);
  bad[8 + 9 + 4] = '\x63';
  for (const bool framed : {false, true}) {
    for (const size_t piece : {1U, 1000U}) {
      const Outcome outcome = ReadInPieces(framed ? Framed(bad) : bad, piece);
      ASSERT_NE(outcome.reason, "") << framed;
      const std::string answer = framed ? outcome.answer.substr(4) : outcome.answer;
      const auto header = wire::CheckMessage(answer);
      ASSERT_TRUE(header) << header.error().ToString();
      EXPECT_EQ(header->type, wire::MessageType::kException);
      EXPECT_EQ(header->method, "get_table");
      EXPECT_EQ(header->sequence_id, 42);
    }
  }
}

TEST(MessageReader, RefusesLargeMessagesBeforeTheyHaveArrived) {
  wire::Limits limits;
  limits.max_message = 1000;
  limits.max_string = 1000;
  const std::string large = Message("get_table", 1, 5000);
  // Only the beginning is sent; the declared length suffices.
  EXPECT_NE(ReadInPieces(std::string_view(large).substr(0, 60), 60, limits).reason, "");
  const Outcome framed = ReadInPieces(Framed(large).substr(0, 60), 60, limits);
  EXPECT_NE(framed.reason.find("over the limit of 1000"), std::string::npos) << framed.reason;
  EXPECT_EQ(wire::CheckMessage(framed.answer.substr(4))->method, "get_table");
  EXPECT_EQ(ReadInPieces(Message("get_table", 1, 900), 60, limits).reason, "");
}

TEST(MessageReader, RefusesAFrameThatIsNotExactlyOneMessage) {
  const std::string message = Message("a", 1, 10);
  EXPECT_NE(ReadInPieces(FramePrefix(message.size() + 1) + message + "x", 1000).reason, "");
  EXPECT_NE(ReadInPieces(FramePrefix(message.size() - 1) + message, 1000).reason, "");
  EXPECT_NE(ReadInPieces(FramePrefix(5) + AsOld(message), 1000).reason, "");
}

TEST(MessageReader, RefusesWhatIsNoRequest) {
  const std::string reply = wire::EncodeVoidReply("a", 1);
  EXPECT_NE(ReadInPieces(reply, 1000).reason, "");
  EXPECT_NE(ReadInPieces(Framed(reply), 1000).reason, "");
  std::string oneway = Message("shutdown", 1, 0);
  oneway[3] = '\x04';
  EXPECT_EQ(ReadInPieces(oneway, 1000).messages.size(), 1U);
}

TEST(MessageReader, RefusesOtherProtocolsWithTheReason) {
  const Outcome http = ReadInPieces("GET / HTTP/1.1\r\n\r\n", 1);
  EXPECT_EQ(http.reason, RefusalText(Dialect::kHttp));
  EXPECT_EQ(http.answer, RefusalBytes(Dialect::kHttp));
}

// Random bytes must neither crash nor hang nor read outside their buffer (sanitizers see that).
TEST(MessageReader, SurvivesMutatedStreams) {
  const std::string stream = Message("get_table", 2, 40) + Framed(Message("b", 3, 30)) +
                             AsOld(Message("c", 4, 20)) + Framed(AsOld(Message("d", 5, 9)));
  uint32_t state = 12345;
  size_t broken = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string mutated = stream;
    for (int flips = 0; flips < 3; ++flips) {
      state = state * 1664525U + 1013904223U;
      mutated[(state >> 8U) % mutated.size()] = static_cast<char>(state >> 24U);
    }
    MessageReader reader({});
    for (size_t at = 0; at < mutated.size(); at += 11) {
      const std::string lent = mutated.substr(at, 11);
      reader.Feed(lent);
      auto item = reader.Next();
      while (item.state == MessageReader::State::kMessage) {
        EXPECT_TRUE(wire::CheckMessage(item.message));
        item = reader.Next();
      }
      if (item.state == MessageReader::State::kBroken) {
        ++broken;
        break;
      }
      reader.Keep();
    }
  }
  EXPECT_GT(broken, 100U);
}

}  // namespace
}  // namespace catalogd::server
