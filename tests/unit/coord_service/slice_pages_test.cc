// Pages that lose a group, show one twice or mix two versions while the table goes on; page tokens
// that somebody made up; versions that are cleaned between two pages.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "catalog/base/random.h"
#include "catalog/coord/service/slice_token.h"
#include "tests/unit/coord_service/read_world.h"

namespace catalogd::coord {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SlicePages : public testing::ReadWorld {
 protected:
  void MakeDelta() { Make(TableType::kDeltaWithKeys); }
  // One file in each of `groups` groups of each partition.
  std::string AddToAll(const std::vector<std::string>& partitions, int groups, int64_t time) {
    Commit commit{OpClass::kInsert, {time, time + 1}, {}, {}, {}};
    for (const std::string& partition : partitions) {
      for (int group = 0; group < groups; ++group) {
        const std::string id = "g" + std::to_string(group);
        commit.added.push_back({partition, id, fmt::format("{}-{}-{}", partition, id, time)});
      }
    }
    return Add(commit);
  }
  static api::GetFileSlicesRequest Request(int32_t limit = 0) {
    api::GetFileSlicesRequest request;
    request.caller = Caller();
    request.limit = limit;
    return request;
  }
  static std::vector<std::string> Groups(const api::FileSlicePage& page) {
    std::vector<std::string> groups;
    for (const api::FileSliceInfo& slice : page.slices) {
      groups.push_back(slice.partition + "/" + slice.file_id);
    }
    return groups;
  }
  size_t Pins() {
    return StateOf([](const TableState& state) { return state.pins().size(); });
  }
};

TEST_F(SlicePages, GroupsComeInTheirOrderAndOnce) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"b", "a"}, 2, 10), "");
  auto page = Slices(Request(3));
  ASSERT_TRUE(page);
  EXPECT_THAT(Groups(*page), ElementsAre("a/g0", "a/g1", "b/g0"));
  auto request = Request(3);
  request.page_token = page->page_token;
  page = Slices(request);
  ASSERT_TRUE(page);
  EXPECT_THAT(Groups(*page), ElementsAre("b/g1"));
  EXPECT_EQ(page->page_token, "");
  EXPECT_EQ(page->id_version, 1);
  EXPECT_EQ(page->completed, At(11).text());
}

TEST_F(SlicePages, OnlyThePartitionsThatAreAskedFor) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"a", "b", "c", ""}, 2, 10), "");
  auto request = Request(1);
  request.partitions = {"c", "no such", "", "c"};
  std::vector<std::string> groups;
  do {
    const auto page = Slices(request);
    ASSERT_TRUE(page);
    ASSERT_EQ(page->slices.size(), 1U);
    groups.push_back(Groups(*page)[0]);
    request.page_token = page->page_token;
  } while (!request.page_token.empty());
  EXPECT_THAT(groups, ElementsAre("/g0", "/g1", "c/g0", "c/g1"));
  request = Request();
  request.partitions = {"no such"};
  EXPECT_TRUE(Slices(request)->slices.empty());
}

TEST_F(SlicePages, TheNextPageIsOfTheSameVersion) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"a", "b"}, 1, 10), "");
  auto request = Request(1);
  const auto first = Slices(request);
  ASSERT_TRUE(first);
  ASSERT_EQ(AddToAll({"a", "aa", "b"}, 1, 20), "");
  request.page_token = first->page_token;
  const auto second = Slices(request);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id_version, 1);
  EXPECT_THAT(Groups(*second), ElementsAre("b/g0"));
  EXPECT_EQ(second->slices[0].logs.size(), 1U);
  EXPECT_EQ(second->page_token, "");
}

