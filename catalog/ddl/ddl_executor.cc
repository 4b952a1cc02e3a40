#include "catalog/ddl/ddl_executor.h"

#include <algorithm>
#include <utility>

#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"
#include "catalog/ddl/expected_parameter.h"
#include "catalog/sync/catch_up.h"
#include "catalog/sync/side_answers.h"
#include "thrift/wire/reply.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::ddl {
namespace {

// How often the set of locked names may grow because the log in between touches others.
constexpr int kMaxRelocks = 8;
// Of the log, before a write asks how far behind it is.
constexpr int kBatchesAtOnce = 5;

bool OutcomeUnknown(ErrorCode code) {
  return code == ErrorCode::kUnknownOutcome || code == ErrorCode::kTimedOut ||
         code == ErrorCode::kCorrupt;
}

// Changes its database and none of its tables: these need not wait for it.
bool LeavesTablesAlone(const std::string& method) {
  return method.starts_with("create_database") || method.starts_with("alter_database") ||
         method.ends_with("_function");
}

std::string Describe(const DdlRequest& request) {
  std::string text = request.method;
  for (const ObjectName& name : request.names) text += " " + name.ToString();
  return text;
}

}  // namespace

struct DdlExecutor::Job {
  DdlRequest request;
  Done done;
  std::vector<ObjectName> names;  // Locked now: the request's and those the log made necessary.
  std::string reply;
  bool sent = false;
  bool idle = false;        // A write of the daemon's own that has changed nothing.
  bool saw_events = false;  // Of its names, in any range that was looked at.
  int relocks = 0;
  TimePoint bring_up_deadline;
};

void DdlExecutor::Submit(DdlRequest request, Done done) {
  in_flight_.fetch_add(1);
  core_->counters().ddls.fetch_add(1, std::memory_order_relaxed);
  auto job = std::make_shared<Job>();
  job->request = std::move(request);
  job->done = std::move(done);
  job->names = job->request.names;
  if (!Enter(job)) {
    Refuse(job);
    return;
  }
  Lock(job, core_->context().clock->Now() + job->request.lock_timeout.value_or(lock_timeout_));
}

bool DdlExecutor::Enter(const JobPtr& job) {
  const MutexLock lock(mutex_);
  return !stopping_ && unsent_.insert(job).second;
}

bool DdlExecutor::Claim(const JobPtr& job) {
  const MutexLock lock(mutex_);
  return unsent_.erase(job) > 0;
}

void DdlExecutor::StopSending() {
  std::unordered_set<JobPtr> unsent;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    unsent.swap(unsent_);
  }
  for (const JobPtr& job : unsent) Refuse(job);
}

void DdlExecutor::Refuse(const JobPtr& job) {
  Finish(job, AsError(Error{ErrorCode::kCancelled, "the daemon is stopping"}.WithContext(
                  Describe(job->request) + ": nothing was sent")));
}

void DdlExecutor::Lock(const JobPtr& job, TimePoint deadline) {
  if (job->names.empty()) {
    OnLocked(job, cache::NameGuard());
    return;
  }
  cache::NameLocks::Request request;
  // The log may show that the database was dropped meanwhile: with its tables.
  const bool alone = job->relocks == 0 && LeavesTablesAlone(job->request.method);
  for (const ObjectName& name : job->names) {
    (alone && name.is_database() ? request.alone : request.exclusive).push_back(name);
  }
  request.owner = "ddl " + Describe(job->request) + " from " + job->request.peer;
  request.deadline = deadline;
  auto guard =
      core_->locks().Acquire(std::move(request), [this, job](Result<cache::NameGuard> granted) {
        if (granted) {
          OnLocked(job, std::move(*granted));
        } else {
          OnRefused(job, granted.error());
        }
      });
  if (guard) OnLocked(job, std::move(*guard));
}

void DdlExecutor::OnRefused(const JobPtr& job, const Error& error) {
  if (job->sent) {
    NotBroughtUp(job, error);
    return;
  }
  if (!Claim(job)) return;
  Finish(job, AsError(Error(error).WithContext(Describe(job->request) + ": nothing was sent")));
}

void DdlExecutor::OnLocked(const JobPtr& job, cache::NameGuard guard) {
  auto held = std::make_shared<cache::NameGuard>(std::move(guard));
  Executor& workers = *core_->context().ddl_executor;
  const auto run = [this, job, held] {
    if (job->sent) {
      BringUp(job, std::move(*held));
    } else {
      Forward(job, std::move(*held));
    }
  };
  if (job->sent) {
    workers.SubmitAlways(run);  // The write has happened: it must be brought up.
    return;
  }
  const Status submitted = workers.Submit(run);
  if (submitted) return;
  held->Release();
  if (!Claim(job)) return;
  Finish(job, AsError(Error(submitted.error()).WithContext(Describe(job->request))));
}

