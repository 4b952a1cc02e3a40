#include <fmt/format.h>

#include "catalog/cache/catalog_cache.h"
#include "catalog/daemon/build_info.h"
#include "catalog/daemon/options.h"
#include "catalog/daemon/views.h"
#include "catalog/ddl/ddl_executor.h"
#include "catalog/sync/sync_core.h"
#include "catalogd_idl/catalogd_types.h"

namespace catalogd::daemon {
namespace {

// Beyond these an operator should know.
constexpr double kSilentSeconds = 10;
constexpr double kLagSeconds = 30;

void AddCounts(const cache::CatalogCache::Stats& stats, api::DaemonStatus* status) {
  api::SlotCounts& counts = status->counts;
  counts.databases = static_cast<int64_t>(stats.databases);
  counts.tables = static_cast<int64_t>(stats.tables);
  counts.present = static_cast<int64_t>(stats.present);
  counts.stubs = static_cast<int64_t>(stats.stubs);
  counts.unknown = static_cast<int64_t>(stats.unknown);
  counts.absent = static_cast<int64_t>(stats.absent);
  counts.partitions = static_cast<int64_t>(stats.partitions);
  status->catalog_version = stats.last_version.value();
}

void AddReconcile(sync::SyncCore* core, api::DaemonStatus* status) {
  const sync::Reconciler::Status from = core->reconciler().status();
  const sync::SyncCounters& counters = core->counters();
  const auto time = [](WallTime at) { return at == WallTime{} ? 0 : Milliseconds(at); };
  api::ReconcileInfo& info = status->reconcile;
  info.enabled = from.enabled;
  info.database_passes = static_cast<int64_t>(from.database_passes);
  info.last_database_pass_ms = time(from.last_database_pass);
  info.passes = static_cast<int64_t>(from.passes);
  info.last_pass_ms = time(from.last_pass);
  info.running = from.running;
  info.done = static_cast<int64_t>(from.done);
  info.total = static_cast<int64_t>(from.total);
  info.compared = static_cast<int64_t>(counters.compared.load());
  info.differences = static_cast<int64_t>(counters.differences.load());
  info.repairs = static_cast<int64_t>(counters.repairs.load());
  info.in_flight = static_cast<int64_t>(from.in_flight);
  info.failures = static_cast<int64_t>(from.failures);
  info.last_difference = from.last_difference;
  info.last_failure = from.last_failure;
}

void AddReadModes(sync::SyncCore* core, api::DaemonStatus* status) {
  for (const auto& [name, mode] : core->read_modes()) {
    if (name.empty()) {
      status->read_mode = ReadModeName(mode);
      continue;
    }
    api::ReadModeEntry entry;
    entry.name = name;
    entry.mode = ReadModeName(mode);
    status->read_modes.push_back(std::move(entry));
  }
}

void AddWarnings(const ViewSources& sources, const std::optional<sync::PreflightReport>& report,
                 api::DaemonStatus* status) {
  std::vector<std::string>& warnings = status->warnings;
  warnings.insert(warnings.end(), sources.start_warnings.begin(), sources.start_warnings.end());
  if (status->pure_proxy) {
    warnings.push_back("every read passes through to the metastore: " + status->reason);
  } else if (!status->ready) {
    warnings.push_back("no answers from the cache yet: " + status->reason);
  }
  if (status->read_mode == "passthrough") {
    warnings.emplace_back(
        "read mode is passthrough: nothing is answered from the cache; "
        "`catalogctl read-mode cached` ends that");
  }
  if (status->state == "paused") {
    warnings.emplace_back(
        "following is paused: changes by others do not show; "
        "`catalogctl resume` ends that");
  }
  if (status->state == "degraded") {
    warnings.push_back(
        fmt::format("the metastore does not answer, cached reads are {:.0f} s old: "
                    "{}",
                    status->metastore.silent_seconds, status->state_reason));
  } else if (status->metastore.silent_seconds > kSilentSeconds && status->state == "active") {
    warnings.push_back(fmt::format("the metastore has not answered for {:.0f} s",
                                   status->metastore.silent_seconds));
  }
  if (status->lag_seconds > kLagSeconds) {
    warnings.push_back(fmt::format("following is {:.0f} s behind ({} events)", status->lag_seconds,
                                   status->lag_events));
  }
  const sync::SyncCounters& counters = sources.core->counters();
  if (const uint64_t count = counters.unknown_outcomes.load(); count > 0) {
    warnings.push_back(
        fmt::format("{} writes ended without an answer of the metastore; their "
                    "names are read again",
                    count));
  }
  const sync::Following& following = sources.core->following_of_names();
  if (const size_t count = following.switched_off() + following.patterns().size(); count > 0) {
    warnings.push_back(
        fmt::format("{} names or patterns are not followed (option sync-disabled, parameters "
                    "catalogd.sync.disabled and impala.disableHmsSync): they pass through",
                    count));
  }
  if (!report) return;
  for (const sync::Finding& finding : report->findings) {
    if (finding.level != sync::FindingLevel::kWarning) continue;
    warnings.push_back(fmt::format("{}: {}", finding.check, finding.text));
  }
}

}  // namespace

std::string HostPort(const std::string& host, uint16_t port) {
  const bool ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}:{}", ipv6 ? "[" + host + "]" : host, port);
}

