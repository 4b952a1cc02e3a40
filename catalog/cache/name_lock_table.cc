#include "catalog/cache/name_lock_table.h"

#include <algorithm>
#include <utility>

namespace catalogd::cache {
namespace {

constexpr size_t kMaxSpareEntries = 256;
constexpr size_t kMaxIdleQueues = 4096;

using Wanted = boost::container::small_vector<std::pair<NameRef, LockMode>, 4>;

// Names in key order, each once, in its strongest mode, databases of tables included. Borrows from
// the request.
Wanted Resolve(const NameLocks::Request& request) {
  Wanted wanted;
  const auto add = [&wanted](const std::vector<ObjectName>& names, LockMode mode) {
    for (const ObjectName& name : names) {
      const NameRef ref = NameRef::Of(name);
      wanted.emplace_back(ref, mode);
      if (name.is_table()) wanted.emplace_back(ref.Parent(), LockMode::kShared);
    }
  };
  add(request.exclusive, LockMode::kExclusive);
  add(request.alone, LockMode::kAlone);
  add(request.shared, LockMode::kShared);
  std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  wanted.erase(std::unique(wanted.begin(), wanted.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; }),
               wanted.end());
  return wanted;
}

// One of them has to wait for the other.
bool Conflict(LockMode a, LockMode b) {
  if (a == LockMode::kExclusive || b == LockMode::kExclusive) return true;
  return a == LockMode::kAlone && b == LockMode::kAlone;
}

}  // namespace

size_t NameRefHash::operator()(const NameRef& ref) const noexcept {
  const std::hash<std::string_view> h;
  return (h(ref.db) * 1000003U) ^ (ref.table.empty() ? 0 : h(ref.table)) ^ (h(ref.catalog) << 1U);
}

NameLockTable::~NameLockTable() {
  while (first_ != nullptr) {
    const std::unique_ptr<NameLockEntry> entry(first_);
    first_ = first_->next;
  }
}

NameLockEntry* NameLockTable::Enter(NameLocks::Request request) {
  NameLockEntry* entry = NewEntry();
  entry->ticket = next_ticket_++;
  entry->request = std::move(request);
  const Wanted wanted = Resolve(entry->request);
  entry->holds.resize(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    NameHold& hold = entry->holds[i];
    hold.entry = entry;
    hold.mode = wanted[i].second;
    hold.queue = FindOrAdd(wanted[i].first);
    Link(&hold);
    if (!hold.clear) ++entry->blocked;
  }
  entry->previous = last_;
  (last_ == nullptr ? first_ : last_->next) = entry;
  last_ = entry;
  return entry;
}

void NameLockTable::Leave(NameLockEntry* entry, std::vector<NameLockEntry*>* freed) {
  for (NameHold& hold : entry->holds) Unlink(&hold, freed);
  std::sort(freed->begin(), freed->end(),
            [](const auto* a, const auto* b) { return a->ticket < b->ticket; });
  (entry->previous == nullptr ? first_ : entry->previous->next) = entry->next;
  (entry->next == nullptr ? last_ : entry->next->previous) = entry->previous;
  if (idle_queues_ > kMaxIdleQueues) SweepIdleQueues();
  std::unique_ptr<NameLockEntry> owned(entry);
  if (spare_.size() < kMaxSpareEntries) spare_.push_back(std::move(owned));
}

NameLockEntry* NameLockTable::FindWaiting(uint64_t ticket) const {
  const auto it = waiting_.find(ticket);
  return it == waiting_.end() ? nullptr : it->second;
}

std::vector<NameLockEntry*> NameLockTable::Waiting() const {
  std::vector<NameLockEntry*> entries;
  for (NameLockEntry* entry = last_; entry != nullptr; entry = entry->previous) {
    if (!entry->is_granted) entries.push_back(entry);
  }
  return entries;
}

std::vector<const NameHold*> NameLockTable::Before(const NameHold& hold, size_t max) {
  std::vector<const NameHold*> before;
  const NameHold* other = hold.queue->first;
  for (; other != &hold && before.size() < max; other = other->next) {
    if (Conflict(hold.mode, other->mode)) before.push_back(other);
  }
  return before;
}

