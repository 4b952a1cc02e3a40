#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "catalog/base/mutex.h"

namespace catalogd::endpoint {

// Lets each user have so many calls at the metastore at the same time; more wait for their turn, so
// that one busy user does not take all threads.
//
// Not the threads themselves and not a limit of connections (thrift/server).
// Thread safety: yes. Locks: nothing is held while a call begins or is refused.
// Invariants: the calls of one user begin in the order in which they came. Whoever has a turn ends
// without another one; calls that free what somebody else holds do not come here.
class Turns {
 public:
  // One call. Of the two functions one runs, once; none when its connection has closed.
  struct Entry {
    uint64_t connection = 0;       // Has one call at a time.
    std::function<bool()> begin;   // True when the call has begun, and Leave will be called for it.
    std::function<void()> refuse;  // It was to wait, and the daemon is stopping.
  };

  // 0: no limit.
  explicit Turns(size_t at_once) : at_once_(at_once) {}

  // Begins the call now, or on the thread of a call of this user that ends. True: it was made to
  // wait. As many wait as there are connections, at the most.
  bool Enter(const std::string& user, Entry entry);
  // Once for each call that has begun.
  void Leave(const std::string& user);
  // The connection has closed: its call, if it waits, is not begun.
  void Forget(uint64_t connection);
  // Refuses all that wait, and from here on all that would have to.
  void Stop();

  [[nodiscard]] size_t waiting() const;

 private:
  struct Line {
    size_t running = 0;
    std::list<Entry> waiting;  // None while a turn is free.
  };
  struct Place {
    Line* line = nullptr;
    std::list<Entry>::iterator entry;
  };
  enum class Entered { kBegins, kWaits, kRefused };

  // Leaves `entry` alone unless it waits.
  Entered TakePlace(const std::string& user, Entry* entry);
  // What is next in the line of a user whose turn is free; nothing to begin, and the turn is gone,
  // when nobody.
  Entry Next(const std::string& user);

  const size_t at_once_;
  mutable Mutex mutex_{LockRank::kEndpoint};
  std::unordered_map<std::string, Line> lines_ GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, Place> places_ GUARDED_BY(mutex_);  // Of all that wait.
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace catalogd::endpoint
