#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/sync/sync_core.h"
#include "hms_client/channel.h"

namespace catalogd::ddl {

// What the log says about a write on this server generation: always, sometimes or never an event.
enum class Announced { kAlways, kSometimes, kNever };

// What a write of the daemon's own has done, where it did not fail.
enum class OwnEffect { kNothing, kChanged };

// One write on its way to the metastore.
struct DdlRequest {
  std::string message;  // The client's bytes, forwarded untouched.
  std::string method;   // For texts and the journal.
  hms::Identity identity;
  // Names that change: locked exclusively. Empty: not known; then nothing is locked, and the floor
  // of all names rises to the current id after the write.
  std::vector<ObjectName> names;
  Announced announced = Announced::kAlways;
  std::string peer;  // Client address, for /locks.
  // When set, replaces forwarding: the daemon's own channel (a client with session state there).
  std::function<Result<std::string>(std::string_view message, TimePoint deadline)> forward;
  // A write of the daemon's own: runs in the place of forwarding a message, and calls the metastore
  // as often as it likes, or not at all. The log is missed only where it says that there is
  // something to be seen. kUnknownOutcome when it cannot say.
  std::function<Result<OwnEffect>(TimePoint deadline)> own;
  std::optional<Duration> lock_timeout;  // Instead of --ddl-lock-timeout.
};

struct DdlOutcome {
  std::string reply;  // The metastore's own bytes.
  EventId event;      // The names reflect every event up to it; 0 when not brought up.
  CatalogVersion version;
};

// The one skeleton that every write runs through: lock the names, forward, read the current id,
// bring the names up to it by reading the log, publish, unlock, answer.
//
// Thread safety: yes. No thread is held while a lock is waited for.
// Lifetime: until the core has been stopped; its threads still come here after `done`.
// Errors: kTimedOut (names locked too long: nothing was sent), kResourceExhausted (too many DDLs),
// kUnavailable (nothing was sent), kCancelled (nothing was sent and nothing will be: the daemon is
// stopping), kUnknownOutcome (sent, no answer: the names are unknown now).
// An exception of the metastore is an outcome, not an error; so is the refusal of an alter that
// expects another parameter than the table has, where the metastore itself does not compare.
class DdlExecutor {
 public:
  explicit DdlExecutor(sync::SyncCore* core)
      : DdlExecutor(core, core->options().ddl_lock_timeout) {}
  DdlExecutor(sync::SyncCore* core, Duration lock_timeout)
      : core_(core), lock_timeout_(lock_timeout) {}

  using Done = std::function<void(Result<DdlOutcome>)>;
  // `done` runs exactly once: on a worker, or, where nothing is sent, on the thread that submits or
  // stops.
  void Submit(DdlRequest request, Done done);
  // The daemon is stopping: writes that have not been sent are refused from here on, those that
  // wait for their names at once. What has been sent is brought up and answered.
  void StopSending();
  // Running and waiting ones.
  [[nodiscard]] int64_t in_flight() const { return in_flight_.load(); }

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  bool Enter(const JobPtr& job);
  // True once: whoever gets it sends or refuses the job.
  bool Claim(const JobPtr& job);
  void Refuse(const JobPtr& job);
  void Lock(const JobPtr& job, TimePoint deadline);
  void OnLocked(const JobPtr& job, cache::NameGuard guard);
  void OnRefused(const JobPtr& job, const Error& error);
  void Forward(const JobPtr& job, cache::NameGuard guard);
  static Result<std::string> RunOwn(const JobPtr& job, TimePoint deadline);
  Result<std::string> Send(const Job& job, const std::string& message, TimePoint deadline);
  Result<std::string> SendIfExpected(const Job& job, TimePoint deadline);
  Result<std::string> SendCompared(const Job& job, TimePoint deadline);
  [[nodiscard]] bool MetastoreCompares() const;
  bool MayRead(const Job& job, const ObjectName& table);
  void DropSideAnswers(const Job& job);
  void FinishUnknown(const JobPtr& job, cache::NameGuard guard, Error error);
  void PublishUnknown(const Job& job, const cache::NameGuard& guard);
  void BringUp(const JobPtr& job, cache::NameGuard guard);
  Result<EventId> CurrentId(const Job& job);
  void Relock(const JobPtr& job, std::vector<ObjectName> also);
  void NotBroughtUp(const JobPtr& job, const Error& error);
  void FinishWithReply(const JobPtr& job, EventId event, CatalogVersion version);
  void Finish(const JobPtr& job, Result<DdlOutcome> outcome);
  void Answer(const JobPtr& job, Result<DdlOutcome> outcome);

  sync::SyncCore* const core_;
  const Duration lock_timeout_;
  std::atomic<int64_t> in_flight_{0};
  Mutex mutex_{LockRank::kDdl};
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::unordered_set<JobPtr> unsent_ GUARDED_BY(mutex_);
  // The metastore was seen to fail where it is to compare a parameter.
  std::atomic<bool> comparing_fails_{false};
};

}  // namespace catalogd::ddl
