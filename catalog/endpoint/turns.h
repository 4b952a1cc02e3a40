#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

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
  // True when the call has begun, and Leave will be called for it.
  using Begin = std::function<bool()>;

  // 0: no limit.
  explicit Turns(size_t at_once) : at_once_(at_once) {}

  // Runs `begin` now, or on the thread of a call of this user that ends. As many wait as there are
  // connections, at the most: each has one call.
  void Enter(const std::string& user, Begin begin);
  // Once for each call that has begun.
  void Leave(const std::string& user);

  [[nodiscard]] size_t waiting() const;

 private:
  struct Line {
    size_t running = 0;
    std::deque<Begin> waiting;
  };

  // What is next in the line of a user whose turn is free; null, and the turn is gone, when nobody.
  Begin Next(const std::string& user);

  const size_t at_once_;
  mutable Mutex mutex_{LockRank::kEndpoint};
  std::unordered_map<std::string, Line> lines_ GUARDED_BY(mutex_);
  size_t waiting_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::endpoint
