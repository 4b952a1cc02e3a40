#include "catalog/coord/service/slice_context.h"

#include <utility>

namespace catalogd::coord {

std::shared_ptr<const SliceContext> SliceContexts::Get(const TableState& state, IdVersion version) {
  {
    const MutexLock lock(mutex_);
    for (const auto& context : contexts_) {
      if (context->revision == state.revision() && context->version == version) return context;
    }
  }
  auto made = std::make_shared<SliceContext>();
  made->revision = state.revision();
  made->version = version;
  made->plans = MakeGroupPlans(state);
  made->times = MakeCompletionIndex(state, version);
  std::shared_ptr<const SliceContext> oldest;  // Goes after the mutex.
  const MutexLock lock(mutex_);
  contexts_.push_front(made);
  if (contexts_.size() > kKept) {
    oldest = std::move(contexts_.back());
    contexts_.pop_back();
  }
  return made;
}

}  // namespace catalogd::coord
