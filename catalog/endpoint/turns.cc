#include "catalog/endpoint/turns.h"

#include <iterator>
#include <utility>

namespace catalogd::endpoint {

bool Turns::Enter(const std::string& user, Entry entry) {
  const Entered entered = at_once_ == 0 ? Entered::kBegins : TakePlace(user, &entry);
  if (entered == Entered::kRefused) {
    entry.refuse();
  } else if (entered == Entered::kBegins && !entry.begin()) {
    Leave(user);
  }
  return entered == Entered::kWaits;
}

Turns::Entered Turns::TakePlace(const std::string& user, Entry* entry) {
  const MutexLock lock(mutex_);
  Line& line = lines_[user];
  if (line.running < at_once_) {
    ++line.running;
    return Entered::kBegins;
  }
  if (stopped_) return Entered::kRefused;
  line.waiting.push_back(std::move(*entry));
  const auto last = std::prev(line.waiting.end());
  places_.insert_or_assign(last->connection, Place{&line, last});
  return Entered::kWaits;
}

void Turns::Leave(const std::string& user) {
  if (at_once_ == 0) return;
  // Not one inside the other: thousands may be refused in a row where a queue is full.
  Entry next = Next(user);
  while (next.begin && !next.begin()) next = Next(user);
}

Turns::Entry Turns::Next(const std::string& user) {
  const MutexLock lock(mutex_);
  const auto line = lines_.find(user);
  if (line == lines_.end()) return {};
  if (line->second.waiting.empty()) {
    if (--line->second.running == 0) lines_.erase(line);
    return {};
  }
  Entry next = std::move(line->second.waiting.front());
  line->second.waiting.pop_front();
  places_.erase(next.connection);
  return next;
}

void Turns::Forget(uint64_t connection) {
  std::list<Entry> forgotten;  // Outlives the lock: it may hold the last of the connection.
  const MutexLock lock(mutex_);
  const auto place = places_.find(connection);
  if (place == places_.end()) return;
  forgotten.splice(forgotten.end(), place->second.line->waiting, place->second.entry);
  places_.erase(place);
}

void Turns::Stop() {
  std::list<Entry> waiting;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    places_.clear();
    for (auto& [user, line] : lines_) waiting.splice(waiting.end(), line.waiting);
  }
  for (const Entry& entry : waiting) entry.refuse();
}

size_t Turns::waiting() const {
  const MutexLock lock(mutex_);
  return places_.size();
}

}  // namespace catalogd::endpoint
