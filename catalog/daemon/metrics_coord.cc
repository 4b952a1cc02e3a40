#include "catalog/daemon/metrics_coord.h"

#include "catalog/daemon/coordination.h"
#include "catalog/daemon/views_coord.h"

namespace catalogd::daemon {
namespace {

using prometheus::MetricType;

uint64_t Load(const std::atomic<int64_t>& counter) {
  return static_cast<uint64_t>(counter.load(std::memory_order_relaxed));
}

void AddCounters(const coord::CoordCounters& counters, Families* out) {
  out->Counter("catalogd_coord_txns_begun_total", "Transactions begun.", Load(counters.begun));
  out->Counter("catalogd_coord_txns_committed_total", "Transactions and plans committed.",
               Load(counters.committed));
  out->Counter("catalogd_coord_txns_aborted_total", "Transactions aborted.",
               Load(counters.aborted));
  out->Counter("catalogd_coord_txns_reaped_total", "Of these, because their lease ran out.",
               Load(counters.reaped));
  out->Counter("catalogd_coord_rebased_total", "Commits whose lists were made to fit.",
               Load(counters.rebased));
  out->Counter("catalogd_coord_fenced_total", "Calls with an old fence.", Load(counters.fenced));
  out->Counter("catalogd_coord_claims_total", "Plans claimed.", Load(counters.claims));
  out->Counter("catalogd_coord_takeovers_total", "Of these, from a claim that had expired.",
               Load(counters.takeovers));
  out->Counter("catalogd_coord_plan_busy_total", "Claims of a plan that somebody else held.",
               Load(counters.plan_busy));
  out->Counter("catalogd_coord_plans_scheduled_total", "Plans made.",
               Load(counters.plans_scheduled));
  out->Counter("catalogd_coord_plans_completed_total", "Plans completed.",
               Load(counters.plans_completed));
  out->Counter("catalogd_coord_plans_failed_total", "Attempts that failed.",
               Load(counters.plans_failed));
  out->Counter("catalogd_coord_publications_total", "Versions published to the metastore.",
               Load(counters.publications));
  out->Counter("catalogd_coord_publish_failures_total", "Publications that failed.",
               Load(counters.publish_failures));
  out->Counter("catalogd_coord_unknown_outcomes_total", "Publications whose answer was lost.",
               Load(counters.unknown_outcomes));
  out->Counter("catalogd_coord_self_events_total", "Events recognised as own publications.",
               Load(counters.self_events));
  out->Counter("catalogd_coord_regressions_total",
               "Tables whose published state was taken back or away by others.",
               Load(counters.regressions));
  out->Counter("catalogd_coord_ownership_lost_total", "Tables that another daemon took.",
               Load(counters.ownership_lost));
}

void AddCells(const coord::CoordCounters& counters, Families* out) {
  for (const coord::MatrixCell& cell : coord::ConflictMatrix()) {
    const auto earlier = static_cast<size_t>(cell.earlier);
    const auto later = static_cast<size_t>(cell.later);
    out->Add("catalogd_coord_conflicts_total", "Commits refused because others came first.",
             MetricType::Counter,
             {{"earlier", std::string(coord::OpClassName(cell.earlier))},
              {"later", std::string(coord::OpClassName(cell.later))}},
             static_cast<double>(Load(counters.conflict_cells.at(earlier).at(later))));
  }
}

}  // namespace

void AddCoordMetrics(const ViewSources& sources, Families* out) {
  if (sources.coordination == nullptr) return;
  const coord::Coordinator* const coordinator = sources.coordination->open();
  out->Gauge("catalogd_coord_up", "1: tables are coordinated.", coordinator != nullptr ? 1 : 0);
  if (coordinator == nullptr) return;
  AddCounters(coordinator->context.counters, out);
  AddCells(coordinator->context.counters, out);
  const CoordGauges gauges = MeasureCoordination(*coordinator);
  out->Gauge("catalogd_coord_tables", "Coordinated tables.", static_cast<double>(gauges.tables));
  out->Gauge("catalogd_coord_open_txns", "Transactions that are open.",
             static_cast<double>(gauges.open_txns));
  out->Gauge("catalogd_coord_oldest_open_txn_seconds", "Age of the oldest one; 0: there is none.",
             gauges.oldest_txn_seconds);
  out->Gauge("catalogd_coord_pending_plans", "Plans that are not at their end.",
             static_cast<double>(gauges.pending_plans));
  out->Gauge("catalogd_coord_oldest_pending_plan_seconds",
             "Age of the oldest one; 0: there is none.", gauges.oldest_plan_seconds);
  out->Gauge("catalogd_coord_least_lease_seconds",
             "Of all leases, what is left of the shortest; 0: there is none.",
             gauges.least_lease_seconds);
  out->Gauge("catalogd_coord_time_ahead_seconds",
             "By how much the times of a table are ahead of the clock, at most.",
             gauges.time_ahead_seconds);
  out->Gauge("catalogd_coord_waiting_calls", "Calls that wait for something of a table.",
             static_cast<double>(coordinator->context.parking.waiting()));
}

}  // namespace catalogd::daemon
