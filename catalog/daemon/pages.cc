#include "catalog/daemon/pages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catalog/api/api_json.h"
#include "catalog/base/secrets.h"
#include "catalog/daemon/object_names.h"
#include "catalog/sync/sync_core.h"
#include "catalogd_idl/catalogd_types.h"

namespace catalogd::daemon {
namespace {

using nlohmann::json;
using web::WebRequest;

constexpr int64_t kPageSize = 100;
constexpr int64_t kMostRows = 1000;

Result<json> Overview(const ViewSources& sources, const WebRequest& /*request*/) {
  return api::ToJson(MakeStatus(sources));
}

json ActionCounts(const sync::SyncCounters& counters) {
  json actions = json::array();
  for (size_t i = 0; i < counters.actions.size(); ++i) {
    actions.push_back({{"action", sync::ActionName(static_cast<sync::Action>(i))},
                       {"count", counters.actions[i].load()}});
  }
  return actions;
}

Result<json> Events(const ViewSources& sources, const WebRequest& request) {
  ASSIGN_OR_RETURN(const int64_t limit, request.GetNumber("limit", kPageSize, 1, kMostRows));
  const std::string filter = request.Get("name");
  std::optional<ObjectName> name;
  if (!filter.empty()) {
    ASSIGN_OR_RETURN(name, ResolveName(sources.core, filter));
  }
  const sync::FollowStatus status = sources.core->status();
  const sync::SyncCounters& counters = sources.core->counters();
  return json{{"watermark", status.watermark.value()},
              {"latest_event_id", status.latest_event_id.value()},
              {"lag_events", status.lag_events},
              {"lag_seconds", status.lag_seconds},
              {"received", counters.events_received.load()},
              {"malformed", counters.malformed_events.load()},
              {"contradictions", counters.contradictions.load()},
              {"actions", ActionCounts(counters)},
              {"filter", filter},
              {"events", api::ListToJson(RecentEvents(sources, static_cast<size_t>(limit), name))}};
}

json Row(const ViewSources& sources, const api::ObjectSummary& object, bool is_database) {
  json row = api::ToJson(object);
  row["is_database"] = is_database;
  row["children"] = row["partitions"];
  if (is_database) {
    row.erase("partitions");
    const auto name = ResolveName(sources.core, object.name);
    row["children"] = name ? CountTables(sources, *name) : 0;
  }
  return row;
}

Result<json> Catalog(const ViewSources& sources, const WebRequest& request) {
  ASSIGN_OR_RETURN(const int64_t offset, request.GetNumber("offset", 0, 0, 100000000));
  ASSIGN_OR_RETURN(const int64_t limit, request.GetNumber("limit", kPageSize, 1, kMostRows));
  api::ListRequest list_request;
  const std::string database = request.Get("db");
  if (!database.empty()) list_request.__set_database(database);
  list_request.__set_filter(request.Get("filter"));
  list_request.offset = static_cast<int32_t>(offset);
  list_request.limit = static_cast<int32_t>(limit);
  ASSIGN_OR_RETURN(const api::ObjectList list, ListObjects(sources, list_request));
  json rows = json::array();
  for (const api::ObjectSummary& object : list.objects) {
    rows.push_back(Row(sources, object, database.empty()));
  }
  const auto shown = static_cast<int64_t>(list.objects.size());
  return json{{"database", database},
              {"filter", list_request.filter},
              {"exact", list.exact},
              {"objects", std::move(rows)},
              {"total", list.total},
              {"first", shown == 0 ? 0 : offset + 1},
              {"last", shown == 0 ? 0 : offset + shown},
              {"limit", limit},
              {"previous", offset > 0},
              {"previous_offset", std::max<int64_t>(0, offset - limit)},
              {"next", offset + shown < list.total},
              {"next_offset", offset + limit}};
}

void AddColumns(const json& columns, bool partition_key, json* out) {
  if (!columns.is_array()) return;
  for (const json& column : columns) {
    if (!column.is_object()) continue;
    out->push_back({{"name", column.value("name", json(""))},
                    {"type", column.value("type", json(""))},
                    {"comment", column.value("comment", json(""))},
                    {"partition_key", partition_key}});
  }
}

std::string TextOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json Pairs(const json& object) {
  json pairs = json::array();
  for (const auto& [key, value] : object.items()) {
    pairs.push_back({{"key", key}, {"value", TextOf(value)}});
  }
  return pairs;
}

// Pages may be looked at by more people than may use what lies behind a table's parameters; those
// who may ask the metastore for them.
void HideSecrets(json* value) {
  for (auto& [key, inner] : value->items()) {
    if (inner.is_structured()) {
      HideSecrets(&inner);
    } else if (inner.is_string() && value->is_object() && LooksSecret(key)) {
      inner = kHidden;
    } else if (inner.is_string()) {
      inner = WithoutUserInfo(inner.get_ref<const std::string&>());
    }
  }
}

// What people look for first: columns and parameters as tables, the rest as plain facts.
void Arrange(json* page) {
  json& data = *page;
  json columns = json::array();
  json facts = json::object();
  const json object = data["object"].is_object() ? data["object"] : json::object();
  for (const auto& [key, value] : object.items()) {
    if (key == "partitionKeys" || key == "parameters") continue;
    if (key != "sd") {
      facts[key] = value;
      continue;
    }
    if (!value.is_object()) continue;
    for (const auto& [inner, content] : value.items()) {
      if (inner != "cols") facts["sd." + inner] = content;
    }
    AddColumns(value.value("cols", json::array()), false, &columns);
  }
  AddColumns(object.value("partitionKeys", json::array()), true, &columns);
  data["columns"] = std::move(columns);
  data["parameters"] = Pairs(object.value("parameters", json::object()));
  data["facts"] = Pairs(facts);
}

Result<json> Object(const ViewSources& sources, const WebRequest& request) {
  const std::string text = request.Get("name");
  if (text.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "parameter name is missing: expected /object?name=db or "
                     "/object?name=db.table; /catalog lists what there is");
  }
  ASSIGN_OR_RETURN(const ObjectName name, ResolveName(sources.core, text));
  ASSIGN_OR_RETURN(const api::ObjectInfo info, MakeObject(sources, name));
  json page = api::ToJson(info);
  page["floor_known"] = !page["floor_event_id"].is_null();
  page["partitions_loaded"] = !page["partitions"].is_null();
  HideSecrets(&page["object"]);
  Arrange(&page);
  return page;
}

Result<json> Locks(const ViewSources& sources, const WebRequest& /*request*/) {
  return json{{"locks", api::ListToJson(ListLocks(sources))}};
}

Result<json> Config(const ViewSources& sources, const WebRequest& /*request*/) {
  json options = json::array();
  for (const api::ConfigEntry& entry : ListConfiguration(sources.configuration)) {
    json row = api::ToJson(entry);
    row["changed"] = entry.origin != "default";
    options.push_back(std::move(row));
  }
  return json{{"options", std::move(options)}};
}

web::Banner MakeBanner(const ViewSources& sources) {
  const sync::FollowStatus status = sources.core->status();
  if (status.pure_proxy) {
    return {"Pure proxy: every read passes through to the metastore. " + status.reason, true};
  }
  if (!status.ready) return {"No answers from the cache yet: " + status.reason, false};
  if (status.state == events::ProcessorState::kDegraded) {
    return {fmt::format("The metastore does not answer; cached reads are {:.0f} s old. {}",
                        status.metastore_silent_seconds, status.reason),
            true};
  }
  if (status.state == events::ProcessorState::kPaused) {
    return {"Following is paused: changes by others do not show.", false};
  }
  return {};
}

}  // namespace

