#pragma once

#include <functional>
#include <memory>
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
  [[nodiscard]] size_t running_or_queued() const;

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  void Run(const JobPtr& job);
  Status Attempt(const JobPtr& job, bool* again);
  void Publish(const JobPtr& job, cache::NameGuard guard);
  void Finish(const JobPtr& job, const Status& status);

  SyncContext* const context_;
  const Options options_;
  mutable Mutex mutex_{LockRank::kLoader};
  std::unordered_map<ObjectName, JobPtr> jobs_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::sync
