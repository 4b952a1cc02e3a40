#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/sync/collapsed_lane.h"
#include "catalog/sync/context.h"
#include "events/event_sink.h"

namespace catalogd::sync {

// Brings events into the cache: requests the locks of each planned task in order, folds the events
// into the names they touch, publishes, and moves the watermark.
//
// Events of a name whose earlier ones still wait join them, so that a lane that fell behind is
// folded and published as one step; an event that crosses names ends that for the names it touches.
// A lane that waits for somebody else's lock (a long DDL) and outgrows its share keeps only what
// CollapsedLane needs.
// Thread safety: yes; Apply by one thread at a time. Locks: rank kLaneQueue; name locks only while
// folding; nothing is read from the metastore.
// Units: events and bytes of decoded events, as events::Event::bytes counts them.
class EventApplier final : public events::EventSink {
 public:
  struct Options {
    // One waiting lane's share.
    size_t lane_events = 10'000;
    size_t lane_bytes = 16U << 20U;
    // Of all lanes. Beyond it, waiting lanes collapse, the largest first; when those that are left
    // are being worked on, HasRoom is false.
    size_t events = 100'000;
    size_t bytes = 128U << 20U;
  };
  struct Stats {
    size_t events = 0;  // Not applied yet; those of collapsed lanes not counted.
    size_t bytes = 0;
    size_t lanes = 0;      // Names with events that are not applied.
    size_t collapsed = 0;  // Of those: lanes that have collapsed and still wait.
  };

  explicit EventApplier(SyncContext* context) : EventApplier(context, Options()) {}
  EventApplier(SyncContext* context, const Options& options)
      : context_(context), options_(options) {}

  void Apply(std::vector<events::LaneTask> tasks) override;
  [[nodiscard]] bool HasRoom() const override;
  void OnFetchedTo(EventId id) override;
  void OnLogCondition(events::LogCondition condition, const std::string& text) override;
  // What to do when the log is not what it was (a resync); set once by the wiring.
  void SetConditionHandler(std::function<void(events::LogCondition, const std::string&)> handler);
  // Called when there is room again after HasRoom was false; set once by the wiring.
  void SetRoomHandler(std::function<void()> handler);
  [[nodiscard]] Stats stats() const;
  // Somebody else's lock, for at least `least` by now, keeps events up to `up_to` of one of these
  // names from being applied (without names: any events).
  [[nodiscard]] bool IsHeldUp(const std::vector<ObjectName>& names, EventId up_to,
                              Duration least) const;

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  // Of one name.
  struct Lane {
    JobPtr open;         // Takes further events until it has its lock and runs.
    size_t granted = 0;  // Jobs that have their lock: they end by themselves.
  };

  JobPtr Place(events::LaneTask task, LogEpoch epoch, std::vector<JobPtr>* fresh) REQUIRES(mutex_);
  void EndLanes(const events::LaneTask& barrier) REQUIRES(mutex_);
  [[nodiscard]] bool Waits(const Job& job) const REQUIRES(mutex_);
  [[nodiscard]] bool IsStuck(const Job& job) const REQUIRES(mutex_);
  void Collapse(Job* job) REQUIRES(mutex_);
  void CollapseLargest() REQUIRES(mutex_);
  [[nodiscard]] bool IsFull() const REQUIRES(mutex_);
  void Expect(std::vector<std::pair<events::EventPtr, JobPtr>>* arrived) REQUIRES(mutex_);

  void Lock(const std::vector<JobPtr>& jobs);
  void SetGranted(const JobPtr& job) REQUIRES(mutex_);
  void Begin(const JobPtr& job);
  void Run(const JobPtr& job, const cache::NameGuard& guard);
  void Fold(const Job& job, const cache::NameGuard& guard);
  void FoldCollapsed(const Job& job, const cache::NameGuard& guard);
  void Finish(const JobPtr& job);

  SyncContext* const context_;
  const Options options_;
  std::function<void(events::LogCondition, const std::string&)> condition_handler_;
  std::function<void()> room_handler_;
  mutable Mutex mutex_{LockRank::kLaneQueue};
  std::unordered_map<ObjectName, Lane> lanes_ GUARDED_BY(mutex_);
  std::unordered_set<JobPtr> waiting_ GUARDED_BY(mutex_);  // For their locks.
  size_t queued_events_ GUARDED_BY(mutex_) = 0;
  size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  size_t collapsed_ GUARDED_BY(mutex_) = 0;
  mutable bool was_full_ GUARDED_BY(mutex_) = false;
};

}  // namespace catalogd::sync
