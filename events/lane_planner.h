#pragma once

#include <vector>

#include "catalog/base/names.h"
#include "events/event.h"

namespace catalogd::events {

// A run of events to be applied together under the locks of the names they touch.
struct LaneTask {
  // The names to lock: one for a lane of its own, several for a barrier. Empty: touches no name.
  std::vector<ObjectName> names;
  std::vector<EventPtr> events;  // Ascending.
};

// Splits a run of events into tasks, in an order in which their locks may be requested one after
// the other without changing the order of events of any name: events of one name are gathered in
// one task until an event that crosses names touches it. Pure.
//
// A lane is the FIFO of name-lock requests of one name; a barrier is a request for several names.
// `max_per_task` bounds how long one task holds its locks.
std::vector<LaneTask> PlanLanes(const std::vector<EventPtr>& events, size_t max_per_task = 256);

}  // namespace catalogd::events
