#include "catalog/daemon/follow_log.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <utility>

#include "catalog/base/utf8.h"
#include "catalog/sync/sync_core.h"

namespace catalogd::daemon {
namespace {

constexpr auto kLook = std::chrono::milliseconds(500);

}  // namespace

struct FollowLog::State : std::enable_shared_from_this<State> {
  const sync::SyncCore* core = nullptr;
  Timer* timer = nullptr;
  const Clock* clock = nullptr;
  Mutex mutex{LockRank::kLeaf};
  bool stopped GUARDED_BY(mutex) = false;
  events::ProcessorState last GUARDED_BY(mutex) = events::ProcessorState::kStarting;

  std::string Look();
  void Arm();
};

std::string FollowLog::State::Look() {
  const sync::FollowStatus status = core->status();
  events::ProcessorState before{};
  {
    const MutexLock lock(mutex);
    before = std::exchange(last, status.state);
    if (stopped || before == status.state) return "";
  }
  std::string line = fmt::format("following: {}, was {}", events::ProcessorStateName(status.state),
                                 events::ProcessorStateName(before));
  if (!status.reason.empty()) line += ": " + ValidUtf8(status.reason);
  if (status.state == events::ProcessorState::kDegraded) {
    line += status.ready ? "; cached reads go on, and following resumes by itself"
                         : "; following begins by itself once the metastore answers";
    LOG(WARNING) << line;
  } else {
    LOG(INFO) << line;
  }
  return line;
}

void FollowLog::State::Arm() {
  timer->At(clock->Now() + kLook, [self = shared_from_this()] {
    {
      const MutexLock lock(self->mutex);
      if (self->stopped) return;
    }
    self->Look();
    self->Arm();
  });
}

FollowLog::FollowLog(const sync::SyncCore* core, Timer* timer, const Clock* clock)
    : state_(std::make_shared<State>()) {
  state_->core = core;
  state_->timer = timer;
  state_->clock = clock;
}

FollowLog::~FollowLog() { Stop(); }

void FollowLog::Start() { state_->Arm(); }

void FollowLog::Stop() {
  const MutexLock lock(state_->mutex);
  state_->stopped = true;
}

std::string FollowLog::Look() { return state_->Look(); }

}  // namespace catalogd::daemon
