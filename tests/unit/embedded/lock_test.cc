#include "tests/unit/embedded/embedded_fixture.h"

// What could go wrong: two clients hold what excludes each other, a lock outlives its client or a
// restart loses one, a transaction's end leaves its locks, write ids repeat.
namespace catalogd::hms {
namespace {

using LockType = api::LockType;

api::LockComponent Part(LockType::type type, const std::string& db, const std::string& table = "",
                        const std::string& partition = "") {
  api::LockComponent part;
  part.type = type;
  part.level = partition.empty() ? table.empty() ? api::LockLevel::DB : api::LockLevel::TABLE
                                 : api::LockLevel::PARTITION;
  part.dbname = db;
  if (!table.empty()) part.__set_tablename(table);
  if (!partition.empty()) part.__set_partitionname(partition);
  return part;
}

class LockTest : public EmbeddedTest {
 protected:
  api::LockResponse Lock(const std::vector<api::LockComponent>& parts, int64_t txn = 0) {
    api::LockRequest request;
    request.component = parts;
    request.user = "u";
    request.hostname = "h";
    request.__set_agentInfo("agent-" + std::to_string(++agents_));
    if (txn != 0) request.__set_txnid(txn);
    api::LockResponse answer;
    client().lock(answer, request);
    return answer;
  }
  api::LockState::type Check(int64_t id) {
    api::CheckLockRequest request;
    request.lockid = id;
    api::LockResponse answer;
    client().check_lock(answer, request);
    return answer.state;
  }
  void Unlock(int64_t id) {
    api::UnlockRequest request;
    request.lockid = id;
    client().unlock(request);
  }
  void Beat(int64_t lock, int64_t txn = 0) {
    api::HeartbeatRequest request;
    if (lock != 0) request.__set_lockid(lock);
    if (txn != 0) request.__set_txnid(txn);
    client().heartbeat(request);
  }
  std::vector<int64_t> Open(int32_t count) {
    api::OpenTxnRequest request;
    request.num_txns = count;
    request.user = "u";
    request.hostname = "h";
    api::OpenTxnsResponse answer;
    client().open_txns(answer, request);
    return answer.txn_ids;
  }
  void Commit(int64_t id) {
    api::CommitTxnRequest request;
    request.txnid = id;
    client().commit_txn(request);
  }
  void Abort(int64_t id) {
    api::AbortTxnRequest request;
    request.txnid = id;
    client().abort_txn(request);
  }
  std::vector<api::TxnToWriteId> Allocate(const std::vector<int64_t>& txns) {
    api::AllocateTableWriteIdsRequest request;
    request.dbName = "sales";
    request.tableName = "T";
    request.__set_txnIds(txns);
    api::AllocateTableWriteIdsResponse answer;
    client().allocate_table_write_ids(answer, request);
    return answer.txnToWriteIds;
  }
  std::vector<api::ShowLocksResponseElement> Show(const std::string& db = "") {
    api::ShowLocksRequest request;
    if (!db.empty()) request.__set_dbname(db);
    api::ShowLocksResponse answer;
    client().show_locks(answer, request);
    return answer.locks;
  }
  // Time in which the metastore is there, and now and then asked for something else.
  void Pass(std::chrono::seconds time) {
    for (; time.count() > 0; time -= std::chrono::seconds(20)) {
      clock_.Advance(std::chrono::seconds(20));
      CurrentId();
    }
  }
  // What a second lock gets while the first is held.
  api::LockState::type Second(const api::LockComponent& first, const api::LockComponent& second) {
    const int64_t held = Lock({first}).lockid;
    const api::LockResponse answer = Lock({second});
    Unlock(answer.lockid);
    Unlock(held);
    return answer.state;
  }

