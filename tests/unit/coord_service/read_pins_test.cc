// A pin that is told and not kept, one that holds nothing, and two where one was asked for.
#include <gmock/gmock.h>

#include "tests/unit/coord_service/read_world.h"

namespace catalogd::coord {
namespace {

using testing::At;

class ReadPins : public testing::ReadWorld {
 protected:
  ReadPins() { Make(TableType::kDeltaWithKeys); }
  void Fill() {
    for (int64_t version = 1; version <= 3; ++version) {
      ASSERT_EQ(Add({OpClass::kInsert,
                     {10 * version, 10 * version + 1},
                     {{"p=1", "g1", "d" + std::to_string(version)}},
                     {},
                     {}}),
                "");
    }
  }
  CoordResult<api::PinInfo> Pin(int64_t version, int64_t ttl_ms = 0, const std::string& key = "") {
    api::PinRequest request;
    request.caller = Caller();
    request.caller.idempotency_key = key;
    request.id_version = version;
    request.ttl_ms = ttl_ms;
    return Ask<api::PinInfo>([&](auto done) { reads_->Pin(request, std::move(done)); });
  }
  CoordResult<api::PinInfo> Unpin(const std::string& token) {
    api::UnpinRequest request;
    request.caller = Caller();
    request.token = token;
    return Ask<api::PinInfo>([&](auto done) { reads_->Unpin(request, std::move(done)); });
  }
  // As the file has them.
  size_t Stored() { return writer_->Reload(kId)->pins.size(); }
};

TEST_F(ReadPins, APinIsStoredBeforeItIsTold) {
  Fill();
  const auto newest = Pin(0);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->id_version, 3);
  EXPECT_EQ(newest->until_ms, WallMillis(clock_) + 600'000) << "the default of the table";
  EXPECT_EQ(newest->reader, "test/me");
  const auto older = Pin(2, 5000);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->until_ms, WallMillis(clock_) + 5000);
  EXPECT_NE(older->token, newest->token);
  EXPECT_EQ(Stored(), 2U);
  EXPECT_EQ(Unpin(older->token)->id_version, 2);
  EXPECT_EQ(Stored(), 1U);
  EXPECT_EQ(CodeOf(Unpin(older->token)), "NOT_FOUND");
}

TEST_F(ReadPins, ACallThatIsSentAgainHasTheAnswerOfTheFirst) {
  Fill();
  const auto first = Pin(2, 5000, "key");
  clock_.Advance(std::chrono::seconds(1));
  const auto again = Pin(2, 5000, "key");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->token, again->token);
  EXPECT_EQ(first->until_ms, again->until_ms);
  EXPECT_EQ(Stored(), 1U);
  // It ran out: a new one.
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(Pin(3, 5000, "key")->id_version, 3);
  EXPECT_EQ(Stored(), 1U);
}

TEST_F(ReadPins, OnlyWhatCanBeRead) {
  Fill();
  EXPECT_EQ(CodeOf(Pin(4)), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(Pin(-1)), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(Pin(1, -1)), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(Pin(1, 8LL * 24 * 3600 * 1000)), "INVALID_ARGUMENT");
  ASSERT_EQ(ForgetUpTo(2), "");
  EXPECT_EQ(CodeOf(Pin(1)), "VERSION_EXPIRED");
  EXPECT_EQ(CodeOf(Pin(2)), "OK");
  {
    const MutexLock lock(table_->mutex);
    table_->state.SetHold(TableHold::kRecovering, "because");
  }
  EXPECT_EQ(CodeOf(Pin(3)), "TABLE_RECOVERING");
}

TEST_F(ReadPins, WhatRanOutGoesWithTheNextOne) {
  Fill();
  ASSERT_TRUE(Pin(1, 1000) && Pin(2, 1000) && Pin(2, 60'000));
  clock_.Advance(std::chrono::seconds(2));
  ASSERT_TRUE(Pin(3));
  EXPECT_EQ(Stored(), 2U);
}

}  // namespace
}  // namespace catalogd::coord
