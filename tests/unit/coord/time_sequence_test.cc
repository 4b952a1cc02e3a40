// Two actions with one time, or times that go back: after a restart, with a clock that stands
// still, jumps or says nonsense.
#include "catalog/coord/time_sequence.h"

#include <gtest/gtest.h>

#include <limits>

#include "catalog/base/random.h"

namespace catalogd::coord {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

int64_t Wall(const char* text) { return InstantMillis(Instant::Parse(text).value()).value(); }

const int64_t kWall = Wall("20251220210129235");

// Takes a time, and keeps what a disk would keep.
struct Table {
  TimeState state;
  int64_t disk = 0;
  int writes = 0;

  NextTime Take(int64_t wall) {
    NextTime next = TakeTime(state, wall, TimeOptions()).value();
    state = next.state;
    if (next.must_store) {
      disk = state.reserved;
      ++writes;
    }
    return next;
  }
  void Restart() { state = TimesAfterRestart(disk); }
};

TEST(TimeSequence, ATimeIsTheWallClocksIfThatIsLater) {
  Table table;
  EXPECT_EQ(table.Take(kWall).instant.text(), "20251220210129235");
  EXPECT_EQ(table.Take(kWall + 10).instant.text(), "20251220210129245");
}

TEST(TimeSequence, AClockThatStandsStillGivesAnotherTimeEachTime) {
  Table table;
  EXPECT_EQ(table.Take(kWall).instant.text(), "20251220210129235");
  EXPECT_EQ(table.Take(kWall).instant.text(), "20251220210129236");
  EXPECT_EQ(table.Take(kWall).instant.text(), "20251220210129237");
}

TEST(TimeSequence, AClockThatGoesBackDoesNotTakeTheTimesBack) {
  Table table;
  EXPECT_EQ(table.Take(kWall).instant.text(), "20251220210129235");
  const NextTime near = table.Take(kWall - 1000);
  EXPECT_EQ(near.instant.text(), "20251220210129236");
  EXPECT_EQ(near.clock_behind, std::nullopt);
  const NextTime far = table.Take(kWall - 3'600'000);
  EXPECT_EQ(far.instant.text(), "20251220210129237");
  EXPECT_EQ(far.clock_behind, milliseconds(3'600'002));
  EXPECT_EQ(table.Take(kWall + 5).instant.text(), "20251220210129240");
}

TEST(TimeSequence, TheWarningBeginsAfterFiveMinutes) {
  Table table;
  table.Take(kWall);
  EXPECT_EQ(table.Take(kWall + 1 - 300'000).clock_behind, std::nullopt);
  EXPECT_EQ(table.Take(kWall + 1 - 300'000).clock_behind, milliseconds(300'001));
}

TEST(TimeSequence, NoTimeIsGivenOutThatIsNotReserved) {
  Table table;
  for (int i = 0; i < 5000; ++i) {
    table.Take(kWall);
    ASSERT_LE(table.state.last, table.disk);
  }
  EXPECT_LE(table.writes, 6) << "a reservation is for a second of times";
}

TEST(TimeSequence, AfterARestartTimesGoOnBehindTheReservation) {
  Table table;
  Instant last = table.Take(kWall).instant;
  for (const int64_t wall : {kWall - 86'400'000, kWall, kWall + 1, kWall + 2000}) {
    table.Restart();
    const NextTime next = table.Take(wall);
    EXPECT_GT(next.instant, last);
    EXPECT_TRUE(next.must_store) << "the first time after a restart is not reserved";
    last = next.instant;
  }
  EXPECT_EQ(last.text(), "20251220210133239") << "four reservations of a second ran out unused";
}

TEST(TimeSequence, RandomClocksAndRestartsNeverRepeatATime) {
  Random random(7);
  Table table;
  Instant last;
  int64_t wall = kWall;
  for (int i = 0; i < 100'000; ++i) {
    if (random.OneIn(50)) wall += static_cast<int64_t>(random.Below(100'000)) - 50'000;
    if (random.OneIn(30)) table.Restart();
    const Instant next = table.Take(wall).instant;
    ASSERT_GT(next, last);
    last = next;
  }
}

TEST(TimeSequence, AClockThatSaysNonsenseIsNotBelieved) {
  Table table;
  table.Take(kWall);
  EXPECT_EQ(table.Take(std::numeric_limits<int64_t>::min()).instant.text(), "20251220210129236");
  const NextTime end = table.Take(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(end.instant.text(), "99991231235959999");
  const Result<NextTime> none = TakeTime(end.state, kWall, TimeOptions());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace catalogd::coord
