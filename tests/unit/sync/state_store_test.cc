// A catalog version that repeats after a restart makes a client take old state for new.
#include "catalog/sync/state_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace catalogd::sync {
namespace {

class StateStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 ("state-" + std::to_string(::getpid()) + "-" +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(StateStoreTest, VersionsNeverRepeatAcrossOpenings) {
  CatalogVersion last;
  for (int i = 0; i < 3; ++i) {
    const auto store = StateStore::Open(directory_);
    ASSERT_TRUE(store) << store.error().message;
    for (int n = 0; n < 10; ++n) {
      const CatalogVersion next = (*store)->Next();
      EXPECT_GT(next, last);
      last = next;
    }
    // Not closed in any way: as after SIGKILL.
  }
}

TEST_F(StateStoreTest, RemembersTheLogItFollowed) {
  StateStore::LogIdentity identity{LogEpoch(3), "some uuid with spaces", EventId(99), 12345};
  ASSERT_TRUE((*StateStore::Open(directory_))->SaveIdentity(identity));
  const auto store = StateStore::Open(directory_);
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->identity().epoch, LogEpoch(3));
  EXPECT_EQ((*store)->identity().metastore_uuid, "some uuid with spaces");
  EXPECT_EQ((*store)->identity().last_event, EventId(99));
  EXPECT_EQ((*store)->identity().last_fingerprint, 12345U);
}

TEST_F(StateStoreTest, ADamagedFileIsAnErrorThatNamesItAtEveryLength) {
  ASSERT_TRUE(StateStore::Open(directory_));
  std::ifstream in(directory_ / "state");
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(whole.empty());
  for (size_t length = 0; length + 1 < whole.size(); ++length) {
    std::ofstream(directory_ / "state", std::ios::trunc) << whole.substr(0, length);
    const auto store = StateStore::Open(directory_);
    ASSERT_FALSE(store) << "cut to " << length;
    EXPECT_EQ(store.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(store.error().message.find((directory_ / "state").string()), std::string::npos);
  }
}

TEST_F(StateStoreTest, AMissingDirectoryIsAnErrorThatNamesIt) {
  const auto store = StateStore::Open(directory_ / "none");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(store.error().message.find("none/state"), std::string::npos);
}

}  // namespace
}  // namespace catalogd::sync
