#include "catalog/coord/service/parking.h"

#include <optional>
#include <utility>
#include <vector>

namespace catalogd::coord {

struct Parking::Call {
  uint64_t number = 0;
  std::string table_id;
  Attempt attempt;
  std::function<void(GiveUp)> give_up;
  Timer::Handle timer = 0;
  // One thread tries at a time; what changes meanwhile has it tried once more.
  Mutex mutex{LockRank::kLeaf};
  bool trying GUARDED_BY(mutex) = false;
  bool again GUARDED_BY(mutex) = false;
  bool done GUARDED_BY(mutex) = false;
  std::optional<GiveUp> ended GUARDED_BY(mutex);
};

void Parking::Wait(std::string table_id, TimePoint deadline, Attempt attempt,
                   std::function<void(GiveUp)> give_up) {
  auto call = std::make_shared<Call>();
  call->table_id = std::move(table_id);
  call->attempt = std::move(attempt);
  call->give_up = std::move(give_up);
  bool stopped = false;
  {
    const MutexLock lock(mutex_);
    stopped = stopped_;
    call->number = next_++;
    if (!stopped) calls_[call->number] = call;
  }
  if (stopped) {
    call->give_up(GiveUp::kStopping);
    return;
  }
  // Parked before the first try: what changes in between is not missed.
  Try(call);
  const auto expire = [this, weak = std::weak_ptr<Call>(call)] {
    if (const CallPtr parked = weak.lock()) {
      executor_->SubmitAlways([this, parked] { End(parked, GiveUp::kTimeout); });
    }
  };
  const MutexLock lock(mutex_);
  if (calls_.contains(call->number)) call->timer = timer_->At(deadline, expire);
}

void Parking::Try(const CallPtr& call) {
  {
    const MutexLock lock(call->mutex);
    if (call->done) return;
    if (call->trying) {
      call->again = true;
      return;
    }
    call->trying = true;
  }
  for (bool more = true; more;) {
    const bool answered = call->attempt();
    std::optional<GiveUp> ended;
    {
      const MutexLock lock(call->mutex);
      ended = call->ended;
      more = !answered && !ended && std::exchange(call->again, false);
      if (!more) call->trying = false;
      if (answered || ended) call->done = true;
    }
    if (answered || ended) Take(call);
    if (!answered && ended) call->give_up(*ended);
  }
}

bool Parking::Take(const CallPtr& call) {
  Timer::Handle timer = 0;
  bool taken = false;
  {
    const MutexLock lock(mutex_);
    taken = calls_.erase(call->number) > 0;
    timer = call->timer;
  }
  if (timer != 0) timer_->Cancel(timer);
  return taken;
}

void Parking::End(const CallPtr& call, GiveUp how) {
  {
    const MutexLock lock(call->mutex);
    if (call->done || call->ended) return;
    call->ended = how;
    if (call->trying) return;  // Whoever tries sees it.
    call->done = true;
  }
  Take(call);
  call->give_up(how);
}

void Parking::Wake(const std::string& table_id) {
  std::vector<CallPtr> woken;
  {
    const MutexLock lock(mutex_);
    for (const auto& [number, call] : calls_) {
      if (call->table_id.empty() || call->table_id == table_id) woken.push_back(call);
    }
  }
  for (CallPtr& call : woken) {
    executor_->SubmitAlways([this, call = std::move(call)] { Try(call); });
  }
}

void Parking::Stop() {
  std::map<uint64_t, CallPtr> calls;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    calls = calls_;
  }
  for (const auto& [number, call] : calls) End(call, GiveUp::kStopping);
}

size_t Parking::waiting() const {
  const MutexLock lock(mutex_);
  return calls_.size();
}

}  // namespace catalogd::coord
