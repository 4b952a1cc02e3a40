// The part of SyncCore that starts following, notices when the log is not what it was, and keeps
// house. Everything here runs on the supervisor's thread unless said otherwise.
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "catalog/base/utf8.h"
#include "catalog/sync/odd_names.h"
#include "catalog/sync/sync_core.h"
#include "events/event_decoder.h"

namespace catalogd::sync {
namespace {

constexpr Duration kHousekeepingInterval = std::chrono::seconds(1);
constexpr Duration kRetryInterval = std::chrono::seconds(1);
constexpr Duration kCheckInterval = std::chrono::seconds(60);
constexpr Duration kAway = std::chrono::seconds(2);
constexpr Duration kOrderCheckInterval = std::chrono::seconds(10);
// Rows below those of the last look at the order: an event may show that much later than the next.
constexpr int64_t kOrderOverlap = 100;
constexpr Duration kProxyRecheckInterval = std::chrono::seconds(30);

}  // namespace

void SyncCore::RunSupervisor() {
  Duration wait{};
  while (WaitForWork(wait)) wait = SuperviseOnce();
}

Duration SyncCore::SuperviseOnce() {
  std::string reason;
  {
    const MutexLock lock(mutex_);
    reason = resync_reason_;
  }
  if (reason.empty()) {
    Housekeeping();
    return kHousekeepingInterval;
  }
  const Status started = StartFollowing(reason);
  if (started) return pure_proxy_ ? kProxyRecheckInterval : Duration{};
  LOG(WARNING) << "not following the metastore: " << ValidUtf8(started.error().message)
               << "; trying again";
  const MutexLock lock(mutex_);
  not_ready_reason_ = started.error().message;
  return kRetryInterval;
}

void SyncCore::RunReconciler() {
  for (;;) {
    const TimePoint until = clock_->Now() + ReconcileOnce();
    const MutexLock lock(mutex_);
    while (!stopping_ && reconcile_wake_.WaitUntil(mutex_, until)) {
    }
    if (stopping_) return;
  }
}

Duration SyncCore::ReconcileOnce() {
  // While events are not applied, everything looks different.
  if (!following() || processor_.status().state != events::ProcessorState::kActive) {
    return kHousekeepingInterval;
  }
  return reconciler_->RunOnce();
}

// False when the daemon stops. Returns early when something new is to be done.
bool SyncCore::WaitForWork(Duration at_most) {
  const MutexLock lock(mutex_);
  const TimePoint until = clock_->Now() + at_most;
  while (!stopping_ && !poked_ && wake_.WaitUntil(mutex_, until)) {
  }
  poked_ = false;
  return !stopping_;
}

void SyncCore::Poke() {
  const MutexLock lock(mutex_);
  poked_ = true;
  wake_.NotifyAll();
}

Status SyncCore::StartFollowing(const std::string& reason) {
  const TimePoint deadline = context_.CallDeadline();
  ASSIGN_OR_RETURN(PreflightReport report,
                   RunPreflight(metastore_, deadline, options_.payload, options_.authorization));
  {
    const MutexLock lock(mutex_);
    preflight_ = report;
    preflight_at_ = clock_->Now();
  }
  if (!report.exact()) {
    BecomeProxy(report);
    return Ok();
  }
  pure_proxy_ = false;
  context_.fold.generation = report.facts.generation;
  ASSIGN_OR_RETURN(const LogEpoch epoch, ChooseEpoch(report));
  if (epoch != cache_.epoch()) {
    // Before the new epoch: nobody may claim an id of the old log for what the new one says.
    log_.Stop();
    watermark_.Reset(EventId());
    cache_.ForgetAll(epoch, EventId());
    floors_.Reset();
    following_.Reset();
  }
  processor_.SetState(events::ProcessorState::kStarting, reason);
  next_check_ = clock_->Now() + kCheckInterval;
  ASSIGN_OR_RETURN(const EventId ready_at, TakeListing(epoch));
  {
    const MutexLock lock(mutex_);
    if (resync_reason_ == reason) resync_reason_.clear();
    ready_at_ = ready_at;
    not_ready_reason_ = "catching up to event " + std::to_string(ready_at.value());
  }
  processor_.SetState(events::ProcessorState::kActive, "");
  OnWatermark(watermark_.value());
  return Ok();
}

// Another log than last time rises the epoch: another metastore, an id that went back, or another
// event under the id we remember.
Result<LogEpoch> SyncCore::ChooseEpoch(const PreflightReport& report) {
  // What has been seen since the last time counts too. Before the current id is asked for: what is
  // fetched after the answer is above it in the same log, too.
  SaveIdentity();
  StateStore::LogIdentity identity = store_->identity();
  const std::string uuid = report.facts.uuid.value_or("");
  const bool is_seen = IsAnotherLog();
  // SaveIdentity begins the next epoch for what has been seen to be another log.
  if (is_seen && identity.epoch != cache_.epoch()) return BeginEpoch(identity, uuid);
  ASSIGN_OR_RETURN(const EventId current, metastore_->CurrentEventId(context_.CallDeadline()));
  bool another = identity.epoch == LogEpoch() || is_seen;
  another = another || uuid != identity.metastore_uuid || current < identity.last_event;
  if (!another && identity.last_fingerprint != 0) {
    ASSIGN_OR_RETURN(const bool same, RemembersEvent(identity));
    another = !same;
  }
  if (!another) return identity.epoch;
  identity.epoch = identity.epoch.Next();
  return BeginEpoch(identity, uuid);
}

Result<LogEpoch> SyncCore::BeginEpoch(StateStore::LogIdentity identity, const std::string& uuid) {
  identity.metastore_uuid = uuid;
  identity.last_event = EventId();
  identity.last_fingerprint = 0;
  RETURN_IF_ERROR(store_->SaveIdentity(identity));
  LOG(INFO) << "log epoch " << identity.epoch << " begins";
  const MutexLock lock(mutex_);
  new_epoch_ = false;
  return identity.epoch;
}

// True also when the event has been cleaned away: then nothing can be said.
Result<bool> SyncCore::RemembersEvent(const StateStore::LogIdentity& identity) {
  ASSIGN_OR_RETURN(const auto fingerprint, FingerprintAt(identity.last_event));
  return !fingerprint || *fingerprint == identity.last_fingerprint;
}

// Nothing where the log shows no event under this id.
Result<std::optional<uint64_t>> SyncCore::FingerprintAt(EventId id) {
  const EventId before(id.value() - 1);
  ASSIGN_OR_RETURN(const auto rows, metastore_->NextEvents(before, 1, context_.CallDeadline()));
  if (rows.empty() || rows.front().id != id) return std::optional<uint64_t>();
  return std::optional<uint64_t>(events::Fingerprint(rows.front()));
}

// Lists all names between two looks at the current id, installs them as stubs as of the first, and
// starts the log there. The id that makes us ready is the second.
Result<EventId> SyncCore::TakeListing(LogEpoch epoch) {
  // Else the watermark could pass `lo` before the listing is installed, and would have to go back.
  log_.Stop();
  ASSIGN_OR_RETURN(const EventId lo, metastore_->CurrentEventId(context_.CallDeadline()));
  // Before the names: a metastore that is restored while they are read shows another event later.
  std::optional<uint64_t> fingerprint;
  if (lo > EventId()) {
    ASSIGN_OR_RETURN(fingerprint, FingerprintAt(lo));
  }
  std::vector<ObjectName> names;
  odd_databases_.store(false);
  std::vector<std::string> catalogs{std::string(kDefaultCatalog)};
  const auto listed = metastore_->ListCatalogs(context_.CallDeadline());
  if (listed) {
    catalogs = *listed;
  } else if (listed.error().code != ErrorCode::kUnsupported) {
    return AsError(listed.error());
  }
  for (const std::string& catalog : catalogs) {
    ASSIGN_OR_RETURN(const auto databases,
                     metastore_->ListDatabases(catalog, context_.CallDeadline()));
    for (const std::string& db : databases) {
      if (IsOddDatabase(db)) {
        odd_databases_.store(true);
        continue;
      }
      const ObjectName database = ObjectName::Database(catalog, db);
      names.push_back(database);
      const auto tables = metastore_->ListTables(database, context_.CallDeadline());
      if (!tables && tables.error().code == ErrorCode::kNotFound) continue;  // Just dropped.
      if (!tables) return AsError(tables.error());
      for (const std::string& table : *tables) {
        names.push_back(ObjectName::Table(catalog, db, table));
      }
    }
  }
  ASSIGN_OR_RETURN(const EventId hi, metastore_->CurrentEventId(context_.CallDeadline()));
  if (!cache_.InstallListing(epoch, lo, hi, names)) {
    return MakeError(ErrorCode::kConflict,
                     "the listing is older than what is known already; listing again");
  }
  listed_at_.store(lo.value());
  watermark_.Reset(lo);
  // What has been given twice before needs no other listing than this.
  is_unordered_ = is_unordered_ || ShowsAnIdTwice(lo);
  // Later servers give ids out in order, and a gap there means that events are lost.
  int window = options_.log.reread_window;
  if (window == 0 && (context_.fold.generation == hms::Generation::kHive2 || is_unordered_)) {
    window = options_.reread_window;
  }
  log_.StartAt(lo, window, fingerprint);
  LOG(INFO) << "listed " << names.size() << " names as of event " << lo << ", ready at event "
            << hi;
  return hi;
}

// On any thread, without locks but name locks.
void SyncCore::OnWatermark(EventId value) {
  waiter_->OnWatermark(value);
  log_.TrimTo(value);
  if (following()) return;
  {
    const MutexLock lock(mutex_);
    if (!resync_reason_.empty() || value < ready_at_) return;
  }
  Poke();
}

// In this order: a write that still finds us not following has returned before the id is read, so
// the floor is above it.
void SyncCore::BecomeReady() {
  // Events before the log began (again) were told to nobody.
  side_answers_->Clear(StaleReason::kLog);
  {
    const MutexLock lock(mutex_);
    if (!resync_reason_.empty()) return;
    ready_.store(true, std::memory_order_release);
  }
  const auto current = metastore_->CurrentEventId(context_.CallDeadline());
  const MutexLock lock(mutex_);
  if (!resync_reason_.empty()) return;
  if (!current) {
    ready_.store(false, std::memory_order_release);
    return;
  }
  floors_.SetReadyFloor(*current);
  not_ready_reason_.clear();
  counters_.resyncs.fetch_add(1, std::memory_order_relaxed);
  LOG(INFO) << "ready at event " << watermark_.value();
}

// Until BecomeReady nothing is answered from the cache. A resync is wanted for `reason`.
void SyncCore::StopServing(const std::string& reason) {
  {
    const MutexLock lock(mutex_);
    resync_reason_ = reason;
    not_ready_reason_ = reason;
    ready_.store(false, std::memory_order_release);
    floors_.SetReadyFloor(Floors::kNever);
  }
  side_answers_->Clear(StaleReason::kLog);
  waiter_->CancelAll(reason);
}

void SyncCore::BecomeProxy(const PreflightReport& report) {
  StopServing(report.reason());
  if (!pure_proxy_.exchange(true)) LOG(WARNING) << "pure proxy: " << report.reason();
  processor_.SetState(events::ProcessorState::kDisabled, report.reason());
}

void SyncCore::RequestResync(const std::string& reason) {
  StopServing(reason);
  Poke();
}

// On the fetching thread: only notes what is to be done.
void SyncCore::OnCondition(events::LogCondition condition, const std::string& text) {
  LOG(WARNING) << "notification log: " << events::LogConditionName(condition) << ": "
               << ValidUtf8(text);
  if (condition == events::LogCondition::kNormal) return;
  if (condition == events::LogCondition::kWentBack ||
      condition == events::LogCondition::kOtherLog) {
    const MutexLock lock(mutex_);
    new_epoch_ = true;
  }
  RequestResync("notification log: " + std::string(events::LogConditionName(condition)) + ": " +
                text);
}

void SyncCore::ResolveFloorsSoon() { Poke(); }

void SyncCore::ResolveFloors() {
  const Floors::Unresolved marks = floors_.TakeUnresolved();
  if (marks.names.empty() && !marks.all) return;
  const auto current = metastore_->CurrentEventId(context_.CallDeadline());
  if (current) floors_.Resolve(marks, *current);
}

void SyncCore::Housekeeping() {
  const EventId watermark = watermark_.value();
  if (!following()) {
    bool ready = false;
    {
      const MutexLock lock(mutex_);
      ready = resync_reason_.empty() && watermark >= ready_at_;
    }
    if (ready) BecomeReady();
  }
  ResolveFloors();
  floors_.Forget(watermark);
  cache_.CollectTombstones(watermark);
  CheckMetastore();
  CheckOrder();
  if (clock_->Now() >= next_save_) {
    next_save_ = clock_->Now() + std::chrono::seconds(10);
    SaveIdentity();
  }
}

// Another server may stand behind the same address since the last look, or the same with other
// settings. Its log may well continue the ids, so that the log itself does not tell. Whoever was
// away is looked at when it is back.
void SyncCore::CheckMetastore() {
  const TimePoint now = clock_->Now();
  const TimePoint looked = processor_.status().end_began;
  const bool is_away = looked != TimePoint() && now - looked > options_.poll_interval + kAway;
  const bool is_back = was_away_ && !is_away;
  was_away_ = is_away;
  if (now < next_check_ && !is_back) return;
  next_check_ = clock_->Now() + kCheckInterval;
  const auto report =
      RunPreflight(metastore_, context_.CallDeadline(), options_.payload, options_.authorization);
  const std::optional<PreflightReport> known = preflight();
  if (!report || !known) return;
  const std::string uuid = report->facts.uuid.value_or("");
  const std::string before = known->facts.uuid.value_or("");
  // A server that cannot say its uuid just now is no other server.
  if (uuid != before && !uuid.empty() && !before.empty()) {
    MARK("supervisor.other_metastore");
    applier_.OnLogCondition(events::LogCondition::kOtherLog,
                            "this is metastore '" + uuid + "' now, it was '" + before + "'");
  } else if (report->facts.generation != known->facts.generation) {
    RequestResync("the metastore is " + std::string(hms::GenerationName(report->facts.generation)) +
                  " now, it was " + std::string(hms::GenerationName(known->facts.generation)));
  } else if (report->exact() != known->exact()) {
    RequestResync("the metastore's settings have changed: " + report->reason());
  } else {
    const MutexLock lock(mutex_);
    preflight_ = *report;
  }
}

// Without a window an event is lost when its id was given out twice and a later one has been
// fetched meanwhile. One seen twice says that such events may have been lost already: all names are
// read again, and from here on late ids are looked for.
void SyncCore::CheckOrder() {
  if (is_unordered_ || (log_.stats().late == 0 && !LooksUnordered())) return;
  is_unordered_ = true;
  if (context_.fold.generation == hms::Generation::kHive2 || options_.log.reread_window > 0) return;
  MARK("supervisor.unordered");
  applier_.OnLogCondition(events::LogCondition::kUnordered,
                          "one id was given to two events; from here on the last " +
                              std::to_string(options_.reread_window) +
                              " ids are read again with each poll");
}

bool SyncCore::LooksUnordered() {
  if (clock_->Now() < next_order_check_) return false;
  next_order_check_ = clock_->Now() + kOrderCheckInterval;
  return ShowsAnIdTwice(log_.fetched_to());
}

// Two rows of one id that were fetched together show themselves. Where the second always shows
// after the next id was fetched, only reading again tells, now and then: a whole window with each
// fetch is not for servers that keep the order, as 3.1 does on most databases.
bool SyncCore::ShowsAnIdTwice(EventId up_to) {
  if (context_.fold.generation != hms::Generation::kHive3) return false;
  const int64_t from = std::max({up_to.value() - options_.reread_window,
                                 order_checked_to_.value() - kOrderOverlap, int64_t{0}});
  if (from >= up_to.value()) return false;
  const auto rows =
      metastore_->NextEvents(EventId(from), options_.reread_window, context_.CallDeadline());
  if (!rows) return false;
  order_checked_to_ = up_to;
  std::vector<EventId> ids;
  for (const hms::NotificationEvent& row : *rows) ids.push_back(row.id);
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) != ids.end();
}

