#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "catalog/daemon/option_values.h"
#include "catalog/daemon/options.h"
#include "hms_client/uri.h"

// The table of options. A default that depends on the machine is written as it is resolved.
namespace catalogd::daemon {
namespace {

using Apply = Status (*)(const std::string&, Options*);

template <std::string Options::*kMember>
Status SetText(const std::string& text, Options* options) {
  options->*kMember = text;
  return Ok();
}

template <uint16_t Options::*kMember>
Status SetPort(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(const int64_t port, ParseNumber(text, 0, std::numeric_limits<uint16_t>::max()));
  options->*kMember = static_cast<uint16_t>(port);
  return Ok();
}

template <Duration Options::*kMember, int64_t kLeastMilliseconds>
Status SetTime(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(options->*kMember, ParseDuration(text));
  if (options->*kMember < std::chrono::milliseconds(kLeastMilliseconds)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("expected at least {}ms", kLeastMilliseconds));
  }
  return Ok();
}

template <int Options::*kMember>
Status SetThreads(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(const int64_t threads, ParseNumber(text, 1, 1024));
  options->*kMember = static_cast<int>(threads);
  return Ok();
}

template <size_t Options::*kMember, int64_t kLeast>
Status SetCount(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(const int64_t count, ParseNumber(text, kLeast, 1000000));
  options->*kMember = static_cast<size_t>(count);
  return Ok();
}

template <bool Options::*kMember>
Status SetSwitch(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(options->*kMember, ParseSwitch(text));
  return Ok();
}

Status SetMetastore(const std::string& text, Options* options) {
  if (!text.empty()) RETURN_IF_ERROR(hms::ParseMetastoreUris(text));
  options->metastore = text;
  return Ok();
}

Status SetMessageSize(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(options->max_message_size, ParseSize(text));
  // Frames count their length in 31 bits.
  if (options->max_message_size < 1024 || options->max_message_size > (size_t{2} << 30U) - 1) {
    return MakeError(ErrorCode::kInvalidArgument, "expected a size from 1KiB to below 2GiB");
  }
  return Ok();
}

Status SetDeltaLogSize(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(options->delta_log_size, ParseSize(text));
  return Ok();
}

template <class Value>
struct Choice {
  std::string_view text;
  Value value;
};

template <class Value, size_t kCount>
Status Choose(const std::string& text, const Choice<Value> (&choices)[kCount], Value* out) {
  std::vector<std::string_view> names;
  for (const Choice<Value>& choice : choices) {
    if (text == choice.text) {
      *out = choice.value;
      return Ok();
    }
    names.push_back(choice.text);
  }
  return MakeError(ErrorCode::kInvalidArgument, "expected " + OneOf(names));
}

Status SetReadMode(const std::string& text, Options* options) {
  static constexpr Choice<sync::ReadMode> kChoices[] = {
      {"cached", sync::ReadMode::kCached}, {"passthrough", sync::ReadMode::kPassthrough}};
  return Choose(text, kChoices, &options->read_mode);
}

Status SetPayload(const std::string& text, Options* options) {
  static constexpr Choice<sync::PayloadMode> kChoices[] = {{"trust", sync::PayloadMode::kTrust},
                                                           {"verify", sync::PayloadMode::kVerify},
                                                           {"stub", sync::PayloadMode::kStub}};
  return Choose(text, kChoices, &options->payload);
}

Status SetAuthorization(const std::string& text, Options* options) {
  static constexpr Choice<sync::Authorization> kChoices[] = {
      {"auto", sync::Authorization::kAuto},
      {"none", sync::Authorization::kNone},
      {"per-user", sync::Authorization::kPerUser}};
  return Choose(text, kChoices, &options->authorization);
}

Status SetReadLevel(const std::string& text, Options* options) {
  using Kind = endpoint::ReadLevel::Kind;
  static constexpr Choice<Kind> kChoices[] = {{"cached", Kind::kCached}, {"latest", Kind::kLatest}};
  return Choose(text, kChoices, &options->read_level.kind);
}

// What stands between commas, without the blanks that somebody may like around it.
Result<std::vector<std::string>> ParseList(const std::string& text, std::string_view expected) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size() && !Trim(text).empty()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(Trim(std::string_view(text).substr(begin, end - begin)));
    if (parts.back().empty()) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("a comma has no name on one of its sides: expected {}", expected));
    }
    begin = end + 1;
  }
  return parts;
}

Status SetSyncDisabled(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(auto patterns, ParseList(text, "db,db.table,..."));
  for (const std::string& pattern : patterns) {
    RETURN_IF_ERROR(sync::Following::CheckPattern(pattern));
  }
  options->sync_disabled = std::move(patterns);
  return Ok();
}

