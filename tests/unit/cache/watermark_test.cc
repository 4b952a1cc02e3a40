#include "catalog/cache/watermark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "catalog/base/random.h"

namespace catalogd::cache {
namespace {

using ::testing::ElementsAre;

TEST(WatermarkTest, StopsBeforeTheFirstEventThatIsNotDone) {
  Watermark watermark;
  watermark.Reset(EventId(10));
  const uint64_t a = watermark.Expect(EventId(11));
  const uint64_t b = watermark.Expect(EventId(12));
  const uint64_t c = watermark.Expect(EventId(13));
  watermark.Done(c);
  watermark.Done(b);
  EXPECT_EQ(watermark.value(), EventId(10));
  EXPECT_EQ(watermark.pending(), 1U);
  watermark.Done(a);
  EXPECT_EQ(watermark.value(), EventId(13));
  EXPECT_EQ(watermark.pending(), 0U);
}

TEST(WatermarkTest, PassesHolesBetweenEvents) {
  Watermark watermark;
  watermark.Reset(EventId(10));
  const uint64_t a = watermark.Expect(EventId(15));
  const uint64_t b = watermark.Expect(EventId(20));
  watermark.Done(a);
  EXPECT_EQ(watermark.value(), EventId(15));
  watermark.Done(b);
  EXPECT_EQ(watermark.value(), EventId(20));
}

TEST(WatermarkTest, FetchedToPassesTheHoleBehindTheLastEvent) {
  Watermark watermark;
  watermark.Reset(EventId(10));
  const uint64_t a = watermark.Expect(EventId(11));
  watermark.FetchedTo(EventId(30));
  EXPECT_EQ(watermark.value(), EventId(10));
  watermark.Done(a);
  EXPECT_EQ(watermark.value(), EventId(30));
  watermark.FetchedTo(EventId(40));
  EXPECT_EQ(watermark.value(), EventId(40));
  watermark.FetchedTo(EventId(35));
  EXPECT_EQ(watermark.value(), EventId(40));
}

TEST(WatermarkTest, LateAndDuplicateIdsMoveNothing) {
  Watermark watermark;
  watermark.Reset(EventId(10));
  const uint64_t late = watermark.Expect(EventId(7));
  const uint64_t a = watermark.Expect(EventId(11));
  const uint64_t again = watermark.Expect(EventId(11));
  watermark.Done(a);
  EXPECT_EQ(watermark.value(), EventId(10)) << "the other event of id 11 is not done";
  watermark.Done(again);
  EXPECT_EQ(watermark.value(), EventId(11));
  watermark.Done(late);
  EXPECT_EQ(watermark.value(), EventId(11));
  EXPECT_EQ(watermark.pending(), 0U);
}

// Ids out of order (a 2.3 metastore): 12 is done first, but 11 came after it and is not.
TEST(WatermarkTest, DoesNotPassASmallerIdThatCameLater) {
  Watermark watermark;
  watermark.Reset(EventId(9));
  const uint64_t a = watermark.Expect(EventId(12));
  const uint64_t b = watermark.Expect(EventId(11));
  watermark.Done(a);
  EXPECT_EQ(watermark.value(), EventId(10));
  watermark.Done(b);
  EXPECT_EQ(watermark.value(), EventId(12));
}

TEST(WatermarkTest, WhatJoinsAnExpectedEventIsDoneWithIt) {
  Watermark watermark;
  watermark.Reset(EventId(10));
  const uint64_t a = watermark.Expect(EventId(11));
  const uint64_t b = watermark.Expect(EventId(12));
  EXPECT_TRUE(watermark.Join(a, EventId(13)));
  EXPECT_TRUE(watermark.Join(b, EventId(14)));
  watermark.Done(a);
  EXPECT_EQ(watermark.value(), EventId(11)) << "13 is done, but 12 is not";
  watermark.Done(b);
  EXPECT_EQ(watermark.value(), EventId(14));
}

TEST(WatermarkTest, NothingJoinsOutOfOrderOrWhatIsOver) {
  Watermark watermark;
  watermark.Reset(EventId(10));
  const uint64_t a = watermark.Expect(EventId(12));
  EXPECT_FALSE(watermark.Join(a, EventId(11)));
  EXPECT_FALSE(watermark.Join(a, EventId(12)));
  const uint64_t b = watermark.Expect(EventId(13));
  watermark.Done(a);
  EXPECT_FALSE(watermark.Join(a, EventId(14)));
  EXPECT_EQ(watermark.value(), EventId(12));
  watermark.Reset(EventId(20));
  EXPECT_FALSE(watermark.Join(b, EventId(21))) << "a ticket from before the reset";
}

TEST(WatermarkTest, ResetForgetsWhatWasExpected) {
  Watermark watermark;
  watermark.Reset(EventId(100));
  const uint64_t old = watermark.Expect(EventId(101));
  watermark.Reset(EventId(5));
  EXPECT_EQ(watermark.value(), EventId(5));
  EXPECT_EQ(watermark.pending(), 0U);
  const uint64_t fresh = watermark.Expect(EventId(6));
  watermark.Done(old);
  EXPECT_EQ(watermark.value(), EventId(5)) << "a ticket from before the reset";
  watermark.Done(fresh);
  EXPECT_EQ(watermark.value(), EventId(6));
}

TEST(WatermarkTest, IgnoresTicketsItNeverGave) {
  Watermark watermark;
  watermark.Done(0);
  watermark.Done(77);
  EXPECT_EQ(watermark.value(), EventId(0));
  watermark.Done(watermark.Expect(EventId(1)));
  EXPECT_EQ(watermark.value(), EventId(1));
}

TEST(WatermarkTest, TellsTheObserverOfEachAdvanceAndReset) {
  Watermark watermark;
  std::vector<int64_t> seen;
  watermark.SetObserver([&](EventId id) {
    seen.push_back(id.value());
    EXPECT_EQ(watermark.pending(), 0U);  // Takes the mutex: called outside it.
  });
  watermark.Reset(EventId(3));
  watermark.Done(watermark.Expect(EventId(4)));
  watermark.Done(watermark.Expect(EventId(4)));
  watermark.FetchedTo(EventId(4));
  watermark.FetchedTo(EventId(9));
  EXPECT_THAT(seen, ElementsAre(3, 4, 9));
}

// Random expectations and completions: never past something that is not done, never back, and at
// the end everything is reached.
TEST(WatermarkTest, HoldsItsInvariantsUnderRandomOrders) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Watermark watermark;
    watermark.Reset(EventId(1));
    std::map<uint64_t, int64_t> open;
    int64_t next = 2;
    int64_t before = 1;
    int64_t greatest = 1;
    for (int step = 0; step < 200; ++step) {
      if (open.empty() || random.OneIn(2)) {
        next += static_cast<int64_t>(random.Below(3));
        const int64_t id = random.OneIn(5) ? next - static_cast<int64_t>(random.Below(4)) : next;
        const bool late = id <= watermark.value().value();
        const uint64_t ticket = watermark.Expect(EventId(id));
        if (!late) open[ticket] = id;
        greatest = std::max(greatest, id);
      } else {
        auto it = open.begin();
        std::advance(it, static_cast<ptrdiff_t>(random.Below(open.size())));
        watermark.Done(it->first);
        open.erase(it);
      }
      const int64_t value = watermark.value().value();
      ASSERT_GE(value, before) << "seed " << seed;
      for (const auto& [ticket, id] : open) ASSERT_LT(value, id) << "seed " << seed;
      before = value;
    }
    for (const auto& [ticket, id] : open) watermark.Done(ticket);
    EXPECT_EQ(watermark.value().value(), greatest) << "seed " << seed;
    EXPECT_EQ(watermark.pending(), 0U);
  }
}

}  // namespace
}  // namespace catalogd::cache
