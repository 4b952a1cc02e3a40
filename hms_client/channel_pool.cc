#include "hms_client/channel_pool.h"

#include <glog/logging.h>

#include <utility>

#include "hms_client/left_behind.h"

namespace catalogd::hms {

ChannelPool::Lease::Lease(ChannelPool* pool, Identity identity, std::unique_ptr<Channel> channel,
                          bool reused)
    : pool_(pool), identity_(std::move(identity)), channel_(std::move(channel)), reused_(reused) {}

ChannelPool::Lease::~Lease() {
  if (channel_ != nullptr) pool_->GiveBack(identity_, std::move(channel_), discarded_);
}

ChannelPool::ChannelPool(Connector* connector, const Clock& clock, PoolOptions options)
    : connector_(connector), clock_(clock), options_(options) {
  CHECK_LT(options_.reserved_for_daemon, options_.max_channels);
}

Result<ChannelPool::Lease> ChannelPool::Take(const Identity& identity, TimePoint deadline) {
  ASSIGN_OR_RETURN(auto channel, Reserve(identity, false, deadline));
  if (channel != nullptr) return Lease(this, identity, std::move(channel), true);
  return OpenReserved(identity, deadline);
}

Result<std::string> ChannelPool::Call(std::string_view message, const Identity& identity,
                                      TimePoint deadline) {
  return WithChannel<std::string>(identity, deadline,
                                  [&](Lease* lease) { return CallOn(lease, message, deadline); });
}

Result<std::string> ChannelPool::CallFresh(std::string_view message, const Identity& identity,
                                           TimePoint deadline) {
  ASSIGN_OR_RETURN(Lease lease, TakeFresh(identity, deadline));
  Result<std::string> reply = CallOn(&lease, message, deadline);
  if (reply) {
    NoteOk();
  } else {
    NoteFailure(reply.error());
  }
  return reply;
}

Result<std::string> ChannelPool::CallOn(Lease* lease, std::string_view message,
                                        TimePoint deadline) {
  Result<std::string> reply = (*lease)->Call(message, deadline);
  if (reply && MayLeaveBehind(*reply)) lease->Discard();
  return reply;
}

Status ChannelPool::Send(std::string_view message, const Identity& identity, TimePoint deadline) {
  return WithChannel<void>(identity, deadline,
                           [&](Lease* lease) { return (*lease)->Send(message, deadline); });
}

template <class T, class Use>
Result<T> ChannelPool::WithChannel(const Identity& identity, TimePoint deadline, const Use& use) {
  bool retry = false;
  {
    ASSIGN_OR_RETURN(Lease lease, Take(identity, deadline));
    Result<T> result = use(&lease);
    if (result) {
      NoteOk();
      return result;
    }
    NoteFailure(result.error());
    // A channel that is still usable has not failed: there was no time left, say.
    retry = result.error().code == ErrorCode::kUnavailable && lease.reused() && !lease->usable();
    if (!retry) return result;
  }
  ASSIGN_OR_RETURN(Lease lease, TakeFresh(identity, deadline));
  Result<T> result = use(&lease);
  if (result) {
    NoteOk();
  } else {
    NoteFailure(result.error());
  }
  return result;
}

// After one idle connection turned out to be closed, its neighbours most likely are closed too.
Result<ChannelPool::Lease> ChannelPool::TakeFresh(const Identity& identity, TimePoint deadline) {
  Closing closing;
  {
    const MutexLock lock(mutex_);
    ++stats_.stale_retries;
    DropIdleOf(identity, &closing);
  }
  closing.clear();
  RETURN_IF_ERROR(Reserve(identity, true, deadline));
  return OpenReserved(identity, deadline);
}

// A place in the pool, with an idle connection of that identity if there is one.
Result<std::unique_ptr<Channel>> ChannelPool::Reserve(const Identity& identity, bool fresh,
                                                      TimePoint deadline) {
  AssertNoMutexHeld("waiting for a connection to a metastore");
  Closing closing;  // Outlives the lock.
  const MutexLock lock(mutex_);
  DropOld(&closing);
  RETURN_IF_ERROR(AwaitRoom(identity, deadline));
  ++stats_.in_use;
  if (!identity.is_daemon()) ++clients_in_use_;
  auto channel = fresh ? nullptr : PopIdle(identity);
  if (channel == nullptr) DropOldestBeyondLimit(&closing);
  return channel;
}

Result<ChannelPool::Lease> ChannelPool::OpenReserved(const Identity& identity, TimePoint deadline) {
  auto channel = connector_->Open(identity, deadline);
  if (channel) {
    {
      const MutexLock lock(mutex_);
      ++stats_.opened;
    }
    return Lease(this, identity, std::move(*channel), false);
  }
  NoteFailure(channel.error());
  const MutexLock lock(mutex_);
  ReleasePlace(identity);
  return AsError(std::move(channel).error());
}

void ChannelPool::GiveBack(const Identity& identity, std::unique_ptr<Channel> channel,
                           bool discarded) {
  Closing closing;
  const MutexLock lock(mutex_);
  if (channel->usable() && !discarded) {
    idle_[identity].push_back({std::move(channel), clock_.Now()});
    ++idle_count_;
  } else {
    closing.push_back(std::move(channel));
  }
  ReleasePlace(identity);
}

void ChannelPool::CloseOldIdle() {
  Closing closing;
  const MutexLock lock(mutex_);
  DropOld(&closing);
}

PoolStats ChannelPool::stats() const {
  const MutexLock lock(mutex_);
  PoolStats stats = stats_;
  stats.open = stats_.in_use + idle_count_;
  return stats;
}

void ChannelPool::NoteFailure(const Error& error) {
  const MutexLock lock(mutex_);
  ++stats_.failures;
  stats_.last_error = error.ToString();
}

void ChannelPool::NoteOk() {
  const TimePoint now = clock_.Now();
  const MutexLock lock(mutex_);
  stats_.last_ok = now;
}

bool ChannelPool::HasRoom(const Identity& identity) const {
  if (stats_.in_use >= options_.max_channels) return false;
  if (identity.is_daemon()) return true;
  return clients_in_use_ < options_.max_channels - options_.reserved_for_daemon;
}

Status ChannelPool::AwaitRoom(const Identity& identity, TimePoint deadline) {
  if (HasRoom(identity)) return Ok();
  ++stats_.waits;
  ++stats_.waiting;
  bool in_time = true;
  while (!HasRoom(identity) && in_time) in_time = changed_.WaitUntil(mutex_, deadline);
  --stats_.waiting;
  if (HasRoom(identity)) return Ok();
  return MakeError(ErrorCode::kUnavailable,
                   "all connections to the metastore stayed in use (" +
                       std::to_string(stats_.in_use) + " of " +
                       std::to_string(options_.max_channels) +
                       "); nothing was sent, try again later or allow more connections");
}

std::unique_ptr<Channel> ChannelPool::PopIdle(const Identity& identity) {
  const auto found = idle_.find(identity);
  if (found == idle_.end()) return nullptr;
  // The one used last is the least likely to have been closed.
  auto channel = std::move(found->second.back().channel);
  found->second.pop_back();
  --idle_count_;
  if (found->second.empty()) idle_.erase(found);
  return channel;
}

void ChannelPool::DropIdleOf(const Identity& identity, Closing* closing) {
  while (auto channel = PopIdle(identity)) closing->push_back(std::move(channel));
}

void ChannelPool::DropOld(Closing* closing) {
  const TimePoint oldest = clock_.Now() - options_.idle_timeout;
  for (auto it = idle_.begin(); it != idle_.end();) {
    auto& channels = it->second;
    size_t old = 0;
    while (old < channels.size() && channels[old].since <= oldest) {
      closing->push_back(std::move(channels[old++].channel));
    }
    channels.erase(channels.begin(), channels.begin() + static_cast<std::ptrdiff_t>(old));
    idle_count_ -= old;
    it = channels.empty() ? idle_.erase(it) : std::next(it);
  }
}

// Makes place for a connection that is about to be opened.
void ChannelPool::DropOldestBeyondLimit(Closing* closing) {
  while (idle_count_ > 0 && stats_.in_use + idle_count_ > options_.max_channels) {
    auto oldest = idle_.begin();
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      if (it->second.front().since < oldest->second.front().since) oldest = it;
    }
    closing->push_back(std::move(oldest->second.front().channel));
    oldest->second.erase(oldest->second.begin());
    --idle_count_;
    if (oldest->second.empty()) idle_.erase(oldest);
  }
}

// Waiters differ in what they may take, so all of them look.
void ChannelPool::ReleasePlace(const Identity& identity) {
  --stats_.in_use;
  if (!identity.is_daemon()) --clients_in_use_;
  changed_.NotifyAll();
}

}  // namespace catalogd::hms
