// A `latest` reader that joins a call already sent may be answered with an id older than itself.
#include "catalog/sync/read_index.h"

#include <gtest/gtest.h>

#include "tests/support/fake_metastore.h"
#include "tests/support/fake_time.h"

namespace catalogd::sync {
namespace {

TEST(ReadIndex, ReadersThatArriveDuringACallGetTheNextOneAndShareIt) {
  testing::FakeMetastore metastore;
  testing::FakeClock clock;
  testing::ManualExecutor executor;
  ReadIndex index(&metastore, &executor, &clock, std::chrono::seconds(1));
  std::vector<int64_t> late;
  bool once = true;
  metastore.OnCall([&](std::string_view) {
    if (!once) return;
    once = false;
    // The first call has been sent. What is written now, the readers after it must see.
    metastore.SetCurrentId(EventId(2));
    for (int i = 0; i < 2; ++i) {
      index.Ask([&](Result<EventId> id) { late.push_back(id->value()); });
    }
    metastore.SetCurrentId(EventId(3));
  });
  int64_t first = 0;
  metastore.SetCurrentId(EventId(1));
  index.Ask([&](Result<EventId> id) { first = id->value(); });
  executor.RunAll();
  EXPECT_GE(first, 1);
  EXPECT_EQ(late, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(index.calls(), 2U);
}

TEST(ReadIndex, AFailureReachesEveryReader) {
  testing::FakeMetastore metastore;
  testing::FakeClock clock;
  testing::ManualExecutor executor;
  ReadIndex index(&metastore, &executor, &clock, std::chrono::seconds(1));
  metastore.FailNext("CurrentEventId", {ErrorCode::kUnavailable, "refused"});
  int failures = 0;
  index.Ask([&](Result<EventId> id) { failures += id ? 0 : 1; });
  index.Ask([&](Result<EventId> id) { failures += id ? 0 : 1; });
  executor.RunAll();
  EXPECT_EQ(failures, 2);
}

}  // namespace
}  // namespace catalogd::sync
