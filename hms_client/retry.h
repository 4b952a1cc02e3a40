#pragma once

#include "catalog/base/clock.h"
#include "catalog/base/random.h"

namespace catalogd::hms {

// Waiting times between attempts: doubling from `first` to `longest`, each drawn from the upper
// half of its range so that many waiters do not come back at once. Thread safety: none.
class Backoff {
 public:
  struct Options {
    Duration first = std::chrono::milliseconds(100);
    Duration longest = std::chrono::seconds(2);
  };
  explicit Backoff(Options options) : options_(options), next_(options.first) {}

  // How long to wait after one more failure.
  Duration AfterFailure(Random& random);
  void Reset() { next_ = options_.first; }

 private:
  Options options_;
  Duration next_;
};

}  // namespace catalogd::hms
