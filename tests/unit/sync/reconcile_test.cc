// What no event tells of stays wrong for ever unless somebody looks; and whoever looks carelessly
// reports what is only on its way, or publishes a read that nothing proves.
#include "catalog/sync/reconcile.h"

#include <gtest/gtest.h>

#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using testing::DatabaseBytes;
using testing::PartitionBytes;
using testing::SyncRig;
using testing::TableBytes;
using testing::TestTable;
using Outcome = ObjectLoader::Comparison::Outcome;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const ObjectName kDb = kTable.object().DatabaseName();
const ObjectName kOther = ObjectName::Database("hive", "other");

Reconciler::Options Fast() {
  Reconciler::Options options;
  options.objects_per_second = 1000;
  options.period = std::chrono::minutes(1);
  return options;
}

// A cache that has loaded everything the metastore has.
class ReconcileTest : public ::testing::Test {
 protected:
  ReconcileTest() {
    partitioned_.keys = {"day"};
    rig_.metastore.PutDatabase(kDb, DatabaseBytes("sales"));
    rig_.metastore.PutTable(kTable.object(), TableBytes(kTable));
    rig_.metastore.PutTable(partitioned_.object(), TableBytes(partitioned_));
    PutDays({"1", "2"});
    rig_.metastore.SetCurrentId(EventId(5));
    rig_.Start({kDb, kTable.object(), partitioned_.object()});
    for (const ObjectName& name : {kDb, kTable.object(), partitioned_.object()}) {
      rig_.loader.Load(name, [](const Status& status) { EXPECT_TRUE(status); });
    }
    rig_.executor.RunAll();
  }

  void PutDays(const std::vector<std::string>& days, const std::string& note = "") {
    std::vector<testing::FakeMetastore::NamedPartition> partitions;
    for (const std::string& day : days) {
      partitions.push_back({"day=" + day, PartitionBytes(partitioned_, {day}, {{"note", note}})});
    }
    rig_.metastore.PutPartitions(partitioned_.object(), std::move(partitions));
  }

  // Slices until a whole pass over databases and tables is done.
  void Pass(Reconciler* reconciler) {
    const uint64_t databases = reconciler->status().database_passes;
    const uint64_t tables = reconciler->status().passes;
    for (int n = 0; n < 1000; ++n) {
      const Reconciler::Status now = reconciler->status();
      if (now.database_passes > databases && now.passes > tables) return;
      rig_.clock.Advance(reconciler->RunOnce());
      rig_.executor.RunAll();
    }
    FAIL() << "the passes do not end";
  }

  ObjectLoader::Comparison Compare(const ObjectName& name, bool repair) {
    std::optional<ObjectLoader::Comparison> result;
    rig_.loader.Compare(name, repair, "test", [&](const auto& done) {
      ASSERT_TRUE(done) << done.error().message;
      result = *done;
    });
    rig_.executor.RunAll();
    EXPECT_TRUE(result.has_value());
    return result.value_or(ObjectLoader::Comparison{});
  }

  uint64_t Differences() { return rig_.counters.differences.load(); }

  TestTable partitioned_ = kTable.Named("days");
  SyncRig rig_;
};

TEST_F(ReconcileTest, EqualObjectsAreLeftAlone) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  const CatalogVersion version = rig_.cache.last_version();
  Pass(&reconciler);
  EXPECT_EQ(Differences(), 0U);
  EXPECT_EQ(rig_.cache.last_version(), version) << "nothing is published";
  EXPECT_GE(rig_.counters.compared.load(), 3U);
  const Reconciler::Status status = reconciler.status();
  EXPECT_FALSE(status.running);
  EXPECT_EQ(status.total, 3U);
  EXPECT_EQ(status.done, 3U);
  EXPECT_EQ(status.failures, 0U);
}

TEST_F(ReconcileTest, ADatabaseChangedWithoutAnEventIsRepairedAndReported) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  const std::string changed = DatabaseBytes("sales2");
  rig_.metastore.PutDatabase(kDb, changed);
  Pass(&reconciler);
  EXPECT_EQ(rig_.Look(kDb).snapshot->object, changed);
  EXPECT_EQ(Differences(), 1U);
  EXPECT_EQ(rig_.counters.repairs.load(), 1U);
  const JournalEntry entry = rig_.journal.Recent(1).front();
  EXPECT_EQ(entry.type, "difference");
  EXPECT_EQ(entry.action, "repaired");
  EXPECT_EQ(entry.by, "reconcile");
  EXPECT_EQ(entry.name, kDb);
  EXPECT_EQ(entry.reason, "name: cache \"sales\", metastore \"sales2\"");
  EXPECT_NE(reconciler.status().last_difference.find("sales: name:"), std::string::npos);
  Pass(&reconciler);
  EXPECT_EQ(Differences(), 1U) << "told once";
}

