// Writes that share a commit must look as if each had its own: what could go wrong is that one
// which fails takes others with it or leaves something behind, that one is answered before it is on
// the disk, and that directories which go after the commit are somebody else's by then.
#include "hms_client/embedded/write_group.h"

#include <atomic>
#include <deque>
#include <thread>

#include "hms_client/embedded/store.h"
#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

class WriteGroupTest : public ::testing::Test {
 protected:
  using Body = std::function<Status(Writer&)>;

  void SetUp() override {
    auto db = SqliteDb::Open(directory_ / "group.db", SqliteOptions{.full_sync = false});
    ASSERT_TRUE(db) << db.error().message;
    db_ = std::move(*db);
    ASSERT_TRUE(db_->Run("CREATE TABLE parent (id INTEGER PRIMARY KEY)"));
    ASSERT_TRUE(
        db_->Run("CREATE TABLE item (id INTEGER PRIMARY KEY, "
                 "parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)"));
  }

  static Body Insert(int64_t id) {
    return
        [id](Writer& writer) { return writer.Change("INSERT INTO item (id) VALUES (?)", {{id}}); };
  }
  static Body Failing(Body first) {
    return [first = std::move(first)](Writer& writer) -> Status {
      RETURN_IF_ERROR(first(writer));
      return MakeError(ErrorCode::kConflict, "refused");
    };
  }

  // The outcomes of those that ran, "" for success.
  std::vector<std::string> Run(const std::vector<Body>& bodies) {
    std::deque<WaitingWrite> writes(bodies.size());
    std::vector<WaitingWrite*> waiting;
    for (size_t i = 0; i < bodies.size(); ++i) {
      writes[i].body = &bodies[i];
      waiting.push_back(&writes[i]);
    }
    WriteGroup group(*db_, warehouse_, clock_);
    const size_t ran = group.Run(waiting);
    aside_ = group.TakeAside();
    std::vector<std::string> outcomes;
    for (size_t i = 0; i < ran; ++i) {
      outcomes.push_back(writes[i].outcome ? "" : writes[i].outcome.error().message);
    }
    return outcomes;
  }
  std::vector<int64_t> Items() {
    std::vector<int64_t> ids;
    const Status read = db_->Query("SELECT id FROM item ORDER BY id", {},
                                   [&](const SqlRow& row) { ids.push_back(row.Int(0)); });
    EXPECT_TRUE(read);
    return ids;
  }
  [[nodiscard]] bool Exists(const std::string& below) const {
    return std::filesystem::exists(directory_ / below);
  }

  TemporaryDirectory directory_;
  Warehouse warehouse_{directory_ / "w", true};
  FakeClock clock_;
  std::unique_ptr<SqliteDb> db_;
  std::vector<std::string> aside_;
};

TEST_F(WriteGroupTest, OneThatFailsLeavesNothingAndTakesNobodyWithIt) {
  EXPECT_THAT(Run({Insert(1), Failing(Insert(2)), Insert(3), Insert(3), Insert(4)}),
              ElementsAre("", "refused", "", HasSubstr("UNIQUE constraint failed"), ""));
  EXPECT_THAT(Items(), ElementsAre(1, 3, 4));
}

TEST_F(WriteGroupTest, DirectoriesOfOneThatFailsAreGivenBackAtOnce) {
  const std::string place = "file:" + (directory_ / "w/t");
  const Body make = [place](Writer& writer) { return writer.MakeDirectory(place); };
  bool was_there = true;
  const Body look = [&](Writer&) -> Status {
    was_there = Exists("w/t");
    return Ok();
  };
  EXPECT_THAT(Run({Failing(make), look}), ElementsAre("refused", ""));
  EXPECT_FALSE(was_there);
}

TEST_F(WriteGroupTest, OneWhoseDirectoriesGoAfterTheCommitIsTheLast) {
  std::filesystem::create_directories(directory_ / "w/t");
  const std::string place = "file:" + (directory_ / "w/t");
  const Body drop = [place](Writer& writer) -> Status {
    writer.RemoveDirectoryLater(place);
    return Ok();
  };
  const Body create = [place](Writer& writer) { return writer.MakeDirectory(place); };
  EXPECT_THAT(Run({Insert(1), drop, create}), ElementsAre("", "")) << "the third has to wait";
  EXPECT_FALSE(Exists("w/t"));
  EXPECT_EQ(aside_.size(), 1U);
  EXPECT_THAT(Run({create}), ElementsAre(""));
  EXPECT_TRUE(Exists("w/t"));
}

