#include "catalog/cache/catalog_cache.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

namespace catalogd::cache {
namespace {

// So many tombstones are collected before readers may pass.
constexpr size_t kCollectAtOnce = 256;

ObjectName ParentOf(const ObjectName& name) {
  return ObjectName::Database(name.catalog(), name.is_table() ? name.db() : "");
}

const std::string& OwnPart(const ObjectName& name) {
  return name.is_table() ? name.table() : name.db();
}

bool Exists(SlotState state) { return state == SlotState::kStub || state == SlotState::kPresent; }

}  // namespace

void CatalogCache::Directory::Count(const ObjectName& name, const SlotView& view, bool add) {
  const auto change = [add](size_t* number, size_t by) { *number += add ? by : size_t{0} - by; };
  switch (view.state) {
    case SlotState::kUnknown:
      change(&counts.unknown, 1);
      break;
    case SlotState::kAbsent:
      change(&counts.absent, 1);
      break;
    case SlotState::kStub:
      change(&counts.stubs, 1);
      break;
    case SlotState::kPresent:
      change(&counts.present, 1);
      break;
  }
  if (Exists(view.state)) change(name.is_table() ? &counts.tables : &counts.databases, 1);
  if (view.snapshot && view.snapshot->partitions) {
    change(&counts.partitions, view.snapshot->partitions->size());
  }
}

void CatalogCache::Directory::Put(const ObjectName& name, const SlotView& view) {
  const auto [it, added] = slots.try_emplace(name);
  SlotView& slot = it->second;
  if (!added) Count(name, slot, false);
  Count(name, view, true);
  const bool was_absent = !added && slot.state == SlotState::kAbsent;
  if (was_absent) tombstones.erase({slot.synced, name});
  if (view.state == SlotState::kAbsent) tombstones.emplace(view.synced, name);
  if (added || slot.state != view.state) {
    const ObjectName parent = ParentOf(name);
    Children& siblings = children[parent];
    siblings.existing.erase(OwnPart(name));
    siblings.doubtful.erase(OwnPart(name));
    if (Exists(view.state)) siblings.existing.insert(OwnPart(name));
    if (view.state == SlotState::kUnknown) siblings.doubtful.insert(OwnPart(name));
    if (siblings.existing.empty() && siblings.doubtful.empty()) children.erase(parent);
  }
  slot = view;
}

void CatalogCache::Directory::Erase(const ObjectName& name) {
  const auto it = slots.find(name);
  if (it == slots.end()) return;
  Count(name, it->second, false);
  slots.erase(it);
}

CatalogCache::CatalogCache(VersionSource* versions, size_t max_deltas)
    : versions_(versions), deltas_(max_deltas) {}

SlotView CatalogCache::Lookup(const ObjectName& name) const {
  const ReaderLock lock(mutex_);
  return ViewOf(name);
}

SlotView CatalogCache::ViewOf(const ObjectName& name) const {
  const auto it = directory_.slots.find(name);
  return it == directory_.slots.end() ? MissingView(name) : it->second;
}

SlotView CatalogCache::MissingView(const ObjectName& name) const {
  SlotView view;
  view.synced = collection_floor_;
  view.checks_from = checks_from_;
  view.state = listed_ ? SlotState::kAbsent : SlotState::kUnknown;
  if (listed_ && name.is_table()) {
    // Nobody knows what is in a database of which it is not even known that it exists.
    const auto db = directory_.slots.find(name.DatabaseName());
    if (db != directory_.slots.end() && db->second.state == SlotState::kUnknown) {
      view.state = SlotState::kUnknown;
    }
  }
  return view;
}

CatalogVersion CatalogCache::Commit(const NameGuard& guard, std::vector<SlotChange> changes,
                                    std::optional<LogEpoch> epoch) {
  // Both are freed outside the lock: a partition set may be large.
  std::vector<Delta> dropped;
  std::vector<SnapshotPtr> retired;
  std::vector<ObjectName> published;
  std::vector<Delta> deltas;
  retired.reserve(changes.size());
  published.reserve(changes.size());
  deltas.reserve(changes.size());
  for (const SlotChange& change : changes) {
    CHECK(guard.Covers(change.name)) << change.name << " is changed without its lock";
    CHECK_EQ(change.state == SlotState::kPresent, change.snapshot != nullptr) << change.name;
  }
  CatalogVersion version;
  {
    const WriterLock lock(mutex_);
    if (epoch && *epoch != epoch_) return last_version_;
    for (SlotChange& change : changes) {
      if (change.synced < ViewOf(change.name).synced) {
        ++stale_changes_;
        continue;
      }
      if (version == CatalogVersion()) version = versions_->Next();
      Publish(change, version, &retired);
      published.push_back(change.name);
      deltas.push_back({version, std::move(change.name), change.state, change.synced,
                        std::move(change.snapshot), std::move(change.reason)});
    }
    if (published.empty()) return last_version_;
    CHECK_GT(version, last_version_) << "catalog versions must rise";
    last_version_ = version;
    ++commits_;
    dropped = deltas_.Append(std::move(deltas));
  }
  if (observer_) observer_(published);
  return version;
}

void CatalogCache::Publish(const SlotChange& change, CatalogVersion version,
                           std::vector<SnapshotPtr>* retired) {
  const SlotView before = ViewOf(change.name);
  SlotView view;
  view.state = change.state;
  view.synced = change.synced;
  view.version = version;
  view.snapshot = change.snapshot;
  view.checks_from = change.checks_from == EventId() ? before.checks_from : change.checks_from;
  view.reads_from = change.void_reads ? version : before.reads_from;
  // What was absent before is another object now, whoever made the change.
  const bool appeared = Exists(change.state) &&
                        (before.state == SlotState::kAbsent || before.incarnation == EventId());
  if (change.new_incarnation && change.incarnation != EventId()) {
    view.incarnation = change.incarnation;
  } else {
    view.incarnation = change.new_incarnation || appeared ? change.synced : before.incarnation;
  }
  if (before.snapshot) retired->push_back(before.snapshot);
  directory_.Put(change.name, view);
}

CatalogVersion CatalogCache::last_version() const {
  const ReaderLock lock(mutex_);
  return last_version_;
}

bool CatalogCache::InstallListing(LogEpoch epoch, EventId position, EventId checks_from,
                                  const std::vector<ObjectName>& names) {
  Directory fresh;
  fresh.slots.reserve(names.size());
  SlotView stub;
  stub.state = SlotState::kStub;
  stub.synced = position;
  stub.incarnation = position;
  stub.checks_from = checks_from;
  for (const ObjectName& name : names) fresh.Put(name, stub);
  return Install(epoch, position, checks_from, true, &fresh);
}

void CatalogCache::ForgetAll(LogEpoch epoch, EventId position) {
  Directory fresh;
  Install(epoch, position, position, false, &fresh);
}

bool CatalogCache::Install(LogEpoch epoch, EventId position, EventId checks_from, bool listed,
                           Directory* fresh) {
  {
    const WriterLock lock(mutex_);
    CHECK_GE(epoch, epoch_) << "log epochs never go back";
    if (epoch == epoch_ && position < collection_floor_) {
      if (listed) return false;
      position = collection_floor_;
    }
    const CatalogVersion version = versions_->Next();
    CHECK_GT(version, last_version_) << "catalog versions must rise";
    for (auto& [name, slot] : fresh->slots) slot.version = version;
    if (epoch == epoch_) {
      for (const auto& [name, slot] : directory_.slots) {
        if (slot.synced <= position) continue;
        SlotView kept = slot;
        if (!listed) {
          kept.state = SlotState::kUnknown;
          kept.snapshot = nullptr;
          kept.version = version;
        }
        fresh->Put(name, kept);
      }
    }
    std::swap(directory_, *fresh);
    epoch_ = epoch;
    collection_floor_ = position;
    checks_from_ = checks_from;
    listed_ = listed;
    last_version_ = version;
    ++commits_;
    deltas_.ForgetTo(version);
  }
  if (observer_) observer_({});
  return true;
}

CatalogCache::Listing CatalogCache::Databases(const std::string& catalog) const {
  Listing listing;
  const ObjectName parent = ObjectName::Database(catalog, "");
  const ReaderLock lock(mutex_);
  listing.exact = listed_;
  const auto it = directory_.children.find(parent);
  if (it == directory_.children.end()) return listing;
  listing.exact = listed_ && it->second.doubtful.empty();
  listing.names.assign(it->second.existing.begin(), it->second.existing.end());
  return listing;
}

CatalogCache::Listing CatalogCache::Tables(const ObjectName& db) const {
  Listing listing;
  const ReaderLock lock(mutex_);
  const SlotState state = ViewOf(db).state;
  listing.exact = listed_ && state != SlotState::kUnknown;
  if (state == SlotState::kAbsent) return listing;
  const auto it = directory_.children.find(db);
  if (it == directory_.children.end()) return listing;
  listing.exact = listing.exact && it->second.doubtful.empty();
  listing.names.assign(it->second.existing.begin(), it->second.existing.end());
  return listing;
}

std::vector<ObjectName> CatalogCache::TablesToDrop(const ObjectName& db) const {
  std::vector<ObjectName> tables;
  const ReaderLock lock(mutex_);
  const auto it = directory_.children.find(db);
  if (it == directory_.children.end()) return tables;
  for (const auto* names : {&it->second.existing, &it->second.doubtful}) {
    for (const std::string& name : *names) {
      tables.push_back(ObjectName::Table(db.catalog(), db.db(), name));
    }
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

void CatalogCache::CollectTombstones(EventId watermark) {
  for (bool more = true; more;) {
    const WriterLock lock(mutex_);
    if (!listed_) return;
    // The floor first: what loses its slot now counts as synced at least as far as before.
    collection_floor_ = std::max(collection_floor_, watermark);
    auto& tombstones = directory_.tombstones;
    for (size_t i = 0; i < kCollectAtOnce; ++i) {
      more = !tombstones.empty() && tombstones.begin()->first <= watermark;
      if (!more) break;
      directory_.Erase(tombstones.begin()->second);
      tombstones.erase(tombstones.begin());
    }
  }
}

LogEpoch CatalogCache::epoch() const {
  const ReaderLock lock(mutex_);
  return epoch_;
}

bool CatalogCache::listed() const {
  const ReaderLock lock(mutex_);
  return listed_;
}

CatalogCache::Stats CatalogCache::stats() const {
  const ReaderLock lock(mutex_);
  Stats stats = directory_.counts;
  stats.commits = commits_;
  stats.stale_changes = stale_changes_;
  stats.last_version = last_version_;
  return stats;
}

void CatalogCache::SetObserver(Observer observer) { observer_ = std::move(observer); }

}  // namespace catalogd::cache
