// Names that are not followed keep existence and position only, and heal when they are followed
// again.
#include "catalog/sync/following.h"

#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using cache::SyncSwitch;
using testing::SyncRig;
using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("EXTERNAL", "TRUE");
const ObjectName kDb = ObjectName::Database("hive", "sales");
const std::string kImpala = "impala.disableHmsSync";
const std::string kOwn = "catalogd.sync.disabled";

std::string DatabaseMessage(const std::string& value) {
  const std::string image = R"({\"1\":{\"str\":\"sales\"},\"4\":{\"map\":[\"str\",\"str\",1,{\")" +
                            kImpala + R"(\":\")" + value + R"(\"}]}})";
  return R"({"db":"sales","dbObjBeforeJson":")" + image + R"(","dbObjAfterJson":")" + image + "\"}";
}

TEST(Following, TheMostSpecificParameterCounts) {
  Following following;
  const ObjectName table = kTable.object();
  EXPECT_FALSE(following.Disabled(table));
  following.Note(kDb, SyncSwitch::kDisabled);
  EXPECT_TRUE(following.Disabled(kDb));
  EXPECT_TRUE(following.Disabled(table));
  following.Note(table, SyncSwitch::kFollowed);
  EXPECT_FALSE(following.Disabled(table));
  EXPECT_TRUE(following.Disabled(kTable.Named("other").object()));
  following.Note(kDb, SyncSwitch::kFollowed);
  following.Note(table, SyncSwitch::kDisabled);
  EXPECT_TRUE(following.Disabled(table));
  EXPECT_EQ(following.switched_off(), 1U);
  EXPECT_EQ(following.Why(table), "a parameter of the table");
  following.Note(table, SyncSwitch::kUnset);
  EXPECT_FALSE(following.Disabled(table));
  EXPECT_EQ(following.Why(table), "");
  following.Note(kDb, SyncSwitch::kDisabled);
  following.Reset();
  EXPECT_FALSE(following.Disabled(table));
}

TEST(Following, PatternsOfTheOptionAreStrongerThanParameters) {
  Following following({"Sales", "hr.tmp_*", "*.x"});
  following.Note(kTable.object(), SyncSwitch::kFollowed);
  EXPECT_TRUE(following.Disabled(kDb));
  EXPECT_TRUE(following.Disabled(kTable.object()));
  const auto in_hr = [](const char* name) { return ObjectName::Table("hive", "hr", name); };
  EXPECT_TRUE(following.Disabled(in_hr("tmp_1")));
  EXPECT_TRUE(following.Disabled(in_hr("x")));
  EXPECT_FALSE(following.Disabled(in_hr("t")));
  EXPECT_FALSE(following.Disabled(ObjectName::Database("hive", "hr")));
  EXPECT_FALSE(following.Disabled(ObjectName::Database("hive", "sales2")));
  EXPECT_THAT(following.Why(in_hr("tmp_1")), ::testing::HasSubstr("hr.tmp_*"));
}

TEST(Following, NamesOfTheDefaultCatalogMayBeWrittenInFull) {
  const Following following({"hive.sales.orders", "spark.a.b", "hive.t"});
  EXPECT_TRUE(following.Disabled(ObjectName::Table("hive", "sales", "orders")));
  EXPECT_FALSE(following.Disabled(ObjectName::Table("hive", "sales", "other")));
  EXPECT_TRUE(following.Disabled(ObjectName::Table("spark", "a", "b")));
  EXPECT_FALSE(following.Disabled(ObjectName::Table("hive", "a", "b")));
  EXPECT_TRUE(following.Disabled(ObjectName::Table("hive", "hive", "t")));
}

TEST(Following, APatternThatNamesNothingIsRefused) {
  for (const char* good : {"a", "a.b", "a.*", "*", "*.tmp", "spark.a.b"}) {
    EXPECT_TRUE(Following::CheckPattern(good)) << good;
  }
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a b", "a/b"}) {
    EXPECT_FALSE(Following::CheckPattern(bad)) << bad;
  }
}

TEST(Following, OurOwnParameterCountsBeforeImpalas) {
  const auto of = [](const TestTable& table) {
    return cache::SyncSwitchOfTable(TableBytes(table));
  };
  EXPECT_EQ(of(kTable), SyncSwitch::kUnset);
  EXPECT_EQ(of(kTable.With(kImpala, "true")), SyncSwitch::kDisabled);
  EXPECT_EQ(of(kTable.With(kImpala, "false")), SyncSwitch::kFollowed);
  EXPECT_EQ(of(kTable.With(kImpala, "true").With(kOwn, "false")), SyncSwitch::kFollowed);
  EXPECT_EQ(of(kTable.With(kImpala, "false").With(kOwn, "TRUE")), SyncSwitch::kDisabled);
}

