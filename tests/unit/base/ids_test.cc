#include "catalog/base/ids.h"

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>
#include <unordered_map>

#include "catalog/base/random.h"

namespace catalogd {
namespace {

static_assert(!std::is_convertible_v<int64_t, EventId>);
static_assert(!std::is_convertible_v<EventId, int64_t>);
static_assert(!std::is_assignable_v<EventId&, CatalogVersion>);

TEST(StrongId, CountsAndCompares) {
  EXPECT_EQ(EventId().value(), 0);
  EXPECT_EQ(EventId(4).Next(), EventId(5));
  EXPECT_LT(EventId(4), EventId(5));
  std::ostringstream out;
  out << EventId(12);
  EXPECT_EQ(out.str(), "12");
  std::unordered_map<EventId, int> map;
  map[EventId(3)] = 1;
  EXPECT_TRUE(map.contains(EventId(3)));
  EXPECT_FALSE(map.contains(EventId(4)));
}

TEST(LogPosition, EpochCountsBeforeEvent) {
  // Event ids start again in a new log: a small id of a later epoch is later.
  EXPECT_LT((LogPosition{LogEpoch(1), EventId(900)}), (LogPosition{LogEpoch(2), EventId(3)}));
  EXPECT_LT((LogPosition{LogEpoch(1), EventId(3)}), (LogPosition{LogEpoch(1), EventId(4)}));
}

TEST(Random, SameSeedSameNumbersOnEveryMachine) {
  Random random(0);
  EXPECT_EQ(random.Next(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random.Next(), 0x6E789E6AA1B965F4U);
  Random one(7);
  Random two(7);
  Random other(8);
  EXPECT_EQ(one.Next(), two.Next());
  EXPECT_NE(one.Next(), other.Next());
}

TEST(Random, StaysBelowItsBoundAndReachesAllOfIt) {
  Random random(1);
  bool seen[5] = {};
  for (int i = 0; i < 200; ++i) {
    const uint64_t value = random.Below(5);
    ASSERT_LT(value, 5U);
    seen[value] = true;
  }
  for (const bool value : seen) EXPECT_TRUE(value);
  EXPECT_TRUE(random.OneIn(1));
}

}  // namespace
}  // namespace catalogd
