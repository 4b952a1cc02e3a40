#pragma once

#include <chrono>

#include "catalog/base/scheduler_hook.h"

// Whether a commit whose publication did not succeed goes round again in the daemon: check against
// the new version, publish anew. The client and its data files are not asked.
// Thread safety: pure functions.
namespace catalogd::coord {

enum class PublishEnd {
  kExpectedDiffers,  // Somebody else published between the check and ours.
  kConflict,         // The check says no: the answer will be the same each time.
  kUnknown,          // The answer is lost: to be found out, never to be sent again.
  kNotOwner,         // Another daemon has the table.
};

enum class RetryVerdict {
  kAgain,        // After `delay`.
  kConflict,     // CONFLICT for the client, who has to run the job again.
  kLockTimeout,  // Rounds or time are used up: LOCK_TIMEOUT, the files stay, try later.
  kSettle,       // COMMIT_STATE_UNKNOWN until the outcome is found.
  kNotOwner,
};

struct RetryOptions {
  int max_rounds = 10;
  Duration total = std::chrono::seconds(30);
  Duration first_delay = std::chrono::milliseconds(50);  // Doubled each round, up to the next.
  Duration max_delay = std::chrono::seconds(1);
};

struct RetryDecision {
  RetryVerdict verdict = RetryVerdict::kAgain;
  Duration delay{};
};

// After `rounds` (1 or more) tries and `elapsed` since the first. `jitter` in [0, 1000) spreads
// the delay over its second half, so that many that failed together do not meet again.
RetryDecision AfterRound(PublishEnd end, int rounds, Duration elapsed, int jitter,
                         const RetryOptions& options);

}  // namespace catalogd::coord
