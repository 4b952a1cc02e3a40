#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"

namespace catalogd::api {
class ConfigEntry;
class DaemonStatus;
class DeltaBatch;
class DeltasRequest;
class DumpPage;
class DumpRequest;
class EventInfo;
class EventsRequest;
class Finding;
class ListRequest;
class LockInfo;
class MetastoreInfo;
class ObjectInfo;
class ObjectList;
class ObjectSummary;
}  // namespace catalogd::api
namespace catalogd::ddl {
class DdlExecutor;
}
namespace catalogd::sync {
class SyncCore;
enum class ReadMode;
struct PreflightReport;
}  // namespace catalogd::sync

// What the daemon knows, in the structs of catalogd.thrift: one place for service, pages and
// metrics. Only snapshots are copied; nothing waits.
// Thread safety: yes.
namespace catalogd::daemon {

class Coordination;
struct OptionValue;

// "127.0.0.1:9083"; an IPv6 address stands in brackets.
std::string HostPort(const std::string& host, uint16_t port);

// Where something listens. The port is known only once clients may already be asking.
struct Listening {
  std::string host;
  std::atomic<uint16_t> port{0};
  [[nodiscard]] std::string Text() const { return HostPort(host, port); }
};

// What views are made of; everything outlives them.
struct ViewSources {
  sync::SyncCore* core = nullptr;
  const ddl::DdlExecutor* ddl = nullptr;
  Coordination* coordination = nullptr;
  const Clock* clock = nullptr;
  std::string metastore;  // "embedded" or the URIs.
  Listening endpoint;     // For metastore clients.
  Listening web;
  WallTime started;
  std::vector<OptionValue> configuration;
  std::vector<std::string> start_warnings;  // Found at the start; they stay until the next one.
};

int64_t Milliseconds(WallTime time);
std::string_view ReadModeName(sync::ReadMode mode);

api::DaemonStatus MakeStatus(const ViewSources& sources);
api::MetastoreInfo MakeMetastore(const ViewSources& sources,
                                 const std::optional<sync::PreflightReport>& report);
// kNotFound: a name that does not exist.
Result<api::ObjectInfo> MakeObject(const ViewSources& sources, const ObjectName& name);
api::ObjectSummary MakeSummary(const ViewSources& sources, const ObjectName& name);
// kNotFound: no such database; kInvalidArgument: a bad name or number.
Result<api::ObjectList> ListObjects(const ViewSources& sources, const api::ListRequest& request);
// How many tables a database has as far as is known.
int64_t CountTables(const ViewSources& sources, const ObjectName& database);
// Newest first.
std::vector<api::EventInfo> RecentEvents(const ViewSources& sources, size_t limit,
                                         const std::optional<ObjectName>& name);
// As the request says; does not wait. kInvalidArgument: a bad name.
Result<std::vector<api::EventInfo>> ListEvents(const ViewSources& sources,
                                               const api::EventsRequest& request);
// As the requests say; neither waits. kInvalidArgument: a bad number.
Result<api::DeltaBatch> MakeDeltas(const ViewSources& sources, const api::DeltasRequest& request);
Result<api::DumpPage> MakeDump(const ViewSources& sources, const api::DumpRequest& request);
std::vector<api::LockInfo> ListLocks(const ViewSources& sources);
std::vector<api::ConfigEntry> ListConfiguration(const std::vector<OptionValue>& values);
std::vector<api::Finding> MakeFindings(const sync::PreflightReport& report);

}  // namespace catalogd::daemon
