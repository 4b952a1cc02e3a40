#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catalog/coord/timeline.h"

// Whether a compaction (or a log compaction) is due. Evaluated after each commit and by a timer,
// under the table lock.
// Thread safety: pure functions.
// Units: whole seconds of the table's calendar.
// Source: the trigger strategies of Hudi.
namespace catalogd::coord {

enum class TableType { kMergeOnRead, kCopyOnWrite, kDeltaWithKeys, kDeltaAppend };
std::string_view TableTypeName(TableType type);

enum class TriggerStrategy {
  kNumCommits,                  // Since the last compaction that completed.
  kNumCommitsAfterLastRequest,  // Since the last one that was planned.
  kTimeElapsed,
  kNumAndTime,
  kNumOrTime,
};
std::string_view TriggerStrategyName(TriggerStrategy strategy);

struct TriggerOptions {
  TriggerStrategy strategy = TriggerStrategy::kNumCommits;
  int64_t max_delta_commits = 5;
  int64_t max_delta_seconds = 3600;
};
// Errors: kInvalidArgument for thresholds below 1.
Status CheckTriggerOptions(const TriggerOptions& options);

// What the timeline says about it.
struct TriggerFacts {
  // Completed delta commits that the compaction did not take: those that completed at its instant
  // or later. Pending ones do not count, and log compactions are no commits.
  int64_t commits_since_completed = 0;
  int64_t commits_since_requested = 0;
  // What elapsed time is counted from: the instant of the last completed compaction or, without
  // one, of the first delta commit.
  std::optional<Instant> counted_from;
};
TriggerFacts FactsOf(const Timeline& timeline);

enum class TriggerVerdict { kDue, kNotDue, kInvalidTableType };

struct TriggerDecision {
  TriggerVerdict verdict = TriggerVerdict::kNotDue;
  std::string reason;  // With the numbers: "7 of 100 delta commits since ...".
};

enum class TriggeredBy { kSchedule, kCall };  // The service by itself, or somebody who asks for it.

// `now`: the instant that a plan made now would get. Equality with a threshold is due.
TriggerDecision DecideTrigger(TableType type, const TriggerOptions& options,
                              const TriggerFacts& facts, const Instant& now, TriggeredBy by);

}  // namespace catalogd::coord
