#include "catalog/coord/service/table_info.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/coord/service_status.h"

namespace catalogd::coord {
namespace {

std::string StateWord(const TableState& state) {
  if (state.record().row.dropped) return "DROPPED";
  if (state.record().corrupt) return "CORRUPT";
  switch (state.hold()) {
    case TableHold::kNone:
      return "ACTIVE";
    case TableHold::kRecovering:
      return "RECOVERING";
    case TableHold::kNotOwner:
      return "NOT_OWNER";
  }
  return "?";
}

LagFacts FactsOf(const TableState& state, int64_t wall_ms) {
  LagFacts facts;
  facts.type = state.record().type;
  int64_t oldest = 0;
  for (const auto& [id, plan] : state.plans()) {
    if (!IsPending(plan.row.state)) continue;
    if (oldest == 0 || plan.created_ms < oldest) oldest = plan.created_ms;
  }
  if (oldest != 0) facts.oldest_pending = std::chrono::milliseconds(wall_ms - oldest);
  if (facts.oldest_pending) return facts;
  // A due compaction is planned at once when anybody plans; without a plan it has been due since
  // its trigger was reached, of which the newest commit tells the latest moment.
  const Timeline timeline = state.MakeTimeline(state.durable());
  const auto now = InstantFromMillis(CalendarMillisOfWall(wall_ms));
  const auto decision = DecideTrigger(state.record().type, state.options().service.trigger,
                                      FactsOf(timeline), now, TriggeredBy::kSchedule);
  const TxnRecord* newest = state.FindTxnOfVersion(state.durable());
  if (decision.verdict == TriggerVerdict::kDue && newest != nullptr) {
    facts.due_for = std::chrono::milliseconds(wall_ms - newest->ended_ms);
  }
  return facts;
}

}  // namespace

std::vector<std::string> WarningsOf(const TableState& state, int64_t wall_ms) {
  std::vector<std::string> warnings;
  for (const std::string_view warning :
       ServiceWarnings(FactsOf(state, wall_ms), state.options().service)) {
    warnings.emplace_back(warning);
  }
  if (state.options().publish == PublishMode::kAsync && !state.options().cas) {
    warnings.emplace_back("metastore_does_not_compare");
  }
  return warnings;
}

api::CoordTable MakeCoordTable(const TableState& state, const Clock& clock) {
  const TableRecord& record = state.record();
  const int64_t wall_ms = WallMillis(clock);
  api::CoordTable info;
  info.table_id = state.id();
  info.name = state.name().ToString();
  info.type = TableTypeName(record.type);
  info.policy = ConflictPolicyName(record.policy);
  info.base_path = record.base_path;
  info.epoch = record.epoch;
  info.state = StateWord(state);
  info.state_reason = state.hold_reason();
  info.id_version = state.durable().value();
  if (record.last_time_version) info.time_version = record.last_time_version->text();
  info.open_txns = static_cast<int32_t>(state.OpenTxns());
  info.pending_plans = static_cast<int32_t>(state.PendingPlans());
  info.live_files = static_cast<int64_t>(state.files().live());
  for (const auto& [name, value] : state.options().set) {
    if (!IsInternalOption(name)) info.table_options[name] = value;
  }
  info.publish = state.options().publish == PublishMode::kSync ? "sync" : "async";
  info.cas = state.options().cas;
  const ServiceStatus status = StatusOf(state.PlanRows(), ServiceState::kRunning);
  info.service_state = ServiceStateName(status.state);
  info.last_error = status.last_error;
  info.warnings = WarningsOf(state, wall_ms);
  if (const auto& published = state.published()) {
    info.published_version = published->version.value();
    const TxnRecord* txn = state.FindTxnOfVersion(published->version);
    if (txn != nullptr) info.published_event_id = txn->event_id.value_or(0);
  }
  return info;
}

}  // namespace catalogd::coord
