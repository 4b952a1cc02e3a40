#include "catalog/cache/catalog_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_time.h"

namespace catalogd::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ObjectName kDb = ObjectName::Database("hive", "d");
const ObjectName kT = ObjectName::Table("hive", "d", "t");
const ObjectName kU = ObjectName::Table("hive", "d", "u");
const ObjectName kV = ObjectName::Table("hive", "d", "v");

class Counter final : public VersionSource {
 public:
  CatalogVersion Next() override { return last_ = last_.Next(); }

 private:
  CatalogVersion last_{1000};
};

class CatalogCacheTest : public ::testing::Test {
 protected:
  static SnapshotPtr Content(std::string bytes, size_t partitions = 0) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->object = std::move(bytes);
    std::vector<PartitionSet::Entry> entries;
    for (size_t i = 0; i < partitions; ++i) entries.push_back({"k=" + std::to_string(i), "", "b"});
    snapshot->partitions = PartitionSet::Of(std::move(entries));
    return snapshot;
  }
  static SlotChange Change(const ObjectName& name, SlotState state, int64_t synced,
                           SnapshotPtr snapshot = nullptr) {
    SlotChange change;
    change.name = name;
    change.state = state;
    change.synced = EventId(synced);
    change.snapshot = std::move(snapshot);
    return change;
  }
  static SlotChange Present(const ObjectName& name, int64_t synced, size_t partitions = 0) {
    return Change(name, SlotState::kPresent, synced, Content("content", partitions));
  }
  NameGuard Lock(const std::vector<ObjectName>& names) {
    NameLocks::Request request;
    request.exclusive = names;
    return *locks_.Acquire(std::move(request), nullptr);
  }
  CatalogVersion Commit(std::vector<SlotChange> changes) {
    std::vector<ObjectName> names;
    names.reserve(changes.size());
    for (const SlotChange& change : changes) names.push_back(change.name);
    const NameGuard guard = Lock(names);
    return cache_.Commit(guard, std::move(changes));
  }
  void List(int64_t position, const std::vector<ObjectName>& names, int64_t epoch = 1) {
    EXPECT_TRUE(
        cache_.InstallListing(LogEpoch(epoch), EventId(position), EventId(position + 5), names));
  }
  SlotState State(const ObjectName& name) const { return cache_.Lookup(name).state; }
  EventId Synced(const ObjectName& name) const { return cache_.Lookup(name).synced; }

  testing::FakeClock clock_;
  testing::ManualExecutor executor_;
  testing::ManualTimer timer_{&clock_};
  NameLocks locks_{&executor_, &timer_, &clock_};
  Counter versions_;
  CatalogCache cache_{&versions_, 100};
};

TEST_F(CatalogCacheTest, NothingIsKnownBeforeAListing) {
  EXPECT_FALSE(cache_.listed());
  const SlotView view = cache_.Lookup(kT);
  EXPECT_EQ(view.state, SlotState::kUnknown);
  EXPECT_EQ(view.synced, EventId(0));
  EXPECT_EQ(view.version, CatalogVersion(0));
  EXPECT_FALSE(cache_.Databases("hive").exact);
  EXPECT_FALSE(cache_.Tables(kDb).exact);
}

TEST_F(CatalogCacheTest, AListingMakesStubsAndEverythingElseAbsent) {
  List(50, {kDb, kT});
  EXPECT_TRUE(cache_.listed());
  EXPECT_EQ(cache_.epoch(), LogEpoch(1));
  const SlotView stub = cache_.Lookup(kT);
  EXPECT_EQ(stub.state, SlotState::kStub);
  EXPECT_EQ(stub.synced, EventId(50));
  EXPECT_EQ(stub.incarnation, EventId(50));
  EXPECT_EQ(stub.checks_from, EventId(55));
  EXPECT_EQ(stub.version, CatalogVersion(1001));
  const SlotView missing = cache_.Lookup(kU);
  EXPECT_EQ(missing.state, SlotState::kAbsent);
  EXPECT_EQ(missing.synced, EventId(50)) << "the collection floor, never 0";
  EXPECT_EQ(missing.checks_from, EventId(55));
  EXPECT_EQ(missing.version, CatalogVersion(0));
}

