#include "catalog/cache/name_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "catalog/cache/name_lock_table.h"
#include "tests/support/fake_time.h"

namespace catalogd::cache {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const ObjectName kDb = ObjectName::Database("hive", "d");
const ObjectName kOtherDb = ObjectName::Database("hive", "e");
const ObjectName kT = ObjectName::Table("hive", "d", "t");
const ObjectName kU = ObjectName::Table("hive", "d", "u");

// The answer to one request, whenever it comes.
struct Answer {
  std::optional<NameGuard> guard;
  std::optional<Error> error;
  int calls = 0;
};

class NameLocksTest : public ::testing::Test {
 protected:
  // Takes the guard at once or by callback; `answer` must live until then.
  void Acquire(Answer* answer, NameLocks::Request request) {
    answer->guard = locks_.Acquire(std::move(request), [answer](Result<NameGuard> result) {
      ++answer->calls;
      if (result) {
        answer->guard = std::move(*result);
      } else {
        answer->error = result.error();
      }
    });
  }
  static NameLocks::Request Exclusive(std::vector<ObjectName> names, std::string owner = "test") {
    NameLocks::Request request;
    request.exclusive = std::move(names);
    request.owner = std::move(owner);
    return request;
  }
  static NameLocks::Request Shared(std::vector<ObjectName> names) {
    NameLocks::Request request;
    request.shared = std::move(names);
    return request;
  }

