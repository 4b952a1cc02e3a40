#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/timeline_names.h"

// The actions of a timeline, put together from the names of its files.
// Thread safety: pure functions.
namespace catalogd::coord {

struct TimelineInstant {
  Instant requested;
  // As it was planned where that can be seen: a compaction stays one after it became a commit.
  Action action = Action::kCommit;
  FileState state = FileState::kRequested;
  // Of a completed one whose completion some name has. Never before `requested`.
  std::optional<Instant> completed;

  // A table service that was planned and may be pending for long; no write.
  [[nodiscard]] bool is_plan() const;

  friend bool operator==(const TimelineInstant&, const TimelineInstant&) = default;
};

enum class FindingKind {
  kTwoActions,       // Different actions with one requested time: TIMELINE_CORRUPT.
  kCompletedTwice,   // One action with two completed files: TIMELINE_CORRUPT.
  kCompletedEarly,   // Completed before it was requested: some clock jumped.
  kNoCompletionTime  // Completed under a name without it, beside names that have one.
};
std::string_view FindingName(FindingKind kind);

// What is wrong in a timeline. It is read all the same: an operator has to look.
struct Finding {
  FindingKind kind;
  Instant instant;
  std::string text;  // With the names of the files.

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Timeline {
  std::vector<TimelineInstant> instants;  // By requested time; one of each.
  std::vector<Finding> findings;

  [[nodiscard]] const TimelineInstant* Find(const Instant& requested) const;
};

// `files` in any order. `clustering_plans`: instants whose `replacecommit.requested` holds a
// clustering plan; in layout 1 nothing else tells a pending clustering from a pending overwrite.
Timeline BuildTimeline(std::span<const TimelineFile> files,
                       const std::set<Instant>& clustering_plans = {});

}  // namespace catalogd::coord
