#pragma once

#include <atomic>
#include <deque>
#include <set>
#include <string>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/coord/service/coordinator.h"
#include "catalog/sync/sync_core.h"

namespace catalogd::daemon {

// Tells table coordination what becomes of its tables: dropped, renamed, altered, by whomever. It
// follows the cache's changes like any other follower, so it sees nothing before the cache does.
//
// Not for decisions: coordination knows what is its own. What a batch of changes left out (a gap)
// is looked up name by name.
// Thread safety: yes. Locks: rank kDaemon, nothing taken under it. Renames are noted by whoever
// folds events, all else runs on the workers, one look at a time.
// Invariants: a name that the cache does not show counts as gone only when the metastore says so,
// too. A rename is told before anything that the cache shows of either name after it.
class CoordWatch {
 public:
  CoordWatch(sync::SyncCore* core, coord::Coordinator* coordinator,
             coord::TablePublisher* publisher, Executor* workers)
      : core_(core), coordinator_(coordinator), publisher_(publisher), workers_(workers) {}

  // Before the core starts.
  void Start();
  void Stop() { stopping_ = true; }

 private:
  struct Rename {
    ObjectName from;
    ObjectName to;
    CatalogVersion after;  // Everything up to this version was before it.
  };
  void NoteRename(const ObjectName& from, const ObjectName& to);
  void Look();
  void LookAgainLater();
  void LookAtAll();
  void See(const ObjectName& name, cache::SlotState state, const cache::SnapshotPtr& snapshot,
           EventId synced);
  void SeeGone(const ObjectName& name);
  void TakeRenames(std::deque<Rename>* waiting);
  void TellRenames(CatalogVersion up_to);

  sync::SyncCore* const core_;
  coord::Coordinator* const coordinator_;
  coord::TablePublisher* const publisher_;
  Executor* const workers_;
  std::atomic<bool> stopping_{false};

  Mutex mutex_{LockRank::kDaemon};
  std::deque<Rename> noted_ GUARDED_BY(mutex_);

  // Of the one look that runs.
  CatalogVersion position_;
  std::deque<Rename> renames_;
  std::set<ObjectName> doubts_;  // Seemed gone, and the metastore could not be asked.
  bool looked_at_all_ = false;
  LogEpoch looked_in_;
};

}  // namespace catalogd::daemon
