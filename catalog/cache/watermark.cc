#include "catalog/cache/watermark.h"

#include <algorithm>
#include <utility>

namespace catalogd::cache {

void Watermark::Reset(EventId position) {
  {
    const MutexLock lock(mutex_);
    pending_.clear();
    disordered_.clear();
    newest_ = position;
    fetched_to_ = position;
    value_.store(position.value(), std::memory_order_release);
  }
  if (observer_) observer_(position);
}

uint64_t Watermark::Expect(EventId id) {
  const MutexLock lock(mutex_);
  const uint64_t ticket = next_ticket_++;
  if (id <= value()) return ticket;  // Passed already: nobody waits for it.
  const bool disordered = id <= newest_;
  if (disordered) disordered_.insert(id);
  pending_.emplace_hint(pending_.end(), ticket, Pending{id, newest_, disordered});
  newest_ = std::max(newest_, id);
  return ticket;
}

bool Watermark::Join(uint64_t ticket, EventId id) {
  const MutexLock lock(mutex_);
  if (id <= newest_ || !pending_.contains(ticket)) return false;
  newest_ = id;
  return true;
}

void Watermark::Done(uint64_t ticket) {
  bool advanced = false;
  {
    const MutexLock lock(mutex_);
    const auto done = pending_.find(ticket);
    if (done == pending_.end()) return;
    if (done->second.disordered) disordered_.erase(disordered_.find(done->second.id));
    pending_.erase(done);
    advanced = Advance();
  }
  if (advanced && observer_) observer_(value());
}

void Watermark::FetchedTo(EventId id) {
  bool advanced = false;
  {
    const MutexLock lock(mutex_);
    fetched_to_ = std::max(fetched_to_, id);
    advanced = Advance();
  }
  if (advanced && observer_) observer_(value());
}

size_t Watermark::pending() const {
  const MutexLock lock(mutex_);
  return pending_.size();
}

void Watermark::SetObserver(std::function<void(EventId)> observer) {
  observer_ = std::move(observer);
}

bool Watermark::Advance() {
  // What was expected before the first that is not done, is done.
  EventId limit =
      pending_.empty() ? std::max(newest_, fetched_to_) : pending_.begin()->second.before;
  // An event may still be waiting behind one with its own or a greater id.
  if (!disordered_.empty()) limit = std::min(limit, EventId(disordered_.begin()->value() - 1));
  if (limit <= value()) return false;
  value_.store(limit.value(), std::memory_order_release);
  return true;
}

}  // namespace catalogd::cache
