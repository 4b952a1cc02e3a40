#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catalog/base/random.h"
#include "catalog/cache/name_locks.h"

namespace catalogd::cache {
namespace {

constexpr int kThreads = 4;
constexpr int kRequests = 2000;
constexpr int kDatabases = 2;
constexpr int kTables = 3;

// What the locks protect: plain numbers that only an exclusive holder may write. Each table also
// reads its database's number, as whoever holds a database shared may.
struct Protected {
  int64_t databases[kDatabases] = {};
  int64_t tables[kDatabases][kTables] = {};
};

ObjectName Db(size_t db) { return ObjectName::Database("hive", "d" + std::to_string(db)); }
ObjectName Table(size_t db, size_t table) {
  return ObjectName::Table("hive", "d" + std::to_string(db), "t" + std::to_string(table));
}

struct Work {
  size_t db = 0;
  size_t table = 0;
  size_t other = 0;  // A second table: two locks in one request, in any order.
  bool whole_database = false;
};

class Stress {
 public:
  void Run() {
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { Requester(i); });
    for (std::thread& thread : threads) thread.join();
    {
      const MutexLock lock(mutex_);
      while (answered_ < kThreads * kRequests) done_.Wait(mutex_);
    }
    EXPECT_EQ(locks_.waiting(), 0U);
    EXPECT_TRUE(locks_.Snapshot().empty());
    int64_t sum = 0;
    for (size_t db = 0; db < kDatabases; ++db) {
      sum += data_.databases[db];
      for (size_t table = 0; table < kTables; ++table) sum += data_.tables[db][table];
    }
    const MutexLock lock(mutex_);
    EXPECT_EQ(sum, writes_) << "a write was lost: two held one name";
    EXPECT_EQ(answered_, kThreads * kRequests);
    EXPECT_GT(granted_, timed_out_);
  }

 private:
  void Requester(int thread) {
    Random random(static_cast<uint64_t>(thread));
    for (int i = 0; i < kRequests; ++i) {
      Work work;
      work.db = random.Below(kDatabases);
      work.table = random.Below(kTables);
      work.other = random.Below(kTables);
      work.whole_database = random.OneIn(10);
      NameLocks::Request request;
      request.owner = "thread " + std::to_string(thread);
      if (work.whole_database) {
        request.exclusive = {Db(work.db)};
      } else {
        request.exclusive = {Table(work.db, work.table), Table(work.db, work.other)};
      }
      if (random.OneIn(8)) request.deadline = SystemClock().Now() + std::chrono::microseconds(50);
      std::optional<NameGuard> guard =
          locks_.Acquire(std::move(request), [this, work](Result<NameGuard> result) {
            if (result) {
              Use(work, std::move(*result));
            } else {
              Count(0, false);
            }
          });
      if (guard) Use(work, std::move(*guard));
    }
  }

  void Use(const Work& work, NameGuard guard) {
    int64_t writes = 1;
    if (work.whole_database) {
      EXPECT_TRUE(guard.Covers(Db(work.db)));
      ++data_.databases[work.db];
    } else {
      EXPECT_TRUE(guard.Covers(Table(work.db, work.other)));
      const int64_t before = data_.databases[work.db];
      ++data_.tables[work.db][work.table];
      if (work.other != work.table) {
        ++data_.tables[work.db][work.other];
        ++writes;
      }
      EXPECT_EQ(data_.databases[work.db], before);
    }
    guard.Release();
    Count(writes, true);
  }

  void Count(int64_t writes, bool granted) {
    const MutexLock lock(mutex_);
    writes_ += writes;
    ++(granted ? granted_ : timed_out_);
    ++answered_;
    done_.NotifyAll();
  }

  Protected data_;
  Mutex mutex_{LockRank::kLeaf};
  CondVar done_;
  int answered_ GUARDED_BY(mutex_) = 0;
  int granted_ GUARDED_BY(mutex_) = 0;
  int timed_out_ GUARDED_BY(mutex_) = 0;
  int64_t writes_ GUARDED_BY(mutex_) = 0;
  ThreadTimer timer_{SystemClock()};
  ThreadPoolExecutor executor_{{"locks", 2, 1024}};
  NameLocks locks_{&executor_, &timer_, &SystemClock()};
};

// Real threads, several names per request in any order, deadlines that race with grants: no lost
// write, no deadlock, everybody is answered exactly once. Data races show under the thread
// sanitizer.
TEST(NameLocksThreadsTest, KeepsHoldersApartAndAnswersEverybody) {
  Stress stress;
  stress.Run();
}

}  // namespace
}  // namespace catalogd::cache
