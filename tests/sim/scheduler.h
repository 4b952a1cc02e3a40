#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/random.h"
#include "catalog/base/scheduler_hook.h"
#include "tests/sim/strategy.h"

namespace catalogd::sim {

// How many places there are at which another actor may go on.
enum class Grain {
  kCalls,    // Calls of the metastore, tasks, waits.
  kLocks,    // Also before every mutex is taken.
  kUnlocks,  // Also after it is given back.
};

// Why a run ended.
enum class RunEnd { kFinished, kDeadlock, kTooManySteps };

// Runs actors one at a time: each is a real thread, but only the one that holds the baton runs. At
// every lock, wait, call and task the strategy says who goes on. Time is virtual: it moves when
// nobody can run, or when the strategy says so.
//
// Equal strategies give equal runs, step by step; the trace hash shows it.
// Thread safety: actors call it while they run; everything else belongs to the thread of Run.
class Scheduler final : public SchedulerHook {
 public:
  struct Options {
    Grain grain = Grain::kLocks;
    uint64_t seed = 0;
    uint64_t max_steps = 100000;
    bool print_trace = false;
  };
  Scheduler(const Options& options, Strategy* strategy);
  ~Scheduler() override;

  // Before Run, or from an actor. The body runs once.
  void Spawn(std::string name, std::function<void()> body);
  // Until every actor has returned. After another end than kFinished the actors are stuck for ever,
  // and with them everything that they use: the caller must leave all of it alone.
  RunEnd Run();

  // SchedulerHook.
  void Lock(const void* mutex, bool shared) override;
  void Unlock(const void* mutex, bool shared) override;
  bool Wait(const void* condition, const void* mutex, TimePoint deadline) override;
  void Notify(const void* condition, bool all) override;
  void Yield(const char* where) override;

  // For actors: waits until the condition holds, which is looked at by whoever runs and must take
  // no lock. False when the deadline came first.
  bool Await(const char* where, std::function<bool()> condition,
             TimePoint deadline = TimePoint::max());
  void Sleep(Duration how_long);
  // Of the running actor: its draws do not depend on the others.
  Random& random();

  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] uint64_t steps() const { return steps_; }
  [[nodiscard]] uint64_t trace_hash() const { return trace_hash_; }
  // A word for the trace, and into its hash.
  void Note(std::string_view text);
  // Who waits for what, who holds what.
  [[nodiscard]] std::string Describe() const;
  // Told when an actor makes a call while it holds a mutex.
  void OnBrokenRule(std::function<void(const std::string&)> report) { report_ = std::move(report); }
  // While true, Yield may not switch: what the actor does is one step.
  void SetAtomic(bool atomic) { atomic_ = atomic; }
  // Timers: tasks that are run by an actor once they are due.
  [[nodiscard]] TimePoint NextDeadline() const;

 private:
  struct Actor;
  struct MutexState {
    int holder = -1;  // Exclusive.
    int sharers = 0;
  };
  enum class Waiting { kNothing, kMutex, kCondition, kPredicate };

  void Loop(Actor* actor);
  void Switch(const char* where);
  Actor* PickNext();
  void Collect();
  [[nodiscard]] bool CanRun(const Actor& actor) const;
  [[nodiscard]] bool IsFree(const void* mutex, bool shared) const;
  void Take(const void* mutex, bool shared);
  void Give(const void* mutex, bool shared);
  bool AdvanceTime();
  void End(RunEnd end);
  void Trace(const Actor& actor, const char* where);

  const Options options_;
  Strategy* const strategy_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::vector<int> runnable_;
  Actor* current_actor_ = nullptr;
  std::map<const void*, MutexState> mutexes_;
  TimePoint now_{std::chrono::hours(1)};
  uint64_t steps_ = 0;
  uint64_t trace_hash_ = 0xcbf29ce484222325U;
  uint64_t wait_sequence_ = 0;
  size_t unfinished_ = 0;
  bool running_ = false;
  bool atomic_ = false;
  RunEnd end_ = RunEnd::kFinished;
  std::binary_semaphore ended_{0};
  std::function<void(const std::string&)> report_;
};

// Virtual time.
class SimClock final : public Clock {
 public:
  explicit SimClock(const Scheduler* scheduler) : scheduler_(scheduler) {}
  [[nodiscard]] TimePoint Now() const override { return scheduler_->now(); }
  [[nodiscard]] WallTime WallNow() const override {
    return WallTime(std::chrono::seconds(1795996800)) +
           std::chrono::duration_cast<WallTime::duration>(scheduler_->now().time_since_epoch());
  }

 private:
  const Scheduler* const scheduler_;
};

}  // namespace catalogd::sim
