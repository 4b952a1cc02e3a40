#include "catalog/daemon/operations.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>

#include "catalog/base/utf8.h"
#include "catalog/cache/catalog_cache.h"
#include "catalog/daemon/object_names.h"
#include "catalog/sync/sync_core.h"

namespace catalogd::daemon {
namespace {

// How often a request that came before the daemon was ready looks again.
constexpr auto kReadyLook = std::chrono::milliseconds(20);
constexpr int64_t kLongestWaitMs = 24 * 3600 * 1000;

Result<Duration> TimeoutOf(int64_t milliseconds) {
  if (milliseconds < 0 || milliseconds > kLongestWaitMs) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("timeout_ms {}: expected 0 to {}", milliseconds, kLongestWaitMs));
  }
  return Duration(std::chrono::milliseconds(milliseconds));
}

// A name that does not exist may come to exist; a bare number is hardly meant as one.
Status CheckWaited(const cache::CatalogCache& cache, const std::vector<ObjectName>& names) {
  for (const ObjectName& name : names) {
    const std::string text = name.ToString();
    if (text.find_first_not_of("0123456789") != std::string::npos) continue;
    if (cache.Lookup(name).state != cache::SlotState::kAbsent) continue;
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("there is no database {0}; for an event say --event {0}", text));
  }
  return Ok();
}

api::Finding Unreachable(const Error& error) {
  api::Finding finding;
  finding.check = "connection";
  finding.level = "fatal";
  finding.text = error.message;
  finding.advice = "start the metastore, or name another one with --metastore";
  return finding;
}

}  // namespace

struct Operations::WaitJob {
  std::vector<ObjectName> names;
  std::optional<EventId> wanted;
  TimePoint begun;
  TimePoint deadline;
  Done<api::WaitResult> done;
};

Operations::Operations(const ViewSources* sources, hms::Metastore* metastore, Executor* workers,
                       Timer* timer)
    : sources_(sources), metastore_(metastore), workers_(workers), timer_(timer) {}

void Operations::WhenReady(TimePoint deadline, std::function<void(Status)> then) {
  if (stopping_) return then(MakeError(ErrorCode::kCancelled, "the daemon stops"));
  const sync::FollowStatus status = sources_->core->status();
  if (status.ready) return then(Ok());
  if (status.pure_proxy) {
    return then(MakeError(ErrorCode::kInvalidState,
                          "every read passes through to the metastore, so there is nothing to wait "
                          "for: " +
                              status.reason));
  }
  const TimePoint now = sources_->clock->Now();
  if (now >= deadline) {
    return then(MakeError(ErrorCode::kTimedOut, "the daemon is not ready yet: " + status.reason));
  }
  timer_->At(std::min(now + kReadyLook, deadline), [this, deadline, then = std::move(then)] {
    workers_->SubmitAlways([this, deadline, then] { WhenReady(deadline, then); });
  });
}

void Operations::Stop() {
  stopping_ = true;
  sources_->core->waiter().CancelAll("the daemon stops");
  sources_->core->version_waiter().ReleaseAll();
}

void Operations::Wait(const api::WaitRequest& request, Done<api::WaitResult> done) {
  auto job = std::make_shared<WaitJob>();
  job->done = std::move(done);
  const Result<Duration> timeout = TimeoutOf(request.timeout_ms);
  if (!timeout) return job->done(AsError(timeout.error()));
  for (const std::string& text : request.names) {
    auto name = ResolveName(sources_->core, text);
    if (!name) return job->done(AsError(name.error()));
    job->names.push_back(std::move(*name));
  }
  if (request.__isset.event_id) job->wanted = EventId(request.event_id);
  job->begun = sources_->clock->Now();
  job->deadline = job->begun + *timeout;
  WhenReady(job->deadline, [this, job](const Status& ready) {
    if (!ready) return job->done(AsError(ready.error()));
    const Status names = CheckWaited(sources_->core->cache(), job->names);
    if (!names) return job->done(AsError(names.error()));
    AskTarget(job);
  });
}

void Operations::AskTarget(const WaitJobPtr& job) {
  sync::SyncCore* core = sources_->core;
  if (job->wanted && *job->wanted <= core->status().latest_event_id) {
    return WaitForTarget(job, *job->wanted);
  }
  core->read_index().Ask([this, job](const Result<EventId>& current) {
    if (!current) {
      return job->done(
          AsError(Error(current.error()).WithContext("the metastore's current event")));
    }
    if (job->wanted && *job->wanted > *current) {
      return job->done(MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("event {} does not exist yet, the metastore's current one is {}; wait for an "
                      "id that has been seen",
                      job->wanted->value(), current->value())));
    }
    WaitForTarget(job, job->wanted.value_or(*current));
  });
}

