#include "catalog/daemon/coord_publisher.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <memory>
#include <utility>

#include "catalog/base/random.h"
#include "catalog/daemon/table_parameters.h"

namespace catalogd::daemon {
namespace {

using coord::kStateParameter;

constexpr const char* kMethod = "coord_commit";
// Of the state parameter of a scratch view.
constexpr const char* kFirstValue = "first";
constexpr const char* kNextValue = "next";

bool OutcomeUnknown(ErrorCode code) {
  return code == ErrorCode::kUnknownOutcome || code == ErrorCode::kTimedOut ||
         code == ErrorCode::kCorrupt;
}

std::optional<std::string> StateOf(const std::map<std::string, std::string>& parameters) {
  const auto found = parameters.find(std::string(kStateParameter));
  if (found == parameters.end()) return std::nullopt;
  return found->second;
}

tl::unexpected<Error> NotExpected(const ObjectName& table, const std::optional<std::string>& actual,
                                  const std::string& expected) {
  return MakeError(ErrorCode::kConflict,
                   fmt::format("{}: {} is '{}', not '{}'", table.ToString(), kStateParameter,
                               actual.value_or(""), expected));
}

}  // namespace

CoordPublisher::CoordPublisher(sync::SyncCore* core, ddl::DdlExecutor* ddl,
                               hms::Metastore* metastore, const Clock* clock, Executor* workers)
    : core_(core), ddl_(ddl), metastore_(metastore), clock_(clock), workers_(workers) {}

void CoordPublisher::BeginWrite(const ObjectName& table) {
  const MutexLock lock(mutex_);
  writes_[table] = false;
}

bool CoordPublisher::EndWrite(const ObjectName& table) {
  const MutexLock lock(mutex_);
  const auto found = writes_.find(table);
  const bool altered = found != writes_.end() && found->second;
  if (found != writes_.end()) writes_.erase(found);
  return altered;
}

void CoordPublisher::NoteAltered(const ObjectName& table) {
  const MutexLock lock(mutex_);
  const auto found = writes_.find(table);
  if (found != writes_.end()) found->second = true;
}

void CoordPublisher::UnderWrite(Lock lock, Body body, std::function<void(Result<EventId>)> done) {
  struct Run {
    Body body;
    std::optional<Error> failed;
  };
  const auto run = std::make_shared<Run>(Run{std::move(body), std::nullopt});
  ddl::DdlRequest request;
  request.method = kMethod;
  request.names = {lock.table};
  request.peer = lock.owner;
  request.lock_timeout = lock.timeout;
  request.own = [this, run, table = lock.table](TimePoint deadline) -> Result<ddl::OwnEffect> {
    BeginWrite(table);
    const Status status = run->body(deadline);
    const bool altered = EndWrite(table);
    if (status) return altered ? ddl::OwnEffect::kChanged : ddl::OwnEffect::kNothing;
    run->failed = status.error();
    // Running out of time is told apart from not getting the lock.
    if (OutcomeUnknown(run->failed->code)) run->failed->code = ErrorCode::kUnknownOutcome;
    return AsError(*run->failed);
  };
  ddl_->Submit(std::move(request), [run, done = std::move(done)](Result<ddl::DdlOutcome> outcome) {
    if (run->failed) return done(AsError(*run->failed));
    if (!outcome) return done(AsError(outcome.error()));
    done(outcome->event);
  });
}

void CoordPublisher::UnderLock(Lock lock, std::function<void(Status)> body) {
  // The lock may be granted wherever another one ends: not the place to run anything.
  const auto run = [this, body](Result<cache::NameGuard> granted) {
    if (!granted) {
      workers_->SubmitAlways([body, error = granted.error()] { body(AsError(error)); });
      return;
    }
    const auto guard = std::make_shared<cache::NameGuard>(std::move(*granted));
    workers_->SubmitAlways([body, guard] {
      body(Ok());
      guard->Release();
    });
  };
  cache::NameLocks::Request request;
  request.exclusive = {lock.table};
  request.owner = "coordination: " + lock.owner;
  request.deadline = clock_->Now() + lock.timeout;
  auto guard = core_->locks().Acquire(std::move(request), run);
  if (guard) run(std::move(*guard));
}

Result<coord::PublishedTable> CoordPublisher::Read(const ObjectName& table, TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string bytes, metastore_->ReadTable(table, deadline));
  return coord::PublishedTable{.location = LocationOf(bytes),
                               .parameters = ParametersOf(bytes),
                               .incarnation = IncarnationOf(bytes),
                               .partitioned = IsPartitioned(bytes)};
}

