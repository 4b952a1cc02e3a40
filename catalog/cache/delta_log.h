#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/cache/snapshot.h"

namespace catalogd::cache {

// One name's change, as commits leave it for those who follow the cache.
struct Delta {
  CatalogVersion version;
  ObjectName name;
  SlotState state = SlotState::kUnknown;
  EventId synced;
  EventId incarnation;
  SnapshotPtr snapshot;
  std::string reason;
  bool partitions_changed = false;  // The set of partitions is another one than before.
  size_t bytes = 0;                 // What is only held for this delta, at most, roughly.
};

// Every commit in catalog-version order, bounded by count and bytes: whoever asks for something
// older gets a gap notice and starts over from a full dump.
// Thread safety: yes. Invariant: replaying all deltas behind a version on the state of that version
// gives the current state.
class DeltaLog {
 public:
  explicit DeltaLog(size_t max_deltas, size_t max_bytes = SIZE_MAX)
      : max_(max_deltas), max_bytes_(max_bytes) {}
  // One commit: all deltas have one version, greater than every version before. Returns what had to
  // go, so that the caller can free it outside its own locks.
  std::deque<Delta> Append(std::vector<Delta> deltas);
  // The state changed by other means than deltas: everything up to `version` is a gap.
  void ForgetTo(CatalogVersion version);
  // At most `limit` deltas with a version > `after`, a commit never split: when the first one alone
  // is longer, it comes whole. Absent: a gap, also when `after` lies ahead of every commit: then it
  // is not one of ours.
  [[nodiscard]] std::optional<std::vector<Delta>> Since(CatalogVersion after, size_t limit) const;
  // The newest ones, newest first.
  [[nodiscard]] std::vector<Delta> Recent(size_t count) const;

  struct Stats {
    size_t deltas = 0;
    size_t bytes = 0;
    CatalogVersion forgotten;  // Whoever asks for this version or a later one meets no gap.
    CatalogVersion newest;
  };
  [[nodiscard]] Stats stats() const;

 private:
  // Takes the oldest commit out.
  void DropFront(std::deque<Delta>* dropped) REQUIRES(mutex_);

  const size_t max_;
  const size_t max_bytes_;
  mutable Mutex mutex_{LockRank::kDeltaLog};
  std::deque<Delta> deltas_ GUARDED_BY(mutex_);
  CatalogVersion forgotten_ GUARDED_BY(mutex_);  // The newest version that was dropped.
  CatalogVersion newest_ GUARDED_BY(mutex_);     // Of all that were ever here, or forgotten.
  size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::cache
