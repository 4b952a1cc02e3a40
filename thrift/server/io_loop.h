#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "catalog/base/executor.h"
#include "thrift/server/address_counts.h"
#include "thrift/server/asio.h"
#include "thrift/server/server.h"

// Inside of thrift/server: one I/O thread and what belongs to it. Not for other folders.
namespace catalogd::server {

class Connection;

// "10.0.0.7" of "10.0.0.7:51234".
std::string AddressOf(const std::string& peer);

// The way back to an I/O thread for answers from other threads. Outlives the loop: once the loop is
// gone, what is posted is dropped.
// Thread safety: yes.
class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context* io) : io_(io) {}
  void Post(Task task);
  void Shut();

 private:
  Mutex mutex_{LockRank::kLeaf};
  boost::asio::io_context* io_ GUARDED_BY(mutex_);
};

// What all loops of a server count together.
struct SharedCounters {
  explicit SharedCounters(size_t per_address) : addresses(per_address) {}

  AddressCounts addresses;
  std::atomic<uint64_t> open{0};
  std::atomic<uint64_t> next_id{1};
  // Set by Stop(); from then on the last connection to close wakes the one who stops.
  std::atomic<bool> stopping{false};
  // Dropped at the end before their answer had gone out.
  std::atomic<size_t> cut_off{0};
  Mutex mutex{LockRank::kLeaf};
  CondVar all_closed;

  void ConnectionClosed(const std::string& peer);
};

// One thread, one io_context, its connections and their shared buffers. Connections of one loop
// never run at once, so they borrow the buffers of the loop and own none while idle.
// Thread safety: Post, Accept and the counters; everything else on the loop's own thread.
class IoLoop {
 public:
  IoLoop(const ServerOptions& options, Handler* handler, const Clock& clock,
         SharedCounters* counters);
  ~IoLoop();
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  void StartThread(int index);
  // Joins the thread; what is open is dropped first.
  void StopThread();
  void Post(Task task) { boost::asio::post(io_, std::move(task)); }
  // Takes over a socket that was accepted on this loop's io_context.
  void Accept(boost::asio::ip::tcp::socket socket, std::string peer);
  // Closes what is idle; the rest closes when it has been answered.
  void DrainAll();

  boost::asio::io_context& io() { return io_; }
  Handler& handler() { return *handler_; }
  const ServerOptions& options() const { return options_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  TimePoint Now() const { return clock_.Now(); }
  std::string& read_buffer() { return read_buffer_; }
  std::string& reply_buffer() { return reply_buffer_; }

  // Connections with a deadline; the sweep looks at no others.
  void Watch(Connection* connection) { watched_.insert(connection); }
  void Unwatch(Connection* connection) { watched_.erase(connection); }
  void Forget(Connection* connection);

  void CountMessage() { messages_.fetch_add(1, std::memory_order_relaxed); }
  void CountBroken() { broken_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }
  uint64_t broken() const { return broken_.load(std::memory_order_relaxed); }

 private:
  void ArmSweep();
  void Sweep();
  void DropAll();

  const ServerOptions options_;
  Handler* const handler_;
  const Clock& clock_;
  SharedCounters* const counters_;
  const Duration sweep_period_;

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer sweep_;
  const std::shared_ptr<Mailbox> mailbox_;

  std::string read_buffer_;
  std::string reply_buffer_;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::unordered_set<Connection*> watched_;
  std::atomic<uint64_t> messages_{0};
  std::atomic<uint64_t> broken_{0};
  std::unique_ptr<LoopThread> thread_;
};

}  // namespace catalogd::server
