#include "catalog/endpoint/turns.h"

#include <utility>

namespace catalogd::endpoint {

Status Turns::Enter(const std::string& user, Task begin) {
  if (at_once_ > 0) {
    const MutexLock lock(mutex_);
    Line& line = lines_[user];
    if (line.running >= at_once_) {
      if (waiting_ >= most_waiting_) {
        return MakeError(ErrorCode::kResourceExhausted,
                         std::to_string(waiting_) + " calls wait for their user's turn already");
      }
      line.waiting.push_back(std::move(begin));
      ++waiting_;
      return Ok();
    }
    ++line.running;
  }
  begin();
  return Ok();
}

void Turns::Leave(const std::string& user) {
  if (at_once_ == 0) return;
  Task next;
  {
    const MutexLock lock(mutex_);
    const auto line = lines_.find(user);
    if (line == lines_.end()) return;
    if (line->second.waiting.empty()) {
      if (--line->second.running == 0) lines_.erase(line);
      return;
    }
    next = std::move(line->second.waiting.front());
    line->second.waiting.pop_front();
    --waiting_;
  }
  next();
}

size_t Turns::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_;
}

}  // namespace catalogd::endpoint
