#include <fmt/format.h>

#include <algorithm>

#include "catalog/api/api_json.h"
#include "catalog/cache/catalog_cache.h"
#include "catalog/daemon/object_json.h"
#include "catalog/daemon/object_names.h"
#include "catalog/daemon/views.h"
#include "catalog/sync/sync_core.h"
#include "catalogd_idl/catalogd_types.h"

#include <nlohmann/json.hpp>

namespace catalogd::daemon {
namespace {

constexpr size_t kRecentOfObject = 10;
constexpr size_t kJournalLook = 2000;
constexpr int32_t kMostListed = 100000;
constexpr int32_t kMostEvents = 10000;

api::ObjectSummary Summarise(const ObjectName& name, const sync::ReadPosition& position) {
  api::ObjectSummary summary;
  summary.name = name.ToString();
  summary.state = cache::SlotStateName(position.view.state);
  summary.synced_event_id = position.view.synced.value();
  summary.effective_event_id = position.effective.value();
  summary.catalog_version = position.view.version.value();
  const cache::SnapshotPtr& snapshot = position.view.snapshot;
  const bool loaded = snapshot != nullptr && snapshot->partitions != nullptr;
  summary.partitions = loaded ? static_cast<int64_t>(snapshot->partitions->size()) : -1;
  return summary;
}

// What has been set for the name, its database or the daemon, in this order.
std::string ReadModeOf(const sync::SyncCore& core, const ObjectName& name) {
  const auto modes = core.read_modes();
  for (const std::string& key : {name.ToString(), name.DatabaseName().ToString(), std::string()}) {
    const auto found = modes.find(key);
    if (found != modes.end()) return std::string(ReadModeName(found->second));
  }
  return "";
}

std::string ObjectText(const ObjectName& name, const cache::SlotView& view) {
  if (view.snapshot == nullptr) return "";
  const std::string& bytes = view.snapshot->object;
  return api::DumpJson(name.is_table() ? TableToJson(bytes) : DatabaseToJson(bytes));
}

std::string WhereToLook(const ObjectName& missing) {
  if (missing.is_database()) return "`catalogctl list` shows the databases";
  return fmt::format("`catalogctl list {}` shows the tables of the database",
                     missing.DatabaseName().ToString());
}

// Of a database: what happened to itself before what happened to its tables.
std::vector<api::EventInfo> RecentOf(const ViewSources& sources, const ObjectName& name) {
  const std::string own = name.ToString();
  std::vector<api::EventInfo> events = RecentEvents(sources, kJournalLook, name);
  std::stable_partition(events.begin(), events.end(),
                        [&own](const api::EventInfo& event) { return event.name == own; });
  if (events.size() > kRecentOfObject) events.resize(kRecentOfObject);
  return events;
}

ObjectName ChildOf(const ObjectName& parent, const std::string& child) {
  return parent.db().empty() ? ObjectName::Database(parent.catalog(), child)
                             : ObjectName::Table(parent.catalog(), parent.db(), child);
}

}  // namespace

api::ObjectSummary MakeSummary(const ViewSources& sources, const ObjectName& name) {
  return Summarise(name, sources.core->Look(name));
}

Result<api::ObjectInfo> MakeObject(const ViewSources& sources, const ObjectName& name) {
  sync::SyncCore* core = sources.core;
  const sync::ReadPosition position = core->Look(name);
  const bool known = position.view.version.value() != 0;
  if (position.view.state == cache::SlotState::kAbsent && !known) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: no such {} as of event {}; {}", name.ToString(),
                                 name.is_table() ? "table" : "database", position.effective.value(),
                                 WhereToLook(name)));
  }
  api::ObjectInfo info;
  info.summary = Summarise(name, position);
  info.incarnation = position.view.incarnation.value();
  info.incarnation_known = position.view.incarnation != core->listed_at();
  info.served_from_cache = core->Serves(name) && position.view.state == cache::SlotState::kPresent;
  const EventId floor = core->FloorOf(name);
  info.floor_event_id = floor == sync::Floors::kNever ? -1 : floor.value();
  info.read_mode = ReadModeOf(*core, name);
  if (const std::string why = core->following_of_names().Why(name); !why.empty()) {
    info.read_mode = "passthrough: not followed (" + why + ")";
  }
  info.object_json = ObjectText(name, position.view);
  info.recent = RecentOf(sources, name);
  return info;
}

