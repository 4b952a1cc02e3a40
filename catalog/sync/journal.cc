#include "catalog/sync/journal.h"

#include <algorithm>
#include <utility>

namespace catalogd::sync {

Journal::Journal(size_t capacity, const Clock* clock)
    : capacity_(std::max<size_t>(capacity, 1)), clock_(clock) {}

JournalEntry* Journal::Next() {
  if (entries_.size() < capacity_) {
    newest_ = entries_.size();
    return &entries_.emplace_back();
  }
  newest_ = (newest_ + 1) % capacity_;
  return &entries_[newest_];
}

void Journal::Add(JournalEntry entry) {
  entry.applied_at = clock_->WallNow();
  const MutexLock lock(mutex_);
  JournalEntry* const slot = Next();
  *slot = std::move(entry);
  slot->sequence = ++last_sequence_;
}

void Journal::AddAll(const std::vector<JournalNote>& notes, std::string_view by) {
  const WallTime now = clock_->WallNow();
  const MutexLock lock(mutex_);
  // Of more than fit, the last ones.
  const size_t first = notes.size() - std::min(notes.size(), capacity_);
  last_sequence_ += first;
  for (size_t i = first; i < notes.size(); ++i) {
    const JournalNote& note = notes[i];
    JournalEntry* entry = Next();
    entry->event = note.event->id;
    entry->type = note.event->type;
    entry->name = note.name;
    entry->action = ActionName(note.decision.action);
    entry->reason =
        note.event->problem.empty() ? note.decision.reason : std::string_view(note.event->problem);
    entry->by = by;
    entry->event_time = note.event->time;
    entry->applied_at = now;
    entry->sequence = ++last_sequence_;
  }
}

std::vector<JournalEntry> Journal::Recent(size_t count) const {
  const MutexLock lock(mutex_);
  const size_t n = std::min(count, entries_.size());
  std::vector<JournalEntry> recent;
  recent.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    recent.push_back(entries_[(newest_ + entries_.size() - i) % entries_.size()]);
  }
  return recent;
}

}  // namespace catalogd::sync
