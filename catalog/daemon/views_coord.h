#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/coord/service/coordinator.h"

// What is known of coordinated tables, for pages and metrics. Each table's mutex is taken for the
// copying alone.
// Thread safety: yes.
namespace catalogd::daemon {

// Over all tables; ages and leases in seconds, 0 where there is nothing.
struct CoordGauges {
  size_t tables = 0;
  size_t open_txns = 0;
  size_t pending_plans = 0;
  double oldest_txn_seconds = 0;
  double oldest_plan_seconds = 0;
  double least_lease_seconds = 0;
  double time_ahead_seconds = 0;
};
CoordGauges MeasureCoordination(const coord::Coordinator& coordinator);
CoordGauges MeasureTable(const coord::Coordinator& coordinator, coord::ManagedTable& table);

// One table as its page shows it.
struct CoordTableView {
  api::CoordTable table;
  std::vector<api::TxnInfo> txns;    // The newest ones, oldest first.
  std::vector<api::PlanInfo> plans;  // Those that are pending, and those that failed.
  std::vector<std::string> partitions;
  std::optional<coord::PublishRecord> published;
  std::optional<coord::PublishRecord> publishing;
};
coord::CoordResult<CoordTableView> ViewTable(coord::Coordinator* coordinator,
                                             const std::string& reference, size_t most_txns);

// What readers of one partition get now. None: there is too much to be shown at once.
std::optional<std::vector<api::FileSliceInfo>> ViewSlices(coord::Coordinator* coordinator,
                                                          const std::string& table_id,
                                                          const std::string& partition);

}  // namespace catalogd::daemon
