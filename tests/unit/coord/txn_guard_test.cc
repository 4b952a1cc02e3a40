// A writer that was given up and commits all the same, ids with holes, a commit that is sent twice.
#include "catalog/coord/txn_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "catalog/base/random.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::At;
using ::testing::ElementsAre;

const TimePoint kNow(seconds(1000));

// A table, its transactions, and what a store would do with each step.
struct Table {
  TableRow row{"t1", false, Fence(0), IdVersion(0), false};
  std::map<int64_t, TxnRow> txns;
  TxnOptions options;
  TimePoint now = kNow;
  int64_t last_time = 0;

  TxnStep Store(const TxnStep& step) {
    if (step.table) row = *step.table;
    if (step.txn) txns[step.txn->txn_id] = *step.txn;
    return step;
  }
  const TxnRow* Find(int64_t id) const {
    const auto found = txns.find(id);
    return found == txns.end() ? nullptr : &found->second;
  }
  Holder HolderOf(int64_t id) const { return {"t1", txns.at(id).fence}; }
  TxnStep Begin(int64_t id, OpClass op = OpClass::kInsert, Duration lease = {}) {
    BeginTxnRequest request;
    request.table_id = "t1";
    request.txn_id = id;
    request.op = op;
    request.owner = "w";
    request.lease = lease;
    request.requested = At(++last_time);
    return Store(BeginTxn(row, request, now, options));
  }
  TxnStep Beat(int64_t id) { return Store(BeatTxn(row, Find(id), HolderOf(id), now, options)); }
  TxnStep Prepare(int64_t id) {
    return Store(PrepareTxn(row, Find(id), HolderOf(id), At(++last_time), now, options));
  }
  TxnStep Settle(int64_t id, TxnSettled settled) {
    return Store(SettleTxn(row, txns.at(id), settled));
  }
  TxnStep Abort(int64_t id) { return Store(AbortTxn(row, Find(id), HolderOf(id), "mine")); }
  TxnStep Reap(int64_t id) { return Store(ReapTxn(row, Find(id), now)); }
  TxnStep Commit(int64_t id) {
    const TxnStep step = Prepare(id);
    return step.code == TxnCode::kOk ? Settle(id, TxnSettled::kCommitted) : step;
  }
};

TEST(TxnGuard, ATransactionBeginsOnTheNewestVersionWithAFenceOfItsOwn) {
  Table table;
  const TxnStep first = table.Begin(1);
  EXPECT_EQ(first.txn->fence, Fence(1));
  EXPECT_EQ(first.txn->snapshot, IdVersion(0));
  EXPECT_EQ(first.remaining, seconds(120));
  ASSERT_EQ(table.Commit(1).code, TxnCode::kOk);
  const TxnStep second = table.Begin(2);
  EXPECT_EQ(second.txn->fence, Fence(2));
  EXPECT_EQ(second.txn->snapshot, IdVersion(1));
  EXPECT_EQ(table.Begin(3, OpClass::kInsert, hours(99)).remaining, hours(24));
}

TEST(TxnGuard, OnlyChangesOfContentHaveATimeVersion) {
  Table table;
  table.Begin(1, OpClass::kUpdate);
  table.Begin(2, OpClass::kMajor);
  const TxnStep update = table.Commit(1);
  EXPECT_EQ(update.txn->time_version, update.txn->completed);
  const TxnStep major = table.Commit(2);
  EXPECT_EQ(major.txn->time_version, std::nullopt);
  EXPECT_EQ(major.txn->id_version, IdVersion(2));
}

TEST(TxnGuard, ACommitThatIsSentAgainGetsTheFirstAnswer) {
  Table table;
  table.Begin(1);
  const TxnStep first = table.Commit(1);
  const TxnStep again = table.Prepare(1);
  EXPECT_EQ(again.code, TxnCode::kOk);
  EXPECT_EQ(again.txn, first.txn);
  EXPECT_EQ(again.table, std::nullopt);
  EXPECT_EQ(table.row.id_version, IdVersion(1));
}

TEST(TxnGuard, AnIdThatWasUndoneIsGivenAgainAndItsTimeIsNot) {
  Table table;
  table.Begin(1);
  table.Begin(2);
  const TxnStep prepared = table.Prepare(1);
  EXPECT_EQ(prepared.txn->id_version, IdVersion(1));
  EXPECT_EQ(table.Settle(1, TxnSettled::kUndone).code, TxnCode::kRetryLater);
  EXPECT_EQ(table.txns.at(1).id_version, std::nullopt);
  const TxnStep other = table.Commit(2);
  EXPECT_EQ(other.txn->id_version, IdVersion(1));
  EXPECT_GT(*other.txn->completed, *prepared.txn->completed);
  EXPECT_EQ(table.Commit(1).txn->id_version, IdVersion(2));
}