TEST_F(CatalogCacheTest, ListsAreSortedAndExact) {
  List(50, {kDb, kU, kT, ObjectName::Database("hive", "a"), ObjectName::Database("spark", "s")});
  const auto databases = cache_.Databases("hive");
  EXPECT_TRUE(databases.exact);
  EXPECT_THAT(databases.names, ElementsAre("a", "d"));
  EXPECT_THAT(cache_.Databases("spark").names, ElementsAre("s"));
  EXPECT_THAT(cache_.Databases("none").names, IsEmpty());
  EXPECT_TRUE(cache_.Databases("none").exact);
  const auto tables = cache_.Tables(kDb);
  EXPECT_TRUE(tables.exact);
  EXPECT_THAT(tables.names, ElementsAre("t", "u"));
}

TEST_F(CatalogCacheTest, AListOfAnAbsentDatabaseIsExactAndEmpty) {
  List(50, {kDb, kT});
  EXPECT_TRUE(cache_.Tables(ObjectName::Database("hive", "gone")).exact);
  Commit({Change(kDb, SlotState::kAbsent, 60)});
  EXPECT_TRUE(cache_.Tables(kDb).exact);
  EXPECT_THAT(cache_.Tables(kDb).names, IsEmpty());
  EXPECT_THAT(cache_.Databases("hive").names, IsEmpty());
}

TEST_F(CatalogCacheTest, ADoubtfulNameMakesItsListInexact) {
  List(50, {kDb, kT});
  Commit({Change(kU, SlotState::kUnknown, 60)});
  EXPECT_FALSE(cache_.Tables(kDb).exact);
  EXPECT_THAT(cache_.Tables(kDb).names, ElementsAre("t"));
  EXPECT_THAT(cache_.TablesToDrop(kDb), ElementsAre(kT, kU));
  Commit({Change(kU, SlotState::kAbsent, 60)});
  EXPECT_TRUE(cache_.Tables(kDb).exact);
  EXPECT_THAT(cache_.TablesToDrop(kDb), ElementsAre(kT));
}

TEST_F(CatalogCacheTest, ADatabaseInDoubtPutsItsMissingTablesInDoubt) {
  List(50, {kDb, kT});
  Commit({Change(kDb, SlotState::kUnknown, 60)});
  EXPECT_FALSE(cache_.Databases("hive").exact);
  EXPECT_FALSE(cache_.Tables(kDb).exact);
  EXPECT_EQ(State(kT), SlotState::kStub);
  EXPECT_EQ(State(kU), SlotState::kUnknown);
  EXPECT_EQ(Synced(kU), EventId(50));
  Commit({Change(kDb, SlotState::kStub, 61)});
  EXPECT_EQ(State(kU), SlotState::kAbsent);
}

TEST_F(CatalogCacheTest, ACommitPublishesAllItsNamesWithOneVersion) {
  List(50, {kDb, kT});
  SlotChange renamed = Present(kU, 60);
  renamed.new_incarnation = true;
  const CatalogVersion version = Commit({Change(kT, SlotState::kAbsent, 60), renamed});
  EXPECT_EQ(version, CatalogVersion(1002));
  EXPECT_EQ(cache_.Lookup(kT).version, version);
  EXPECT_EQ(cache_.Lookup(kU).version, version);
  EXPECT_EQ(cache_.Lookup(kU).incarnation, EventId(60));
  EXPECT_THAT(cache_.Tables(kDb).names, ElementsAre("u"));
  EXPECT_EQ(cache_.stats().last_version, version);
}

TEST_F(CatalogCacheTest, AStaleChangeIsLeftOutAndCounted) {
  List(50, {kDb, kT});
  const CatalogVersion first = Commit({Present(kT, 60)});
  EXPECT_EQ(Commit({Change(kT, SlotState::kAbsent, 59)}), first) << "no version is used";
  EXPECT_EQ(State(kT), SlotState::kPresent);
  EXPECT_EQ(cache_.stats().stale_changes, 1U);
  const CatalogVersion second =
      Commit({Change(kT, SlotState::kStub, 55), Change(kU, SlotState::kStub, 61)});
  EXPECT_EQ(second, first.Next());
  EXPECT_EQ(State(kT), SlotState::kPresent);
  EXPECT_EQ(State(kU), SlotState::kStub);
  EXPECT_EQ(cache_.stats().stale_changes, 2U);
}

