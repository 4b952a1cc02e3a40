// Followers of the delta log: whoever takes a dump page by page while lanes commit in parallel, and
// then replays deltas, must end with what the cache has. Commits that enter the log out of version
// order, a commit of several names that is torn apart, or a page that is taken for the state of
// another version would each leave a follower with something that never was.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "catalog/base/random.h"
#include "catalog/cache/catalog_cache.h"
#include "tests/support/fake_time.h"

namespace catalogd::cache {
namespace {

class Counter final : public VersionSource {
 public:
  CatalogVersion Next() override { return CatalogVersion(++last_); }

 private:
  std::atomic<int64_t> last_{0};
};

ObjectName Name(int lane, int table) {
  return ObjectName::Table("hive", "db" + std::to_string(lane), "t" + std::to_string(table));
}

struct Known {
  SlotState state = SlotState::kAbsent;
  EventId synced;
  EventId incarnation;
  CatalogVersion version;
  SnapshotPtr snapshot;
  friend bool operator==(const Known&, const Known&) = default;
};

Known KnownOf(const SlotView& view) {
  return {view.state, view.synced, view.incarnation, view.version, view.snapshot};
}

// Keeps what exists, as a program on the other side of the service would.
class Follower {
 public:
  explicit Follower(const CatalogCache* cache) : cache_(cache) {}

  void TakePage(Random* random) {
    const CatalogCache::Page page = cache_->Dump(next_, 1 + random->Below(5));
    if (version_ == CatalogVersion()) version_ = page.version;
    for (const auto& [name, view] : page.slots) state_[name] = KnownOf(view);
    next_ = page.next;
    dumped_ = !page.next.has_value();
  }
  [[nodiscard]] bool dumped() const { return dumped_; }

  // One bite; false when there is nothing new.
  bool Replay(size_t limit) {
    const auto deltas = cache_->deltas().Since(version_, limit);
    EXPECT_TRUE(deltas.has_value());
    if (!deltas || deltas->empty()) return false;
    for (const Delta& delta : *deltas) {
      EXPECT_GE(delta.version, version_) << "out of order";
      version_ = delta.version;
      const auto at = state_.find(delta.name);
      if (at != state_.end() && at->second.version >= delta.version) continue;
      if (delta.state == SlotState::kAbsent) {
        state_.erase(delta.name);
        continue;
      }
      state_[delta.name] = {delta.state, delta.synced, delta.incarnation, delta.version,
                            delta.snapshot};
    }
    return true;
  }

  void ExpectIsEverything() {
    while (Replay(100)) {
    }
    std::map<ObjectName, Known> now;
    const CatalogCache::Page page = cache_->Dump(std::nullopt, 100000);
    for (const auto& [name, view] : page.slots) now[name] = KnownOf(view);
    EXPECT_EQ(state_, now);
    EXPECT_EQ(version_, page.version);
  }

 private:
  const CatalogCache* const cache_;
  std::map<ObjectName, Known> state_;
  CatalogVersion version_;
  std::optional<ObjectName> next_;
  bool dumped_ = false;
};

// Commits of one lane: its own names, several at once.
class Lane {
 public:
  Lane(CatalogCache* cache, NameLocks* locks, int number, uint64_t seed)
      : cache_(cache), locks_(locks), number_(number), random_(seed) {}

  void Commit() {
    std::vector<SlotChange> changes;
    NameLocks::Request request;
    ++id_;
    for (int table = 0; table < 4; ++table) {
      if (random_.OneIn(2)) continue;
      SlotChange change;
      change.name = Name(number_, table);
      change.state = static_cast<SlotState>(random_.Below(4));
      change.synced = EventId(id_);
      if (change.state == SlotState::kPresent) change.snapshot = std::make_shared<Snapshot>();
      request.exclusive.push_back(change.name);
      changes.push_back(std::move(change));
    }
    if (changes.empty()) return;
    const NameGuard guard = *locks_->Acquire(std::move(request), nullptr);
    cache_->Commit(guard, std::move(changes));
  }
  [[nodiscard]] EventId id() const { return EventId(id_); }

 private:
  CatalogCache* const cache_;
  NameLocks* const locks_;
  const int number_;
  Random random_;
  int64_t id_ = 1;
};

class DeltaFollowersTest : public ::testing::Test {
 protected:
  DeltaFollowersTest() {
    std::vector<ObjectName> names;
    for (int lane = 0; lane < 3; ++lane) {
      for (int table = 0; table < 4; ++table) names.push_back(Name(lane, table));
    }
    cache_.InstallListing(LogEpoch(1), EventId(1), EventId(1), names);
  }

  testing::FakeClock clock_;
  testing::ManualExecutor executor_;
  testing::ManualTimer timer_{&clock_};
  NameLocks locks_{&executor_, &timer_, &clock_};
  Counter versions_;
  CatalogCache cache_{&versions_, 1000000};
};

TEST_F(DeltaFollowersTest, AnyInterleavingOfPagesCommitsAndDeltasEndsWithTheSame) {
  Lane lane(&cache_, &locks_, 0, 7);
  Lane other(&cache_, &locks_, 1, 8);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Follower follower(&cache_);
    while (!follower.dumped()) {
      for (uint64_t n = random.Below(4); n > 0; --n) (random.OneIn(2) ? lane : other).Commit();
      if (random.OneIn(8)) cache_.CollectTombstones(std::min(lane.id(), other.id()));
      follower.TakePage(&random);
    }
    for (uint64_t n = random.Below(9); n > 0; --n) {
      lane.Commit();
      follower.Replay(1 + random.Below(3));
    }
    follower.ExpectIsEverything();
    if (HasFailure()) return;
  }
}

TEST_F(DeltaFollowersTest, LanesThatCommitInParallelAreFollowedInOrder) {
  std::atomic<int> running{3};
  std::vector<std::thread> lanes;
  for (int number = 0; number < 3; ++number) {
    lanes.emplace_back([&, number] {
      Lane lane(&cache_, &locks_, number, static_cast<uint64_t>(number));
      for (int n = 0; n < 3000; ++n) lane.Commit();
      --running;
    });
  }
  Random random(99);
  std::vector<Follower> followers;
  while (running > 0) {
    if (followers.size() < 20) {
      followers.emplace_back(&cache_);
      while (!followers.back().dumped()) followers.back().TakePage(&random);
    }
    for (Follower& follower : followers) follower.Replay(1 + random.Below(50));
  }
  for (std::thread& lane : lanes) lane.join();
  for (Follower& follower : followers) follower.ExpectIsEverything();
}

}  // namespace
}  // namespace catalogd::cache
