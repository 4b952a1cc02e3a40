#include "catalog/coord/commit_retry.h"

#include <algorithm>

namespace catalogd::coord {

RetryDecision AfterRound(PublishEnd end, int rounds, Duration elapsed, int jitter,
                         const RetryOptions& options) {
  switch (end) {
    case PublishEnd::kConflict:
      return {RetryVerdict::kConflict, {}};
    case PublishEnd::kUnknown:
      return {RetryVerdict::kSettle, {}};
    case PublishEnd::kNotOwner:
      return {RetryVerdict::kNotOwner, {}};
    case PublishEnd::kExpectedDiffers:
      break;
  }
  Duration delay = options.first_delay;
  for (int i = 1; i < rounds && delay < options.max_delay; ++i) delay *= 2;
  delay = std::min(delay, options.max_delay);
  delay = delay / 2 + delay / 2 * std::clamp(jitter, 0, 999) / 1000;
  if (rounds >= options.max_rounds || elapsed + delay >= options.total) {
    return {RetryVerdict::kLockTimeout, {}};
  }
  return {RetryVerdict::kAgain, delay};
}

}  // namespace catalogd::coord
