#include "catalog/cache/partition_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/cache/partition_set.h"
#include "tests/support/objects.h"

namespace catalogd::cache {
namespace {

using catalogd::testing::PartitionBytes;
using catalogd::testing::TestTable;
using Strings = std::vector<std::string>;
using ::testing::ElementsAre;

class PartitionValuesTest : public ::testing::Test {
 protected:
  PartitionValuesTest() { table_.keys = {"y", "m"}; }

  PartitionSet::Entry Entry(const Strings& values) const {
    return {*MakePartitionName(table_.keys, values), "", PartitionBytes(table_, values)};
  }
  // What the blocks say, row by row; empty when a block cannot.
  static std::vector<Strings> Rows(const PartitionSet& set) {
    std::vector<Strings> rows;
    set.ForEachBlock([&](const PartitionSet::Block& block) {
      const PartitionValues& values = block.values();
      if (!values.from_names) return true;
      for (size_t row = 0; row < values.rows; ++row) {
        Strings one;
        for (const auto& column : values.columns) {
          one.push_back(column.distinct.at(column.codes.at(row)));
        }
        rows.push_back(std::move(one));
      }
      return true;
    });
    return rows;
  }

  TestTable table_;
};

TEST_F(PartitionValuesTest, ValuesAsTheyAreStored) {
  const auto set = PartitionSet::Empty()->With(
      {Entry({"2024", "1"}), Entry({"2024", "2"}), Entry({"a/b", "1"}), Entry({"a=b", "2"})}, {});
  EXPECT_THAT(Rows(*set), ElementsAre(Strings{"2024", "1"}, Strings{"2024", "2"},
                                      Strings{"a/b", "1"}, Strings{"a=b", "2"}));
  set->ForEachBlock([](const PartitionSet::Block& block) {
    EXPECT_THAT(block.values().columns[0].distinct, ElementsAre("2024", "a/b", "a=b"));
    EXPECT_THAT(block.values().columns[1].codes, ElementsAre(0, 1, 0, 1));
    return true;
  });
}

// The name of an empty value says the default one: what is stored is not to be seen from names.
TEST_F(PartitionValuesTest, ABlockWithOtherValuesThanItsNamesSaysSo) {
  const auto before = PartitionSet::Empty()->With({Entry({"2024", "1"})}, {});
  const auto set = before->With({Entry({"", "1"})}, {});
  EXPECT_THAT(Rows(*set), ElementsAre());
  EXPECT_EQ(Rows(*before).size(), 1U);
  const auto standing = before->With({Entry({std::string(kDefaultPartitionName), "1"})}, {});
  EXPECT_THAT(Rows(*standing),
              ElementsAre(Strings{"2024", "1"}, Strings{std::string(kDefaultPartitionName), "1"}));
}

TEST_F(PartitionValuesTest, FollowTheSetThroughChanges) {
  std::vector<PartitionSet::Entry> entries;
  for (int year = 1000; year < 2000; ++year) {
    for (const char* month : {"1", "2"}) entries.push_back(Entry({std::to_string(year), month}));
  }
  auto set = PartitionSet::Of(entries);
  ASSERT_EQ(Rows(*set).size(), 2000U);
  const size_t bytes = set->memory_bytes();
  EXPECT_GT(bytes, PartitionSet::Of(entries)->memory_bytes()) << "kept values are counted";
  set = set->With({Entry({"1500", "3"})}, {"y=1400/m=1", "y=1400/m=2"});
  const auto rows = Rows(*set);
  ASSERT_EQ(rows.size(), 1999U);
  EXPECT_EQ(rows[800], (Strings{"1401", "1"}));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), Strings{"1500", "3"}), 1);
  size_t row = 0;
  set->ForEach([&](std::string_view name, const PartitionSet::Append&) {
    EXPECT_EQ(*MakePartitionName(table_.keys, rows[row++]), name);
    return true;
  });
}

TEST_F(PartitionValuesTest, ManyReadersAtOnce) {
  std::vector<PartitionSet::Entry> entries;
  for (int i = 1000; i < 3000; ++i) entries.push_back(Entry({std::to_string(i), "1"}));
  const auto set = PartitionSet::Of(std::move(entries));
  std::vector<std::thread> readers;
  std::vector<size_t> found(4);
  for (size_t i = 0; i < found.size(); ++i) {
    readers.emplace_back([&, i] { found[i] = Rows(*set).size(); });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_THAT(found, ElementsAre(2000U, 2000U, 2000U, 2000U));
}

}  // namespace
}  // namespace catalogd::cache