  int agents_ = 0;
};

TEST_F(LockTest, KindsExcludeEachOtherAsInTheTable) {
  const auto kA = api::LockState::ACQUIRED;
  const auto kW = api::LockState::WAITING;
  const LockType::type kinds[] = {LockType::SHARED_READ, LockType::SHARED_WRITE,
                                  LockType::EXCL_WRITE, LockType::EXCLUSIVE};
  // Rows: wanted; columns: held.
  const api::LockState::type expected[4][4] = {
      {kA, kA, kA, kW}, {kA, kA, kW, kW}, {kA, kW, kW, kW}, {kW, kW, kW, kW}};
  for (int wanted = 0; wanted < 4; ++wanted) {
    for (int held = 0; held < 4; ++held) {
      EXPECT_EQ(Second(Part(kinds[held], "d", "t"), Part(kinds[wanted], "d", "t")),
                expected[wanted][held])
          << "wanted " << wanted << ", held " << held;
    }
  }
}

TEST_F(LockTest, OnlyWhatOverlapsIsExcluded) {
  const auto kX = LockType::EXCLUSIVE;
  EXPECT_EQ(Second(Part(kX, "d", "t"), Part(kX, "d", "u")), api::LockState::ACQUIRED);
  EXPECT_EQ(Second(Part(kX, "d", "t"), Part(kX, "e", "t")), api::LockState::ACQUIRED);
  EXPECT_EQ(Second(Part(kX, "d", "t"), Part(kX, "D", "T")), api::LockState::WAITING);
  EXPECT_EQ(Second(Part(kX, "d", "t", "p=1"), Part(kX, "d", "t", "p=2")), api::LockState::ACQUIRED);
  EXPECT_EQ(Second(Part(kX, "d", "t", "p=1"), Part(kX, "d", "t")), api::LockState::WAITING);
  EXPECT_EQ(Second(Part(kX, "d"), Part(LockType::SHARED_READ, "d", "t")), api::LockState::WAITING);
  // Reading the entry of a database and dropping a table in it do not exclude each other.
  EXPECT_EQ(Second(Part(LockType::SHARED_READ, "d"), Part(kX, "d", "t")), api::LockState::ACQUIRED);
  EXPECT_EQ(Second(Part(kX, "d", "t"), Part(LockType::SHARED_READ, "d")), api::LockState::ACQUIRED);
}

TEST_F(LockTest, LocksAreGrantedInOrderAndAsAWhole) {
  const int64_t first = Lock({Part(LockType::SHARED_READ, "d", "t")}).lockid;
  const api::LockResponse writer =
      Lock({Part(LockType::EXCLUSIVE, "d", "t"), Part(LockType::EXCLUSIVE, "d", "u")});
  EXPECT_EQ(writer.state, api::LockState::WAITING);
  // A later reader does not overtake, and the part that is free is not granted alone.
  const api::LockResponse reader = Lock({Part(LockType::SHARED_READ, "d", "u")});
  EXPECT_EQ(reader.state, api::LockState::WAITING);
  Unlock(first);
  EXPECT_EQ(Check(reader.lockid), api::LockState::WAITING);
  EXPECT_EQ(Check(writer.lockid), api::LockState::ACQUIRED);
  Unlock(writer.lockid);
  EXPECT_EQ(Check(reader.lockid), api::LockState::ACQUIRED);
}

TEST_F(LockTest, LocksSurviveARestart) {
  const int64_t held = Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid;
  Reopen();
  const api::LockResponse other = Lock({Part(LockType::EXCLUSIVE, "d", "t")});
  EXPECT_EQ(other.state, api::LockState::WAITING);
  EXPECT_GT(other.lockid, held);
  Beat(held);
}

TEST_F(LockTest, LocksWithoutHeartbeatAreOver) {
  const int64_t quiet = Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid;
  const int64_t lively = Lock({Part(LockType::EXCLUSIVE, "d", "u")}).lockid;
  Pass(std::chrono::minutes(4));
  Beat(lively);
  EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "d", "t")}).state, api::LockState::WAITING);
  Pass(std::chrono::minutes(2));
  EXPECT_EQ(Check(lively), api::LockState::ACQUIRED);
  EXPECT_THAT([&] { Beat(quiet); }, ThrowsHive<api::NoSuchLockException>("No such lock: lockid:1"));
  EXPECT_THAT([&] { Check(quiet); }, ThrowsHive<api::NoSuchLockException>("No such lock lockid:1"));
  EXPECT_EQ(Show().size(), 2U);
}

// Nobody could hear a heartbeat while the process stood still or was not there: clients that live
// must not lose what they hold to the first who asks (iceberg#5036, iceberg#6648, iceberg#7931).
TEST_F(LockTest, WhoeverLivesMaySpeakFirstAfterAnAbsence) {
  for (const char* absence : {"stopped", "restarted"}) {
    const int64_t lively = Lock({Part(LockType::EXCLUSIVE, "d", absence)}).lockid;
    const int64_t dead = Lock({Part(LockType::EXCLUSIVE, "e", absence)}).lockid;
    const int64_t txn = Open(1).front();
    clock_.Advance(std::chrono::hours(1));
    if (absence == std::string("restarted")) Reopen();
    EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "d", absence)}).state, api::LockState::WAITING);
    EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "e", absence)}).state, api::LockState::WAITING);
    Beat(lively);
    Beat(0, txn);
    Pass(std::chrono::minutes(4));
    Beat(lively);
    Beat(0, txn);
    Pass(std::chrono::minutes(2));
    // And whoever is dead is found out all the same.
    EXPECT_EQ(Check(lively), api::LockState::ACQUIRED);
    EXPECT_THAT([&] { Check(dead); }, ThrowsHive<api::NoSuchLockException>("No such lock"));
    Beat(0, txn);
  }
}

