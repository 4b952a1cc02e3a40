#include "catalog/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace catalogd {
namespace {

TEST(ErrorTable, EveryCodeHasItsOwnRow) {
  // The table is indexed by code: a row in the wrong place would give every code after it a wrong
  // name and exit code.
  const std::string_view names[] = {
      "not_found",       "already_exists", "not_empty",   "invalid_argument",   "invalid_state",
      "permission",      "conflict",       "timed_out",   "cancelled",          "unavailable",
      "unknown_outcome", "corrupt",        "unsupported", "resource_exhausted", "internal"};
  ASSERT_EQ(std::size(names), static_cast<size_t>(kErrorCodeCount));
  for (int i = 0; i < kErrorCodeCount; ++i) {
    EXPECT_EQ(ErrorCodeName(static_cast<ErrorCode>(i)), names[i]);
  }
}

TEST(ErrorTable, ExitCodesFitAndAreNeverSuccess) {
  for (int i = 0; i < kErrorCodeCount; ++i) {
    const int code = ErrorExitCode(static_cast<ErrorCode>(i));
    EXPECT_GT(code, 0);
    EXPECT_LT(code, 126) << "the shell uses these itself";
  }
  EXPECT_EQ(ErrorExitCode(ErrorCode::kInternal), 1);
  EXPECT_EQ(ErrorExitCode(ErrorCode::kInvalidArgument), 2);
}

TEST(ErrorTable, RetryNeverRepeatsWhatMayHaveHappened) {
  std::set<ErrorCode> retryable;
  for (int i = 0; i < kErrorCodeCount; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (ErrorIsRetryable(code)) retryable.insert(code);
  }
  EXPECT_EQ(retryable,
            (std::set<ErrorCode>{ErrorCode::kConflict, ErrorCode::kTimedOut,
                                 ErrorCode::kUnavailable, ErrorCode::kResourceExhausted}));
}

TEST(Error, ContextGoesInFront) {
  Error error{ErrorCode::kUnavailable, "connection refused"};
  error = std::move(error).WithContext("get_table sales.orders");
  EXPECT_EQ(error.message, "get_table sales.orders: connection refused");
  EXPECT_EQ(error.ToString(), "unavailable: get_table sales.orders: connection refused");
}

TEST(Error, EqualityLooksAtCodeAndMessage) {
  const Error error{ErrorCode::kConflict, "a"};
  EXPECT_EQ(error, (Error{ErrorCode::kConflict, "a"}));
  EXPECT_FALSE(error == (Error{ErrorCode::kConflict, "b"}));
  EXPECT_FALSE(error == (Error{ErrorCode::kCorrupt, "a"}));
}

}  // namespace
}  // namespace catalogd
