#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/coord/guard.h"
#include "catalog/coord/rollback.h"

// Two executors, an operator, a cleaner and a daemon that restarts around one plan: what each of
// them may do next, and what must hold whatever they do. The explorer (guard_model_test.cc) walks
// through all of it breadth-first.
namespace catalogd::coord::testing {

// The guard as it is; mutants override what they break.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual GuardStep Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                          TimePoint now, const GuardOptions& options) const;
  virtual GuardStep Beat(const TableRow& table, const PlanRow& plan, const Holder& holder,
                         TimePoint now, const GuardOptions& options) const;
  virtual GuardStep Register(const TableRow& table, const PlanRow& plan, const Holder& holder,
                             const std::vector<std::string>& names) const;
  virtual GuardStep Prepare(const TableRow& table, const PlanRow& plan, const Holder& holder,
                            const CompleteRequest& request, TimePoint now,
                            const GuardOptions& options) const;
  virtual GuardStep Settle(const TableRow& table, const PlanRow& plan, Settled settled) const;
  virtual GuardStep Fail(const TableRow& table, const PlanRow& plan, const Holder& holder,
                         TimePoint now, const GuardOptions& options) const;
  virtual GuardStep Abort(const TableRow& table, const PlanRow& plan, const Holder& holder) const;
  virtual GuardStep Cancel(const TableRow& table, const PlanRow& plan, TimePoint now) const;
  virtual PlanRow Restore(const PlanRow& plan, bool was_alive, TimePoint ready) const;
  virtual RollbackStep Rollback(const TableRow& table, const PlanRow& target,
                                const RollbackRequest& request, TimePoint now,
                                const GuardOptions& options) const;
};

enum class Op {
  kTick,
  kClaim,
  kClaimHeld,
  kBeat,
  kRegister,
  kPrepare,
  kPrepareGone,
  kFail,
  kAbort,
  kCommit,
  kUndo,
  kCancel,
  kReset,
  kRestart,
  kRollback,
  kDrop,
};

struct Event {
  Op op = Op::kTick;
  char actor = 'S';
  Fence fence;  // Of the caller; any it was ever given, so that late messages are among them.
};
std::string Text(const Event& event);

// A fence that was given for the plan, and what the holder has shown of itself since.
struct Grant {
  Fence fence;
  char actor = ' ';
  int last_life = 0;
  bool over = false;  // It failed, was aborted or cancelled, or somebody else got a newer one.
  int files = 0;      // How many it registered.
};

struct World {
  TableRow table;
  PlanRow plan;
  std::optional<PlanRow> rollback;
  int now = 0;
  // What the checker knows by itself, without the guard's rows.
  std::vector<Grant> grants;
  std::vector<Completion> completions;
  int times = 0;  // Completion times given out.
  bool undone = false;

  [[nodiscard]] std::string Key() const;
};

struct Bounds {
  int lease = 2;
  int max_attempts = 2;
  size_t max_grants = 3;  // More attempts than one reset leaves are not looked at.
  bool strict_expiry = false;
  bool drops = false;  // The table may be dropped.
};

// The options and the clock of such a world.
GuardOptions OptionsOf(const Bounds& bounds);
TimePoint TimeOf(int now);

World StartOfWorld();
// What may happen next.
std::vector<Event> EventsOf(const World& world, const Bounds& bounds);

// The world after the event. The guard's answer goes to `answer`; what is broken by it, in words,
// to `broken`, which stays empty if nothing is.
World After(const World& before, const Event& event, const Machine& machine, const Bounds& bounds,
            std::string* broken);

}  // namespace catalogd::coord::testing
