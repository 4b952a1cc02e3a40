#include "catalog/daemon/views_coord.h"

#include <algorithm>
#include <memory>

#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/table_info.h"

namespace catalogd::daemon {
namespace {

constexpr int32_t kMostSlices = 1000;

double Seconds(int64_t milliseconds) { return static_cast<double>(milliseconds) / 1000.0; }

// The longer age, the shorter lease.
void NoteLease(int64_t remaining_ms, CoordGauges* gauges) {
  const double left = std::max(0.0, Seconds(remaining_ms));
  const bool first = gauges->least_lease_seconds == 0;
  gauges->least_lease_seconds = first ? left : std::min(gauges->least_lease_seconds, left);
}

bool HasFailed(const coord::PlanRecord& plan) {
  return plan.row.state == coord::PlanState::kFailed;
}

}  // namespace

CoordGauges MeasureTable(const coord::Coordinator& coordinator, coord::ManagedTable& table) {
  const Clock& clock = *coordinator.context.clock;
  const int64_t wall_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock.WallNow().time_since_epoch())
          .count();
  CoordGauges gauges;
  gauges.tables = 1;
  const MutexLock lock(table.mutex);
  const coord::TableState& state = table.state;
  for (const auto& [id, txn] : state.txns()) {
    if (txn.row.state != coord::TxnState::kOpen) continue;
    ++gauges.open_txns;
    gauges.oldest_txn_seconds =
        std::max(gauges.oldest_txn_seconds, Seconds(wall_ms - txn.created_ms));
    NoteLease(coord::MakeTxnInfo(state, txn, clock.Now()).remaining_ms, &gauges);
  }
  for (const auto& [id, plan] : state.plans()) {
    if (!coord::IsPending(plan.row.state)) continue;
    ++gauges.pending_plans;
    gauges.oldest_plan_seconds =
        std::max(gauges.oldest_plan_seconds, Seconds(wall_ms - plan.created_ms));
    if (plan.row.state != coord::PlanState::kRequested) {
      NoteLease(coord::MakePlanInfo(state, plan, clock.Now()).remaining_ms, &gauges);
    }
  }
  gauges.time_ahead_seconds = std::max(
      0.0, Seconds(state.record().clock_high_water - coord::CalendarMillisOfWall(wall_ms)));
  return gauges;
}

CoordGauges MeasureCoordination(const coord::Coordinator& coordinator) {
  CoordGauges all;
  for (const coord::ManagedTablePtr& table : coordinator.context.tables.All()) {
    const CoordGauges one = MeasureTable(coordinator, *table);
    all.tables += one.tables;
    all.open_txns += one.open_txns;
    all.pending_plans += one.pending_plans;
    all.oldest_txn_seconds = std::max(all.oldest_txn_seconds, one.oldest_txn_seconds);
    all.oldest_plan_seconds = std::max(all.oldest_plan_seconds, one.oldest_plan_seconds);
    all.time_ahead_seconds = std::max(all.time_ahead_seconds, one.time_ahead_seconds);
    if (one.least_lease_seconds == 0) continue;
    NoteLease(static_cast<int64_t>(one.least_lease_seconds * 1000), &all);
  }
  return all;
}

coord::CoordResult<CoordTableView> ViewTable(coord::Coordinator* coordinator,
                                             const std::string& reference, size_t most_txns) {
  const auto found = coordinator->context.tables.Find(reference);
  if (!found) return coord::AsFailure(found.error());
  const Clock& clock = *coordinator->context.clock;
  CoordTableView view;
  const MutexLock lock((*found)->mutex);
  const coord::TableState& state = (*found)->state;
  view.table = coord::MakeCoordTable(state, clock);
  for (auto txn = state.txns().rbegin(); txn != state.txns().rend(); ++txn) {
    if (view.txns.size() >= most_txns) break;
    view.txns.push_back(coord::MakeTxnInfo(state, txn->second, clock.Now()));
  }
  std::reverse(view.txns.begin(), view.txns.end());
  for (const auto& [id, plan] : state.plans()) {
    if (!coord::IsPending(plan.row.state) && !HasFailed(plan)) continue;
    view.plans.push_back(coord::MakePlanInfo(state, plan, clock.Now()));
  }
  view.partitions = state.files().partitions();
  view.published = state.published();
  view.publishing = state.publishing();
  return view;
}

std::optional<std::vector<api::FileSliceInfo>> ViewSlices(coord::Coordinator* coordinator,
                                                          const std::string& table_id,
                                                          const std::string& partition) {
  api::GetFileSlicesRequest request;
  request.caller.table = table_id;
  request.partitions = {partition};
  request.limit = kMostSlices;
  // Where there is a second page the first one comes later, with a pin; nobody waits for it here.
  const auto slices = std::make_shared<std::optional<std::vector<api::FileSliceInfo>>>();
  coordinator->reads.Slices(request, [slices](coord::CoordResult<api::FileSlicePage> page) {
    if (page && page->page_token.empty()) *slices = std::move(page->slices);
  });
  return *slices;
}

}  // namespace catalogd::daemon
