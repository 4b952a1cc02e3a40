#include "catalog/sync/event_applier.h"

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "catalog/sync/fold_session.h"

namespace catalogd::sync {
namespace {

// Enough for /locks without building a long text for every task.
std::string OwnerOf(const events::LaneTask& task) {
  const events::Event& first = *task.events.front();
  std::string text = "event " + std::to_string(first.id.value()) + " " + first.type;
  if (task.events.size() > 1) text += " and " + std::to_string(task.events.size() - 1) + " more";
  return text;
}

}  // namespace

struct EventApplier::Job {
  events::LaneTask task;
  std::vector<uint64_t> tickets;
  LogEpoch epoch;
};

void EventApplier::SetConditionHandler(
    std::function<void(events::LogCondition, const std::string&)> handler) {
  condition_handler_ = std::move(handler);
}

void EventApplier::Apply(std::vector<events::LaneTask> tasks) {
  // The watermark counts in log order, which the tasks are not in.
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::pair<EventId, Job*>> in_order;
  for (events::LaneTask& task : tasks) {
    auto job = std::make_shared<Job>();
    job->task = std::move(task);
    job->epoch = context_->cache->epoch();
    for (const events::EventPtr& event : job->task.events)
      in_order.emplace_back(event->id, job.get());
    jobs.push_back(std::move(job));
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, job] : in_order) job->tickets.push_back(context_->watermark->Expect(id));
  context_->counters->events_received.fetch_add(in_order.size(), std::memory_order_relaxed);

  for (const std::shared_ptr<Job>& job : jobs) {
    cache::NameLocks::Request request;
    request.exclusive = job->task.names;
    request.owner = OwnerOf(job->task);
    auto guard =
        context_->locks->Acquire(std::move(request), [this, job](Result<cache::NameGuard> granted) {
          // Without a deadline a request is only refused on shutdown, when nothing is applied.
          if (granted) RunJob(job, *granted);
        });
    if (!guard) continue;
    auto held = std::make_shared<cache::NameGuard>(std::move(*guard));
    context_->executor->SubmitAlways([this, job, held] { RunJob(job, *held); });
  }
}

void EventApplier::RunJob(const std::shared_ptr<Job>& job, const cache::NameGuard& guard) {
  if (job->epoch == context_->cache->epoch()) {
    FoldSession session(context_, guard, "events");
    for (const events::EventPtr& event : job->task.events) {
      if (!event->problem.empty()) {
        context_->counters->malformed_events.fetch_add(1, std::memory_order_relaxed);
      }
      session.Apply(event);
    }
    session.Commit();
  } else {
    MARK("applier.old_epoch");
  }
  // After the commit: whoever sees the watermark pass an event finds it applied.
  for (const uint64_t ticket : job->tickets) context_->watermark->Done(ticket);
}

void EventApplier::OnLogCondition(events::LogCondition condition, const std::string& text) {
  context_->counters->log_conditions.fetch_add(1, std::memory_order_relaxed);
  JournalEntry entry;
  entry.type = "log: " + std::string(events::LogConditionName(condition));
  entry.reason = text;
  entry.by = "events";
  context_->journal->Add(std::move(entry));
  if (condition_handler_) condition_handler_(condition, text);
}

}  // namespace catalogd::sync
