// What could go wrong: a daemon that dies in the middle of a commit, a registration or a start
// loses a commit that was answered, leaves half of one, gives a version or a time twice, or leaves
// store and metastore telling different stories. How: a child commits and is killed at each step of
// the way, three times each; then a new coordinator starts on what is there and everything is
// looked at.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <set>
#include <thread>

#include "catalog/coord/service/coordinator.h"
#include "tests/support/coord/file_publisher.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wait_for.h"

namespace catalogd::coord {
namespace {

constexpr int kCommits = 6;  // Of a child that nobody kills.

// What the parent is told of one commit that was answered.
struct Told {
  int64_t version = 0;
  char completed[24] = {};
};

// A coordinator on the files of a folder.
class Session {
 public:
  Session(const std::string& folder, std::function<Status(std::string_view)> fault,
          std::function<void(std::string_view)> at_step)
      : publisher_(folder + "/metastore") {
    CoordStoreOptions options;
    options.fault = std::move(fault);
    auto store = OpenSqliteCoordStore(folder + "/coord.db", options);
    if (!store) throw std::runtime_error(store.error().message);
    auto content = (*store)->Load();
    if (!content) throw std::runtime_error(content.error().message);
    writer_ = std::make_unique<StoreWriter>(std::move(*store));
    coord_ = std::make_unique<Coordinator>(writer_.get(), &publisher_, &SystemClock(), &timer_,
                                           &workers_);
    coord_->context.at_step = std::move(at_step);
    const Status started = coord_->tables.Start(std::move(*content));
    if (!started) throw std::runtime_error(started.error().message);
  }
  ~Session() {
    coord_->Stop();
    timer_.Shutdown();
    workers_.Shutdown();
    writer_->Stop();
  }

  template <class T, class Call>
  static CoordResult<T> Ask(Call call) {
    auto answer = std::make_shared<std::promise<CoordResult<T>>>();
    auto given = answer->get_future();
    call(Done<T>([answer](CoordResult<T> result) { answer->set_value(std::move(result)); }));
    return given.get();
  }
  static api::CoordCaller Caller() {
    api::CoordCaller caller;
    caller.table = "sales.orders";
    caller.owner = "crash";
    return caller;
  }

  CoordResult<api::CoordTable> Register(const std::string& publish) {
    api::RegisterTableRequest request;
    request.caller = Caller();
    request.type = "PK_DELTA";
    request.table_options = {{"publish", publish}};
    return Ask<api::CoordTable>(
        [&](auto done) { coord_->tables.Register(request, std::move(done)); });
  }
  // Each commit puts one file in the place of the one before.
  CoordResult<api::CommitResult> Commit() {
    api::BeginTxnRequest begin;
    begin.caller = Caller();
    begin.op = "OVERWRITE";
    const auto txn =
        Ask<api::TxnInfo>([&](auto done) { coord_->txns.Begin(begin, std::move(done)); });
    if (!txn) return AsFailure(txn.error());
    api::CommitRequest commit;
    commit.caller = Caller();
    commit.txn_id = txn->txn_id;
    commit.fence = txn->fence;
    api::DataFile file;
    file.name = "f-" + txn->requested;
    commit.added = {file};
    return Ask<api::CommitResult>([&](auto done) { coord_->txns.Commit(commit, std::move(done)); });
  }
  // Recovery tries for as long as it takes; a table that is not there was never registered.
  CoordResult<api::CoordTable> ActiveState() {
    for (;;) {
      api::TableRequest request;
      request.caller = Caller();
      auto state = coord_->tables.State(request);
      if (!state) return state;
      const auto published = PublishedState::Parse(Published());
      const bool agree = published && published->version.value() == state->id_version &&
                         state->published_version == state->id_version;
      if (state->state == "ACTIVE" && agree) return state;
      if (state->state == "NOT_OWNER" || state->state == "CORRUPT") {
        throw std::runtime_error(state->state + ": " + state->state_reason);
      }
      catalogd::testing::WaitFor(std::chrono::milliseconds(5));
    }
  }
  std::vector<api::TxnInfo> Txns() {
    api::ListTxnsRequest request;
    request.caller = Caller();
    request.limit = 10'000;
    return coord_->txns.List(request).value_or(std::vector<api::TxnInfo>());
  }
  std::string Published() { return publisher_.Parameters()[std::string(kStateParameter)]; }

