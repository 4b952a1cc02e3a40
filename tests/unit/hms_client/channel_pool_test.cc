#include "hms_client/channel_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "hms_client/socket_channel.h"
#include "tests/support/fake_time.h"
#include "tests/unit/hms_client/fake_metastore.h"

namespace catalogd::hms {
namespace {

using ::testing::HasSubstr;

const Identity kDaemon;
const Identity kAlice{"alice", {}};
const Identity kBob{"bob", {}};

// Opens channels that answer with their number; a test breaks them by hand.
class FakeConnector final : public Connector {
 public:
  struct State {
    int number = 0;
    bool open = true;
    // Of the next call; then it is broken.
    std::optional<ErrorCode> fail_with;
    std::optional<std::string> answer;  // Instead of the number.
  };
  Result<std::unique_ptr<Channel>> Open(const Identity& identity, TimePoint) override {
    if (failures_left > 0) {
      --failures_left;
      return MakeError(ErrorCode::kUnavailable, "connection refused");
    }
    auto state = std::make_shared<State>();
    state->number = static_cast<int>(opened.size());
    opened.push_back(state);
    identities.push_back(identity);
    return std::unique_ptr<Channel>(std::make_unique<FakeChannel>(state));
  }
  [[nodiscard]] size_t OpenNow() const {
    size_t count = 0;
    for (const auto& state : opened) count += state->open ? 1U : 0U;
    return count;
  }

  int failures_left = 0;
  std::vector<std::shared_ptr<State>> opened;
  std::vector<Identity> identities;

 private:
  class FakeChannel final : public Channel {
   public:
    explicit FakeChannel(std::shared_ptr<State> state) : state_(std::move(state)) {}
    ~FakeChannel() override { state_->open = false; }
    Result<std::string> Call(std::string_view, TimePoint) override {
      if (state_->fail_with) {
        usable_ = false;
        return MakeError(*state_->fail_with, "scripted");
      }
      return state_->answer.value_or(std::to_string(state_->number));
    }
    Status Send(std::string_view message, TimePoint deadline) override {
      RETURN_IF_ERROR(Call(message, deadline));
      return Ok();
    }
    [[nodiscard]] bool usable() const override { return usable_; }
    [[nodiscard]] const std::string& endpoint() const override { return endpoint_; }

   private:
    std::shared_ptr<State> state_;
    bool usable_ = true;
    const std::string endpoint_ = "fake";
  };
};

class ChannelPoolTest : public ::testing::Test {
 protected:
  ChannelPool& Pool(size_t most, size_t reserved = 0) {
    PoolOptions options;
    options.max_channels = most;
    options.reserved_for_daemon = reserved;
    pool_ = std::make_unique<ChannelPool>(&connector_, clock_, options);
    return *pool_;
  }

  catalogd::testing::FakeClock clock_;
  FakeConnector connector_;
  std::unique_ptr<ChannelPool> pool_;
};

TEST_F(ChannelPoolTest, ReusesConnectionsOfTheSameIdentityOnly) {
  ChannelPool& pool = Pool(10);
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), "0");
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), "0");
  EXPECT_EQ(*pool.Call("m", kBob, Later()), "1");
  EXPECT_EQ(*pool.Call("m", {"alice", {"staff"}}, Later()), "2");
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), "0");
  EXPECT_EQ(connector_.identities[0], kAlice);
  EXPECT_EQ(pool.stats().open, 3U);
  EXPECT_EQ(pool.stats().in_use, 0U);
  EXPECT_EQ(pool.stats().opened, 3U);
  EXPECT_EQ(pool.stats().last_ok, clock_.Now());
}

TEST_F(ChannelPoolTest, LendsEachConnectionToOneUserAtATime) {
  ChannelPool& pool = Pool(10);
  auto first = pool.Take(kAlice, Later());
  auto second = pool.Take(kAlice, Later());
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->reused());
  EXPECT_EQ(pool.stats().in_use, 2U);
  EXPECT_NE(*(*first)->Call("m", Later()), *(*second)->Call("m", Later()));
  {
    const ChannelPool::Lease moved = std::move(*first);
    EXPECT_EQ(pool.stats().in_use, 2U);
  }
  EXPECT_EQ(pool.stats().in_use, 1U);
  auto third = pool.Take(kAlice, Later());
  ASSERT_TRUE(third);
  EXPECT_TRUE(third->reused());
}

