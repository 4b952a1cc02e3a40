#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/mutex.h"
#include "hms_client/channel.h"

namespace catalogd::hms {

struct PoolOptions {
  // Connections that exist at once, in use or idle.
  size_t max_channels = 64;
  // Of these, how many only the daemon itself (Identity::is_daemon) may take, so that clients'
  // long calls never stop it from following the log. REQUIRES: less than max_channels.
  size_t reserved_for_daemon = 8;
  // An idle connection is closed after this time.
  Duration idle_timeout = std::chrono::seconds(60);
};

// What the pool counts; plain data for pages and metrics.
struct PoolStats {
  size_t open = 0;
  size_t in_use = 0;
  size_t waiting = 0;
  uint64_t opened = 0;
  uint64_t waits = 0;     // Takers that found all connections in use.
  uint64_t failures = 0;  // Connections that could not be opened, calls that failed.
  uint64_t stale_retries = 0;
  std::string last_error;
  std::optional<TimePoint> last_ok;  // End of the last call that was answered.
};

// Keeps connections to a metastore and lends them, each to one user at a time, and only to the
// identity it was opened for.
//
// Thread safety: yes. Locks: kChannelPool, never held while connecting, calling or closing.
// Invariants: in_use + idle <= max_channels; a failed opening gives its place back.
// Errors: those of Connector::Open and Channel; kUnavailable when all connections stay in use until
// the deadline. Lifetime: leases must be gone before the pool goes.
class ChannelPool {
 public:
  ChannelPool(Connector* connector, const Clock& clock, PoolOptions options);
  ChannelPool(const ChannelPool&) = delete;
  ChannelPool& operator=(const ChannelPool&) = delete;

  // A lent connection. Goes back when it is dropped; is closed instead when no longer usable, or
  // when it was discarded.
  // Thread safety: none. Move-only.
  class Lease {
   public:
    ~Lease();
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) = delete;
    Channel& operator*() { return *channel_; }
    Channel* operator->() { return channel_.get(); }
    // True when others have used the connection before: it may have been closed meanwhile.
    [[nodiscard]] bool reused() const { return reused_; }
    // Nobody is to use it after this.
    void Discard() { discarded_ = true; }

   private:
    friend class ChannelPool;
    Lease(ChannelPool* pool, Identity identity, std::unique_ptr<Channel> channel, bool reused);

    ChannelPool* pool_;
    Identity identity_;
    std::unique_ptr<Channel> channel_;  // Null once moved from.
    bool reused_;
    bool discarded_ = false;
  };

  Result<Lease> Take(const Identity& identity, TimePoint deadline);

  // One call on a lent connection. A request that was not sent because the connection had been
  // closed while idle goes once to a fresh one; nothing that may have arrived is ever sent again.
  // A connection that may have something left behind (hms_client/left_behind.h) is closed.
  Result<std::string> Call(std::string_view message, const Identity& identity, TimePoint deadline);
  // The same on a connection that nobody has used before; idle ones of that identity are closed.
  Result<std::string> CallFresh(std::string_view message, const Identity& identity,
                                TimePoint deadline);
  // The same as Call for a oneway message.
  Status Send(std::string_view message, const Identity& identity, TimePoint deadline);

  // Closes what has been idle too long. Take does so too; this is for times without calls.
  void CloseOldIdle();
  [[nodiscard]] PoolStats stats() const;

 private:
  struct Idle {
    std::unique_ptr<Channel> channel;
    TimePoint since;
  };
  // What is closed is moved here and destroyed without the mutex.
  using Closing = std::vector<std::unique_ptr<Channel>>;

  Result<std::string> CallOn(Lease* lease, std::string_view message, TimePoint deadline);
  template <class T, class Use>
  Result<T> WithChannel(const Identity& identity, TimePoint deadline, const Use& use);
  Result<Lease> TakeFresh(const Identity& identity, TimePoint deadline);
  // Null: a place for a new one.
  Result<std::unique_ptr<Channel>> Reserve(const Identity& identity, bool fresh,
                                           TimePoint deadline);
  Result<Lease> OpenReserved(const Identity& identity, TimePoint deadline);
  void GiveBack(const Identity& identity, std::unique_ptr<Channel> channel, bool discarded);
  void NoteFailure(const Error& error);
  void NoteOk();

  bool HasRoom(const Identity& identity) const REQUIRES(mutex_);
  Status AwaitRoom(const Identity& identity, TimePoint deadline) REQUIRES(mutex_);
  std::unique_ptr<Channel> PopIdle(const Identity& identity) REQUIRES(mutex_);
  void DropIdleOf(const Identity& identity, Closing* closing) REQUIRES(mutex_);
  void DropOld(Closing* closing) REQUIRES(mutex_);
  void DropOldestBeyondLimit(Closing* closing) REQUIRES(mutex_);
  void ReleasePlace(const Identity& identity) REQUIRES(mutex_);

  Connector* const connector_;
  const Clock& clock_;
  const PoolOptions options_;

  mutable Mutex mutex_{LockRank::kChannelPool};
  CondVar changed_;
  // Newest at the back.
  std::map<Identity, std::vector<Idle>> idle_ GUARDED_BY(mutex_);
  size_t idle_count_ GUARDED_BY(mutex_) = 0;
  size_t clients_in_use_ GUARDED_BY(mutex_) = 0;
  PoolStats stats_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::hms
