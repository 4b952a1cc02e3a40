#include "catalog/coord/trigger.h"

#include <fmt/format.h>

#include <algorithm>

namespace catalogd::coord {
namespace {

constexpr int64_t kMillisPerSecond = 1000;

// A threshold, how far it is, and the text for both.
struct Progress {
  bool reached = false;
  std::string text;
};

Progress Commits(int64_t count, int64_t threshold, std::string_view since) {
  return {count >= threshold, fmt::format("{} of {} delta commits since the last {} compaction",
                                          count, threshold, since)};
}

Progress Elapsed(const TriggerFacts& facts, int64_t threshold, const Instant& now) {
  const Result<int64_t> from = InstantMillis(facts.counted_from.value_or(Instant()));
  const Result<int64_t> until = InstantMillis(now);
  if (!from || !until) {
    return {false, fmt::format("no time can be counted from '{}' to '{}'",
                               facts.counted_from.value_or(Instant()).text(), now.text())};
  }
  const int64_t seconds = *until / kMillisPerSecond - *from / kMillisPerSecond;
  return {seconds >= threshold,
          fmt::format("{} of {} seconds since {}", seconds, threshold, facts.counted_from->text())};
}

Progress ProgressOf(const TriggerOptions& options, const TriggerFacts& facts, const Instant& now) {
  Progress commits = Commits(facts.commits_since_completed, options.max_delta_commits, "completed");
  Progress elapsed = Elapsed(facts, options.max_delta_seconds, now);
  switch (options.strategy) {
    case TriggerStrategy::kNumCommits:
      return commits;
    case TriggerStrategy::kNumCommitsAfterLastRequest:
      return Commits(facts.commits_since_requested, options.max_delta_commits, "requested");
    case TriggerStrategy::kTimeElapsed:
      return elapsed;
    case TriggerStrategy::kNumAndTime:
      return {commits.reached && elapsed.reached, commits.text + " and " + elapsed.text};
    case TriggerStrategy::kNumOrTime:
      return {commits.reached || elapsed.reached, commits.text + " or " + elapsed.text};
  }
  return {};
}

}  // namespace

std::string_view TableTypeName(TableType type) {
  switch (type) {
    case TableType::kMergeOnRead:
      return "MOR";
    case TableType::kCopyOnWrite:
      return "COW";
    case TableType::kDeltaWithKeys:
      return "PK_DELTA";
    case TableType::kDeltaAppend:
      return "APPEND_DELTA";
  }
  return "?";
}

std::string_view TriggerStrategyName(TriggerStrategy strategy) {
  switch (strategy) {
    case TriggerStrategy::kNumCommits:
      return "NUM_COMMITS";
    case TriggerStrategy::kNumCommitsAfterLastRequest:
      return "NUM_COMMITS_AFTER_LAST_REQUEST";
    case TriggerStrategy::kTimeElapsed:
      return "TIME_ELAPSED";
    case TriggerStrategy::kNumAndTime:
      return "NUM_AND_TIME";
    case TriggerStrategy::kNumOrTime:
      return "NUM_OR_TIME";
  }
  return "?";
}

Status CheckTriggerOptions(const TriggerOptions& options) {
  if (options.max_delta_commits >= 1 && options.max_delta_seconds >= 1) return Ok();
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("a compaction after {} delta commits or {} seconds makes no sense: "
                               "both must be 1 or more",
                               options.max_delta_commits, options.max_delta_seconds));
}

TriggerFacts FactsOf(const Timeline& timeline) {
  TriggerFacts facts;
  std::optional<Instant> completed;
  std::optional<Instant> requested;
  std::optional<Instant> first_commit;
  for (const TimelineInstant& one : timeline.instants) {
    const bool done = one.state == FileState::kCompleted;
    // A commit of a table with logs is a compaction whose plan was archived.
    const bool compaction =
        one.action == Action::kCompaction || (one.action == Action::kCommit && done);
    if (compaction) requested = one.requested;
    if (compaction && done) completed = one.requested;
    const bool commit = one.action == Action::kDeltaCommit && done;
    if (commit && !first_commit) first_commit = one.requested;
  }
  for (const TimelineInstant& one : timeline.instants) {
    if (one.action != Action::kDeltaCommit || one.state != FileState::kCompleted) continue;
    const Instant at = one.completed.value_or(one.requested);
    if (!completed || at >= *completed) ++facts.commits_since_completed;
    if (!requested || at >= *requested) ++facts.commits_since_requested;
  }
  facts.counted_from = completed ? completed : first_commit;
  return facts;
}

TriggerDecision DecideTrigger(TableType type, const TriggerOptions& options,
                              const TriggerFacts& facts, const Instant& now, TriggeredBy by) {
  if (type == TableType::kCopyOnWrite) {
    const bool asked = by == TriggeredBy::kCall;
    return {asked ? TriggerVerdict::kInvalidTableType : TriggerVerdict::kNotDue,
            "a COW table has no logs, so there is nothing to compact"};
  }
  if (facts.commits_since_completed == 0) {
    return {TriggerVerdict::kNotDue, "no delta commit since the last completed compaction"};
  }
  const Progress progress = ProgressOf(options, facts, now);
  return {progress.reached ? TriggerVerdict::kDue : TriggerVerdict::kNotDue, progress.text};
}

}  // namespace catalogd::coord
