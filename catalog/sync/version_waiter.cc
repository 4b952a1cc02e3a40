#include "catalog/sync/version_waiter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace catalogd::sync {

// Let go by whoever takes it out of the map: a commit, the alarm, or the end.
struct VersionWaiter::Waiter {
  CatalogVersion after;
  Task done;
  Timer::Handle alarm = 0;
};

VersionWaiter::VersionWaiter(const cache::CatalogCache* cache, Executor* executor, Timer* timer)
    : cache_(cache), executor_(executor), timer_(timer) {}

void VersionWaiter::Wait(CatalogVersion after, TimePoint deadline, Task done) {
  if (cache_->last_version() > after) {
    done();
    return;
  }
  auto waiter = std::make_shared<Waiter>();
  waiter->after = after;
  waiter->done = std::move(done);
  {
    const MutexLock lock(mutex_);
    waiters_.emplace(after, waiter);
    count_.fetch_add(1);
    waiter->alarm = timer_->At(deadline, [this, waiter] { Expire(waiter); });
  }
  // A commit between the first look and the registration is told to nobody.
  OnCommit();
}

void VersionWaiter::OnCommit() {
  if (count_.load() != 0) Release(cache_->last_version());
}

void VersionWaiter::ReleaseAll() { Release(CatalogVersion(INT64_MAX)); }

void VersionWaiter::Release(CatalogVersion newest) {
  std::vector<WaiterPtr> released;
  {
    const MutexLock lock(mutex_);
    const auto end = waiters_.lower_bound(newest);
    for (auto it = waiters_.begin(); it != end; ++it) released.push_back(std::move(it->second));
    waiters_.erase(waiters_.begin(), end);
    count_.fetch_sub(released.size());
  }
  for (const WaiterPtr& waiter : released) {
    timer_->Cancel(waiter->alarm);
    executor_->SubmitAlways([waiter] { waiter->done(); });
  }
}

void VersionWaiter::Expire(const WaiterPtr& waiter) {
  {
    const MutexLock lock(mutex_);
    const auto [begin, end] = waiters_.equal_range(waiter->after);
    const auto at =
        std::find_if(begin, end, [&](const auto& entry) { return entry.second == waiter; });
    if (at == end) return;
    waiters_.erase(at);
    count_.fetch_sub(1);
  }
  executor_->SubmitAlways([waiter] { waiter->done(); });
}

}  // namespace catalogd::sync
