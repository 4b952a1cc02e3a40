#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/scheduler_hook.h"
#include "catalog/coord/ids.h"
#include "catalog/coord/instant.h"

// The rows of a table and of its plans as the store keeps them: what the pure functions of this
// folder read, and make new ones of.
namespace catalogd::coord {

enum class PlanType { kCompact, kLogCompact, kCluster, kClean, kRollback };
enum class PlanState { kRequested, kClaimed, kCommitting, kCompleted, kCancelled, kFailed };
std::string_view PlanTypeName(PlanType type);
std::string_view PlanStateName(PlanState state);

// Requested, claimed or committing: it may still change the table.
bool IsPending(PlanState state);

// What the table's coordination row says.
struct TableRow {
  std::string table_id;  // Of this incarnation; another one after drop and create.
  bool dropped = false;
  Fence newest_fence;            // The last one given to anybody.
  IdVersion id_version;          // Of the last committed transaction.
  bool commit_prepared = false;  // One commit is prepared and not settled; the next one waits.

  friend bool operator==(const TableRow&, const TableRow&) = default;
};

// The right to execute a plan, as long as nobody else gets a newer fence.
struct Claim {
  std::string owner;
  Duration lease{};
  TimePoint deadline;  // Passed: somebody else may take over. It decides nothing else.
  bool cancel_requested = false;

  friend bool operator==(const Claim&, const Claim&) = default;
};

// The one result of a plan. A service makes no time version.
struct Completion {
  Fence fence;
  Instant time;
  IdVersion id_version;

  friend bool operator==(const Completion&, const Completion&) = default;
};

// A data file that an attempt said it would write.
struct AttemptFile {
  Fence fence;
  std::string name;

  friend bool operator==(const AttemptFile&, const AttemptFile&) = default;
};

// One execution of a table service: planned, executed once.
// Thread safety: plain value.
// Invariants: `claim` is there in kClaimed and kCommitting and at no other time; `prepared` in
// kCommitting; `completion` in kCompleted, and it never changes. `fence` only grows.
struct PlanRow {
  PlanId id;
  PlanType type = PlanType::kCompact;
  Instant requested;
  PlanState state = PlanState::kRequested;
  Fence fence;       // The newest that was given for this plan, also when nobody holds it now.
  int attempts = 0;  // Claims given, each with its own fence.
  std::optional<Claim> claim;
  TimePoint next_attempt;  // After a failure: not before this.
  std::string last_error;
  std::vector<AttemptFile> files;
  std::optional<Completion> prepared;
  std::optional<Completion> completion;
  std::optional<Instant> target;     // kRollback: the instant that is undone.
  std::vector<std::string> removes;  // kRollback: the files of its attempts.

  friend bool operator==(const PlanRow&, const PlanRow&) = default;
};

// Files that some attempt announced and that are not part of the result: to be removed, once no
// attempt runs. Of a plan that is not completed, the files of all attempts but the current one.
std::vector<std::string> FilesToRemove(const PlanRow& plan);

}  // namespace catalogd::coord