TEST_F(LockTest, AClockThatIsSetEndsNothingAndKeepsNothingForEver) {
  for (const auto jump : {std::chrono::hours(25), std::chrono::hours(-25)}) {
    const std::string table = std::to_string(jump.count());
    const int64_t lively = Lock({Part(LockType::EXCLUSIVE, "d", table)}).lockid;
    const int64_t dead = Lock({Part(LockType::EXCLUSIVE, "e", table)}).lockid;
    clock_.SetWall(jump);
    EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "d", table)}).state, api::LockState::WAITING);
    Beat(lively);
    Pass(std::chrono::minutes(4));
    Beat(lively);
    Pass(std::chrono::minutes(2));
    EXPECT_EQ(Check(lively), api::LockState::ACQUIRED);
    EXPECT_THAT([&] { Check(dead); }, ThrowsHive<api::NoSuchLockException>("No such lock"));
  }
}

// An id that is given again would be unlocked by who had it before (iceberg#11784).
TEST_F(LockTest, IdsAreNeverGivenAgain) {
  int64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    const int64_t held = Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid;
    EXPECT_GT(held, last);
    last = held;
    Unlock(held);
    Reopen();
  }
}

// A client that waits and dies holds nobody up for longer than one that holds (Paimon#6783).
TEST_F(LockTest, WaitersThatAreGoneAreForgotten) {
  const int64_t held = Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid;
  const int64_t gone = Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid;
  Pass(std::chrono::minutes(3));
  Beat(held);
  const int64_t patient = Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid;
  Pass(std::chrono::minutes(1));
  Unlock(held);
  EXPECT_EQ(Check(patient), api::LockState::WAITING);
  Pass(std::chrono::minutes(2));
  EXPECT_EQ(Check(patient), api::LockState::ACQUIRED);
  EXPECT_THAT([&] { Check(gone); }, ThrowsHive<api::NoSuchLockException>("No such lock"));
}

// Who asks often does not overtake who asked first (iceberg#1873, PyIceberg#405).
TEST_F(LockTest, WaitersAreServedInTheOrderInWhichTheyCame) {
  std::vector<int64_t> waiting;
  for (int i = 0; i < 50; ++i) {
    waiting.push_back(Lock({Part(LockType::EXCLUSIVE, "d", "t")}).lockid);
  }
  for (size_t next = 0; next < waiting.size(); ++next) {
    for (size_t i = waiting.size(); i-- > next;) {
      EXPECT_EQ(Check(waiting[i]), i == next ? api::LockState::ACQUIRED : api::LockState::WAITING);
    }
    Unlock(waiting[next]);
  }
}

TEST_F(LockTest, UnlockTellsOnlyOfOpenTransactions) {
  Unlock(99);
  const int64_t txn = Open(1).front();
  const api::LockResponse held = Lock({Part(LockType::EXCLUSIVE, "d", "t")}, txn);
  EXPECT_THAT([&] { Unlock(held.lockid); }, ThrowsHive<api::TxnOpenException>("not permitted"));
  const int64_t other = Open(1).front();
  const api::LockResponse waiting = Lock({Part(LockType::EXCLUSIVE, "d", "t")}, other);
  EXPECT_EQ(waiting.state, api::LockState::WAITING);
  Unlock(waiting.lockid);
  // Parts of one transaction do not exclude each other.
  EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "d", "t")}, txn).state, api::LockState::ACQUIRED);
  Commit(txn);
  EXPECT_THAT(Show(), IsEmpty());
}

TEST_F(LockTest, ShowsWhoHoldsAndWhoWaits) {
  const int64_t held = Lock({Part(LockType::EXCLUSIVE, "D", "T", "p=A")}).lockid;
  const int64_t waiting = Lock({Part(LockType::SHARED_WRITE, "d")}).lockid;
  Lock({Part(LockType::EXCLUSIVE, "other", "t")});
  const auto shown = Show("d");
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].lockid, held);
  EXPECT_EQ(shown[0].tablename, "t");
  EXPECT_EQ(shown[0].partname, "p=A");
  EXPECT_EQ(shown[0].state, api::LockState::ACQUIRED);
  EXPECT_EQ(shown[0].agentInfo, "agent-1");
  EXPECT_TRUE(shown[0].__isset.acquiredat);
  EXPECT_EQ(shown[1].lockid, waiting);
  EXPECT_EQ(shown[1].state, api::LockState::WAITING);
  EXPECT_EQ(shown[1].blockedByExtId, held);
  EXPECT_EQ(Show().size(), 3U);
}

