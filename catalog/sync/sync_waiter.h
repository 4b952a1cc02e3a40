#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "catalog/cache/catalog_cache.h"
#include "catalog/cache/watermark.h"

namespace catalogd::sync {

// Waits until names, or all names, reflect every event up to an id: by condition, never by polling,
// and without a thread.
// Thread safety: yes.
class SyncWaiter {
 public:
  SyncWaiter(const cache::CatalogCache* cache, const cache::Watermark* watermark,
             Executor* executor, Timer* timer);
  ~SyncWaiter();

  using Done = std::function<void(Status)>;
  // `names` empty: the watermark itself. `done` runs on the executor, or at once on this thread
  // when there is nothing to wait for; kTimedOut says how far the slowest name has come; kCancelled
  // when the log epoch changes or on shutdown.
  void Wait(std::vector<ObjectName> names, EventId target, TimePoint deadline, Done done);

  // Feeds of the cache and the watermark.
  void OnCommit(const std::vector<ObjectName>& names);
  void OnWatermark(EventId watermark);
  void CancelAll(const std::string& reason);
  [[nodiscard]] size_t waiting() const;

 private:
  struct Waiter;
  using WaiterPtr = std::shared_ptr<Waiter>;
  bool Reached(const Waiter& waiter, EventId watermark) const;
  void Check(const std::vector<WaiterPtr>& candidates);
  void Finish(const WaiterPtr& waiter, Status status);
  void OnDeadline(const WaiterPtr& waiter);
  bool Remove(const WaiterPtr& waiter) REQUIRES(mutex_);

  const cache::CatalogCache* const cache_;
  const cache::Watermark* const watermark_;
  Executor* const executor_;
  Timer* const timer_;
  mutable Mutex mutex_{LockRank::kReadIndex};
  std::multimap<EventId, WaiterPtr> by_target_ GUARDED_BY(mutex_);
  std::unordered_multimap<ObjectName, WaiterPtr> by_name_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::sync
