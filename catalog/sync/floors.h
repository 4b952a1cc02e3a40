#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"

namespace catalogd::sync {

// The event ids below which reads must not be answered from the cache, whatever their level: raised
// when the daemon became ready, by own DDLs that could not be brought up, and for all names after a
// write whose names are not known. The floor of a database holds for its tables, as what holds it.
// Thread safety: yes; FloorOf takes no lock while there is nothing but the common floor.
// Invariant: within an epoch no floor but the ready floor ever sinks.
class Floors {
 public:
  // No read is ever at or above this: the outcome of a write is not known yet.
  static constexpr EventId kNever = EventId(INT64_MAX);

  // A new log epoch: all floors but the ready floor are gone. Names stay held: whoever holds them
  // has not answered yet.
  void Reset();
  // The id at which the daemon became ready; kNever while it is not. The one floor that sinks.
  void SetReadyFloor(EventId floor);
  void Raise(const ObjectName& name, EventId floor);
  void RaiseAll(EventId floor);
  // The write's own event id cannot be asked for now: nothing is served for these names until
  // Resolve. Empty: for all names.
  void MarkUnresolved(const std::vector<ObjectName>& names);

  // What is unresolved at one moment. Take it, then read the current id, then Resolve: a write that
  // is marked in between stays unresolved, because the id may be older than it.
  struct Unresolved {
    std::vector<ObjectName> names;
    bool all = false;
    uint64_t sequence = 0;
  };
  [[nodiscard]] Unresolved TakeUnresolved() const;
  void Resolve(const Unresolved& marks, EventId current);

  // A write that may take effect at any moment until it has been answered: nothing is served for
  // these names until LetGo of the same, whatever is resolved meanwhile. Empty: for all names.
  void Hold(const std::vector<ObjectName>& names);
  // REQUIRES: they are held.
  void LetGo(const std::vector<ObjectName>& names);

  [[nodiscard]] EventId FloorOf(const ObjectName& name) const;
  // Entries at or below the watermark say nothing any more.
  void Forget(EventId watermark);
  // How many there are, unresolved and held ones included; that of all names is one.
  [[nodiscard]] size_t size() const;

 private:
  void NoteSpecial() REQUIRES(mutex_);

  [[nodiscard]] EventId CommonFloor() const;

  std::atomic<int64_t> ready_{INT64_MAX};
  std::atomic<int64_t> all_{0};
  std::atomic<bool> special_{false};  // Anything but the common floor.
  mutable Mutex mutex_{LockRank::kReadIndex};
  std::unordered_map<ObjectName, EventId> by_name_ GUARDED_BY(mutex_);
  std::map<ObjectName, uint64_t> unresolved_ GUARDED_BY(mutex_);  // To the last mark's number.
  uint64_t all_unresolved_ GUARDED_BY(mutex_) = 0;                // 0: not marked.
  std::map<ObjectName, int> held_ GUARDED_BY(mutex_);             // To how often.
  int all_held_ GUARDED_BY(mutex_) = 0;
  uint64_t sequence_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::sync
