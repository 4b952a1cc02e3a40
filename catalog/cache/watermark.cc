#include "catalog/cache/watermark.h"

#include <algorithm>
#include <utility>

namespace catalogd::cache {

void Watermark::Reset(EventId position) {
  {
    const MutexLock lock(mutex_);
    // Tickets handed out so far stay behind first_ticket_, so that their Done is ignored.
    first_ticket_ += pending_.size();
    pending_.clear();
    disordered_ = 0;
    newest_ = position;
    reached_ = position;
    fetched_to_ = position;
    value_.store(position.value(), std::memory_order_release);
  }
  if (observer_) observer_(position);
}

uint64_t Watermark::Expect(EventId id) {
  const MutexLock lock(mutex_);
  const uint64_t ticket = first_ticket_ + pending_.size();
  const bool late = id <= value();
  const bool disordered = !late && id <= newest_;
  if (disordered) ++disordered_;
  newest_ = std::max(newest_, id);
  pending_.push_back({id, late, disordered});
  if (late) Advance();  // Takes it off again if it is the first; the value stays.
  return ticket;
}

void Watermark::Done(uint64_t ticket) {
  bool advanced = false;
  {
    const MutexLock lock(mutex_);
    if (ticket < first_ticket_ || ticket - first_ticket_ >= pending_.size()) return;
    pending_[ticket - first_ticket_].done = true;
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
  while (!pending_.empty() && pending_.front().done) {
    reached_ = std::max(reached_, pending_.front().id);
    if (pending_.front().disordered) --disordered_;
    pending_.pop_front();
    ++first_ticket_;
  }
  if (pending_.empty()) reached_ = std::max(reached_, fetched_to_);
  EventId limit = reached_;
  if (disordered_ > 0) {
    // An event may still be waiting behind one with its own or a greater id.
    for (const Pending& event : pending_) {
      if (!event.done && event.id <= limit) limit = EventId(event.id.value() - 1);
    }
  }
  if (limit <= value()) return false;
  value_.store(limit.value(), std::memory_order_release);
  return true;
}

}  // namespace catalogd::cache
