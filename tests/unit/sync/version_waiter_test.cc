// Whoever follows the cache must be woken by the next commit, also by one that comes between its
// look and its wait, and must be let go when nothing happens.
#include "catalog/sync/version_waiter.h"

#include <gtest/gtest.h>

#include "tests/unit/sync/rig.h"

namespace catalogd::sync {
namespace {

const ObjectName kDb = ObjectName::Database("hive", "sales");

class VersionWaiterTest : public ::testing::Test {
 protected:
  VersionWaiterTest() {
    rig_.Start({kDb});
    rig_.cache.SetObserver([this](const std::vector<ObjectName>&) { waiter_.OnCommit(); });
  }
  void Commit() {
    cache::NameLocks::Request request;
    request.exclusive = {kDb};
    auto guard = rig_.locks.Acquire(request, [](Result<cache::NameGuard>) {});
    PublishUnknown(&rig_.context, *guard, {kDb}, rig_.metastore.current_id(), "test",
                   rig_.cache.epoch());
  }
  void Wait(CatalogVersion after) {
    waiter_.Wait(after, rig_.clock.Now() + std::chrono::seconds(5), [this] { ++done_; });
  }

  testing::SyncRig rig_;
  VersionWaiter waiter_{&rig_.cache, &rig_.executor, &rig_.timer};
  int done_ = 0;
};

TEST_F(VersionWaiterTest, ACommitThatIsThereIsNotWaitedFor) {
  Wait(CatalogVersion());
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(waiter_.waiting(), 0U);
}

TEST_F(VersionWaiterTest, TheNextCommitWakesAllThatWaitForIt) {
  const CatalogVersion now = rig_.cache.last_version();
  Wait(now);
  Wait(now);
  Wait(CatalogVersion(now.value() + 5));
  rig_.executor.RunAll();
  EXPECT_EQ(done_, 0);
  Commit();
  rig_.executor.RunAll();
  EXPECT_EQ(done_, 2);
  EXPECT_EQ(waiter_.waiting(), 1U);
}

TEST_F(VersionWaiterTest, AtTheDeadlineItIsLetGoAndForgotten) {
  Wait(rig_.cache.last_version());
  rig_.clock.Advance(std::chrono::seconds(6));
  rig_.timer.RunDue();
  rig_.executor.RunAll();
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(waiter_.waiting(), 0U);
  Commit();
  rig_.executor.RunAll();
  EXPECT_EQ(done_, 1) << "only once";
}

TEST_F(VersionWaiterTest, AtTheEndEverybodyIsLetGo) {
  Wait(rig_.cache.last_version());
  waiter_.ReleaseAll();
  rig_.executor.RunAll();
  EXPECT_EQ(done_, 1);
}

}  // namespace
}  // namespace catalogd::sync
