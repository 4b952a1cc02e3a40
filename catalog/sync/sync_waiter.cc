#include "catalog/sync/sync_waiter.h"

#include <algorithm>
#include <set>
#include <utility>

namespace catalogd::sync {

struct SyncWaiter::Waiter {
  std::vector<ObjectName> names;
  EventId target;
  Done done;
  Timer::Handle timer = 0;
  bool finished = false;  // Guarded by the owner's mutex.
};

SyncWaiter::SyncWaiter(const cache::CatalogCache* cache, const cache::Watermark* watermark,
                       Executor* executor, Timer* timer)
    : cache_(cache), watermark_(watermark), executor_(executor), timer_(timer) {}

SyncWaiter::~SyncWaiter() { CancelAll("shutting down"); }

bool SyncWaiter::Reached(const Waiter& waiter, EventId watermark) const {
  if (watermark >= waiter.target) return true;
  if (waiter.names.empty()) return false;
  return std::all_of(waiter.names.begin(), waiter.names.end(), [&](const ObjectName& name) {
    return cache_->Lookup(name).synced >= waiter.target;
  });
}

void SyncWaiter::Wait(std::vector<ObjectName> names, EventId target, TimePoint deadline,
                      Done done) {
  auto waiter = std::make_shared<Waiter>();
  waiter->names = std::move(names);
  waiter->target = target;
  waiter->done = std::move(done);
  if (Reached(*waiter, watermark_->value())) {
    waiter->done(Ok());
    return;
  }
  {
    const MutexLock lock(mutex_);
    by_target_.emplace(target, waiter);
    for (const ObjectName& name : waiter->names) by_name_.emplace(name, waiter);
    if (deadline != TimePoint::max()) {
      waiter->timer = timer_->At(deadline, [this, waiter] { OnDeadline(waiter); });
    }
  }
  // What was reached between the first look and the registration would be told to nobody.
  Check({waiter});
}

void SyncWaiter::OnCommit(const std::vector<ObjectName>& names) {
  std::vector<WaiterPtr> candidates;
  {
    const MutexLock lock(mutex_);
    if (by_name_.empty()) return;
    for (const ObjectName& name : names) {
      const auto [begin, end] = by_name_.equal_range(name);
      for (auto it = begin; it != end; ++it) candidates.push_back(it->second);
    }
  }
  Check(candidates);
}

void SyncWaiter::OnWatermark(EventId watermark) {
  std::vector<WaiterPtr> candidates;
  {
    const MutexLock lock(mutex_);
    const auto end = by_target_.upper_bound(watermark);
    for (auto it = by_target_.begin(); it != end; ++it) candidates.push_back(it->second);
  }
  Check(candidates);
}

void SyncWaiter::Check(const std::vector<WaiterPtr>& candidates) {
  const EventId watermark = watermark_->value();
  for (const WaiterPtr& waiter : candidates) {
    if (Reached(*waiter, watermark)) Finish(waiter, Ok());
  }
}

bool SyncWaiter::Remove(const WaiterPtr& waiter) {
  if (waiter->finished) return false;
  waiter->finished = true;
  auto [begin, end] = by_target_.equal_range(waiter->target);
  by_target_.erase(std::find_if(begin, end, [&](const auto& e) { return e.second == waiter; }));
  const std::set<ObjectName> distinct(waiter->names.begin(), waiter->names.end());
  for (const ObjectName& name : distinct) {
    auto [first, last] = by_name_.equal_range(name);
    while (first != last)
      first = first->second == waiter ? by_name_.erase(first) : std::next(first);
  }
  return true;
}

void SyncWaiter::Finish(const WaiterPtr& waiter, Status status) {
  Timer::Handle timer = 0;
  {
    const MutexLock lock(mutex_);
    if (!Remove(waiter)) return;
    timer = waiter->timer;
  }
  if (timer != 0) timer_->Cancel(timer);
  executor_->SubmitAlways(
      [waiter, status = std::move(status)]() mutable { waiter->done(std::move(status)); });
}

void SyncWaiter::OnDeadline(const WaiterPtr& waiter) {
  const EventId watermark = watermark_->value();
  std::string text = "not at event " + std::to_string(waiter->target.value()) +
                     " within the time given: the watermark is at " +
                     std::to_string(watermark.value());
  for (const ObjectName& name : waiter->names) {
    const EventId synced = std::max(cache_->Lookup(name).synced, watermark);
    if (synced >= waiter->target) continue;
    text += ", " + name.ToString() + " at " + std::to_string(synced.value());
  }
  Finish(waiter, MakeError(ErrorCode::kTimedOut, std::move(text)));
}

void SyncWaiter::CancelAll(const std::string& reason) {
  std::vector<WaiterPtr> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [target, waiter] : by_target_) all.push_back(waiter);
  }
  for (const WaiterPtr& waiter : all) {
    Finish(waiter, MakeError(ErrorCode::kCancelled, "waiting ended: " + reason));
  }
}

size_t SyncWaiter::waiting() const {
  const MutexLock lock(mutex_);
  return by_target_.size();
}

}  // namespace catalogd::sync
