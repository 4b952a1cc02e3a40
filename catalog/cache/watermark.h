#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <set>

#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"

namespace catalogd::cache {

// The largest event id such that every event up to it has been applied or skipped, for all names.
// Events are expected in log order and done in any order.
//
// Not for: deciding what may be applied, waiting (catalog/sync).
// Thread safety: yes; value() takes no lock.
// Invariants: W1 value() never goes back but through Reset; W2 it never passes an expected event
// that is not done, also when ids arrive out of order.
class Watermark {
 public:
  // A new log epoch, or the start: everything up to `position` counts as applied. Done for tickets
  // from before is ignored. The observer is told.
  void Reset(EventId position);
  // An event has been fetched and will be applied; the ticket says which when it is done. An id at
  // or below the current value (late or duplicate) moves nothing.
  uint64_t Expect(EventId id);
  // The next event in log order will be done together with that of `ticket`, and needs none of its
  // own. False, and nothing is expected, when ids are out of order or the ticket is done or void:
  // then it needs one.
  bool Join(uint64_t ticket, EventId id);
  void Done(uint64_t ticket);
  // Everything up to `id` has been fetched: holes behind the last event do not hold it back.
  void FetchedTo(EventId id);

  [[nodiscard]] EventId value() const { return EventId(value_.load(std::memory_order_acquire)); }
  [[nodiscard]] size_t pending() const;
  // Called after each advance, outside all locks, by the thread that caused it; so the values of
  // two threads may arrive in either order. REQUIRES: set before the first event is expected.
  void SetObserver(std::function<void(EventId)> observer);

 private:
  struct Pending {
    EventId id;
    EventId before;           // Greatest id expected before it.
    bool disordered = false;  // Expected after an event with an id as great or greater.
  };
  bool Advance() REQUIRES(mutex_);

  std::atomic<int64_t> value_{0};
  mutable Mutex mutex_{LockRank::kWatermark};
  std::map<uint64_t, Pending> pending_ GUARDED_BY(mutex_);  // By ticket: in the order expected.
  uint64_t next_ticket_ GUARDED_BY(mutex_) = 1;
  std::multiset<EventId> disordered_ GUARDED_BY(mutex_);  // Ids of pending_ that are.
  EventId newest_ GUARDED_BY(mutex_);                     // Greatest id expected so far.
  EventId fetched_to_ GUARDED_BY(mutex_);
  std::function<void(EventId)> observer_;
};

}  // namespace catalogd::cache
