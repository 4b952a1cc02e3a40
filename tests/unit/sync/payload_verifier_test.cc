// What messages said is compared with what the metastore answers: a difference must be named and
// healed, and no change in between may look like one.
#include "catalog/sync/payload_verifier.h"

#include "catalog/sync/object_diff.h"
#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SyncRig;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const ObjectName kDb = ObjectName::Database("hive", "sales");

class PayloadVerifierTest : public ::testing::Test {
 protected:
  PayloadVerifierTest() {
    rig_.context.fold.generation = hms::Generation::kHive3;
    rig_.context.verifier = &verifier_;
    rig_.Start({kDb});
  }
  uint64_t Differences() { return rig_.counters.payload_differences.load(); }
  uint64_t Verified() { return rig_.counters.verified_payloads.load(); }

  SyncRig rig_;
  PayloadVerifier verifier_{&rig_.context, {.every = 1, .at_once = 2}};
};

TEST_F(PayloadVerifierTest, WhatIsExactIsReadAndLeftAlone) {
  rig_.Create(kTable);
  rig_.Poll();
  EXPECT_EQ(Verified(), 1U);
  EXPECT_EQ(Differences(), 0U);
  EXPECT_EQ(rig_.metastore.Calls("ReadTable"), 1);
  EXPECT_EQ(rig_.Look(kTable.object()).state, SlotState::kPresent);
}

TEST_F(PayloadVerifierTest, ADifferenceIsCountedNamedAndReadAgain) {
  const EventId at = rig_.Create(kTable);
  rig_.metastore.PutTable(kTable.object(), TableBytes(kTable.With("hidden", "change")));
  rig_.Poll();
  EXPECT_EQ(Differences(), 1U);
  EXPECT_EQ(rig_.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig_.Look(kTable.object()).synced, at);
  const JournalEntry entry = rig_.journal.Recent(1)[0];
  EXPECT_EQ(entry.type, "verify: difference");
  EXPECT_EQ(entry.name, kTable.object());
  EXPECT_THAT(entry.reason, HasSubstr("parameters{hidden}"));
  rig_.loader.Load(kTable.object(), nullptr);
  rig_.executor.RunAll();
  EXPECT_EQ(rig_.Look(kTable.object()).snapshot->object,
            TableBytes(kTable.With("hidden", "change")));
}

TEST_F(PayloadVerifierTest, AChangeDuringTheReadIsNoDifference) {
  rig_.Create(kTable);
  bool changed = false;
  rig_.metastore.OnCall([&](std::string_view call) {
    if (call != "ReadTable" || std::exchange(changed, true)) return;
    rig_.Alter(kTable, kTable.With("k", "v"));
  });
  rig_.Poll();
  EXPECT_EQ(Differences(), 0U);
  EXPECT_EQ(rig_.counters.unverified_payloads.load(), 1U);
  EXPECT_EQ(rig_.Look(kTable.object()).snapshot->object, TableBytes(kTable.With("k", "v")));
}

TEST_F(PayloadVerifierTest, AFailingReadProvesNothing) {
  rig_.metastore.FailNext("ReadTable", Error{ErrorCode::kUnavailable, "away"});
  rig_.Create(kTable);
  rig_.Poll();
  EXPECT_EQ(Verified(), 0U);
  EXPECT_EQ(Differences(), 0U);
  EXPECT_EQ(rig_.Look(kTable.object()).state, SlotState::kPresent);
  rig_.Alter(kTable, kTable.With("k", "v"));
  rig_.Poll();
  EXPECT_EQ(Verified(), 1U) << "the next one is looked at again";
}

TEST_F(PayloadVerifierTest, OnlyASampleIsRead) {
  PayloadVerifier some(&rig_.context, {.every = 5, .at_once = 2});
  rig_.context.verifier = &some;
  TestTable now = kTable;
  rig_.Create(now);
  rig_.Poll();
  for (int i = 0; i < 9; ++i) {
    rig_.Alter(now, now.With("k", std::to_string(i)));
    now = now.With("k", std::to_string(i));
    rig_.Poll();
  }
  EXPECT_EQ(rig_.metastore.Calls("ReadTable"), 2);
}

TEST(ObjectDiff, TellsFieldsAndKeysAndNotOrder) {
  TestTable table = kTable.With("a", "1").With("b", "2");
  EXPECT_THAT(DiffTables(TableBytes(table), TableBytes(table)), ElementsAre());
  EXPECT_THAT(DiffTables(TableBytes(table), TableBytes(table.With("a", "2").With("c", "3"))),
              ElementsAre("parameters{a}", "parameters{c}"));
  TestTable other = table;
  other.columns = {"id", "more"};
  other.type = "MANAGED_TABLE";
  EXPECT_THAT(DiffTables(TableBytes(table), TableBytes(other)),
              ElementsAre("sd.cols", "tableType"));
  const auto with = [](const std::vector<std::string>& keys) {
    std::string bytes;
    wire::Writer out(&bytes);
    out.Field(wire::TType::kMap, ids::table::kParameters);
    out.MapBegin(wire::TType::kString, wire::TType::kString, keys.size());
    for (const std::string& key : keys) {
      out.String(key);
      out.String("value of " + key);
    }
    out.Stop();
    return bytes;
  };
  EXPECT_THAT(DiffTables(with({"x", "y"}), with({"y", "x"})), ElementsAre());
}

TEST(ObjectDiff, TellsPartitionsThatAreMissingOrDiffer) {
  TestTable table = kTable;
  table.keys = {"day"};
  const auto entry = [&](const std::string& day, const std::map<std::string, std::string>& p) {
    return cache::PartitionSet::Entry{"day=" + day, "", testing::PartitionBytes(table, {day}, p)};
  };
  const auto left = cache::MakeTableSnapshot(
      TableBytes(table), cache::PartitionSet::Of({entry("1", {}), entry("2", {{"k", "v"}})}));
  const auto right = cache::MakeTableSnapshot(
      TableBytes(table), cache::PartitionSet::Of({entry("2", {}), entry("3", {})}));
  EXPECT_THAT(DiffSnapshots(*left, *right),
              ElementsAre("partition day=3", "partition day=1", "partition day=2: parameters{k}"));
  EXPECT_EQ(DiffSnapshots(*left, *right, 1).size(), 1U);
}

}  // namespace
}  // namespace catalogd::sync