TEST_F(CatalogCacheTest, AnEqualSyncedIdReplacesTheContent) {
  List(50, {kDb, kT});
  const CatalogVersion load = Commit({Present(kT, 50)});
  EXPECT_EQ(State(kT), SlotState::kPresent);
  EXPECT_EQ(cache_.Lookup(kT).version, load);
  EXPECT_GT(Commit({Change(kT, SlotState::kUnknown, 50)}), load);
  EXPECT_EQ(State(kT), SlotState::kUnknown);
  EXPECT_EQ(cache_.Lookup(kT).snapshot, nullptr);
}

// The mutant "a missing slot is synced to 0": a late load of a name that was dropped and collected
// would bring it back.
TEST_F(CatalogCacheTest, AChangeBelowTheCollectionFloorIsStale) {
  List(50, {kDb, kT});
  Commit({Change(kT, SlotState::kAbsent, 60)});
  cache_.CollectTombstones(EventId(70));
  EXPECT_EQ(cache_.stats().absent, 0U);
  EXPECT_EQ(Synced(kT), EventId(70));
  Commit({Present(kT, 69)});
  EXPECT_EQ(State(kT), SlotState::kAbsent);
  EXPECT_EQ(cache_.stats().stale_changes, 1U);
  Commit({Change(kT, SlotState::kUnknown, 70)});
  EXPECT_EQ(State(kT), SlotState::kUnknown) << "in doubt at the floor itself";
}

// A late event puts an absent name in doubt while the watermark goes on.
TEST_F(CatalogCacheTest, ADoubtBelowTheCollectionFloorIsPublishedAtTheFloor) {
  List(50, {kDb, kT});
  Commit({Change(kT, SlotState::kAbsent, 60)});
  cache_.CollectTombstones(EventId(70));
  Commit({Change(kT, SlotState::kUnknown, 65)});
  EXPECT_EQ(State(kT), SlotState::kUnknown);
  EXPECT_EQ(Synced(kT), EventId(70));
  EXPECT_EQ(cache_.stats().stale_changes, 0U);
  // Where there is a slot, it knows better.
  Commit({Present(kU, 80)});
  Commit({Change(kU, SlotState::kUnknown, 79)});
  EXPECT_EQ(State(kU), SlotState::kPresent);
}

TEST_F(CatalogCacheTest, ATombstoneStaysUntilTheWatermarkHasPassedIt) {
  List(50, {kDb, kT, kU});
  Commit({Change(kT, SlotState::kAbsent, 60)});
  Commit({Change(kU, SlotState::kAbsent, 61)});
  cache_.CollectTombstones(EventId(59));
  EXPECT_EQ(cache_.stats().absent, 2U);
  cache_.CollectTombstones(EventId(60));
  EXPECT_EQ(cache_.stats().absent, 1U);
  EXPECT_EQ(Synced(kU), EventId(61));
  EXPECT_EQ(Synced(kT), EventId(60));
  cache_.CollectTombstones(EventId(55));
  EXPECT_EQ(Synced(kT), EventId(60)) << "the floor never falls";
}

TEST_F(CatalogCacheTest, ACollectedNameThatCameBackIsNotCollected) {
  List(50, {kDb, kT});
  Commit({Change(kT, SlotState::kAbsent, 60)});
  Commit({Present(kT, 61)});
  cache_.CollectTombstones(EventId(100));
  EXPECT_EQ(State(kT), SlotState::kPresent);
  EXPECT_EQ(Synced(kT), EventId(61));
}

TEST_F(CatalogCacheTest, ManyTombstonesAreCollectedInOneCall) {
  List(50, {kDb});
  std::vector<SlotChange> drops;
  drops.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    drops.push_back(Change(ObjectName::Table("hive", "d", "t" + std::to_string(i)),
                           SlotState::kAbsent, 60 + i));
  }
  const NameGuard guard = Lock({kDb});
  cache_.Commit(guard, std::move(drops));
  cache_.CollectTombstones(EventId(60 + 899));
  EXPECT_EQ(cache_.stats().absent, 100U);
}