void Operations::WaitForTarget(const WaitJobPtr& job, EventId target) {
  sync::SyncCore* core = sources_->core;
  core->processor().Kick();
  core->waiter().Wait(job->names, target, job->deadline, [this, job, target](Status status) {
    if (!status) return job->done(AsError(std::move(status).error()));
    api::WaitResult result;
    result.event_id = target.value();
    result.watermark = sources_->core->watermark().value().value();
    result.waited_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(sources_->clock->Now() - job->begun)
            .count();
    job->done(std::move(result));
  });
  // It may have come between Stop's mark and its sweep.
  if (stopping_) core->waiter().CancelAll("the daemon stops");
}

void Operations::Sync(const api::SyncRequest& request, Done<api::ObjectInfo> done) {
  const Result<Duration> timeout = TimeoutOf(request.timeout_ms);
  if (!timeout) return done(AsError(timeout.error()));
  const auto name = ResolveName(sources_->core, request.name);
  if (!name) return done(AsError(name.error()));
  const TimePoint deadline = sources_->clock->Now() + *timeout;
  // The load and the deadline race; whoever comes first answers.
  auto answered = std::make_shared<std::atomic<bool>>(false);
  WhenReady(deadline, [this, name = *name, deadline, answered,
                       done = std::move(done)](const Status& ready) {
    if (!ready) return done(AsError(ready.error()));
    const Timer::Handle alarm = timer_->At(deadline, [this, name, answered, done] {
      workers_->SubmitAlways([name, answered, done] {
        if (answered->exchange(true)) return;
        done(MakeError(ErrorCode::kTimedOut,
                       fmt::format("{}: still being loaded; look again with catalogctl get",
                                   name.ToString())));
      });
    });
    sources_->core->loader().Load(name, [this, name, answered, done, alarm](Status loaded) {
      timer_->Cancel(alarm);
      if (answered->exchange(true)) return;
      if (!loaded) return done(AsError(std::move(loaded).error()));
      done(MakeObject(*sources_, name));
    });
  });
}

void Operations::Doctor(const Done<api::DoctorReport>& done) {
  const Status submitted = workers_->Submit([this, done] {
    const TimePoint deadline = sources_->clock->Now() + sources_->core->options().call_timeout;
    const sync::SyncOptions& options = sources_->core->options();
    const auto report =
        sync::RunPreflight(metastore_, deadline, options.payload, options.authorization);
    api::DoctorReport out;
    if (report) {
      out.exact = report->exact();
      out.metastore = MakeMetastore(*sources_, *report);
      out.findings = MakeFindings(*report);
    } else {
      out.metastore = MakeMetastore(*sources_, std::nullopt);
      out.findings.push_back(Unreachable(report.error()));
    }
    done(std::move(out));
  });
  if (!submitted) done(AsError(submitted.error()));
}

Result<api::DaemonStatus> Operations::SetReadMode(const api::ReadModeRequest& request) {
  std::optional<ObjectName> name;
  if (request.__isset.name && !request.name.empty()) {
    ASSIGN_OR_RETURN(name, ResolveName(sources_->core, request.name));
  }
  std::optional<sync::ReadMode> mode;
  if (request.mode == "cached") {
    mode = sync::ReadMode::kCached;
  } else if (request.mode == "passthrough") {
    mode = sync::ReadMode::kPassthrough;
  } else if (request.mode != "default") {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("read mode {}: expected cached, passthrough or default", request.mode));
  }
  LOG(INFO) << "read mode of " << (name ? ValidUtf8(name->ToString()) : "the daemon") << " set to "
            << request.mode;
  sources_->core->SetReadMode(name, mode);
  return MakeStatus(*sources_);
}

Result<api::DaemonStatus> Operations::Reset(const std::string& reason) {
  const sync::FollowStatus status = sources_->core->status();
  if (status.ready && status.state == events::ProcessorState::kDegraded) {
    return MakeError(ErrorCode::kUnavailable,
                     "not reset: the metastore does not answer, and without it nothing could be "
                     "answered any more; try again when it is back (" +
                         status.reason + ")");
  }
  LOG(INFO) << "an operator starts everything over: " << ValidUtf8(reason);
  sources_->core->RequestResync("everything is read again: " +
                                (reason.empty() ? "asked for by an operator" : reason));
  return MakeStatus(*sources_);
}

Result<api::DaemonStatus> Operations::Pause(bool paused) {
  const sync::FollowStatus status = sources_->core->status();
  if (!status.ready) {
    return MakeError(
        ErrorCode::kInvalidState,
        "the log is not being followed, so there is nothing to pause or resume: " + status.reason);
  }
  LOG(INFO) << "following " << (paused ? "paused" : "resumed") << " by an operator";
  sources_->core->Pause(paused);
  return MakeStatus(*sources_);
}

}  // namespace catalogd::daemon
