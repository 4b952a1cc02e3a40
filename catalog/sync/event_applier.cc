#include "catalog/sync/event_applier.h"

#include <algorithm>
#include <utility>

#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"
#include "catalog/sync/fold_session.h"
#include "catalog/sync/odd_names.h"
#include "catalog/sync/side_answers.h"

namespace catalogd::sync {
namespace {

// A job that has its lock takes no more events than this: locks are not held for long.
constexpr size_t kMostPerGrantedJob = 1024;

// What the lock list shows; not a long text for every task.
std::string OwnerOf(const events::Event& first, size_t events) {
  std::string text = "event " + std::to_string(first.id.value()) + " " + first.type;
  if (events > 1) text += " and " + std::to_string(events - 1) + " more";
  return text;
}

bool IsDatabaseDrop(const events::LaneTask& task) {
  return task.events.front()->kind == events::EventKind::kDropDatabase;
}

// After the event, what the object was before it matters to nobody: it is gone, or will be read.
bool EndsWhatWas(const events::Event& event, hms::Generation generation) {
  switch (event.kind) {
    case events::EventKind::kDropTable:
    case events::EventKind::kReload:
    case events::EventKind::kCommitCompaction:
      return true;
    case events::EventKind::kAlterTable:
      return event.truncate && event.problem.empty() && generation == hms::Generation::kHive4;
    default:
      return false;
  }
}

}  // namespace

// Guarded by mutex_ until it runs.
struct EventApplier::Job {
  std::vector<ObjectName> names;
  bool takes_more = false;  // One name: later events may join.
  bool drops_database = false;
  bool waits = false;  // It has asked for its lock in vain.
  TimePoint waits_since;
  EventId first;  // Of its events.
  bool granted = false;
  std::vector<events::EventPtr> events;  // Empty once collapsed.
  CollapsedLane collapsed;
  size_t bytes = 0;
  std::vector<uint64_t> tickets;
  LogEpoch epoch;
};

void EventApplier::SetConditionHandler(
    std::function<void(events::LogCondition, const std::string&)> handler) {
  condition_handler_ = std::move(handler);
}

void EventApplier::SetRoomHandler(std::function<void()> handler) {
  room_handler_ = std::move(handler);
}

void EventApplier::Apply(std::vector<events::LaneTask> tasks) {
  if (context_->side_answers != nullptr) context_->side_answers->OnEvents(tasks);
  const LogEpoch epoch = context_->cache->epoch();
  std::vector<JobPtr> fresh;
  {
    const MutexLock lock(mutex_);
    std::vector<std::pair<events::EventPtr, JobPtr>> arrived;
    for (events::LaneTask& task : tasks) {
      std::vector<events::EventPtr> events = task.events;
      const JobPtr job = Place(std::move(task), epoch, &fresh);
      for (events::EventPtr& event : events) arrived.emplace_back(std::move(event), job);
    }
    Expect(&arrived);
  }
  Lock(fresh);
  const MutexLock lock(mutex_);
  if (IsFull()) CollapseLargest();
}

// The job that will apply the task; a new one is added to `fresh`.
EventApplier::JobPtr EventApplier::Place(events::LaneTask task, LogEpoch epoch,
                                         std::vector<JobPtr>* fresh) {
  size_t bytes = 0;
  for (const events::EventPtr& event : task.events) bytes += event->bytes;
  const bool crosses = task.events.front()->CrossesNames();
  if (crosses) EndLanes(task);
  Lane* lane = crosses || task.names.empty() ? nullptr : &lanes_[task.names.front()];
  JobPtr job = lane == nullptr ? nullptr : lane->open;
  const bool has_room =
      job != nullptr && job->epoch == epoch &&
      (!job->granted || job->events.size() + task.events.size() <= kMostPerGrantedJob);
  if (!has_room) {
    job = std::make_shared<Job>();
    job->names = std::move(task.names);
    job->epoch = epoch;
    job->first = task.events.front()->id;
    job->takes_more = lane != nullptr;
    job->drops_database = IsDatabaseDrop(task);
    if (lane != nullptr) lane->open = job;
    fresh->push_back(job);
  } else {
    MARK("applier.joined");
  }
  if (job->collapsed.events() > 0) {
    for (const events::EventPtr& event : task.events) job->collapsed.Add(*event);
    return job;
  }
  job->bytes += bytes;
  queued_bytes_ += bytes;
  queued_events_ += task.events.size();
  std::move(task.events.begin(), task.events.end(), std::back_inserter(job->events));
  const bool too_large =
      job->events.size() > options_.lane_events || job->bytes > options_.lane_bytes;
  if (lane != nullptr && has_room && too_large && IsStuck(*job)) Collapse(job.get());
  return job;
}

// Events behind a barrier must not join those before it.
void EventApplier::EndLanes(const events::LaneTask& barrier) {
  const auto end = [this](auto lane) REQUIRES(mutex_) {
    lane->second.open = nullptr;
    return lane->second.granted == 0 ? lanes_.erase(lane) : std::next(lane);
  };
  for (const ObjectName& name : barrier.names) {
    if (const auto lane = lanes_.find(name); lane != lanes_.end()) end(lane);
  }
  if (!IsDatabaseDrop(barrier)) return;
  const ObjectName& db = barrier.events.front()->name;
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    lane = lane->first.DatabaseName() == db ? end(lane) : std::next(lane);
  }
}