TEST_F(CatalogCacheTest, WhatAppearsAfterAbsenceIsANewIncarnation) {
  List(50, {kDb, kT});
  Commit({Present(kT, 55)});
  EXPECT_EQ(cache_.Lookup(kT).incarnation, EventId(50)) << "a load is the same object";
  Commit({Change(kT, SlotState::kAbsent, 60)});
  Commit({Change(kT, SlotState::kStub, 70)});
  EXPECT_EQ(cache_.Lookup(kT).incarnation, EventId(70));
  SlotChange recreated = Present(kT, 80);
  recreated.new_incarnation = true;
  Commit({recreated});
  EXPECT_EQ(cache_.Lookup(kT).incarnation, EventId(80));
  Commit({Change(kT, SlotState::kUnknown, 81)});
  Commit({Present(kT, 82)});
  EXPECT_EQ(cache_.Lookup(kT).incarnation, EventId(82))
      << "what was in doubt may have been dropped and created: nobody looked at the events";
}

TEST_F(CatalogCacheTest, ChecksFromIsKeptUnlessGiven) {
  List(50, {kDb, kT});
  Commit({Present(kT, 60)});
  EXPECT_EQ(cache_.Lookup(kT).checks_from, EventId(55));
  SlotChange load = Present(kT, 70);
  load.checks_from = EventId(70);
  Commit({load});
  EXPECT_EQ(cache_.Lookup(kT).checks_from, EventId(70));
  Commit({Present(kU, 71)});
  EXPECT_EQ(cache_.Lookup(kU).checks_from, EventId(55));
}

TEST_F(CatalogCacheTest, AnIncarnationMayBeginBeforeTheSyncedId) {
  List(50, {kDb, kT});
  SlotChange recreated = Present(kT, 80);
  recreated.new_incarnation = true;
  recreated.incarnation = EventId(75);
  Commit({recreated});
  EXPECT_EQ(cache_.Lookup(kT).incarnation, EventId(75));
}

TEST_F(CatalogCacheTest, ReadsThatAreVoidAreMarkedUntilTheNextMark) {
  List(50, {kDb, kT});
  const CatalogVersion listed = cache_.last_version();
  EXPECT_EQ(cache_.Lookup(kT).reads_from, listed) << "what was read before the listing is void";
  EXPECT_EQ(cache_.Lookup(kU).reads_from, listed);
  SlotChange change = Change(kT, SlotState::kStub, 60);
  change.void_reads = true;
  const CatalogVersion version = Commit({change});
  EXPECT_EQ(cache_.Lookup(kT).reads_from, version);
  Commit({Change(kT, SlotState::kAbsent, 61)});
  EXPECT_EQ(cache_.Lookup(kT).reads_from, version);
  cache_.CollectTombstones(EventId(61));
  EXPECT_EQ(cache_.Lookup(kT).reads_from, version) << "a tombstone's mark outlives it";
}

TEST_F(CatalogCacheTest, ACommitForAnotherEpochIsLeftOut) {
  List(50, {kDb, kT}, 2);
  const CatalogVersion before = cache_.last_version();
  const NameGuard guard = Lock({kT});
  EXPECT_EQ(cache_.Commit(guard, {Present(kT, 60)}, LogEpoch(1)), before);
  EXPECT_EQ(State(kT), SlotState::kStub);
  EXPECT_GT(cache_.Commit(guard, {Present(kT, 60)}, LogEpoch(2)), before);
  EXPECT_EQ(State(kT), SlotState::kPresent);
}

