#include <fmt/format.h>

#include <algorithm>

#include "catalog/daemon/object_names.h"
#include "catalog/daemon/operations.h"
#include "catalog/sync/sync_core.h"

// Operations that compare with the metastore, and those that wait for changes.
namespace catalogd::daemon {
namespace {

using Outcome = sync::ObjectLoader::Comparison::Outcome;

constexpr int64_t kLongestFollowMs = 60000;
constexpr size_t kMostCompared = 1000;

Duration FollowWait(int64_t milliseconds) {
  return std::chrono::milliseconds(std::clamp<int64_t>(milliseconds, 0, kLongestFollowMs));
}

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kEqual:
      return "equal";
    case Outcome::kNotCompared:
      return "not_compared";
    case Outcome::kInFlight:
      return "in_flight";
    case Outcome::kDifferent:
      return "different";
  }
  return "?";
}

api::DiffEntry Failed(const std::string& name, const Error& error) {
  api::DiffEntry entry;
  entry.name = name;
  entry.outcome = "failed";
  entry.text = error.message;
  return entry;
}

}  // namespace

struct Operations::DiffJob {
  bool repair = false;
  std::vector<ObjectName> names;
  Done<std::vector<api::DiffEntry>> done;
  Mutex mutex{LockRank::kLeaf};
  std::vector<api::DiffEntry> entries GUARDED_BY(mutex);
  size_t missing GUARDED_BY(mutex) = 1;  // Counts the expansion, too.
  bool answered GUARDED_BY(mutex) = false;
};

void Operations::Diff(const api::DiffRequest& request, Done<std::vector<api::DiffEntry>> done) {
  if (request.names.size() > kMostCompared) {
    return done(MakeError(ErrorCode::kInvalidArgument,
                          fmt::format("diff: at most {} names at once", kMostCompared)));
  }
  auto job = std::make_shared<DiffJob>();
  job->repair = request.repair;
  job->done = std::move(done);
  for (const std::string& text : request.names) {
    if (text.empty()) continue;
    const auto name = ResolveName(sources_->core, text);
    if (!name) return job->done(AsError(name.error()));
  }
  const TimePoint deadline = sources_->clock->Now() + std::chrono::milliseconds(std::clamp<int64_t>(
                                                          request.timeout_ms, 0, 3600000));
  WhenReady(deadline, [this, job, deadline, names = request.names](const Status& ready) {
    if (!ready) return job->done(AsError(ready.error()));
    const Status submitted = workers_->Submit([this, job, names] {
      Expand(job, names);
      CompareAll(job);
    });
    if (!submitted) return job->done(AsError(submitted.error()));
    timer_->At(deadline, [this, job] { workers_->SubmitAlways([job] { GiveUp(job); }); });
  });
}

void Operations::GiveUp(const DiffJobPtr& job) {
  {
    const MutexLock lock(job->mutex);
    if (job->answered) return;
    job->answered = true;
  }
  job->done(
      MakeError(ErrorCode::kTimedOut, "diff: objects are still being read; ask for fewer at once"));
}

// Which objects are to be compared. Blocks on the metastore.
void Operations::Expand(const DiffJobPtr& job, const std::vector<std::string>& names) {
  sync::SyncContext* const context = &sources_->core->context();
  for (const std::string& text : names) {
    ObjectName parent = ObjectName::Database(kDefaultCatalog, "");
    if (!text.empty()) {
      auto name = ResolveName(sources_->core, text);
      if (!name) continue;  // Checked before.
      parent = std::move(*name);
      job->names.push_back(parent);
      if (parent.is_table()) continue;
    }
    const auto one_sided = sync::Reconciler::OnlyOnOneSide(context, parent);
    if (one_sided) {
      job->names.insert(job->names.end(), one_sided->begin(), one_sided->end());
    } else if (one_sided.error().code != ErrorCode::kNotFound) {
      const MutexLock lock(job->mutex);
      job->entries.push_back(Failed(text, one_sided.error()));
    }
  }
  const MutexLock lock(job->mutex);
  job->missing += job->names.size();
}

void Operations::CompareAll(const DiffJobPtr& job) {
  for (const ObjectName& name : job->names) {
    sources_->core->loader().Compare(
        name, job->repair, "diff",
        [job, name](const Result<sync::ObjectLoader::Comparison>& result) {
          if (!result) return NoteEntry(job, Failed(name.ToString(), result.error()));
          api::DiffEntry entry;
          entry.name = name.ToString();
          entry.outcome = OutcomeName(result->outcome);
          entry.event_id = result->at.value();
          entry.text = result->text;
          entry.repaired = result->repaired;
          NoteEntry(job, std::move(entry));
        });
  }
  NoteEntry(job, {});
}

// The last one answers. An entry without a name only counts.
void Operations::NoteEntry(const DiffJobPtr& job, api::DiffEntry entry) {
  std::vector<api::DiffEntry> entries;
  {
    const MutexLock lock(job->mutex);
    if (!entry.outcome.empty()) job->entries.push_back(std::move(entry));
    if (--job->missing > 0 || job->answered) return;
    job->answered = true;
    entries.swap(job->entries);
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  job->done(std::move(entries));
}

void Operations::Deltas(const api::DeltasRequest& request, Done<api::DeltaBatch> done) {
  auto batch = MakeDeltas(*sources_, request);
  const bool wait = request.wait_ms > 0 && batch && !batch->gap && batch->deltas.empty();
  if (!wait || stopping_) return done(std::move(batch));
  sources_->core->version_waiter().Wait(
      CatalogVersion(request.after_version), sources_->clock->Now() + FollowWait(request.wait_ms),
      [this, request, done = std::move(done)] {
        // Not where events are applied: the answer may be long.
        workers_->SubmitAlways([this, request, done] { done(MakeDeltas(*sources_, request)); });
      });
  if (stopping_) sources_->core->version_waiter().ReleaseAll();
}

void Operations::Events(const api::EventsRequest& request, Done<std::vector<api::EventInfo>> done) {
  const CatalogVersion before = sources_->core->cache().last_version();
  auto events = ListEvents(*sources_, request);
  if (request.wait_ms <= 0 || !events || !events->empty() || stopping_) {
    return done(std::move(events));
  }
  // Whatever happens to a name ends with a commit, or is of no interest at once.
  sources_->core->version_waiter().Wait(
      before, sources_->clock->Now() + FollowWait(request.wait_ms),
      [this, request, done = std::move(done)] {
        workers_->SubmitAlways([this, request, done] { done(ListEvents(*sources_, request)); });
      });
  if (stopping_) sources_->core->version_waiter().ReleaseAll();
}

}  // namespace catalogd::daemon
