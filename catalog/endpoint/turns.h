#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"

namespace catalogd::endpoint {

// Lets each user have so many calls at the metastore at the same time; more wait for their turn, so
// that one busy user does not take all threads.
//
// Not the threads themselves and not a limit of connections (thrift/server).
// Thread safety: yes. Locks: nothing is held while a call begins.
// Invariants: the calls of one user begin in the order in which they came.
class Turns {
 public:
  // `at_once` 0: no limit. `most_waiting`: of all users together.
  Turns(size_t at_once, size_t most_waiting) : at_once_(at_once), most_waiting_(most_waiting) {}

  // Runs `begin` now, or on the thread of a call of this user that ends. kResourceExhausted, and
  // it is not run, when too many wait.
  Status Enter(const std::string& user, Task begin);
  // Once for each call that has begun.
  void Leave(const std::string& user);

  [[nodiscard]] size_t waiting() const;

 private:
  struct Line {
    size_t running = 0;
    std::deque<Task> waiting;
  };

  const size_t at_once_;
  const size_t most_waiting_;
  mutable Mutex mutex_{LockRank::kEndpoint};
  std::unordered_map<std::string, Line> lines_ GUARDED_BY(mutex_);
  size_t waiting_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::endpoint
