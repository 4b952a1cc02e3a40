#include "catalog/sync/preflight.h"

#include <algorithm>
#include <charconv>

namespace catalogd::sync {
namespace {

constexpr std::string_view kListener = "org.apache.hive.hcatalog.listener.DbNotificationListener";

// Twice what is asked for at once (events::NotificationLog::Options::batch).
constexpr int64_t kLeastReply = 2000;

class Checks {
 public:
  Checks(hms::Metastore* metastore, TimePoint deadline, PayloadMode payload,
         Authorization authorization)
      : metastore_(metastore),
        deadline_(deadline),
        payload_(payload),
        authorization_(authorization) {}

  Status Run(PreflightReport* report) {
    report_ = report;
    ASSIGN_OR_RETURN(report_->facts, metastore_->Facts(deadline_));
    Add("server", FindingLevel::kOk,
        std::string(hms::GenerationName(report_->facts.generation)) + ", version " +
            report_->facts.version,
        "");
    RETURN_IF_ERROR(Listener());
    RETURN_IF_ERROR(Readable());
    RETURN_IF_ERROR(ExcludedParameters());
    RETURN_IF_ERROR(ReplySize());
    RETURN_IF_ERROR(CachedStore());
    RETURN_IF_ERROR(FilterHooks());
    RETURN_IF_ERROR(WhoMayRead());
    RETURN_IF_ERROR(Aggregates());
    Order();
    return Ok();
  }

 private:
  void Add(std::string check, FindingLevel level, std::string text, std::string advice) {
    report_->findings.push_back({std::move(check), level, std::move(text), std::move(advice)});
  }

  // The value, or empty when the server will not tell (a key it guards or has never heard of).
  Result<std::string> Config(const std::string& key) {
    auto value = metastore_->ConfigValue(key, "", deadline_);
    if (value) return value;
    const ErrorCode code = value.error().code;
    const bool server_said_no = code == ErrorCode::kPermission || code == ErrorCode::kInternal ||
                                code == ErrorCode::kUnsupported ||
                                code == ErrorCode::kInvalidArgument || code == ErrorCode::kNotFound;
    if (server_said_no) return std::string();
    return value;
  }

  Status Listener() {
    const std::string check = "notification listener";
    ASSIGN_OR_RETURN(const std::string transactional,
                     Config("hive.metastore.transactional.event.listeners"));
    if (transactional.find(kListener) != std::string::npos) {
      Add(check, FindingLevel::kOk, "transactional", "");
      return Ok();
    }
    ASSIGN_OR_RETURN(const std::string plain, Config("hive.metastore.event.listeners"));
    const std::string advice =
        "set hive.metastore.transactional.event.listeners=" + std::string(kListener) +
        " on every metastore server and restart it";
    if (plain.find(kListener) != std::string::npos) {
      Add(check, FindingLevel::kFatal,
          "the listener is there but not transactional: events can be missing, late, or tell of "
          "changes that never happened",
          advice);
      return Ok();
    }
    Add(check, FindingLevel::kFatal,
        "the metastore writes no notification log (hive.metastore.transactional.event.listeners "
        "is '" +
            transactional + "'), so no change would ever be seen",
        advice);
    return Ok();
  }

  Status Readable() {
    const std::string check = "notification log";
    const auto current = metastore_->CurrentEventId(deadline_);
    if (!current && current.error().code == ErrorCode::kUnavailable) {
      return AsError(current.error());
    }
    const EventId from = current ? EventId(std::max<int64_t>(current->value() - 1, 0)) : EventId();
    const auto events = metastore_->NextEvents(from, 1, deadline_);
    if (current && events) {
      Add(check, FindingLevel::kOk,
          "readable, current event id " + std::to_string(current->value()), "");
      return Ok();
    }
    const Error& error = current ? events.error() : current.error();
    if (error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTimedOut ||
        error.code == ErrorCode::kUnknownOutcome) {
      return AsError(error);
    }
    Add(check, FindingLevel::kFatal, "the metastore refuses it: " + error.message,
        "set hive.metastore.event.db.notification.api.auth=false on the metastore, or give the "
        "daemon's user hadoop.proxyuser rights there");
    return Ok();
  }

  Status ExcludedParameters() {
    if (report_->facts.generation != hms::Generation::kHive4) return Ok();
    ASSIGN_OR_RETURN(const std::string patterns,
                     Config("hive.metastore.notification.parameters.exclude.patterns"));
    if (patterns.empty()) {
      Add("message parameters", FindingLevel::kOk, "complete", "");
      return Ok();
    }
    const bool believed = payload_ != PayloadMode::kStub;
    Add("message parameters", believed ? FindingLevel::kFatal : FindingLevel::kWarning,
        "parameters matching '" + patterns + "' are left out of messages",
        "clear hive.metastore.notification.parameters.exclude.patterns on the metastore, or run "
        "catalogd with --events-payload=stub");
    return Ok();
  }

