#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/sync/context.h"

namespace catalogd::sync {

// Reads a table with all its partitions, or a database: content alone, which may be torn.
Result<cache::SnapshotPtr> ReadObject(SyncContext* context, const ObjectName& name);

// Reads objects whose content is not known and publishes them with the event id they are exact for.
//
// Reads of a metastore are not atomic, so a read only counts together with the events around it:
// whatever those do not replace as a whole is read again, a bounded number of times. A read that
// could not be verified is never published.
// Thread safety: yes. One load per name at a time. Locks: no lock while reading; the name lock for
// replay and commit.
class ObjectLoader {
 public:
  struct Options {
    int max_attempts = 4;
    size_t max_queued = 10000;
  };
  ObjectLoader(SyncContext* context, const Options& options);

  using Done = std::function<void(Status)>;
  // Loads a table (with all partitions) or a database, unless it is being loaded already: then
  // joins. `done`, if given, runs after the commit or with the reason why there was none; kNotFound
  // when the name turned out absent (which is published too).
  void Load(const ObjectName& name, Done done);

  // What a comparison with the metastore came to.
  struct Comparison {
    enum class Outcome {
      kEqual,
      kNotCompared,  // Nothing is loaded, or the cache never answers for it.
      kInFlight,     // Events or own writes around it explain any difference.
      kDifferent,
    };
    Outcome outcome = Outcome::kInFlight;
    bool repaired = false;  // What the metastore has was published.
    EventId at;             // The state compared is that after this event.
    std::string text;       // What is different, or why it was not compared.
  };
  using CompareDone = std::function<void(Result<Comparison>)>;
  // Reads the object and compares it with what is published, if there is anything: both are the
  // state after one event, or it is in flight. With `repair`, what differs is published as a load
  // would. `who` stands in the journal.
  void Compare(const ObjectName& name, bool repair, std::string who, CompareDone done);
  [[nodiscard]] size_t running_or_queued() const;

 private:
  struct Job;
  struct Comparing;
  using JobPtr = std::shared_ptr<Job>;
  // False when so many are waiting that this one is refused; null when it has joined another.
  bool Enter(const ObjectName& name, Done* done, JobPtr* job);
  void Run(const JobPtr& job);
  static std::string TriedInVain(const Job& job);
  bool CompareBefore(const JobPtr& job);
  bool CompareLocked(const JobPtr& job, const cache::SlotView& slot, EventId up_to,
                     const std::vector<events::EventPtr>& events);
  void NoteDifference(const JobPtr& job, EventId at);
  Status Attempt(const JobPtr& job, bool* again);
  void Publish(const JobPtr& job, cache::NameGuard guard);
  void Finish(const JobPtr& job, const Status& status);
  static void FinishComparing(const Comparing& comparing, const Status& status);

  SyncContext* const context_;
  const Options options_;
  mutable Mutex mutex_{LockRank::kLoader};
  std::unordered_map<ObjectName, JobPtr> jobs_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::sync
