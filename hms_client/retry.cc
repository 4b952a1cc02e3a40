#include "hms_client/retry.h"

#include <algorithm>

namespace catalogd::hms {

Duration Backoff::AfterFailure(Random& random) {
  const Duration half = next_ / 2;
  const auto spread = static_cast<uint64_t>(std::max<Duration::rep>(half.count(), 1));
  const Duration wait = half + Duration(static_cast<Duration::rep>(random.Below(spread + 1)));
  next_ = std::min(next_ * 2, options_.longest);
  return wait;
}

}  // namespace catalogd::hms