TEST_F(ReconcileTest, DatabasesComeOften) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  reconciler.RunOnce();
  const int reads = rig_.metastore.Calls("ReadDatabase");
  for (int n = 0; n < 30; ++n) {
    rig_.clock.Advance(std::chrono::seconds(1));
    reconciler.RunOnce();
  }
  EXPECT_EQ(rig_.metastore.Calls("ReadDatabase"), reads + 3);
  EXPECT_EQ(reconciler.status().database_passes, 3U);
  EXPECT_EQ(reconciler.status().passes, 0U) << "tables do not";
}

TEST_F(ReconcileTest, ATableChangedWithoutAnEventIsRepaired) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  const TestTable changed = kTable.With("COLUMN_STATS_ACCURATE", "x");
  rig_.metastore.PutTable(kTable.object(), TableBytes(changed));
  Pass(&reconciler);
  EXPECT_EQ(rig_.Look(kTable.object()).snapshot->object, TableBytes(changed));
  EXPECT_NE(rig_.journal.Recent(1).front().reason.find("parameters{COLUMN_STATS_ACCURATE}: cache "
                                                       "absent, metastore \"x\""),
            std::string::npos);
}

TEST_F(ReconcileTest, PartitionsAreComparedOneByOne) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  PutDays({"1", "2"}, "changed");
  Pass(&reconciler);
  EXPECT_EQ(Differences(), 1U);
  EXPECT_NE(rig_.journal.Recent(1).front().reason.find("partitions different: day=1 ("),
            std::string::npos)
      << rig_.journal.Recent(1).front().reason;
  PutDays({"2", "3"}, "changed");
  Pass(&reconciler);
  EXPECT_EQ(Differences(), 2U);
  EXPECT_EQ(rig_.journal.Recent(1).front().reason,
            "partitions only in the cache: day=1, only in the metastore: day=3");
  EXPECT_EQ(rig_.Look(partitioned_.object()).snapshot->partitions->Names(-1),
            (std::vector<std::string>{"day=2", "day=3"}));
}

TEST_F(ReconcileTest, OfManyPartitionsASampleIsComparedAndOthersNextTime) {
  Reconciler::Options options = Fast();
  options.max_partitions = 1;
  options.sample = 1;
  Reconciler reconciler(&rig_.context, &rig_.loader, options);
  rig_.metastore.PutPartitions(
      partitioned_.object(),
      {{"day=1", PartitionBytes(partitioned_, {"1"}, {{"note", ""}})},
       {"day=2", PartitionBytes(partitioned_, {"2"}, {{"note", "changed"}})}});
  const int all = rig_.metastore.Calls("ReadPartitions");
  Pass(&reconciler);
  EXPECT_EQ(Differences(), 0U);
  EXPECT_EQ(rig_.metastore.Calls("ReadPartitions"), all);
  Pass(&reconciler);
  EXPECT_EQ(Differences(), 1U);
}

TEST_F(ReconcileTest, NamesThatOnlyOneSideHasAreRepaired) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  rig_.metastore.PutDatabase(kOther, DatabaseBytes("other"));
  const TestTable fresh = kTable.Named("fresh");
  rig_.metastore.PutTable(fresh.object(), TableBytes(fresh));
  rig_.metastore.Remove(kTable.object());
  Pass(&reconciler);
  EXPECT_EQ(rig_.Look(kOther).state, SlotState::kPresent);
  EXPECT_EQ(rig_.Look(fresh.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig_.Look(kTable.object()).state, SlotState::kAbsent);
  EXPECT_EQ(Differences(), 3U);
}

TEST_F(ReconcileTest, WhatIsNotLoadedIsNotRead) {
  rig_.Create(kTable.Named("stub"));
  Reconciler::Options options = Fast();
  options.database_period = {};
  Reconciler reconciler(&rig_.context, &rig_.loader, options);
  rig_.Start({kDb, kTable.object(), partitioned_.object()});
  const int reads = rig_.metastore.Calls("ReadTable");
  for (int n = 0; n < 200 && reconciler.status().passes == 0; ++n) {
    rig_.clock.Advance(reconciler.RunOnce());
  }
  EXPECT_EQ(reconciler.status().passes, 1U);
  EXPECT_EQ(rig_.metastore.Calls("ReadTable"), reads);
}

