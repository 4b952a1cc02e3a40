#include "thrift/server/io_loop.h"

#include <glog/logging.h>

#include <algorithm>
#include <string>
#include <vector>

#include "thrift/server/connection.h"

namespace catalogd::server {
namespace {

constexpr size_t kReadBuffer = size_t{128} << 10U;
constexpr Duration kLongestSweepPeriod = std::chrono::seconds(1);
constexpr Duration kShortestSweepPeriod = std::chrono::milliseconds(5);

}  // namespace

std::string AddressOf(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

void Mailbox::Post(Task task) {
  const MutexLock lock(mutex_);
  if (io_ != nullptr) boost::asio::post(*io_, std::move(task));
}

void Mailbox::Shut() {
  const MutexLock lock(mutex_);
  io_ = nullptr;
}

void SharedCounters::ConnectionClosed(const std::string& peer) {
  addresses.Leave(AddressOf(peer));
  if (open.fetch_sub(1) != 1 || !stopping) return;
  const MutexLock lock(mutex);
  all_closed.NotifyAll();
}

IoLoop::IoLoop(const ServerOptions& options, Handler* handler, const Clock& clock,
               SharedCounters* counters)
    : options_(options),
      handler_(handler),
      clock_(clock),
      counters_(counters),
      sweep_period_(std::clamp(std::min(options.read_timeout, options.write_timeout) / 4,
                               kShortestSweepPeriod, kLongestSweepPeriod)),
      work_(boost::asio::make_work_guard(io_)),
      sweep_(io_),
      mailbox_(std::make_shared<Mailbox>(&io_)),
      read_buffer_(kReadBuffer, '\0') {}

IoLoop::~IoLoop() { StopThread(); }

void IoLoop::StartThread(int index) {
  ArmSweep();
  thread_ = std::make_unique<LoopThread>("io-" + std::to_string(index), [this] { io_.run(); });
}

void IoLoop::StopThread() {
  if (thread_ != nullptr) {
    Post([this] {
      DropAll();
      io_.stop();
    });
    thread_->Join();
    thread_.reset();
  }
  mailbox_->Shut();
}

void IoLoop::Accept(boost::asio::ip::tcp::socket socket, std::string peer) {
  const auto connection = std::make_shared<Connection>(
      *this, std::move(socket), counters_->next_id.fetch_add(1), std::move(peer));
  connections_.emplace(connection.get(), connection);
  connection->Start();
  if (counters_->stopping) connection->Drain();
}

void IoLoop::DrainAll() {
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  for (const auto& connection : all) connection->Drain();
}

void IoLoop::DropAll() {
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  for (const auto& connection : all) {
    if (connection->answering()) counters_->cut_off.fetch_add(1);
    connection->Drop();
  }
}

void IoLoop::Forget(Connection* connection) {
  watched_.erase(connection);
  // Callers hold a reference of their own, so this is never the last one.
  connections_.erase(connection);
  counters_->ConnectionClosed(connection->peer());
}

void IoLoop::ArmSweep() {
  sweep_.expires_after(sweep_period_);
  sweep_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    Sweep();
    ArmSweep();
  });
}

void IoLoop::Sweep() {
  if (watched_.empty()) return;
  std::vector<std::shared_ptr<Connection>> watched;
  for (Connection* connection : watched_) watched.push_back(connections_.at(connection));
  const TimePoint now = clock_.Now();
  for (const auto& connection : watched) connection->CheckDeadline(now);
}

}  // namespace catalogd::server