web::Health MakeHealth(const ViewSources& sources) {
  const sync::FollowStatus status = sources.core->status();
  web::Health health;
  health.ready = status.ready;
  health.reason = status.pure_proxy ? "pure proxy: " + status.reason : status.reason;
  std::string exactness = status.reason;
  if (!status.pure_proxy) {
    exactness = status.metastore_answered ? "nothing speaks against this metastore's log"
                                          : "not checked yet: the metastore has never answered";
  }
  health.checks.push_back(
      {"exactness", !status.pure_proxy && status.metastore_answered, std::move(exactness)});
  health.checks.push_back(
      {"cache", status.ready, status.ready ? "answers are given" : status.reason});
  health.checks.push_back(
      {"following", status.state == events::ProcessorState::kActive,
       fmt::format("{}, {} events behind, {:.1f} s since {}",
                   events::ProcessorStateName(status.state), status.lag_events,
                   status.metastore_silent_seconds,
                   status.metastore_answered ? "the last answer" : "the start without an answer")});
  return health;
}

void AddPages(const ViewSources* sources, web::Site* site) {
  using Maker = Result<json> (*)(const ViewSources&, const WebRequest&);
  const auto add = [&](const char* path, const char* title, const char* name, bool navigation,
                       Maker maker) {
    site->AddPage({path, title, name, navigation, [sources, maker](const WebRequest& request) {
                     return maker(*sources, request);
                   }});
  };
  add("/", "Overview", "overview.tpl", true, Overview);
  add("/events", "Events", "events.tpl", true, Events);
  add("/catalog", "Catalog", "catalog.tpl", true, Catalog);
  add("/object", "Object", "object.tpl", false, Object);
  add("/locks", "Locks", "locks.tpl", true, Locks);
  add("/config", "Configuration", "config.tpl", true, Config);
  AddCoordPages(sources, site);
  site->SetHealth([sources] { return MakeHealth(*sources); });
  site->SetBanner([sources] { return MakeBanner(*sources); });
}

}  // namespace catalogd::daemon