TEST(TxnGuard, UntilACommitIsSettledNoOtherIsPrepared) {
  Table table;
  table.Begin(1);
  table.Begin(2);
  ASSERT_EQ(table.Prepare(1).code, TxnCode::kOk);
  EXPECT_EQ(table.Prepare(2).code, TxnCode::kRetryLater);
  EXPECT_EQ(table.Prepare(1).code, TxnCode::kRetryLater);
  EXPECT_EQ(table.Settle(1, TxnSettled::kUnknown).code, TxnCode::kStateUnknown);
  EXPECT_EQ(table.Prepare(2).code, TxnCode::kRetryLater);
  EXPECT_EQ(table.Prepare(1).code, TxnCode::kStateUnknown);
  EXPECT_EQ(table.Abort(1).code, TxnCode::kTooLate);
  EXPECT_EQ(table.Settle(1, TxnSettled::kCommitted).code, TxnCode::kOk);
  EXPECT_EQ(table.Commit(2).txn->id_version, IdVersion(2));
}

// Three writers live, one is dead; and one that was given up learns it.
TEST(TxnGuard, OnlyTheDeadAreReapedAndTheyCannotCommitAnyMore) {
  Table table;
  for (int64_t id = 1; id <= 4; ++id) table.Begin(id);
  table.now += seconds(60);
  for (const int64_t id : {1, 2, 3}) EXPECT_EQ(table.Beat(id).code, TxnCode::kOk);
  table.now += seconds(60);
  EXPECT_EQ(table.Reap(4).code, TxnCode::kAlive) << "at the end of the lease, not after it";
  table.now += seconds(1);
  std::vector<TxnRow> rows;
  for (const auto& [id, txn] : table.txns) rows.push_back(txn);
  EXPECT_THAT(ExpiredTxns(rows, table.now), ElementsAre(4));
  for (const int64_t id : {1, 2, 3}) EXPECT_EQ(table.Reap(id).code, TxnCode::kAlive);
  EXPECT_EQ(table.Reap(4).code, TxnCode::kOk);
  EXPECT_EQ(table.txns.at(4).reason, "its lease ran out and nobody renewed it");
  EXPECT_EQ(table.Prepare(4).code, TxnCode::kNotOpen);
  EXPECT_EQ(table.Beat(4).code, TxnCode::kNotOpen);
  EXPECT_EQ(table.Commit(1).code, TxnCode::kOk);
}

TEST(TxnGuard, AReaperThatComesTooLateDoesNothing) {
  Table table;
  table.Begin(1);
  table.now += seconds(500);
  ASSERT_EQ(table.Prepare(1).code, TxnCode::kOk);
  EXPECT_EQ(table.Reap(1).code, TxnCode::kTooLate);
  table.Settle(1, TxnSettled::kCommitted);
  EXPECT_EQ(table.Reap(1).code, TxnCode::kTooLate);
  EXPECT_EQ(table.txns.at(1).state, TxnState::kCommitted);
}

// A commit may have waited for the table lock longer than its lease.
TEST(TxnGuard, AnExpiredTransactionThatNobodyReapedMayCommit) {
  Table table;
  table.Begin(1);
  table.now += hours(2);
  EXPECT_EQ(table.Beat(1).code, TxnCode::kOk);
  table.now += hours(2);
  EXPECT_EQ(table.Commit(1).code, TxnCode::kOk);
  Table strict;
  strict.options.strict_expiry = true;
  strict.Begin(1);
  strict.now += seconds(120);
  EXPECT_EQ(strict.Beat(1).code, TxnCode::kOk);
  strict.now += seconds(121);
  EXPECT_EQ(strict.Beat(1).code, TxnCode::kTxnExpired);
  EXPECT_EQ(strict.Commit(1).code, TxnCode::kTxnExpired);
}

TEST(TxnGuard, AWrongFenceOrTableChangesNothing) {
  for (const TxnState state : {TxnState::kOpen, TxnState::kPrepared, TxnState::kCommitted,
                               TxnState::kAborted, TxnState::kUnknown}) {
    Table table;
    table.Begin(1);
    table.txns[1].state = state;
    const TxnRow& txn = table.txns[1];
    for (const Holder& wrong : {Holder{"t1", Fence(0)}, Holder{"t1", Fence(2)}}) {
      EXPECT_EQ(BeatTxn(table.row, &txn, wrong, kNow, {}).code, TxnCode::kFenced);
      const TxnStep prepare = PrepareTxn(table.row, &txn, wrong, At(9), kNow, {});
      EXPECT_EQ(prepare.code, TxnCode::kFenced);
      EXPECT_FALSE(prepare.txn || prepare.table);
      EXPECT_EQ(AbortTxn(table.row, &txn, wrong, "").code, TxnCode::kFenced);
    }
    const Holder elsewhere{"t2", Fence(1)};
    EXPECT_EQ(PrepareTxn(table.row, &txn, elsewhere, At(9), kNow, {}).code, TxnCode::kTableGone);
  }
  Table table;
  EXPECT_EQ(BeatTxn(table.row, nullptr, {"t1", Fence(1)}, kNow, {}).code, TxnCode::kNotFound);
  EXPECT_EQ(ReapTxn(table.row, nullptr, kNow).code, TxnCode::kNotFound);
}