TEST_F(ChannelPoolTest, WaitsForAReturnedConnection) {
  ChannelPool& pool = Pool(1);
  auto lease = std::make_unique<ChannelPool::Lease>(*pool.Take(kAlice, Later()));
  std::thread waiter([&] { EXPECT_EQ(*pool.Call("m", kBob, TimePoint::max()), "1"); });
  while (pool.stats().waiting == 0) std::this_thread::yield();
  lease.reset();
  waiter.join();
  EXPECT_EQ(pool.stats().waits, 1U);
  // Bob's took the place of Alice's idle one.
  EXPECT_EQ(connector_.OpenNow(), 1U);
}

TEST_F(ChannelPoolTest, SaysThatNothingWasSentWhenAllStayInUse) {
  ChannelPool& pool = Pool(2);
  const auto first = pool.Take(kAlice, Later());
  const auto second = pool.Take(kAlice, Later());
  const auto third = pool.Take(kAlice, SystemClock().Now());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(third.error().message, HasSubstr("2 of 2"));
}

// What a failed write has left behind must not be seen by whoever calls next.
TEST_F(ChannelPoolTest, AConnectionOfAFailedWriteIsClosed) {
  ChannelPool& pool = Pool(10);
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), "0");
  connector_.opened[0]->answer = wire::EncodeExceptionReply("exchange_partition", 1, 1, "no");
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), *connector_.opened[0]->answer);
  EXPECT_FALSE(connector_.opened[0]->open);
  EXPECT_EQ(pool.stats().in_use, 0U);
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), "1");
}

TEST_F(ChannelPoolTest, TheDaemonSharesNoConnectionWithClients) {
  ChannelPool& pool = Pool(10);
  Identity nobody;
  nobody.of_client = true;
  EXPECT_EQ(*pool.Call("m", kDaemon, Later()), "0");
  EXPECT_EQ(*pool.Call("m", nobody, Later()), "1");
  EXPECT_EQ(*pool.Call("m", kDaemon, Later()), "0");
  EXPECT_EQ(*pool.Call("m", nobody, Later()), "1");
}

TEST_F(ChannelPoolTest, ClientsWithoutAUserLeaveTheDaemonItsPlaces) {
  ChannelPool& pool = Pool(2, 1);
  Identity nobody;
  nobody.of_client = true;
  const auto first = pool.Take(nobody, Later());
  EXPECT_FALSE(pool.Take(nobody, SystemClock().Now()));
  EXPECT_TRUE(pool.Take(kDaemon, SystemClock().Now()));
}

TEST_F(ChannelPoolTest, AFreshCallUsesNoConnectionOfBefore) {
  ChannelPool& pool = Pool(10);
  {
    const auto first = pool.Take(kDaemon, Later());
    const auto second = pool.Take(kDaemon, Later());
  }
  EXPECT_EQ(*pool.CallFresh("m", kDaemon, Later()), "2");
  EXPECT_EQ(connector_.OpenNow(), 1U) << "the others may be as old";
  EXPECT_EQ(*pool.Call("m", kDaemon, Later()), "2");
}

// Clients' long calls must not keep the daemon from following the log.
TEST_F(ChannelPoolTest, KeepsPlacesForTheDaemonItself) {
  ChannelPool& pool = Pool(3, 1);
  auto first = std::make_unique<ChannelPool::Lease>(*pool.Take(kAlice, Later()));
  const auto second = pool.Take(kBob, Later());
  EXPECT_FALSE(pool.Take(kAlice, SystemClock().Now()));
  const auto own = pool.Take(kDaemon, SystemClock().Now());
  ASSERT_TRUE(own);
  EXPECT_FALSE(pool.Take(kDaemon, SystemClock().Now()));
  first.reset();
  EXPECT_TRUE(pool.Take(kAlice, SystemClock().Now()));
}

TEST_F(ChannelPoolTest, FailedOpeningsGiveTheirPlacesBack) {
  ChannelPool& pool = Pool(2);
  connector_.failures_left = 1000;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(pool.Call("m", kAlice, Later()));
  EXPECT_EQ(pool.stats().in_use, 0U);
  EXPECT_EQ(pool.stats().failures, 1000U);
  EXPECT_THAT(pool.stats().last_error, HasSubstr("connection refused"));
  EXPECT_TRUE(pool.Call("m", kAlice, Later()));
}