int64_t Milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::string_view ReadModeName(sync::ReadMode mode) {
  return mode == sync::ReadMode::kCached ? "cached" : "passthrough";
}

api::MetastoreInfo MakeMetastore(const ViewSources& sources,
                                 const std::optional<sync::PreflightReport>& report) {
  api::MetastoreInfo metastore;
  metastore.endpoint = sources.metastore;
  metastore.silent_seconds = sources.core->status().metastore_silent_seconds;
  if (!report) return metastore;
  metastore.version = report->facts.version;
  metastore.generation = hms::GenerationName(report->facts.generation);
  metastore.uuid = report->facts.uuid.value_or("");
  return metastore;
}

api::DaemonStatus MakeStatus(const ViewSources& sources) {
  sync::SyncCore* core = sources.core;
  const sync::FollowStatus follow = core->status();
  const events::EventProcessor::Status processor = core->processor().status();
  const std::optional<sync::PreflightReport> report = core->preflight();
  api::DaemonStatus status;
  status.ready = follow.ready;
  status.pure_proxy = follow.pure_proxy;
  status.reason = follow.ready ? "" : follow.reason;
  status.state = events::ProcessorStateName(follow.state);
  status.state_reason = processor.reason;
  status.state_since_ms = Milliseconds(processor.since);
  status.epoch = follow.epoch.value();
  status.watermark = follow.watermark.value();
  status.latest_event_id = follow.latest_event_id.value();
  status.lag_events = follow.lag_events;
  status.lag_seconds = follow.lag_seconds;
  status.pending_events = static_cast<int64_t>(follow.pending_events);
  status.lock_waiters = static_cast<int64_t>(follow.lock_waiters);
  status.ddls_in_flight = sources.ddl->in_flight();
  status.loads_in_flight = static_cast<int64_t>(core->loader().running_or_queued());
  status.waiting = static_cast<int64_t>(core->waiter().waiting());
  status.contradictions = static_cast<int64_t>(core->counters().contradictions.load());
  status.metastore = MakeMetastore(sources, report);
  status.build_version = BuildVersion();
  status.started_ms = Milliseconds(sources.started);
  status.endpoint = sources.endpoint.Text();
  status.web = sources.web.Text();
  AddCounts(core->cache().stats(), &status);
  AddReadModes(core, &status);
  AddReconcile(core, &status);
  AddWarnings(sources, report, &status);
  return status;
}

std::vector<api::Finding> MakeFindings(const sync::PreflightReport& report) {
  std::vector<api::Finding> findings;
  for (const sync::Finding& found : report.findings) {
    api::Finding finding;
    finding.check = found.check;
    finding.level = sync::FindingLevelName(found.level);
    finding.text = found.text;
    finding.advice = found.advice;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<api::ConfigEntry> ListConfiguration(const std::vector<OptionValue>& values) {
  std::vector<api::ConfigEntry> entries;
  const std::vector<OptionRow>& rows = OptionRows();
  for (size_t i = 0; i < rows.size() && i < values.size(); ++i) {
    const OptionValue& value = values[i];
    api::ConfigEntry entry;
    entry.name = value.name;
    entry.value = value.value;
    entry.origin = value.where.empty()
                       ? std::string(OriginName(value.origin))
                       : fmt::format("{} {}", OriginName(value.origin), value.where);
    entry.default_value = rows[i].default_value;
    entry.meaning = rows[i].meaning;
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace catalogd::daemon