// It waits, and nothing of its lane runs or is about to: somebody else has the lock.
bool EventApplier::IsStuck(const Job& job) const { return job.takes_more && Waits(job); }

bool EventApplier::Waits(const Job& job) const {
  if (!job.waits || job.granted) return false;
  if (!job.takes_more) return true;
  const auto lane = lanes_.find(job.names.front());
  return lane == lanes_.end() || lane->second.granted == 0;
}

bool EventApplier::IsHeldUp(const std::vector<ObjectName>& names, EventId up_to,
                            Duration least) const {
  const TimePoint latest = context_->clock->Now() - least;
  const MutexLock lock(mutex_);
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const JobPtr& job) REQUIRES(mutex_) {
    if (job->waits_since > latest || job->first > up_to || !Waits(*job)) return false;
    return names.empty() || std::any_of(names.begin(), names.end(), [&job](const ObjectName& name) {
             return std::any_of(job->names.begin(), job->names.end(), [&](const ObjectName& held) {
               return held == name || held == name.DatabaseName();
             });
           });
  });
}

void EventApplier::Collapse(Job* job) {
  MARK("applier.collapsed");
  for (const events::EventPtr& event : job->events) job->collapsed.Add(*event);
  queued_events_ -= job->events.size();
  queued_bytes_ -= job->bytes;
  job->events.clear();
  job->events.shrink_to_fit();
  job->bytes = 0;
  ++collapsed_;
  context_->counters->lanes_collapsed.fetch_add(1, std::memory_order_relaxed);
}

void EventApplier::CollapseLargest() {
  std::vector<Job*> stuck;
  for (const JobPtr& job : waiting_) {
    if (IsStuck(*job) && !job->events.empty()) stuck.push_back(job.get());
  }
  std::sort(stuck.begin(), stuck.end(),
            [](const Job* a, const Job* b) { return a->bytes > b->bytes; });
  for (Job* job : stuck) {
    if (queued_events_ <= options_.events / 2 && queued_bytes_ <= options_.bytes / 2) return;
    Collapse(job);
  }
}

bool EventApplier::IsFull() const {
  return queued_events_ >= options_.events || queued_bytes_ >= options_.bytes;
}

bool EventApplier::HasRoom() const {
  const MutexLock lock(mutex_);
  was_full_ = IsFull();
  return !was_full_;
}

