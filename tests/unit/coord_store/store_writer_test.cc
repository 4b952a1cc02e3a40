// A batch that is told durable and is not; one that is written although the change it builds on is
// not there; a caller who is never told.
#include "catalog/coord/store/store_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "tests/unit/coord_store/store_records.h"

namespace catalogd::coord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Plan;
using ::testing::SizeIs;
using testing::Table;

// Takes note of what is written; the first commit waits until it is let go.
class FakeStore final : public CoordStore {
 public:
  struct Log {
    Mutex mutex{LockRank::kLeaf};
    CondVar change;
    bool waiting GUARDED_BY(mutex) = false;
    bool open GUARDED_BY(mutex) = true;
    std::vector<std::vector<std::string>> commits GUARDED_BY(mutex);
    // Of each commit in turn: the answer for all of it. Ok when there is none left.
    std::deque<Status> answers GUARDED_BY(mutex);
    std::string refuse GUARDED_BY(mutex);  // The batch with this nonce.

    void Close() {
      const MutexLock lock(mutex);
      open = false;
    }
    void Open() {
      const MutexLock lock(mutex);
      open = true;
      change.NotifyAll();
    }
    void WaitUntilWriting() {
      const MutexLock lock(mutex);
      while (!waiting) change.Wait(mutex);
    }
    std::vector<std::vector<std::string>> Commits() {
      const MutexLock lock(mutex);
      return commits;
    }
  };
  explicit FakeStore(Log* log) : log_(*log) {}

  Result<StoreContent> Load() override { return StoreContent(); }
  Result<StoreContent> LoadTable(const std::string& table_id) override {
    const MutexLock lock(log_.mutex);
    log_.commits.push_back({"load " + table_id});
    StoreContent content;
    content.tables = {Table(table_id)};
    return content;
  }
  Result<std::vector<AuditRecord>> ReadAudit(const std::string& table_id,
                                             int64_t at_most) override {
    return std::vector<AuditRecord>(static_cast<size_t>(at_most), {"who", "what", table_id, 1, ""});
  }
  std::vector<Status> Write(std::span<const TableBatch> batches) override {
    const MutexLock lock(log_.mutex);
    log_.waiting = true;
    log_.change.NotifyAll();
    while (!log_.open) log_.change.Wait(log_.mutex);
    log_.waiting = false;
    std::vector<std::string> names;
    std::vector<Status> results;
    for (const TableBatch& batch : batches) {
      names.push_back(std::get<TableRecord>(batch.changes[0]).nonce);
      results.push_back(Ok());
      if (names.back() == log_.refuse) {
        results.back() = MakeError(ErrorCode::kConflict, "refused");
      }
    }
    log_.commits.push_back(names);
    if (log_.answers.empty()) return results;
    const Status all = log_.answers.front();
    log_.answers.pop_front();
    if (all) return results;
    return std::vector<Status>(batches.size(), all);
  }

 private:
  Log& log_;
};

StoreBatch Named(const std::string& table_id, const std::string& nonce) {
  TableRecord table = Table(table_id);
  table.nonce = nonce;
  return {table};
}

class StoreWriterTest : public ::testing::Test {
 protected:
  void Start(size_t max_group = 64) {
    writer_ = std::make_unique<StoreWriter>(std::make_unique<FakeStore>(&log_),
                                            StoreWriter::Options{max_group});
  }
  // `name` is a table and a number: "a1".
  void Write(const std::string& name) {
    const std::string table = name.substr(0, 1);
    writer_->Write(table, Named(table, name), [this, name](const Status& status) {
      const MutexLock lock(mutex_);
      told_.push_back(name + (status ? "" : " " + std::string(ErrorCodeName(status.error().code))));
      if (!status) errors_[name] = status.error().message;
    });
  }
  // With the first one held in its commit, so that the others wait together.
  void WriteTogether(const std::string& first, const std::vector<std::string>& others) {
    log_.Close();
    Write(first);
    log_.WaitUntilWriting();
    for (const std::string& name : others) Write(name);
    log_.Open();
  }
  std::vector<std::string> Told() {
    writer_->Stop();
    const MutexLock lock(mutex_);
    return told_;
  }

  FakeStore::Log log_;
  Mutex mutex_{LockRank::kLeaf};
  std::vector<std::string> told_;
  std::map<std::string, std::string> errors_;
  std::unique_ptr<StoreWriter> writer_;
};