TEST_F(WriteGroupTest, NobodySucceedsWhenTheCommitFails) {
  const std::string place = "file:" + (directory_ / "w/t");
  const Body make = [place](Writer& writer) { return writer.MakeDirectory(place); };
  // SQLite looks at a deferred reference when it commits.
  const Body lost = [](Writer& writer) {
    return writer.Change("INSERT INTO item (id, parent) VALUES (2, 77)", {});
  };
  EXPECT_THAT(Run({make, Insert(1), lost, Failing(Insert(3))}),
              ElementsAre(HasSubstr("FOREIGN KEY"), HasSubstr("FOREIGN KEY"),
                          HasSubstr("FOREIGN KEY"), "refused"));
  EXPECT_THAT(Items(), IsEmpty());
  EXPECT_FALSE(Exists("w/t"));
  EXPECT_THAT(Run({Insert(4)}), ElementsAre("")) << "the connection is free again";
}

// As SQLite does by itself when the disk is full.
TEST_F(WriteGroupTest, ATransactionThatIsGivenUpIsTheEndOfAllBeforeAndOfNoneBehind) {
  const Body broken = [](Writer& writer) -> Status {
    EXPECT_TRUE(writer.Change("ROLLBACK", {}));
    return MakeError(ErrorCode::kResourceExhausted, "disk full");
  };
  EXPECT_THAT(Run({Insert(1), broken, Insert(2)}), ElementsAre("disk full", "disk full"));
  EXPECT_THAT(Items(), IsEmpty());
  EXPECT_THAT(Run({Insert(2)}), ElementsAre(""));
  EXPECT_THAT(Items(), ElementsAre(2));
}

TEST_F(WriteGroupTest, AnotherProcessThatWritesCostsOnlyTheFirst) {
  auto other = SqliteDb::Open(directory_ / "group.db", SqliteOptions{.full_sync = false});
  ASSERT_TRUE(other && (*other)->Run("BEGIN IMMEDIATE"));
  EXPECT_THAT(Run({Insert(1), Insert(2)}), ElementsAre(HasSubstr("in use by another process")));
  ASSERT_TRUE((*other)->Run("ROLLBACK"));
  EXPECT_THAT(Run({Insert(2)}), ElementsAre(""));
}

// The queue before it: every one of many writers gets its own outcome, and ids stay dense.
class QueueOfWritesTest : public EmbeddedTest {};

TEST_F(QueueOfWritesTest, ManyAtOnceAllGetTheirOwnAnswer) {
  constexpr int kThreads = 8;
  constexpr int kWrites = 25;
  EmbeddedOptions options = Options();
  options.path = directory_ / "queue.db";
  FakeClock clock;
  auto store = Store::Open(options, clock);
  ASSERT_TRUE(store);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kWrites; ++i) {
        const std::string mine = std::to_string(thread) + "-" + std::to_string(i);
        const bool refused = i % 5 == 4;
        const Result<std::string> done =
            (*store)->Write([&](Writer& writer) -> Result<std::string> {
              RETURN_IF_ERROR(writer.SetFact(mine, "written"));
              if (refused) return MakeError(ErrorCode::kConflict, mine);
              return mine;
            });
        const std::string& text = done ? *done : done.error().message;
        if (done.has_value() == refused || text != mine) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  const auto written = (*store)->Read([](Rows& rows) -> Result<int> {
    int count = 0;
    for (int thread = 0; thread < kThreads; ++thread) {
      for (int i = 0; i < kWrites; ++i) {
        ASSIGN_OR_RETURN(const std::string value,
                         rows.Fact(std::to_string(thread) + "-" + std::to_string(i)));
        count += value == "written" ? 1 : 0;
      }
    }
    return count;
  });
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, kThreads * kWrites * 4 / 5);
}

}  // namespace

}  // namespace catalogd::hms