// Equal parts of names in different places must not meet, wherever the directory keeps them.
TEST_F(CatalogCacheTest, TellsEqualPartsOfNamesApart) {
  std::vector<ObjectName> listed;
  std::vector<ObjectName> others;
  // So many that a good number of them share a bucket.
  for (const std::string catalog : {"hive", "spark", "a", "b", "c", "d"}) {
    for (int i = 0; i < 200; ++i) {
      const std::string db = "x" + std::to_string(i);
      const bool has_db = (i + static_cast<int>(catalog.size())) % 2 == 0;
      (has_db ? listed : others).push_back(ObjectName::Database(catalog, db));
      for (int j = 0; j < 3; ++j) {
        const bool has_table = has_db && (i / 2 + j) % 3 != 0;
        (has_table ? listed : others)
            .push_back(ObjectName::Table(catalog, db, "x" + std::to_string(j)));
      }
    }
  }
  for (int i = 0; i < 1000; ++i) {
    (i % 2 == 0 ? listed : others)
        .push_back(ObjectName::Table("catalog" + std::to_string(i), "x0", "x0"));
  }
  List(50, listed);
  for (const ObjectName& name : listed) ASSERT_EQ(State(name), SlotState::kStub) << name;
  for (const ObjectName& name : others) ASSERT_EQ(State(name), SlotState::kAbsent) << name;
  EXPECT_EQ(cache_.Databases("spark").names.size(), 100U);
  EXPECT_EQ(cache_.Tables(ObjectName::Database("spark", "x1")).names.size(), 2U);
}

TEST_F(CatalogCacheTest, CountsWhatItHolds) {
  List(50, {kDb, kT, kU});
  Commit({Present(kT, 60, 3), Present(kDb, 60)});
  Commit({Change(kV, SlotState::kUnknown, 61)});
  auto stats = cache_.stats();
  EXPECT_EQ(stats.databases, 1U);
  EXPECT_EQ(stats.tables, 2U);
  EXPECT_EQ(stats.present, 2U);
  EXPECT_EQ(stats.stubs, 1U);
  EXPECT_EQ(stats.unknown, 1U);
  EXPECT_EQ(stats.absent, 0U);
  EXPECT_EQ(stats.partitions, 3U);
  EXPECT_EQ(stats.commits, 3U);
  Commit({Present(kT, 62, 1)});
  EXPECT_EQ(cache_.stats().partitions, 1U);
  Commit({Change(kT, SlotState::kStub, 63), Change(kDb, SlotState::kStub, 63)});
  Commit({Change(kV, SlotState::kAbsent, 64)});
  stats = cache_.stats();
  EXPECT_EQ(stats.partitions, 0U);
  EXPECT_EQ(stats.present, 0U);
  EXPECT_EQ(stats.stubs, 3U);
  EXPECT_EQ(stats.unknown, 0U);
  EXPECT_EQ(stats.absent, 1U);
}

TEST_F(CatalogCacheTest, TheObserverIsToldOutsideAllLocks) {
  std::vector<std::vector<ObjectName>> told;
  cache_.SetObserver([&](const std::vector<ObjectName>& names) {
    told.push_back(names);
    EXPECT_TRUE(cache_.listed());  // Takes the directory lock.
    AssertNoMutexHeld("observer");
  });
  List(50, {kDb, kT});
  Commit({Present(kT, 60), Change(kU, SlotState::kStub, 40)});
  Commit({Present(kT, 59)});
  EXPECT_THAT(told, ElementsAre(IsEmpty(), ElementsAre(kT))) << "empty: all names";
}

TEST_F(CatalogCacheTest, DeltasTellEveryPublishedChange) {
  List(50, {kDb, kT});
  const CatalogVersion listed = cache_.stats().last_version;
  EXPECT_FALSE(cache_.deltas().Since(CatalogVersion(0), 10).has_value()) << "a listing is a gap";
  SlotChange change = Present(kT, 60);
  change.reason = "load";
  const SnapshotPtr snapshot = change.snapshot;
  const CatalogVersion version = Commit({change, Change(kU, SlotState::kStub, 1)});
  const auto deltas = cache_.deltas().Since(listed, 10);
  ASSERT_TRUE(deltas);
  ASSERT_EQ(deltas->size(), 1U);
  EXPECT_EQ(deltas->front().version, version);
  EXPECT_EQ(deltas->front().name, kT);
  EXPECT_EQ(deltas->front().state, SlotState::kPresent);
  EXPECT_EQ(deltas->front().synced, EventId(60));
  EXPECT_EQ(deltas->front().snapshot, snapshot);
  EXPECT_EQ(deltas->front().reason, "load");
}

