#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/guard.h"

// Undoing what a dead attempt left behind. A rollback is a plan of its own, so at most one runs per
// instant; it begins with raising the fence of what it undoes, so that its holder, should it still
// live, cannot commit any more.
// Thread safety: pure functions.
namespace catalogd::coord {

struct RollbackRequest {
  std::string table_id;
  std::string owner;
  Duration lease{};  // 0: the default one.
  // For a new rollback plan: allotted by the caller, unused when there is one already.
  PlanId new_plan;
  Instant new_instant;
};

struct RollbackStep {
  GuardAnswer answer;  // OK: the claim of the rollback plan; `earlier_files` is what it removes.
  std::optional<TableRow> table;
  std::optional<PlanRow> target;
  std::optional<PlanRow> rollback;
};

// `target` as it is now, under the table lock: what an earlier look said does not count.
// `pending` is the rollback plan of the same target that is not completed, or nullptr.
RollbackStep ClaimRollback(const TableRow& table, const PlanRow* target, const PlanRow* pending,
                           const RollbackRequest& request, TimePoint now,
                           const GuardOptions& options);

// The plans of whose attempts nobody is alive: candidates, to be looked at again under the lock.
// One that waits for its first or next attempt is none.
std::vector<PlanId> ExpiredAttempts(std::span<const PlanRow> plans, TimePoint now);

// What became of a file that a clean or a rollback had to remove.
enum class Removal { kRemoved, kMissing, kFailed };
// Whether the job is done: a file that is not there counts as removed, since an earlier attempt at
// the same plan may have been there before.
bool AllGone(std::span<const Removal> removals);

}  // namespace catalogd::coord
