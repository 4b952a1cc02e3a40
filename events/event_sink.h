#pragma once

#include <string>
#include <vector>

#include "events/lane_planner.h"
#include "events/notification_log.h"

namespace catalogd::events {

// Where planned events go: implemented by catalog/sync.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Queues the tasks' lock requests in order and returns. Never fails: an event that cannot be
  // applied costs its names. The sink keeps the watermark.
  virtual void Apply(std::vector<LaneTask> tasks) = 0;
  // False while more events wait to be applied than the sink wants to hold: the poller pauses.
  [[nodiscard]] virtual bool HasRoom() const { return true; }
  // Every event up to `id` has been given to Apply; there are none between the last one and `id`.
  virtual void OnFetchedTo(EventId id) { static_cast<void>(id); }
  // The log is not what it was. No event is delivered until this returns.
  virtual void OnLogCondition(LogCondition condition, const std::string& text) = 0;
};

}  // namespace catalogd::events
