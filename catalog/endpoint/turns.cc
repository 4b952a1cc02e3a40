#include "catalog/endpoint/turns.h"

#include <utility>

namespace catalogd::endpoint {

void Turns::Enter(const std::string& user, Begin begin) {
  if (at_once_ > 0) {
    const MutexLock lock(mutex_);
    Line& line = lines_[user];
    if (line.running >= at_once_) {
      line.waiting.push_back(std::move(begin));
      ++waiting_;
      return;
    }
    ++line.running;
  }
  if (!begin()) Leave(user);
}

void Turns::Leave(const std::string& user) {
  if (at_once_ == 0) return;
  // Not one inside the other: thousands may be refused in a row when the daemon stops.
  Begin next = Next(user);
  while (next != nullptr && !next()) next = Next(user);
}

Turns::Begin Turns::Next(const std::string& user) {
  const MutexLock lock(mutex_);
  const auto line = lines_.find(user);
  if (line == lines_.end()) return nullptr;
  if (line->second.waiting.empty()) {
    if (--line->second.running == 0) lines_.erase(line);
    return nullptr;
  }
  Begin next = std::move(line->second.waiting.front());
  line->second.waiting.pop_front();
  --waiting_;
  return next;
}

size_t Turns::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_;
}

}  // namespace catalogd::endpoint
