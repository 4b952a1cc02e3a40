#include "catalog/api/api_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catalogd_idl/catalogd_types.h"

namespace catalogd::api {
namespace {

using nlohmann::json;

// Milliseconds are fine enough for people.
double Rounded(double seconds) { return std::round(seconds * 1000.0) / 1000.0; }

json MetastoreJson(const MetastoreInfo& metastore) {
  return {{"endpoint", metastore.endpoint},
          {"version", metastore.version},
          {"generation", metastore.generation},
          {"uuid", metastore.uuid},
          {"silent_seconds", Rounded(metastore.silent_seconds)}};
}

json CountsJson(const SlotCounts& counts) {
  return {{"databases", counts.databases},  {"tables", counts.tables},
          {"present", counts.present},      {"stubs", counts.stubs},
          {"unknown", counts.unknown},      {"absent", counts.absent},
          {"partitions", counts.partitions}};
}

json ReconcileJson(const ReconcileInfo& info) {
  return {{"enabled", info.enabled},
          {"database_passes", info.database_passes},
          {"last_database_pass", TimeText(info.last_database_pass_ms)},
          {"passes", info.passes},
          {"last_pass", TimeText(info.last_pass_ms)},
          {"running", info.running},
          {"done", info.done},
          {"total", info.total},
          {"compared", info.compared},
          {"differences", info.differences},
          {"repairs", info.repairs},
          {"in_flight", info.in_flight},
          {"failures", info.failures},
          {"last_difference", info.last_difference},
          {"last_failure", info.last_failure}};
}

}  // namespace

template <class T>
json ListToJson(const std::vector<T>& list) {
  json out = json::array();
  for (const T& element : list) out.push_back(ToJson(element));
  return out;
}
template json ListToJson(const std::vector<ObjectSummary>& list);
template json ListToJson(const std::vector<EventInfo>& list);
template json ListToJson(const std::vector<LockInfo>& list);
template json ListToJson(const std::vector<ConfigEntry>& list);
template json ListToJson(const std::vector<DiffEntry>& list);

json ToJson(const DaemonStatus& status) {
  json modes = json::array();
  for (const ReadModeEntry& entry : status.read_modes) {
    modes.push_back({{"name", entry.name}, {"mode", entry.mode}});
  }
  return {{"ready", status.ready},
          {"pure_proxy", status.pure_proxy},
          {"reason", status.reason},
          {"state", status.state},
          {"state_reason", status.state_reason},
          {"state_since", TimeText(status.state_since_ms)},
          {"epoch", status.epoch},
          {"watermark", status.watermark},
          {"latest_event_id", status.latest_event_id},
          {"lag_events", status.lag_events},
          {"lag_seconds", Rounded(status.lag_seconds)},
          {"pending_events", status.pending_events},
          {"lock_waiters", status.lock_waiters},
          {"ddls_in_flight", status.ddls_in_flight},
          {"loads_in_flight", status.loads_in_flight},
          {"waiting", status.waiting},
          {"contradictions", status.contradictions},
          {"catalog_version", status.catalog_version},
          {"read_mode", status.read_mode},
          {"read_modes", std::move(modes)},
          {"metastore", MetastoreJson(status.metastore)},
          {"counts", CountsJson(status.counts)},
          {"reconcile", ReconcileJson(status.reconcile)},
          {"warnings", status.warnings},
          {"build_version", status.build_version},
          {"started", TimeText(status.started_ms)},
          {"endpoint", status.endpoint},
          {"web", status.web}};
}

json ToJson(const ObjectSummary& object) {
  return {{"name", object.name},
          {"state", object.state},
          {"synced_event_id", object.synced_event_id},
          {"effective_event_id", object.effective_event_id},
          {"catalog_version", object.catalog_version},
          {"partitions", object.partitions < 0 ? json() : json(object.partitions)}};
}

json ToJson(const ObjectInfo& object) {
  json out = ToJson(object.summary);
  out["incarnation"] = object.incarnation;
  out["incarnation_known"] = object.incarnation_known;
  out["served_from_cache"] = object.served_from_cache;
  out["floor_event_id"] = object.floor_event_id < 0 ? json() : json(object.floor_event_id);
  out["read_mode"] = object.read_mode;
  // Text that is not JSON would be a fault of the daemon; it is shown rather than lost.
  json content = json::parse(object.object_json, nullptr, false);
  if (content.is_discarded()) content = nullptr;
  if (content.is_null() && !object.object_json.empty()) content = object.object_json;
  out["object"] = std::move(content);
  out["events"] = ListToJson(object.recent);
  return out;
}

json ToJson(const ObjectList& list) {
  return {{"objects", ListToJson(list.objects)}, {"total", list.total}, {"exact", list.exact}};
}

json ToJson(const WaitResult& result) {
  return {{"event_id", result.event_id},
          {"watermark", result.watermark},
          {"waited_ms", result.waited_ms}};
}

json ToJson(const EventInfo& event) {
  return {{"event_id", event.event_id},
          {"type", event.type},
          {"name", event.name},
          {"action", event.action},
          {"reason", event.reason},
          {"by", event.by},
          {"event_time", TimeText(event.event_time_ms)},
          {"applied_at", TimeText(event.applied_at_ms)},
          {"sequence", event.sequence}};
}

json ToJson(const DoctorReport& report) {
  json findings = json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"check", finding.check},
                        {"level", finding.level},
                        {"text", finding.text},
                        {"advice", finding.advice}});
  }
  return {{"exact", report.exact},
          {"metastore", MetastoreJson(report.metastore)},
          {"findings", std::move(findings)}};
}

json ToJson(const LockInfo& lock) {
  return {{"ticket", lock.ticket},
          {"owner", lock.owner},
          {"names", lock.names},
          {"granted", lock.granted},
          {"since_seconds", Rounded(lock.since_seconds)},
          {"behind", lock.behind}};
}

json ToJson(const ConfigEntry& entry) {
  return {{"name", entry.name},
          {"value", entry.value},
          {"origin", entry.origin},
          {"default_value", entry.default_value},
          {"meaning", entry.meaning}};
}

json ToJson(const DiffEntry& entry) {
  return {{"name", entry.name},
          {"outcome", entry.outcome},
          {"event_id", entry.event_id == 0 ? json() : json(entry.event_id)},
          {"text", entry.text},
          {"repaired", entry.repaired}};
}

json ToJson(const DeltaInfo& delta) {
  return {{"catalog_version", delta.catalog_version},
          {"name", delta.name},
          {"catalog", delta.parts.catalog},
          {"database", delta.parts.database},
          {"table", delta.parts.table.empty() ? json() : json(delta.parts.table)},
          {"state", delta.state},
          {"synced_event_id", delta.synced_event_id},
          {"incarnation", delta.incarnation},
          {"partitions", delta.partitions < 0 ? json() : json(delta.partitions)},
          {"partitions_changed", delta.partitions_changed},
          {"reason", delta.reason}};
}

std::string TimeText(int64_t milliseconds_since_1970) {
  if (milliseconds_since_1970 == 0) return "";
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(milliseconds_since_1970)};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (time - seconds).count());
}

std::string DumpJsonLine(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string DumpJson(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace catalogd::api
