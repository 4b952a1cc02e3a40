#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/cache/delta_log.h"
#include "catalog/cache/name_locks.h"
#include "catalog/cache/snapshot.h"

namespace catalogd::cache {

// Where catalog versions come from: never the same twice, also across restarts.
class VersionSource {
 public:
  virtual ~VersionSource() = default;
  virtual CatalogVersion Next() = 0;
};

// The directory of slots: what is known about every name.
//
// Not for: deciding what events mean (catalog/sync), answering clients (catalog/endpoint).
// Thread safety: yes. Locks: rank kCacheDirectory for a pointer copy (readers) or a pointer swap
// (commits); no RPC, no encoding inside.
// Invariants:
//   C1 a slot's synced id and version never go back within an epoch (CHECKed);
//   C2 a commit of several names is seen by readers and lists as one step;
//   C3 a name without a slot counts as absent and synced to the collection floor, never to 0, once
//      its parent has been listed; before that it is unknown;
//   C4 an absent slot stays until the watermark has passed its synced id.
class CatalogCache {
 public:
  CatalogCache(VersionSource* versions, size_t max_deltas);

  [[nodiscard]] SlotView Lookup(const ObjectName& name) const;

  // Publishes all changes with one catalog version. REQUIRES: the guard covers every name.
  // ENSURES: a change whose synced id is below its slot's is left out (and counted).
  CatalogVersion Commit(const NameGuard& guard, std::vector<SlotChange> changes);

  // A listing of the whole metastore was read at `position` (the current id before the listing) and
  // ended at `checks_from`: every listed name is a stub, everything else is absent as of `position`.
  // Used at start and for a new epoch, when no event is being applied.
  void InstallListing(LogEpoch epoch, EventId position, EventId checks_from,
                      const std::vector<ObjectName>& names);
  // Every name becomes unknown at `position`: nothing is answered until a listing is installed.
  void ForgetAll(LogEpoch epoch, EventId position);

  struct Listing {
    bool exact = false;  // False when a name is unknown or nothing has been listed yet.
    std::vector<std::string> names;  // Sorted, of present and stub slots.
  };
  [[nodiscard]] Listing Databases(const std::string& catalog) const;
  [[nodiscard]] Listing Tables(const ObjectName& db) const;
  // Names of a database whose slots exist in any state but absent.
  [[nodiscard]] std::vector<ObjectName> TablesToDrop(const ObjectName& db) const;

  // Removes absent slots with synced <= watermark; the collection floor becomes the watermark.
  void CollectTombstones(EventId watermark);

  [[nodiscard]] LogEpoch epoch() const;
  [[nodiscard]] bool listed() const;

  struct Stats {
    size_t databases = 0;
    size_t tables = 0;
    size_t present = 0;
    size_t stubs = 0;
    size_t unknown = 0;
    size_t absent = 0;
    size_t partitions = 0;
    uint64_t commits = 0;
    uint64_t stale_changes = 0;  // Changes left out because the slot was newer.
    CatalogVersion last_version;
  };
  [[nodiscard]] Stats stats() const;
  [[nodiscard]] const DeltaLog& deltas() const { return deltas_; }

  // Told after every commit, outside all locks, with the names that changed.
  using Observer = std::function<void(const std::vector<ObjectName>&)>;
  void SetObserver(Observer observer);

 private:
  using Slots = std::map<ObjectName, SlotView>;  // Key order: a database, then its tables.

  SlotView MissingView(const ObjectName& name) const REQUIRES_SHARED(mutex_);
  void Publish(SlotChange change, CatalogVersion version, std::vector<Delta>* deltas)
      REQUIRES(mutex_);

  VersionSource* const versions_;
  DeltaLog deltas_;
  Observer observer_;
  mutable SharedMutex mutex_{LockRank::kCacheDirectory};
  std::unordered_map<ObjectName, SlotView> slots_ GUARDED_BY(mutex_);
  // Existing (present, stub) and doubtful (unknown) names per parent; the parent of a database is
  // its catalog with an empty database name.
  struct Children {
    std::set<std::string> existing;
    std::set<std::string> doubtful;
  };
  std::unordered_map<ObjectName, Children> children_ GUARDED_BY(mutex_);
  std::set<std::pair<EventId, ObjectName>> tombstones_ GUARDED_BY(mutex_);
  LogEpoch epoch_ GUARDED_BY(mutex_);
  EventId collection_floor_ GUARDED_BY(mutex_);
  bool listed_ GUARDED_BY(mutex_) = false;
  Stats stats_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::cache
