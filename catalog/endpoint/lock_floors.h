#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/endpoint/call.h"

namespace catalogd::endpoint {

// Which names a metastore lock has just been granted on. Whoever takes a lock to change a table
// (Iceberg, Trino, PyIceberg) reads the table next, compares it with what it knew, and writes: that
// read must not be older than the lock, on whatever connection it comes, or somebody's commit is
// lost.
//
// Thread safety: yes. Invariant: remembers at most `max_waiting` locks that wait.
class LockFloors {
 public:
  explicit LockFloors(size_t max_waiting) : max_waiting_(max_waiting) {}

  struct Granted {
    bool granted = false;
    std::vector<ObjectName> names;
  };
  // After the answer to lock or check_lock; other calls grant nothing. Shared read locks are taken
  // by every query and protect nothing that is read here: they count as not granted.
  Granted OnReply(const Call& call, std::string_view reply);
  [[nodiscard]] size_t waiting() const;

 private:
  std::vector<ObjectName> Forget(int64_t lock_id);
  void Remember(int64_t lock_id, std::vector<ObjectName> names);

  const size_t max_waiting_;
  mutable Mutex mutex_{LockRank::kEndpoint};
  std::unordered_map<int64_t, std::vector<ObjectName>> waiting_ GUARDED_BY(mutex_);
  std::deque<int64_t> order_ GUARDED_BY(mutex_);  // Oldest first; may name forgotten ones.
};

}  // namespace catalogd::endpoint
