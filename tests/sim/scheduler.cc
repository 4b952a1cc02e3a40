#include "tests/sim/scheduler.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace catalogd::sim {

struct Scheduler::Actor {
  explicit Actor(uint64_t seed) : random(seed) {}

  int number = 0;
  std::string name;
  std::function<void()> body;
  Random random;
  std::binary_semaphore baton{0};
  std::thread thread;
  bool finished = false;

  // What it waits for before it can run.
  Waiting waiting = Waiting::kNothing;
  const void* mutex = nullptr;
  bool shared = false;
  const void* condition = nullptr;
  bool notified = false;
  uint64_t since = 0;  // Order among the waiters of a condition.
  std::function<bool()> predicate;
  TimePoint deadline = TimePoint::max();
  const char* where = "start";
  std::vector<const void*> held;
};

Scheduler::Scheduler(const Options& options, Strategy* strategy)
    : options_(options), strategy_(strategy) {}

Scheduler::~Scheduler() {
  for (const auto& actor : actors_) {
    if (actor->thread.joinable()) actor->thread.join();
  }
}

void Scheduler::Spawn(std::string name, std::function<void()> body) {
  const auto number = actors_.size();
  auto actor = std::make_unique<Actor>(options_.seed * 1000003U + number);
  actor->number = static_cast<int>(number);
  actor->name = std::move(name);
  actor->body = std::move(body);
  Actor* const raw = actor.get();
  actors_.push_back(std::move(actor));
  ++unfinished_;
  raw->thread = std::thread([this, raw] { Loop(raw); });
}

void Scheduler::Loop(Actor* actor) {
  actor->baton.acquire();
  SchedulerHook::SetCurrent(this);
  actor->body();
  SchedulerHook::SetCurrent(nullptr);
  actor->body = nullptr;
  actor->finished = true;
  --unfinished_;
  Actor* const next = PickNext();
  if (next != nullptr) next->baton.release();
}

RunEnd Scheduler::Run() {
  Actor* const first = PickNext();
  if (first != nullptr) first->baton.release();
  ended_.acquire();
  return end_;
}

void Scheduler::End(RunEnd end) {
  end_ = end;
  ended_.release();
}

// Null when the run has ended.
Scheduler::Actor* Scheduler::PickNext() {
  for (;;) {
    if (unfinished_ == 0) {
      End(RunEnd::kFinished);
      return nullptr;
    }
    if (++steps_ > options_.max_steps) {
      End(RunEnd::kTooManySteps);
      return nullptr;
    }
    Collect();
    if (runnable_.empty()) {
      if (AdvanceTime()) continue;
      End(RunEnd::kDeadlock);
      return nullptr;
    }
    int picked = runnable_.front();
    const bool may_tick = NextDeadline() != TimePoint::max();
    if (runnable_.size() > 1 || may_tick) {
      Choice choice;
      choice.runnable = &runnable_;
      choice.may_tick = may_tick;
      if (current_actor_ != nullptr && !current_actor_->finished && CanRun(*current_actor_)) {
        choice.current = current_actor_->number;
      }
      picked = strategy_->Pick(choice);
    }
    if (picked == Strategy::kTick) {
      AdvanceTime();
      continue;
    }
    current_actor_ = actors_[static_cast<size_t>(picked)].get();
    return current_actor_;
  }
}

void Scheduler::Collect() {
  runnable_.clear();
  for (const auto& actor : actors_) {
    if (!actor->finished && CanRun(*actor)) runnable_.push_back(actor->number);
  }
}

bool Scheduler::CanRun(const Actor& actor) const {
  switch (actor.waiting) {
    case Waiting::kNothing:
      return true;
    case Waiting::kMutex:
      return IsFree(actor.mutex, actor.shared);
    case Waiting::kCondition:
      return (actor.notified || actor.deadline <= now_) && IsFree(actor.mutex, false);
    case Waiting::kPredicate:
      return actor.deadline <= now_ || (actor.predicate && actor.predicate());
  }
  return true;
}

bool Scheduler::IsFree(const void* mutex, bool shared) const {
  const auto it = mutexes_.find(mutex);
  if (it == mutexes_.end()) return true;
  return shared && it->second.holder < 0;
}

void Scheduler::Take(const void* mutex, bool shared) {
  MutexState& state = mutexes_[mutex];
  if (shared) {
    ++state.sharers;
  } else {
    state.holder = current_actor_->number;
  }
  current_actor_->held.push_back(mutex);
}

void Scheduler::Give(const void* mutex, bool shared) {
  const auto it = mutexes_.find(mutex);
  if (shared) {
    --it->second.sharers;
  } else {
    it->second.holder = -1;
  }
  if (it->second.holder < 0 && it->second.sharers == 0) mutexes_.erase(it);
  std::vector<const void*>& held = current_actor_->held;
  const auto at = std::find(held.rbegin(), held.rend(), mutex);
  if (at != held.rend()) held.erase(std::next(at).base());
}