void DdlExecutor::Forward(const JobPtr& job, cache::NameGuard guard) {
  if (!Claim(job)) return;
  sync::SyncContext& context = core_->context();
  const DdlRequest& request = job->request;
  const TimePoint deadline = context.clock->Now() + core_->options().forward_timeout;
  Result<std::string> reply = request.own ? RunOwn(job, deadline) : SendIfExpected(*job, deadline);
  if (reply) {
    job->reply = std::move(*reply);
    job->sent = true;
    if (!job->idle) DropSideAnswers(*job);
    job->bring_up_deadline = context.CallDeadline();
    BringUp(job, std::move(guard));
    return;
  }
  Error error = Error(reply.error()).WithContext(Describe(request));
  if (OutcomeUnknown(error.code)) {
    FinishUnknown(job, std::move(guard), std::move(error));
    return;
  }
  guard.Release();
  Finish(job, AsError(std::move(error)));
}

Result<std::string> DdlExecutor::RunOwn(const JobPtr& job, TimePoint deadline) {
  ASSIGN_OR_RETURN(const OwnEffect effect, job->request.own(deadline));
  job->idle = effect == OwnEffect::kNothing;
  return std::string();
}

Result<std::string> DdlExecutor::Send(const Job& job, const std::string& message,
                                      TimePoint deadline) {
  const DdlRequest& request = job.request;
  if (request.forward) return request.forward(message, deadline);
  return core_->context().metastore->Forward(message, request.identity, deadline);
}

bool DdlExecutor::MayRead(const Job& job, const ObjectName& table) {
  const auto report = core_->preflight();
  if (report && !report->reads_per_user) return true;
  std::string arguments;
  wire::Writer out(&arguments);
  out.StringField(1, table.db());
  out.StringField(2, table.table());
  out.Stop();
  const auto reply =
      core_->context().metastore->Forward(wire::EncodeCall("get_table", 1, arguments),
                                          job.request.identity, core_->context().CallDeadline());
  return reply && wire::IsSuccess(*reply);
}

// Compares under the name's lock with a fresh read where the metastore would not. Who writes past
// this daemon is not seen between the read and the write.
Result<std::string> DdlExecutor::SendIfExpected(const Job& job, TimePoint deadline) {
  const std::string& message = job.request.message;
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return Send(job, message, deadline);
  const auto expected = ExpectedIn(
      job.request.method, wire::StructView(std::string_view(message).substr(header->body)));
  if (!expected || MetastoreCompares()) return Send(job, message, deadline);
  // A refusal tells the value: not to somebody whom the metastore would not show the table.
  if (!MayRead(job, expected->table)) return Send(job, message, deadline);
  sync::SyncContext& context = core_->context();
  const auto table = context.metastore->ReadTable(expected->table, context.CallDeadline());
  if (!table && table.error().code != ErrorCode::kNotFound) {
    return MakeError(ErrorCode::kUnavailable,
                     "nothing was sent: the table could not be read to compare its parameter '" +
                         expected->key + "': " + table.error().message);
  }
  const std::string refusal = table ? Refusal(*expected, *table) : "";
  if (refusal.empty()) return SendCompared(job, deadline);  // What is absent the metastore says.
  MARK("ddl.not_expected");
  return RefusalReply(message, refusal);
}

// Hive 2.3.10 compares in SQL that not every database runs; then nothing has been done.
Result<std::string> DdlExecutor::SendCompared(const Job& job, TimePoint deadline) {
  if (!comparing_fails_.load()) {
    auto reply = Send(job, job.request.message, deadline);
    if (!reply || !CouldNotCompare(*reply)) return reply;
    comparing_fails_.store(true);
  }
  return Send(job, WithoutExpectation(job.request.message), deadline);
}

bool DdlExecutor::MetastoreCompares() const {
  const auto report = core_->preflight();
  return report && report->facts.generation == hms::Generation::kHive4;
}

// Also where the log would tell: some writes it never does, and an event can hide under an id that
// was seen before.
void DdlExecutor::DropSideAnswers(const Job& job) {
  sync::SideAnswers* const answers = core_->context().side_answers;
  if (answers == nullptr) return;
  if (!job.names.empty()) {
    answers->Drop(job.names, sync::StaleReason::kOwnWrite);
  } else if (!wire::IsUnknownMethod(job.reply)) {
    answers->Clear(sync::StaleReason::kOwnWrite);
  }
}

// The server may still be working on the request. What it does up to the answer must be seen by
// whoever reads after the answer, so only an id that is asked for after it frees the names.
void DdlExecutor::FinishUnknown(const JobPtr& job, cache::NameGuard guard, Error error) {
  MARK("ddl.unknown_outcome");
  sync::SyncContext& context = core_->context();
  context.counters->unknown_outcomes.fetch_add(1, std::memory_order_relaxed);
  error.code = ErrorCode::kUnknownOutcome;
  error.message +=
      "; the write may or may not have taken effect: read the object before trying again";
  context.floors->Hold(job->names);
  DropSideAnswers(*job);
  PublishUnknown(*job, guard);
  guard.Release();
  Answer(job, AsError(std::move(error)));
  DropSideAnswers(*job);
  // Otherwise becoming ready raises the floor of all names.
  const bool following = core_->following();
  if (following) context.floors->MarkUnresolved(job->names);
  context.floors->LetGo(job->names);
  if (following) core_->ResolveFloorsSoon();
  in_flight_.fetch_sub(1);
}