TEST(TxnGuard, OfADroppedTableEverythingEnds) {
  Table table;
  table.Begin(1);
  table.row.dropped = true;
  EXPECT_EQ(table.Beat(1).code, TxnCode::kTableGone);
  EXPECT_EQ(table.Commit(1).code, TxnCode::kTableGone);
  EXPECT_EQ(table.Abort(1).code, TxnCode::kTableGone);
  EXPECT_EQ(table.Begin(2).code, TxnCode::kTableGone);
  EXPECT_EQ(table.Reap(1).code, TxnCode::kOk);
  EXPECT_EQ(table.txns.at(1).reason, "its table was dropped");
}

TEST(TxnGuard, AnAbortIsForGoodAndMayBeRepeated) {
  Table table;
  table.Begin(1);
  EXPECT_EQ(table.Abort(1).code, TxnCode::kOk);
  EXPECT_EQ(table.Abort(1).code, TxnCode::kOk);
  EXPECT_EQ(table.txns.at(1).reason, "mine");
  EXPECT_EQ(table.Commit(1).code, TxnCode::kNotOpen);
  table.Begin(2);
  table.Commit(2);
  EXPECT_EQ(table.Abort(2).code, TxnCode::kTooLate);
  EXPECT_EQ(table.Beat(2).code, TxnCode::kNotOpen);
}

TEST(TxnGuard, AfterARestartWhatIsOpenHasAFullLease) {
  Table table;
  table.Begin(1);
  const TxnRow restored = RestoreTxn(table.txns[1], kNow + seconds(900));
  EXPECT_EQ(restored.deadline, kNow + seconds(1020));
}

TEST(TxnGuard, RandomWritersLeaveIdsWithoutHolesAndNobodyComesBackFromTheDead) {
  Random random(9);
  Table table;
  std::set<int64_t> reaped;
  std::map<int64_t, TxnRow> committed;
  int64_t last = 0;
  int64_t prepared = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (last == 0 || random.OneIn(8)) table.Begin(++last);
    int64_t id = last - static_cast<int64_t>(
                            random.Below(std::min<uint64_t>(static_cast<uint64_t>(last), 6)));
    switch (random.Below(8)) {
      case 0:
        table.Beat(id);
        break;
      case 1:
        table.Abort(id);
        break;
      case 2:
        if (table.Reap(id).code == TxnCode::kOk) reaped.insert(id);
        break;
      case 3:
        table.now += seconds(random.Below(100));
        break;
      case 4:
        table.Prepare(id);
        if (table.txns.at(id).state == TxnState::kPrepared) prepared = id;
        break;
      default:
        if (!table.row.commit_prepared) break;
        id = prepared;
        table.Settle(id, static_cast<TxnSettled>(random.Below(3)));
    }
    const TxnRow& txn = table.txns.at(id);
    const bool has_id = txn.state != TxnState::kOpen && txn.state != TxnState::kAborted;
    ASSERT_EQ(txn.id_version.has_value(), has_id) << step;
    if (txn.state == TxnState::kCommitted) committed.emplace(id, txn);
    if (committed.contains(id)) {
      ASSERT_EQ(txn, committed.at(id)) << step;
    }
    ASSERT_FALSE(reaped.contains(id) && txn.state != TxnState::kAborted) << step;
    ASSERT_EQ(table.row.id_version.value(), static_cast<int64_t>(committed.size())) << step;
  }
  std::set<int64_t> ids;
  std::set<Instant> times;
  for (const auto& [id, txn] : committed) {
    ids.insert(txn.id_version->value());
    times.insert(*txn.completed);
  }
  EXPECT_EQ(ids.size(), committed.size());
  EXPECT_EQ(*ids.rbegin(), static_cast<int64_t>(committed.size()));
  EXPECT_EQ(times.size(), committed.size());
  EXPECT_GT(committed.size(), 100U);
  EXPECT_GT(reaped.size(), 100U);
}

TEST(TxnGuard, WhatIsNotPreparedCannotBeSettled) {
  Table table;
  table.Begin(1);
  for (const TxnSettled settled :
       {TxnSettled::kCommitted, TxnSettled::kUndone, TxnSettled::kUnknown}) {
    const TxnStep step = table.Settle(1, settled);
    EXPECT_EQ(step.code, TxnCode::kTooLate);
    EXPECT_FALSE(step.txn || step.table);
  }
}

TEST(TxnGuard, EveryCodeHasAName) {
  for (int code = 0; code <= static_cast<int>(TxnCode::kTableGone); ++code) {
    EXPECT_NE(TxnCodeName(static_cast<TxnCode>(code)), "?");
  }
}

}  // namespace
}  // namespace catalogd::coord
