#pragma once

#include <functional>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/result.h"
#include "hms_client/metastore.h"

namespace catalogd::sync {

// Asks the metastore for its current event id on behalf of readers who want the latest state. All
// readers that arrive while a call is under way share the next one; none joins a call that was
// already sent, because its answer may be older than the reader.
// Thread safety: yes.
class ReadIndex {
 public:
  ReadIndex(hms::Metastore* metastore, Executor* executor, const Clock* clock, Duration timeout);

  using Done = std::function<void(Result<EventId>)>;
  // `done` runs on the executor, with an id that was current some time after this call.
  void Ask(Done done);
  [[nodiscard]] uint64_t calls() const;

 private:
  void Run();

  hms::Metastore* const metastore_;
  Executor* const executor_;
  const Clock* const clock_;
  const Duration timeout_;
  mutable Mutex mutex_{LockRank::kReadIndex};
  std::vector<Done> next_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  uint64_t calls_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::sync