// A pin for each page would be a write for each page; none would let a clean take the version.
TEST_F(SlicePages, AVersionIsPinnedOnceAsLongAsThereIsANextPage) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"a"}, 4, 10), "");
  ASSERT_TRUE(Slices(Request(4)));
  EXPECT_EQ(Pins(), 0U);
  auto request = Request(1);
  for (int page = 0; page < 3; ++page) request.page_token = Slices(request)->page_token;
  EXPECT_EQ(Pins(), 1U);
  const auto pin = StateOf([](const TableState& state) { return state.pins().begin()->second; });
  EXPECT_EQ(pin.version, IdVersion(1));
  EXPECT_EQ(pin.until_ms, WallMillis(clock_) + 600'000);
  // After half of its life the next page has one of its own; what ran out goes.
  clock_.Advance(std::chrono::minutes(6));
  ASSERT_TRUE(Slices(Request(1)));
  EXPECT_EQ(Pins(), 2U);
  clock_.Advance(std::chrono::minutes(6));
  ASSERT_TRUE(Slices(Request(1)));
  EXPECT_EQ(Pins(), 2U);
}

TEST_F(SlicePages, AVersionThatIsGoneIsSaidToBe) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"a"}, 2, 10), "");
  auto request = Request(1);
  request.page_token = Slices(request)->page_token;
  ASSERT_EQ(AddToAll({"a"}, 2, 20), "");
  ASSERT_EQ(ForgetUpTo(2), "");
  const auto page = Slices(request);
  ASSERT_FALSE(page);
  EXPECT_EQ(CodeOf(page), "VERSION_EXPIRED");
  EXPECT_EQ(page.error().details.at("oldest_version"), "2");
}

TEST_F(SlicePages, ATokenIsForeignInput) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"a"}, 2, 10), "");
  const std::string token = Slices(Request(1))->page_token;
  const SlicePlace place = *ParsePageToken(token);
  EXPECT_EQ(ToPageToken(place), token);
  std::vector<std::string> bad = {"x", ".....", "s1.....", token + ".", "s2" + token.substr(2)};
  SlicePlace other = place;
  other.table_id = "another";
  bad.push_back(ToPageToken(other));
  for (const int64_t version : {-1L, 2L, INT64_MAX}) {
    other = place;
    other.position.version = IdVersion(version);
    bad.push_back(ToPageToken(other));
  }
  for (size_t i = 0; i < token.size(); ++i) {
    auto request = Request(1);
    request.page_token = token.substr(0, i) + 'Z' + token.substr(i + 1);
    EXPECT_EQ(CodeOf(Slices(request)), "INVALID_ARGUMENT") << request.page_token;
  }
  for (const std::string& text : bad) {
    auto request = Request(1);
    request.page_token = text;
    EXPECT_EQ(CodeOf(Slices(request)), "INVALID_ARGUMENT") << text;
  }
  // Any place is a place.
  other = place;
  other.from = {std::string("z\0/..", 5), "\xff"};
  auto request = Request(1);
  request.page_token = ToPageToken(other);
  EXPECT_EQ(CodeOf(Slices(request)), "OK");
}

