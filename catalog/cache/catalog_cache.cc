#include "catalog/cache/catalog_cache.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/base/mutant.h"
#include "catalog/cache/slot_directory.h"

namespace catalogd::cache {
namespace {

// So many tombstones are collected before readers may pass.
constexpr size_t kCollectAtOnce = 256;
// A changed set of partitions shares all but a chunk and the list of nodes with the one before.
constexpr size_t kChangedSetBytes = 32U << 10U;
constexpr size_t kPartitionBytes = 100;

bool Exists(SlotState state) { return state == SlotState::kStub || state == SlotState::kPresent; }

const PartitionSet* PartitionsOf(const SnapshotPtr& snapshot) {
  return snapshot == nullptr ? nullptr : snapshot->partitions.get();
}

// What the content of a change holds beyond that of the one before.
size_t HeldBytes(const SnapshotPtr& content, const SnapshotPtr& before) {
  if (content == nullptr || content == before) return 0;
  size_t bytes = sizeof(Snapshot) + content->object.size();
  const PartitionSet* const set = PartitionsOf(content);
  const PartitionSet* const old = PartitionsOf(before);
  if (set == nullptr || set == old) return bytes;
  const bool changed = old != nullptr && old->size() > 0;
  return bytes + (changed ? kChangedSetBytes : set->size() * kPartitionBytes);
}

Delta MakeDelta(SlotChange change, const SnapshotPtr& before, EventId incarnation,
                CatalogVersion version) {
  Delta delta;
  delta.version = version;
  delta.bytes = sizeof(Delta) + change.name.db().size() + change.name.table().size() +
                change.reason.size() + HeldBytes(change.snapshot, before);
  delta.name = std::move(change.name);
  delta.state = change.state;
  delta.synced = change.synced;
  delta.incarnation = incarnation;
  delta.partitions_changed = PartitionsOf(change.snapshot) != PartitionsOf(before);
  delta.snapshot = std::move(change.snapshot);
  delta.reason = std::move(change.reason);
  return delta;
}

}  // namespace

CatalogCache::CatalogCache(VersionSource* versions, size_t max_deltas, size_t max_delta_bytes)
    : versions_(versions),
      deltas_(max_deltas, max_delta_bytes),
      directory_(std::make_unique<SlotDirectory>()) {}

CatalogCache::~CatalogCache() = default;

SlotView CatalogCache::Lookup(const ObjectName& name) const {
  const ReaderLock lock(mutex_);
  return ViewOf(name);
}

SlotView CatalogCache::ViewOf(const ObjectName& name) const {
  const Slot* slot = directory_->Find(name);
  return slot == nullptr ? MissingView(name) : slot->view();
}

SlotView CatalogCache::MissingView(const ObjectName& name) const {
  SlotView view;
  view.synced = MutantOn(Mutant::kMissingSlotIsZero) ? EventId() : collection_floor_;
  view.checks_from = checks_from_;
  view.reads_from = missing_reads_from_;
  view.state = listed_ ? SlotState::kAbsent : SlotState::kUnknown;
  if (listed_ && name.is_table()) {
    // Nobody knows what is in a database of which it is not even known that it exists.
    const Slot* db = directory_->Find(name.DatabaseName());
    if (db != nullptr && db->state() == SlotState::kUnknown) {
      view.state = SlotState::kUnknown;
    }
  }
  return view;
}

CatalogVersion CatalogCache::Commit(const NameGuard& guard, std::vector<SlotChange> changes,
                                    std::optional<LogEpoch> epoch) {
  // Both are freed outside the lock: a partition set may be large.
  std::deque<Delta> dropped;
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
      SlotView before = ViewOf(change.name);
      if (change.synced < before.synced) {
        // The floor may have risen since the change was made, which is no answer to a doubt.
        const bool doubt = change.state == SlotState::kUnknown;
        if (!doubt || directory_->Find(change.name) != nullptr) {
          ++stale_changes_;
          continue;
        }
        change.synced = before.synced;
      }
      if (version == CatalogVersion()) version = versions_->Next();
      const EventId incarnation = Publish(change, before, version);
      published.push_back(change.name);
      deltas.push_back(MakeDelta(std::move(change), before.snapshot, incarnation, version));
      if (before.snapshot) retired.push_back(std::move(before.snapshot));
    }
    if (published.empty()) return last_version_;
    CHECK_GT(version, last_version_) << "catalog versions must rise";
    last_version_ = version;
    ++commits_;
    dropped = deltas_.Append(std::move(deltas));
    if (MutantOn(Mutant::kNoTombstone)) {
      while (directory_->CollectOne(EventId(INT64_MAX), &missing_reads_from_)) {
      }
    }
  }
  if (observer_) observer_(published);
  return version;
}

EventId CatalogCache::Publish(const SlotChange& change, const SlotView& before,
                              CatalogVersion version) {
  SlotView view;
  view.state = change.state;
  view.synced = change.synced;
  view.version = version;
  view.snapshot = change.snapshot;
  view.checks_from = change.checks_from == EventId() ? before.checks_from : change.checks_from;
  view.reads_from = change.void_reads ? version : before.reads_from;
  // What was absent is another object now, whoever made the change; what was in doubt may be one.
  const bool appeared =
      Exists(change.state) && (!Exists(before.state) || before.incarnation == EventId());
  if (change.new_incarnation && change.incarnation != EventId()) {
    view.incarnation = change.incarnation;
  } else {
    view.incarnation = change.new_incarnation || appeared ? change.synced : before.incarnation;
  }
  directory_->Put(change.name, view);
  return view.incarnation;
}

