#include "catalog/coord/completion_index.h"

#include <algorithm>
#include <utility>

namespace catalogd::coord {

CompletionIndex::CompletionIndex(const Timeline& active,
                                 const std::optional<std::vector<ArchivedInstant>>& archived,
                                 std::set<Instant> rolled_back)
    : rolled_back_(std::move(rolled_back)), archive_readable_(archived.has_value()) {
  if (archived) {
    for (const ArchivedInstant& one : *archived) {
      times_.emplace(one.requested, std::max(one.requested, one.completed));
    }
  }
  for (const TimelineInstant& one : active.instants) {
    // What is in both was archived and not yet taken off.
    if (one.state == FileState::kCompleted) {
      times_[one.requested] = one.completed.value_or(one.requested);
    } else {
      times_.emplace(one.requested, std::nullopt);
    }
    if (!active_since_ && one.action != Action::kSavepoint) active_since_ = one.requested;
  }
}

CompletionAnswer CompletionIndex::Lookup(const Instant& requested) const {
  const auto found = times_.find(requested);
  if (found != times_.end() && found->second) return {CompletionState::kCompleted, *found->second};
  if (rolled_back_.contains(requested)) return {CompletionState::kRolledBack, {}};
  if (found != times_.end()) return {CompletionState::kPending, {}};
  const bool before = active_since_ && requested < *active_since_;
  return {before ? CompletionState::kUnknown : CompletionState::kOrphan, {}};
}

}  // namespace catalogd::coord
