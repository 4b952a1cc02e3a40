#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "catalog/base/mutex.h"

namespace catalogd::server {

// How many connections each client address has open, up to a limit.
// Thread safety: yes.
class AddressCounts {
 public:
  // 0: no limit, and nothing is counted.
  explicit AddressCounts(size_t limit) : limit_(limit) {}

  // False when the address has as many as it may have.
  bool Enter(const std::string& address) {
    if (limit_ == 0) return true;
    const MutexLock lock(mutex_);
    size_t& count = counts_[address];
    if (count >= limit_) return false;
    ++count;
    return true;
  }
  // Once for each Enter that was true.
  void Leave(const std::string& address) {
    if (limit_ == 0) return;
    const MutexLock lock(mutex_);
    const auto at = counts_.find(address);
    if (at != counts_.end() && --at->second == 0) counts_.erase(at);
  }

 private:
  const size_t limit_;
  Mutex mutex_{LockRank::kLeaf};
  std::map<std::string, size_t> counts_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::server