TEST_F(ChannelPoolTest, BrokenConnectionsAreClosedAndNotLentAgain) {
  ChannelPool& pool = Pool(2);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(pool.Call("m", kAlice, Later()));
    connector_.opened.back()->fail_with = ErrorCode::kTimedOut;
    EXPECT_EQ(pool.Call("m", kAlice, Later()).error().code, ErrorCode::kTimedOut);
    EXPECT_EQ(connector_.OpenNow(), 0U);
  }
  EXPECT_EQ(pool.stats().open, 0U);
}

TEST_F(ChannelPoolTest, RetriesOnceWhenAnIdleConnectionHadBeenClosed) {
  ChannelPool& pool = Pool(5);
  {
    const auto first = pool.Take(kAlice, Later());
    const auto second = pool.Take(kAlice, Later());
    const auto other = pool.Take(kBob, Later());
  }
  // The metastore has been restarted: all that is idle is stale.
  for (const auto& state : connector_.opened) state->fail_with = ErrorCode::kUnavailable;
  EXPECT_EQ(*pool.Call("m", kAlice, Later()), "3");
  EXPECT_EQ(pool.stats().stale_retries, 1U);
  EXPECT_FALSE(connector_.opened[0]->open);
  EXPECT_FALSE(connector_.opened[1]->open);
  EXPECT_TRUE(pool.Send("m", kBob, Later()));
}

TEST_F(ChannelPoolTest, NeverRetriesWhatMayHaveArrivedOrAFreshConnection) {
  ChannelPool& pool = Pool(5);
  for (const ErrorCode code :
       {ErrorCode::kUnknownOutcome, ErrorCode::kTimedOut, ErrorCode::kCorrupt}) {
    ASSERT_TRUE(pool.Call("m", kAlice, Later()));
    connector_.opened.back()->fail_with = code;
    EXPECT_EQ(pool.Call("m", kAlice, Later()).error().code, code);
  }
  EXPECT_EQ(pool.stats().stale_retries, 0U);
  connector_.failures_left = 1;
  EXPECT_EQ(pool.Call("m", kAlice, Later()).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(pool.stats().stale_retries, 0U);
}

TEST_F(ChannelPoolTest, ClosesWhatHasBeenIdleTooLong) {
  ChannelPool& pool = Pool(5);
  ASSERT_TRUE(pool.Call("m", kAlice, Later()));
  clock_.Advance(std::chrono::seconds(40));
  ASSERT_TRUE(pool.Call("m", kBob, Later()));
  clock_.Advance(std::chrono::seconds(40));
  pool.CloseOldIdle();
  EXPECT_FALSE(connector_.opened[0]->open);
  EXPECT_TRUE(connector_.opened[1]->open);
  clock_.Advance(std::chrono::seconds(40));
  ASSERT_TRUE(pool.Call("m", kAlice, Later()));
  EXPECT_FALSE(connector_.opened[1]->open);
  EXPECT_EQ(pool.stats().open, 1U);
}

TEST_F(ChannelPoolTest, ManyThreadsStayWithinTheLimit) {
  FakeMetastore fake;
  fake.AnswerString("ping", "");
  class Opening final : public Connector {
   public:
    explicit Opening(Address address) : address_(std::move(address)) {}
    Result<std::unique_ptr<Channel>> Open(const Identity&, TimePoint deadline) override {
      ASSIGN_OR_RETURN(auto channel, SocketChannel::Connect(address_, {}, SystemClock(), deadline));
      return std::unique_ptr<Channel>(std::move(channel));
    }

   private:
    const Address address_;
  } connector(fake.address());
  PoolOptions options;
  options.max_channels = 3;
  options.reserved_for_daemon = 1;
  ChannelPool pool(&connector, SystemClock(), options);
  const std::string message = wire::EncodeCall("ping", 1, std::string(1, '\0'));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Identity identity = t % 2 == 0 ? kDaemon : kAlice;
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool.Call(message, identity, Later()));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(pool.stats().open, 3U);
  EXPECT_EQ(fake.CountOf("ping"), 800U);
}

}  // namespace
}  // namespace catalogd::hms
