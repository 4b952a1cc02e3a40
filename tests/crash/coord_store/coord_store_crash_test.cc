// What could go wrong: a process that dies while it writes loses a batch whose caller was told, or
// leaves half of one.
// How: a child writes from eight threads and is killed after a random time or inside a commit,
// again and again on the same file; each time the parent looks at what is there.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <thread>

#include "catalog/base/clock.h"
#include "catalog/base/random.h"
#include "catalog/coord/store/store_writer.h"
#include "catalog/sqlite/sqlite_db.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wait_for.h"
#include "tests/unit/coord_store/store_records.h"

namespace catalogd::coord {
namespace {

using testing::At;
using testing::Table;
using testing::Txn;

constexpr int kRounds = 30;
constexpr int64_t kTables = 8;
constexpr int64_t kKept = 5;  // Transactions that are not forgotten yet.

std::string TableId(int64_t table) { return "t" + std::to_string(table); }
int64_t TxnId(int64_t table, int64_t version) { return table * 1'000'000 + version; }

TableRecord TableAt(int64_t table, int64_t version) {
  TableRecord record = Table(TableId(table), TableId(table));
  record.row.id_version = IdVersion(version);
  return record;
}

TxnRecord TxnAt(int64_t table, int64_t version) {
  TxnRecord txn = Txn(TxnId(table, version));
  txn.table_id = TableId(table);
  txn.row.requested = At(2 * version);
  txn.row.completed = At(2 * version + 1);
  txn.row.id_version = IdVersion(version);
  return txn;
}

FileRecord FileAt(int64_t table, int64_t version) {
  FileRecord file = testing::File("f" + std::to_string(version), TxnId(table, version));
  file.table_id = TableId(table);
  return file;
}

// One commit: each version replaces the only file of the one before.
StoreBatch Commit(int64_t table, int64_t version) {
  StoreBatch batch = {TableAt(table, version), TxnAt(table, version), FileAt(table, version)};
  if (version > 1) {
    const FileRecord last = FileAt(table, version - 1);
    batch.push_back(
        RemoveFile{last.table_id, last.group.partition, last.name, TxnId(table, version)});
  }
  if (version > kKept) batch.push_back(ForgetTxn{TxnId(table, version - kKept)});
  return batch;
}

struct Told {
  int64_t table = 0;
  int64_t version = 0;
};

// Writes on from what is there. Never returns.
[[noreturn]] void RunChild(const std::string& path, int64_t kill_at, int told) {
  int64_t places = 0;
  CoordStoreOptions options;
  options.fault = [&](std::string_view) -> Status {
    if (++places == kill_at) kill(getpid(), SIGKILL);
    return Ok();
  };
  auto store = OpenSqliteCoordStore(path, options);
  if (!store) _exit(1);
  auto content = (*store)->Load();
  if (!content) _exit(2);
  std::map<std::string, int64_t> versions;
  for (const TableRecord& table : content->tables) {
    versions[table.row.table_id] = table.row.id_version.value();
  }
  StoreWriter writer(std::move(*store));
  std::vector<std::thread> threads;
  for (int64_t table = 0; table < kTables; ++table) {
    const int64_t last = versions[TableId(table)];
    threads.emplace_back([table, last, told, &writer] {
      for (int64_t version = last + 1;; ++version) {
        if (!writer.WriteNow(TableId(table), Commit(table, version))) _exit(3);
        const Told done{table, version};
        if (write(told, &done, sizeof(done)) < 0) _exit(4);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(5);
}

class CoordStoreCrashTest : public ::testing::Test {
 protected:
  // Either after `time` or, when that is zero, at the place `kill_at` inside the store.
  void RunAndKill(std::chrono::microseconds time, int64_t kill_at) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) RunChild(path_, kill_at, ends[1]);
    close(ends[1]);
    if (time.count() > 0) {
      catalogd::testing::WaitFor(time);
      kill(child, SIGKILL);
    }
    Told told;
    while (read(ends[0], &told, sizeof(told)) == sizeof(told)) told_[told.table] = told.version;
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself, " << WEXITSTATUS(status);
  }

  void CheckFile() {
    auto db = SqliteDb::Open(path_, {});
    ASSERT_TRUE(db) << db.error().message;
    std::string verdict;
    ASSERT_TRUE((*db)->Query("PRAGMA integrity_check", {},
                             [&](const SqlRow& row) { verdict += row.Bytes(0); }));
    EXPECT_EQ(verdict, "ok");
    EXPECT_TRUE((*db)->Query("PRAGMA foreign_key_check", {}, [](const SqlRow& row) {
      ADD_FAILURE() << "a reference to nothing in table " << row.Bytes(0);
    }));
  }

  // The versions of all tables together.
  int64_t CheckRows() {
    auto store = OpenSqliteCoordStore(path_, {});
    EXPECT_TRUE(store) << store.error().message;
    if (!store) return 0;
    int64_t all = 0;
    for (int64_t table = 0; table < kTables; ++table) {
      const auto content = (*store)->LoadTable(TableId(table));
      EXPECT_TRUE(content) << content.error().message;
      if (content) all += CheckTable(table, *content);
    }
    return all;
  }

  int64_t CheckTable(int64_t table, const StoreContent& content) {
    SCOPED_TRACE(TableId(table));
    if (content.tables.empty()) {
      EXPECT_EQ(told_[table], 0) << "lost";
      EXPECT_TRUE(content.txns.empty() && content.files.empty() && content.history.empty());
      return 0;
    }
    const int64_t version = content.tables[0].row.id_version.value();
    EXPECT_GE(version, told_[table]) << "lost";
    EXPECT_LE(version, told_[table] + 1) << "one is on its way at most";
    EXPECT_EQ(content.tables[0], TableAt(table, version));
    const int64_t forgotten = std::max<int64_t>(0, version - kKept);
    std::vector<TxnRecord> txns;
    for (int64_t v = forgotten + 1; v <= version; ++v) {
      txns.push_back(TxnAt(table, v));
    }
    EXPECT_EQ(content.txns, txns);
    EXPECT_EQ(std::ssize(content.history), forgotten);
    // Live is the last one; the others were removed by the version after theirs.
    EXPECT_EQ(std::ssize(content.files), version - std::max<int64_t>(0, forgotten - 1));
    for (const FileRecord& file : content.files) {
      const int64_t added = file.added_by - TxnId(table, 0);
      FileRecord expected = FileAt(table, added);
      if (added < version) expected.removed_by = TxnId(table, added + 1);
      EXPECT_EQ(file, expected) << added;
    }
    // What is there counts as told in the next round.
    told_[table] = version;
    return version;
  }

  const catalogd::testing::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "coord.db";
  std::map<int64_t, int64_t> told_;
};

TEST_F(CoordStoreCrashTest, WhatWasToldIsThereAndNothingIsHalf) {
  const auto seed = static_cast<uint64_t>(SystemClock().WallNow().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int64_t last = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    if (round % 2 == 0) {
      RunAndKill(std::chrono::microseconds(5000 + random.Below(60000)), 0);
    } else {
      RunAndKill(std::chrono::microseconds(0), 1 + static_cast<int64_t>(random.Below(60)));
    }
    if (HasFatalFailure()) return;
    CheckFile();
    const int64_t all = CheckRows();
    EXPECT_GE(all, last);
    last = all;
  }
  // Otherwise nothing was tested.
  EXPECT_GT(last, kRounds * kTables);
}

}  // namespace
}  // namespace catalogd::coord
