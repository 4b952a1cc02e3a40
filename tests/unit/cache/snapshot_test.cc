#include "catalog/cache/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "thrift/wire/write.h"

namespace catalogd::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Parameters = std::map<std::string, std::string>;

std::string FieldSchemas(const std::vector<std::string>& names) {
  std::string out;
  wire::Writer writer(&out);
  writer.ListBegin(wire::TType::kStruct, names.size());
  for (const std::string& name : names) {
    writer.StringField(1, name);
    writer.StringField(2, "string");
    writer.Stop();
  }
  return out;
}

struct TableParts {
  std::vector<std::string> keys = {};
  std::vector<std::string> columns = {};
  Parameters parameters = {};
  std::string type = "MANAGED_TABLE";
};

std::string TableStruct(const TableParts& parts) {
  std::string sd;
  wire::Writer sd_writer(&sd);
  sd_writer.RawField(wire::TType::kList, 1, FieldSchemas(parts.columns));
  sd_writer.StringField(2, "file:/warehouse/t");
  sd_writer.Stop();
  std::string out;
  wire::Writer writer(&out);
  writer.StringField(1, "t");
  writer.RawField(wire::TType::kStruct, 7, sd);
  writer.RawField(wire::TType::kList, 8, FieldSchemas(parts.keys));
  writer.StringMapField(9, parts.parameters);
  writer.StringField(12, parts.type);
  writer.Stop();
  return out;
}

SnapshotPtr TableWith(Parameters parameters) {
  return MakeTableSnapshot(TableStruct({.parameters = std::move(parameters)}), nullptr);
}

TEST(SnapshotTest, KeepsTheBytesAndReadsThePartitionKeys) {
  const std::string table = TableStruct({.keys = {"Year", "month"}});
  const SnapshotPtr snapshot = MakeTableSnapshot(table, nullptr);
  EXPECT_EQ(snapshot->object, table);
  EXPECT_THAT(snapshot->partition_keys, ElementsAre("year", "month"));
  EXPECT_EQ(snapshot->partitions, nullptr) << "of a partitioned table they are not loaded";
  EXPECT_FALSE(snapshot->materialized_view);
  EXPECT_FALSE(snapshot->virtual_view);
  EXPECT_FALSE(snapshot->transactional);
  EXPECT_FALSE(snapshot->has_column_statistics);
  EXPECT_FALSE(snapshot->sync_disabled);
}

TEST(SnapshotTest, AnUnpartitionedTableHasAnEmptySet) {
  const SnapshotPtr snapshot = MakeTableSnapshot(TableStruct({}), nullptr);
  ASSERT_NE(snapshot->partitions, nullptr);
  EXPECT_EQ(snapshot->partitions->size(), 0U);
}

TEST(SnapshotTest, KnowsViewsByTheirType) {
  const auto materialized = MakeTableSnapshot(TableStruct({.type = "MATERIALIZED_VIEW"}), nullptr);
  EXPECT_TRUE(materialized->materialized_view);
  EXPECT_FALSE(materialized->virtual_view);
  const auto plain = MakeTableSnapshot(TableStruct({.type = "VIRTUAL_VIEW"}), nullptr);
  EXPECT_FALSE(plain->materialized_view);
  EXPECT_TRUE(plain->virtual_view);
}

TEST(SnapshotTest, ReadsTransactionalInAnyCase) {
  EXPECT_TRUE(TableWith({{"transactional", "true"}})->transactional);
  EXPECT_TRUE(TableWith({{"TRANSACTIONAL", "TRUE"}})->transactional);
  EXPECT_FALSE(TableWith({{"transactional", "false"}})->transactional);
  EXPECT_FALSE(TableWith({{"transactional", "true "}})->transactional);
}

TEST(SnapshotTest, ReadsWhetherFollowingIsSwitchedOff) {
  EXPECT_TRUE(TableWith({{"impala.disableHmsSync", "True"}})->sync_disabled);
  EXPECT_TRUE(TableWith({{"catalogd.sync.disabled", "true"}})->sync_disabled);
  EXPECT_FALSE(TableWith({{"impala.disableHmsSync", "false"}})->sync_disabled);
  EXPECT_FALSE(TableWith({{"catalogd.sync.disabled", ""}})->sync_disabled);
}