TEST_F(StoreWriterTest, WhatComesWhileACommitRunsGoesIntoTheNextOne) {
  Start();
  WriteTogether("a1", {"b1", "a2", "c1"});
  EXPECT_THAT(Told(), ElementsAre("a1", "b1", "a2", "c1"));
  EXPECT_THAT(log_.Commits(), ElementsAre(ElementsAre("a1"), ElementsAre("b1", "a2", "c1")));
}

TEST_F(StoreWriterTest, AGroupHasALimit) {
  Start(2);
  WriteTogether("a1", {"a2", "a3", "a4"});
  EXPECT_THAT(Told(), ElementsAre("a1", "a2", "a3", "a4"));
  EXPECT_THAT(log_.Commits(),
              ElementsAre(ElementsAre("a1"), ElementsAre("a2", "a3"), ElementsAre("a4")));
}

// Of no batches at all nobody would ever be told.
TEST_F(StoreWriterTest, AGroupHasAtLeastOneBatch) {
  Start(0);
  EXPECT_TRUE(writer_->WriteNow("a", Named("a", "a1")));
  EXPECT_TRUE(writer_->Reload("a"));
  EXPECT_THAT(log_.Commits(), ElementsAre(ElementsAre("a1"), ElementsAre("load a")));
}

TEST_F(StoreWriterTest, AfterAFailureNothingOfItsTableIsWrittenUntilItIsResumed) {
  Start(1);
  {
    const MutexLock lock(log_.mutex);
    log_.refuse = "a1";
  }
  WriteTogether("a1", {"a2", "b1", "a3"});
  ASSERT_TRUE(writer_->WriteNow("b", Named("b", "b2")));
  const Status stopped = writer_->WriteNow("a", Named("a", "a4"));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kConflict);
  writer_->Resume("a");
  ASSERT_TRUE(writer_->WriteNow("a", Named("a", "a5")));
  EXPECT_THAT(Told(), ElementsAre("a1 conflict", "a2 conflict", "b1", "a3 conflict"));
  EXPECT_EQ(errors_["a1"], "refused");
  EXPECT_THAT(errors_["a2"], HasSubstr("an earlier change of this table was not stored"));
  EXPECT_THAT(log_.Commits(), ElementsAre(ElementsAre("a1"), ElementsAre("b1"), ElementsAre("b2"),
                                          ElementsAre("a5")));
}

// The owner resumes while batches from before the failure are still queued.
TEST_F(StoreWriterTest, WhatWasQueuedBeforeAResumeIsNotWritten) {
  Start(1);
  {
    const MutexLock lock(log_.mutex);
    log_.refuse = "a1";
  }
  log_.Close();
  writer_->Write("a", Named("a", "a1"), [this](const Status& status) {
    EXPECT_FALSE(status);
    writer_->Resume("a");
    Write("a4");
  });
  log_.WaitUntilWriting();
  for (const char* name : {"a2", "a3"}) Write(name);
  log_.Open();
  // The first one may come before a4, which is queued by the time it is answered.
  EXPECT_TRUE(writer_->Reload("b"));
  EXPECT_TRUE(writer_->Reload("b"));
  EXPECT_THAT(Told(), ElementsAre("a2 conflict", "a3 conflict", "a4"));
  std::vector<std::string> written;
  for (const auto& commit : log_.Commits()) {
    if (commit[0] != "load b") written.insert(written.end(), commit.begin(), commit.end());
  }
  EXPECT_THAT(written, ElementsAre("a1", "a4"));
}

TEST_F(StoreWriterTest, AResumeOfATableThatDidNotFailChangesNothing) {
  Start();
  log_.Close();
  Write("a1");
  log_.WaitUntilWriting();
  Write("a2");
  writer_->Resume("a");
  log_.Open();
  EXPECT_THAT(Told(), ElementsAre("a1", "a2"));
}

