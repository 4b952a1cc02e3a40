#pragma once

#include <memory>
#include <string>

#include "catalog/base/clock.h"
#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "events/event_processor.h"

namespace catalogd::sync {
class SyncCore;
}

namespace catalogd::daemon {

// Writes one log line whenever following enters another state: the metastore went away (and why),
// is back, an operator paused. Looks twice a second; a state shorter than that is not worth a line.
// Thread safety: yes. Lifetime: core and timer outlive it; Stop before the timer is shut down.
class FollowLog {
 public:
  FollowLog(const sync::SyncCore* core, Timer* timer, const Clock* clock);
  ~FollowLog();
  void Start();
  // Idempotent.
  void Stop();
  // One look; what the timer does. The line that was written, empty when nothing changed.
  std::string Look();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace catalogd::daemon
