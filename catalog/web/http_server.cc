#include "catalog/web/http_server.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <atomic>
#include <exception>
#include <optional>
#include <set>

#include "catalog/base/executor.h"
#include "catalog/base/utf8.h"
#include "catalog/web/asio.h"

namespace catalogd::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;
using boost::system::error_code;

constexpr size_t kMaxIgnoredBytes = 64U << 10U;  // Read and dropped after a refusal.
constexpr auto kLinger = std::chrono::seconds(2);

struct Counters {
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> open{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> bad_requests{0};
  std::atomic<uint64_t> refused{0};
};

struct Shared {
  HttpOptions options;
  HttpServer::Handler handler;
  Counters counters;
};

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

// One client. Everything happens on the server's thread; each pending operation keeps it alive.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, Shared* shared)
      : shared_(shared), stream_(std::move(socket)), buffer_(shared->options.max_header * 2U) {
    ++shared_->counters.open;
  }
  ~HttpSession() { --shared_->counters.open; }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void ReadRequest() {
    parser_.emplace();
    parser_->header_limit(shared_->options.max_header);
    stream_.expires_after(shared_->options.timeout);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, size_t /*bytes*/) { self->OnHeader(error); });
  }

 private:
  void OnHeader(error_code error) {
    if (error == http::error::end_of_stream || error == beast::error::timeout ||
        error == asio::error::operation_aborted || error == asio::error::connection_reset) {
      return;
    }
    if (error) return RefuseBroken(error);
    const auto& header = parser_->get();
    const http::verb method = header.method();
    if (method != http::verb::get && method != http::verb::head) {
      WebResponse response = PlainText(
          405, fmt::format("{} is not served here; these pages only answer GET and HEAD\n",
                           View(header.method_string())));
      response.headers.emplace_back("Allow", "GET, HEAD");
      return Refuse(response);
    }
    const auto length = parser_->content_length();
    if ((length && *length > 0) || parser_->chunked()) {
      return Refuse(PlainText(413, "a request for a page has no body\n"));
    }
    ++shared_->counters.requests;
    Answer(header);
  }

  void Answer(const http::request<http::empty_body>& header) {
    auto request = ParseTarget(View(header.target()), View(header[http::field::accept]));
    if (!request) {
      ++shared_->counters.bad_requests;
      return Write(PlainText(400, request.error().message + "\n"), header.keep_alive());
    }
    Write(Handle(*request), header.keep_alive());
  }

  // A page that throws costs its own request.
  WebResponse Handle(const WebRequest& request) {
    try {
      return shared_->handler(request);
    } catch (const std::exception& error) {
      LOG(ERROR) << ValidUtf8(fmt::format("page {} failed: {}", request.path, error.what()));
      return PlainText(500, fmt::format("{} failed: {}\n", request.path, error.what()));
    }
  }

  void RefuseBroken(error_code error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return Refuse(PlainText(431, fmt::format("the request's header is longer than {} bytes\n",
                                               shared_->options.max_header)));
    }
    Refuse(PlainText(400, fmt::format("this is no HTTP request: {}\n", error.message())));
  }

  // Answers and closes; what the peer still sends is dropped, so that it can read the answer.
  void Refuse(const WebResponse& response) {
    ++shared_->counters.bad_requests;
    Write(response, false);
  }

  void Write(const WebResponse& response, bool keep_alive) {
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(response.status));
    response_.set(http::field::server, "catalogd");
    response_.set(http::field::content_type, response.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'");
    for (const auto& [name, value] : response.headers) response_.set(name, value);
    response_.keep_alive(keep_alive);
    response_.content_length(response.body.size());
    if (parser_->get().method() != http::verb::head) response_.body() = response.body;
    stream_.expires_after(shared_->options.timeout);
    http::async_write(stream_, response_,
                      [self = shared_from_this(), keep_alive](error_code error, size_t /*bytes*/) {
                        self->OnWritten(error, keep_alive);
                      });
  }

  void OnWritten(error_code error, bool keep_alive) {
    if (error) return;
    if (keep_alive) return ReadRequest();
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kLinger);
    Drain(0);
  }

  void Drain(size_t dropped) {
    if (dropped > kMaxIgnoredBytes) return;
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = shared_from_this(), dropped](error_code error, size_t bytes) {
                              if (!error) self->Drain(dropped + bytes);
                            });
  }

  Shared* const shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, Handler handler) : acceptor_(io_), retry_(io_) {
    shared_.options = options;
    shared_.handler = std::move(handler);
  }
  ~BeastServer() override { BeastServer::Stop(); }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;

  Status Listen() {
    const HttpOptions& options = shared_.options;
    error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("web address {}: {}; give an IP address such as 127.0.0.1",
                                   options.address, error.message()));
    }
    const tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return MakeError(ErrorCode::kUnavailable,
                       fmt::format("cannot serve web pages on {}:{}: {}; choose another port with "
                                   "--web-port, or 0 for any free one",
                                   options.address, options.port, error.message()));
    }
    port_ = acceptor_.local_endpoint(error).port();
    Accept();
    thread_ = std::make_unique<LoopThread>("web", [this] { io_.run(); });
    return Ok();
  }

  [[nodiscard]] uint16_t port() const override { return port_; }
  [[nodiscard]] HttpStats stats() const override {
    const Counters& counters = shared_.counters;
    return {counters.accepted, counters.open, counters.requests, counters.bad_requests,
            counters.refused};
  }
  void Stop() override {
    io_.stop();
    thread_.reset();
    error_code ignored;
    acceptor_.close(ignored);
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return RetryLater();  // Out of file descriptors, most likely.
      ++shared_.counters.accepted;
      if (shared_.counters.open >= shared_.options.max_connections) {
        ++shared_.counters.refused;  // The socket closes here.
      } else {
        std::make_shared<HttpSession>(std::move(socket), &shared_)->ReadRequest();
      }
      Accept();
    });
  }
  void RetryLater() {
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](error_code error) {
      if (!error) Accept();
    });
  }

  Shared shared_;  // Outlives the sessions, which die with the io_context.
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  uint16_t port_ = 0;
  std::unique_ptr<LoopThread> thread_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> StartHttpServer(const HttpOptions& options,
                                                    HttpServer::Handler handler) {
  auto server = std::make_unique<BeastServer>(options, std::move(handler));
  RETURN_IF_ERROR(server->Listen());
  return Result<std::unique_ptr<HttpServer>>(std::move(server));
}

}  // namespace catalogd::web
