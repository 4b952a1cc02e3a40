#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/result.h"
#include "catalog/endpoint/session_state.h"
#include "catalog/sync/sync_core.h"

namespace catalogd::daemon {

// What the daemon runs with.
struct Options {
  std::string config;     // File with options.
  std::string hive_site;  // hive-site.xml for the connection.
  std::string metastore;  // "thrift://a:9083,thrift://b:9083"; empty: the embedded one.
  std::string bind_address;
  uint16_t port = 0;
  std::string web_bind_address;
  uint16_t web_port = 0;
  std::string state_dir;
  std::string warehouse_dir;
  bool full_sync = true;
  Duration poll_interval{};
  Duration call_timeout{};
  Duration forward_timeout{};
  Duration ddl_lock_timeout{};
  Duration stop_timeout{};
  Duration database_reconcile_interval{};
  Duration reconcile_interval{};
  size_t reconcile_rate = 0;
  size_t delta_log_size = 0;
  sync::ReadMode read_mode = sync::ReadMode::kCached;
  sync::PayloadMode payload = sync::PayloadMode::kTrust;
  sync::Authorization authorization = sync::Authorization::kAuto;
  Duration authorization_recheck{};
  endpoint::ReadLevel read_level;
  Duration max_staleness{};
  size_t max_calls_per_user = 0;
  std::vector<std::string> sync_disabled;
  bool coordination = true;
  std::vector<std::string> coord_admins;
  std::vector<std::string> coord_writers;
  int io_threads = 0;
  int passthrough_threads = 0;
  int ddl_threads = 0;
  int loader_threads = 0;
  int event_threads = 0;
  size_t max_connections = 0;
  size_t max_connections_per_address = 0;
  size_t max_message_size = 0;
  size_t metastore_connections = 0;
  std::string log_level;
  std::string log_dir;
  bool log_to_stderr = true;
};

// One row per option; everything that is known about an option is here: parsing, --help, `catalogd
// config`, the configuration page.
struct OptionRow {
  std::string_view name;  // As a flag: "poll-interval".
  std::string_view kind;  // What a value looks like: "TIME".
  std::string_view default_value;
  std::string_view meaning;
  // kInvalidArgument: what was expected.
  Status (*apply)(const std::string& text, Options* options);
  bool for_metastore = false;  // `catalogd metastore` takes it too.
};
const std::vector<OptionRow>& OptionRows();
std::vector<std::string> OptionNames();

// From least to most powerful.
enum class Origin { kDefault, kHiveSite, kFile, kEnvironment, kFlag };
std::string_view OriginName(Origin origin);

struct OptionValue {
  std::string name;
  std::string value;
  Origin origin = Origin::kDefault;
  std::string where;  // "/etc/catalogd.conf:12", "CATALOGD_PORT".
};

struct Configuration {
  Options options;
  std::vector<OptionValue> values;  // In the order of OptionRows.
  std::vector<std::string> notes;   // Worth a line in the log.
};

struct OptionSources {
  std::vector<std::pair<std::string, std::string>> flags;        // "port", "0".
  std::vector<std::pair<std::string, std::string>> environment;  // "CATALOGD_PORT", "0".
};

// Flag > environment > file > hive-site.xml > default. The file is read when a flag or a variable
// names one; hive-site.xml likewise, or when the file does.
// kInvalidArgument: an unknown name (with the one that was meant), a bad value (with what is
// expected), a broken file; kNotFound: a file that is not there. All say where it was written.
Result<Configuration> ResolveOptions(const OptionSources& sources);

// $XDG_STATE_HOME/catalogd, else ~/.local/state/catalogd, else /var/lib/catalogd.
std::string DefaultStateDir();

}  // namespace catalogd::daemon
