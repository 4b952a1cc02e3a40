#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"

namespace catalogd::sync {

// The event ids below which reads must not be answered from the cache, whatever their level: raised
// when the daemon became ready, by own DDLs that could not be brought up, and for all names after a
// write whose names are not known.
// Thread safety: yes. Invariant: a floor never sinks within an epoch.
class Floors {
 public:
  // No read is ever at or above this: the outcome of a write is not known yet.
  static constexpr EventId kNever = EventId(INT64_MAX);

  void Reset(EventId all);
  void Raise(const ObjectName& name, EventId floor);
  void RaiseAll(EventId floor);
  // The write's own event id cannot be asked for now: nothing is served for these names until
  // Resolve. Empty: for all names.
  void MarkUnresolved(const std::vector<ObjectName>& names);
  // The current id was read after the marked writes: it becomes their floor. The names are returned.
  std::vector<ObjectName> Resolve(EventId current);
  [[nodiscard]] bool has_unresolved() const;

  [[nodiscard]] EventId FloorOf(const ObjectName& name) const;
  // Entries at or below the watermark say nothing any more.
  void Forget(EventId watermark);
  [[nodiscard]] size_t size() const;

 private:
  mutable Mutex mutex_{LockRank::kReadIndex};
  EventId all_ GUARDED_BY(mutex_);
  std::unordered_map<ObjectName, EventId> by_name_ GUARDED_BY(mutex_);
  std::set<ObjectName> unresolved_ GUARDED_BY(mutex_);
  bool all_unresolved_ GUARDED_BY(mutex_) = false;
  bool empty_ GUARDED_BY(mutex_) = true;
};

}  // namespace catalogd::sync
