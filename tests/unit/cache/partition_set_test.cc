#include "catalog/cache/partition_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/random.h"
#include "tests/support/partition_structs.h"

namespace catalogd::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Name(int number) {
  const std::string digits = std::to_string(100000 + number);
  return "k=" + digits;
}

PartitionSet::Entry Entry(std::string name, std::string bytes) {
  return {std::move(name), "", std::move(bytes)};
}

std::vector<PartitionSet::Entry> Numbered(int begin, int end) {
  std::vector<PartitionSet::Entry> entries;
  for (int i = begin; i < end; ++i) entries.push_back(Entry(Name(i), "bytes" + Name(i)));
  return entries;
}

std::string Get(const PartitionSet& set, std::string_view name) {
  std::string out;
  return set.AppendPartition(name, &out) ? out : "(none)";
}

TEST(PartitionSetTest, TheEmptySetIsEmpty) {
  const auto set = PartitionSet::Empty();
  EXPECT_EQ(set->size(), 0U);
  EXPECT_FALSE(set->Contains(""));
  EXPECT_EQ(Get(*set, "k=1"), "(none)");
  EXPECT_THAT(set->Names(-1), IsEmpty());
  std::string out;
  EXPECT_EQ(set->AppendFirst(-1, &out), 0U);
  EXPECT_EQ(set->With({}, {"k=1"})->size(), 0U);
}

TEST(PartitionSetTest, SortsByTheBytesOfTheName) {
  const auto set = PartitionSet::Of(
      {Entry("k=b", "2"), Entry("k=B", "1"), Entry("k=\xC3\xA4", "3"), Entry("k=b/l=1", "4")});
  EXPECT_THAT(set->Names(-1), ElementsAre("k=B", "k=b", "k=b/l=1", "k=\xC3\xA4"));
  EXPECT_THAT(set->Names(2), ElementsAre("k=B", "k=b"));
  EXPECT_THAT(set->Names(0), IsEmpty());
  std::string out;
  EXPECT_EQ(set->AppendFirst(3, &out), 3U);
  EXPECT_EQ(out, "124");
}

TEST(PartitionSetTest, TheLastOfSeveralWithOneNameWins) {
  const auto set = PartitionSet::Of({Entry("k=1", "a"), Entry("k=2", "b"), Entry("k=1", "c")});
  EXPECT_EQ(set->size(), 2U);
  EXPECT_EQ(Get(*set, "k=1"), "c");
}

TEST(PartitionSetTest, RemovesFirstThenPuts) {
  const auto set = PartitionSet::Of({Entry("k=1", "a"), Entry("k=2", "b")});
  const auto next = set->With({Entry("k=1", "new")}, {"k=1", "k=2", "k=2", "k=9"});
  EXPECT_THAT(next->Names(-1), ElementsAre("k=1"));
  EXPECT_EQ(next->size(), 1U);
  EXPECT_EQ(Get(*next, "k=1"), "new");
  EXPECT_EQ(Get(*set, "k=1"), "a") << "the old set stays as it was";
  EXPECT_EQ(set->size(), 2U);
  EXPECT_EQ(next->With({}, {"k=1"})->size(), 0U);
}

TEST(PartitionSetTest, FindsEveryOneOfManyAndNothingElse) {
  const auto set = PartitionSet::Of(Numbered(0, 5000));
  EXPECT_EQ(set->size(), 5000U);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(Get(*set, Name(i)), "bytes" + Name(i));
    ASSERT_FALSE(set->Contains(Name(i) + "0"));
  }
  EXPECT_FALSE(set->Contains(Name(-1)));
  EXPECT_FALSE(set->Contains(Name(5000)));
  EXPECT_FALSE(set->Contains(""));
}

TEST(PartitionSetTest, AppendsToStringsThatHoldSomethingAlready) {
  const auto set = PartitionSet::Of({Entry("k=1", "a")});
  std::string out = "before ";
  EXPECT_TRUE(set->AppendPartition("k=1", &out));
  EXPECT_EQ(out, "before a");
}

TEST(PartitionSetTest, ForEachStopsWhenToldAndAppendsOnDemand) {
  const auto set = PartitionSet::Of(Numbered(0, 1000));
  int seen = 0;
  std::string out;
  set->ForEach([&](std::string_view name, const PartitionSet::Append& append) {
    EXPECT_EQ(name, Name(seen));
    if (seen == 700) append(&out);
    return ++seen < 800;
  });
  EXPECT_EQ(seen, 800);
  EXPECT_EQ(out, "bytes" + Name(700));
}

