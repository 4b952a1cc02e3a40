#include "catalog/daemon/state_dir.h"

#include <gmock/gmock.h>

#include "tests/support/temporary_directory.h"

namespace catalogd::daemon {
namespace {

using catalogd::testing::TemporaryDirectory;

using ::testing::HasSubstr;

constexpr StateDirUse kDaemon = {.daemon = true, .metastore = false};
constexpr StateDirUse kMetastore = {.daemon = false, .metastore = true};
constexpr StateDirUse kBoth = {.daemon = true, .metastore = true};

TEST(StateDir, IsMadeWithItsParents) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/a/b";
  const auto state_dir = StateDir::Open(path, kDaemon);
  ASSERT_TRUE(state_dir);
  EXPECT_EQ(state_dir->path(), path);
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

TEST(StateDir, ASecondDaemonIsTurnedAway) {
  const TemporaryDirectory directory;
  {
    const auto first = StateDir::Open(directory.path(), kDaemon);
    ASSERT_TRUE(first);
    const auto second = StateDir::Open(directory.path(), kBoth);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().message, HasSubstr(directory.path()));
    EXPECT_THAT(second.error().message, HasSubstr("in use by another catalogd"));
    EXPECT_THAT(second.error().message, HasSubstr("--state-dir"));
  }
  EXPECT_TRUE(StateDir::Open(directory.path(), kBoth));
}

TEST(StateDir, ServingTheStoreAndFrontingItGoTogether) {
  const TemporaryDirectory directory;
  const auto store = StateDir::Open(directory.path(), kMetastore);
  ASSERT_TRUE(store);
  EXPECT_TRUE(StateDir::Open(directory.path(), kDaemon));
  const auto second = StateDir::Open(directory.path(), kBoth);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another embedded metastore"));
}

TEST(StateDir, AFailedOpeningKeepsNoLock) {
  const TemporaryDirectory directory;
  const auto store = StateDir::Open(directory.path(), kMetastore);
  ASSERT_FALSE(StateDir::Open(directory.path(), kBoth));  // Got the first lock, not the second.
  EXPECT_TRUE(StateDir::Open(directory.path(), kDaemon));
}

TEST(StateDir, WhereAFileStandsItSaysSo) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("file", "");
  const auto state_dir = StateDir::Open(file + "/below", kDaemon);
  ASSERT_FALSE(state_dir);
  EXPECT_EQ(state_dir.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(state_dir.error().message, HasSubstr(file + "/below cannot be made"));
}

TEST(StateDir, MovesWithItsLocks) {
  const TemporaryDirectory directory;
  auto first = StateDir::Open(directory.path(), kDaemon);
  ASSERT_TRUE(first);
  const StateDir moved(std::move(*first));
  EXPECT_FALSE(StateDir::Open(directory.path(), kDaemon));
}

}  // namespace
}  // namespace catalogd::daemon
