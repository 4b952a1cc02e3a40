#include "catalog/sync/read_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"

namespace catalogd::sync {

ReadIndex::ReadIndex(hms::Metastore* metastore, Executor* executor, const Clock* clock,
                     Duration timeout)
    : metastore_(metastore), executor_(executor), clock_(clock), timeout_(timeout) {}

void ReadIndex::Ask(Done done) {
  {
    const MutexLock lock(mutex_);
    next_.push_back(std::move(done));
    if (running_) return;  // The round that is under way may be too old: the next one serves us.
    running_ = true;
  }
  executor_->SubmitAlways([this] { Run(); });
}

void ReadIndex::Run() {
  for (;;) {
    std::vector<Done> readers;
    {
      const MutexLock lock(mutex_);
      if (next_.empty()) {
        running_ = false;
        return;
      }
      readers.swap(next_);
      ++calls_;
    }
    if (readers.size() > 1) MARK("read_index.shared");
    const Result<EventId> current = metastore_->CurrentEventId(clock_->Now() + timeout_);
    if (MutantOn(Mutant::kLatestJoinsSentCall)) {
      const MutexLock lock(mutex_);
      std::move(next_.begin(), next_.end(), std::back_inserter(readers));
      next_.clear();
    }
    for (Done& done : readers) done(current);
  }
}

uint64_t ReadIndex::calls() const {
  const MutexLock lock(mutex_);
  return calls_;
}

}  // namespace catalogd::sync
