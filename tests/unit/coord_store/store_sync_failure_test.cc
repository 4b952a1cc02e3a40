// A disk that refuses to sync a commit: the store goes on with what it holds in memory, and the
// next start finds something else.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "tests/unit/coord_store/store_fixture.h"
#include "tests/unit/coord_store/store_records.h"

namespace {
// So many syncs fail from now on.
std::atomic<int> failing_syncs = 0;
constexpr int kAllSyncs = 1'000'000;

int Sync(const char* name, int file) {
  if (failing_syncs > 0) {
    --failing_syncs;
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, name))(file);
}
}  // namespace

// In the place of the system's for this program and the libraries it loads.
extern "C" int fsync(int file) { return Sync("fsync", file); }
extern "C" int fdatasync(int file) { return Sync("fdatasync", file); }

namespace catalogd::coord {
namespace {

using ::testing::ElementsAre;
using testing::File;
using ::testing::HasSubstr;
using testing::SameContent;
using testing::Table;
using testing::Txn;

class StoreSyncFailureTest : public testing::StoreTest {
 protected:
  void SetUp() override {
    auto store = OpenSqliteCoordStore(path_, {});
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
    ASSERT_EQ(Put({Table(), Txn(1), File("f1", 1)}), "");
  }
  void TearDown() override { failing_syncs = 0; }

  // Writes transaction 2, with `failures` syncs that fail from its commit on.
  void WriteAndFail(int failures) {
    failing_syncs = failures;
    const std::vector<TableBatch> batches = {{"t1", {Txn(2), File("f2", 2)}}};
    const std::vector<Status> results = store_->Write(batches);
    ASSERT_FALSE(results[0]);
    EXPECT_EQ(results[0].error().code, ErrorCode::kUnknownOutcome);
    EXPECT_THAT(results[0].error().message, HasSubstr("coordination file " + path_));
  }
  // What a start would find if this process was killed now.
  StoreContent AfterAKill() {
    const std::string copy = directory_ / "copy.db";
    for (const std::string end : {"", "-wal"}) {
      std::filesystem::remove(copy + end);
      if (!std::filesystem::exists(path_ + end)) continue;
      std::filesystem::copy_file(path_ + end, copy + end);
    }
    const int failing = failing_syncs.exchange(0);
    StoreContent content;
    {
      auto store = OpenSqliteCoordStore(copy, {});
      EXPECT_TRUE(store) << store.error().message;
      if (store) content = (*store)->Load().value();
    }
    failing_syncs = failing;
    return content;
  }
};

TEST_F(StoreSyncFailureTest, WhatIsReadAfterAFailedCommitIsWhatAStartWouldFind) {
  for (int failures = 1; failures <= 5; ++failures) {
    SCOPED_TRACE(failures);
    store_.reset();
    std::filesystem::remove(path_);
    SetUp();
    WriteAndFail(failures);
    failing_syncs = 0;
    EXPECT_TRUE(SameContent(Content(), AfterAKill()));
    const auto table = store_->LoadTable("t1");
    ASSERT_TRUE(table);
    EXPECT_TRUE(SameContent(*table, AfterAKill()));
  }
}

// It may be lost with the power, although it can be read.
TEST_F(StoreSyncFailureTest, NothingIsReadWhileTheDiskDoesNotSync) {
  WriteAndFail(kAllSyncs);
  const auto content = store_->LoadTable("t1");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(content.error().message, HasSubstr("coordination file " + path_));
  EXPECT_FALSE(store_->Load());
  EXPECT_FALSE(store_->ReadAudit("", 9));
  const std::vector<Status> results = store_->Write(std::vector<TableBatch>{{"t1", {Txn(3)}}});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().code, ErrorCode::kUnavailable) << "surely not there";
  const StoreContent killed = AfterAKill();
  failing_syncs = 0;
  EXPECT_THAT(Content().txns, ElementsAre(Txn(1), Txn(2)));
  EXPECT_TRUE(SameContent(Content(), killed));
}

TEST_F(StoreSyncFailureTest, ItGoesOnWhenTheDiskIsWellAgain) {
  for (const int failures : {1, kAllSyncs}) {
    WriteAndFail(failures);
    failing_syncs = 0;
    // The owner may have found either.
    ASSERT_EQ(Put({Txn(2), Txn(3), File("f3", 3)}), "");
    EXPECT_TRUE(SameContent(Content(), AfterAKill()));
    Reopen();
    EXPECT_THAT(Content().txns, ElementsAre(Txn(1), Txn(2), Txn(3)));
    store_.reset();
    std::filesystem::remove(path_);
    SetUp();
  }
}

TEST_F(StoreSyncFailureTest, TheFileIsLockedAgainAtOnce) {
  WriteAndFail(1);
  const auto second = OpenSqliteCoordStore(path_, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("in use by another process"));
}

TEST_F(StoreSyncFailureTest, TheLimitsOfTheFileOutliveAFailure) {
  store_.reset();
  auto store = OpenSqliteCoordStore(path_, {.max_pages = 60});
  ASSERT_TRUE(store);
  store_ = std::move(*store);
  WriteAndFail(1);
  TableRecord large = Table();
  large.options = std::string(1 << 20, 'x');
  const std::vector<Status> results = store_->Write(std::vector<TableBatch>{{"t1", {large}}});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace catalogd::coord
