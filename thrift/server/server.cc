#include "thrift/server/server.h"

#include <glog/logging.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "thrift/server/asio.h"
#include "thrift/server/io_loop.h"

namespace catalogd::server {
namespace {

using boost::asio::ip::tcp;

// Pause of the listener when the process has run out of file descriptors.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

std::string PeerText(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  std::string text = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  return text + ":" + std::to_string(endpoint.port());
}

class ServerImpl final : public Server {
 public:
  ServerImpl(const ServerOptions& options, Handler* handler, const Clock& clock)
      : options_(options), clock_(clock), counters_(options.max_connections_per_address) {
    for (int i = 0; i < std::max(1, options.io_threads); ++i) {
      loops_.push_back(std::make_unique<IoLoop>(options, handler, clock, &counters_));
    }
    acceptor_.emplace(loops_.front()->io());
    accept_pause_.emplace(loops_.front()->io());
  }

  ~ServerImpl() override { Stop(Duration::zero()); }

  Status Listen() {
    boost::system::error_code error;
    const tcp::endpoint endpoint = Resolve(&error);
    if (!error) acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) {
      const bool taken = error == boost::asio::error::address_in_use;
      return MakeError(ErrorCode::kUnavailable,
                       "cannot listen on " + options_.address + ":" +
                           std::to_string(options_.port) + ": " + error.message() +
                           (taken ? "; stop what uses the port or choose another one"
                                  : "; choose an address of this machine"));
    }
    port_ = acceptor_->local_endpoint(error).port();
    for (size_t i = 0; i < loops_.size(); ++i) loops_[i]->StartThread(static_cast<int>(i));
    loops_.front()->Post([this] { AcceptNext(); });
    return Ok();
  }

  [[nodiscard]] uint16_t port() const override { return port_; }

  [[nodiscard]] ServerStats stats() const override {
    ServerStats stats;
    stats.accepted = accepted_.load(std::memory_order_relaxed);
    stats.refused = refused_.load(std::memory_order_relaxed);
    stats.open = counters_.open.load(std::memory_order_relaxed);
    for (const auto& loop : loops_) {
      stats.messages += loop->messages();
      stats.broken_messages += loop->broken();
    }
    return stats;
  }

  size_t Stop(Duration drain) override {
    if (stopped_.exchange(true)) return 0;
    const TimePoint deadline = clock_.Now() + drain;
    counters_.stopping = true;
    loops_.front()->Post([this] {
      boost::system::error_code ignored;
      acceptor_->close(ignored);
      accept_pause_->cancel();
    });
    for (const auto& loop : loops_) {
      loop->Post([loop = loop.get()] { loop->DrainAll(); });
    }
    if (drain > Duration::zero()) AwaitAllClosed(deadline);
    for (const auto& loop : loops_) loop->StopThread();
    return counters_.cut_off;
  }

 private:
  tcp::endpoint Resolve(boost::system::error_code* error) {
    const auto address = boost::asio::ip::make_address(options_.address, *error);
    if (!*error) return {address, options_.port};
    tcp::resolver resolver(loops_.front()->io());
    const auto found = resolver.resolve(options_.address, std::to_string(options_.port),
                                        tcp::resolver::passive, *error);
    return *error || found.empty() ? tcp::endpoint() : found.begin()->endpoint();
  }

  void AwaitAllClosed(TimePoint deadline) {
    const MutexLock lock(counters_.mutex);
    while (counters_.open > 0) {
      if (!counters_.all_closed.WaitUntil(counters_.mutex, deadline)) return;
    }
  }

  void AcceptNext() {
    if (!acceptor_->is_open()) return;
    IoLoop* loop = loops_[next_loop_++ % loops_.size()].get();
    acceptor_->async_accept(
        loop->io(), [this, loop](const boost::system::error_code& error, tcp::socket socket) {
          OnAccepted(loop, error, std::move(socket));
        });
  }

  void OnAccepted(IoLoop* loop, const boost::system::error_code& error, tcp::socket socket) {
    if (!acceptor_->is_open()) return;
    if (error) {
      VLOG(1) << "accept on port " << port_ << ": " << error.message();
      accept_pause_->expires_after(kAcceptPause);
      accept_pause_->async_wait([this](const boost::system::error_code& stopped) {
        if (!stopped) AcceptNext();
      });
      return;
    }
    if (counters_.open >= options_.max_connections) {
      Refuse("there are " + std::to_string(options_.max_connections) + " open already");
    } else {
      HandOver(loop, std::move(socket));
    }
    AcceptNext();
  }

  void HandOver(IoLoop* loop, tcp::socket socket) {
    boost::system::error_code error;
    const tcp::endpoint endpoint = socket.remote_endpoint(error);
    if (error) return;  // Gone again.
    const std::string peer = PeerText(endpoint);
    if (!counters_.addresses.Enter(AddressOf(peer))) {
      return Refuse(AddressOf(peer) + " has " +
                    std::to_string(options_.max_connections_per_address) +
                    " open already, the most for one address");
    }
    socket.set_option(tcp::no_delay(true), error);
    socket.set_option(boost::asio::socket_base::keep_alive(true), error);
    accepted_.fetch_add(1, std::memory_order_relaxed);
    counters_.open.fetch_add(1);
    // A std::function must be copyable and a socket is not.
    auto shared = std::make_shared<tcp::socket>(std::move(socket));
    loop->Post([loop, shared, peer] { loop->Accept(std::move(*shared), peer); });
  }

  // The socket closes with the caller.
  void Refuse(const std::string& reason) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    LOG_EVERY_T(WARNING, 60) << "connection refused: " << reason;
  }

  const ServerOptions options_;
  const Clock& clock_;
  SharedCounters counters_;
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> refused_{0};
  std::atomic<bool> stopped_{false};
  uint16_t port_ = 0;
  size_t next_loop_ = 0;
  std::vector<std::unique_ptr<IoLoop>> loops_;
  // Of the first loop, so they go before it.
  std::optional<tcp::acceptor> acceptor_;
  std::optional<boost::asio::steady_timer> accept_pause_;
};

}  // namespace

Result<std::unique_ptr<Server>> StartServer(const ServerOptions& options, Handler* handler,
                                            const Clock& clock) {
  auto server = std::make_unique<ServerImpl>(options, handler, clock);
  RETURN_IF_ERROR(server->Listen());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace catalogd::server