 private:
  testing::FilePublisher publisher_;
  ThreadTimer timer_{SystemClock()};
  ThreadPoolExecutor workers_{{.name = "coord", .threads = 2, .max_queue = 1000}};
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<Coordinator> coord_;
};

struct Place {
  std::string step;  // Of the service, or of the store.
  int visit = 1;
  std::string publish;
};
std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.step << " " << place.visit << " " << place.publish;
}

[[noreturn]] void RunChild(const std::string& folder, const Place& place, int told) {
  std::atomic<int> visits{0};
  const auto die_at = [&](std::string_view step) {
    if (step == place.step && ++visits == place.visit) kill(getpid(), SIGKILL);
  };
  Session run(
      folder,
      [&](std::string_view where) -> Status {
        die_at(where);
        return Ok();
      },
      die_at);
  if (!run.ActiveState()) static_cast<void>(run.Register(place.publish));
  for (int i = 0; i < kCommits; ++i) {
    const auto commit = run.Commit();
    if (!commit) continue;
    Told note;
    note.version = commit->id_version;
    commit->completed.copy(note.completed, sizeof(note.completed) - 1);
    if (write(told, &note, sizeof(note)) != sizeof(note)) break;
  }
  _exit(0);
}

class CommitCrashTest : public ::testing::TestWithParam<Place> {
 protected:
  // Returns what the child was answered before it died.
  std::vector<Told> Kill() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      RunChild(directory_ / "", GetParam(), ends[1]);
    }
    close(ends[1]);
    std::vector<Told> told;
    for (Told note; read(ends[0], &note, sizeof(note)) == sizeof(note);) told.push_back(note);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    killed_ = killed_ || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return told;
  }

  void Look(const std::vector<Told>& told) {
    Session run(directory_ / "", nullptr, nullptr);
    const auto state = run.ActiveState();
    if (!state) {
      EXPECT_TRUE(told.empty());
      return;
    }
    std::map<int64_t, std::string> versions;
    std::set<std::string> times;
    for (const api::TxnInfo& txn : run.Txns()) {
      EXPECT_TRUE(times.insert(txn.requested).second) << "given twice: " << txn.requested;
      if (txn.state != "COMMITTED") {
        EXPECT_EQ(txn.state, "OPEN");
        continue;
      }
      EXPECT_TRUE(versions.emplace(txn.id_version, txn.completed).second);
      EXPECT_TRUE(times.insert(txn.completed).second) << "given twice: " << txn.completed;
    }
    EXPECT_EQ(static_cast<int64_t>(versions.size()), state->id_version);
    for (const Told& note : told) EXPECT_EQ(versions[note.version], note.completed);
    for (const auto& [version, completed] : answered_) EXPECT_EQ(versions[version], completed);
    answered_ = versions;
    EXPECT_EQ(state->live_files, state->id_version > 0 ? 1 : 0);
    EXPECT_EQ(PublishedState::Parse(run.Published())->version.value(), state->id_version);
    const auto next = run.Commit();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->id_version, state->id_version + 1);
    if (!times.empty()) {
      EXPECT_GT(next->completed, *times.rbegin());
    }
    answered_[next->id_version] = next->completed;
  }

  catalogd::testing::TemporaryDirectory directory_;
  std::map<int64_t, std::string> answered_;
  bool killed_ = false;
};

TEST_P(CommitCrashTest, NothingIsLostAndNothingIsHalfDone) {
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    Look(Kill());
  }
  EXPECT_TRUE(killed_) << "no child came to that place";
}

std::vector<Place> Places() {
  std::vector<Place> places;
  for (const char* publish : {"sync", "async"}) {
    for (const char* step : {"registered", "fence raised", "started"}) {
      places.push_back({step, 1, publish});
    }
    for (const std::string_view step : {kFaultBeforeWrite, kFaultBeforeCommit, kFaultAfterCommit}) {
      for (int visit = 1; visit <= 10; ++visit) {
        places.push_back({std::string(step), visit, publish});
      }
    }
  }
  for (const char* step : {"prepared", "published", "settled"}) {
    for (int visit = 1; visit <= 3; ++visit) places.push_back({step, visit, "sync"});
  }
  return places;
}

INSTANTIATE_TEST_SUITE_P(Steps, CommitCrashTest, ::testing::ValuesIn(Places()));

}  // namespace
}  // namespace catalogd::coord