NameQueue* NameLockTable::FindOrAdd(const NameRef& ref) {
  auto it = queues_.find(ref);
  if (it == queues_.end()) {
    ObjectName name = ref.table.empty() ? ObjectName::Database(ref.catalog, ref.db)
                                        : ObjectName::Table(ref.catalog, ref.db, ref.table);
    it = queues_.emplace(std::move(name), NameQueue()).first;
    it->second.name = &it->first;
    ++idle_queues_;
  }
  return &it->second;
}

void NameLockTable::Link(NameHold* hold) {
  NameQueue* queue = hold->queue;
  if (queue->first == nullptr) --idle_queues_;
  if (hold->mode == LockMode::kExclusive) {
    hold->clear = queue->first == nullptr;
    ++queue->exclusive;
  } else {
    hold->clear = queue->exclusive == 0 && (hold->mode == LockMode::kShared || queue->alone == 0);
    if (hold->mode == LockMode::kAlone) ++queue->alone;
  }
  hold->previous = queue->last;
  hold->next = nullptr;
  (queue->last == nullptr ? queue->first : queue->last->next) = hold;
  queue->last = hold;
}

void NameLockTable::Unlink(NameHold* hold, std::vector<NameLockEntry*>* freed) {
  NameQueue* queue = hold->queue;
  NameHold* previous = hold->previous;
  NameHold* next = hold->next;
  (previous == nullptr ? queue->first : previous->next) = next;
  (next == nullptr ? queue->last : next->previous) = previous;
  if (queue->first == nullptr) ++idle_queues_;
  if (hold->mode == LockMode::kExclusive) --queue->exclusive;
  if (hold->mode == LockMode::kAlone) --queue->alone;
  if (queue->alone > 0 || hold->mode == LockMode::kAlone) {
    ClearWithAlone(*queue, freed);
    return;
  }
  if (next == nullptr) return;
  if (next->mode == LockMode::kExclusive) {
    if (previous == nullptr) SetClear(next, freed);
    return;
  }
  // Shared ones stand behind a shared one as before; behind an exclusive one they move up.
  if (hold->mode == LockMode::kShared) return;
  if (previous != nullptr && (previous->mode == LockMode::kExclusive || !previous->clear)) return;
  for (; next != nullptr && next->mode == LockMode::kShared; next = next->next) {
    SetClear(next, freed);
  }
}

// Changes of databases are rare, and what is before the first exclusive hold is mostly granted.
void NameLockTable::ClearWithAlone(const NameQueue& queue, std::vector<NameLockEntry*>* freed) {
  bool alone = false;
  for (NameHold* hold = queue.first; hold != nullptr; hold = hold->next) {
    if (hold->mode == LockMode::kExclusive) {
      if (hold == queue.first && !hold->clear) SetClear(hold, freed);
      return;
    }
    const bool clear = hold->mode == LockMode::kShared || !alone;
    if (clear && !hold->clear) SetClear(hold, freed);
    alone = alone || hold->mode == LockMode::kAlone;
  }
}

void NameLockTable::SetClear(NameHold* hold, std::vector<NameLockEntry*>* freed) {
  hold->clear = true;
  if (--hold->entry->blocked == 0) freed->push_back(hold->entry);
}

NameLockEntry* NameLockTable::NewEntry() {
  if (spare_.empty()) return std::make_unique<NameLockEntry>().release();
  NameLockEntry* entry = spare_.back().release();
  spare_.pop_back();
  entry->holds.clear();
  entry->blocked = 0;
  entry->is_granted = false;
  entry->has_timer = false;
  entry->previous = nullptr;
  entry->next = nullptr;
  return entry;
}

void NameLockTable::SweepIdleQueues() {
  std::erase_if(queues_, [](const auto& item) { return item.second.first == nullptr; });
  idle_queues_ = 0;
}

}  // namespace catalogd::cache