// The watermark counts in log order, which tasks are not in. Done before any of them can run on.
void EventApplier::Expect(std::vector<std::pair<events::EventPtr, JobPtr>>* arrived) {
  std::stable_sort(arrived->begin(), arrived->end(),
                   [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  for (const auto& [event, job] : *arrived) {
    const bool joins =
        !job->tickets.empty() && context_->watermark->Join(job->tickets.back(), event->id);
    if (!joins) job->tickets.push_back(context_->watermark->Expect(event->id));
  }
  context_->counters->events_received.fetch_add(arrived->size(), std::memory_order_relaxed);
  const bool odd = std::any_of(arrived->begin(), arrived->end(), [](const auto& arrival) {
    return MakesOddDatabase(*arrival.first);
  });
  if (odd && context_->odd_databases != nullptr) context_->odd_databases->store(true);
}

void EventApplier::Lock(const std::vector<JobPtr>& jobs) {
  for (const JobPtr& job : jobs) {
    cache::NameLocks::Request request;
    {
      const MutexLock lock(mutex_);
      const bool alone =
          job->names.size() == 1 && job->names.front().is_database() && !job->drops_database;
      (alone ? request.alone : request.exclusive) = job->names;
      request.owner = OwnerOf(*job->events.front(), job->events.size());
    }
    auto guard =
        context_->locks->Acquire(std::move(request), [this, job](Result<cache::NameGuard> granted) {
          // Without a deadline a request is only refused on shutdown, when nothing is applied.
          if (granted) Run(job, *granted);
        });
    {
      const MutexLock lock(mutex_);
      if (guard) SetGranted(job);
      // Unless it has been granted since, and runs.
      job->waits = !job->granted;
      job->waits_since = context_->clock->Now();
      if (job->waits) waiting_.insert(job);
    }
    if (!guard) continue;
    auto held = std::make_shared<cache::NameGuard>(std::move(*guard));
    context_->executor->SubmitAlways([this, job, held] { Run(job, *held); });
  }
}

void EventApplier::SetGranted(const JobPtr& job) {
  if (job->granted) return;
  job->granted = true;
  if (job->takes_more) ++lanes_[job->names.front()].granted;
}

// From here on the job is its own: nothing joins it any more.
void EventApplier::Begin(const JobPtr& job) {
  const MutexLock lock(mutex_);
  SetGranted(job);
  waiting_.erase(job);
  if (!job->takes_more) return;
  Lane& lane = lanes_[job->names.front()];
  if (lane.open == job) lane.open = nullptr;
}

void EventApplier::Run(const JobPtr& job, const cache::NameGuard& guard) {
  Begin(job);
  if (job->epoch != context_->cache->epoch()) {
    MARK("applier.old_epoch");
  } else if (job->collapsed.events() > 0) {
    FoldCollapsed(*job, guard);
  } else {
    Fold(*job, guard);
  }
  // After the commit: whoever sees the watermark pass an event finds it applied.
  for (const uint64_t ticket : job->tickets) context_->watermark->Done(ticket);
  Finish(job);
}

void EventApplier::Fold(const Job& job, const cache::NameGuard& guard) {
  FoldSession session(context_, guard, "events", job.epoch);
  // Of what comes before an event that ends what was, only the existence counts.
  size_t passed_over = 0;
  for (size_t i = 0; job.takes_more && i < job.events.size(); ++i) {
    if (EndsWhatWas(*job.events[i], context_->fold.generation)) passed_over = i;
  }
  for (size_t i = 0; i < job.events.size(); ++i) {
    const events::EventPtr& event = job.events[i];
    if (!event->problem.empty()) {
      context_->counters->malformed_events.fetch_add(1, std::memory_order_relaxed);
    }
    if (i < passed_over) {
      session.PassOver(event);
    } else {
      session.Apply(event);
    }
  }
  if (MutantOn(Mutant::kBatchMarkedWithLastId)) {
    session.AdvanceTo(job.names, context_->log->Recent(1).front()->id);
  }
  session.Commit();
}

void EventApplier::FoldCollapsed(const Job& job, const cache::NameGuard& guard) {
  const ObjectName& name = job.names.front();
  const CollapsedLane::Outcome outcome = job.collapsed.For(context_->cache->Lookup(name));
  context_->counters->events_applied.fetch_add(job.collapsed.events(), std::memory_order_relaxed);
  context_->counters->events_merged.fetch_add(job.collapsed.events(), std::memory_order_relaxed);
  if (!outcome.moves) return;
  const std::string reason = std::to_string(job.collapsed.events()) +
                             " events waited too long for the lock of the name; to be read again";
  FoldSession session(context_, guard, "events", job.epoch);
  session.Settle(name, outcome.state, job.collapsed.last(), outcome.incarnation, reason);
  session.Commit();
  JournalEntry entry;
  entry.event = job.collapsed.last();
  entry.type = "lane: collapsed";
  entry.name = name;
  entry.action = cache::SlotStateName(outcome.state);
  entry.reason = reason;
  entry.by = "events";
  context_->journal->Add(std::move(entry));
}

void EventApplier::Finish(const JobPtr& job) {
  bool has_room_again = false;
  {
    const MutexLock lock(mutex_);
    queued_events_ -= job->events.size();
    queued_bytes_ -= job->bytes;
    if (job->collapsed.events() > 0) --collapsed_;
    if (job->takes_more) {
      const auto lane = lanes_.find(job->names.front());
      if (--lane->second.granted == 0 && lane->second.open == nullptr) lanes_.erase(lane);
    }
    has_room_again =
        was_full_ && queued_events_ <= options_.events / 2 && queued_bytes_ <= options_.bytes / 2;
    if (has_room_again) was_full_ = false;
  }
  if (has_room_again && room_handler_) room_handler_();
}

EventApplier::Stats EventApplier::stats() const {
  const MutexLock lock(mutex_);
  return {queued_events_, queued_bytes_, lanes_.size(), collapsed_};
}

void EventApplier::OnFetchedTo(EventId id) { context_->watermark->FetchedTo(id); }

void EventApplier::OnLogCondition(events::LogCondition condition, const std::string& text) {
  SyncCounters& counters = *context_->counters;
  counters.log_conditions.fetch_add(1, std::memory_order_relaxed);
  counters.conditions.at(static_cast<size_t>(condition)).fetch_add(1, std::memory_order_relaxed);
  JournalEntry entry;
  entry.type = "log: " + std::string(events::LogConditionName(condition));
  entry.reason = text;
  entry.by = "events";
  context_->journal->Add(std::move(entry));
  if (condition_handler_) condition_handler_(condition, text);
}

}  // namespace catalogd::sync
