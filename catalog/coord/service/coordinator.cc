#include "catalog/coord/service/coordinator.h"

#include <utility>

namespace catalogd::coord {
namespace {

// Leases are seconds to hours: whoever expired is noticed within this.
constexpr Duration kReapPeriod = std::chrono::seconds(1);
// A commit has its table's triggers looked at by itself. This is for triggers of time, and for
// claims that expire while somebody waits for one.
constexpr Duration kTriggerPeriod = std::chrono::seconds(1);

}  // namespace

void Coordinator::Run() {
  Every(kReapPeriod, [this] { txns.Reap(); });
  Every(kTriggerPeriod, [this] { plans.CheckAllTriggers(); });
}

void Coordinator::Every(Duration period, std::function<void()> work) {
  context.timer->At(context.clock->Now() + period, [this, period, work = std::move(work)] {
    context.workers->SubmitAlways([this, period, work] {
      if (context.stopping.load()) return;
      work();
      Every(period, work);
    });
  });
}

void Coordinator::Stop() {
  context.stopping.store(true);
  context.parking.Stop();
}

}  // namespace catalogd::coord
