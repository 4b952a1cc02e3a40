// Rows that an incremental reader gets twice or never, and reads "as of" that miss a commit.
#include "catalog/coord/versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A table whose commits complete one after the other.
struct Table {
  std::vector<TxnVersion> txns;
  IdVersion floor;
  Instant floor_completed;

  Table& Commit(OpClass op, int64_t completed, const std::string& added,
                const std::string& removed = "", int64_t requested = 0) {
    TxnVersion txn = NextVersion(txns.empty() ? floor : txns.back().id, op,
                                 At(requested == 0 ? completed - 1 : requested), At(completed));
    txn.added = {added};
    if (!removed.empty()) txn.removed = {removed};
    txns.push_back(std::move(txn));
    return *this;
  }
  [[nodiscard]] VersionHistory history() const { return {txns, floor, floor_completed}; }

  // "d1,d2 until 20"
  [[nodiscard]] std::string ByTime(Axis axis, int64_t begin, int64_t end,
                                   bool services = false) const {
    const auto found = ChangesByTime(history(), axis, At(begin), At(end), {services});
    if (!found) return std::string(ErrorCodeName(found.error().code));
    return Text(*found) + " until " + testing::Short(found->next_time);
  }
  [[nodiscard]] std::string ById(int64_t begin, int64_t end, bool services = false) const {
    const auto found = ChangesById(history(), IdVersion(begin), IdVersion(end), {services});
    if (!found) return std::string(ErrorCodeName(found.error().code));
    return Text(*found) + " until " + std::to_string(found->next_id.value());
  }
  static std::string Text(const Increment& increment) {
    std::string text;
    for (const ChangedFiles& change : increment.changes) {
      for (const std::string& file : change.added) text += (text.empty() ? "" : ",") + file;
      for (const std::string& file : change.removed) text += ",-" + file;
    }
    return text.empty() ? "nothing" : text;
  }
};

Table InsertClusterInsertMajor() {
  Table table;
  table.Commit(OpClass::kInsert, 10, "d1")
      .Commit(OpClass::kMinor, 20, "c1", "d1")
      .Commit(OpClass::kInsert, 30, "d2")
      .Commit(OpClass::kMajor, 40, "b1", "c1");
  return table;
}

TEST(Versions, EveryCommitHasAnIdAndOnlyChangesOfContentATime) {
  const Table table = InsertClusterInsertMajor();
  std::vector<int64_t> ids;
  std::vector<bool> timed;
  for (const TxnVersion& txn : table.txns) {
    ids.push_back(txn.id.value());
    timed.push_back(txn.time_version.has_value());
  }
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(timed, ElementsAre(true, false, true, false));
  EXPECT_EQ(table.txns[2].time_version, At(30));
  for (const OpClass op : {OpClass::kOverwrite, OpClass::kInsert, OpClass::kUpdate}) {
    EXPECT_TRUE(NextVersion(IdVersion(1), op, At(1), At(2)).time_version.has_value());
  }
}

// The vendor's example: a read at t2 gets what the compaction made of t1 and t2.
TEST(Versions, AReadAtATimeTakesWhatServicesMadeOfItSince) {
  Table table;
  table.Commit(OpClass::kInsert, 10, "d1")
      .Commit(OpClass::kInsert, 20, "d2")
      .Commit(OpClass::kMajor, 21, "b1")
      .Commit(OpClass::kInsert, 30, "d3");
  const auto at = [&](int64_t time) {
    return VersionAsOf(table.history(), At(time)).value().value();
  };
  EXPECT_EQ(at(9), 0) << "nothing was committed yet";
  EXPECT_EQ(at(10), 1);
  EXPECT_EQ(at(19), 1);
  EXPECT_EQ(at(20), 3);
  EXPECT_EQ(at(29), 3);
  EXPECT_EQ(at(30), 4);
  EXPECT_EQ(at(99), 4);
}

TEST(Versions, ByTimeServicesAreLeftOutAndWhatTheyRemovedIsThere) {
  const Table table = InsertClusterInsertMajor();
  EXPECT_EQ(table.ByTime(Axis::kTime, 0, 99), "d1,d2 until 40");
  EXPECT_EQ(table.ByTime(Axis::kTime, 0, 99, true), "d1,d2 until 40") << "never on this axis";
  EXPECT_EQ(table.ByTime(Axis::kTime, 10, 30), "d2 until 30") << "begin exclusive, end inclusive";
  EXPECT_EQ(table.ByTime(Axis::kTime, 9, 29), "d1 until 29");
  EXPECT_EQ(table.ByTime(Axis::kTime, 30, 40), "nothing until 40");
  EXPECT_EQ(table.ByTime(Axis::kTime, 30, 30), "nothing until 30");
}

