#include "tests/sim/strategy.h"

#include <algorithm>
#include <charconv>

namespace catalogd::sim {
namespace {

bool Contains(const std::vector<int>& actors, int actor) {
  return std::find(actors.begin(), actors.end(), actor) != actors.end();
}

// Without any decision: whoever runs goes on.
int Default(const Choice& choice) {
  return choice.current >= 0 ? choice.current : choice.runnable->front();
}

}  // namespace

int RandomWalk::Pick(const Choice& choice) {
  if (choice.may_tick && tick_one_in_ > 0 && random_.OneIn(tick_one_in_)) return kTick;
  if (choice.current >= 0 && random_.Below(16) < stay_) return choice.current;
  return (*choice.runnable)[random_.Below(choice.runnable->size())];
}

Pct::Pct(uint64_t seed, int depth, uint64_t expected_steps, uint64_t tick_one_in)
    : random_(seed), tick_one_in_(tick_one_in) {
  for (int i = 1; i < depth; ++i) change_at_.push_back(random_.Below(expected_steps));
}

int64_t& Pct::PriorityOf(int actor) {
  const auto index = static_cast<size_t>(actor);
  while (priorities_.size() <= index) {
    priorities_.push_back(static_cast<int64_t>(random_.Below(uint64_t{1} << 40U)) + 1);
  }
  return priorities_[index];
}

int Pct::Pick(const Choice& choice) {
  ++step_;
  if (choice.may_tick && tick_one_in_ > 0 && random_.OneIn(tick_one_in_)) return kTick;
  int best = choice.runnable->front();
  for (const int actor : *choice.runnable) {
    if (PriorityOf(actor) > PriorityOf(best)) best = actor;
  }
  if (std::find(change_at_.begin(), change_at_.end(), step_) != change_at_.end()) {
    PriorityOf(best) = --lowest_;
    for (const int actor : *choice.runnable) {
      if (PriorityOf(actor) > PriorityOf(best)) best = actor;
    }
  }
  return best;
}

int Directed::Pick(const Choice& choice) {
  const uint64_t point = point_++;
  if (next_ < decisions_.size() && decisions_[next_].point == point) {
    const int actor = decisions_[next_++].actor;
    if (actor == kTick && choice.may_tick) return actor;
    return Contains(*choice.runnable, actor) ? actor : Default(choice);
  }
  const int taken = Default(choice);
  if (note_alternatives_ && next_ == decisions_.size()) {
    for (const int actor : *choice.runnable) {
      if (actor != taken) alternatives_.push_back({point, actor, choice.current >= 0});
    }
  }
  return taken;
}

int Recorder::Pick(const Choice& choice) {
  const uint64_t point = point_++;
  const int taken = inner_->Pick(choice);
  if (taken != Default(choice)) decisions_.push_back({point, taken});
  return taken;
}

std::string FormatDecisions(const std::vector<Directed::Decision>& decisions) {
  std::string text;
  for (const Directed::Decision& decision : decisions) {
    if (!text.empty()) text += ",";
    text += std::to_string(decision.point) + ":" + std::to_string(decision.actor);
  }
  return text;
}

Result<std::vector<Directed::Decision>> ParseDecisions(const std::string& text) {
  std::vector<Directed::Decision> decisions;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    Directed::Decision decision;
    auto parsed = std::from_chars(at, end, decision.point);
    if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ':') break;
    parsed = std::from_chars(parsed.ptr + 1, end, decision.actor);
    if (parsed.ec != std::errc()) break;
    decisions.push_back(decision);
    at = parsed.ptr;
    if (at != end && *at == ',') ++at;
  }
  if (at == end) return decisions;
  return MakeError(ErrorCode::kInvalidArgument,
                   "not a schedule: '" + text + "'; it looks like 3:1,9:0");
}

}  // namespace catalogd::sim
