#include "catalog/api/coord_json.h"

#include <nlohmann/json.hpp>

#include "catalog/api/api_json.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

namespace catalogd::api {
namespace {

using nlohmann::json;

// An empty text or a 0 that stands for "none".
json OrNull(const std::string& text) { return text.empty() ? json() : json(text); }
json OrNull(int64_t number) { return number == 0 ? json() : json(number); }

json FileJson(const PartitionFile& file) {
  return {{"partition", file.partition}, {"name", file.name}};
}

json FilesJson(const std::vector<PartitionFile>& files) {
  json out = json::array();
  for (const PartitionFile& file : files) out.push_back(FileJson(file));
  return out;
}

json GroupsJson(const std::vector<PlannedFileGroup>& groups) {
  json out = json::array();
  for (const PlannedFileGroup& group : groups) {
    out.push_back({{"partition", group.partition},
                   {"file_id", group.file_id},
                   {"base", OrNull(group.base)},
                   {"logs", group.logs}});
  }
  return out;
}

json LogsJson(const std::vector<SliceLogFile>& logs) {
  json out = json::array();
  for (const SliceLogFile& log : logs) {
    out.push_back({{"name", log.name},
                   {"requested", log.requested},
                   {"completed", OrNull(log.completed)},
                   {"superseded", log.superseded},
                   {"size", log.size}});
  }
  return out;
}

}  // namespace

template <class T>
json CoordListToJson(const std::vector<T>& list) {
  json out = json::array();
  for (const T& element : list) out.push_back(ToJson(element));
  return out;
}
template json CoordListToJson(const std::vector<CoordTable>& list);
template json CoordListToJson(const std::vector<TxnInfo>& list);
template json CoordListToJson(const std::vector<PlanInfo>& list);
template json CoordListToJson(const std::vector<FileSliceInfo>& list);
template json CoordListToJson(const std::vector<VersionInfo>& list);
template json CoordListToJson(const std::vector<ConflictInfo>& list);

json ToJson(const CoordTable& table) {
  return {{"table_id", table.table_id},
          {"name", table.name},
          {"type", table.type},
          {"policy", table.policy},
          {"base_path", table.base_path},
          {"epoch", table.epoch},
          {"state", table.state},
          {"state_reason", table.state_reason},
          {"id_version", table.id_version},
          {"time_version", OrNull(table.time_version)},
          {"open_txns", table.open_txns},
          {"pending_plans", table.pending_plans},
          {"live_files", table.live_files},
          {"table_options", table.table_options},
          {"publish", table.publish},
          {"cas", table.cas},
          {"service_state", table.service_state},
          {"warnings", table.warnings},
          {"published_version", OrNull(table.published_version)},
          {"published_event_id", OrNull(table.published_event_id)},
          {"last_synced_event_id", OrNull(table.last_synced_event_id)},
          {"last_error", table.last_error}};
}

json ToJson(const TxnInfo& txn) {
  return {{"txn_id", txn.txn_id},
          {"table_id", txn.table_id},
          {"op", txn.op},
          {"state", txn.state},
          {"requested", txn.requested},
          {"snapshot_id_version", txn.snapshot_id_version},
          {"fence", txn.fence},
          {"owner", txn.owner},
          {"lease_ms", txn.lease_ms},
          {"remaining_ms", txn.remaining_ms},
          {"completed", OrNull(txn.completed)},
          {"id_version", OrNull(txn.id_version)},
          {"time_version", OrNull(txn.time_version)},
          {"plan_id", OrNull(txn.plan_id)},
          {"reason", txn.reason},
          {"partitions", txn.partitions},
          {"created", TimeText(txn.created_ms)},
          {"ended", TimeText(txn.ended_ms)},
          {"event_id", OrNull(txn.event_id)}};
}

json ToJson(const PlanInfo& plan) {
  return {{"plan_id", plan.plan_id},
          {"table_id", plan.table_id},
          {"table_name", plan.table_name},
          {"type", plan.type},
          {"state", plan.state},
          {"requested", plan.requested},
          {"fence", plan.fence},
          {"attempts", plan.attempts},
          {"owner", plan.owner},
          {"remaining_ms", plan.remaining_ms},
          {"cancel_requested", plan.cancel_requested},
          {"last_error", plan.last_error},
          {"trigger", plan.trigger},
          {"cancellable", plan.cancellable},
          {"created", TimeText(plan.created_ms)},
          {"groups", GroupsJson(plan.groups)},
          {"removes", plan.removes},
          {"target", OrNull(plan.target)},
          {"completed", OrNull(plan.completed)},
          {"id_version", OrNull(plan.id_version)},
          {"progress", plan.progress},
          {"source", plan.source},
          {"base_path", plan.base_path},
          {"retry_in_ms", plan.retry_in_ms}};
}

json ToJson(const ClaimedPlan& claimed) {
  return {{"plan", ToJson(claimed.plan)},
          {"fence", claimed.fence},
          {"attempt", claimed.attempt},
          {"takeover", claimed.takeover},
          {"earlier_files", claimed.earlier_files},
          {"lease_ms", claimed.lease_ms}};
}

json ToJson(const ScheduledPlan& scheduled) {
  return {{"plan", scheduled.__isset.plan ? ToJson(scheduled.plan) : json()},
          {"reason", scheduled.reason}};
}

json ToJson(const FileSliceInfo& slice) {
  return {{"partition", slice.partition},
          {"file_id", slice.file_id},
          {"anchor", slice.anchor},
          {"base", OrNull(slice.base)},
          {"base_size", slice.base_size},
          {"logs", LogsJson(slice.logs)},
          {"pending_plan", OrNull(slice.pending_plan)},
          {"warnings", slice.warnings}};
}

json ToJson(const FileSlicePage& page) {
  return {{"slices", CoordListToJson(page.slices)},
          {"id_version", page.id_version},
          {"completed", OrNull(page.completed)},
          {"page_token", OrNull(page.page_token)}};
}

json ToJson(const IncrementalResult& result) {
  json changes = json::array();
  for (const ChangedVersion& change : result.changes) {
    changes.push_back({{"id_version", change.id_version},
                       {"completed", change.completed},
                       {"op", change.op},
                       {"added", FilesJson(change.added)},
                       {"removed", FilesJson(change.removed)}});
  }
  return {{"changes", std::move(changes)},
          {"overwrites", result.overwrites},
          {"next_from", result.next_from},
          {"more", result.more}};
}

json ToJson(const VersionInfo& version) {
  return {{"id_version", version.id_version},
          {"requested", version.requested},
          {"completed", version.completed},
          {"time_version", OrNull(version.time_version)},
          {"op", version.op},
          {"added", version.added},
          {"removed", version.removed}};
}

json ToJson(const ConflictInfo& conflict) {
  return {{"table", conflict.table},
          {"at", TimeText(conflict.at_ms)},
          {"txn_id", OrNull(conflict.txn_id)},
          {"plan_id", OrNull(conflict.plan_id)},
          {"earlier", conflict.earlier},
          {"later", conflict.later},
          {"outcome", conflict.outcome},
          {"kind", conflict.kind},
          {"partition", conflict.partition},
          {"file", OrNull(conflict.file)},
          {"offending_version", OrNull(conflict.offending_version)},
          {"text", conflict.text},
          {"policy", conflict.policy}};
}

json ToJson(const FsckReport& report) {
  return {{"strays", report.strays},
          {"missing", report.missing},
          {"duplicates", report.duplicates},
          {"live_files", report.live_files},
          {"folder_checked", report.folder_checked},
          {"note", report.note}};
}

}  // namespace catalogd::api
