#include "hms_client/retry.h"

#include <gtest/gtest.h>

#include <set>

namespace catalogd::hms {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToItsLimitAndStartsOverAfterReset) {
  Random random(7);
  Backoff backoff({milliseconds(100), milliseconds(1000)});
  for (const int full : {100, 200, 400, 800, 1000, 1000, 1000}) {
    const Duration wait = backoff.AfterFailure(random);
    EXPECT_GE(wait, milliseconds(full / 2));
    EXPECT_LE(wait, milliseconds(full));
  }
  backoff.Reset();
  EXPECT_LE(backoff.AfterFailure(random), milliseconds(100));
}

TEST(Backoff, SpreadsThoseWhoFailedTogether) {
  Random random(7);
  std::set<Duration> waits;
  for (int i = 0; i < 50; ++i) waits.insert(Backoff({}).AfterFailure(random));
  EXPECT_GT(waits.size(), 40U);
}

}  // namespace
}  // namespace catalogd::hms
