#include "tools/catalogctl/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/api/api_json.h"

namespace catalogd::ctl {
namespace {

std::string Number(int64_t value) { return std::to_string(value); }

std::string Partitions(int64_t count) { return count < 0 ? "-" : Number(count); }

std::string Count(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string MetastoreText(const api::MetastoreInfo& metastore) {
  if (metastore.generation.empty()) {
    return fmt::format("{}, never answered since the start {:.1f} s ago", metastore.endpoint,
                       metastore.silent_seconds);
  }
  return fmt::format("{}, {} {}, last answered {:.1f} s ago", metastore.endpoint,
                     metastore.generation, metastore.version, metastore.silent_seconds);
}

void Line(std::string* out, std::string_view key, const std::string& value) {
  *out += fmt::format("{:<18} {}\n", key, value);
}

std::string Headline(const api::DaemonStatus& status) {
  if (status.pure_proxy) return "pure proxy: " + status.reason;
  if (!status.ready) return "not ready: " + status.reason;
  return "ready";
}

std::string ReconcileText(const api::ReconcileInfo& info) {
  if (!info.enabled) return "off";
  std::string text = fmt::format("{} compared, {}, {} repaired", info.compared,
                                 Count(info.differences, "difference"), info.repairs);
  if (info.running) text += fmt::format("; {} of {} names of this pass", info.done, info.total);
  if (!info.last_difference.empty()) text += "; last: " + info.last_difference;
  if (info.failures > 0) {
    text += fmt::format("; {}, last: {}", Count(info.failures, "failure"), info.last_failure);
  }
  return text;
}

std::vector<std::string> EventRow(const api::EventInfo& event) {
  return {event.event_id == 0 ? "-" : Number(event.event_id),
          event.type,
          event.name,
          event.action,
          event.by,
          api::TimeText(event.applied_at_ms),
          event.reason};
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::string Table(const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  widths.reserve(heading.size());
  for (const std::string& cell : heading) widths.push_back(cell.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add(heading);
  for (const auto& row : rows) add(row);
  return out;
}

std::string Text(const api::DaemonStatus& status) {
  std::string out;
  Line(&out, "catalogd", Headline(status));
  // Reasons are long: one that a line has told already is not told again.
  const auto told = [&out](const std::string& reason) {
    return reason.empty() || out.find(reason) != std::string::npos;
  };
  for (const std::string& warning : status.warnings) {
    const bool repeats = !status.reason.empty() && warning.ends_with(status.reason);
    if (!repeats || !told(status.reason)) Line(&out, "warning", warning);
  }
  Line(&out, "following",
       status.state + " since " + api::TimeText(status.state_since_ms) +
           (told(status.state_reason) ? "" : ": " + status.state_reason));
  Line(&out, "watermark",
       fmt::format("{} of {} (epoch {}), {} and {:.1f} s behind", status.watermark,
                   status.latest_event_id, status.epoch, Count(status.lag_events, "event"),
                   status.lag_seconds));
  Line(&out, "metastore", MetastoreText(status.metastore));
  Line(&out, "objects",
       fmt::format("{}, {}, {}; {} loaded, {}, {} unknown",
                   Count(status.counts.databases, "database"), Count(status.counts.tables, "table"),
                   Count(status.counts.partitions, "partition"), status.counts.present,
                   Count(status.counts.stubs, "stub"), status.counts.unknown));
  Line(&out, "work",
       fmt::format("{}, {}, {} waiting for locks, {}", Count(status.ddls_in_flight, "DDL"),
                   Count(status.loads_in_flight, "load"), status.lock_waiters,
                   Count(status.waiting, "wait")));
  Line(&out, "reconcile", ReconcileText(status.reconcile));
  Line(&out, "read mode", status.read_mode);
  for (const api::ReadModeEntry& entry : status.read_modes) {
    if (!entry.name.empty()) Line(&out, "  " + entry.name, entry.mode);
  }
  Line(&out, "endpoint", status.endpoint + ", web " + status.web);
  Line(&out, "version", status.build_version + ", up since " + api::TimeText(status.started_ms));
  return out;
}

std::string Text(const api::ObjectInfo& object) {
  const api::ObjectSummary& summary = object.summary;
  std::string out;
  Line(&out, "name", summary.name);
  Line(&out, "state", summary.state);
  Line(&out, "synced event",
       fmt::format("{} (effective {})", summary.synced_event_id, summary.effective_event_id));
  Line(&out, "catalog version", Number(summary.catalog_version));
  Line(&out, "made",
       fmt::format("{} event {}", object.incarnation_known ? "at" : "at or before",
                   object.incarnation));
  Line(&out, "partitions", Partitions(summary.partitions));
  Line(&out, "answered from", object.served_from_cache ? "the cache" : "the metastore");
  Line(&out, "read floor",
       object.floor_event_id < 0 ? "never, until an own write is settled"
                                 : Number(object.floor_event_id));
  if (!object.object_json.empty()) out += object.object_json + "\n";
  if (!object.recent.empty()) out += "\n" + Text(object.recent);
  return out;
}

std::string Text(const api::ObjectList& list) {
  std::vector<std::vector<std::string>> rows;
  for (const api::ObjectSummary& object : list.objects) {
    rows.push_back({object.name, object.state, Number(object.synced_event_id),
                    Number(object.catalog_version), Partitions(object.partitions)});
  }
  std::string out = Table({"NAME", "STATE", "SYNCED", "VERSION", "PARTITIONS"}, rows);
  out += fmt::format("{} of {}{}\n", list.objects.size(), list.total,
                     list.exact ? "" : "; some names are in doubt");
  return out;
}

std::string Text(const api::WaitResult& result) {
  return fmt::format("at event {} after {} ms (watermark {})\n", result.event_id, result.waited_ms,
                     result.watermark);
}

std::string Text(const api::DoctorReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const api::Finding& finding : report.findings) {
    rows.push_back({finding.level, finding.check, finding.text});
  }
  std::string out = Table({"LEVEL", "CHECK", "FOUND"}, rows);
  for (const api::Finding& finding : report.findings) {
    if (!finding.advice.empty()) out += finding.check + ": " + finding.advice + "\n";
  }
  const bool asked =
      std::none_of(report.findings.begin(), report.findings.end(),
                   [](const auto& finding) { return finding.check == "connection"; });
  if (report.exact) {
    out += "cached answers may be given\n";
  } else {
    out += asked
               ? "cached answers may not be given: the daemon is a pure proxy\n"
               : "not checked whether cached answers may be given: the metastore does not answer\n";
  }
  return out;
}

std::string Text(const std::vector<api::EventInfo>& events) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(events.size());
  for (const api::EventInfo& event : events) rows.push_back(EventRow(event));
  return Table({"EVENT", "TYPE", "NAME", "ACTION", "BY", "APPLIED", "REASON"}, rows);
}

std::string Text(const std::vector<api::LockInfo>& locks) {
  std::vector<std::vector<std::string>> rows;
  for (const api::LockInfo& lock : locks) {
    std::string behind;
    for (const int64_t ticket : lock.behind) {
      behind += (behind.empty() ? "behind " : ", ") + Number(ticket);
    }
    rows.push_back({Number(lock.ticket), lock.granted ? "held" : "waiting",
                    fmt::format("{:.1f} s", lock.since_seconds), lock.owner, Joined(lock.names),
                    behind});
  }
  return Table({"TICKET", "STATE", "SINCE", "OWNER", "NAMES", ""}, rows);
}

std::string Text(const std::vector<api::DiffEntry>& entries,
                 const std::map<std::string, int64_t>& counts) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(entries.size());
  for (const api::DiffEntry& entry : entries) {
    rows.push_back({entry.name, entry.repaired ? entry.outcome + ", repaired" : entry.outcome,
                    entry.event_id == 0 ? "-" : Number(entry.event_id), entry.text});
  }
  std::string out = rows.empty() ? "" : Table({"NAME", "OUTCOME", "EVENT", "WHAT"}, rows);
  std::string summary;
  for (const auto& [outcome, count] : counts) {
    if (count == 0) continue;
    summary += (summary.empty() ? "" : ", ") + fmt::format("{} {}", count, outcome);
  }
  return out + (summary.empty() ? "nothing to compare" : summary) + "\n";
}

std::string Text(const api::DeltaInfo& delta) {
  std::string line = fmt::format("{} {} {} synced {}", delta.catalog_version, delta.state,
                                 delta.name, delta.synced_event_id);
  if (delta.partitions >= 0) line += ", " + Count(delta.partitions, "partition");
  if (delta.partitions_changed) line += " (changed)";
  if (!delta.reason.empty()) line += ": " + delta.reason;
  return line;
}

std::string LineOf(const api::EventInfo& event) {
  std::string line;
  for (const std::string& cell : EventRow(event)) {
    if (!cell.empty()) line += (line.empty() ? "" : "  ") + cell;
  }
  return line;
}

std::string Text(const std::vector<api::ConfigEntry>& entries) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(entries.size());
  for (const api::ConfigEntry& entry : entries) {
    rows.push_back({entry.name, entry.value, entry.origin, entry.meaning});
  }
  return Table({"OPTION", "VALUE", "FROM", "MEANING"}, rows);
}

}  // namespace catalogd::ctl
