#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/sync/context.h"
#include "catalog/sync/event_applier.h"
#include "catalog/sync/object_loader.h"
#include "catalog/sync/payload_verifier.h"
#include "catalog/sync/preflight.h"
#include "catalog/sync/read_index.h"
#include "catalog/sync/reconcile.h"
#include "catalog/sync/side_answers.h"
#include "catalog/sync/state_store.h"
#include "catalog/sync/sync_waiter.h"
#include "catalog/sync/version_waiter.h"
#include "events/event_processor.h"

namespace catalogd::sync {

// How reads of a name are answered (option --read-mode, catalogctl read-mode).
enum class ReadMode { kCached, kPassthrough };

struct SyncOptions {
  Duration poll_interval = std::chrono::milliseconds(500);
  Duration call_timeout = std::chrono::seconds(30);
  Duration forward_timeout = std::chrono::seconds(600);  // Of a client's own write.
  Duration ddl_lock_timeout = std::chrono::seconds(60);
  PayloadMode payload = PayloadMode::kTrust;
  Authorization authorization = Authorization::kAuto;
  std::vector<std::string> sync_disabled;  // Patterns of names that are not followed.
  ReadMode read_mode = ReadMode::kCached;
  int event_threads = 1;
  int loader_threads = 4;
  int ddl_threads = 16;
  size_t max_queued_ddls = 1024;
  events::NotificationLog::Options log;
  // Ids that are read again with each poll where ids can come late or twice: Hive 2.3, and later
  // ones once they were seen to do so (3.1 on Derby).
  int reread_window = 1000;
  EventApplier::Options lanes;
  ObjectLoader::Options loader;
  PayloadVerifier::Options verify;  // With PayloadMode::kVerify.
  Reconciler::Options reconcile;
  SideAnswers::Options side_answers;  // Functions: at most for reconcile.database_period.
  size_t max_deltas = 100000;
  size_t max_delta_bytes = cache::CatalogCache::kMaxDeltaBytes;
  size_t journal_entries = 2000;
};

// Where a read of one name stands.
struct ReadPosition {
  cache::SlotView view;
  EventId effective;  // Every event of the name up to it is reflected in `view`.
};

// The state of following, as status, /readyz and every page show it.
struct FollowStatus {
  bool ready = false;       // Cached answers are given.
  bool pure_proxy = false;  // Exactness cannot be shown: everything passes through.
  std::string reason;       // Why not ready, or why a proxy.
  events::ProcessorState state = events::ProcessorState::kDisabled;
  LogEpoch epoch;
  EventId watermark;
  EventId latest_event_id;
  int64_t lag_events = 0;
  double lag_seconds = 0;           // Age of the oldest event not applied; 0 when there is none.
  bool metastore_answered = false;  // It did at least once.
  double metastore_silent_seconds = 0;  // Since it last answered; since the start if it never did.
  size_t pending_events = 0;            // Fetched, waiting to be applied.
  size_t pending_lanes = 0;             // Names they belong to.
  size_t collapsed_lanes = 0;           // Of those: waiting so long that they will be read again.
  size_t lock_waiters = 0;
};

// Where the core's work runs. Null: SyncCore makes thread pools of its own.
struct SyncExecutors {
  Executor* sync = nullptr;    // Event application and continuations.
  Executor* loader = nullptr;  // Reads of objects and of the current id.
  Executor* ddl = nullptr;     // Writes.
};

// Owns the sync core and runs it: start (preflight, listing, following), resync on a new log,
// stop. The one object that endpoint, DDLs, web and service handlers look at.
// Thread safety: yes.
class SyncCore {
 public:
  SyncCore(hms::Metastore* metastore, StateStore* store, const Clock* clock, Timer* timer,
           const SyncOptions& options, const SyncExecutors& executors = {});
  ~SyncCore();

  // Starts the background threads; returns at once. While the metastore is away it is tried again.
  void Start();
  // Stops following and finishes what runs. Idempotent.
  void Stop();
  // One round of the supervisor (start, resync, housekeeping) and how long to wait for the next:
  // what Start's threads call, and the simulator without them. The poller's round is
  // processor().RunOnce().
  Duration SuperviseOnce();
  // The same for one slice of the reconcile pass; does nothing unless the log is being followed.
  Duration ReconcileOnce();

  // The effective position of a name: the watermark is read before the slot, so what is claimed is
  // never more than what is shown.
  [[nodiscard]] ReadPosition Look(const ObjectName& name) const;
  // True when cached answers may be given at all for that name (ready, no proxy, read mode, the
  // name is followed).
  [[nodiscard]] bool Serves(const ObjectName& name) const;
  // The id below which a read of that name must not be answered from the cache.
  [[nodiscard]] EventId FloorOf(const ObjectName& name) const;

  // Events are being applied and cached answers may be given: a write must be brought up.
  [[nodiscard]] bool following() const { return ready_.load(std::memory_order_acquire); }
  // As EventApplier::IsHeldUp.
  [[nodiscard]] bool IsHeldUp(const std::vector<ObjectName>& names, EventId up_to,
                              Duration least) const {
    return applier_.IsHeldUp(names, up_to, least);
  }
  // Names whose last write could not be brought up are looked at again at once.
  void ResolveFloorsSoon();

  // Where reads passed through until now, what they have shown may be above what has been applied:
  // the floor of these names rises to the id that is current after the change.
  void SetReadMode(const std::optional<ObjectName>& name, std::optional<ReadMode> mode);
  [[nodiscard]] std::map<std::string, ReadMode> read_modes() const;  // "" is the daemon's own.
  void Pause(bool paused);