TEST(Versions, ByIdServicesAreThereWhenTheyAreAskedForWithWhatTheyReplace) {
  const Table table = InsertClusterInsertMajor();
  EXPECT_EQ(table.ById(0, 4), "d1,d2 until 4");
  EXPECT_EQ(table.ById(0, 4, true), "d1,c1,-d1,d2,b1,-c1 until 4");
  EXPECT_EQ(table.ById(1, 3), "d2 until 3");
  EXPECT_EQ(table.ById(1, 2, true), "c1,-d1 until 2");
  EXPECT_EQ(table.ById(4, 4), "nothing until 4");
}

TEST(Versions, ByCompletionServicesMayBeAskedForToo) {
  const Table table = InsertClusterInsertMajor();
  EXPECT_EQ(table.ByTime(Axis::kCompletion, 0, 99), "d1,d2 until 40");
  EXPECT_EQ(table.ByTime(Axis::kCompletion, 10, 20, true), "c1,-d1 until 20");
}

TEST(Versions, AnOverwriteSaysThatItReplacedAndWhat) {
  Table table;
  table.Commit(OpClass::kInsert, 10, "d1")
      .Commit(OpClass::kOverwrite, 20, "d2", "d1")
      .Commit(OpClass::kUpdate, 30, "d3", "d2");
  EXPECT_EQ(table.ById(0, 3), "d1,d2,-d1,d3 until 3");
  EXPECT_TRUE(ChangesById(table.history(), IdVersion(0), IdVersion(3), {})->overwrites);
  EXPECT_FALSE(ChangesById(table.history(), IdVersion(2), IdVersion(3), {})->overwrites);
}

// T1 [10,50] completes after T2 [20,30]. A reader that goes by requested times would pass over it.
TEST(Versions, ALateCompleterIsReadOnceByAReaderThatGoesOn) {
  Table before;
  before.Commit(OpClass::kInsert, 30, "t2", "", 20);
  EXPECT_EQ(before.ByTime(Axis::kCompletion, 0, 40), "t2 until 30")
      << "an end that lies ahead is the newest commit";
  Table after = before;
  after.Commit(OpClass::kInsert, 50, "t1", "", 10);
  EXPECT_EQ(after.ByTime(Axis::kCompletion, 30, 60), "t1 until 50");
  EXPECT_EQ(after.ByTime(Axis::kCompletion, 50, 60), "nothing until 50");
}

TEST(Versions, WhatIsOlderThanTheHistoryIsNeverASilentGap) {
  Table table;
  table.floor = IdVersion(7);
  table.floor_completed = At(70);
  table.Commit(OpClass::kMinor, 75, "c1").Commit(OpClass::kInsert, 80, "d8");
  EXPECT_EQ(table.ById(6, 9), "not_found");
  EXPECT_EQ(table.ById(7, 9), "d8 until 9");
  EXPECT_EQ(table.ByTime(Axis::kTime, 69, 99), "not_found");
  EXPECT_EQ(table.ByTime(Axis::kTime, 70, 99), "d8 until 80");
  const auto expired = VersionAsOf(table.history(), At(69));
  ASSERT_FALSE(expired);
  EXPECT_THAT(expired.error().message, HasSubstr("begins at version 7 (00000000000000070)"));
  EXPECT_EQ(VersionAsOf(table.history(), At(79)).value(), IdVersion(8))
      << "the content of the floor, as a service has left it";
  EXPECT_EQ(VersionAsOf(table.history(), At(80)).value(), IdVersion(9));
}

TEST(Versions, RangesThatMakeNoSenseAreErrors) {
  const Table table = InsertClusterInsertMajor();
  EXPECT_EQ(table.ById(3, 2), "invalid_argument");
  EXPECT_EQ(table.ById(5, 9), "invalid_argument") << "begins ahead of the newest version";
  EXPECT_EQ(table.ByTime(Axis::kTime, 30, 20), "invalid_argument");
}

TEST(Versions, AnEmptyTableHasVersionZero) {
  const Table table;
  EXPECT_EQ(VersionAsOf(table.history(), At(10)).value(), IdVersion(0));
  EXPECT_EQ(table.ById(0, 0), "nothing until 0");
}

}  // namespace
}  // namespace catalogd::coord
