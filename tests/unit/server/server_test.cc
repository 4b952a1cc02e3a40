#include "thrift/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "catalog/base/mutex.h"
#include "tests/support/fake_time.h"
#include "tests/unit/server/raw_client.h"
#include "thrift/server/dialect.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Call(std::string_view method, int32_t sequence_id = 1, std::string_view text = "") {
  std::string args;
  wire::Writer writer(&args);
  writer.StringField(1, text);
  writer.Stop();
  return wire::EncodeCall(method, sequence_id, args);
}

std::string Answer(std::string_view method, int32_t sequence_id = 1, std::string_view text = "") {
  std::string value;
  wire::Writer(&value).String(text);
  return wire::EncodeReply(method, sequence_id, wire::TType::kString, 0, value);
}

std::string Framed(const std::string& message) { return FramePrefix(message.size()) + message; }

// Echoes its argument; what a method name asks for otherwise:
//   "defer" and "defer_forever": kept until the test completes it; "bye": answered, then closed;
//   "leave": closed without an answer; "oneway": not answered; "big": 8 MiB of answer.
class ScriptedHandler final : public Handler {
 public:
  void OnOpen(Session& session) override {
    const MutexLock lock(mutex_);
    EXPECT_TRUE(open_.insert(session.id()).second);
    changed_.NotifyAll();
  }
  Outcome OnMessage(const std::shared_ptr<Session>& session, std::string_view message,
                    std::string* reply) override {
    EXPECT_TRUE(reply->empty());
    const auto header = wire::ParseMessageHeader(message);
    if (!header) return Outcome::kClose;
    const std::string method(header->method);
    Note(*session, method);
    if (method == "defer") return Defer(session, message);
    if (method == "leave") return Outcome::kClose;
    if (method == "oneway") return Outcome::kNoReply;
    const wire::StructView args(message.substr(header->body));
    *reply = method == "big" ? Answer(method, header->sequence_id, std::string(kBig, 'b'))
                             : Answer(method, header->sequence_id, args.String(1).value_or(""));
    return method == "bye" ? Outcome::kClose : Outcome::kReplied;
  }
  void OnClose(Session& session) override {
    const MutexLock lock(mutex_);
    EXPECT_EQ(open_.erase(session.id()), 1U);
    ++closed_;
    changed_.NotifyAll();
  }

  // The oldest deferred session; waits for one.
  std::shared_ptr<Session> TakeDeferred() {
    const MutexLock lock(mutex_);
    while (deferred_.empty()) changed_.Wait(mutex_);
    auto session = deferred_.front();
    deferred_.erase(deferred_.begin());
    return session;
  }
  void AwaitClosed(size_t count) {
    const MutexLock lock(mutex_);
    while (closed_ < count) changed_.Wait(mutex_);
  }
  void AwaitOpen(size_t count) {
    const MutexLock lock(mutex_);
    while (open_.size() < count) changed_.Wait(mutex_);
  }
  std::vector<std::string> seen() {
    const MutexLock lock(mutex_);
    return seen_;
  }
  size_t closed() {
    const MutexLock lock(mutex_);
    return closed_;
  }

  static constexpr size_t kBig = size_t{8} << 20U;

 private:
  void Note(Session& session, const std::string& method) {
    const MutexLock lock(mutex_);
    EXPECT_EQ(open_.count(session.id()), 1U);
    seen_.push_back(method);
  }
  Outcome Defer(const std::shared_ptr<Session>& session, std::string_view message) {
    EXPECT_FALSE(session->state.has_value()) << "a message came while one was deferred";
    session->state = std::string(message);
    const MutexLock lock(mutex_);
    deferred_.push_back(session);
    changed_.NotifyAll();
    return Outcome::kDeferred;
  }

  Mutex mutex_{LockRank::kLeaf};
  CondVar changed_;
  std::set<uint64_t> open_;
  size_t closed_ = 0;
  std::vector<std::string> seen_;
  std::vector<std::shared_ptr<Session>> deferred_;
};

class ServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}, const Clock& clock = SystemClock()) {
    auto server = StartServer(options, &handler_, clock);
    ASSERT_TRUE(server) << server.error().ToString();
    server_ = std::move(*server);
  }
  RawClient Connect() { return RawClient(server_->port()); }
  // Another address of this machine.
  RawClient ConnectFrom(const char* address) { return RawClient(server_->port(), 0, address); }
  // `meanwhile` runs when the third has been refused; then one of the two makes room.
  void ExpectTwoAndNoMore(const std::function<void()>& meanwhile) {
    RawClient first = Connect();
    RawClient second = Connect();
    ExpectServes(first);
    ExpectServes(second);
    EXPECT_EQ(Connect().ReadAll(), "");
    EXPECT_EQ(server_->stats().refused, 1U);
    meanwhile();
    first.Close();
    handler_.AwaitClosed(1);
    RawClient third = Connect();
    ExpectServes(third);
  }
  // What the server says to these bytes until it closes the connection.
  std::string Provoke(std::string_view bytes) {
    RawClient client(server_->port());
    EXPECT_TRUE(client.Send(bytes));
    return client.ReadAll();
  }
  void ExpectServes(RawClient& client) {
    ASSERT_TRUE(client.Send(Call("ping", 9, "still here")));
    const std::string expected = Answer("ping", 9, "still here");
    ASSERT_EQ(client.Read(expected.size()), expected);
  }

  catalogd::testing::FakeClock fake_clock_;
  ScriptedHandler handler_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersByteByByte) {
  Start();
  RawClient client = Connect();
  for (const char byte : Call("echo", 5, "slowly")) ASSERT_TRUE(client.Send({&byte, 1}));
  const std::string expected = Answer("echo", 5, "slowly");
  EXPECT_EQ(client.Read(expected.size()), expected);
}

TEST_F(ServerTest, AnswersManyMessagesOfOneSegmentInOrder) {
  Start();
  RawClient client = Connect();
  std::string all;
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    const std::string text(static_cast<size_t>(i), 'x');
    all += i % 3 == 0 ? Framed(Call("echo", i, text)) : Call("echo", i, text);
    expected += i % 3 == 0 ? Framed(Answer("echo", i, text)) : Answer("echo", i, text);
  }
  ASSERT_TRUE(client.Send(all));
  EXPECT_EQ(client.Read(expected.size()), expected);
  EXPECT_EQ(server_->stats().messages, 500U);
}

TEST_F(ServerTest, AnswersEachMessageInItsOwnDialect) {
  Start();
  RawClient client = Connect();
  std::string old_call = Call("echo", 3, "old");
  std::string old_answer = Answer("echo", 3, "old");
  MakeOld(&old_call);
  MakeOld(&old_answer);
  ASSERT_TRUE(client.Send(Call("echo", 1, "plain") + Framed(Call("echo", 2, "framed")) + old_call +
                          Framed(old_call)));
  const std::string expected = Answer("echo", 1, "plain") + Framed(Answer("echo", 2, "framed")) +
                               old_answer + Framed(old_answer);
  EXPECT_EQ(client.Read(expected.size()), expected);
}

TEST_F(ServerTest, LargeMessagesGoThroughInBothDirections) {
  Start();
  RawClient client = Connect();
  const std::string text(size_t{20} << 20U, 'l');
  std::thread sender([&] { EXPECT_TRUE(client.Send(Call("echo", 1, text))); });
  const std::string expected = Answer("echo", 1, text);
  EXPECT_TRUE(client.Read(expected.size()) == expected);
  sender.join();
  ExpectServes(client);
}

TEST_F(ServerTest, OversizedAndMalformedMessagesAreAnsweredAndCostTheirConnection) {
  ServerOptions options;
  options.limits.max_message = 100000;
  options.limits.max_string = 100000;
  Start(options);
  RawClient bystander = Connect();
  ExpectServes(bystander);

  std::string corrupt = Call("get_table", 7, "abc");
  corrupt[8 + 9 + 4] = '\x63';
  for (const std::string& bad : {Call("get_table", 7, std::string(200000, 'x')), corrupt}) {
    const std::string answer = Provoke(bad);
    const auto header = wire::CheckMessage(answer);
    ASSERT_TRUE(header) << header.error().ToString();
    EXPECT_EQ(header->type, wire::MessageType::kException);
    EXPECT_EQ(header->method, "get_table");
    EXPECT_EQ(header->sequence_id, 7);
    const wire::StructView body(std::string_view(answer).substr(header->body));
    EXPECT_EQ(body.I32(2), static_cast<int32_t>(wire::ApplicationError::kProtocolError));
    EXPECT_THAT(std::string(body.String(1).value_or("")), HasSubstr("cannot be read"));
  }
  const std::string framed = Provoke(Framed(Call("get_table", 7, std::string(200000, 'x'))));
  ASSERT_GT(framed.size(), 4U);
  EXPECT_EQ(FrameLength(framed), framed.size() - 4);
  EXPECT_TRUE(wire::CheckMessage(std::string_view(framed).substr(4)));

  ExpectServes(bystander);
  EXPECT_EQ(server_->stats().broken_messages, 3U);
}

