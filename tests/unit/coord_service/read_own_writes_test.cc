// A commit that was answered and that a later read does not show; a waiter who is not told; a
// conflict that cannot be explained. Through the commits of the service itself.
#include <gmock/gmock.h>

#include "tests/support/coord/coord_world.h"

namespace catalogd::coord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

class ReadOwnWrites : public testing::CoordWorld {
 protected:
  CoordResult<api::FileSlicePage> Slices() {
    api::GetFileSlicesRequest request;
    request.caller = Caller();
    return Ask<api::FileSlicePage>(
        [&](auto done) { coord_->reads.Slices(request, std::move(done)); });
  }
  std::vector<std::string> Files() {
    std::vector<std::string> names;
    const auto page = Slices();
    if (!page) return {page.error().message};
    for (const api::FileSliceInfo& slice : page->slices) {
      if (!slice.base.empty()) names.push_back(slice.base);
      for (const api::SliceLogFile& log : slice.logs) names.push_back(log.name);
    }
    return names;
  }
  std::vector<std::string> Changes() {
    api::GetIncrementalRequest request;
    request.caller = Caller();
    const auto result = coord_->reads.Incremental(request);
    std::vector<std::string> names;
    if (!result) return {result.error().message};
    for (const auto& change : result->changes) {
      for (const auto& file : change.added) names.push_back(file.name);
    }
    return names;
  }
};

TEST_F(ReadOwnWrites, WhatWasAnsweredIsShown) {
  ASSERT_TRUE(Register());
  std::vector<std::string> written;
  for (int i = 1; i <= 10; ++i) {
    written.push_back("d" + std::to_string(i));
    const auto committed = Write({File(written.back())});
    ASSERT_TRUE(committed) << committed.error().message;
    const auto page = Slices();
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_GE(page->id_version, committed->id_version);
    EXPECT_EQ(page->completed, committed->completed);
    EXPECT_THAT(Files(), UnorderedElementsAreArray(written));
    EXPECT_EQ(Changes(), written);
  }
  Restart();
  EXPECT_THAT(Files(), UnorderedElementsAreArray(written));
  EXPECT_EQ(Changes(), written);
}

TEST_F(ReadOwnWrites, AnUndoneCommitWasNeverThere) {
  ASSERT_TRUE(Register());
  ASSERT_TRUE(Write({File("d1")}));
  publisher_.NextFault(testing::FakePublisher::Fault::kRefused);
  static_cast<void>(Write({File("d2")}));
  Advance(std::chrono::minutes(1));
  const auto page = Slices();
  ASSERT_TRUE(page);
  // The service may have tried it again; what is shown is what is committed.
  EXPECT_EQ(page->id_version, State()->id_version);
  EXPECT_EQ(Files().size(), static_cast<size_t>(page->id_version));
}

TEST_F(ReadOwnWrites, WhoWaitsForAVersionIsToldByItsCommit) {
  ASSERT_TRUE(Register());
  api::WaitForVersionRequest request;
  request.caller = Caller();
  request.id_version = 1;
  request.timeout_ms = 60'000;
  std::promise<CoordResult<api::WaitForVersionResult>> answer;
  auto given = answer.get_future();
  coord_->reads.WaitForVersion(request, [&](auto result) { answer.set_value(std::move(result)); });
  ASSERT_TRUE(Write({File("d1")}));
  Settle();
  ASSERT_EQ(given.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(given.get()->id_version, 1);
}

TEST_F(ReadOwnWrites, AConflictIsExplainedToWhoeverHadIt) {
  ASSERT_TRUE(Register());
  const auto later = Begin();
  ASSERT_TRUE(later);
  ASSERT_TRUE(Write({File("d1")}));
  EXPECT_FALSE(Commit(*later, {File("d2")}));
  api::ExplainRequest request;
  request.caller = Caller();
  request.txn_id = later->txn_id;
  const auto info = coord_->reads.Explain(request);
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->outcome, "F");
  EXPECT_EQ(info->offending_version, 1);
  EXPECT_THAT(info->text, HasSubstr("INSERT INTO"));
  api::ListTxnsRequest list;
  list.caller = Caller();
  ASSERT_TRUE(coord_->reads.Conflicts(list));
  EXPECT_EQ(coord_->reads.Conflicts(list)->at(0).txn_id, later->txn_id);
  EXPECT_THAT(Files(), ElementsAre("d1"));
}

}  // namespace
}  // namespace catalogd::coord
