#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/cache/delta_log.h"
#include "catalog/cache/name_locks.h"
#include "catalog/cache/snapshot.h"

namespace catalogd::cache {

class SlotDirectory;  // Internal: slot_directory.h.

// Where catalog versions come from: never the same twice, also across restarts.
class VersionSource {
 public:
  virtual ~VersionSource() = default;
  // Called inside commits, in the order of commits: must not block (no file; reserve ahead).
  virtual CatalogVersion Next() = 0;
};

// The directory of slots: what is known about every name.
//
// Not for: deciding what events mean (catalog/sync), answering clients (catalog/endpoint).
// Thread safety: yes. Locks: rank kCacheDirectory for a pointer copy (readers) or a pointer swap
// (commits); no RPC, no encoding inside.
// Invariants:
//   C1 a name's synced id and version never go back within an epoch, whether it has a slot or not;
//   C2 a commit of several names is seen by readers and lists as one step;
//   C3 a name without a slot counts as absent and synced to the collection floor, never to 0, once
//      its parent has been listed; before that it is unknown;
//   C4 an absent slot stays until the watermark has passed its synced id.
class CatalogCache {
 public:
  static constexpr size_t kMaxDeltaBytes = 128U << 20U;
  CatalogCache(VersionSource* versions, size_t max_deltas, size_t max_delta_bytes = kMaxDeltaBytes);
  ~CatalogCache();

  [[nodiscard]] SlotView Lookup(const ObjectName& name) const;

  // Publishes all changes with one catalog version, in their order. REQUIRES: the guard covers
  // every name; a database's tables are named too when it is dropped. ENSURES: a change whose
  // synced id is below what Lookup says is left out (and counted); an equal one is published: it
  // says more or less about the same moment. When everything is left out, no version is used and
  // the newest one is returned.
  // With `epoch`: nothing is published when the cache is in another one by now.
  CatalogVersion Commit(const NameGuard& guard, std::vector<SlotChange> changes,
                        std::optional<LogEpoch> epoch = std::nullopt);

  // A listing of the whole metastore was read at `position` (the current id before the listing) and
  // ended at `checks_from`: every listed name is a stub, everything else is absent as of
  // `position`. Used at start and for a new epoch, when no event is being applied. Within an
  // epoch, slots that are synced beyond `position` stay as they are. Readers of deltas get a gap:
  // the new state is not in the delta log. REQUIRES: the epoch does not go back.
  // False, and nothing is installed, when `position` lies below the collection floor of the same
  // epoch: then the log went back, and a new epoch is due.
  bool InstallListing(LogEpoch epoch, EventId position, EventId checks_from,
                      const std::vector<ObjectName>& names);
  // Every name becomes unknown at `position` (within an epoch: at its own synced id, if that is
  // greater): nothing is answered until a listing is installed. A gap for readers of deltas.
  void ForgetAll(LogEpoch epoch, EventId position);

  struct Listing {
    bool exact = false;              // False when a name is unknown or nothing has been listed yet.
    std::vector<std::string> names;  // Sorted, of present and stub slots.
  };
  [[nodiscard]] Listing Databases(const std::string& catalog) const;
  [[nodiscard]] Listing Tables(const ObjectName& db) const;
  // Names of a database whose slots exist in any state but absent.
  [[nodiscard]] std::vector<ObjectName> TablesToDrop(const ObjectName& db) const;

  struct NamedSlot {
    ObjectName name;
    SlotView view;
  };
  // Slots as they stand at `version`, absent ones left out.
  struct Page {
    LogEpoch epoch;
    CatalogVersion version;
    bool listed = false;  // False: nothing is known of names without a slot.
    std::vector<NamedSlot> slots;
    std::optional<ObjectName> next;  // Go on behind it; absent: that was all.
  };
  // A dump of everything, page by page: databases of a catalog, then the tables of each, in the
  // order of their names; from the beginning without `after`. At most `limit` slots are looked at.
  // Pages may differ in version; with the deltas behind the version of the first, each taken where
  // it is newer than the slot's, the dump becomes that of one version.
  [[nodiscard]] Page Dump(const std::optional<ObjectName>& after, size_t limit) const;

  // Removes absent slots with synced <= watermark; the collection floor becomes the watermark.
  // Does nothing before a listing, when a missing slot would not count as absent.
  void CollectTombstones(EventId watermark);

  [[nodiscard]] LogEpoch epoch() const;
  // Of the newest commit.
  [[nodiscard]] CatalogVersion last_version() const;
  [[nodiscard]] bool listed() const;

  struct Stats {
    size_t databases = 0;  // Present or stub.
    size_t tables = 0;     // Present or stub.
    size_t present = 0;    // Slots by state, databases and tables.
    size_t stubs = 0;
    size_t unknown = 0;
    size_t absent = 0;
    size_t partitions = 0;  // Of all loaded sets.
    uint64_t commits = 0;
    uint64_t stale_changes = 0;  // Changes left out because the slot was newer.
    CatalogVersion last_version;
  };
  [[nodiscard]] Stats stats() const;
  [[nodiscard]] const DeltaLog& deltas() const { return deltas_; }

  // Told after every commit, outside all locks, with the names that changed; an empty list means
  // all names (a listing was installed, everything was forgotten). REQUIRES: set before the first.
  using Observer = std::function<void(const std::vector<ObjectName>&)>;
  void SetObserver(Observer observer);

 private:
  SlotView ViewOf(const ObjectName& name) const REQUIRES_SHARED(mutex_);
  SlotView MissingView(const ObjectName& name) const REQUIRES_SHARED(mutex_);
  // Returns the incarnation that it now has.
  EventId Publish(const SlotChange& change, const SlotView& before, CatalogVersion version)
      REQUIRES(mutex_);
  // Puts `fresh` in place of the directory; false when it is refused.
  bool Install(LogEpoch epoch, EventId position, EventId checks_from, bool listed,
               std::unique_ptr<SlotDirectory> fresh);
  // Slots of the directory that are synced beyond `position` replace those of `fresh`.
  void KeepNewer(EventId position, bool listed, CatalogVersion version, SlotDirectory* fresh) const
      REQUIRES_SHARED(mutex_);

  VersionSource* const versions_;
  DeltaLog deltas_;
  Observer observer_;
  mutable SharedMutex mutex_{LockRank::kCacheDirectory};
  std::unique_ptr<SlotDirectory> directory_ GUARDED_BY(mutex_);
  LogEpoch epoch_ GUARDED_BY(mutex_);
  EventId collection_floor_ GUARDED_BY(mutex_);
  EventId checks_from_ GUARDED_BY(mutex_);  // Of the newest listing.
  // Of names without a slot: of the newest listing, and of collected ones.
  CatalogVersion missing_reads_from_ GUARDED_BY(mutex_);
  bool listed_ GUARDED_BY(mutex_) = false;
  uint64_t commits_ GUARDED_BY(mutex_) = 0;
  uint64_t stale_changes_ GUARDED_BY(mutex_) = 0;
  CatalogVersion last_version_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::cache
