// A disk that is full or fails, bytes that are not as they were written: what was told durable is
// lost without a word, or the process dies of it.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "catalog/base/random.h"
#include "tests/unit/coord_store/store_fixture.h"
#include "tests/unit/coord_store/store_records.h"

namespace catalogd::coord {
namespace {

using testing::Claimed;
using testing::File;
using ::testing::HasSubstr;
using testing::Publication;
using testing::SameContent;
using testing::Table;
using testing::Txn;

std::string ReadBytes(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Transaction `id` with a file of its own.
StoreBatch Step(int64_t id) { return {Txn(id), File("f" + std::to_string(id), id)}; }

// No file of this process may grow beyond `bytes`, as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

class StoreDamageTest : public testing::StoreTest {
 protected:
  Status Write(const StoreBatch& batch) {
    return store_->Write(std::vector<TableBatch>{{"t1", batch}})[0];
  }
  // Until one is refused. Returns the id of that one.
  int64_t Fill(int64_t id, Status* refusal) {
    for (; id < 100'000; ++id) {
      *refusal = Write(Step(id));
      if (!*refusal) break;
    }
    return id;
  }
  void ExpectTransactions(int64_t count) {
    const StoreContent content = Content();
    EXPECT_EQ(std::ssize(content.txns), count);
    EXPECT_EQ(std::ssize(content.files), count);
  }
  // What opening and reading a file with these bytes gives.
  Result<StoreContent> LoadOf(const std::string& file, const std::string& log) {
    WriteBytes(path_, file);
    WriteBytes(path_ + "-wal", log);
    auto store = OpenSqliteCoordStore(path_, {.full_sync = false});
    if (!store) return AsError(store.error());
    return (*store)->Load();
  }
};

TEST_F(StoreDamageTest, AFullDiskRefusesAndLosesNothing) {
  auto store = OpenSqliteCoordStore(path_, {.full_sync = false, .max_pages = 80});
  ASSERT_TRUE(store) << store.error().message;
  store_ = std::move(*store);
  ASSERT_TRUE(Write({Table()}));
  Status refusal = Ok();
  const int64_t first = Fill(1, &refusal);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(refusal.error().message, HasSubstr("no room left for coordination file " + path_));
  ASSERT_GT(first, 10);
  ExpectTransactions(first - 1);
  // What makes room is possible, and then it goes on.
  for (int64_t id = 2; id < 100; ++id) {
    ASSERT_EQ(Put({RemoveFile{"t1", "p=1", "f" + std::to_string(id), 1}}), "") << id;
  }
  ASSERT_TRUE(Write({ForgetTxn{1}}));
  EXPECT_TRUE(Write(Step(first)));
  EXPECT_EQ(std::ssize(Content().txns), first - 1);
  EXPECT_EQ(std::ssize(Content().files), first - 98);
}

// The limit on file sizes makes writing fail in the midst of a commit.
TEST_F(StoreDamageTest, ADiskThatFailsInACommitIsAnUnknownOutcomeAndLosesNothing) {
  Open();
  ASSERT_TRUE(Write({Table()}));
  Status refusal = Ok();
  int64_t first = 0;
  {
    const FileSizeLimit limit(1'000'000);
    first = Fill(1, &refusal);
    ASSERT_FALSE(refusal);
    EXPECT_EQ(refusal.error().code, ErrorCode::kUnknownOutcome) << refusal.error().message;
    EXPECT_THAT(refusal.error().message, HasSubstr("coordination file " + path_));
    ASSERT_GT(first, 10);
    ExpectTransactions(first - 1);
  }
  EXPECT_TRUE(Write(Step(first))) << "the disk is well again";
  Reopen();
  ExpectTransactions(first);
}

StoreBatch ManyRows() {
  StoreBatch batch = {Table(),       Claimed(1, 10),  PinRecord{"tok", "t1", IdVersion(2), "r", 5},
                      Txn(99),       Publication(99), ForgetTxn{99},
                      Publication(1)};
  for (int64_t id = 1; id <= 40; ++id) {
    for (const StoreChange& change : Step(id)) batch.push_back(change);
  }
  return batch;
}

bool SameCounts(const StoreContent& a, const StoreContent& b) {
  return a.tables.size() == b.tables.size() && a.plans.size() == b.plans.size() &&
         a.txns.size() == b.txns.size() && a.files.size() == b.files.size() &&
         a.pins.size() == b.pins.size() && a.publications.size() == b.publications.size() &&
         a.history.size() == b.history.size();
}

// SQLite has no check sums: a bit inside a value is not noticed. All else is an error that names
// the file, or harmless.
TEST_F(StoreDamageTest, AFlippedByteIsToldOrHarmlessOrInsideAValue) {
  Open();
  ASSERT_EQ(Put(ManyRows()), "");
  const StoreContent written = Content();
  store_.reset();
  const std::string whole = ReadBytes(path_);
  Random random(5);
  int harmless = 0;
  int told = 0;
  int inside = 0;
  for (size_t place = 0; place < whole.size(); place += 97) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ static_cast<char>(1 + random.Below(255)));
    const auto content = LoadOf(damaged, "");
    if (!content) {
      ++told;
      EXPECT_THAT(content.error().message, HasSubstr("coordination file " + path_)) << place;
    } else if (SameContent(*content, written)) {
      ++harmless;
    } else {
      ++inside;
      EXPECT_TRUE(SameCounts(*content, written)) << "rows are gone without a word, byte " << place;
    }
  }
  EXPECT_GT(told, 20);
  EXPECT_GT(harmless, 20);
  RecordProperty("told", told);
  RecordProperty("harmless", harmless);
  RecordProperty("inside", inside);
}

TEST_F(StoreDamageTest, ManyFlippedBytesNeverCrash) {
  Open();
  ASSERT_EQ(Put(ManyRows()), "");
  store_.reset();
  const std::string whole = ReadBytes(path_);
  Random random(6);
  int told = 0;
  for (int i = 0; i < 60; ++i) {
    std::string damaged = whole;
    for (int flip = 0; flip < 64; ++flip) {
      char& byte = damaged[random.Below(damaged.size())];
      byte = static_cast<char>(byte ^ static_cast<char>(1U << random.Below(8)));
    }
    const auto content = LoadOf(damaged, "");
    if (content) continue;
    ++told;
    EXPECT_THAT(content.error().message, HasSubstr("coordination file")) << i;
  }
  EXPECT_GT(told, 20);
}

// The log has check sums: what is damaged and all after it is not there, so the file is as it was
// after an earlier commit. Nothing says so; the metastore's newer version does.
TEST_F(StoreDamageTest, AFlippedByteInTheLogTakesItBackToAnEarlierCommit) {
  Open();
  ASSERT_EQ(Put({Table()}), "");
  std::vector<StoreContent> states = {StoreContent(), Content()};
  for (int64_t id = 1; id <= 6; ++id) {
    ASSERT_EQ(Put(Step(id)), "");
    states.push_back(Content());
  }
  const std::string file = ReadBytes(path_);
  const std::string log = ReadBytes(path_ + "-wal");
  store_.reset();
  ASSERT_GT(log.size(), 10'000U);
  const auto undamaged = LoadOf(file, log);
  ASSERT_TRUE(undamaged);
  ASSERT_TRUE(SameContent(*undamaged, states.back()));
  Random random(7);
  for (size_t place = 0; place < log.size(); place += 4 * 97) {
    std::string damaged = log;
    damaged[place] = static_cast<char>(damaged[place] ^ static_cast<char>(1 + random.Below(255)));
    const auto content = LoadOf(file, damaged);
    if (!content) {
      EXPECT_THAT(content.error().message, HasSubstr("coordination file " + path_)) << place;
      continue;
    }
    const bool known = std::any_of(states.begin(), states.end(), [&](const StoreContent& state) {
      return SameContent(state, *content);
    });
    EXPECT_TRUE(known) << "half a commit, byte " << place;
  }
}

}  // namespace
}  // namespace catalogd::coord
