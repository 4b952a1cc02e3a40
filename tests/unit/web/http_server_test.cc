#include "catalog/web/http_server.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/unit/web/http_client.h"

namespace catalogd::web {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { Start({}); }
  void Start(const HttpOptions& options) {
    auto server = StartHttpServer(options, [](const WebRequest& request) {
      if (request.path == "/throws") throw std::runtime_error("page fell over");
      return PlainText(200, "path=" + request.path + "\n");
    });
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  // The server still answers: whatever went before cost only its own connection.
  void ExpectServes() const { EXPECT_THAT(Get(server_->port(), "/x"), HasSubstr("path=/x")); }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersGet) {
  const std::string reply = Get(server_->port(), "/events");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(reply, HasSubstr("path=/events"));
  EXPECT_THAT(reply, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(reply, HasSubstr("Content-Security-Policy: default-src 'none'"));
}

TEST_F(HttpServerTest, HeadHasTheLengthAndNoBody) {
  const std::string reply =
      Ask(server_->port(), "HEAD /events HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(reply, HasSubstr("Content-Length: 13"));
  EXPECT_THAT(reply, Not(HasSubstr("path=")));
}

TEST_F(HttpServerTest, KeepsAConnectionForSeveralRequests) {
  const HttpClient client(server_->port());
  ASSERT_TRUE(client.connected());
  for (const std::string path : {"/one", "/two", "/three"}) {
    ASSERT_TRUE(client.Send("GET " + path + " HTTP/1.1\r\nHost: t\r\n\r\n"));
    EXPECT_THAT(client.ReadUntil("path="), HasSubstr("200 OK"));
  }
  EXPECT_EQ(server_->stats().accepted, 1U);
  EXPECT_EQ(server_->stats().requests, 3U);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAllAnswered) {
  const std::string reply = Ask(server_->port(),
                                "GET /one HTTP/1.1\r\nHost: t\r\n\r\n"
                                "GET /two HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("path=/one"));
  EXPECT_THAT(reply, HasSubstr("path=/two"));
}

TEST_F(HttpServerTest, OtherMethodsAreRefusedByName) {
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    const std::string reply =
        Ask(server_->port(), method + " / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 405")) << method;
    EXPECT_THAT(reply, HasSubstr("Allow: GET, HEAD")) << method;
    EXPECT_THAT(reply, HasSubstr(method + " is not served here"));
  }
  ExpectServes();
}

TEST_F(HttpServerTest, ABodyIsRefused) {
  EXPECT_THAT(Ask(server_->port(), "GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Ask(server_->port(),
                  "GET / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  ExpectServes();
}

TEST_F(HttpServerTest, WhatIsNoHttpGetsAnAnswerThatSaysSo) {
  const std::string thrift("\x80\x01\x00\x01\x00\x00\x00\x09get_table\x00\x00\x00\x01\x00", 22);
  for (const std::string& bytes :
       {std::string("hello\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET / HTTP/1.1\r\nbroken line\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), thrift}) {
    const std::string reply = Ask(server_->port(), bytes);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 400")) << bytes;
    EXPECT_THAT(reply, HasSubstr("this is no HTTP request: ")) << bytes;
  }
  EXPECT_EQ(server_->stats().bad_requests, 6U);
  ExpectServes();
}

TEST_F(HttpServerTest, BrokenTargetsAreRefused) {
  EXPECT_THAT(Get(server_->port(), "/%zz"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Get(server_->port(), "nopath"), StartsWith("HTTP/1.1 400"));
  ExpectServes();
}

TEST_F(HttpServerTest, AHugeHeaderIsRefused) {
  const std::string huge(100000, 'a');
  EXPECT_THAT(Get(server_->port(), "/", "X-Huge: " + huge + "\r\n"), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Get(server_->port(), "/" + huge), StartsWith("HTTP/1.1 431"));
  ExpectServes();
}

TEST_F(HttpServerTest, APageThatThrowsCostsItsRequest) {
  const std::string reply = Get(server_->port(), "/throws");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(reply, HasSubstr("/throws failed: page fell over"));
  ExpectServes();
}

TEST_F(HttpServerTest, ASilentClientIsClosedAndHarmsNobody) {
  HttpOptions options;
  options.timeout = std::chrono::milliseconds(50);
  Start(options);
  const HttpClient silent(server_->port());
  ASSERT_TRUE(silent.Send("GET / HT"));
  EXPECT_EQ(silent.ReadAll(), "");  // Ends only because the server closes.
  ExpectServes();
}

TEST_F(HttpServerTest, TooManyConnectionsAreClosedAtOnce) {
  HttpOptions options;
  options.max_connections = 2;
  Start(options);
  const HttpClient first(server_->port());
  const HttpClient second(server_->port());
  for (const HttpClient* client : {&first, &second}) {
    ASSERT_TRUE(client->Send("GET / HTTP/1.1\r\nHost: t\r\n\r\n"));
    EXPECT_THAT(client->ReadUntil("path="), HasSubstr("200 OK"));
  }
  const HttpClient third(server_->port());
  EXPECT_EQ(third.ReadAll(), "");
  EXPECT_EQ(server_->stats().refused, 1U);
}

TEST_F(HttpServerTest, StopClosesWhatIsOpenAndMayBeRepeated) {
  const HttpClient client(server_->port());
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_THAT(client.ReadUntil("path=/\n"), HasSubstr("200 OK"));
  server_->Stop();
  server_->Stop();
  server_.reset();
  EXPECT_EQ(client.ReadUntil("more"), "");
}

TEST(StartHttpServer, SaysWhichAddressCannotBeBound) {
  const auto page = [](const WebRequest& /*request*/) { return PlainText(200, ""); };
  auto first = StartHttpServer({}, page);
  ASSERT_TRUE(first);
  HttpOptions same;
  same.port = (*first)->port();
  const auto second = StartHttpServer(same, page);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1:" + std::to_string(same.port)));
  EXPECT_THAT(second.error().message, HasSubstr("--web-port"));

  HttpOptions nowhere;
  nowhere.address = "not-an-address";
  const auto third = StartHttpServer(nowhere, page);
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message, HasSubstr("not-an-address"));
}

}  // namespace
}  // namespace catalogd::web