void DdlExecutor::PublishUnknown(const Job& job, const cache::NameGuard& guard) {
  if (job.names.empty() || !core_->following()) return;
  sync::SyncContext& context = core_->context();
  const LogEpoch epoch = context.cache->epoch();
  const auto current = context.metastore->CurrentEventId(context.CallDeadline());
  if (!current) return;
  sync::PublishUnknown(&context, guard, job.names, *current, "the outcome of a write is unknown",
                       epoch);
}

void DdlExecutor::BringUp(const JobPtr& job, cache::NameGuard guard) {
  sync::SyncContext& context = core_->context();
  if (job->names.empty() && wire::IsUnknownMethod(job->reply)) {
    FinishWithReply(job, {}, {});  // The server has not done anything.
    return;
  }
  const LogEpoch epoch = context.cache->epoch();
  const auto current = CurrentId(*job);
  if (!core_->following()) {
    // No cached answers are given; becoming ready raises the floor of all names above this write.
    guard.Release();
    FinishWithReply(job, {}, {});
    return;
  }
  if (!current) {
    guard.Release();
    NotBroughtUp(job, current.error());
    return;
  }
  if (context.cache->epoch() != epoch) {
    MARK("ddl.old_epoch");
    guard.Release();
    NotBroughtUp(job, Error{ErrorCode::kConflict, "another log began while its id was asked for"});
    return;
  }
  if (job->names.empty()) {
    context.floors->RaiseAll(*current);
    core_->processor().Kick();
    FinishWithReply(job, *current, {});
    return;
  }
  if (MutantOn(Mutant::kUnlockBeforePublish)) guard.Release();
  auto caught_up =
      sync::CatchUp(&context, guard, job->names, *current, job->bring_up_deadline, epoch);
  if (!caught_up) {
    guard.Release();
    NotBroughtUp(job, caught_up.error());
    return;
  }
  job->saw_events = job->saw_events || caught_up->saw_events;
  if (!caught_up->also_lock.empty()) {
    guard.Release();
    Relock(job, std::move(caught_up->also_lock));
    return;
  }
  CatalogVersion version = caught_up->version;
  const bool succeeded = job->request.own ? !job->idle : wire::IsSuccess(job->reply);
  if (!job->saw_events && succeeded && job->request.announced == Announced::kAlways) {
    MARK("ddl.own_event_missing");
    context.counters->ddl_event_missing.fetch_add(1, std::memory_order_relaxed);
    sync::PublishUnknown(&context, guard, job->names, *current,
                         "the log does not show this write's event", epoch);
  }
  if (job->request.announced != Announced::kAlways) {
    version = sync::PublishStubs(&context, guard, job->request.names, *current,
                                 "changed by a write that the log does not describe", epoch);
  }
  guard.Release();
  FinishWithReply(job, *current, version);
}

// Asked for after the answer. Fetching the log up to its end tells it too, and is needed anyway:
// one call instead of two.
Result<EventId> DdlExecutor::CurrentId(const Job& job) {
  sync::SyncContext& context = core_->context();
  if (core_->following() && !job.names.empty()) {
    const auto at_end = context.log->Poll(job.bring_up_deadline, kBatchesAtOnce);
    if (at_end && *at_end) return context.log->fetched_to();
  }
  return context.metastore->CurrentEventId(job.bring_up_deadline);
}

void DdlExecutor::Relock(const JobPtr& job, std::vector<ObjectName> also) {
  if (++job->relocks > kMaxRelocks) {
    NotBroughtUp(job, Error{ErrorCode::kConflict, "the log keeps touching further names"});
    return;
  }
  job->names.insert(job->names.end(), also.begin(), also.end());
  Lock(job, job->bring_up_deadline);
}

void DdlExecutor::NotBroughtUp(const JobPtr& job, const Error& error) {
  MARK("ddl.not_brought_up");
  sync::SyncContext& context = core_->context();
  context.counters->ddl_not_brought_up.fetch_add(1, std::memory_order_relaxed);
  sync::JournalEntry entry;
  entry.type = job->request.method;
  if (!job->names.empty()) entry.name = job->names.front();
  entry.action = "not-brought-up";
  entry.reason = error.ToString();
  entry.by = "ddl";
  context.journal->Add(std::move(entry));
  context.floors->MarkUnresolved(job->names);
  core_->ResolveFloorsSoon();
  FinishWithReply(job, {}, {});
}

void DdlExecutor::FinishWithReply(const JobPtr& job, EventId event, CatalogVersion version) {
  DdlOutcome outcome;
  outcome.reply = std::move(job->reply);
  outcome.event = event;
  outcome.version = version;
  Finish(job, std::move(outcome));
}

void DdlExecutor::Finish(const JobPtr& job, Result<DdlOutcome> outcome) {
  Answer(job, std::move(outcome));
  in_flight_.fetch_sub(1);
}

void DdlExecutor::Answer(const JobPtr& job, Result<DdlOutcome> outcome) {
  if (!outcome) core_->counters().ddl_failures.fetch_add(1, std::memory_order_relaxed);
  job->done(std::move(outcome));
}

}  // namespace catalogd::ddl
