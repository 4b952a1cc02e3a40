#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "catalog/base/mutex.h"
#include "catalog/coord/service/group_histories.h"

namespace catalogd::coord {

// What slicing needs to know of a whole table at a version, beside the files of the groups.
struct SliceContext {
  uint64_t revision = 0;  // Of the state it was made of.
  IdVersion version;
  GroupPlans plans;
  CompletionIndex times;
};

// The newest ones, so that the pages of a large table are not each made from all its transactions.
// Thread safety: yes. Locks: a leaf, not held while one is made.
class SliceContexts {
 public:
  // Under the mutex of the state.
  std::shared_ptr<const SliceContext> Get(const TableState& state, IdVersion version);

 private:
  static constexpr size_t kKept = 8;
  Mutex mutex_{LockRank::kLeaf};
  std::deque<std::shared_ptr<const SliceContext>> contexts_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::coord