TEST_F(LockTest, AReaderMayRefuseToWait) {
  Lock({Part(LockType::EXCLUSIVE, "d", "t")});
  api::LockRequest request;
  request.component = {Part(LockType::SHARED_READ, "d", "t")};
  request.__set_zeroWaitReadEnabled(true);
  api::LockResponse answer;
  client().lock(answer, request);
  EXPECT_EQ(answer.state, api::LockState::NOT_ACQUIRED);
  EXPECT_THAT(answer.errorMessage, HasSubstr("existing exclusive lock"));
  EXPECT_EQ(Show().size(), 1U);
}

TEST_F(LockTest, TransactionsEndOnce) {
  const int64_t before = CurrentId();
  const std::vector<int64_t> txns = Open(3);
  EXPECT_THAT(txns, ElementsAre(1, 2, 3));
  Commit(1);
  Commit(1);
  Abort(2);
  Abort(2);
  EXPECT_THAT([&] { Abort(1); },
              ThrowsHive<api::NoSuchTxnException>("Transaction txnid:1 is already committed."));
  EXPECT_THAT([&] { Commit(2); },
              ThrowsHive<api::TxnAbortedException>("Transaction txnid:2 already aborted"));
  EXPECT_THAT([&] { Commit(99); },
              ThrowsHive<api::NoSuchTxnException>("No such transaction txnid:99"));
  EXPECT_THAT([&] { Abort(99); },
              ThrowsHive<api::NoSuchTxnException>("No such transaction txnid:99"));
  EXPECT_THAT([&] { Lock({Part(LockType::EXCLUSIVE, "d", "t")}, 2); },
              ThrowsHive<api::TxnAbortedException>("txnid:2 already aborted"));
  EXPECT_THAT([&] { Lock({Part(LockType::EXCLUSIVE, "d", "t")}, 77); },
              ThrowsHive<api::NoSuchTxnException>("No such transaction txnid:77"));
  const Events events = EventsAfter(before);
  EXPECT_THAT(TypesOf(events), ElementsAre("OPEN_TXN", "COMMIT_TXN", "ABORT_TXN"));
  EXPECT_FALSE(events[0].__isset.dbName);
  EXPECT_FALSE(events[0].__isset.catName);
  EXPECT_EQ(Message(events[0])["fromTxnId"], 1);
  EXPECT_EQ(Message(events[0])["toTxnId"], 3);
  EXPECT_EQ(Message(events[1])["txnid"], 1);
}

TEST_F(LockTest, ListsOpenAndAbortedTransactions) {
  Open(3);
  Commit(1);
  Abort(2);
  api::GetOpenTxnsResponse open;
  client().get_open_txns(open);
  EXPECT_EQ(open.txn_high_water_mark, 3);
  EXPECT_THAT(open.open_txns, ElementsAre(2, 3));
  EXPECT_EQ(open.min_open_txn, 3);
  EXPECT_EQ(open.abortedBits, std::string(1, '\x01'));
  api::GetOpenTxnsInfoResponse infos;
  client().get_open_txns_info(infos);
  ASSERT_EQ(infos.open_txns.size(), 2U);
  EXPECT_EQ(infos.open_txns[0].state, api::TxnState::ABORTED);
  EXPECT_EQ(infos.open_txns[1].state, api::TxnState::OPEN);
  api::HeartbeatTxnRangeRequest range;
  range.min = 1;
  range.max = 4;
  api::HeartbeatTxnRangeResponse beaten;
  client().heartbeat_txn_range(beaten, range);
  EXPECT_THAT(beaten.aborted, ElementsAre(2));
  EXPECT_THAT(beaten.nosuch, ElementsAre(1, 4));
}

TEST_F(LockTest, ATransactionWithoutHeartbeatIsAborted) {
  const int64_t txn = Open(1).front();
  Lock({Part(LockType::EXCLUSIVE, "d", "t")}, txn);
  Pass(std::chrono::minutes(4));
  Beat(0, txn);
  Pass(std::chrono::minutes(4));
  EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "d", "t")}).state, api::LockState::WAITING);
  const int64_t before = CurrentId();
  Pass(std::chrono::minutes(6));
  EXPECT_EQ(Lock({Part(LockType::EXCLUSIVE, "d", "t")}).state, api::LockState::ACQUIRED);
  EXPECT_THAT(TypesOf(EventsAfter(before)), ElementsAre("ABORT_TXN"));
  EXPECT_THAT([&] { Beat(0, txn); }, ThrowsHive<api::TxnAbortedException>("already aborted"));
}

