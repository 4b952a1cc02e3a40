// What an event does to loaded partitions: a wrong patch is a wrong answer for one partition, a
// patch that is given up costs the reading of all of them.
#include "catalog/sync/fold.h"

#include <gtest/gtest.h>

#include "tests/support/objects.h"
#include "thrift/wire/view.h"

namespace catalogd::sync {
namespace {

using cache::PartitionSet;
using events::Event;
using events::EventKind;
using hms::Generation;
using testing::TestTable;

using Parameters = std::map<std::string, std::string>;

TestTable Partitioned() {
  TestTable table;
  table.keys = {"day"};
  return table;
}

const TestTable kTable = Partitioned();

PartitionSet::Entry Entry(const std::string& day, const Parameters& parameters) {
  PartitionSet::Entry entry;
  entry.name = "day=" + day;
  entry.bytes = testing::PartitionBytes(kTable, {day}, parameters);
  entry.values = std::string(wire::StructView(entry.bytes).Find(ids::partition::kValues)->value);
  return entry;
}

FoldState Loaded(const Parameters& parameters) {
  FoldState state;
  state.view.state = cache::SlotState::kPresent;
  state.view.synced = EventId(10);
  state.view.snapshot = cache::MakeTableSnapshot(
      testing::TableBytes(kTable), PartitionSet::Of({Entry("1", parameters), Entry("2", {})}));
  return state;
}

Decision Fold(const Event& event, FoldState* state, Generation generation = Generation::kHive4) {
  FoldOptions options;
  options.generation = generation;
  return FoldEvent(kTable.object(), event, nullptr, options, state);
}

Event Of(EventKind kind) {
  Event event;
  event.id = EventId(11);
  event.kind = kind;
  event.name = kTable.object();
  event.partition_values = {{"1"}};
  return event;
}

Event Rename(const std::string& statistics) {
  Event event = Of(EventKind::kAlterPartition);
  Parameters parameters;
  if (!statistics.empty()) parameters["COLUMN_STATS_ACCURATE"] = statistics;
  event.partitions.push_back({{"9"}, testing::PartitionBytes(kTable, {"9"}, parameters)});
  return event;
}

std::optional<std::string> Parameter(const FoldState& state, const std::string& partition,
                                     const std::string& key) {
  std::string bytes;
  if (!state.view.snapshot->partitions->AppendPartition(partition, &bytes)) return std::nullopt;
  const auto parameters = wire::StructView(bytes).Find(ids::partition::kParameters);
  if (!parameters) return std::nullopt;
  const auto value = wire::StringMapValue(parameters->value, key);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

TEST(Fold, ARenamedPartitionMoves) {
  FoldState state = Loaded({});
  EXPECT_EQ(Fold(Rename(""), &state).action, Action::kPatchPartitions);
  EXPECT_EQ(state.view.snapshot->partitions->Names(-1),
            (std::vector<std::string>{"day=2", "day=9"}));
}

// Moved statistics are taken out of the parameter for the message and written back later.
TEST(Fold, ARenamedPartitionThatSpeaksOfStatisticsIsReadAgain) {
  for (const Generation generation : {Generation::kHive3, Generation::kHive4}) {
    FoldState state = Loaded({});
    EXPECT_EQ(Fold(Rename("{}"), &state, generation).action, Action::kForgetPartitions);
    EXPECT_EQ(state.view.snapshot->partitions, nullptr);
  }
  FoldState state = Loaded({});
  EXPECT_EQ(Fold(Rename("{}"), &state, Generation::kHive2).action, Action::kPatchPartitions);
}

// After set_aggr_stats_for the message has no other parameter than this one.
TEST(Fold, StatisticsOfAPartitionChangeOneParameter) {
  FoldState state = Loaded({{"numRows", "5"}, {"COLUMN_STATS_ACCURATE", "old"}});
  Event event = Of(EventKind::kUpdatePartitionStats);
  event.partition_statistics = "new";
  EXPECT_EQ(Fold(event, &state).action, Action::kPatchPartitions);
  EXPECT_EQ(Parameter(state, "day=1", "COLUMN_STATS_ACCURATE"), "new");
  EXPECT_EQ(Parameter(state, "day=1", "numRows"), "5");
  EXPECT_EQ(Parameter(state, "day=2", "COLUMN_STATS_ACCURATE"), std::nullopt);
  EXPECT_TRUE(state.changed);
  EXPECT_EQ(state.view.synced, EventId(11));
}

// The metastore's database has no room for them: nobody knows what it made of the call.
TEST(Fold, WhatIsTooLongForAPartitionIsNotBelieved) {
  const auto added = [](const std::string& day, const Parameters& parameters) {
    FoldState state = Loaded({});
    Event event = Of(EventKind::kAddPartition);
    event.partitions.push_back({{day}, testing::PartitionBytes(kTable, {day}, parameters)});
    return Fold(event, &state).action;
  };
  EXPECT_EQ(added("3", {{"k", std::string(4000, 'v')}}), Action::kPatchPartitions);
  EXPECT_EQ(added("3", {{"k", std::string(4001, 'v')}}), Action::kForgetPartitions);
  EXPECT_EQ(added("3", {{std::string(257, 'k'), "v"}}), Action::kForgetPartitions);
  EXPECT_EQ(added(std::string(255, 'd'), {}), Action::kPatchPartitions);
  EXPECT_EQ(added(std::string(256, 'd'), {}), Action::kForgetPartitions);
  // In the name each slash takes three characters.
  EXPECT_EQ(added(std::string(254, '/'), {}), Action::kPatchPartitions);
  EXPECT_EQ(added(std::string(255, '/'), {}), Action::kForgetPartitions);
}

TEST(Fold, StatisticsTooLongForTheParameterForgetAll) {
  for (const size_t length : {size_t{4000}, size_t{4001}}) {
    FoldState state = Loaded({});
    Event event = Of(EventKind::kUpdatePartitionStats);
    event.partition_statistics = std::string(length, 's');
    EXPECT_EQ(Fold(event, &state).action,
              length == 4000 ? Action::kPatchPartitions : Action::kForgetPartitions);
  }
}

TEST(Fold, StatisticsOfAnUnknownPartitionForgetAll) {
  FoldState state = Loaded({});
  Event event = Of(EventKind::kUpdatePartitionStats);
  event.partition_statistics = "new";
  event.partition_values = {{"7"}};
  EXPECT_EQ(Fold(event, &state).action, Action::kForgetPartitions);
  EXPECT_EQ(state.view.snapshot->partitions, nullptr);
}

}  // namespace
}  // namespace catalogd::sync
