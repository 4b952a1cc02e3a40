#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "catalog/coord/timeline.h"

namespace catalogd::coord {

enum class CompletionState {
  kCompleted,
  kPending,
  kRolledBack,
  // Older than the timeline and in no archive that could be read. It may be completed or not:
  // readers take it, plans refuse it.
  kUnknown,
  // Of the time of the active timeline, and not on it: a leftover of something undone.
  kOrphan,
};

struct CompletionAnswer {
  CompletionState state = CompletionState::kUnknown;
  Instant completed;  // Of kCompleted; never before the requested time.

  friend bool operator==(const CompletionAnswer&, const CompletionAnswer&) = default;
};

struct ArchivedInstant {
  Instant requested;
  Instant completed;
};

// From requested to completion times, over the active and the archived timeline and over what was
// rolled back. "Unknown" is never taken for "pending".
// Thread safety: a value; const calls are safe.
class CompletionIndex {
 public:
  CompletionIndex() = default;
  // `archived`: none if the archive cannot be read. `rolled_back`: the targets of all rollbacks.
  CompletionIndex(const Timeline& active,
                  const std::optional<std::vector<ArchivedInstant>>& archived,
                  std::set<Instant> rolled_back);

  [[nodiscard]] CompletionAnswer Lookup(const Instant& requested) const;
  // The first action of the active timeline that is no savepoint.
  [[nodiscard]] const std::optional<Instant>& active_since() const { return active_since_; }
  [[nodiscard]] bool archive_readable() const { return archive_readable_; }

 private:
  std::map<Instant, std::optional<Instant>> times_;  // None: pending.
  std::set<Instant> rolled_back_;
  std::optional<Instant> active_since_;
  bool archive_readable_ = true;
};

}  // namespace catalogd::coord