TEST_F(LockTest, ReadOnlyTransactionsWriteNoEvents) {
  const int64_t before = CurrentId();
  api::OpenTxnRequest request;
  request.num_txns = 1;
  request.__set_txn_type(api::TxnType::READ_ONLY);
  api::OpenTxnsResponse answer;
  client().open_txns(answer, request);
  Commit(answer.txn_ids.front());
  EXPECT_EQ(CurrentId(), before);
}

TEST_F(LockTest, WriteIdsAreDenseForEachTable) {
  Open(3);
  const auto first = Allocate({1, 2});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].writeId, 1);
  EXPECT_EQ(first[1].writeId, 2);
  const int64_t before = CurrentId();
  const auto again = Allocate({2, 3});
  EXPECT_EQ(again[0].writeId, 2);
  EXPECT_EQ(again[1].writeId, 3);
  const Events events = EventsAfter(before);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].eventType, "ALLOC_WRITE_ID_EVENT");
  EXPECT_EQ(events[0].tableName, "t");
  EXPECT_EQ(Message(events[0])["txnIdList"].dump(), "[3]");
  EXPECT_EQ(Message(events[0])["writeIdList"].dump(), "[3]");
  EXPECT_THAT([&] { Allocate({55}); }, ThrowsHive<api::NoSuchTxnException>("txnid:55"));

  api::MaxAllocatedTableWriteIdRequest request;
  request.dbName = "sales";
  request.tableName = "t";
  api::MaxAllocatedTableWriteIdResponse most;
  client().get_max_allocated_table_write_id(most, request);
  EXPECT_EQ(most.maxWriteId, 3);
}

// Ids may be given for a table that is not there: those of the name a table gets are not its own.
TEST_F(LockTest, WriteIdsFollowARenamedTable) {
  client().create_database(MakeDatabase("sales"));
  client().create_table(MakeTable("sales", "old"));
  Open(3);
  const auto allocate = [this](const std::string& table, const std::vector<int64_t>& txns) {
    api::AllocateTableWriteIdsRequest request;
    request.dbName = "sales";
    request.tableName = table;
    request.__set_txnIds(txns);
    api::AllocateTableWriteIdsResponse answer;
    client().allocate_table_write_ids(answer, request);
    return answer.txnToWriteIds.back().writeId;
  };
  EXPECT_EQ(allocate("old", {1, 2}), 2);
  EXPECT_EQ(allocate("t", {1, 2, 3}), 3);
  api::Table next = ReadTable("sales", "old");
  next.__set_tableName("t");
  client().alter_table("sales", "old", next);
  EXPECT_EQ(allocate("t", {2}), 2);
  EXPECT_EQ(allocate("t", {3}), 3);
  EXPECT_EQ(allocate("old", {3}), 1);
}

TEST_F(LockTest, ValidWriteIdsFollowTheListOfTransactions) {
  Open(3);
  Allocate({1, 2, 3});
  Abort(2);
  const auto valid = [&](const std::string& list) {
    api::GetValidWriteIdsRequest request;
    request.fullTableNames = {"sales.t"};
    if (!list.empty()) request.__set_validTxnList(list);
    api::GetValidWriteIdsResponse answer;
    client().get_valid_write_ids(answer, request);
    return answer.tblValidWriteIds.front();
  };
  const api::TableValidWriteIds two = valid("2:1:1:2");
  EXPECT_EQ(two.writeIdHighWaterMark, 2);
  EXPECT_THAT(two.invalidWriteIds, ElementsAre(1, 2));
  EXPECT_EQ(two.minOpenWriteId, 1);
  EXPECT_EQ(two.abortedBits, std::string(1, '\x02'));
  const api::TableValidWriteIds now = valid("");
  EXPECT_EQ(now.writeIdHighWaterMark, 3);
  EXPECT_THAT(now.invalidWriteIds, ElementsAre(1, 2, 3));
  EXPECT_THAT([&] { valid("x:y"); }, ThrowsHive<api::MetaException>("'x' is not a number"));
}

TEST_F(LockTest, SenselessRequestsAreRefused) {
  EXPECT_THROW(Lock({}), apache::thrift::TApplicationException);
  EXPECT_THROW(Open(0), apache::thrift::TApplicationException);
  api::HeartbeatTxnRangeRequest range;
  range.min = 1;
  range.max = int64_t{1} << 40U;
  api::HeartbeatTxnRangeResponse answer;
  EXPECT_THROW(client().heartbeat_txn_range(answer, range), apache::thrift::TApplicationException);
}

}  // namespace
}  // namespace catalogd::hms