TEST(PartitionSetTest, GrowsAtTheEndAtTheFrontAndInBetween) {
  auto set = PartitionSet::Empty();
  for (int i = 0; i < 3000; ++i) {
    const int number = i % 3 == 0 ? 10000 + i : i % 3 == 1 ? 10000 - i : (i * 7919) % 10000;
    set = set->With({Entry(Name(number), Name(number))}, {});
    ASSERT_TRUE(set->Contains(Name(number)));
  }
  const auto names = set->Names(-1);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(names.size(), set->size());
  for (const std::string& name : names) ASSERT_EQ(Get(*set, name), name);
}

TEST(PartitionSetTest, ShrinksToNothing) {
  auto set = PartitionSet::Of(Numbered(0, 3000));
  const size_t full = set->memory_bytes();
  for (int i = 0; i < 3000; ++i) {
    set = set->With({}, {Name((i * 1009) % 3000)});
    ASSERT_EQ(set->size(), static_cast<size_t>(2999 - i));
  }
  EXPECT_THAT(set->Names(-1), IsEmpty());
  EXPECT_LT(set->memory_bytes(), full / 20);
}

testing::PartitionParts Typical(int number) {
  testing::PartitionParts parts;
  const std::string day = std::to_string(1 + number % 28);
  parts.values = {std::to_string(1000 + number / 28), day};
  parts.create_time = 1795996800 + number;
  parts.location =
      "hdfs://namenode:8020/warehouse/sales.db/orders/year=" + parts.values[0] + "/day=" + day;
  parts.parameters = {{"transient_lastDdlTime", std::to_string(1795996800 + number + number % 7)},
                      {"totalSize", std::to_string(123456789 + number * 31)},
                      {"numRows", std::to_string(100000 + number)},
                      {"COLUMN_STATS_ACCURATE", R"({"BASIC_STATS":"true"})"},
                      {"numFiles", std::to_string(number % 90)}};
  return parts;
}

std::string NameOf(const testing::PartitionParts& parts) {
  return *MakePartitionName({"year", "day"}, parts.values);
}

PartitionSet::Entry TypicalEntry(const testing::PartitionParts& parts) {
  return Entry(NameOf(parts), PartitionStruct(parts));
}

// What memory is planned with: 64 bytes with a derived location, 160 with one of its own.
TEST(PartitionSetTest, TypicalPartitionsAreSmall) {
  constexpr int kCount = 8000;
  std::vector<PartitionSet::Entry> derived;
  std::vector<PartitionSet::Entry> own;
  Random random(1);
  for (int i = 0; i < kCount; ++i) {
    testing::PartitionParts parts = Typical(i);
    derived.push_back(TypicalEntry(parts));
    parts.location = "s3://bucket-of-the-lake/ingest/" + std::to_string(random.Next()) + "/" +
                     std::to_string(random.Next()) + "-" + std::to_string(random.Next());
    own.push_back(TypicalEntry(parts));
  }
  EXPECT_LE(PartitionSet::Of(derived)->memory_bytes() / kCount, 64U);
  EXPECT_LE(PartitionSet::Of(own)->memory_bytes() / kCount, 160U);
}

// Changing everything bit by bit must not leave garbage behind: shapes that one partition had for a
// while, and the rest of records that were written over.
TEST(PartitionSetTest, StaysSmallWhenEverythingIsChangedAgainAndAgain) {
  constexpr int kCount = 1000;
  std::vector<PartitionSet::Entry> entries;
  entries.reserve(kCount);
  for (int i = 0; i < kCount; ++i) entries.push_back(TypicalEntry(Typical(i)));
  const auto original = PartitionSet::Of(std::move(entries));
  auto set = original;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < kCount; ++i) {
      testing::PartitionParts parts = Typical(i);
      if (round % 2 == 0) parts.db = "moved_" + std::to_string(i);
      set = set->With({TypicalEntry(parts)}, {});
      ASSERT_EQ(Get(*set, NameOf(parts)), PartitionStruct(parts));
    }
  }
  EXPECT_LE(set->memory_bytes(), original->memory_bytes() + 300 * kCount);
}

