#include "catalog/sync/floors.h"

#include <algorithm>

namespace catalogd::sync {
namespace {

void RaiseAtomic(std::atomic<int64_t>* value, int64_t to) {
  int64_t now = value->load(std::memory_order_relaxed);
  while (now < to && !value->compare_exchange_weak(now, to, std::memory_order_release)) {
  }
}

}  // namespace

void Floors::NoteSpecial() {
  const bool any = !by_name_.empty() || !unresolved_.empty() || all_unresolved_ != 0 ||
                   !held_.empty() || all_held_ != 0;
  special_.store(any, std::memory_order_release);
}

void Floors::SetReadyFloor(EventId floor) {
  ready_.store(floor.value(), std::memory_order_release);
}

EventId Floors::CommonFloor() const {
  return EventId(
      std::max(ready_.load(std::memory_order_acquire), all_.load(std::memory_order_acquire)));
}

void Floors::Reset() {
  const MutexLock lock(mutex_);
  by_name_.clear();
  unresolved_.clear();
  all_unresolved_ = 0;
  all_.store(0, std::memory_order_release);
  NoteSpecial();
}

void Floors::Raise(const ObjectName& name, EventId floor) {
  const MutexLock lock(mutex_);
  EventId& entry = by_name_[name];
  entry = std::max(entry, floor);
  NoteSpecial();
}

void Floors::RaiseAll(EventId floor) { RaiseAtomic(&all_, floor.value()); }

void Floors::MarkUnresolved(const std::vector<ObjectName>& names) {
  const MutexLock lock(mutex_);
  ++sequence_;
  if (names.empty()) all_unresolved_ = sequence_;
  for (const ObjectName& name : names) unresolved_[name] = sequence_;
  NoteSpecial();
}

Floors::Unresolved Floors::TakeUnresolved() const {
  const MutexLock lock(mutex_);
  Unresolved marks;
  marks.all = all_unresolved_ != 0;
  marks.sequence = sequence_;
  for (const auto& [name, sequence] : unresolved_) marks.names.push_back(name);
  return marks;
}

void Floors::Resolve(const Unresolved& marks, EventId current) {
  const MutexLock lock(mutex_);
  if (all_unresolved_ != 0 && all_unresolved_ <= marks.sequence) {
    RaiseAtomic(&all_, current.value());
    all_unresolved_ = 0;
  }
  for (auto it = unresolved_.begin(); it != unresolved_.end();) {
    if (it->second > marks.sequence) {
      ++it;
      continue;
    }
    EventId& entry = by_name_[it->first];
    entry = std::max(entry, current);
    it = unresolved_.erase(it);
  }
  NoteSpecial();
}

void Floors::Hold(const std::vector<ObjectName>& names) {
  const MutexLock lock(mutex_);
  if (names.empty()) ++all_held_;
  for (const ObjectName& name : names) ++held_[name];
  NoteSpecial();
}

void Floors::LetGo(const std::vector<ObjectName>& names) {
  const MutexLock lock(mutex_);
  if (names.empty()) --all_held_;
  for (const ObjectName& name : names) {
    const auto it = held_.find(name);
    if (it != held_.end() && --it->second == 0) held_.erase(it);
  }
  NoteSpecial();
}

EventId Floors::FloorOf(const ObjectName& name) const {
  if (!special_.load(std::memory_order_acquire)) return CommonFloor();
  const MutexLock lock(mutex_);
  if (all_unresolved_ != 0 || all_held_ != 0) return kNever;
  EventId floor = CommonFloor();
  for (const ObjectName& part : {name, name.DatabaseName()}) {
    if (unresolved_.contains(part) || held_.contains(part)) return kNever;
    const auto it = by_name_.find(part);
    if (it != by_name_.end()) floor = std::max(floor, it->second);
  }
  return floor;
}

void Floors::Forget(EventId watermark) {
  const MutexLock lock(mutex_);
  std::erase_if(by_name_, [&](const auto& entry) { return entry.second <= watermark; });
  NoteSpecial();
}

size_t Floors::size() const {
  const MutexLock lock(mutex_);
  return by_name_.size() + unresolved_.size() + (all_unresolved_ != 0 ? 1 : 0) + held_.size() +
         (all_held_ != 0 ? 1 : 0);
}

}  // namespace catalogd::sync
