#include "hms_client/embedded/server_config.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace catalogd::hms {

namespace {

constexpr std::string_view kListener = "org.apache.hive.hcatalog.listener.DbNotificationListener";

// Without their prefix; a key is known both as hive.metastore.x and as metastore.x.
const std::map<std::string, std::string>& KnownValues() {
  static const std::map<std::string, std::string> known = {
      {"transactional.event.listeners", std::string(kListener)},
      {"event.message.factory",
       "org.apache.hadoop.hive.metastore.messaging.json.JSONMessageEncoder"},
      {"event.db.notification.api.auth", "false"},
      {"notification.parameters.exclude.patterns", ""},
      {"notifications.add.thrift.objects", "true"},
      {"alterPartitions.notification.v2.enabled", "true"},
      {"dml.events", "false"},
      {"event.listeners", ""},
      {"filter.hook", "org.apache.hadoop.hive.metastore.DefaultMetaStoreFilterHookImpl"},
      {"server.filter.enabled", "false"},
      {"rawstore.impl", "catalogd.EmbeddedMetastore"},
      {"try.direct.sql", "false"},
      {"try.direct.sql.ddl", "false"},
      {"disallow.incompatible.col.type.changes", "true"},
      {"client.capability.check", "true"},
      {"partition.name.whitelist.pattern", ""},
      {"limit.partition.request", "-1"},
      {"batch.retrieve.max", "300"},
      {"integral.jdo.pushdown", "false"},
      {"max.event.response", "1000000"},
      {"authorization.storage.checks", "false"},
      {"execute.setugi", "true"},
      {"sasl.enabled", "false"},
      {"uris", ""},
  };
  return known;
}

// What the metastore lets a client change for its connection.
constexpr std::array<std::string_view, 6> kSettable = {"try.direct.sql",
                                                       "try.direct.sql.ddl",
                                                       "disallow.incompatible.col.type.changes",
                                                       "client.capability.check",
                                                       "partition.name.whitelist.pattern",
                                                       "batch.retrieve.max"};

std::string_view WithoutPrefix(std::string_view key) {
  for (const std::string_view prefix :
       {"hive.metastore.", "metastore.metastore.", "metastore.", "hive."}) {
    if (key.starts_with(prefix)) return key.substr(prefix.size());
  }
  return {};
}

}  // namespace

Result<std::string> ConfigValue(const std::string& key, const std::string& default_value,
                                const std::string& warehouse_root) {
  if (key.empty()) return default_value;
  constexpr std::array<std::string_view, 4> kAllowed = {"hive", "hdfs", "mapred", "metastore"};
  const bool allowed = std::any_of(kAllowed.begin(), kAllowed.end(),
                                   [&](std::string_view start) { return key.starts_with(start); });
  if (!allowed) {
    return MakeError(ErrorCode::kPermission,
                     "For security reasons, the config key " + key + " cannot be accessed");
  }
  const std::string name(WithoutPrefix(key));
  if (name == "warehouse.dir" || name == "warehouse.external.dir") return warehouse_root;
  if (key == "hive.exec.default.partition.name" || key == "metastore.default.partition.name") {
    return std::string("__HIVE_DEFAULT_PARTITION__");
  }
  const auto found = KnownValues().find(name);
  return found == KnownValues().end() ? default_value : found->second;
}

Result<std::string> MetaConf(const MetaConfMap& set, const std::string& key) {
  const auto found = set.find(key);
  if (found != set.end()) return found->second;
  const std::string_view name = WithoutPrefix(key);
  const bool known = std::find(kSettable.begin(), kSettable.end(), name) != kSettable.end();
  if (!known) return MakeError(ErrorCode::kConflict, "Invalid configuration key " + key);
  return KnownValues().at(std::string(name));
}

Status SetMetaConf(MetaConfMap* set, const std::string& key, const std::string& value) {
  const std::string_view name = WithoutPrefix(key);
  if (std::find(kSettable.begin(), kSettable.end(), name) == kSettable.end()) {
    return MakeError(ErrorCode::kConflict, "Invalid configuration key " + key);
  }
  (*set)["hive.metastore." + std::string(name)] = value;
  (*set)["metastore." + std::string(name)] = value;
  return Ok();
}

}  // namespace catalogd::hms