template <std::vector<std::string> Options::*kMember>
Status SetUsers(const std::string& text, Options* options) {
  ASSIGN_OR_RETURN(options->*kMember, ParseList(text, "user,user,... or *"));
  return Ok();
}

Status SetDurability(const std::string& text, Options* options) {
  static constexpr Choice<bool> kChoices[] = {{"full", true}, {"normal", false}};
  return Choose(text, kChoices, &options->full_sync);
}

Status SetLogLevel(const std::string& text, Options* options) {
  static constexpr Choice<std::string_view> kChoices[] = {
      {"debug", "debug"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}};
  std::string_view chosen;
  RETURN_IF_ERROR(Choose(text, kChoices, &chosen));
  options->log_level = chosen;
  return Ok();
}

constexpr bool kForMetastore = true;
constexpr Apply kConfig = SetText<&Options::config>;

// What is followed, how it is compared with the metastore, and who follows the daemon.
std::vector<OptionRow> MakeFollowRows() {
  return {
      {"database-reconcile-interval", "TIME", "10s",
       "Time between comparisons of all databases with the metastore, whose log does not tell "
       "every change of them. 0s: never.",
       SetTime<&Options::database_reconcile_interval, 0>},
      {"reconcile-interval", "TIME", "10m",
       "Time between comparisons of all loaded tables and partitions with the metastore. 0s: "
       "never.",
       SetTime<&Options::reconcile_interval, 0>},
      {"reconcile-rate", "COUNT", "20",
       "Tables compared per second at most; 100 partitions count as one.",
       SetCount<&Options::reconcile_rate, 1>},
      {"delta-log-size", "SIZE", "128MiB",
       "Memory for changes that are kept for followers (catalogctl subscribe).", SetDeltaLogSize},
  };
}

// What readers get from the cache, and who.
std::vector<OptionRow> MakeReadRows() {
  return {
      {"read-level", "LEVEL", "cached",
       "How fresh answers are on connections that do not say (setMetaConf catalogd.read). cached: "
       "as the log was last read. latest: as of the moment of the call.",
       SetReadLevel},
      {"max-staleness", "TIME", "0s",
       "Reads of levels cached and at-least pass through while the log could not be read for so "
       "long, and fail with the metastore. 0s: they are answered from the cache however long it is "
       "away.",
       SetTime<&Options::max_staleness, 0>},
      {"authorization", "MODE", "auto",
       "Who may read from the cache. none: everybody. per-user: whoever was just shown the same "
       "table or database by the metastore; all else passes through. auto: per-user when the "
       "metastore has listeners that it asks before reads (hive.metastore.pre.event.listeners).",
       SetAuthorization},
      {"authorization-recheck", "TIME", "60s",
       "With per-user: how long a user is shown an object before the metastore is asked again.",
       SetTime<&Options::authorization_recheck, 1>},
  };
}

// Table coordination, and who may do what with it.
std::vector<OptionRow> MakeCoordinationRows() {
  return {
      {"coordination", "BOOL", "true",
       "Coordinate the tables that are registered for it: transactions, table services, versions. "
       "Their rows are kept in STATE-DIR/coord.db.",
       SetSwitch<&Options::coordination>},
      {"coord-admins", "USERS", "*",
       "Who may register tables for coordination, set their options, cancel and reset plans: users "
       "(set_ugi; anonymous: who has not said) separated by commas; *: everybody.",
       SetUsers<&Options::coord_admins>},
      {"coord-writers", "USERS", "*",
       "Who else may change coordinated tables: transactions, plans, instants. Where the metastore "
       "judges reads, it must show them the table, too.",
       SetUsers<&Options::coord_writers>},
  };
}

// How much of everything.
std::vector<OptionRow> MakeLimitRows() {
  return {
      {"metastore-connections", "COUNT", "96", "Connections to the metastore at most.",
       SetCount<&Options::metastore_connections, 16>},
      {"max-connections", "COUNT", "20000", "Client connections at most.",
       SetCount<&Options::max_connections, 1>, kForMetastore},
      {"max-connections-per-address", "COUNT", "0",
       "Client connections of one address at most; 0: as many as there may be at all.",
       SetCount<&Options::max_connections_per_address, 0>, kForMetastore},
      {"max-calls-per-user", "COUNT", "0",
       "Calls of one user (without set_ugi: of one address) passed through or writing at the same "
       "time; more wait for their turn. A write counts while it waits for the locks of its names, "
       "too; heartbeats, check_lock, unlock, commit_txn and abort_txn(s) neither count nor wait. "
       "0: as many as there are threads.",
       SetCount<&Options::max_calls_per_user, 0>},
      {"max-message-size", "SIZE", "100MiB", "Longest message taken from a client.", SetMessageSize,
       kForMetastore},
  };
}