TEST(PartitionSetTest, WhatIsLeftOfManyIsPutTogether) {
  constexpr int kCount = 6000;
  std::vector<PartitionSet::Entry> entries;
  std::vector<PartitionSet::Entry> kept;
  std::vector<std::string> removed;
  entries.reserve(kCount);
  for (int i = 0; i < kCount; ++i) {
    entries.push_back(TypicalEntry(Typical(i)));
    if (i % 100 == 0) {
      kept.push_back(entries.back());
    } else {
      removed.push_back(entries.back().name);
    }
  }
  auto set = PartitionSet::Of(std::move(entries));
  for (const std::string& name : removed) set = set->With({}, {name});
  EXPECT_EQ(set->size(), kept.size());
  EXPECT_LE(set->memory_bytes(), 2 * PartitionSet::Of(kept)->memory_bytes());
}

// A long text that comes to all partitions one by one is kept once in the end.
TEST(PartitionSetTest, FindsOutThatATextHasBecomeCommon) {
  constexpr int kCount = 600;
  std::vector<PartitionSet::Entry> entries;
  entries.reserve(kCount);
  for (int i = 0; i < kCount; ++i) entries.push_back(TypicalEntry(Typical(i)));
  const auto original = PartitionSet::Of(std::move(entries));
  auto set = original;
  for (int i = 0; i < 3 * kCount; ++i) {
    testing::PartitionParts parts = Typical(i % kCount);
    parts.parameters[3].second = std::string(400, 'x');
    set = set->With({TypicalEntry(parts)}, {});
  }
  EXPECT_LE(set->memory_bytes(), original->memory_bytes() + 50 * kCount);
}

TEST(PartitionSetTest, KeepsTextsThatOnlyLookLikeNumbers) {
  std::vector<PartitionSet::Entry> entries;
  std::map<std::string, std::string> expected;
  int number = 0;
  for (const std::string value : {"",
                                  "0",
                                  "00",
                                  "007",
                                  "-1",
                                  "-0",
                                  "+5",
                                  " 1",
                                  "1 ",
                                  "1.0",
                                  "1e3",
                                  "0x10",
                                  "999999999999999999",
                                  "1000000000000000000",
                                  "9223372036854775807",
                                  "18446744073709551616",
                                  "1795996800",
                                  "1795996799",
                                  "2147483648",
                                  "1048577",
                                  "true"}) {
    testing::PartitionParts parts = Typical(number++);
    for (auto& parameter : parts.parameters) parameter.second = value;
    entries.push_back(TypicalEntry(parts));
    expected[entries.back().name] = entries.back().bytes;
  }
  const auto set = PartitionSet::Of(std::move(entries));
  for (const auto& [name, bytes] : expected) EXPECT_EQ(Get(*set, name), bytes) << name;
}

TEST(PartitionSetTest, KeepsExtremeNumbersAndLocations) {
  std::map<std::string, std::string> expected;
  std::vector<PartitionSet::Entry> entries;
  int number = 0;
  for (const int32_t time : {0, -1, 1, INT32_MIN, INT32_MAX}) {
    for (const std::string location :
         {"", "/", "year=1000/day=1", "/year=1000/day=1", "x/year=1000/day=1", "no/such/end/"}) {
      testing::PartitionParts parts = Typical(number++);
      parts.create_time = time;
      parts.last_access_time = time / 2;
      parts.write_id = time < 0 ? INT64_MIN : INT64_MAX;
      parts.location = location;
      entries.push_back(TypicalEntry(parts));
      expected[entries.back().name] = entries.back().bytes;
    }
  }
  const auto set = PartitionSet::Of(entries);
  auto one_by_one = PartitionSet::Empty();
  for (const auto& entry : entries) one_by_one = one_by_one->With({entry}, {});
  for (const auto& [name, bytes] : expected) {
    EXPECT_EQ(Get(*set, name), bytes) << name;
    EXPECT_EQ(Get(*one_by_one, name), bytes) << name;
  }
}

TEST(PartitionSetOrigin, IsRememberedThroughChanges) {
  const PartitionSet::Entry one{"k=1", "", "bytes"};
  EXPECT_TRUE(PartitionSet::Empty()->whole());
  EXPECT_TRUE(PartitionSet::Of({})->whole());
  EXPECT_TRUE(PartitionSet::Empty()->With({one}, {})->whole());
  const PartitionSet::Ptr read = PartitionSet::Of({one});
  EXPECT_FALSE(read->whole());
  EXPECT_FALSE(read->With({{"k=2", "", "bytes"}}, {"k=1"})->whole());
}

}  // namespace
}  // namespace catalogd::cache