CatalogVersion CatalogCache::last_version() const {
  const ReaderLock lock(mutex_);
  return last_version_;
}

bool CatalogCache::InstallListing(LogEpoch epoch, EventId position, EventId checks_from,
                                  const std::vector<ObjectName>& names) {
  auto fresh = std::make_unique<SlotDirectory>();
  fresh->Reserve(names.size());
  SlotView stub;
  stub.state = SlotState::kStub;
  stub.synced = position;
  stub.incarnation = position;
  stub.checks_from = checks_from;
  for (const ObjectName& name : names) fresh->Put(name, stub);
  return Install(epoch, position, checks_from, true, std::move(fresh));
}

void CatalogCache::ForgetAll(LogEpoch epoch, EventId position) {
  Install(epoch, position, position, false, std::make_unique<SlotDirectory>());
}

bool CatalogCache::Install(LogEpoch epoch, EventId position, EventId checks_from, bool listed,
                           std::unique_ptr<SlotDirectory> fresh) {
  {
    const WriterLock lock(mutex_);
    CHECK_GE(epoch, epoch_) << "log epochs never go back";
    if (epoch == epoch_ && position < collection_floor_) {
      if (listed) return false;
      position = collection_floor_;
    }
    const CatalogVersion version = versions_->Next();
    CHECK_GT(version, last_version_) << "catalog versions must rise";
    fresh->SetVersions(version);
    if (epoch == epoch_) KeepNewer(position, listed, version, fresh.get());
    std::swap(directory_, fresh);
    epoch_ = epoch;
    collection_floor_ = position;
    checks_from_ = checks_from;
    missing_reads_from_ = version;
    listed_ = listed;
    last_version_ = version;
    ++commits_;
    deltas_.ForgetTo(version);
  }
  fresh.reset();  // The old one, outside the lock.
  if (observer_) observer_({});
  return true;
}

void CatalogCache::KeepNewer(EventId position, bool listed, CatalogVersion version,
                             SlotDirectory* fresh) const {
  directory_->ForEach([&](const Slot& slot) {
    if (slot.synced() <= position) return;
    SlotView kept = slot.view();
    if (!listed) {
      kept.state = SlotState::kUnknown;
      kept.snapshot = nullptr;
      kept.version = version;
    }
    fresh->Put(slot.Name(), kept);
  });
}

CatalogCache::Listing CatalogCache::Databases(const std::string& catalog) const {
  Listing listing;
  const ObjectName parent = ObjectName::Database(catalog, "");
  const ReaderLock lock(mutex_);
  listing.exact = listed_;
  const SlotParent* databases = directory_->FindParent(parent);
  if (databases == nullptr) return listing;
  listing.exact = listed_ && databases->doubtful == 0;
  listing.names = databases->Existing();
  return listing;
}

CatalogCache::Listing CatalogCache::Tables(const ObjectName& db) const {
  Listing listing;
  const ReaderLock lock(mutex_);
  const SlotState state = ViewOf(db).state;
  listing.exact = listed_ && state != SlotState::kUnknown;
  if (state == SlotState::kAbsent) return listing;
  const SlotParent* tables = directory_->FindParent(db);
  if (tables == nullptr) return listing;
  listing.exact = listing.exact && tables->doubtful == 0;
  listing.names = tables->Existing();
  return listing;
}

std::vector<ObjectName> CatalogCache::TablesToDrop(const ObjectName& db) const {
  std::vector<ObjectName> tables;
  const ReaderLock lock(mutex_);
  const SlotParent* parent = directory_->FindParent(db);
  if (parent == nullptr) return tables;
  for (const Slot& slot : parent->children) {
    if (slot.state() != SlotState::kAbsent) tables.push_back(slot.Name());
  }
  return tables;
}

CatalogCache::Page CatalogCache::Dump(const std::optional<ObjectName>& after, size_t limit) const {
  Page page;
  size_t seen = 0;
  const ReaderLock lock(mutex_);
  page.epoch = epoch_;
  page.version = last_version_;
  page.listed = listed_;
  directory_->ForEachAfter(after ? &*after : nullptr, [&](const Slot& slot) {
    if (seen++ == std::max<size_t>(limit, 1)) return false;
    page.next = slot.Name();
    if (slot.state() != SlotState::kAbsent) page.slots.push_back({*page.next, slot.view()});
    return true;
  });
  if (seen <= std::max<size_t>(limit, 1)) page.next = std::nullopt;
  return page;
}

void CatalogCache::CollectTombstones(EventId watermark) {
  const EventId up_to = MutantOn(Mutant::kEarlyCollection) ? EventId(INT64_MAX) : watermark;
  for (bool more = true; more;) {
    const WriterLock lock(mutex_);
    if (!listed_) return;
    // The floor first: what loses its slot now counts as synced at least as far as before.
    collection_floor_ = std::max(collection_floor_, watermark);
    for (size_t i = 0; more && i < kCollectAtOnce; ++i) {
      more = directory_->CollectOne(up_to, &missing_reads_from_);
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
  Stats stats = directory_->counts();
  stats.commits = commits_;
  stats.stale_changes = stale_changes_;
  stats.last_version = last_version_;
  return stats;
}

void CatalogCache::SetObserver(Observer observer) { observer_ = std::move(observer); }

}  // namespace catalogd::cache
