#include "catalog/cache/slot_directory.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

namespace catalogd::cache {
namespace {

constexpr size_t kFewBuckets = 64;

bool Exists(SlotState state) { return state == SlotState::kStub || state == SlotState::kPresent; }

size_t HashParts(std::string_view catalog, std::string_view db, std::string_view table) {
  const std::hash<std::string_view> h;
  return (h(db) * 1000003U) ^ h(table) ^ (h(catalog) << 1U);
}

}  // namespace

Slot::Slot(SlotParent* parent, std::string_view own_part)
    : parent_(parent), size_(static_cast<uint32_t>(own_part.size())) {
  std::memcpy(static_cast<char*>(own_part_), own_part.data(), own_part.size());
}

Slot* Slot::Make(SlotParent* parent, std::string_view own_part) {
  void* memory = ::operator new(sizeof(Slot) + own_part.size());
  return new (memory) Slot(parent, own_part);
}

void Slot::Delete::operator()(Slot* slot) const {
  slot->~Slot();
  ::operator delete(slot);
}

std::string_view Slot::own_part() const { return {static_cast<const char*>(own_part_), size_}; }

SlotView Slot::view() const {
  return {state_, synced_, version_, incarnation_, checks_from_, reads_from_, snapshot_};
}

void Slot::set_view(const SlotView& view) {
  state_ = view.state;
  synced_ = view.synced;
  version_ = view.version;
  incarnation_ = view.incarnation;
  checks_from_ = view.checks_from;
  reads_from_ = view.reads_from;
  snapshot_ = view.snapshot;
}

bool Slot::is_table() const { return !parent_->name.db().empty(); }

ObjectName Slot::Name() const {
  const ObjectName& parent = parent_->name;
  return is_table() ? ObjectName::Table(parent.catalog(), parent.db(), own_part())
                    : ObjectName::Database(parent.catalog(), own_part());
}

std::vector<std::string> SlotParent::Existing() const {
  std::vector<std::string> names;
  names.reserve(children.size());
  for (const Slot& slot : children) {
    if (Exists(slot.state())) names.emplace_back(slot.own_part());
  }
  return names;
}

size_t SlotDirectory::Hash::operator()(const Slot& slot) const {
  const ObjectName& parent = slot.parent()->name;
  return slot.is_table() ? HashParts(parent.catalog(), parent.db(), slot.own_part())
                         : HashParts(parent.catalog(), slot.own_part(), {});
}

size_t SlotDirectory::Hash::operator()(const ObjectName& name) const {
  return HashParts(name.catalog(), name.db(), name.table());
}

bool SlotDirectory::Equal::operator()(const ObjectName& name, const Slot& slot) const {
  const ObjectName& parent = slot.parent()->name;
  if (name.is_table() != slot.is_table() || name.catalog() != parent.catalog()) return false;
  return name.is_table() ? slot.own_part() == name.table() && parent.db() == name.db()
                         : slot.own_part() == name.db();
}

SlotDirectory::SlotDirectory()
    : buckets_(kFewBuckets), slots_(Slots::bucket_traits(buckets_.data(), buckets_.size())) {}

SlotDirectory::~SlotDirectory() {
  for (auto& [name, parent] : parents_) parent->children.clear();
  slots_.clear_and_dispose(Slot::Delete());
}

void SlotDirectory::Reserve(size_t slots) {
  size_t count = buckets_.size();
  while (count < slots) count *= 2;
  if (count == buckets_.size()) return;
  std::vector<Slots::bucket_type> buckets(count);
  slots_.rehash(Slots::bucket_traits(buckets.data(), buckets.size()));
  buckets_ = std::move(buckets);
}

ObjectName SlotDirectory::ParentOf(const ObjectName& name) {
  return ObjectName::Database(name.catalog(), name.is_table() ? name.db() : "");
}

const Slot* SlotDirectory::Find(const ObjectName& name) const {
  const auto it = slots_.find(name, Hash(), Equal());
  return it == slots_.end() ? nullptr : &*it;
}

const SlotParent* SlotDirectory::FindParent(const ObjectName& name) const {
  const auto it = parents_.find(name);
  return it == parents_.end() ? nullptr : it->second.get();
}

Slot* SlotDirectory::Add(const ObjectName& name) {
  Reserve(slots_.size() + 1);
  ObjectName parent_name = ParentOf(name);
  std::unique_ptr<SlotParent>& parent = parents_[parent_name];
  if (!parent) {
    parent = std::make_unique<SlotParent>();
    parent->name = std::move(parent_name);
  }
  Slot* slot = Slot::Make(parent.get(), name.is_table() ? name.table() : name.db());
  slots_.insert(*slot);
  parent->children.insert(*slot);
  return slot;
}

void SlotDirectory::Put(const ObjectName& name, const SlotView& view) {
  const auto it = slots_.find(name, Hash(), Equal());
  Slot* slot = nullptr;
  if (it == slots_.end()) {
    slot = Add(name);
  } else {
    slot = &*it;
    Count(*slot, false);
    if (slot->state() == SlotState::kAbsent) tombstones_.erase({slot->synced(), slot});
  }
  slot->set_view(view);
  Count(*slot, true);
  if (view.state == SlotState::kAbsent) tombstones_.emplace(view.synced, slot);
}

bool SlotDirectory::CollectOne(EventId watermark, CatalogVersion* reads_from) {
  if (tombstones_.empty() || tombstones_.begin()->first > watermark) return false;
  Slot* slot = tombstones_.begin()->second;
  *reads_from = std::max(*reads_from, slot->view().reads_from);
  tombstones_.erase(tombstones_.begin());
  Count(*slot, false);
  SlotParent* parent = slot->parent();
  slots_.erase(slots_.iterator_to(*slot));
  parent->children.erase(parent->children.iterator_to(*slot));
  Slot::Delete()(slot);
  if (parent->children.empty()) {
    const ObjectName name = parent->name;  // Goes with the parent.
    parents_.erase(name);
  }
  return true;
}

void SlotDirectory::SetVersions(CatalogVersion version) {
  for (Slot& slot : slots_) slot.set_versions(version);
}

void SlotDirectory::Count(const Slot& slot, bool add) {
  const auto change = [add](size_t* number, size_t by) { *number += add ? by : size_t{0} - by; };
  switch (slot.state()) {
    case SlotState::kUnknown:
      change(&counts_.unknown, 1);
      change(&slot.parent()->doubtful, 1);
      break;
    case SlotState::kAbsent:
      change(&counts_.absent, 1);
      break;
    case SlotState::kStub:
      change(&counts_.stubs, 1);
      break;
    case SlotState::kPresent:
      change(&counts_.present, 1);
      break;
  }
  if (Exists(slot.state())) change(slot.is_table() ? &counts_.tables : &counts_.databases, 1);
  const SnapshotPtr& snapshot = slot.snapshot();
  if (snapshot && snapshot->partitions) change(&counts_.partitions, snapshot->partitions->size());
}

}  // namespace catalogd::cache
