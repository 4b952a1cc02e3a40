#include "catalog/base/clock.h"

namespace catalogd {
namespace {

class RealClock final : public Clock {
 public:
  [[nodiscard]] TimePoint Now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] WallTime WallNow() const override { return std::chrono::system_clock::now(); }
};

}  // namespace

int64_t WallMillis(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.WallNow().time_since_epoch())
      .count();
}

const Clock& SystemClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace catalogd