TEST_F(ServerTest, OtherProtocolsAreToldWhy) {
  Start();
  EXPECT_THAT(Provoke("POST /metastore HTTP/1.1\r\nHost: x\r\n\r\n"),
              StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_EQ(Provoke(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9)),
            RefusalBytes(Dialect::kTls));
  EXPECT_EQ(Provoke(std::string("\x01\x00\x00\x00\x06GSSAPI", 11)), RefusalBytes(Dialect::kSasl));
  EXPECT_EQ(Provoke(std::string("\x82\x21\x01\x04ping\x00", 9)), RefusalBytes(Dialect::kCompact));
  EXPECT_EQ(Provoke("\xff\xff\xff\xff\xff\xff\xff\xff"), RefusalBytes(Dialect::kGarbage));
  EXPECT_EQ(server_->stats().broken_messages, 5U);
  EXPECT_EQ(server_->stats().messages, 0U);
}

// Closing over unread input resets the connection, and the text would be lost.
TEST_F(ServerTest, ARefusedPeerThatKeepsSendingStillReadsTheReason) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send("POST /metastore HTTP/1.1\r\n\r\n"));
  client.Send(std::string(size_t{4} << 20U, 'z'));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_F(ServerTest, HandlerDecidesAboutReplyAndClose) {
  Start();
  EXPECT_EQ(Provoke(Call("leave")), "");
  EXPECT_EQ(Provoke(Call("oneway") + Call("bye", 2, "x")), Answer("bye", 2, "x"));
  // Input behind the last message does not take the answer with it.
  EXPECT_EQ(Provoke(Call("bye", 3, "x") + Call("echo", 4, "never")), Answer("bye", 3, "x"));
  EXPECT_THAT(handler_.seen(), ::testing::ElementsAre("leave", "oneway", "bye", "bye"));
}

TEST_F(ServerTest, DeferredMessagesAreCompletedFromOtherThreadsInOrder) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Call("defer", 1) + Framed(Call("echo", 2, "b")) + Call("defer", 3)));
  auto session = handler_.TakeDeferred();
  EXPECT_THAT(handler_.seen(), ::testing::ElementsAre("defer"));
  std::thread other([&] {
    session->state.reset();
    session->Complete(Answer("defer", 1, "a"));
  });
  other.join();
  std::string expected = Answer("defer", 1, "a") + Framed(Answer("echo", 2, "b"));
  EXPECT_EQ(client.Read(expected.size()), expected);
  session = handler_.TakeDeferred();
  session->state.reset();
  session->Complete("");  // Oneway: nothing is written.
  ExpectServes(client);
}

TEST_F(ServerTest, DeferredFramedMessageIsAnsweredFramed) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Framed(Call("defer", 1))));
  handler_.TakeDeferred()->Complete(Answer("defer", 1, "a"));
  const std::string expected = Framed(Answer("defer", 1, "a"));
  EXPECT_EQ(client.Read(expected.size()), expected);
}

TEST_F(ServerTest, PeerThatResetsWhileDeferredIsClosedOnceAfterCompletion) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Call("defer", 1)));
  auto session = handler_.TakeDeferred();
  client.Reset();
  EXPECT_EQ(handler_.closed(), 0U);
  session->Complete(Answer("defer", 1, std::string(1 << 20, 'a')));
  session.reset();
  handler_.AwaitClosed(1);
  RawClient next = Connect();
  ExpectServes(next);
  EXPECT_EQ(handler_.closed(), 1U);
}

TEST_F(ServerTest, PeerThatFinishedSendingStillGetsItsAnswers) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Call("defer", 1) + Call("echo", 2, "b")));
  client.FinishSending();
  handler_.TakeDeferred()->Complete(Answer("defer", 1, "a"));
  EXPECT_EQ(client.ReadAll(), Answer("defer", 1, "a") + Answer("echo", 2, "b"));
  handler_.AwaitClosed(1);
}

