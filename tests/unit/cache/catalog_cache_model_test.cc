#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catalog/base/random.h"
#include "catalog/cache/catalog_cache.h"
#include "tests/support/fake_time.h"

namespace catalogd::cache {
namespace {

class Counter final : public VersionSource {
 public:
  CatalogVersion Next() override { return last_ = last_.Next(); }

 private:
  CatalogVersion last_;
};

// What a follower keeps of one name.
struct Known {
  SlotState state = SlotState::kAbsent;
  EventId synced;
  CatalogVersion version;
  SnapshotPtr snapshot;
  friend bool operator==(const Known&, const Known&) = default;
};
using State = std::map<ObjectName, Known>;

Known KnownOf(const SlotView& view) {
  return {view.state, view.synced, view.version, view.snapshot};
}

// Random commits, listings, resets and collections on a small catalog; after each step everything
// that can be asked is compared with a plain map, and followers that started earlier catch up.
class SideBySide {
 public:
  explicit SideBySide(uint64_t seed) : random_(seed) {
    for (const std::string db : {"a", "b"}) {
      names_.push_back(ObjectName::Database("hive", db));
      for (const std::string table : {"t", "u", "v"}) {
        names_.push_back(ObjectName::Table("hive", db, table));
      }
    }
    List(LogEpoch(1));
  }

  void Step() {
    before_ = State();
    for (const ObjectName& name : names_) before_[name] = KnownOf(cache_.Lookup(name));
    const LogEpoch epoch = cache_.epoch();
    switch (random_.Below(30)) {
      case 0:
        List(random_.OneIn(2) ? epoch.Next() : epoch);
        break;
      case 1:
        cache_.ForgetAll(epoch, EventId(next_id_));
        List(epoch);
        break;
      case 2:
      case 3:
      case 4:
        Collect();
        break;
      case 5:
        followers_.push_back(Dump());
        break;
      default:
        Commit();
    }
    ++next_id_;
    CheckTime(epoch);
    CheckLists();
    CheckStats();
    if (random_.OneIn(5)) CheckFollowers();
  }

 private:
  struct Follower {
    CatalogVersion version;
    State state;
  };

  Follower Dump() {
    Follower follower;
    follower.version = cache_.stats().last_version;
    for (const ObjectName& name : names_) follower.state[name] = KnownOf(cache_.Lookup(name));
    return follower;
  }

  void List(LogEpoch epoch) {
    std::vector<ObjectName> listed;
    for (const ObjectName& name : names_) {
      if (!random_.OneIn(3)) listed.push_back(name);
    }
    if (epoch != cache_.epoch()) next_id_ = 1 + static_cast<int64_t>(random_.Below(5));
    floor_ = next_id_;
    ASSERT_TRUE(cache_.InstallListing(epoch, EventId(next_id_), EventId(next_id_), listed));
    followers_.clear();
    followers_.push_back(Dump());
  }

  // The watermark stays below ids that a commit may still use.
  void Collect() {
    floor_ = std::max(floor_, next_id_ - 3);
    cache_.CollectTombstones(EventId(floor_));
  }

  void Commit() {
    std::vector<SlotChange> changes;
    std::set<ObjectName> used;
    for (uint64_t n = 1 + random_.Below(3); n > 0; --n) {
      SlotChange change;
      change.name = names_[random_.Below(names_.size())];
      if (!used.insert(change.name).second) continue;
      change.state = static_cast<SlotState>(random_.Below(4));
      change.synced = EventId(next_id_ - static_cast<int64_t>(random_.Below(6)));
      if (change.state == SlotState::kPresent) {
        auto snapshot = std::make_shared<Snapshot>();
        std::vector<PartitionSet::Entry> entries;
        for (uint64_t i = random_.Below(3); i > 0; --i) {
          entries.push_back({"k=" + std::to_string(i), "", "bytes"});
        }
        snapshot->partitions = PartitionSet::Of(std::move(entries));
        change.snapshot = std::move(snapshot);
      }
      changes.push_back(std::move(change));
    }
    NameLocks::Request request;
    request.exclusive.assign(used.begin(), used.end());
    const NameGuard guard = *locks_.Acquire(std::move(request), nullptr);
    const CatalogVersion previous = cache_.stats().last_version;
    const std::vector<SlotChange> copy = changes;
    const CatalogVersion version = cache_.Commit(guard, std::move(changes));
    for (const SlotChange& change : copy) {
      const SlotView view = cache_.Lookup(change.name);
      if (change.synced >= before_[change.name].synced) {
        EXPECT_GT(version, previous);
        EXPECT_EQ(KnownOf(view), (Known{change.state, change.synced, version, change.snapshot}));
      } else {
        EXPECT_EQ(view.snapshot, before_[change.name].snapshot);
      }
    }
  }