// Nobody asks for a name in doubt, and no list with it is answered while it is.
TEST_F(ReconcileTest, NamesInDoubtAreLookedUp) {
  const TestTable gone = kTable.Named("gone");
  rig_.metastore.Append("ALTER_TABLE", kTable.object(), "{");
  rig_.metastore.Append("ALTER_TABLE", gone.object(), "{");
  rig_.Poll();
  ASSERT_EQ(rig_.Look(kTable.object()).state, SlotState::kUnknown);
  ASSERT_EQ(rig_.Look(gone.object()).state, SlotState::kUnknown);
  ASSERT_FALSE(rig_.cache.Tables(kDb).exact);
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  Pass(&reconciler);
  EXPECT_EQ(rig_.Look(kTable.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig_.Look(gone.object()).state, SlotState::kAbsent);
  EXPECT_TRUE(rig_.cache.Tables(kDb).exact);
  EXPECT_EQ(rig_.counters.differences.load(), 0U);
}

TEST_F(ReconcileTest, ADifferenceThatAnEventExplainsIsNotReported) {
  const TestTable altered = kTable.With("k", "v");
  // Not polled yet: the cache is only behind.
  const EventId id = rig_.Alter(kTable, altered);
  const ObjectLoader::Comparison result = Compare(kTable.object(), true);
  EXPECT_EQ(result.outcome, Outcome::kInFlight);
  EXPECT_FALSE(result.repaired);
  EXPECT_EQ(Differences(), 0U);
  rig_.Poll();
  EXPECT_EQ(rig_.Look(kTable.object()).synced, id);
  EXPECT_EQ(Compare(kTable.object(), true).outcome, Outcome::kEqual);
}

TEST_F(ReconcileTest, AnEventAroundTheReadExplainsADifference) {
  const TestTable altered = kTable.With("k", "v");
  bool once = true;
  rig_.metastore.OnCall([&](std::string_view call) {
    if (call != "ReadTable" || !once) return;
    once = false;
    rig_.Alter(kTable, altered);
  });
  EXPECT_EQ(Compare(kTable.object(), true).outcome, Outcome::kInFlight);
  EXPECT_EQ(Differences(), 0U);
}

TEST_F(ReconcileTest, AnOwnWriteThatHoldsTheLockExplainsADifference) {
  cache::NameLocks::Request request;
  request.exclusive = {kDb};
  auto guard = rig_.locks.Acquire(request, [](Result<cache::NameGuard>) {});
  // The write has reached the metastore and nothing else yet.
  rig_.metastore.PutDatabase(kDb, DatabaseBytes("sales2"));
  std::optional<ObjectLoader::Comparison> result;
  rig_.loader.Compare(kDb, true, "test", [&](const auto& done) { result = *done; });
  rig_.executor.RunAll();
  EXPECT_FALSE(result.has_value()) << "it waits for the lock";
  PublishStubs(&rig_.context, *guard, {kDb}, rig_.metastore.current_id(), "no event tells",
               rig_.cache.epoch());
  guard->Release();
  rig_.executor.RunAll();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outcome, Outcome::kInFlight);
  EXPECT_EQ(Differences(), 0U);
  EXPECT_EQ(rig_.Look(kDb).state, SlotState::kStub);
}

TEST_F(ReconcileTest, ASilentChangeOfAnotherNameIsNotProvenByItsEvents) {
  rig_.metastore.PutDatabase(kDb, DatabaseBytes("sales2"));
  // Events of other names lie around the read: they explain nothing.
  rig_.metastore.OnCall([&](std::string_view call) {
    if (call == "ReadDatabase") rig_.Create(kTable.Named("noise"));
  });
  EXPECT_EQ(Compare(kDb, true).outcome, Outcome::kDifferent);
  EXPECT_EQ(rig_.Look(kDb).snapshot->object, DatabaseBytes("sales2"));
}