// What waits to be begun need not be when nobody is left to be answered.
TEST_F(ServerTest, AHangUpIsNoticedBeforeTheAnswerByWhoAsks) {
  Start();
  RawClient bystander = Connect();
  for (const bool resets : {false, true}) {
    RawClient client = Connect();
    ASSERT_TRUE(client.Send(Call("defer")));
    const auto session = handler_.TakeDeferred();
    session->NoticeHangUp();
    resets ? client.Reset() : client.Close();
    handler_.AwaitClosed(resets ? 2 : 1);
    session->NoticeHangUp();
    session->Complete(Answer("defer"));
    ExpectServes(bystander);
  }
  EXPECT_EQ(handler_.closed(), 2U);
}

TEST_F(ServerTest, WhoIsLookedAfterIsServedOn) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Call("defer", 1, "a")));
  auto session = handler_.TakeDeferred();
  session->NoticeHangUp();
  session->NoticeHangUp();
  session->state.reset();
  session->Complete(Answer("defer", 1, "a"));
  EXPECT_EQ(client.Read(Answer("defer", 1, "a").size()), Answer("defer", 1, "a"));
  ExpectServes(client);
  // With the next message sent in advance.
  ASSERT_TRUE(client.Send(Call("defer", 2, "b")));
  session = handler_.TakeDeferred();
  session->NoticeHangUp();
  ASSERT_TRUE(client.Send(Call("echo", 3, "c")));
  session->state.reset();
  session->Complete(Answer("defer", 2, "b"));
  const std::string both = Answer("defer", 2, "b") + Answer("echo", 3, "c");
  EXPECT_EQ(client.Read(both.size()), both);
  EXPECT_EQ(handler_.closed(), 0U);
}

TEST_F(ServerTest, CloseFinishesADeferredMessageWithoutAnswer) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Call("defer", 1) + Call("echo", 2)));
  handler_.TakeDeferred()->Close();
  EXPECT_EQ(client.ReadAll(), "");
  handler_.AwaitClosed(1);
  EXPECT_THAT(handler_.seen(), ::testing::ElementsAre("defer"));
}

TEST_F(ServerTest, CloseAfterCompleteStillWritesTheAnswer) {
  Start();
  RawClient client(server_->port(), 4096);
  ASSERT_TRUE(client.Send(Call("defer", 1)));
  auto session = handler_.TakeDeferred();
  const std::string answer = Answer("defer", 1, std::string(size_t{8} << 20U, 'a'));
  session->Complete(answer);
  session->Close();
  EXPECT_TRUE(client.ReadAll() == answer);
}

TEST_F(ServerTest, StopAnswersWhatIsRunningAndClosesWhatIsIdle) {
  Start();
  RawClient idle = Connect();
  RawClient busy = Connect();
  ExpectServes(idle);
  ASSERT_TRUE(busy.Send(Call("defer", 1) + Call("echo", 2, "too late")));
  auto session = handler_.TakeDeferred();
  std::thread stopper([&] { server_->Stop(std::chrono::minutes(5)); });
  EXPECT_EQ(idle.ReadAll(), "");
  session->Complete(Answer("defer", 1, "a"));
  EXPECT_EQ(busy.ReadAll(), Answer("defer", 1, "a"));
  busy.Close();
  stopper.join();
  EXPECT_FALSE(Connect().connected());
  EXPECT_EQ(handler_.closed(), 2U);
  EXPECT_EQ(server_->stats().open, 0U);
}

TEST_F(ServerTest, AnswersAfterTheEndOfTheServerAreDropped) {
  Start();
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Call("defer", 1)));
  auto session = handler_.TakeDeferred();
  EXPECT_EQ(server_->Stop(std::chrono::milliseconds(1)), 1U);
  EXPECT_EQ(server_->Stop(std::chrono::milliseconds(1)), 0U);
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(handler_.closed(), 1U);
  session->Complete(Answer("defer", 1, "a"));
  server_.reset();
  session->Complete(Answer("defer", 1, "a"));
  session->Close();
  EXPECT_EQ(session->peer().substr(0, 10), "127.0.0.1:");
}

