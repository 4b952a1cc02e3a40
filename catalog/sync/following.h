#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "catalog/cache/snapshot.h"

namespace catalogd::sync {

// Which names are followed at all. Of one that is not, only the existence and the position are
// kept; everything asked about it passes through.
//
// Switched off by the option --sync-disabled, whatever parameters say; else by the table's own
// parameter (catalogd.sync.disabled before impala.disableHmsSync), which also switches it on again
// below a database that is off; else by the database's parameter.
//
// What parameters say is told by whoever sees them: images in events, objects that are loaded. A
// table whose parameters nobody has seen counts as having none.
// Thread safety: yes. Locks: rank kSlot. Asking costs one load while nothing is switched off.
class Following {
 public:
  // "db", "db.table", with * for any text; "db" means its tables too. See CheckPattern.
  explicit Following(std::vector<std::string> patterns = {});
  // kInvalidArgument: why it names nothing.
  static Status CheckPattern(std::string_view pattern);

  // The parameters of the name are these from now on. REQUIRES: the name is locked.
  void Note(const ObjectName& name, cache::SyncSwitch value);
  // Another log: nothing is known of parameters any more.
  void Reset();

  [[nodiscard]] bool Disabled(const ObjectName& name) const;
  // The same if the name's own parameter were `own`.
  [[nodiscard]] bool DisabledWith(const ObjectName& name, cache::SyncSwitch own) const;
  // For people: what switches it off; empty when it is followed.
  [[nodiscard]] std::string Why(const ObjectName& name) const;
  // Names whose own parameter switches following off.
  [[nodiscard]] size_t switched_off() const;
  [[nodiscard]] const std::vector<std::string>& patterns() const { return patterns_; }

 private:
  [[nodiscard]] const std::string* PatternOf(const ObjectName& name) const;
  [[nodiscard]] cache::SyncSwitch SwitchOf(const ObjectName& name) const REQUIRES_SHARED(mutex_);

  const std::vector<std::string> patterns_;
  mutable SharedMutex mutex_{LockRank::kSlot};
  // Only names whose parameters say something.
  std::unordered_map<ObjectName, cache::SyncSwitch> switches_ GUARDED_BY(mutex_);
  std::atomic<size_t> known_{0};  // Their number.
};

}  // namespace catalogd::sync
