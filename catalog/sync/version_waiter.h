#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "catalog/base/executor.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/cache/catalog_cache.h"

namespace catalogd::sync {

// Waits for the next commit, for those who follow the cache: by condition, without a thread.
//
// Not for waiting until a name reflects an event (sync_waiter.h).
// Thread safety: yes. A commit costs nothing while nobody waits.
class VersionWaiter {
 public:
  VersionWaiter(const cache::CatalogCache* cache, Executor* executor, Timer* timer);

  // `done` runs once: when there is a commit newer than `after`, at the deadline, or when
  // everything ends; on the executor, or at once when there is nothing to wait for.
  void Wait(CatalogVersion after, TimePoint deadline, Task done);
  // Feed of the cache.
  void OnCommit();
  // Whoever waits is let go.
  void ReleaseAll();
  [[nodiscard]] size_t waiting() const { return count_.load(); }

 private:
  struct Waiter;
  using WaiterPtr = std::shared_ptr<Waiter>;
  // Lets those go who wait for a version up to `newest`.
  void Release(CatalogVersion newest);
  void Expire(const WaiterPtr& waiter);

  const cache::CatalogCache* const cache_;
  Executor* const executor_;
  Timer* const timer_;
  std::atomic<size_t> count_{0};
  mutable Mutex mutex_{LockRank::kReadIndex};
  std::multimap<CatalogVersion, WaiterPtr> waiters_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::sync