TEST_F(ServerTest, ServesThousandsOfIdleConnectionsAndDropsThemAll) {
  ServerOptions options;
  options.io_threads = 2;
  Start(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 2000; ++i) {
    clients.push_back(Connect());
    ASSERT_TRUE(clients.back().connected()) << i << ": raise the limit of open files";
  }
  handler_.AwaitOpen(2000);
  for (size_t i = 0; i < clients.size(); i += 97) ExpectServes(clients[i]);
  EXPECT_EQ(server_->stats().open, 2000U);
  EXPECT_EQ(server_->Stop(std::chrono::minutes(5)), 0U);
  EXPECT_EQ(handler_.closed(), 2000U);
}

TEST_F(ServerTest, ConnectionsOverTheLimitAreRefusedAndCounted) {
  ServerOptions options;
  options.max_connections = 2;
  Start(options);
  ExpectTwoAndNoMore([] {});
}

TEST_F(ServerTest, OneAddressGetsItsShareAndNoMore) {
  ServerOptions options;
  options.max_connections_per_address = 2;
  Start(options);
  std::optional<RawClient> neighbour;
  ExpectTwoAndNoMore([&] {
    neighbour.emplace(ConnectFrom("127.0.0.2"));
    ExpectServes(*neighbour);
  });
}

// A peer that does not read must not stop others on the same thread, nor hold more than an answer.
TEST_F(ServerTest, SlowReaderCostsOnlyItself) {
  Start();
  RawClient slow(server_->port(), 4096);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(slow.Send(Call("big", i)));
  RawClient quick = Connect();
  for (int i = 0; i < 100; ++i) ExpectServes(quick);
  const auto seen = handler_.seen();
  EXPECT_LE(std::count(seen.begin(), seen.end(), "big"), 2);
  for (int i = 0; i < 6; ++i) {
    const std::string expected = Answer("big", i, std::string(ScriptedHandler::kBig, 'b'));
    ASSERT_TRUE(slow.Read(expected.size()) == expected) << i;
  }
}

TEST_F(ServerTest, UnfinishedMessagesAndUnreadAnswersEndAtTheirDeadlines) {
  ServerOptions options;
  options.read_timeout = std::chrono::milliseconds(40);
  options.write_timeout = std::chrono::milliseconds(40);
  Start(options, fake_clock_);
  RawClient idle = Connect();
  RawClient slow_writer = Connect();
  RawClient slow_reader(server_->port(), 4096);
  ExpectServes(idle);
  ASSERT_TRUE(slow_writer.Send(Call("echo").substr(0, 9)));
  ASSERT_TRUE(slow_reader.Send(Call("big")));
  while (handler_.seen().size() < 2) std::this_thread::yield();
  // Time moves only here, so nothing can have been closed before.
  EXPECT_EQ(handler_.closed(), 0U);
  std::thread time([&] {
    while (handler_.closed() < 2) {
      fake_clock_.Advance(std::chrono::milliseconds(50));
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(slow_writer.ReadAll(), "");
  handler_.AwaitClosed(2);
  time.join();
  EXPECT_LT(slow_reader.ReadAll().size(), ScriptedHandler::kBig);
  ExpectServes(idle);
}

TEST_F(ServerTest, HangUpsInTheMiddleOfAMessageAreForgotten) {
  Start();
  for (int i = 0; i < 50; ++i) {
    RawClient client = Connect();
    ExpectServes(client);
    ASSERT_TRUE(client.Send(Call("echo", 1, "abc").substr(0, static_cast<size_t>(i % 27))));
    if (i % 2 == 0) client.Reset();
  }
  handler_.AwaitClosed(50);
  EXPECT_EQ(handler_.seen().size(), 50U);
  EXPECT_EQ(server_->stats().broken_messages, 0U);
}

TEST(StartServer, SaysWhyItCannotListen) {
  ScriptedHandler handler;
  const auto first = StartServer({}, &handler, SystemClock());
  ASSERT_TRUE(first);
  ServerOptions options;
  options.port = (*first)->port();
  const auto second = StartServer(options, &handler, SystemClock());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1:" + std::to_string(options.port)));
  EXPECT_THAT(second.error().message, HasSubstr("Address already in use"));
  options.address = "no.such.host.invalid";
  EXPECT_EQ(StartServer(options, &handler, SystemClock()).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace catalogd::server
