// What messages said is compared with what the metastore answers: a difference must be named and
// healed, and no change in between may look like one.
#include "catalog/sync/payload_verifier.h"

#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
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

}  // namespace
}  // namespace catalogd::sync
