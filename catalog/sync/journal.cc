#include "catalog/sync/journal.h"

#include <algorithm>
#include <utility>

namespace catalogd::sync {

Journal::Journal(size_t capacity, const Clock* clock) : capacity_(capacity), clock_(clock) {}

void Journal::Add(JournalEntry entry) {
  entry.applied_at = clock_->WallNow();
  const MutexLock lock(mutex_);
  entries_.push_back(std::move(entry));
  if (entries_.size() > capacity_) entries_.pop_front();
}

std::vector<JournalEntry> Journal::Recent(size_t count) const {
  const MutexLock lock(mutex_);
  const size_t n = std::min(count, entries_.size());
  std::vector<JournalEntry> recent(entries_.rbegin(),
                                   entries_.rbegin() + static_cast<std::ptrdiff_t>(n));
  return recent;
}

}  // namespace catalogd::sync
