// A connection that is kept although it is stuck in an old transaction shows the past for ever; one
// that is closed for nothing costs a moment. Each answer, and what it says of its connection.
#include "hms_client/left_behind.h"

#include <gtest/gtest.h>

#include "thrift/wire/write.h"

namespace catalogd::hms {
namespace {

TEST(LeftBehind, AFailedWriteMayLeaveSomething) {
  for (const char* method : {"exchange_partition", "exchange_partitions", "alter_table", "lock"}) {
    EXPECT_TRUE(MayLeaveBehind(wire::EncodeExceptionReply(method, 1, 1, "no"))) << method;
    EXPECT_TRUE(MayLeaveBehind(wire::EncodeExceptionReply(method, 1, 4, "no"))) << method;
    EXPECT_TRUE(MayLeaveBehind(wire::EncodeApplicationError(
        method, 1, wire::ApplicationError::kInternalError, "Internal error processing")))
        << method;
  }
}

TEST(LeftBehind, WhatSucceededOrOnlyReadsLeavesNothing) {
  EXPECT_FALSE(MayLeaveBehind(wire::EncodeVoidReply("alter_table", 1)));
  EXPECT_FALSE(MayLeaveBehind(
      wire::EncodeReply("drop_partition", 1, wire::TType::kBool, 0, std::string(1, '\1'))));
  EXPECT_FALSE(MayLeaveBehind(wire::EncodeExceptionReply("get_table", 1, 2, "not found")));
}

TEST(LeftBehind, AMethodThatIsNotKnownHasDoneNothing) {
  EXPECT_FALSE(MayLeaveBehind(
      wire::EncodeApplicationError("truncate_table_req", 1, wire::ApplicationError::kUnknownMethod,
                                   "Invalid method name: 'truncate_table_req'")));
}

}  // namespace
}  // namespace catalogd::hms