// The earliest deadline that somebody waits for and that has not come.
TimePoint Scheduler::NextDeadline() const {
  TimePoint next = TimePoint::max();
  for (const auto& actor : actors_) {
    if (actor->finished || actor->waiting == Waiting::kNothing || actor->deadline <= now_) continue;
    if (actor->waiting == Waiting::kCondition && actor->notified) continue;
    next = std::min(next, actor->deadline);
  }
  return next;
}

bool Scheduler::AdvanceTime() {
  const TimePoint next = NextDeadline();
  if (next == TimePoint::max()) return false;
  now_ = next;
  Note("tick");
  return true;
}

// The running actor gives up the baton; returns when it has it again.
void Scheduler::Switch(const char* where) {
  Actor* const me = current_actor_;
  me->where = where;
  Actor* const next = PickNext();
  if (next != me) {
    if (next != nullptr) next->baton.release();
    me->baton.acquire();  // For ever, when the run has ended.
  }
  me->waiting = Waiting::kNothing;
  me->deadline = TimePoint::max();
  Trace(*me, where);
}

void Scheduler::Trace(const Actor& actor, const char* where) {
  trace_hash_ = (trace_hash_ ^ static_cast<uint64_t>(actor.number)) * 0x100000001b3U;
  for (const char* c = where; *c != '\0'; ++c) {
    trace_hash_ = (trace_hash_ ^ static_cast<unsigned char>(*c)) * 0x100000001b3U;
  }
  if (options_.print_trace) {
    std::printf("%6llu %-12s %s\n", static_cast<unsigned long long>(steps_), actor.name.c_str(),
                where);
  }
}

void Scheduler::Note(std::string_view text) {
  for (const char c : text) {
    trace_hash_ = (trace_hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  if (!options_.print_trace) return;
  const double seconds = std::chrono::duration<double>(now_.time_since_epoch()).count() - 3600;
  std::printf("%6llu %-12s [%.3f s] %.*s\n", static_cast<unsigned long long>(steps_),
              current_actor_ == nullptr ? "-" : current_actor_->name.c_str(), seconds,
              static_cast<int>(text.size()), text.data());
}

void Scheduler::Lock(const void* mutex, bool shared) {
  if ((options_.grain == Grain::kCalls || atomic_) && IsFree(mutex, shared)) {
    Take(mutex, shared);
    return;
  }
  current_actor_->waiting = Waiting::kMutex;
  current_actor_->mutex = mutex;
  current_actor_->shared = shared;
  Switch("lock");
  Take(mutex, shared);
}

void Scheduler::Unlock(const void* mutex, bool shared) {
  Give(mutex, shared);
  if (options_.grain == Grain::kUnlocks && !atomic_) Switch("unlock");
}

bool Scheduler::Wait(const void* condition, const void* mutex, TimePoint deadline) {
  Actor* const me = current_actor_;
  Give(mutex, false);
  me->waiting = Waiting::kCondition;
  me->condition = condition;
  me->mutex = mutex;
  me->notified = false;
  me->since = ++wait_sequence_;
  me->deadline = deadline;
  Switch("wait");
  me->condition = nullptr;
  Take(mutex, false);
  return me->notified;
}

void Scheduler::Notify(const void* condition, bool all) {
  Actor* first = nullptr;
  for (const auto& actor : actors_) {
    if (actor->finished || actor->condition != condition || actor->notified) continue;
    if (all) {
      actor->notified = true;
    } else if (first == nullptr || actor->since < first->since) {
      first = actor.get();
    }
  }
  if (first != nullptr) first->notified = true;
}

void Scheduler::Yield(const char* where) {
  if (!current_actor_->held.empty() && report_) {
    report_(std::string("a mutex is held across: ") + where);
  }
  if (!atomic_) Switch(where);
}

bool Scheduler::Await(const char* where, std::function<bool()> condition, TimePoint deadline) {
  Actor* const me = current_actor_;
  me->predicate = std::move(condition);
  me->waiting = Waiting::kPredicate;
  me->deadline = deadline;
  Switch(where);
  const bool holds = me->predicate && me->predicate();
  me->predicate = nullptr;
  return holds;
}

void Scheduler::Sleep(Duration how_long) { Await("sleep", nullptr, now_ + how_long); }

Random& Scheduler::random() { return current_actor_->random; }

std::string Scheduler::Describe() const {
  std::string text;
  for (const auto& actor : actors_) {
    if (actor->finished) continue;
    text += "  " + actor->name + " at '" + actor->where + "'";
    switch (actor->waiting) {
      case Waiting::kNothing:
        text += ", can run";
        break;
      case Waiting::kMutex:
        text += ", wants a mutex";
        break;
      case Waiting::kCondition:
        text += actor->notified ? ", wants its mutex back" : ", waits for a notification";
        break;
      case Waiting::kPredicate:
        text += ", waits for a condition";
        break;
    }
    if (actor->waiting == Waiting::kMutex) {
      const auto it = mutexes_.find(actor->mutex);
      if (it != mutexes_.end() && it->second.holder >= 0) {
        text += " held by " + actors_[static_cast<size_t>(it->second.holder)]->name;
      }
    }
    if (!actor->held.empty()) text += ", holds " + std::to_string(actor->held.size()) + " mutexes";
    text += "\n";
  }
  return text;
}

}  // namespace catalogd::sim