Status CoordPublisher::Publish(const ObjectName& table, const coord::Publication& publication,
                               TimePoint deadline) {
  std::optional<ExpectedValue> expected;
  if (publication.expected) {
    ASSIGN_OR_RETURN(const bool compares, Compares(table, deadline));
    if (compares) expected = {std::string(kStateParameter), *publication.expected};
  }
  ASSIGN_OR_RETURN(const std::string bytes, metastore_->ReadTable(table, deadline));
  const auto actual = StateOf(ParametersOf(bytes));
  if (publication.expected && actual != publication.expected) {
    return NotExpected(table, actual, *publication.expected);
  }
  const std::string next = WithParameters(bytes, publication.parameters, publication.remove);
  return Alter(table, AlterTableCall(table, next, expected), StateOf(publication.parameters),
               deadline);
}

Result<std::string> CoordPublisher::Send(const std::string& message, TimePoint deadline) {
  return metastore_->Forward(message, {}, deadline);
}

// `state`: what the table says when it was done.
Status CoordPublisher::Alter(const ObjectName& table, const std::string& message,
                             const std::optional<std::string>& state, TimePoint deadline) {
  const auto reply = Send(message, deadline);
  if (!reply) {
    Error error = Error(reply.error()).WithContext("alter_table " + table.ToString());
    if (OutcomeUnknown(error.code)) error.code = ErrorCode::kUnknownOutcome;
    return AsError(std::move(error));
  }
  const auto text = ExceptionText(*reply);
  if (!text) {
    NoteAltered(table);
    return Ok();
  }
  if (SaysModified(*text)) return MakeError(ErrorCode::kConflict, *text);
  return JudgeException(table, *text, state, deadline);
}

// A metastore may throw after it has done what it was asked for (a listener that fails): what the
// table says counts.
Status CoordPublisher::JudgeException(const ObjectName& table, const std::string& text,
                                      const std::optional<std::string>& state, TimePoint deadline) {
  const auto now = Read(table, deadline);
  if (!now && now.error().code == ErrorCode::kNotFound) return AsError(now.error());
  const std::string what = fmt::format("alter_table {}: {}", table.ToString(), text);
  if (!now) {
    return MakeError(ErrorCode::kUnknownOutcome,
                     what + "; and whether it was done could not be read: " + now.error().message);
  }
  if (!state || StateOf(now->parameters) != state) return MakeError(ErrorCode::kInternal, what);
  NoteAltered(table);
  return Ok();
}

Result<bool> CoordPublisher::Compares(const ObjectName& table, TimePoint deadline) {
  {
    const MutexLock lock(mutex_);
    if (compares_) return *compares_;
  }
  ASSIGN_OR_RETURN(const bool compares, Probe(Scratch(table), deadline));
  LOG(INFO) << "coordination: the metastore " << (compares ? "compares" : "does not compare")
            << " a parameter before it alters a table";
  const MutexLock lock(mutex_);
  compares_ = compares;
  return compares;
}

ObjectName CoordPublisher::Scratch(const ObjectName& table) {
  const auto now = static_cast<uint64_t>(clock_->WallNow().time_since_epoch().count());
  const uint64_t number = Random(now + scratches_.fetch_add(1)).Next();
  return ObjectName::Table(table.catalog(), table.db(), fmt::format("catalogd_probe_{:x}", number));
}

// It must refuse the wrong value in its own words, and take the right one: 2.3.10 on Derby refuses
// both, the right one by SQL that it cannot run.
Result<bool> CoordPublisher::TryBoth(const ObjectName& scratch, TimePoint deadline) {
  const std::string key(kStateParameter);
  ASSIGN_OR_RETURN(const std::string bytes, metastore_->ReadTable(scratch, deadline));
  const std::string next = WithParameters(bytes, {{key, kNextValue}}, {});
  ASSIGN_OR_RETURN(const std::string wrong,
                   Send(AlterTableCall(scratch, next, ExpectedValue{key, "another"}), deadline));
  const auto refused = ExceptionText(wrong);
  if (!refused || !SaysModified(*refused)) return false;
  ASSIGN_OR_RETURN(const std::string right,
                   Send(AlterTableCall(scratch, next, ExpectedValue{key, kFirstValue}), deadline));
  return !ExceptionText(right).has_value();
}

Result<bool> CoordPublisher::Probe(const ObjectName& scratch, TimePoint deadline) {
  ASSIGN_OR_RETURN(
      const std::string created,
      Send(CreateViewCall(scratch, {{std::string(kStateParameter), kFirstValue}}), deadline));
  if (const auto text = ExceptionText(created)) {
    LOG(WARNING) << "coordination: whether the metastore compares before it alters could not be "
                    "found out, because it refused a view in "
                 << scratch.db() << ": " << *text;
    return false;
  }
  Result<bool> compares = TryBoth(scratch, deadline);
  const auto dropped = Send(DropTableCall(scratch), deadline);
  if (!dropped || ExceptionText(*dropped)) {
    LOG(WARNING) << "coordination: the view " << scratch.ToString()
                 << " could not be dropped; drop it by hand";
  }
  return compares;
}

}  // namespace catalogd::daemon
