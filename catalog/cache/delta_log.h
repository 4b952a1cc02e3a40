#pragma once

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
  SnapshotPtr snapshot;
  std::string reason;
};

// Every commit in catalog-version order, bounded by count: whoever asks for something older gets a
// gap notice and starts over from a full dump.
// Thread safety: yes. Invariant: replaying all deltas behind a version on the state of that version
// gives the current state.
class DeltaLog {
 public:
  explicit DeltaLog(size_t max_deltas) : max_(max_deltas) {}
  // One commit: all deltas have one version, greater than every version before. Returns what had to
  // go, so that the caller can free it outside its own locks.
  std::vector<Delta> Append(std::vector<Delta> deltas);
  // The state changed by other means than deltas: everything up to `version` is a gap.
  void ForgetTo(CatalogVersion version);
  // At most `limit` deltas with a version > `after`, a commit never split: when the first one alone
  // is longer, it comes whole. Absent: a gap.
  [[nodiscard]] std::optional<std::vector<Delta>> Since(CatalogVersion after, size_t limit) const;
  // The newest ones, newest first.
  [[nodiscard]] std::vector<Delta> Recent(size_t count) const;

 private:
  const size_t max_;
  mutable Mutex mutex_{LockRank::kDeltaLog};
  std::deque<Delta> deltas_ GUARDED_BY(mutex_);
  CatalogVersion forgotten_ GUARDED_BY(mutex_);  // The newest version that was dropped.
};

}  // namespace catalogd::cache
