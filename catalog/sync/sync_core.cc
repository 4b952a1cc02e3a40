#include "catalog/sync/sync_core.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

namespace catalogd::sync {
namespace {

ThreadPoolExecutor::Options Pool(const char* name, int threads, size_t queue) {
  return {.name = name, .threads = threads, .max_queue = queue};
}

events::EventProcessor::Options ProcessorOptions(const SyncOptions& options) {
  events::EventProcessor::Options processor;
  processor.poll_interval = options.poll_interval;
  processor.call_timeout = options.call_timeout;
  return processor;
}

// Whatever is not told by events is looked at anew as often as databases are.
SideAnswers::Options SideOptions(const SyncOptions& options) {
  SideAnswers::Options side = options.side_answers;
  side.silent_life = std::min(side.silent_life, options.reconcile.database_period);
  return side;
}

}  // namespace

SyncCore::SyncCore(hms::Metastore* metastore, StateStore* store, const Clock* clock, Timer* timer,
                   const SyncOptions& options, const SyncExecutors& executors)
    : metastore_(metastore),
      store_(store),
      clock_(clock),
      timer_(timer),
      options_(options),
      cache_(store, options.max_deltas, options.max_delta_bytes),
      log_(metastore, clock, options.log),
      following_(options.sync_disabled),
      journal_(options.journal_entries, clock),
      applier_(&context_, options.lanes),
      processor_(&log_, &applier_, clock, ProcessorOptions(options)),
      started_(clock->Now()),
      default_mode_(options.read_mode) {
  context_.metastore = metastore_;
  context_.clock = clock_;
  UseExecutors(executors);
  locks_ = std::make_unique<cache::NameLocks>(context_.executor, timer, clock);
  context_.timer = timer_;
  context_.cache = &cache_;
  context_.locks = locks_.get();
  context_.watermark = &watermark_;
  context_.log = &log_;
  context_.floors = &floors_;
  context_.following = &following_;
  context_.journal = &journal_;
  context_.counters = &counters_;
  context_.odd_databases = &odd_databases_;
  context_.fold.decide.payload = options.payload;
  context_.call_timeout = options.call_timeout;
  side_answers_ = std::make_unique<SideAnswers>(SideOptions(options), clock_,
                                                [this] { return processor_.status().end_began; });
  context_.side_answers = side_answers_.get();
  loader_ = std::make_unique<ObjectLoader>(&context_, options.loader);
  if (options.payload == PayloadMode::kVerify) {
    verifier_ = std::make_unique<PayloadVerifier>(&context_, options.verify);
    context_.verifier = verifier_.get();
  }
  // Asking for the current id blocks, so it must not run where events are applied.
  read_index_ = std::make_unique<ReadIndex>(metastore_, context_.loader_executor, clock_,
                                            options.call_timeout);
  waiter_ = std::make_unique<SyncWaiter>(&cache_, &watermark_, context_.executor, timer_);
  version_waiter_ = std::make_unique<VersionWaiter>(&cache_, context_.executor, timer_);
  reconciler_ = std::make_unique<Reconciler>(&context_, loader_.get(), options.reconcile);
  log_.SetListener(&processor_);
  cache_.SetObserver([this](const std::vector<ObjectName>& names) {
    waiter_->OnCommit(names);
    version_waiter_->OnCommit();
  });
  watermark_.SetObserver([this](EventId value) { OnWatermark(value); });
  applier_.SetRoomHandler([this] { processor_.Kick(); });
  applier_.SetConditionHandler([this](events::LogCondition condition, const std::string& text) {
    OnCondition(condition, text);
  });
}

SyncCore::~SyncCore() { Stop(); }

void SyncCore::UseExecutors(const SyncExecutors& executors) {
  const auto make = [this](Executor* given, const char* name, int threads, size_t queue) {
    if (given != nullptr) return given;
    pools_.push_back(std::make_unique<ThreadPoolExecutor>(Pool(name, threads, queue)));
    return static_cast<Executor*>(pools_.back().get());
  };
  context_.ddl_executor =
      make(executors.ddl, "ddl", options_.ddl_threads, options_.max_queued_ddls);
  context_.loader_executor =
      make(executors.loader, "loader", options_.loader_threads, options_.loader.max_queued);
  context_.executor = make(executors.sync, "sync", options_.event_threads + 1, SIZE_MAX);
}

void SyncCore::Start() {
  processor_.SetState(events::ProcessorState::kStarting,
                      "the metastore is asked each second until it answers");
  supervisor_ = std::make_unique<LoopThread>("supervisor", [this] { RunSupervisor(); });
  poller_ = std::make_unique<LoopThread>("poller", [this] { processor_.Run(); });
  reconcile_loop_ = std::make_unique<LoopThread>("reconcile", [this] { RunReconciler(); });
}

void SyncCore::Stop() {
  {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    wake_.NotifyAll();
    reconcile_wake_.NotifyAll();
  }
  processor_.Stop();
  poller_.reset();
  supervisor_.reset();
  reconcile_loop_.reset();
  waiter_->CancelAll("the daemon is stopping");
  version_waiter_->ReleaseAll();
  for (const auto& pool : pools_) pool->Shutdown();
  SaveIdentity();
}

ReadPosition SyncCore::Look(const ObjectName& name) const {
  ReadPosition position;
  const EventId watermark = watermark_.value();
  position.view = cache_.Lookup(name);
  position.effective = std::max(watermark, position.view.synced);
  return position;
}

EventId SyncCore::FloorOf(const ObjectName& name) const { return floors_.FloorOf(name); }

bool SyncCore::Serves(const ObjectName& name) const {
  if (!following() || following_.Disabled(name)) return false;
  return ModeOf(name) == ReadMode::kCached;
}

// Absent: the daemon's own.
ReadMode SyncCore::ModeOf(const std::optional<ObjectName>& name) const {
  if (name && modes_set_.load(std::memory_order_acquire)) {
    const ReaderLock lock(modes_mutex_);
    for (const ObjectName& part : {*name, name->DatabaseName()}) {
      const auto it = modes_.find(part);
      if (it != modes_.end()) return it->second;
    }
  }
  return default_mode_.load(std::memory_order_relaxed);
}

void SyncCore::SetReadMode(const std::optional<ObjectName>& name, std::optional<ReadMode> mode) {
  if (ModeOf(name) == ReadMode::kCached) {
    StoreReadMode(name, mode);
    return;
  }
  std::vector<ObjectName> names;  // None: all of them.
  if (name) names.push_back(*name);
  // Before, so that nothing is answered from the cache meanwhile; and after it once more, because
  // an id that was asked for in between may be below what has been read since.
  floors_.MarkUnresolved(names);
  StoreReadMode(name, mode);
  floors_.MarkUnresolved(names);
  ResolveFloorsSoon();
}

void SyncCore::StoreReadMode(const std::optional<ObjectName>& name, std::optional<ReadMode> mode) {
  if (!name) {
    default_mode_.store(mode.value_or(options_.read_mode), std::memory_order_relaxed);
    return;
  }
  const WriterLock lock(modes_mutex_);
  if (mode) {
    modes_[*name] = *mode;
  } else {
    modes_.erase(*name);
  }
  modes_set_.store(!modes_.empty(), std::memory_order_release);
}

std::map<std::string, ReadMode> SyncCore::read_modes() const {
  const ReaderLock lock(modes_mutex_);
  std::map<std::string, ReadMode> modes;
  modes[""] = default_mode_.load(std::memory_order_relaxed);
  for (const auto& [name, mode] : modes_) modes[name.ToString()] = mode;
  return modes;
}

void SyncCore::Pause(bool paused) {
  if (!following()) return;
  processor_.SetState(paused ? events::ProcessorState::kPaused : events::ProcessorState::kActive,
                      paused ? "by an operator" : "");
}

std::optional<PreflightReport> SyncCore::preflight() const {
  const MutexLock lock(mutex_);
  return preflight_;
}

FollowStatus SyncCore::status() const {
  FollowStatus status;
  TimePoint answered;
  status.ready = following();
  status.pure_proxy = pure_proxy_.load(std::memory_order_acquire);
  {
    const MutexLock lock(mutex_);
    // Writes are brought up a moment before reads are answered: until the floor is known.
    status.ready = status.ready && not_ready_reason_.empty();
    if (!status.ready) status.reason = not_ready_reason_;
    answered = preflight_at_;
  }
  const events::EventProcessor::Status processor = processor_.status();
  status.state = processor.state;
  if (status.reason.empty()) status.reason = processor.reason;
  status.epoch = cache_.epoch();
  status.watermark = watermark_.value();
  status.latest_event_id = std::max(processor.latest_event_id, status.watermark);
  status.lag_events = status.latest_event_id.value() - status.watermark.value();
  if (status.lag_events > 0) status.lag_seconds = OldestPendingAge();
  answered = std::max(answered, processor.last_success);
  status.metastore_answered = answered != TimePoint{};
  const TimePoint silent_since = status.metastore_answered ? answered : started_;
  status.metastore_silent_seconds =
      std::chrono::duration<double>(clock_->Now() - silent_since).count();
  const EventApplier::Stats lanes = applier_.stats();
  status.pending_events = lanes.events;
  status.pending_lanes = lanes.lanes;
  status.collapsed_lanes = lanes.collapsed;
  status.lock_waiters = locks_->waiting();
  return status;
}

double SyncCore::OldestPendingAge() const {
  const EventId watermark = watermark_.value();
  const int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(clock_->WallNow().time_since_epoch())
          .count();
  int64_t oldest = now;
  for (const events::EventPtr& event : log_.Recent(options_.journal_entries)) {
    if (event->id <= watermark) break;
    oldest = std::min<int64_t>(oldest, event->time);
  }
  return static_cast<double>(std::max<int64_t>(now - oldest, 0));
}

}  // namespace catalogd::sync