  [[nodiscard]] FollowStatus status() const;
  [[nodiscard]] std::optional<PreflightReport> preflight() const;
  // The event as of which all names were last listed: what was there then has it as incarnation.
  [[nodiscard]] EventId listed_at() const { return EventId(listed_at_.load()); }
  // Starts every slot over, as for a new log (catalogctl reset).
  void RequestResync(const std::string& reason);

  SyncContext& context() { return context_; }
  const SyncContext& context() const { return context_; }
  const SyncOptions& options() const { return options_; }
  cache::CatalogCache& cache() { return cache_; }
  cache::NameLocks& locks() { return *locks_; }
  cache::Watermark& watermark() { return watermark_; }
  events::NotificationLog& log() { return log_; }
  events::EventProcessor& processor() { return processor_; }
  ObjectLoader& loader() { return *loader_; }
  ReadIndex& read_index() { return *read_index_; }
  SyncWaiter& waiter() { return *waiter_; }
  VersionWaiter& version_waiter() { return *version_waiter_; }
  const Reconciler& reconciler() const { return *reconciler_; }
  SideAnswers& side_answers() { return *side_answers_; }
  Floors& floors() { return floors_; }
  [[nodiscard]] const Following& following_of_names() const { return following_; }
  // A list of databases must then come from the metastore (catalog/sync/odd_names.h).
  [[nodiscard]] bool has_odd_databases() const { return odd_databases_.load(); }
  Journal& journal() { return journal_; }
  SyncCounters& counters() { return counters_; }

 private:
  [[nodiscard]] ReadMode ModeOf(const std::optional<ObjectName>& name) const;
  void StoreReadMode(const std::optional<ObjectName>& name, std::optional<ReadMode> mode);
  void UseExecutors(const SyncExecutors& executors);
  void RunSupervisor();
  void RunReconciler();
  bool WaitForWork(Duration at_most);
  void Poke();
  Status StartFollowing(const std::string& reason);
  Result<LogEpoch> ChooseEpoch(const PreflightReport& report);
  Result<LogEpoch> BeginEpoch(StateStore::LogIdentity identity, const std::string& uuid);
  Result<bool> RemembersEvent(const StateStore::LogIdentity& identity);
  Result<std::optional<uint64_t>> FingerprintAt(EventId id);
  Result<EventId> TakeListing(LogEpoch epoch);
  void OnWatermark(EventId value);
  void OnCondition(events::LogCondition condition, const std::string& text);
  void BecomeReady();
  void BecomeProxy(const PreflightReport& report);
  void StopServing(const std::string& reason);
  void ResolveFloors();
  void Housekeeping();
  void SaveIdentity();
  bool IsAnotherLog();
  void CheckMetastore();
  void CheckOrder();
  bool LooksUnordered();
  bool ShowsAnIdTwice(EventId up_to);
  [[nodiscard]] double OldestPendingAge() const;

  hms::Metastore* const metastore_;
  StateStore* const store_;
  const Clock* const clock_;
  Timer* const timer_;
  const SyncOptions options_;

  // In the order in which they are drained: each may still hand work to those behind it.
  std::vector<std::unique_ptr<ThreadPoolExecutor>> pools_;
  cache::CatalogCache cache_;
  std::unique_ptr<cache::NameLocks> locks_;
  cache::Watermark watermark_;
  events::NotificationLog log_;
  Floors floors_;
  Following following_;
  std::atomic<bool> odd_databases_{false};
  Journal journal_;
  SyncCounters counters_;
  SyncContext context_;
  EventApplier applier_;
  events::EventProcessor processor_;
  std::unique_ptr<ObjectLoader> loader_;
  std::unique_ptr<PayloadVerifier> verifier_;
  std::unique_ptr<ReadIndex> read_index_;
  std::unique_ptr<SyncWaiter> waiter_;
  std::unique_ptr<VersionWaiter> version_waiter_;
  std::unique_ptr<Reconciler> reconciler_;
  std::unique_ptr<SideAnswers> side_answers_;

  mutable Mutex mutex_{LockRank::kDaemon};
  CondVar wake_;
  CondVar reconcile_wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool poked_ GUARDED_BY(mutex_) = false;
  std::string resync_reason_ GUARDED_BY(mutex_) = "start";  // Not empty: a resync is wanted.
  bool new_epoch_ GUARDED_BY(mutex_) = false;               // The log is known to be another one.
  std::string not_ready_reason_ GUARDED_BY(mutex_) = "starting";
  EventId ready_at_ GUARDED_BY(mutex_);  // The watermark that makes us ready.
  std::optional<PreflightReport> preflight_ GUARDED_BY(mutex_);
  TimePoint preflight_at_ GUARDED_BY(mutex_);
  const TimePoint started_;
  std::atomic<int64_t> listed_at_{-1};
  std::atomic<bool> ready_{false};
  std::atomic<bool> pure_proxy_{false};
  std::atomic<bool> modes_set_{false};
  std::atomic<ReadMode> default_mode_;
  mutable SharedMutex modes_mutex_{LockRank::kEndpoint};
  std::map<ObjectName, ReadMode> modes_ GUARDED_BY(modes_mutex_);
  TimePoint next_save_;         // Supervisor only.
  TimePoint next_check_;        // Supervisor only.
  bool is_unordered_ = false;   // The log was seen to give an id twice. Supervisor only.
  bool was_away_ = false;       // Supervisor only.
  TimePoint next_order_check_;  // Supervisor only.
  EventId order_checked_to_;    // Supervisor only.
  std::unique_ptr<LoopThread> supervisor_;
  std::unique_ptr<LoopThread> poller_;
  std::unique_ptr<LoopThread> reconcile_loop_;
};

}  // namespace catalogd::sync