  // C1 and C4: nothing goes back within an epoch.
  void CheckTime(LogEpoch epoch) {
    for (const ObjectName& name : names_) {
      const SlotView view = cache_.Lookup(name);
      if (view.version != CatalogVersion()) {
        EXPECT_GE(view.version, before_[name].version) << name;
      }
      if (cache_.epoch() == epoch) {
        EXPECT_GE(view.synced, before_[name].synced) << name;
      }
    }
  }

  void CheckLists() {
    for (const std::string db : {"a", "b"}) {
      const ObjectName database = ObjectName::Database("hive", db);
      const SlotState state = cache_.Lookup(database).state;
      std::vector<std::string> expected;
      bool exact = state != SlotState::kUnknown;
      for (const ObjectName& name : names_) {
        if (!name.is_table() || name.db() != db || state == SlotState::kAbsent) continue;
        const SlotView view = cache_.Lookup(name);
        const bool has_slot = view.version != CatalogVersion();
        if (view.state == SlotState::kUnknown && has_slot) exact = false;
        if (view.state == SlotState::kStub || view.state == SlotState::kPresent) {
          expected.push_back(name.table());
        }
      }
      const auto listing = cache_.Tables(database);
      EXPECT_EQ(listing.exact, exact) << db;
      EXPECT_EQ(listing.names, expected) << db;
    }
  }

  void CheckStats() {
    size_t present = 0;
    size_t stubs = 0;
    size_t unknown = 0;
    size_t absent = 0;
    size_t partitions = 0;
    for (const ObjectName& name : names_) {
      const SlotView view = cache_.Lookup(name);
      if (view.version == CatalogVersion()) continue;
      present += view.state == SlotState::kPresent ? 1U : 0U;
      stubs += view.state == SlotState::kStub ? 1U : 0U;
      unknown += view.state == SlotState::kUnknown ? 1U : 0U;
      absent += view.state == SlotState::kAbsent ? 1U : 0U;
      if (view.snapshot) partitions += view.snapshot->partitions->size();
    }
    const auto stats = cache_.stats();
    EXPECT_EQ(stats.present, present);
    EXPECT_EQ(stats.stubs, stubs);
    EXPECT_EQ(stats.unknown, unknown);
    EXPECT_EQ(stats.absent, absent);
    EXPECT_EQ(stats.partitions, partitions);
    EXPECT_EQ(stats.databases + stats.tables, present + stubs);
  }

  // I8: a dump of any version and all deltas behind it give the state of now. Names whose tombstone
  // has been collected are absent for both.
  void CheckFollowers() {
    for (Follower& follower : followers_) {
      for (;;) {
        const auto deltas = cache_.deltas().Since(follower.version, 1 + random_.Below(4));
        ASSERT_TRUE(deltas);
        if (deltas->empty()) break;
        for (const Delta& delta : *deltas) {
          ASSERT_GE(delta.version, follower.version);
          follower.version = delta.version;
          follower.state[delta.name] = {delta.state, delta.synced, delta.version, delta.snapshot};
        }
      }
      for (const ObjectName& name : names_) {
        const SlotView view = cache_.Lookup(name);
        const Known& known = follower.state[name];
        if (view.version == CatalogVersion()) {
          EXPECT_NE(known.state, SlotState::kPresent) << name;
          EXPECT_NE(known.state, SlotState::kStub) << name;
          EXPECT_LE(known.synced, view.synced) << name;
        } else {
          EXPECT_EQ(known, KnownOf(view)) << name;
        }
      }
    }
    if (followers_.size() > 4) followers_.erase(followers_.begin());
  }

  Random random_;
  testing::FakeClock clock_;
  testing::ManualExecutor executor_;
  testing::ManualTimer timer_{&clock_};
  NameLocks locks_{&executor_, &timer_, &clock_};
  Counter versions_;
  CatalogCache cache_{&versions_, 1000};
  std::vector<ObjectName> names_;
  State before_;
  std::vector<Follower> followers_;
  int64_t next_id_ = 10;
  int64_t floor_ = 0;
};

TEST(CatalogCacheModelTest, HoldsItsInvariantsUnderRandomOperations) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SideBySide run(seed);
    for (int step = 0; step < 200; ++step) run.Step();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace catalogd::cache
