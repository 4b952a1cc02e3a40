#include "catalog/cache/delta_log.h"

#include <algorithm>
#include <utility>

namespace catalogd::cache {

std::deque<Delta> DeltaLog::Append(std::vector<Delta> deltas) {
  std::deque<Delta> dropped;
  const MutexLock lock(mutex_);
  for (Delta& delta : deltas) {
    bytes_ += delta.bytes;
    newest_ = delta.version;
    deltas_.push_back(std::move(delta));
  }
  while (!deltas_.empty() && (deltas_.size() > max_ || bytes_ > max_bytes_)) DropFront(&dropped);
  return dropped;
}

void DeltaLog::DropFront(std::deque<Delta>* dropped) {
  forgotten_ = deltas_.front().version;
  while (!deltas_.empty() && deltas_.front().version == forgotten_) {
    bytes_ -= deltas_.front().bytes;
    dropped->push_back(std::move(deltas_.front()));
    deltas_.pop_front();
  }
}

void DeltaLog::ForgetTo(CatalogVersion version) {
  std::deque<Delta> dropped;  // Freed outside the mutex.
  const MutexLock lock(mutex_);
  while (!deltas_.empty() && deltas_.front().version <= version) DropFront(&dropped);
  forgotten_ = std::max(forgotten_, version);
  newest_ = std::max(newest_, version);
}

std::optional<std::vector<Delta>> DeltaLog::Since(CatalogVersion after, size_t limit) const {
  const MutexLock lock(mutex_);
  if (after < forgotten_ || after > newest_) return std::nullopt;
  const auto first =
      std::upper_bound(deltas_.begin(), deltas_.end(), after,
                       [](CatalogVersion version, const Delta& d) { return version < d.version; });
  const auto available = static_cast<size_t>(deltas_.end() - first);
  auto last = first + static_cast<ptrdiff_t>(std::min(limit, available));
  if (limit > 0 && last != deltas_.end()) {
    // Back to the end of a whole commit; if the first one alone is too long, it comes whole.
    const auto starts_commit = [&](auto it) { return std::prev(it)->version != it->version; };
    while (last != first && !starts_commit(last)) --last;
    if (last == first) {
      do {
        ++last;
      } while (last != deltas_.end() && !starts_commit(last));
    }
  }
  return std::vector<Delta>(first, last);
}

std::vector<Delta> DeltaLog::Recent(size_t count) const {
  const MutexLock lock(mutex_);
  const auto n = static_cast<ptrdiff_t>(std::min(count, deltas_.size()));
  return {deltas_.rbegin(), deltas_.rbegin() + n};
}

DeltaLog::Stats DeltaLog::stats() const {
  const MutexLock lock(mutex_);
  return {deltas_.size(), bytes_, forgotten_, newest_};
}

}  // namespace catalogd::cache