bool SyncCore::IsAnotherLog() {
  const MutexLock lock(mutex_);
  return new_epoch_;
}

// Also of a position behind which nothing has happened yet.
void SyncCore::SaveIdentity() {
  StateStore::LogIdentity identity = store_->identity();
  if (!cache_.listed() || identity.epoch != cache_.epoch()) return;
  if (IsAnotherLog()) {
    // Its events are not those that readers have seen; who starts next must not take them for
    // these.
    identity.epoch = identity.epoch.Next();
    identity.last_event = EventId();
    identity.last_fingerprint = 0;
    const Status begun = store_->SaveIdentity(identity);
    if (!begun) LOG(WARNING) << begun.error().message;
    return;
  }
  // Of one moment: an id with the content of another event looks like another log ever after.
  const events::NotificationLog::Newest newest = log_.newest();
  // An event that has been cleaned away is remembered as it was.
  const bool differs = newest.fingerprint && *newest.fingerprint != identity.last_fingerprint;
  const bool news =
      newest.id > identity.last_event || (newest.id == identity.last_event && differs);
  if (!news) return;
  identity.last_event = newest.id;
  identity.last_fingerprint = newest.fingerprint.value_or(0);
  const Status saved = store_->SaveIdentity(identity);
  if (!saved) LOG(WARNING) << saved.error().message;
}

}  // namespace catalogd::sync