TEST_F(CatalogCacheTest, ANewEpochStartsEverySlotOver) {
  List(500, {kDb, kT, kU});
  Commit({Present(kT, 600, 2)});
  Commit({Change(kU, SlotState::kAbsent, 601)});
  const CatalogVersion before = cache_.stats().last_version;
  List(7, {kDb, kT}, 2);
  EXPECT_EQ(cache_.epoch(), LogEpoch(2));
  EXPECT_EQ(State(kT), SlotState::kStub);
  EXPECT_EQ(Synced(kT), EventId(7)) << "ids of another log mean nothing here";
  EXPECT_GT(cache_.Lookup(kT).version, before) << "versions keep rising";
  EXPECT_EQ(State(kU), SlotState::kAbsent);
  EXPECT_EQ(Synced(kU), EventId(7));
  const auto stats = cache_.stats();
  EXPECT_EQ(stats.partitions, 0U);
  EXPECT_EQ(stats.absent, 0U);
  EXPECT_EQ(stats.stubs, 2U);
  cache_.CollectTombstones(EventId(8));
  Commit({Present(kU, 9)});
  EXPECT_EQ(State(kU), SlotState::kPresent);
}

TEST_F(CatalogCacheTest, AListingOfTheSameEpochKeepsWhatIsNewer) {
  List(50, {kDb, kT, kV});
  Commit({Present(kT, 80)});
  Commit({Change(kU, SlotState::kAbsent, 81)});
  Commit({Present(kV, 60)});
  List(70, {kDb, kT, kU});
  EXPECT_EQ(State(kT), SlotState::kPresent);
  EXPECT_EQ(Synced(kT), EventId(80));
  EXPECT_EQ(State(kU), SlotState::kAbsent) << "dropped behind the listing's position";
  EXPECT_EQ(Synced(kU), EventId(81));
  EXPECT_EQ(State(kV), SlotState::kAbsent) << "not listed any more";
  EXPECT_EQ(Synced(kV), EventId(70));
  EXPECT_EQ(Synced(kDb), EventId(70));
  EXPECT_THAT(cache_.Tables(kDb).names, ElementsAre("t"));
  cache_.CollectTombstones(EventId(90));
  EXPECT_EQ(cache_.stats().absent, 0U);
}

TEST_F(CatalogCacheTest, AListingBelowTheFloorOfItsEpochIsRefused) {
  List(50, {kDb, kT});
  Commit({Change(kT, SlotState::kAbsent, 60)});
  cache_.CollectTombstones(EventId(60));
  EXPECT_FALSE(cache_.InstallListing(LogEpoch(1), EventId(55), EventId(55), {kDb, kT}));
  EXPECT_EQ(State(kT), SlotState::kAbsent);
  EXPECT_TRUE(cache_.InstallListing(LogEpoch(2), EventId(55), EventId(55), {kDb, kT}));
  EXPECT_EQ(State(kT), SlotState::kStub);
}

TEST_F(CatalogCacheTest, ForgetAllPutsEverythingInDoubt) {
  List(50, {kDb, kT, kU});
  Commit({Present(kT, 80, 1)});
  const CatalogVersion before = cache_.stats().last_version;
  cache_.ForgetAll(LogEpoch(1), EventId(70));
  EXPECT_FALSE(cache_.listed());
  EXPECT_FALSE(cache_.Tables(kDb).exact);
  EXPECT_EQ(State(kT), SlotState::kUnknown);
  EXPECT_EQ(Synced(kT), EventId(80)) << "ids do not go back within an epoch";
  EXPECT_GT(cache_.Lookup(kT).version, before);
  EXPECT_EQ(cache_.Lookup(kT).snapshot, nullptr);
  EXPECT_EQ(State(kU), SlotState::kUnknown);
  EXPECT_EQ(Synced(kU), EventId(70));
  EXPECT_FALSE(cache_.deltas().Since(before, 10).has_value());
  cache_.CollectTombstones(EventId(100));
  EXPECT_EQ(Synced(kU), EventId(70)) << "nothing is swept before a listing";
  cache_.ForgetAll(LogEpoch(1), EventId(60));
  EXPECT_EQ(Synced(kU), EventId(70));
  cache_.ForgetAll(LogEpoch(2), EventId(3));
  EXPECT_EQ(Synced(kT), EventId(3));
}

