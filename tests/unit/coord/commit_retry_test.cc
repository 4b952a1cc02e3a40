// A commit that goes round for ever, or one that is sent twice although it may have happened.
#include "catalog/coord/commit_retry.h"

#include <gtest/gtest.h>

namespace catalogd::coord {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RetryDecision After(PublishEnd end, int rounds, Duration elapsed = {}, int jitter = 999) {
  return AfterRound(end, rounds, elapsed, jitter, RetryOptions());
}

milliseconds Delay(int rounds, int jitter) {
  const RetryDecision decision = After(PublishEnd::kExpectedDiffers, rounds, {}, jitter);
  EXPECT_EQ(decision.verdict, RetryVerdict::kAgain);
  return std::chrono::round<milliseconds>(decision.delay);
}

TEST(CommitRetry, DelaysDoubleUpToASecondAndAreSpreadOverTheirSecondHalf) {
  EXPECT_EQ(Delay(1, 999), milliseconds(50));
  EXPECT_EQ(Delay(1, 0), milliseconds(25));
  EXPECT_EQ(Delay(2, 999), milliseconds(100));
  EXPECT_EQ(Delay(5, 999), milliseconds(800));
  EXPECT_EQ(Delay(9, 0), milliseconds(500));
  EXPECT_NEAR(static_cast<double>(Delay(9, 999).count()), 1000, 1);
}

TEST(CommitRetry, AfterTenRoundsOrHalfAMinuteItIsALockTimeout) {
  EXPECT_EQ(After(PublishEnd::kExpectedDiffers, 9).verdict, RetryVerdict::kAgain);
  EXPECT_EQ(After(PublishEnd::kExpectedDiffers, 10).verdict, RetryVerdict::kLockTimeout);
  EXPECT_EQ(After(PublishEnd::kExpectedDiffers, 1, seconds(29)).verdict, RetryVerdict::kAgain);
  EXPECT_EQ(After(PublishEnd::kExpectedDiffers, 1, seconds(30)).verdict,
            RetryVerdict::kLockTimeout);
  EXPECT_EQ(After(PublishEnd::kExpectedDiffers, 9, milliseconds(29'500)).verdict,
            RetryVerdict::kLockTimeout)
      << "the wait itself would pass the limit";
}

TEST(CommitRetry, WhatIsNotARaceIsNotTriedAgain) {
  EXPECT_EQ(After(PublishEnd::kConflict, 1).verdict, RetryVerdict::kConflict);
  EXPECT_EQ(After(PublishEnd::kUnknown, 1).verdict, RetryVerdict::kSettle);
  EXPECT_EQ(After(PublishEnd::kNotOwner, 1).verdict, RetryVerdict::kNotOwner);
}

}  // namespace
}  // namespace catalogd::coord