TEST_F(ReconcileTest, WithoutRepairADifferenceIsOnlyTold) {
  rig_.metastore.PutDatabase(kDb, DatabaseBytes("sales2"));
  const ObjectLoader::Comparison result = Compare(kDb, false);
  EXPECT_EQ(result.outcome, Outcome::kDifferent);
  EXPECT_FALSE(result.repaired);
  EXPECT_EQ(rig_.Look(kDb).snapshot->object, DatabaseBytes("sales"));
  EXPECT_EQ(rig_.counters.repairs.load(), 0U);
  EXPECT_EQ(rig_.journal.Recent(1).front().action, "reported");
}

TEST_F(ReconcileTest, WhatIsNeverAnsweredFromTheCacheIsNotCompared) {
  const ObjectLoader::Comparison result = Compare(ObjectName::Table("hive", "sales", "no"), true);
  EXPECT_EQ(result.outcome, Outcome::kEqual) << "absent on both sides";
  rig_.cache.InstallListing(LogEpoch(2), EventId(5), EventId(5), {kDb, kTable.object()});
  EXPECT_EQ(Compare(kTable.object(), true).outcome, Outcome::kNotCompared);
}

TEST_F(ReconcileTest, ALoadThatJoinsAComparisonIsALoad) {
  std::optional<Status> loaded;
  std::optional<ObjectLoader::Comparison> compared;
  rig_.loader.Compare(kTable.object(), true, "test", [&](const auto& done) { compared = *done; });
  rig_.loader.Load(kTable.object(), [&](const Status& status) { loaded = status; });
  const uint64_t loads = rig_.counters.loads.load();
  rig_.executor.RunAll();
  ASSERT_TRUE(compared.has_value());
  EXPECT_EQ(compared->outcome, Outcome::kEqual);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_TRUE(*loaded);
  EXPECT_EQ(rig_.counters.loads.load(), loads + 1);
}

TEST_F(ReconcileTest, ItKeepsToItsRate) {
  Reconciler::Options options = Fast();
  options.objects_per_second = 1;
  options.database_period = {};
  Reconciler reconciler(&rig_.context, &rig_.loader, options);
  reconciler.RunOnce();
  rig_.clock.Advance(options.period);
  const int before = rig_.metastore.TotalCalls();
  for (int n = 0; n < 20; ++n) {
    rig_.clock.Advance(std::chrono::milliseconds(100));
    reconciler.RunOnce();
  }
  EXPECT_LE(rig_.metastore.TotalCalls(), before + 4);
  EXPECT_TRUE(reconciler.status().running);
  EXPECT_LT(reconciler.status().done, reconciler.status().total);
}

TEST_F(ReconcileTest, AMetastoreThatIsAwayEndsTheSliceAndIsShown) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  reconciler.RunOnce();
  rig_.clock.Advance(std::chrono::seconds(10));
  rig_.metastore.FailAll(Error{ErrorCode::kUnavailable, "connection refused"});
  EXPECT_GE(reconciler.RunOnce(), std::chrono::milliseconds(50));
  EXPECT_EQ(reconciler.status().failures, 1U);
  EXPECT_NE(reconciler.status().last_failure.find("connection refused"), std::string::npos);
  EXPECT_EQ(reconciler.status().database_passes, 0U);
  rig_.metastore.FailAll(std::nullopt);
  rig_.clock.Advance(std::chrono::seconds(10));
  reconciler.RunOnce();
  EXPECT_EQ(reconciler.status().database_passes, 1U);
}

TEST_F(ReconcileTest, SwitchedOffItDoesNothing) {
  Reconciler::Options options;
  options.database_period = {};
  options.period = {};
  Reconciler reconciler(&rig_.context, &rig_.loader, options);
  const int calls = rig_.metastore.TotalCalls();
  for (int n = 0; n < 10; ++n) {
    rig_.clock.Advance(std::chrono::hours(1));
    reconciler.RunOnce();
  }
  EXPECT_EQ(rig_.metastore.TotalCalls(), calls);
  EXPECT_FALSE(reconciler.status().enabled);
}

TEST_F(ReconcileTest, AnotherLogBeginsThePassesAnew) {
  Reconciler reconciler(&rig_.context, &rig_.loader, Fast());
  reconciler.RunOnce();
  rig_.clock.Advance(std::chrono::minutes(2));
  rig_.cache.InstallListing(LogEpoch(2), EventId(5), EventId(5), {kDb});
  const int calls = rig_.metastore.TotalCalls();
  reconciler.RunOnce();
  EXPECT_EQ(rig_.metastore.TotalCalls(), calls) << "not before a period has passed";
}

}  // namespace
}  // namespace catalogd::sync