TEST(SnapshotTest, ColumnStatisticsAreThereWhenColumnsAreNamed) {
  const auto has = [](const std::string& text) {
    return TableWith({{"COLUMN_STATS_ACCURATE", text}})->has_column_statistics;
  };
  EXPECT_TRUE(has(R"({"BASIC_STATS":"true","COLUMN_STATS":{"a":"true"}})"));
  EXPECT_TRUE(has("{ \"COLUMN_STATS\" :\n { \"a\" : \"true\" } }"));
  EXPECT_FALSE(has(R"({"BASIC_STATS":"true","COLUMN_STATS":{}})"));
  EXPECT_FALSE(has(R"({"BASIC_STATS":"true"})"));
  EXPECT_FALSE(has("true"));
  EXPECT_FALSE(has(""));
  EXPECT_FALSE(has(R"({"COLUMN_STATS")"));
  EXPECT_FALSE(has(R"({"COLUMN_STATS":)"));
  EXPECT_FALSE(has(R"({"COLUMN_STATS":{)"));
  EXPECT_FALSE(has(R"({"COLUMN_STATS":"a"})"));
}

// Foreign bytes: fields of another type than expected, or bytes that end early, have no traits.
TEST(SnapshotTest, SurvivesStructsThatAreNotWhatTheySeem) {
  std::string odd;
  wire::Writer writer(&odd);
  writer.I32Field(8, 7);
  writer.StringListField(9, {"transactional"});
  writer.I32Field(12, 1);
  writer.Stop();
  EXPECT_THAT(MakeTableSnapshot(odd, nullptr)->partition_keys, IsEmpty());
  std::string strings;
  wire::Writer(&strings).StringListField(8, {"a"});
  EXPECT_THAT(MakeTableSnapshot(strings, nullptr)->partition_keys, IsEmpty());
  const std::string table = TableStruct({.keys = {"k"}, .columns = {"a", "b"}});
  for (size_t length = 0; length < table.size(); ++length) {
    const SnapshotPtr cut = MakeTableSnapshot(table.substr(0, length), nullptr);
    EXPECT_LE(cut->partition_keys.size(), 1U);
  }
}

TEST(SnapshotTest, WithPartitionsChangesNothingElse) {
  const SnapshotPtr before = MakeTableSnapshot(
      TableStruct({.keys = {"k"}, .parameters = {{"transactional", "true"}}}), nullptr);
  const SnapshotPtr after = WithPartitions(*before, PartitionSet::Empty());
  EXPECT_EQ(after->object, before->object);
  EXPECT_EQ(after->partition_keys, before->partition_keys);
  EXPECT_TRUE(after->transactional);
  EXPECT_EQ(after->partitions, PartitionSet::Empty());
  EXPECT_EQ(before->partitions, nullptr);
}

TEST(SnapshotTest, DatabasesCanSwitchFollowingOff) {
  std::string database;
  wire::Writer writer(&database);
  writer.StringField(1, "d");
  writer.StringMapField(4, {{"impala.disableHmsSync", "true"}});
  writer.Stop();
  const SnapshotPtr snapshot = MakeDatabaseSnapshot(database);
  EXPECT_EQ(snapshot->object, database);
  EXPECT_TRUE(snapshot->sync_disabled);
  EXPECT_EQ(snapshot->partitions, nullptr);
}

TEST(SnapshotTest, ColumnsOfGivesTheEncodedList) {
  EXPECT_EQ(ColumnsOf(TableStruct({.columns = {"a", "b"}})), FieldSchemas({"a", "b"}));
  EXPECT_EQ(ColumnsOf(std::string(1, '\0')), "");
}

TEST(SnapshotTest, EveryStateHasAName) {
  EXPECT_EQ(SlotStateName(SlotState::kUnknown), "unknown");
  EXPECT_EQ(SlotStateName(SlotState::kAbsent), "absent");
  EXPECT_EQ(SlotStateName(SlotState::kStub), "stub");
  EXPECT_EQ(SlotStateName(SlotState::kPresent), "present");
}

}  // namespace
}  // namespace catalogd::cache
