#include "catalog/cache/delta_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace catalogd::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Delta> Commit(int64_t version, const std::vector<std::string>& tables) {
  std::vector<Delta> deltas;
  for (const std::string& table : tables) {
    Delta delta;
    delta.version = CatalogVersion(version);
    delta.name = ObjectName::Table("hive", "d", table);
    deltas.push_back(delta);
  }
  return deltas;
}

template <class Deltas>
std::vector<std::string> TablesOf(const Deltas& deltas) {
  std::vector<std::string> tables;
  tables.reserve(deltas.size());
  for (const Delta& delta : deltas) tables.push_back(delta.name.table());
  return tables;
}

TEST(DeltaLogTest, GivesWhatCameAfterAVersion) {
  DeltaLog log(100);
  log.Append(Commit(3, {"a"}));
  log.Append(Commit(5, {"b", "c"}));
  log.Append(Commit(6, {"d"}));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(0), 100)), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(3), 100)), ElementsAre("b", "c", "d"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(4), 100)), ElementsAre("b", "c", "d"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(6), 100)), IsEmpty());
}

// Such a follower has its position from another life of the daemon: nothing tells what it missed.
TEST(DeltaLogTest, APositionAheadOfEveryCommitIsAGap) {
  DeltaLog log(100);
  EXPECT_TRUE(log.Since(CatalogVersion(0), 100).has_value());
  EXPECT_FALSE(log.Since(CatalogVersion(1), 100).has_value());
  log.Append(Commit(3, {"a"}));
  EXPECT_FALSE(log.Since(CatalogVersion(4), 100).has_value());
  log.ForgetTo(CatalogVersion(9));
  EXPECT_TRUE(log.Since(CatalogVersion(9), 100).has_value());
  EXPECT_FALSE(log.Since(CatalogVersion(10), 100).has_value());
}

TEST(DeltaLogTest, IsBoundedByBytesToo) {
  DeltaLog log(100, 1000);
  const auto sized = [](int64_t version, const std::vector<std::string>& tables, size_t bytes) {
    std::vector<Delta> deltas = Commit(version, tables);
    for (Delta& delta : deltas) delta.bytes = bytes;
    return deltas;
  };
  log.Append(sized(1, {"a", "b"}, 300));
  EXPECT_TRUE(log.Append(sized(2, {"c"}, 400)).empty());
  EXPECT_EQ(log.stats().bytes, 1000U);
  EXPECT_EQ(log.Append(sized(3, {"d"}, 1)).size(), 2U) << "a whole commit goes";
  EXPECT_EQ(log.stats().bytes, 401U);
  EXPECT_EQ(log.stats().deltas, 2U);
  EXPECT_EQ(log.stats().forgotten, CatalogVersion(1));
  log.Append(sized(4, {"huge"}, 2000));
  EXPECT_EQ(log.stats().bytes, 0U);
  EXPECT_FALSE(log.Since(CatalogVersion(3), 100).has_value());
  EXPECT_TRUE(log.Since(CatalogVersion(4), 100).has_value());
  log.Append(sized(5, {"e"}, 7));
  log.ForgetTo(CatalogVersion(5));
  EXPECT_EQ(log.stats().bytes, 0U);
}

TEST(DeltaLogTest, NeverSplitsACommit) {
  DeltaLog log(100);
  log.Append(Commit(1, {"a"}));
  log.Append(Commit(2, {"b", "c", "d"}));
  log.Append(Commit(3, {"e"}));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(0), 2)), ElementsAre("a"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(0), 3)), ElementsAre("a"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(0), 4)), ElementsAre("a", "b", "c", "d"));
  // The first commit alone is longer than the limit.
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(1), 1)), ElementsAre("b", "c", "d"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(1), 2)), ElementsAre("b", "c", "d"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(2), 1)), ElementsAre("e"));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(0), 0)), IsEmpty());
}

TEST(DeltaLogTest, ForgetsWholeCommitsAndReportsTheGap) {
  DeltaLog log(3);
  log.Append(Commit(1, {"a", "b"}));
  EXPECT_THAT(TablesOf(log.Append(Commit(2, {"c"}))), IsEmpty());
  EXPECT_THAT(TablesOf(log.Append(Commit(4, {"d"}))), ElementsAre("a", "b"));
  EXPECT_FALSE(log.Since(CatalogVersion(0), 100).has_value());
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(1), 100)), ElementsAre("c", "d"));
}

TEST(DeltaLogTest, ACommitGreaterThanTheLogLeavesAGap) {
  DeltaLog log(2);
  log.Append(Commit(1, {"a"}));
  EXPECT_EQ(log.Append(Commit(2, {"b", "c", "d"})).size(), 4U);
  EXPECT_FALSE(log.Since(CatalogVersion(1), 100).has_value());
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(2), 100)), IsEmpty());
}

TEST(DeltaLogTest, ForgetToLeavesAGapAlsoWithoutDeltas) {
  DeltaLog log(10);
  log.Append(Commit(1, {"a"}));
  log.ForgetTo(CatalogVersion(4));
  EXPECT_FALSE(log.Since(CatalogVersion(3), 100).has_value());
  log.Append(Commit(5, {"b"}));
  EXPECT_THAT(TablesOf(*log.Since(CatalogVersion(4), 100)), ElementsAre("b"));
  EXPECT_THAT(TablesOf(log.Recent(10)), ElementsAre("b"));
}

TEST(DeltaLogTest, RecentOnesComeNewestFirst) {
  DeltaLog log(10);
  log.Append(Commit(1, {"a", "b"}));
  log.Append(Commit(2, {"c"}));
  EXPECT_THAT(TablesOf(log.Recent(2)), ElementsAre("c", "b"));
  EXPECT_THAT(TablesOf(log.Recent(50)), ElementsAre("c", "b", "a"));
  EXPECT_THAT(TablesOf(log.Recent(0)), IsEmpty());
}

}  // namespace
}  // namespace catalogd::cache