Result<api::ObjectList> ListObjects(const ViewSources& sources, const api::ListRequest& request) {
  if (request.offset < 0 || request.limit < 0 || request.limit > kMostListed) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("list: expected an offset from 0 and a limit up to {}", kMostListed));
  }
  ObjectName parent = ObjectName::Database(kDefaultCatalog, "");
  if (request.__isset.database && !request.database.empty()) {
    ASSIGN_OR_RETURN(parent, ResolveName(sources.core, request.database));
    if (!parent.is_database()) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("list {}: expected a database, this names a table", request.database));
    }
    if (sources.core->Look(parent).view.state == cache::SlotState::kAbsent) {
      return MakeError(ErrorCode::kNotFound, fmt::format("{}: no such database; {}",
                                                         parent.ToString(), WhereToLook(parent)));
    }
  }
  const cache::CatalogCache& cache = sources.core->cache();
  const cache::CatalogCache::Listing listing =
      parent.db().empty() ? cache.Databases(parent.catalog()) : cache.Tables(parent);
  const std::string filter = request.__isset.filter ? NormalizeName(request.filter) : "";
  api::ObjectList list;
  list.exact = listing.exact;
  for (const std::string& name : listing.names) {
    if (name.find(filter) == std::string::npos) continue;
    const int64_t index = list.total++;
    if (index < request.offset || index >= int64_t{request.offset} + request.limit) continue;
    list.objects.push_back(MakeSummary(sources, ChildOf(parent, name)));
  }
  return list;
}

int64_t CountTables(const ViewSources& sources, const ObjectName& database) {
  return static_cast<int64_t>(sources.core->cache().Tables(database).names.size());
}

std::vector<api::EventInfo> RecentEvents(const ViewSources& sources, size_t limit,
                                         const std::optional<ObjectName>& name) {
  std::vector<api::EventInfo> events;
  for (sync::JournalEntry& entry : sources.core->journal().Recent(name ? kJournalLook : limit)) {
    if (events.size() >= limit) break;
    if (name && entry.name != *name && entry.name.DatabaseName() != *name) continue;
    api::EventInfo event;
    event.event_id = entry.event.value();
    event.type = std::move(entry.type);
    event.name = entry.name.db().empty() ? "" : entry.name.ToString();
    event.action = std::move(entry.action);
    event.reason = std::move(entry.reason);
    event.by = std::move(entry.by);
    event.event_time_ms = int64_t{entry.event_time} * 1000;
    event.applied_at_ms = Milliseconds(entry.applied_at);
    event.sequence = static_cast<int64_t>(entry.sequence);
    events.push_back(std::move(event));
  }
  return events;
}

Result<std::vector<api::EventInfo>> ListEvents(const ViewSources& sources,
                                               const api::EventsRequest& request) {
  std::optional<ObjectName> name;
  if (request.__isset.name && !request.name.empty()) {
    ASSIGN_OR_RETURN(name, ResolveName(sources.core, request.name));
  }
  if (request.limit < 1) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("events: expected a limit from 1 to {}", kMostEvents));
  }
  const auto limit = static_cast<size_t>(std::min(request.limit, kMostEvents));
  if (!request.__isset.after_sequence) return RecentEvents(sources, limit, name);
  std::vector<api::EventInfo> events = RecentEvents(sources, kJournalLook, name);
  std::erase_if(events, [&](const api::EventInfo& event) {
    return event.sequence <= request.after_sequence;
  });
  if (events.size() > limit) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(limit));
  }
  return events;
}

std::vector<api::LockInfo> ListLocks(const ViewSources& sources) {
  std::vector<api::LockInfo> locks;
  const TimePoint now = sources.clock->Now();
  for (const cache::NameLocks::Info& info : sources.core->locks().Snapshot()) {
    api::LockInfo lock;
    lock.ticket = static_cast<int64_t>(info.ticket);
    lock.owner = info.owner;
    for (const auto& [name, mode] : info.names) {
      lock.names.push_back(fmt::format("{} {}", cache::LockModeName(mode), name.ToString()));
    }
    lock.granted = info.granted;
    lock.since_seconds = std::chrono::duration<double>(now - info.since).count();
    for (const uint64_t ticket : info.behind) lock.behind.push_back(static_cast<int64_t>(ticket));
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace catalogd::daemon