TEST_F(CatalogCacheTest, ADumpComesInPagesInTheOrderOfNames) {
  const ObjectName other = ObjectName::Database("abc", "z");
  List(50, {kV, kDb, kT, other, kU});
  Commit({Present(kT, 80, 1), Change(kU, SlotState::kAbsent, 80)});
  std::vector<ObjectName> names;
  std::optional<ObjectName> after;
  do {
    const CatalogCache::Page page = cache_.Dump(after, 2);
    EXPECT_TRUE(page.listed);
    EXPECT_EQ(page.version, cache_.last_version());
    EXPECT_LE(page.slots.size(), 2U);
    for (const auto& slot : page.slots) names.push_back(slot.name);
    after = page.next;
  } while (after);
  EXPECT_THAT(names, ElementsAre(other, kDb, kT, kV)) << "absent ones are left out";
  EXPECT_EQ(cache_.Dump(kDb, 1).slots.front().view.snapshot, cache_.Lookup(kT).snapshot);
  // A page goes on behind a name that is gone by now.
  EXPECT_EQ(cache_.Dump(kU, 9).slots.front().name, kV);
  EXPECT_FALSE(cache_.Dump(kV, 9).next.has_value());
}

TEST_F(CatalogCacheTest, DeltasSayWhatTheyHoldAndWhetherPartitionsChanged) {
  List(50, {kDb, kT});
  Commit({Present(kT, 60, 3)});
  const SnapshotPtr loaded = cache_.Lookup(kT).snapshot;
  auto same_set = std::make_shared<Snapshot>(*loaded);
  same_set->object = std::string(5000, 'x');
  Commit({Change(kT, SlotState::kPresent, 61, same_set)});
  Commit({Change(kT, SlotState::kPresent, 62, same_set)});
  const auto deltas = cache_.deltas().Recent(3);
  ASSERT_EQ(deltas.size(), 3U);
  EXPECT_FALSE(deltas[0].partitions_changed);
  EXPECT_LT(deltas[0].bytes, 1000U) << "the same content costs nothing";
  EXPECT_FALSE(deltas[1].partitions_changed);
  EXPECT_GE(deltas[1].bytes, 5000U);
  EXPECT_TRUE(deltas[2].partitions_changed);
  EXPECT_EQ(deltas[0].incarnation, EventId(50));
  EXPECT_EQ(cache_.deltas().stats().bytes, deltas[0].bytes + deltas[1].bytes + deltas[2].bytes);
}

TEST_F(CatalogCacheTest, ContentThatDeltasHoldIsBoundedByBytes) {
  CatalogCache small(&versions_, 1000, 10000);
  ASSERT_TRUE(small.InstallListing(LogEpoch(1), EventId(1), EventId(1), {kDb, kT}));
  const CatalogVersion before = small.last_version();
  const NameGuard guard = Lock({kT});
  for (int64_t id = 2; id < 12; ++id) {
    small.Commit(guard, {Change(kT, SlotState::kPresent, id, Content(std::string(3000, 'x')))});
  }
  EXPECT_FALSE(small.deltas().Since(before, 100).has_value());
  EXPECT_LE(small.deltas().stats().bytes, 10000U);
  EXPECT_GE(small.deltas().stats().deltas, 1U);
}

using CatalogCacheDeathTest = CatalogCacheTest;

TEST_F(CatalogCacheDeathTest, RefusesChangesWithoutTheirLock) {
  List(50, {kDb, kT});
  const NameGuard guard = Lock({kU});
  EXPECT_DEATH(cache_.Commit(guard, {Present(kT, 60)}), "d.t is changed without its lock");
  EXPECT_DEATH(cache_.Commit(guard, {Change(kU, SlotState::kPresent, 60)}), "d.u");
}

}  // namespace
}  // namespace catalogd::cache