  testing::FakeClock clock_;
  testing::ManualExecutor executor_;
  testing::ManualTimer timer_{&clock_};
  NameLocks locks_{&executor_, &timer_, &clock_};
};

TEST_F(NameLocksTest, GrantsFreeNamesAtOnceWithoutTheCallback) {
  Answer a;
  Acquire(&a, Exclusive({kT}));
  ASSERT_TRUE(a.guard);
  EXPECT_TRUE(a.guard->held());
  EXPECT_EQ(executor_.RunAll(), 0U);
  EXPECT_EQ(a.calls, 0);
  EXPECT_EQ(timer_.pending(), 0U);
}

TEST_F(NameLocksTest, AGuardCoversItsNamesAndTheTablesOfItsDatabases) {
  Answer a;
  Acquire(&a, Exclusive({kT, kOtherDb}));
  EXPECT_TRUE(a.guard->Covers(kT));
  EXPECT_FALSE(a.guard->Covers(kU));
  EXPECT_FALSE(a.guard->Covers(kDb)) << "the table's database is only shared";
  EXPECT_TRUE(a.guard->Covers(kOtherDb));
  EXPECT_TRUE(a.guard->Covers(ObjectName::Table("hive", "e", "x")));
  EXPECT_FALSE(a.guard->Covers(ObjectName::Table("spark", "e", "x")));
  a.guard->Release();
  EXPECT_FALSE(a.guard->Covers(kT));
  EXPECT_FALSE(a.guard->held());
}

TEST_F(NameLocksTest, ADatabaseAloneDoesNotWaitForItsTablesNorKeepThemOut) {
  Answer table;
  Answer db;
  Answer second;
  Answer other_table;
  Answer all;
  NameLocks::Request alone;
  alone.alone = {kDb};
  Acquire(&table, Exclusive({kT}));
  Acquire(&db, alone);
  ASSERT_TRUE(db.guard);
  EXPECT_TRUE(db.guard->Covers(kDb));
  EXPECT_FALSE(db.guard->Covers(kU)) << "its tables are not locked";
  Acquire(&other_table, Exclusive({kU}));
  EXPECT_TRUE(other_table.guard);
  Acquire(&second, alone);
  EXPECT_FALSE(second.guard) << "the database is changed by one at a time";
  Acquire(&all, Exclusive({kDb}));
  db.guard->Release();
  executor_.RunAll();
  EXPECT_TRUE(second.guard);
  EXPECT_FALSE(all.guard);
  table.guard->Release();
  other_table.guard->Release();
  second.guard->Release();
  executor_.RunAll();
  EXPECT_TRUE(all.guard);
}

TEST_F(NameLocksTest, TheSecondWaitsForTheFirst) {
  Answer a;
  Answer b;
  Acquire(&a, Exclusive({kT}));
  Acquire(&b, Exclusive({kT}));
  EXPECT_FALSE(b.guard);
  EXPECT_EQ(locks_.waiting(), 1U);
  a.guard->Release();
  EXPECT_FALSE(b.guard) << "the grant continues on the executor";
  EXPECT_EQ(locks_.waiting(), 0U);
  EXPECT_EQ(executor_.RunAll(), 1U);
  ASSERT_TRUE(b.guard);
  EXPECT_TRUE(b.guard->Covers(kT));
}

TEST_F(NameLocksTest, TablesOfOneDatabaseDoNotWaitForEachOther) {
  Answer a;
  Answer b;
  Acquire(&a, Exclusive({kT}));
  Acquire(&b, Exclusive({kU}));
  EXPECT_TRUE(a.guard);
  EXPECT_TRUE(b.guard);
}

TEST_F(NameLocksTest, ADatabaseWaitsForItsTablesAndKeepsThemOut) {
  Answer table;
  Answer db;
  Answer later;
  Answer elsewhere;
  Acquire(&table, Exclusive({kT}));
  Acquire(&db, Exclusive({kDb}));
  EXPECT_FALSE(db.guard);
  Acquire(&later, Exclusive({kU}));
  EXPECT_FALSE(later.guard) << "first come, first served: behind the database";
  Acquire(&elsewhere, Exclusive({ObjectName::Table("hive", "e", "t")}));
  EXPECT_TRUE(elsewhere.guard);
  table.guard.reset();
  executor_.RunAll();
  EXPECT_TRUE(db.guard);
  EXPECT_FALSE(later.guard);
  db.guard.reset();
  executor_.RunAll();
  EXPECT_TRUE(later.guard);
}

TEST_F(NameLocksTest, SharedDatabasesGoTogetherAndSharedTablesToo) {
  Answer a;
  Answer b;
  Answer c;
  Answer d;
  Acquire(&a, Shared({kDb, kT}));
  Acquire(&b, Shared({kDb}));
  Acquire(&c, Shared({kT}));
  EXPECT_TRUE(a.guard);
  EXPECT_TRUE(b.guard);
  EXPECT_TRUE(c.guard);
  EXPECT_FALSE(a.guard->Covers(kDb)) << "shared is for reading";
  Acquire(&d, Exclusive({kT}));
  EXPECT_FALSE(d.guard);
  a.guard.reset();
  executor_.RunAll();
  EXPECT_FALSE(d.guard);
  c.guard.reset();
  executor_.RunAll();
  EXPECT_TRUE(d.guard);
}

TEST_F(NameLocksTest, ARequestNamesANameOnceInItsStrongestMode) {
  NameLocks::Request request = Exclusive({kT, kT, kDb});
  request.shared = {kDb, kT, kU};
  Answer a;
  Acquire(&a, std::move(request));
  ASSERT_TRUE(a.guard) << "it does not wait for itself";
  const auto infos = locks_.Snapshot();
  ASSERT_EQ(infos.size(), 1U);
  EXPECT_THAT(infos[0].names,
              ElementsAre(Pair(kDb, LockMode::kExclusive), Pair(kT, LockMode::kExclusive),
                          Pair(kU, LockMode::kShared)));
}

TEST_F(NameLocksTest, ARequestWithoutNamesIsGranted) {
  Answer a;
  Acquire(&a, {});
  ASSERT_TRUE(a.guard);
  EXPECT_FALSE(a.guard->Covers(kT));
}

TEST_F(NameLocksTest, SeveralAreGrantedInTheOrderTheyCame) {
  Answer holder;
  Acquire(&holder, Exclusive({kDb}));
  std::vector<int> order;
  std::vector<NameGuard> guards;
  for (int i = 0; i < 5; ++i) {
    const ObjectName table = ObjectName::Table("hive", "d", "t" + std::to_string(9 - i));
    EXPECT_FALSE(locks_.Acquire(Exclusive({table}), [&, i](Result<NameGuard> guard) {
      order.push_back(i);
      guards.push_back(std::move(*guard));
    }));
  }
  holder.guard.reset();
  executor_.RunAll();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(NameLocksTest, ATimedOutWaiterSaysWhoHeldTheNameAndFreesThoseBehind) {
  Answer reader;
  Answer writer;
  Answer later;
  Acquire(&reader, Shared({kDb}));
  clock_.Advance(seconds(2));
  NameLocks::Request request = Exclusive({kDb}, "DDL drop_database d");
  request.deadline = clock_.Now() + seconds(5);
  Acquire(&writer, std::move(request));
  Acquire(&later, Shared({kDb}));
  EXPECT_FALSE(later.guard);
  timer_.AdvanceAndRun(seconds(5));
  executor_.RunAll();
  ASSERT_TRUE(writer.error);
  EXPECT_EQ(writer.error->code, ErrorCode::kTimedOut);
  EXPECT_THAT(writer.error->message,
              HasSubstr("'DDL drop_database d' waited 5.0 s for the lock of d; d is held by ''"));
  EXPECT_THAT(writer.error->message, HasSubstr("for 7.0 s"));
  EXPECT_TRUE(later.guard) << "nothing exclusive is before it any more";
  EXPECT_EQ(writer.calls, 1);
}

TEST_F(NameLocksTest, TheTimeoutTextTellsHoldersFromWaitersAndIsBounded) {
  std::vector<Answer> answers(6);
  for (int i = 0; i < 5; ++i) {
    Acquire(&answers[static_cast<size_t>(i)], Exclusive({kT}, "event " + std::to_string(i)));
  }
  NameLocks::Request request = Exclusive({kT}, "me");
  request.deadline = clock_.Now() + seconds(1);
  Acquire(&answers[5], std::move(request));
  timer_.AdvanceAndRun(seconds(1));
  executor_.RunAll();
  ASSERT_TRUE(answers[5].error);
  const std::string& text = answers[5].error->message;
  EXPECT_THAT(text, HasSubstr("d.t is held by 'event 0' for 1.0 s"));
  EXPECT_THAT(text, HasSubstr("d.t is wanted earlier by 'event 1' for 1.0 s"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("event 4")));
  EXPECT_THAT(text, HasSubstr("others are before it"));
  EXPECT_THAT(text, HasSubstr("/locks"));
}

TEST_F(NameLocksTest, AGrantCancelsTheDeadline) {
  Answer a;
  Answer b;
  Acquire(&a, Exclusive({kT}));
  NameLocks::Request request = Exclusive({kT});
  request.deadline = clock_.Now() + seconds(5);
  Acquire(&b, std::move(request));
  EXPECT_EQ(timer_.pending(), 1U);
  a.guard.reset();
  EXPECT_EQ(timer_.pending(), 0U);
  timer_.AdvanceAndRun(seconds(10));
  executor_.RunAll();
  EXPECT_TRUE(b.guard);
  EXPECT_FALSE(b.error);
}

TEST_F(NameLocksTest, ADeadlineInThePastOnlyMattersWhenItHasToWait) {
  NameLocks::Request request = Exclusive({kT});
  request.deadline = clock_.Now() - seconds(1);
  Answer a;
  Acquire(&a, request);
  EXPECT_TRUE(a.guard);
  Answer b;
  Acquire(&b, request);
  timer_.RunDue();
  executor_.RunAll();
  ASSERT_TRUE(b.error);
  EXPECT_EQ(b.error->code, ErrorCode::kTimedOut);
}

TEST_F(NameLocksTest, AGrantThatNobodyRunsGivesTheNamesBack) {
  Answer a;
  Answer b;
  {
    testing::ManualExecutor dropped;
    NameLocks locks(&dropped, &timer_, &clock_);
    a.guard = locks.Acquire(Exclusive({kT}), nullptr);
    EXPECT_FALSE(locks.Acquire(Exclusive({kT}), [](const Result<NameGuard>&) { FAIL(); }));
    a.guard.reset();
    EXPECT_EQ(dropped.pending(), 1U) << "destroyed after the locks, with the guard in it";
  }
  Acquire(&b, Exclusive({kT}));
  EXPECT_TRUE(b.guard);
}

TEST_F(NameLocksTest, MovingAGuardMovesTheLock) {
  Answer a;
  Acquire(&a, Exclusive({kT}));
  NameGuard first = std::move(*a.guard);
  EXPECT_FALSE(a.guard->held());
  NameGuard second;
  second = std::move(first);
  EXPECT_TRUE(second.Covers(kT));
  EXPECT_EQ(locks_.Snapshot().size(), 1U);
  second = NameGuard();
  EXPECT_EQ(locks_.Snapshot().size(), 0U);
  second.Release();
  EXPECT_EQ(locks_.Snapshot().size(), 0U);
}

TEST_F(NameLocksTest, TheSnapshotShowsWhoWaitsForWhom) {
  Answer a;
  Answer b;
  Answer c;
  Acquire(&a, Exclusive({kT}, "event 1"));
  clock_.Advance(seconds(3));
  Acquire(&b, Exclusive({kDb}, "event 2"));
  Acquire(&c, Exclusive({kT}, "event 3"));
  const auto infos = locks_.Snapshot();
  ASSERT_EQ(infos.size(), 3U);
  EXPECT_EQ(infos[0].owner, "event 1");
  EXPECT_TRUE(infos[0].granted);
  EXPECT_EQ(infos[0].since, clock_.Now() - seconds(3));
  EXPECT_THAT(infos[0].names,
              ElementsAre(Pair(kDb, LockMode::kShared), Pair(kT, LockMode::kExclusive)));
  EXPECT_THAT(infos[0].behind, IsEmpty());
  EXPECT_FALSE(infos[1].granted);
  EXPECT_THAT(infos[1].behind, ElementsAre(infos[0].ticket));
  EXPECT_THAT(infos[2].behind, ElementsAre(infos[0].ticket, infos[1].ticket));
}

TEST_F(NameLocksTest, TheSnapshotCountsFromTheGrant) {
  Answer a;
  Answer b;
  Acquire(&a, Exclusive({kT}));
  Acquire(&b, Exclusive({kT}));
  clock_.Advance(seconds(3));
  a.guard.reset();
  const auto infos = locks_.Snapshot();
  ASSERT_EQ(infos.size(), 1U);
  EXPECT_EQ(infos[0].since, clock_.Now());
  executor_.RunAll();
}

TEST_F(NameLocksTest, WaitersLeftAtTheEndAreDroppedAndGuardsMayOutliveTheLocks) {
  std::optional<NameGuard> holder;
  const auto fail = [](const Result<NameGuard>&) { FAIL() << "nobody is answered"; };
  {
    NameLocks locks(&executor_, &timer_, &clock_);
    NameLocks::Request request = Exclusive({kT});
    request.deadline = clock_.Now() + seconds(1);
    holder = locks.Acquire(request, nullptr);
    EXPECT_FALSE(locks.Acquire(Exclusive({kU, kT}), fail));
    EXPECT_FALSE(locks.Acquire(request, fail));
    EXPECT_FALSE(locks.Acquire(Shared({kT}), fail));
    EXPECT_EQ(timer_.pending(), 1U);
  }
  EXPECT_EQ(timer_.pending(), 0U);
  EXPECT_TRUE(holder->Covers(kT));
  holder->Release();
  EXPECT_EQ(executor_.RunAll(), 0U);
}

TEST(NameLockTableTest, QueuesThatNobodyUsesAreSweptAfterAWhile) {
  NameLockTable table;
  std::vector<NameLockEntry*> freed;
  for (int i = 0; i < 10000; ++i) {
    NameLocks::Request request;
    request.exclusive = {ObjectName::Table("hive", "d", "t" + std::to_string(i))};
    NameLockEntry* entry = table.Enter(std::move(request));
    EXPECT_EQ(entry->blocked, 0U);
    table.Leave(entry, &freed);
  }
  EXPECT_TRUE(freed.empty());
  EXPECT_LE(table.queues(), 4100U);
}

}  // namespace
}  // namespace catalogd::cache