TEST_F(StoreWriterTest, AFailedCommitStopsAllTablesOfIt) {
  Start();
  {
    const MutexLock lock(log_.mutex);
    log_.answers = {Ok(), MakeError(ErrorCode::kResourceExhausted, "full")};
  }
  WriteTogether("c1", {"a1", "b1", "a2"});
  ASSERT_TRUE(writer_->Reload("c")) << "waits for them";
  for (const char* table : {"a", "b"}) {
    const Status status = writer_->WriteNow(table, Named(table, "again"));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  }
  EXPECT_TRUE(writer_->WriteNow("c", Named("c", "c2")));
  writer_->Resume("b");
  EXPECT_TRUE(writer_->WriteNow("b", Named("b", "b2")));
  EXPECT_THAT(Told(), ElementsAre("c1", "a1 resource_exhausted", "b1 resource_exhausted",
                                  "a2 resource_exhausted"));
}

TEST_F(StoreWriterTest, AReloadComesAfterWhatWasHandedOverBeforeIt) {
  Start();
  log_.Close();
  Write("a1");
  log_.WaitUntilWriting();
  Write("a2");
  std::thread opener([this] { log_.Open(); });
  const auto content = writer_->Reload("a");
  opener.join();
  ASSERT_TRUE(content);
  EXPECT_THAT(content->tables, ElementsAre(Table("a")));
  EXPECT_THAT(log_.Commits(),
              ElementsAre(ElementsAre("a1"), ElementsAre("a2"), ElementsAre("load a")));
}

TEST_F(StoreWriterTest, AStoppedTableCanBeReloaded) {
  Start();
  {
    const MutexLock lock(log_.mutex);
    log_.refuse = "a1";
  }
  EXPECT_FALSE(writer_->WriteNow("a", Named("a", "a1")));
  EXPECT_TRUE(writer_->Reload("a"));
}

TEST_F(StoreWriterTest, TheAuditIsReadOnItsThread) {
  Start();
  const auto entries = writer_->ReadAudit("a", 2);
  ASSERT_TRUE(entries);
  EXPECT_THAT(*entries, SizeIs(2));
  EXPECT_EQ(entries->front().table_id, "a");
}

TEST_F(StoreWriterTest, StopWritesWhatIsQueuedAndRefusesTheRest) {
  Start();
  WriteTogether("a1", {"a2", "b1"});
  writer_->Stop();
  EXPECT_THAT(log_.Commits(), ElementsAre(ElementsAre("a1"), ElementsAre("a2", "b1")));
  const Status late = writer_->WriteNow("a", Named("a", "a3"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kCancelled);
  const auto reload = writer_->Reload("a");
  ASSERT_FALSE(reload);
  EXPECT_EQ(reload.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(log_.Commits().size(), 2U);
}

TEST_F(StoreWriterTest, TheDestructorTellsEverybody) {
  Start();
  WriteTogether("a1", {"a2", "b1"});
  writer_.reset();
  EXPECT_THAT(told_, ElementsAre("a1", "a2", "b1"));
}

// Under the caller's mutex, as the tables do it; ranks are checked by the mutexes themselves.
TEST_F(StoreWriterTest, ItIsCalledUnderTheMutexOfATable) {
  Start();
  Mutex table(LockRank::kCoord);
  {
    const MutexLock lock(table);
    Write("a1");
    writer_->Resume("a");
  }
  EXPECT_THAT(Told(), ElementsAre("a1"));
}

TEST_F(StoreWriterTest, EightThreadsAndAFileAgree) {
  const catalogd::testing::TemporaryDirectory directory;
  const std::string path = directory / "coord.db";
  auto store = OpenSqliteCoordStore(path, {.full_sync = false});
  ASSERT_TRUE(store);
  auto writer = std::make_unique<StoreWriter>(std::move(*store), StoreWriter::Options{});
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 8; ++t) {
    threads.emplace_back([t, &writer, &failed] {
      const std::string id = "t" + std::to_string(t);
      if (!writer->WriteNow(id, {Table(id, id)})) ++failed;
      for (int64_t i = 1; i <= 20; ++i) {
        PlanRecord plan = Plan(t * 100 + i, i);
        plan.table_id = id;
        if (!writer->WriteNow(id, {plan})) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.reset();
  store = OpenSqliteCoordStore(path, {});
  ASSERT_TRUE(store) << store.error().message;
  const auto content = (*store)->Load();
  ASSERT_TRUE(content);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(content->tables.size(), 8U);
  EXPECT_EQ(content->plans.size(), 160U);
}

}  // namespace
}  // namespace catalogd::coord
