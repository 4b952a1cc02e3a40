#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catalog/base/random.h"
#include "catalog/base/result.h"

namespace catalogd::sim {

// What the strategy sees at one scheduling point.
struct Choice {
  const std::vector<int>* runnable;  // Actor numbers, ascending; never empty.
  int current = -1;                  // Who got here; -1 when that actor cannot go on.
  bool may_tick = false;             // Time could move although somebody can run.
};

// Who goes on at each scheduling point. Thread safety: none; one per run.
class Strategy {
 public:
  // Instead of an actor: let time pass to the next deadline.
  static constexpr int kTick = -2;
  virtual ~Strategy() = default;
  virtual int Pick(const Choice& choice) = 0;
};

// Who goes on is drawn, with some preference for whoever runs.
class RandomWalk final : public Strategy {
 public:
  // `stay`: the odds, out of 16, that the running actor goes on without a draw. `tick_one_in`: 0
  // for never.
  RandomWalk(uint64_t seed, uint64_t stay, uint64_t tick_one_in)
      : random_(seed), stay_(stay), tick_one_in_(tick_one_in) {}
  int Pick(const Choice& choice) override;

 private:
  Random random_;
  const uint64_t stay_;
  const uint64_t tick_one_in_;
};

// Probabilistic concurrency testing: random priorities, lowered at `depth - 1` random steps; the
// runnable actor of the highest priority runs. Finds a bug that needs `depth` ordered events with a
// known chance.
class Pct final : public Strategy {
 public:
  Pct(uint64_t seed, int depth, uint64_t expected_steps, uint64_t tick_one_in);
  int Pick(const Choice& choice) override;

 private:
  int64_t& PriorityOf(int actor);

  Random random_;
  const uint64_t tick_one_in_;
  std::vector<uint64_t> change_at_;
  std::vector<int64_t> priorities_;
  uint64_t step_ = 0;
  int64_t lowest_ = 0;
};

// Follows a list of decisions: at point n, actor x instead of the one that runs. Everywhere else
// the running actor goes on, or the first that can. Notes what it could have done otherwise, from
// which the exhaustive search takes its next schedules.
class Directed final : public Strategy {
 public:
  struct Decision {
    uint64_t point = 0;
    int actor = 0;
  };
  // What could have been chosen at a point behind the last decision.
  struct Alternative {
    uint64_t point = 0;
    int actor = 0;
    bool preempts = false;  // The running actor could have gone on.
  };
  Directed(std::vector<Decision> decisions, bool note_alternatives)
      : decisions_(std::move(decisions)), note_alternatives_(note_alternatives) {}
  int Pick(const Choice& choice) override;
  [[nodiscard]] const std::vector<Alternative>& alternatives() const { return alternatives_; }

 private:
  const std::vector<Decision> decisions_;
  const bool note_alternatives_;
  size_t next_ = 0;
  uint64_t point_ = 0;
  std::vector<Alternative> alternatives_;
};

// Passes on what another strategy picks, and remembers where it left Directed's path: the printed
// schedule.
class Recorder final : public Strategy {
 public:
  explicit Recorder(Strategy* inner) : inner_(inner) {}
  int Pick(const Choice& choice) override;
  [[nodiscard]] const std::vector<Directed::Decision>& decisions() const { return decisions_; }

 private:
  Strategy* const inner_;
  uint64_t point_ = 0;
  std::vector<Directed::Decision> decisions_;
};

// "12:3,40:0" and back.
std::string FormatDecisions(const std::vector<Directed::Decision>& decisions);
Result<std::vector<Directed::Decision>> ParseDecisions(const std::string& text);

}  // namespace catalogd::sim