std::vector<OptionRow> MakeRows() {
  return {
      {"config", "FILE", "", "File with options, one NAME = VALUE a line.", kConfig, kForMetastore},
      {"metastore", "URIS", "",
       "Metastores to front, e.g. thrift://a:9083,thrift://b:9083; the first that answers is used. "
       "Empty: the embedded metastore.",
       SetMetastore},
      {"hive-site", "FILE", "", "hive-site.xml whose hive.metastore.uris names the metastores.",
       SetText<&Options::hive_site>},
      {"bind-address", "IP", "127.0.0.1", "Address on which metastore clients are served.",
       SetText<&Options::bind_address>, kForMetastore},
      {"port", "PORT", "9083", "Port for metastore clients and catalogctl; 0: any free one.",
       SetPort<&Options::port>, kForMetastore},
      {"web-bind-address", "IP", "127.0.0.1", "Address of the web pages.",
       SetText<&Options::web_bind_address>},
      {"web-port", "PORT", "9084", "Port of the web pages, metrics and health; 0: any free one.",
       SetPort<&Options::web_port>},
      {"state-dir", "DIR", "",
       "Where the daemon keeps its state; made when missing. Empty: $XDG_STATE_HOME/catalogd, else "
       "~/.local/state/catalogd, else /var/lib/catalogd.",
       SetText<&Options::state_dir>, kForMetastore},
      {"read-mode", "MODE", "cached",
       "cached: answer reads from the cache where it is exact. passthrough: never.", SetReadMode},
      {"events-payload", "MODE", "trust",
       "How far event messages are believed. trust: where measured to be exact; verify: the same, "
       "and a sample is read again; stub: every change is read again.",
       SetPayload},
      {"sync-disabled", "NAMES", "",
       "Names that pass through, not followed: db, db.table or catalog.db.table, with * for any "
       "text, separated by commas. Parameter catalogd.sync.disabled does it for one object.",
       SetSyncDisabled},
      {"poll-interval", "TIME", "500ms", "Time between looks at the notification log.",
       SetTime<&Options::poll_interval, 1>},
      {"call-timeout", "TIME", "30s", "Longest wait for one of the daemon's own metastore calls.",
       SetTime<&Options::call_timeout, 1>},
      {"forward-timeout", "TIME", "10m", "Longest wait for a client's call that is passed through.",
       SetTime<&Options::forward_timeout, 1>},
      {"ddl-lock-timeout", "TIME", "60s", "Longest wait of a write for the locks of its names.",
       SetTime<&Options::ddl_lock_timeout, 1>},
      {"stop-timeout", "TIME", "30s", "Longest wait for running calls when the daemon stops.",
       SetTime<&Options::stop_timeout, 0>, kForMetastore},
      {"warehouse-dir", "DIR", "",
       "Embedded metastore: where databases lie by default. Empty: STATE-DIR/warehouse.",
       SetText<&Options::warehouse_dir>, kForMetastore},
      {"durability", "MODE", "full",
       "Embedded metastore: full survives a power cut; normal may lose the last changes then.",
       SetDurability, kForMetastore},
      {"io-threads", "COUNT", "2", "Threads that read requests and answer from the cache.",
       SetThreads<&Options::io_threads>, kForMetastore},
      {"passthrough-threads", "COUNT", "64", "Calls passed through at the same time.",
       SetThreads<&Options::passthrough_threads>, kForMetastore},
      {"ddl-threads", "COUNT", "16", "Writes at the metastore at the same time.",
       SetThreads<&Options::ddl_threads>},
      {"loader-threads", "COUNT", "4", "Objects loaded at the same time.",
       SetThreads<&Options::loader_threads>},
      {"event-threads", "COUNT", "1", "Threads that apply events.",
       SetThreads<&Options::event_threads>},
      {"log-level", "LEVEL", "info", "debug, info, warning or error.", SetLogLevel, kForMetastore},
      {"log-dir", "DIR", "", "Log files go here; must exist. Empty: no files.",
       SetText<&Options::log_dir>, kForMetastore},
      {"log-to-stderr", "BOOL", "true", "Log to standard error.",
       SetSwitch<&Options::log_to_stderr>, kForMetastore},
  };
}

}  // namespace

const std::vector<OptionRow>& OptionRows() {
  static const std::vector<OptionRow> rows = [] {
    std::vector<OptionRow> all = MakeRows();
    for (OptionRow& row : MakeFollowRows()) all.push_back(row);
    for (OptionRow& row : MakeReadRows()) all.push_back(row);
    for (OptionRow& row : MakeCoordinationRows()) all.push_back(row);
    for (OptionRow& row : MakeLimitRows()) all.push_back(row);
    return all;
  }();
  return rows;
}

std::vector<std::string> OptionNames() {
  std::vector<std::string> names;
  for (const OptionRow& row : OptionRows()) names.emplace_back(row.name);
  return names;
}

}  // namespace catalogd::daemon
