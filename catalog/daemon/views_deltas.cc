#include <fmt/format.h>

#include "catalog/cache/catalog_cache.h"
#include "catalog/daemon/views.h"
#include "catalog/sync/sync_core.h"
#include "catalogd_idl/catalogd_types.h"

// What followers of the cache are told.
namespace catalogd::daemon {
namespace {

constexpr int32_t kMostAtOnce = 10000;

api::NameParts PartsOf(const ObjectName& name) {
  api::NameParts parts;
  parts.catalog = name.catalog();
  parts.database = name.db();
  parts.table = name.table();
  return parts;
}

ObjectName NameOf(const api::NameParts& parts) {
  return parts.table.empty() ? ObjectName::Database(parts.catalog, parts.database)
                             : ObjectName::Table(parts.catalog, parts.database, parts.table);
}

Status CheckLimit(const char* method, int32_t limit) {
  if (limit >= 1 && limit <= kMostAtOnce) return Ok();
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("{}: expected a limit from 1 to {}", method, kMostAtOnce));
}

api::DeltaInfo Describe(const ObjectName& name, cache::SlotState state,
                        const cache::SnapshotPtr& snapshot, bool with_objects) {
  api::DeltaInfo info;
  info.name = name.ToString();
  info.parts = PartsOf(name);
  info.state = cache::SlotStateName(state);
  info.partitions = -1;
  if (snapshot == nullptr) return info;
  if (name.is_table() && snapshot->partitions != nullptr) {
    info.partitions = static_cast<int64_t>(snapshot->partitions->size());
  }
  if (with_objects) info.__set_object(snapshot->object);
  return info;
}

}  // namespace

Result<api::DeltaBatch> MakeDeltas(const ViewSources& sources, const api::DeltasRequest& request) {
  RETURN_IF_ERROR(CheckLimit("deltas", request.limit));
  const cache::CatalogCache& cache = sources.core->cache();
  api::DeltaBatch batch;
  batch.epoch = cache.epoch().value();
  batch.version = request.after_version;
  const auto deltas = cache.deltas().Since(CatalogVersion(request.after_version),
                                           static_cast<size_t>(request.limit));
  if (!deltas) {
    batch.gap = true;
    return batch;
  }
  for (const cache::Delta& delta : *deltas) {
    api::DeltaInfo info = Describe(delta.name, delta.state, delta.snapshot, request.with_objects);
    info.catalog_version = delta.version.value();
    info.synced_event_id = delta.synced.value();
    info.incarnation = delta.incarnation.value();
    info.partitions_changed = delta.partitions_changed;
    info.reason = delta.reason;
    batch.version = info.catalog_version;
    batch.deltas.push_back(std::move(info));
  }
  return batch;
}

Result<api::DumpPage> MakeDump(const ViewSources& sources, const api::DumpRequest& request) {
  RETURN_IF_ERROR(CheckLimit("dump", request.limit));
  std::optional<ObjectName> after;
  if (request.__isset.after) after = NameOf(request.after);
  const cache::CatalogCache::Page page =
      sources.core->cache().Dump(after, static_cast<size_t>(request.limit));
  api::DumpPage out;
  out.version = page.version.value();
  out.epoch = page.epoch.value();
  out.listed = page.listed;
  for (const auto& [name, view] : page.slots) {
    api::DeltaInfo info = Describe(name, view.state, view.snapshot, request.with_objects);
    info.catalog_version = view.version.value();
    info.synced_event_id = view.synced.value();
    info.incarnation = view.incarnation.value();
    out.objects.push_back(std::move(info));
  }
  if (page.next) out.__set_next_after(PartsOf(*page.next));
  return out;
}

}  // namespace catalogd::daemon
