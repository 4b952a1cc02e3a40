#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalog/sync/context.h"
#include "events/event_sink.h"

namespace catalogd::sync {

// Brings events into the cache: requests the locks of each planned task in order, folds the events
// into the names they touch, publishes, and moves the watermark.
// Thread safety: yes. Locks: name locks only while folding; nothing is read from the metastore.
class EventApplier final : public events::EventSink {
 public:
  explicit EventApplier(SyncContext* context) : context_(context) {}

  void Apply(std::vector<events::LaneTask> tasks) override;
  void OnLogCondition(events::LogCondition condition, const std::string& text) override;
  // What to do when the log is not what it was (a resync); set once by the wiring.
  void SetConditionHandler(std::function<void(events::LogCondition, const std::string&)> handler);

 private:
  struct Job;
  void RunJob(const std::shared_ptr<Job>& job, const cache::NameGuard& guard);

  SyncContext* const context_;
  std::function<void(events::LogCondition, const std::string&)> condition_handler_;
};

}  // namespace catalogd::sync
