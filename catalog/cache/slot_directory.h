#pragma once

#include <boost/intrusive/set.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/cache/catalog_cache.h"
#include "catalog/cache/snapshot.h"

// The slots of all names, small: a catalog of a million stubs must fit. Internal to CatalogCache.
namespace catalogd::cache {

struct SlotParent;

// One name's slot, allocated together with its own part of the name; the rest is its parent's.
class Slot : public boost::intrusive::unordered_set_base_hook<
                 boost::intrusive::link_mode<boost::intrusive::normal_link>>,
             public boost::intrusive::set_base_hook<
                 boost::intrusive::link_mode<boost::intrusive::normal_link>,
                 boost::intrusive::optimize_size<true>> {
 public:
  struct Delete {
    void operator()(Slot* slot) const;
  };
  static Slot* Make(SlotParent* parent, std::string_view own_part);

  // The table's name without its database, or the database's without its catalog.
  [[nodiscard]] std::string_view own_part() const;
  [[nodiscard]] SlotParent* parent() const { return parent_; }
  [[nodiscard]] bool is_table() const;
  [[nodiscard]] SlotState state() const { return state_; }
  [[nodiscard]] EventId synced() const { return synced_; }
  [[nodiscard]] const SnapshotPtr& snapshot() const { return snapshot_; }
  [[nodiscard]] SlotView view() const;
  void set_view(const SlotView& view);
  // Of a listing: what was read before it is void.
  void set_versions(CatalogVersion version) {
    version_ = version;
    reads_from_ = version;
  }
  [[nodiscard]] ObjectName Name() const;

 private:
  Slot(SlotParent* parent, std::string_view own_part);

  // A SlotView without its gaps; the own part follows right behind the last member.
  SlotParent* const parent_;
  EventId synced_;
  CatalogVersion version_;
  EventId incarnation_;
  EventId checks_from_;
  CatalogVersion reads_from_;
  SnapshotPtr snapshot_;
  const uint32_t size_;  // Of the own part.
  SlotState state_ = SlotState::kUnknown;
  char own_part_[1];
};

struct SlotByOwnPart {
  using type = std::string_view;
  type operator()(const Slot& slot) const { return slot.own_part(); }
};

// A database with its tables, or a catalog with its databases (then `name` has no database part).
struct SlotParent {
  ObjectName name;
  boost::intrusive::set<Slot, boost::intrusive::key_of_value<SlotByOwnPart>>
      children;         // In any state.
  size_t doubtful = 0;  // Children that are unknown.

  // Sorted names of children that exist.
  [[nodiscard]] std::vector<std::string> Existing() const;
};

// Thread safety: none; CatalogCache's lock guards it.
class SlotDirectory {
 public:
  SlotDirectory();
  ~SlotDirectory();
  SlotDirectory(const SlotDirectory&) = delete;
  SlotDirectory& operator=(const SlotDirectory&) = delete;

  // Makes room, so that so many slots are added without a pause.
  void Reserve(size_t slots);
  [[nodiscard]] const Slot* Find(const ObjectName& name) const;
  // Null: it has no slot below it.
  [[nodiscard]] const SlotParent* FindParent(const ObjectName& name) const;
  // Adds or replaces.
  void Put(const ObjectName& name, const SlotView& view);
  // Removes one absent slot with synced <= `watermark`, and raises `reads_from` to its; false when
  // there is none.
  bool CollectOne(EventId watermark, CatalogVersion* reads_from);
  void SetVersions(CatalogVersion version);

  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const Slot& slot : slots_) visit(slot);
  }
  // Calls `visit(slot)` for the slots behind `after` (which need not exist; null: for all) until it
  // returns false: databases of a catalog, then the tables of each, all in the order of their
  // names.
  template <class Visit>
  void ForEachAfter(const ObjectName* after, const Visit& visit) const {
    const ObjectName parent = after == nullptr ? ObjectName() : ParentOf(*after);
    auto it = after == nullptr ? parents_.begin() : parents_.lower_bound(parent);
    for (; it != parents_.end(); ++it) {
      const auto& children = it->second->children;
      auto child = children.begin();
      if (after != nullptr && it->first == parent) {
        child = children.upper_bound(
            std::string_view(after->is_table() ? after->table() : after->db()));
      }
      for (; child != children.end(); ++child) {
        if (!visit(*child)) return;
      }
    }
  }
  static ObjectName ParentOf(const ObjectName& name);
  // Only the numbers of slots and partitions.
  [[nodiscard]] const CatalogCache::Stats& counts() const { return counts_; }

 private:
  struct Hash {
    size_t operator()(const Slot& slot) const;
    size_t operator()(const ObjectName& name) const;
  };
  struct Equal {
    bool operator()(const Slot& a, const Slot& b) const { return &a == &b; }
    bool operator()(const ObjectName& name, const Slot& slot) const;
  };
  using Slots = boost::intrusive::unordered_set<Slot, boost::intrusive::hash<Hash>,
                                                boost::intrusive::equal<Equal>,
                                                boost::intrusive::power_2_buckets<true>>;

  Slot* Add(const ObjectName& name);
  void Count(const Slot& slot, bool add);

  std::vector<Slots::bucket_type> buckets_;
  Slots slots_;
  std::map<ObjectName, std::unique_ptr<SlotParent>> parents_;
  std::set<std::pair<EventId, Slot*>> tombstones_;
  CatalogCache::Stats counts_;
};

}  // namespace catalogd::cache
