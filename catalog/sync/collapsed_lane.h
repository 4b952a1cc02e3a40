#pragma once

#include <cstdint>

#include "catalog/cache/snapshot.h"
#include "events/event.h"

namespace catalogd::sync {

// What is left of the events of one name that waited too long for its lock: enough to say what is
// known of the name as of the last of them, however many there were.
//
// Not for: events that touch several names.
// Thread safety: none.
// Invariants: it never knows more than folding the events one by one would; memory does not grow
// with the events.
class CollapsedLane {
 public:
  // REQUIRES: !event.CrossesNames().
  void Add(const events::Event& event);
  [[nodiscard]] uint64_t events() const { return events_; }
  [[nodiscard]] EventId last() const { return last_; }

  struct Outcome {
    bool moves = false;  // False: the slot reflects all of it already.
    cache::SlotState state = cache::SlotState::kUnknown;
    EventId incarnation;  // Not 0: the object is another one than before, since this event.
  };
  // For the slot as it is when the lock is granted at last; some of the events may be reflected.
  [[nodiscard]] Outcome For(const cache::SlotView& slot) const;

 private:
  enum class Existence { kAsBefore, kExists, kGone };

  uint64_t events_ = 0;
  EventId last_;
  Existence existence_ = Existence::kAsBefore;
  EventId existence_since_;
  EventId doubtful_at_;  // The log contradicts itself there, or nobody can read it.
  EventId changed_at_;   // The newest event that may have changed the object.
  bool late_ = false;
};

}  // namespace catalogd::sync
