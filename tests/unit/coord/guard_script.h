#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/guard.h"
#include "catalog/coord/rollback.h"

namespace catalogd::coord::testing {

// Runs a script of events against the guard: one table, plan 1, and whoever acts. Each line is
//
//   wait MS               the monotonic clock moves
//   WHO VERB [WORDS] = EXPECTED
//
// with the verbs claim, beat, files, prepare, complete (prepare and commit), fail, abort, rollback
// of executors; cancel, reset of an operator; commit, undo, restart, drop, recreate, lose (a step
// that is computed and never stored), show of the daemon. Words: `plan N`, `held`, `table ID`,
// `gone` (inputs), `age MS` and `override` (a beat of a job outside), names of files.
// Each executor calls with the fence it was given last, as one that knows no better does.
class GuardScript {
 public:
  explicit GuardScript(GuardOptions options = {});
  // Every line whose result is not the expected one.
  std::vector<std::string> Run(std::string_view script);

  GuardOptions options;
  TableRow table;
  std::map<PlanId, PlanRow> plans;
  TimePoint now;

 private:
  struct Line;
  std::string Do(const Line& line);
  std::string Claim(const Line& line);
  std::string Rollback(const Line& line);
  std::string Complete(const Line& line);
  std::string Daemon(const Line& line);
  std::string Store(const GuardStep& step, PlanId id);
  std::string Show(PlanId id) const;
  const PlanRow* Find(PlanId id) const;
  Holder HolderOf(const Line& line) const;

  std::map<std::pair<std::string, PlanId>, Fence> fences_;
  int64_t last_time_ = 0;
};

// "PLAN_BUSY by A for 60000", "OK 5 v1", "OK cancel".
std::string Render(const GuardAnswer& answer);

}  // namespace catalogd::coord::testing
