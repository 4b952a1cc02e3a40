#include "catalog/daemon/metrics.h"

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

#include "catalog/daemon/build_info.h"
#include "catalog/daemon/metric_families.h"
#include "catalog/daemon/metrics_coord.h"
#include "catalog/ddl/ddl_executor.h"
#include "catalog/sync/sync_core.h"

namespace catalogd::daemon {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

uint64_t Load(const std::atomic<uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

class Metrics final : public prometheus::Collectable {
 public:
  explicit Metrics(const MetricSources& sources) : sources_(sources) {}

  [[nodiscard]] std::vector<MetricFamily> Collect() const override {
    Families out;
    out.Labelled("catalogd_build_info", "Version of this build.", MetricType::Gauge, "version",
                 BuildVersion(), 1);
    Follow(&out);
    Log(&out);
    Sync(&out);
    Cache(&out);
    SideAnswers(&out);
    EndpointCalls(&out);
    Connections(&out);
    AddCoordMetrics(*sources_.views, &out);
    return out.Take();
  }

 private:
  void Follow(Families* out) const {
    const sync::FollowStatus status = sources_.views->core->status();
    out->Gauge("catalogd_ready", "1: cached answers are given.", status.ready ? 1 : 0);
    out->Gauge("catalogd_pure_proxy", "1: exactness cannot be shown, everything passes through.",
               status.pure_proxy ? 1 : 0);
    out->Gauge("catalogd_log_epoch", "Rises when the notification log is another one.",
               static_cast<double>(status.epoch.value()));
    out->Gauge("catalogd_watermark_event_id", "Every event up to it is reflected for all names.",
               static_cast<double>(status.watermark.value()));
    out->Gauge("catalogd_latest_event_id", "Newest event known.",
               static_cast<double>(status.latest_event_id.value()));
    out->Gauge("catalogd_lag_events", "Events known and not yet applied.",
               static_cast<double>(status.lag_events));
    out->Gauge("catalogd_lag_seconds", "Age of the oldest event not applied.", status.lag_seconds);
    out->Gauge("catalogd_metastore_silent_seconds",
               "Since the metastore last answered; since the start if it never did.",
               status.metastore_silent_seconds);
    out->Gauge("catalogd_polling", "1: the metastore is being asked for events right now.",
               sources_.views->core->processor().status().polling ? 1 : 0);
    out->Gauge("catalogd_pending_events", "Events whose lane has not come to them.",
               static_cast<double>(status.pending_events));
    out->Gauge("catalogd_pending_lanes", "Names with events that are not applied.",
               static_cast<double>(status.pending_lanes));
    out->Gauge("catalogd_collapsed_lanes",
               "Of those: names whose events wait so long that they will be read again.",
               static_cast<double>(status.collapsed_lanes));
    out->Gauge("catalogd_lock_waiters", "Requests waiting for name locks.",
               static_cast<double>(status.lock_waiters));
  }

  void Log(Families* out) const {
    const sync::SyncCounters& counters = sources_.views->core->counters();
    for (size_t i = 1; i < events::kLogConditionCount; ++i) {  // 0: all is well.
      const auto condition = static_cast<events::LogCondition>(i);
      const auto count = Load(counters.conditions.at(i));
      out->Labelled("catalogd_log_conditions_total", "Findings about the log itself.",
                    MetricType::Counter, "condition",
                    std::string(events::LogConditionName(condition)), static_cast<double>(count));
    }
    const events::NotificationLog::Stats log = sources_.views->core->log().stats();
    out->Counter("catalogd_late_events_total", "Events whose ids came late or twice.",
                 log.late_or_duplicate);
    out->Counter("catalogd_tail_dropped_events_total",
                 "Events that left memory before they were applied or let go, for want of room.",
                 log.dropped);
    out->Gauge("catalogd_tail_bytes", "Memory of events that are kept.",
               static_cast<double>(log.bytes));
  }

  void Sync(Families* out) const {
    const sync::SyncCounters& counters = sources_.views->core->counters();
    for (int i = 0; i < sync::kActionCount; ++i) {
      out->Labelled("catalogd_event_actions_total", "What became of events, per name touched.",
                    MetricType::Counter, "action",
                    std::string(sync::ActionName(static_cast<sync::Action>(i))),
                    static_cast<double>(Load(counters.actions.at(static_cast<size_t>(i)))));
    }
    out->Counter("catalogd_events_received_total", "Events fetched from the log.",
                 Load(counters.events_received));
    out->Counter("catalogd_malformed_events_total", "Events whose message was not understood.",
                 Load(counters.malformed_events));
    out->Counter("catalogd_disabled_events_total", "Events of names that are not followed.",
                 Load(counters.disabled_events));
    out->Counter("catalogd_merged_events_total",
                 "Events applied without their content, because a later one replaces it.",
                 Load(counters.events_merged));
    out->Counter("catalogd_lanes_collapsed_total",
                 "Names whose events waited too long for their lock: they are read again.",
                 Load(counters.lanes_collapsed));
    out->Gauge("catalogd_disabled_names", "Names whose own parameter switches following off.",
               static_cast<double>(sources_.views->core->following_of_names().switched_off()));
    out->Counter("catalogd_verified_payloads_total",
                 "Tables read again and compared with what messages said.",
                 Load(counters.verified_payloads));
    out->Counter("catalogd_unverified_payloads_total",
                 "Tables read again in vain: they were changing.",
                 Load(counters.unverified_payloads));
    out->Counter("catalogd_payload_differences_total",
                 "Tables that were not what messages said; they are read again.",
                 Load(counters.payload_differences));
    out->Counter("catalogd_contradictions_total", "Events that contradict what was known.",
                 Load(counters.contradictions));
    out->Counter("catalogd_object_reads_total",
                 "Tables and databases read from the metastore by the daemon itself.",
                 Load(counters.object_reads));
    out->Counter("catalogd_loads_total", "Objects loaded.", Load(counters.loads));
    out->Counter("catalogd_load_failures_total", "Loads given up.", Load(counters.load_failures));
    out->Counter("catalogd_load_retries_total", "Reads repeated because events lay around them.",
                 Load(counters.load_retries));
    out->Counter("catalogd_ddls_total", "Writes through the daemon.", Load(counters.ddls));
    out->Counter("catalogd_ddl_failures_total", "Writes without an answer of the metastore.",
                 Load(counters.ddl_failures));
    out->Counter("catalogd_ddl_not_brought_up_total",
                 "Writes answered before the cache had caught up.",
                 Load(counters.ddl_not_brought_up));
    out->Counter("catalogd_ddl_event_missing_total",
                 "Writes that were done and whose event the log did not show.",
                 Load(counters.ddl_event_missing));
    out->Counter("catalogd_unknown_outcomes_total", "Writes of which nobody knows the outcome.",
                 Load(counters.unknown_outcomes));
    out->Counter("catalogd_resyncs_total", "Times the daemon became ready.",
                 Load(counters.resyncs));
    Reconcile(out);
    out->Gauge("catalogd_ddls_in_flight", "Writes that run or wait.",
               static_cast<double>(sources_.views->ddl->in_flight()));
    out->Counter("catalogd_current_id_calls_total", "Shared current-id calls for latest reads.",
                 sources_.views->core->read_index().calls());
  }

  void Reconcile(Families* out) const {
    const sync::SyncCounters& counters = sources_.views->core->counters();
    const sync::Reconciler::Status status = sources_.views->core->reconciler().status();
    out->Counter("catalogd_reconcile_compared_total",
                 "Objects compared with the metastore, equal ones too.", Load(counters.compared));
    out->Counter("catalogd_reconcile_differences_total",
                 "Objects that differed with nothing under way to explain it.",
                 Load(counters.differences));
    out->Counter("catalogd_reconcile_repairs_total", "Of these, those put right.",
                 Load(counters.repairs));
    out->Counter("catalogd_reconcile_in_flight_total",
                 "Differences that something under way explained.", status.in_flight);
    out->Counter("catalogd_reconcile_failures_total", "Objects that could not be read.",
                 status.failures);
    out->Labelled("catalogd_reconcile_passes_total", "Passes that came to their end.",
                  MetricType::Counter, "of", "databases",
                  static_cast<double>(status.database_passes));
    out->Labelled("catalogd_reconcile_passes_total", "Passes that came to their end.",
                  MetricType::Counter, "of", "tables", static_cast<double>(status.passes));
  }

  void Cache(Families* out) const {
    const cache::CatalogCache::Stats stats = sources_.views->core->cache().stats();
    const auto slots = [&](const char* state, size_t count) {
      out->Labelled("catalogd_slots", "Names by what is known of them.", MetricType::Gauge, "state",
                    state, static_cast<double>(count));
    };
    slots("present", stats.present);
    slots("stub", stats.stubs);
    slots("unknown", stats.unknown);
    slots("absent", stats.absent);
    out->Gauge("catalogd_cached_partitions", "Partitions held.",
               static_cast<double>(stats.partitions));
    out->Counter("catalogd_commits_total", "Commits to the cache.", stats.commits);
    out->Gauge("catalogd_catalog_version", "Version of the last commit.",
               static_cast<double>(stats.last_version.value()));
    const cache::DeltaLog::Stats deltas = sources_.views->core->cache().deltas().stats();
    out->Gauge("catalogd_delta_log_deltas", "Changes kept for followers.",
               static_cast<double>(deltas.deltas));
    out->Gauge("catalogd_delta_log_bytes", "What they hold, at most.",
               static_cast<double>(deltas.bytes));
    out->Gauge("catalogd_delta_log_oldest_version", "Followers at a version before it meet a gap.",
               static_cast<double>(deltas.forgotten.value()));
  }

  void SideAnswers(Families* out) const {
    const sync::SideAnswers::Stats side = sources_.views->core->side_answers().stats();
    out->Counter("catalogd_side_answer_hits_total",
                 "Reads of functions, constraints and statistics answered with a kept answer.",
                 side.hits);
    out->Counter("catalogd_side_answer_misses_total", "Such reads that went to the metastore.",
                 side.misses);
    for (size_t i = 0; i < sync::kStaleReasonCount; ++i) {
      out->Labelled("catalogd_side_answers_dropped_total", "Kept answers that are no more, by why.",
                    MetricType::Counter, "reason",
                    std::string(sync::StaleReasonName(static_cast<sync::StaleReason>(i))),
                    static_cast<double>(side.stale.at(i)));
    }
    out->Gauge("catalogd_side_answers", "Answers kept, and reads under way that may be.",
               static_cast<double>(side.answers));
    out->Gauge("catalogd_side_answer_bytes", "What they hold.", static_cast<double>(side.bytes));
  }

  void EndpointCalls(Families* out) const {
    const endpoint::EndpointCounters::Snapshot calls = sources_.endpoint->counters().Read();
    for (const auto& [method, count] : calls.by_method) {
      out->Labelled("catalogd_calls_total", "Client calls.", MetricType::Counter, "method", method,
                    static_cast<double>(count));
    }
    out->Counter("catalogd_cached_answers_total", "Calls answered from the cache.",
                 calls.cached_answers);
    out->Counter("catalogd_passed_through_total", "Calls passed through to the metastore.",
                 calls.passed_through);
    out->Counter("catalogd_not_loaded_total", "Passed through because not loaded.",
                 calls.not_loaded);
    out->Counter("catalogd_not_exact_total", "Passed through because not exact.", calls.not_exact);
    out->Counter("catalogd_floor_waits_total", "Reads that waited for the cache.",
                 calls.floor_waits);
    out->Counter("catalogd_floor_timeouts_total", "Of these, passed through in the end.",
                 calls.floor_timeouts);
    out->Counter("catalogd_translated_calls_total", "Calls made from others for the metastore.",
                 calls.translated);
    out->Counter("catalogd_queue_full_total", "Calls refused because a queue was full.",
                 calls.queue_full);
    out->Gauge("catalogd_calls_waiting_for_turn", "Calls behind others of their user.",
               static_cast<double>(sources_.endpoint->waiting_for_turn()));
    out->Counter("catalogd_call_errors_total", "Error answers made by the daemon.", calls.errors);
  }

  void Connections(Families* out) const {
    const server::ServerStats server = sources_.server->stats();
    out->Gauge("catalogd_client_connections", "Open client connections.",
               static_cast<double>(server.open));
    out->Counter("catalogd_client_connections_total", "Accepted.", server.accepted);
    out->Counter("catalogd_client_connections_refused_total", "Over the limit.", server.refused);
    out->Counter("catalogd_broken_messages_total", "Malformed or oversized.",
                 server.broken_messages);
    const hms::PoolStats pool = sources_.pool->stats();
    out->Gauge("catalogd_metastore_connections", "Open connections to the metastore.",
               static_cast<double>(pool.open));
    out->Gauge("catalogd_metastore_connections_in_use", "Of these, in use.",
               static_cast<double>(pool.in_use));
    out->Counter("catalogd_metastore_connection_waits_total", "Found all in use.", pool.waits);
    out->Counter("catalogd_metastore_failures_total", "Connections or calls that failed.",
                 pool.failures);
  }

  const MetricSources sources_;
};

}  // namespace

std::shared_ptr<prometheus::Collectable> MakeMetrics(const MetricSources& sources) {
  return std::make_shared<Metrics>(sources);
}

}  // namespace catalogd::daemon