// The metastore's own object, and the parameter goes on, off, and away.
TEST(Following, ATableIsLeftAloneWhileItsParameterSaysSoAndHealsAfterwards) {
  SyncRig rig;
  rig.context.fold.generation = hms::Generation::kHive3;
  rig.Start({kDb});
  rig.Create(kTable);
  rig.Poll();
  ASSERT_EQ(rig.Look(kTable.object()).state, SlotState::kPresent);

  const TestTable off = kTable.With(kImpala, "true");
  EventId at = rig.Alter(kTable, off);
  rig.Poll();
  EXPECT_TRUE(rig.following.Disabled(kTable.object())) << "the event that switches is followed";
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig.Look(kTable.object()).synced, at);
  EXPECT_EQ(rig.counters.disabled_events.load(), 1U);

  const TestTable changed = off.With("k", "v");
  at = rig.Alter(off, changed);
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig.Look(kTable.object()).synced, at) << "the position moves without content";
  EXPECT_EQ(rig.watermark.value(), at);

  rig.loader.Load(kTable.object(), nullptr);
  rig.executor.RunAll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub) << "a load publishes no content";

  const TestTable on = changed.With(kImpala, "false");
  at = rig.Alter(changed, on);
  rig.Poll();
  EXPECT_FALSE(rig.following.Disabled(kTable.object()));
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig.Look(kTable.object()).synced, at);
  rig.loader.Load(kTable.object(), nullptr);
  rig.executor.RunAll();
  ASSERT_EQ(rig.Look(kTable.object()).state, SlotState::kPresent);
  EXPECT_EQ(rig.Look(kTable.object()).snapshot->object, TableBytes(on));
  EXPECT_GE(rig.Look(kTable.object()).synced, at);
}

TEST(Following, ExistenceIsFollowedAllTheSame) {
  SyncRig rig;
  rig.context.fold.generation = hms::Generation::kHive3;
  rig.Start({kDb});
  const TestTable off = kTable.With(kOwn, "true");
  rig.Create(off);
  rig.Poll();
  EXPECT_EQ(rig.Look(off.object()).state, SlotState::kStub);
  const TestTable renamed = off.Named("renamed");
  rig.Alter(off, renamed);
  rig.Poll();
  EXPECT_EQ(rig.Look(off.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig.Look(renamed.object()).state, SlotState::kStub);
  EXPECT_FALSE(rig.following.Disabled(off.object())) << "the parameter went with the table";
  EXPECT_TRUE(rig.following.Disabled(renamed.object()));
  rig.Drop(renamed);
  rig.Poll();
  EXPECT_EQ(rig.Look(renamed.object()).state, SlotState::kAbsent);
  EXPECT_EQ(rig.following.switched_off(), 0U);
  rig.Create(kTable.Named("renamed"));
  rig.Poll();
  EXPECT_EQ(rig.Look(renamed.object()).state, SlotState::kPresent) << "another table, followed";
}

TEST(Following, ADatabaseSpeaksForTablesThatSayNothing) {
  SyncRig rig;
  rig.context.fold.generation = hms::Generation::kHive3;
  rig.Start({kDb});
  const TestTable own = kTable.Named("own").With(kImpala, "false");
  rig.Create(kTable);
  rig.Create(own);
  rig.metastore.Append("ALTER_DATABASE", kDb, DatabaseMessage("true"));
  rig.Poll();
  EXPECT_TRUE(rig.following.Disabled(kDb));
  rig.Alter(kTable, kTable.With("k", "v"));
  rig.Alter(own, own.With("k", "v"));
  rig.Poll();
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig.Look(own.object()).state, SlotState::kPresent);
  rig.metastore.Append("ALTER_DATABASE", kDb, DatabaseMessage("false"));
  rig.Poll();
  EXPECT_FALSE(rig.following.Disabled(kTable.object()));
}

TEST(Following, AWriteThroughUsSwitchesToo) {
  SyncRig rig;
  rig.context.fold.generation = hms::Generation::kHive3;
  rig.Start({kDb});
  rig.Create(kTable);
  rig.Poll();
  cache::NameGuard held = rig.Hold(kTable.object());
  const EventId at = rig.Alter(kTable, kTable.With(kOwn, "true"));
  ASSERT_TRUE(
      CatchUp(&rig.context, held, {kTable.object()}, at, TimePoint::max(), rig.cache.epoch()));
  EXPECT_TRUE(rig.following.Disabled(kTable.object()));
  EXPECT_EQ(rig.Look(kTable.object()).state, SlotState::kStub);
  EXPECT_EQ(rig.Look(kTable.object()).synced, at);
}

}  // namespace
}  // namespace catalogd::sync