TEST_F(SlicePages, WhatIsAskedForIsChecked) {
  MakeDelta();
  ASSERT_EQ(AddToAll({"a"}, 2, 10), "");
  EXPECT_EQ(CodeOf(Slices(Request(-1))), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(Slices(Request(10'001))), "INVALID_ARGUMENT");
  auto request = Request();
  request.form = "merged";
  EXPECT_THAT(Slices(request).error().message, HasSubstr("MERGED, READ_OPTIMIZED, RAW"));
  request = Request();
  request.caller.table = "sales.no_such";
  EXPECT_EQ(CodeOf(Slices(request)), "NOT_FOUND");
  request = Request();
  request.read_point.kind = "NEWEST";
  EXPECT_THAT(Slices(request).error().message, HasSubstr("COMPLETION, REQUESTED, ID, TIME"));
}

// Random commits, undone ones and reads: at each version the slices hold what the model has.
class SliceModel : public SlicePages {
 protected:
  using Live = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

  Change NewFile(bool base) {
    const std::string group = "g" + std::to_string(random_.Below(5));
    const std::string partition = "p=" + std::to_string(random_.Below(3));
    const auto instant = At(time_).text();
    return {partition, group,
            base ? fmt::format("{}_{}-1-1_{}.parquet", group, partition, instant)
                 : fmt::format(".{}_{}.log.1_{}-1-1", group, instant, partition)};
  }
  void Step() {
    time_ += 10;
    Commit commit{OpClass::kInsert, {time_, time_ + 5}, {}, {}, {}};
    const Change first = NewFile(false);
    const auto take = [&](const std::pair<std::string, std::string>& group) {
      for (const std::string& name : live_[group]) {
        commit.removed.push_back({group.first, group.second, name});
      }
    };
    const uint64_t kind = random_.Below(10);
    if (kind < 6) {
      commit.added = {first};
    } else if (kind < 8) {
      commit.op = OpClass::kMajor;
      const Change base = NewFile(true);
      take({base.partition, base.file_id});
      commit.added = {base};
    } else {
      commit.op = OpClass::kOverwrite;
      for (const auto& [group, files] : live_) {
        if (group.first == first.partition) take(group);
      }
      commit.added = {first};
    }
    if (random_.OneIn(4)) return Undone(commit);
    ASSERT_EQ(Add(commit), "");
    for (const Change& change : commit.removed) {
      live_[{change.partition, change.file_id}].erase(change.name);
    }
    for (const Change& change : commit.added) {
      live_[{change.partition, change.file_id}].insert(change.name);
    }
    std::erase_if(live_, [](const auto& group) { return group.second.empty(); });
    versions_.push_back(live_);
  }
  void Undone(const Commit& commit) {
    ASSERT_EQ(Prepare(commit), "");
    Check(versions_.size());  // Nobody sees it.
    const auto version = static_cast<int64_t>(versions_.size()) + 1;
    TxnRecord txn = StateOf(
        [&](const TableState& state) { return *state.FindTxnOfVersion(IdVersion(version)); });
    const UndoFiles undo{txn.row.txn_id};
    txn.row.state = TxnState::kAborted;
    txn.row.completed.reset();
    txn.row.id_version.reset();
    txn.row.time_version.reset();
    ASSERT_EQ(Store({undo, txn}), "");
  }
  void Check(size_t version) {
    Live seen;
    auto request = Request(static_cast<int32_t>(1 + random_.Below(6)));
    request.read_point.kind = "ID";
    request.read_point.id_version = static_cast<int64_t>(version);
    request.form = random_.OneIn(2) ? "MERGED" : "RAW";
    do {
      const auto page = Slices(request);
      ASSERT_TRUE(page) << page.error().message;
      for (const api::FileSliceInfo& slice : page->slices) {
        std::set<std::string>& files = seen[{slice.partition, slice.file_id}];
        if (!slice.base.empty()) files.insert(slice.base);
        for (const api::SliceLogFile& log : slice.logs) files.insert(log.name);
        EXPECT_TRUE(slice.warnings.empty()) << slice.warnings[0];
      }
      request.page_token = page->page_token;
    } while (!request.page_token.empty());
    EXPECT_EQ(seen, version == 0 ? Live() : versions_[version - 1]) << "version " << version;
  }

  Random random_{1};
  int64_t time_ = 0;
  Live live_;
  std::vector<Live> versions_;
};

TEST_F(SliceModel, EveryVersionIsWhatWasCommitted) {
  Make(TableType::kMergeOnRead);
  for (int step = 0; step < 60; ++step) {
    Step();
    if (HasFatalFailure()) return;
    Check(random_.Below(versions_.size() + 1));
  }
  for (size_t version = 0; version <= versions_.size(); ++version) Check(version);
  // What is forgotten is refused, and the rest is as it was.
  const size_t floor = versions_.size() / 2;
  ASSERT_EQ(ForgetUpTo(static_cast<int64_t>(floor)), "");
  for (size_t version = floor; version <= versions_.size(); ++version) Check(version);
  auto request = Request();
  request.read_point.kind = "ID";
  request.read_point.id_version = static_cast<int64_t>(floor) - 1;
  EXPECT_EQ(CodeOf(Slices(request)), "VERSION_EXPIRED");
}

}  // namespace
}  // namespace catalogd::coord