  // A reply shorter than what was asked for is taken for the end of the log.
  Status ReplySize() {
    if (report_->facts.generation != hms::Generation::kHive4) return Ok();
    ASSIGN_OR_RETURN(const std::string limit, Config("hive.metastore.max.event.response"));
    int64_t events = 0;
    std::from_chars(limit.data(), limit.data() + limit.size(), events);
    if (events <= 0 || events >= kLeastReply) return Ok();
    Add("event replies", FindingLevel::kFatal,
        "the metastore cuts replies to " + limit + " events, so the end of its log cannot be told",
        "set hive.metastore.max.event.response to 10000 or more");
    return Ok();
  }

  Status CachedStore() {
    ASSIGN_OR_RETURN(const std::string raw_store, Config("hive.metastore.rawstore.impl"));
    if (raw_store.find("CachedStore") == std::string::npos) {
      Add("raw store", FindingLevel::kOk, raw_store.empty() ? "not told" : raw_store, "");
      return Ok();
    }
    Add("raw store", FindingLevel::kFatal,
        "the metastore answers from its own cache (" + raw_store +
            "), whose answers are not ordered with the log",
        "set hive.metastore.rawstore.impl=org.apache.hadoop.hive.metastore.ObjectStore");
    return Ok();
  }

  // Off by default in Hive 4; on, and of no consequence, before.
  Status Aggregates() {
    ASSIGN_OR_RETURN(const std::string enabled, Config("metastore.aggregate.stats.cache.enabled"));
    report_->caches_aggregates = enabled != "false";
    return Ok();
  }

  Status FilterHooks() {
    ASSIGN_OR_RETURN(const std::string enabled, Config("metastore.server.filter.enabled"));
    ASSIGN_OR_RETURN(const std::string hook, Config("hive.metastore.filter.hook"));
    const bool default_hook =
        hook.empty() || hook.find("DefaultMetaStoreFilterHookImpl") != std::string::npos;
    if (enabled != "true" || default_hook) {
      Add("filter hooks", FindingLevel::kOk, "none on the server", "");
      return Ok();
    }
    if (authorization_ == Authorization::kPerUser) {
      Add("filter hooks", FindingLevel::kWarning,
          "the metastore hides objects by caller (" + hook +
              "); what it hides from the daemon's user passes through",
          "exempt the daemon's user from the hook, so that it can cache everything");
      return Ok();
    }
    Add("filter hooks", FindingLevel::kFatal,
        "the metastore hides objects by caller (" + hook +
            "): hidden ones would look dropped, "
            "and one user's answers must not be given to another",
        "start the daemon with --authorization per-user, or keep it a pure proxy");
    return Ok();
  }

  // A listener that is asked before a read may refuse it to some users.
  Status WhoMayRead() {
    const std::string check = "read authorization";
    ASSIGN_OR_RETURN(const std::string listeners, Config("hive.metastore.pre.event.listeners"));
    const bool per_user = authorization_ == Authorization::kPerUser ||
                          (authorization_ == Authorization::kAuto && !listeners.empty());
    report_->reads_per_user = per_user;
    if (per_user) {
      const std::string why = listeners.empty() ? "as configured" : "it asks " + listeners;
      Add(check, FindingLevel::kOk,
          "by the metastore, for each user (" + why +
              "): others pass through; --authorization none shows everything to everybody",
          "");
    } else if (listeners.empty()) {
      Add(check, FindingLevel::kOk, "none on the server: everybody may read everything", "");
    } else {
      Add(check, FindingLevel::kWarning,
          "the metastore asks " + listeners + ", but reads from the cache do not",
          "start the daemon with --authorization per-user where that listener refuses reads");
    }
    return Ok();
  }

  void Order() {
    if (report_->facts.generation == hms::Generation::kHive2) {
      Add("event order", FindingLevel::kWarning,
          "this server's log may show ids late or twice when several writers race",
          "freshness holds up to the re-read window; see the README");
    }
  }

  hms::Metastore* const metastore_;
  const TimePoint deadline_;
  const PayloadMode payload_;
  const Authorization authorization_;
  PreflightReport* report_ = nullptr;
};

}  // namespace

std::string_view FindingLevelName(FindingLevel level) {
  switch (level) {
    case FindingLevel::kOk:
      return "ok";
    case FindingLevel::kWarning:
      return "warning";
    case FindingLevel::kFatal:
      return "fatal";
  }
  return "?";
}

bool PreflightReport::exact() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.level == FindingLevel::kFatal; });
}

std::string PreflightReport::reason() const {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.level != FindingLevel::kFatal) continue;
    if (!text.empty()) text += "; ";
    text += finding.check + ": " + finding.text;
  }
  return text;
}

Result<PreflightReport> RunPreflight(hms::Metastore* metastore, TimePoint deadline,
                                     PayloadMode payload, Authorization authorization) {
  PreflightReport report;
  RETURN_IF_ERROR(Checks(metastore, deadline, payload, authorization).Run(&report));
  return report;
}

}  // namespace catalogd::sync
