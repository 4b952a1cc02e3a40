#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"

namespace catalogd::coord {

// Calls that wait until something of a table changes, without a thread each.
// Thread safety: yes. Locks: rank kCoordTables, never held while a call is tried.
// Lifetime: executor and timer outlive it; Stop before they end.
class Parking {
 public:
  Parking(Executor* executor, Timer* timer) : executor_(executor), timer_(timer) {}
  ~Parking() { Stop(); }
  Parking(const Parking&) = delete;
  Parking& operator=(const Parking&) = delete;

  // True: it has been answered.
  using Attempt = std::function<bool()>;
  enum class GiveUp { kTimeout, kStopping };
  // Tries at once and after each Wake of `table_id` (of any table, when that is empty), until it is
  // answered, `deadline` passes, or Stop; then `give_up` runs. Exactly one of the two answers.
  void Wait(std::string table_id, TimePoint deadline, Attempt attempt,
            std::function<void(GiveUp)> give_up);
  // Something of the table has changed. Never waits and tries nothing on the calling thread.
  void Wake(const std::string& table_id);
  void Stop();

  [[nodiscard]] size_t waiting() const;

 private:
  struct Call;
  using CallPtr = std::shared_ptr<Call>;
  void Try(const CallPtr& call);
  void End(const CallPtr& call, GiveUp how);
  bool Take(const CallPtr& call);

  Executor* const executor_;
  Timer* const timer_;
  mutable Mutex mutex_{LockRank::kCoordTables};
  std::map<uint64_t, CallPtr> calls_ GUARDED_BY(mutex_);
  uint64_t next_ GUARDED_BY(mutex_) = 1;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace catalogd::coord
