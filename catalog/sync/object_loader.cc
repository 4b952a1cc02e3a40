#include "catalog/sync/object_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"
#include "catalog/sync/fold_session.h"
#include "catalog/sync/image.h"
#include "catalog/sync/reconcile_diff.h"
#include "catalog/sync/side_answers.h"

namespace catalogd::sync {
namespace {

using cache::PartitionSet;
using events::EventKind;
using events::EventPtr;

// Could a read that overlaps this event have seen half of it?
bool TearsReads(const EventPtr& event) {
  switch (event->kind) {
    case EventKind::kInsert:
    case EventKind::kTransaction:
    case EventKind::kConstraint:
    case EventKind::kCreateFunction:
    case EventKind::kDropFunction:
    case EventKind::kIndex:
    case EventKind::kDeleteStats:
      return false;
    default:
      return true;
  }
}

// The event's image replaces all that a read of an unpartitioned table can have torn.
bool ReplacesWhole(const EventPtr& event, const cache::Snapshot& read) {
  return read.partition_keys.empty() && event->kind == EventKind::kAlterTable && !event->old_name &&
         !event->truncate && event->problem.empty() && event->table_image.has_value() &&
         !read.has_column_statistics;
}

ObjectLoader::Comparison NotCompared(std::string why) {
  ObjectLoader::Comparison comparison;
  comparison.outcome = ObjectLoader::Comparison::Outcome::kNotCompared;
  comparison.text = std::move(why);
  return comparison;
}

// Why what is published need not equal what the metastore says; empty when it must.
std::string NotComparable(const SyncContext& context, const ObjectName& name,
                          const cache::SlotView& slot) {
  if (context.following != nullptr && context.following->Disabled(name)) return "not followed";
  if (slot.state == cache::SlotState::kAbsent) return "";
  if (slot.snapshot == nullptr) return "not loaded";
  if (slot.snapshot->materialized_view) return "a materialized view is never answered from here";
  if (slot.snapshot->sync_disabled) return "not followed";
  return "";
}

}  // namespace

// A job that compares: what it found, for whom.
struct ObjectLoader::Comparing {
  bool repair = false;
  std::string who;
  CompareDone done;
  cache::SnapshotPtr with;  // What was published when the difference was looked for.
  Comparison result;
};

struct ObjectLoader::Job {
  ObjectName name;
  std::vector<Done> waiting;  // Guarded by the owner's mutex.
  int attempts = 0;
  int overtaken = 0;  // Of these, how often the log had moved past the id that it began with.
  // What the last attempt read: the events around it are (lo, hi]; it began at catalog version
  // `began`, in `epoch`, whose ids these are.
  events::NotificationLog::Pin pin;
  EventId lo;
  EventId hi;
  CatalogVersion began;
  LogEpoch epoch;
  cache::SnapshotPtr snapshot;  // Null: there is no such object.
  std::optional<Comparing> comparing;
};

std::string ObjectLoader::TriedInVain(const Job& job) {
  const std::string load = "load " + job.name.ToString() + ": ";
  const std::string attempts = std::to_string(job.attempts);
  if (job.overtaken == 0) {
    return load + "it changed during each of " + attempts + " reads; it stays a stub";
  }
  return load + "in " + std::to_string(job.overtaken) + " of " + attempts +
         " attempts the log had been applied beyond the current event id that the metastore "
         "answered (" +
         std::to_string(job.lo.value()) +
         "), so that what it then shows could not be dated; it stays a stub, and is read again "
         "when it is asked for";
}

ObjectLoader::ObjectLoader(SyncContext* context, const Options& options)
    : context_(context), options_(options) {}

size_t ObjectLoader::running_or_queued() const {
  const MutexLock lock(mutex_);
  return jobs_.size();
}

bool ObjectLoader::Enter(const ObjectName& name, Done* done, JobPtr* job) {
  const MutexLock lock(mutex_);
  const auto it = jobs_.find(name);
  if (it != jobs_.end()) {
    if (*done) it->second->waiting.push_back(std::move(*done));
    return true;
  }
  if (jobs_.size() >= options_.max_queued) return false;
  *job = std::make_shared<Job>();
  (*job)->name = name;
  if (*done) (*job)->waiting.push_back(std::move(*done));
  jobs_.emplace(name, *job);
  return true;
}

void ObjectLoader::Load(const ObjectName& name, Done done) {
  JobPtr job;
  if (!Enter(name, &done, &job)) {
    if (done) {
      done(MakeError(ErrorCode::kResourceExhausted,
                     "load " + name.ToString() + ": too many loads are waiting"));
    }
    return;
  }
  if (job != nullptr) context_->loader_executor->SubmitAlways([this, job] { Run(job); });
}

void ObjectLoader::Compare(const ObjectName& name, bool repair, std::string who, CompareDone done) {
  std::string why_not = NotComparable(*context_, name, context_->cache->Lookup(name));
  if (!why_not.empty()) return done(NotCompared(std::move(why_not)));
  JobPtr job;
  Done nobody;
  if (!Enter(name, &nobody, &job)) {
    return done(MakeError(ErrorCode::kResourceExhausted,
                          "compare " + name.ToString() + ": too many loads are waiting"));
  }
  if (job == nullptr) return done(Comparison{});  // A load is under way: it will be new.
  job->comparing = Comparing{repair, std::move(who), std::move(done), nullptr, {}};
  context_->loader_executor->SubmitAlways([this, job] { Run(job); });
}

void ObjectLoader::Run(const JobPtr& job) {
  job->pin = {};
  bool again = true;
  Status status = Ok();
  while (again && job->attempts < options_.max_attempts) {
    ++job->attempts;
    if (job->attempts > 1) {
      context_->counters->load_retries.fetch_add(1, std::memory_order_relaxed);
    }
    again = false;
    status = Attempt(job, &again);
  }
  if (again) {
    status = MakeError(ErrorCode::kConflict, TriedInVain(*job));
  }
  if (!status || (job->comparing && CompareBefore(job))) {
    Finish(job, status);
    return;
  }
  cache::NameLocks::Request request;
  request.exclusive = {job->name};
  request.owner = "load " + job->name.ToString();
  auto guard =
      context_->locks->Acquire(std::move(request), [this, job](Result<cache::NameGuard> granted) {
        if (granted) Publish(job, std::move(*granted));
      });
  if (guard) Publish(job, std::move(*guard));
}

Result<cache::SnapshotPtr> ReadObject(SyncContext* context, const ObjectName& name) {
  hms::Metastore& metastore = *context->metastore;
  context->counters->object_reads.fetch_add(1, std::memory_order_relaxed);
  if (name.is_database()) {
    ASSIGN_OR_RETURN(std::string database, metastore.ReadDatabase(name, context->CallDeadline()));
    return cache::MakeDatabaseSnapshot(std::move(database));
  }
  ASSIGN_OR_RETURN(std::string table, metastore.ReadTable(name, context->CallDeadline()));
  cache::SnapshotPtr snapshot = cache::MakeTableSnapshot(std::move(table), PartitionSet::Empty());
  if (snapshot->partition_keys.empty()) return snapshot;
  ASSIGN_OR_RETURN(std::vector<std::string> partitions,
                   metastore.ReadPartitions(name, context->CallDeadline()));
  std::vector<PartitionSet::Entry> entries;
  entries.reserve(partitions.size());
  for (std::string& partition : partitions) {
    ASSIGN_OR_RETURN(PartitionSet::Entry entry,
                     MakePartitionEntry(snapshot->partition_keys, std::move(partition)));
    entries.push_back(std::move(entry));
  }
  return cache::WithPartitions(*snapshot, PartitionSet::Of(std::move(entries)));
}

Status ObjectLoader::Attempt(const JobPtr& job, bool* again) {
  hms::Metastore& metastore = *context_->metastore;
  job->began = context_->cache->last_version();
  job->epoch = context_->cache->epoch();
  ASSIGN_OR_RETURN(job->lo, metastore.CurrentEventId(context_->CallDeadline()));
  Result<events::NotificationLog::Pin> pin = context_->log->PinAfter(job->lo);
  if (!pin) {
    ++job->overtaken;
    *again = true;  // The log moved past `lo` before it could be held: start over further on.
    return Ok();
  }
  job->pin = std::move(*pin);
  Result<cache::SnapshotPtr> read = ReadObject(context_, job->name);
  const bool absent = !read && read.error().code == ErrorCode::kNotFound;
  // A torn read of a partitioned table can look corrupt: only the events around it tell.
  const bool corrupt = !read && read.error().code == ErrorCode::kCorrupt;
  if (!read && !absent && !corrupt) return AsError(std::move(read).error());
  ASSIGN_OR_RETURN(job->hi, metastore.CurrentEventId(context_->CallDeadline()));
  if (MutantOn(Mutant::kIdAfterRead)) job->lo = job->hi;
  RETURN_IF_ERROR(
      context_->log->FetchTo(job->hi, context_->max_catch_up_events, context_->CallDeadline()));
  ASSIGN_OR_RETURN(const std::vector<EventPtr> between,
                   context_->log->Range(job->lo, job->hi, {job->name}));
  job->snapshot = read ? *read : nullptr;
  const auto torn = [&](const EventPtr& event) {
    return TearsReads(event) && (job->snapshot == nullptr || !ReplacesWhole(event, *job->snapshot));
  };
  *again = std::any_of(between.begin(), between.end(), torn);
  if (!*again && corrupt) return AsError(std::move(read).error());
  return Ok();
}

void ObjectLoader::Publish(const JobPtr& job, cache::NameGuard guard) {
  const cache::SlotView slot = context_->cache->Lookup(job->name);
  if (slot.reads_from > job->began) {
    // An own write came after the read without an event that would tell.
    MARK("loader.read_void");
    guard.Release();
    if (job->comparing) return Finish(job, Ok());
    context_->loader_executor->SubmitAlways([this, job] { Run(job); });
    return;
  }
  const EventId up_to = std::max(job->hi, slot.synced);
  const Result<std::vector<EventPtr>> events = context_->log->Range(job->lo, up_to, {job->name});
  if (!events) {
    guard.Release();
    Finish(job, AsError(events.error()));
    return;
  }
  if (job->comparing && !CompareLocked(job, slot, up_to, *events)) {
    guard.Release();
    Finish(job, Ok());
    return;
  }
  if (job->comparing) {
    // Before the commit, which wakes those who follow.
    job->comparing->result.repaired = true;
    NoteDifference(job, up_to);
  }
  FoldSession session(context_, guard, "load", job->epoch);
  session.Start(job->name, job->snapshot, job->lo, job->hi);
  for (const EventPtr& event : *events) session.ApplyTo(job->name, event);
  session.AdvanceTo({job->name}, up_to);
  session.Commit();
  guard.Release();
  context_->counters->loads.fetch_add(1, std::memory_order_relaxed);
  if (job->snapshot == nullptr) {
    Finish(job, MakeError(ErrorCode::kNotFound, job->name.ToString() + " does not exist"));
    return;
  }
  Finish(job, Ok());
}

// Compares before any lock is taken: partitions may be many. True: nothing is left to be done.
bool ObjectLoader::CompareBefore(const JobPtr& job) {
  Comparing& comparing = *job->comparing;
  Comparison& result = comparing.result;
  const cache::SlotView slot = context_->cache->Lookup(job->name);
  context_->counters->compared.fetch_add(1, std::memory_order_relaxed);
  std::string why_not = NotComparable(*context_, job->name, slot);
  if (!why_not.empty()) {
    result = NotCompared(std::move(why_not));
  } else {
    comparing.with = slot.snapshot;
    result.at = std::max(job->hi, slot.synced);
    result.text = DescribeDifference(job->name, slot.snapshot, job->snapshot);
    if (result.text.empty()) result.outcome = Comparison::Outcome::kEqual;
  }
  return result.outcome != Comparison::Outcome::kInFlight;
}

// Under the name's lock: true when the difference counts and is to be repaired. An event of the
// name since the read began, or one that has not been applied, explains it; so does any commit.
bool ObjectLoader::CompareLocked(const JobPtr& job, const cache::SlotView& slot, EventId up_to,
                                 const std::vector<EventPtr>& events) {
  Comparing& comparing = *job->comparing;
  if (comparing.result.outcome != Comparison::Outcome::kInFlight) return false;
  // The watermark does not pass an event that waits for this lock.
  const EventId applied = std::max(slot.synced, context_->watermark->value());
  bool in_flight = !events.empty() || slot.snapshot != comparing.with ||
                   !NotComparable(*context_, job->name, slot).empty();
  if (!in_flight && applied < up_to) {
    const auto pending = context_->log->Range(applied, up_to, {job->name});
    in_flight = !pending || !pending->empty();
  }
  if (in_flight) {
    MARK("loader.difference_in_flight");
    comparing.result.text.clear();
    return false;
  }
  MARK("loader.difference");
  comparing.result.outcome = Comparison::Outcome::kDifferent;
  comparing.result.at = up_to;
  context_->counters->differences.fetch_add(1, std::memory_order_relaxed);
  if (!comparing.repair) NoteDifference(job, up_to);
  return comparing.repair;
}

void ObjectLoader::NoteDifference(const JobPtr& job, EventId at) {
  const Comparing& comparing = *job->comparing;
  if (comparing.result.repaired)
    context_->counters->repairs.fetch_add(1, std::memory_order_relaxed);
  if (context_->side_answers != nullptr) {
    context_->side_answers->Drop({job->name}, StaleReason::kDifference);
  }
  JournalEntry entry;
  entry.event = at;
  entry.type = "difference";
  entry.name = job->name;
  entry.action = comparing.result.repaired ? "repaired" : "reported";
  entry.reason = comparing.result.text;
  entry.by = comparing.who;
  context_->journal->Add(std::move(entry));
}

void ObjectLoader::Finish(const JobPtr& job, const Status& status) {
  if (!status && !job->comparing && status.error().code != ErrorCode::kNotFound) {
    MARK("loader.failed");
    context_->counters->load_failures.fetch_add(1, std::memory_order_relaxed);
  }
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    waiting.swap(job->waiting);
    jobs_.erase(job->name);
  }
  job->pin = {};
  // A comparison that published nothing is no load: who joined it begins anew.
  const bool loaded = !job->comparing || job->comparing->result.repaired;
  for (Done& done : waiting) {
    if (loaded || !status) {
      done(status);
    } else {
      Load(job->name, std::move(done));
    }
  }
  if (job->comparing) FinishComparing(*job->comparing, status);
}

void ObjectLoader::FinishComparing(const Comparing& comparing, const Status& status) {
  // An object that changes during every read is in flight.
  const bool told = status || status.error().code == ErrorCode::kNotFound ||
                    status.error().code == ErrorCode::kConflict;
  if (told) {
    comparing.done(comparing.result);
  } else {
    comparing.done(AsError(status.error()));
  }
}

}  // namespace catalogd::sync
