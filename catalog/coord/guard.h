#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/plan.h"

// Who may execute a plan: one claim at a time, kept alive by beats, taken over after it expired.
// Each function is one event of the state machine; it reads the rows and the time it is given and
// says what becomes of them. The caller runs it, and stores what it says, in one transaction.
//
// Expiry only makes a takeover possible; the fence decides. A holder whose lease ran out and whom
// nobody replaced may go on (but see `strict_expiry`).
//
// Thread safety: pure functions.
// Invariants: C-I2 to C-I4 of a table (one completion per plan, ids without gaps, fences that only
// rise); tests/unit/coord/guard_model_test.cc explores them.
// Units: `now` is monotonic; wall clocks and the clocks of executors have no say here.
namespace catalogd::coord {

enum class GuardCode {
  kOk,
  kPlanBusy,          // Somebody holds it: `owner`, `remaining`.
  kBackingOff,        // It failed a moment ago: `remaining`.
  kAlreadyCompleted,  // Nothing to do any more; a success for whoever tries again.
  kPlanCancelled,
  kPlanFailed,  // Out of attempts, until somebody resets it.
  kPlanNotFound,
  kFenced,         // Not the newest fence of the plan: nothing was changed.
  kClosed,         // The fence is right and the execution is over.
  kClaimExpired,   // `strict_expiry` only.
  kCancelPending,  // The holder is told with its next beat.
  kNotCancelled,   // An abort that nobody asked for.
  kTooLate,        // It is being committed or is completed.
  kRetryLater,     // A commit of the table is not settled yet.
  kInputGone,      // An input is not live any more, so the plan can never succeed.
  kTableGone,
  kInstantAlive,       // A rollback of what is being executed: `owner`, `remaining`.
  kNothingToRollBack,  // Only planned, or given up already.
  kExternallyClaimed,  // A job outside of catalogd is alive on it.
};
std::string_view GuardCodeName(GuardCode code);

struct GuardOptions {
  Duration lease = std::chrono::seconds(120);  // For claims that ask for none.
  bool strict_expiry = false;                  // An expired holder must not go on.
  int max_attempts = 5;
  Duration backoff = std::chrono::seconds(30);  // Doubled with each attempt, up to the next.
  Duration max_backoff = std::chrono::minutes(30);
};

// The beat of a job outside of catalogd, as its file says it.
struct ExternalBeat {
  Duration age{};         // Below 0: its clock is ahead of ours.
  bool override = false;  // An operator says that it is dead.
};

struct ClaimRequest {
  std::string table_id;
  std::string owner;
  Duration lease{};  // 0: the default one.
  Fence held;        // Of a claim whose answer was lost; 0: none.
  std::optional<ExternalBeat> external;
};

// Who calls after the claim.
struct Holder {
  std::string table_id;
  Fence fence;
};

struct GuardAnswer {
  GuardCode code = GuardCode::kOk;
  Fence fence;
  int attempt = 0;
  bool takeover = false;
  bool cancel_requested = false;
  std::string owner;
  Duration remaining{};
  std::vector<std::string> earlier_files;  // Of attempts before this one: to be removed.
  std::optional<Completion> completion;
  std::string_view warning;  // A literal, for people and metrics; empty: none.
};

// One step: the answer, and the rows that change.
struct GuardStep {
  GuardAnswer answer;
  std::optional<TableRow> table;
  std::optional<PlanRow> plan;
};

// "plan 7: PLAN_BUSY: e1 executes it; its lease runs for another 60000 ms" with what to do next.
std::string GuardText(const GuardAnswer& answer, PlanId plan);

// `plan` is nullptr when there is no such plan (all functions).
GuardStep ClaimPlan(const TableRow& table, const PlanRow* plan, const ClaimRequest& request,
                    TimePoint now, const GuardOptions& options);
GuardStep BeatPlan(const TableRow& table, const PlanRow* plan, const Holder& holder, TimePoint now,
                   const GuardOptions& options);
// Names are announced before they are written, so that a later attempt can remove them.
GuardStep RegisterFiles(const TableRow& table, const PlanRow* plan, const Holder& holder,
                        const std::vector<std::string>& names);

struct CompleteRequest {
  Instant time;              // Allotted under the table lock, never given to anybody before.
  bool inputs_alive = true;  // What the conflict check found.
};
// CLAIMED to COMMITTING. OK with a completion means that it was completed before, by this fence.
GuardStep BeginComplete(const TableRow& table, const PlanRow* plan, const Holder& holder,
                        const CompleteRequest& request, TimePoint now, const GuardOptions& options);
// How a prepared commit ended, as the caller found out. Undone: the claim is live again, and the
// id version is given to the next commit.
enum class Settled { kCommitted, kUndone };
// Of a plan that is not COMMITTING: TOO_LATE, nothing changes.
GuardStep SettleComplete(const TableRow& table, const PlanRow& plan, Settled settled);
// Of a plan that has no class (conflict_matrix.h): it makes no id version, so there is nothing to
// prepare and no other commit that it waits for. Its completion names the table's version then.
GuardStep CompleteAtOnce(const TableRow& table, const PlanRow* plan, const Holder& holder,
                         const Instant& time, TimePoint now, const GuardOptions& options);

// The holder says that it ended without a result and that none of its tasks runs any more.
GuardStep FailPlan(const TableRow& table, const PlanRow* plan, const Holder& holder,
                   const std::string& error, TimePoint now, const GuardOptions& options);
// The holder obeys a cancel request.
GuardStep AbortPlan(const TableRow& table, const PlanRow* plan, const Holder& holder);
GuardStep CancelPlan(const TableRow& table, const PlanRow* plan, const std::string& table_id,
                     TimePoint now);
// FAILED to REQUESTED, with all attempts before it.
GuardStep ResetPlan(const TableRow& table, const PlanRow* plan, const std::string& table_id);

// After a start: deadlines do not outlive the process. A claim that was alive gets a full lease
// from the moment on at which it can beat again; an expired one can be taken over at once, and a
// back-off is over.
// REQUIRES: prepared commits are settled.
PlanRow RestoreClaim(PlanRow plan, bool was_alive, TimePoint ready);

// Whether the claim, if there is one, may be taken over: the deadline has passed, not only come.
bool ClaimExpired(const PlanRow& plan, TimePoint now);

}  // namespace catalogd::coord
