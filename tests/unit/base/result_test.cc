#include "catalog/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace catalogd {
namespace {

Status Fails() { return MakeError(ErrorCode::kNotFound, "gone"); }

Result<std::unique_ptr<int>> MakeInt(bool good) {
  if (!good) return MakeError(ErrorCode::kCorrupt, "bad");
  return std::make_unique<int>(7);
}

Result<int> UseMacros(bool status_good, bool value_good, int* steps) {
  RETURN_IF_ERROR(status_good ? Ok() : Fails());
  ++*steps;
  ASSIGN_OR_RETURN(const std::unique_ptr<int> value, MakeInt(value_good));
  ++*steps;
  ASSIGN_OR_RETURN(std::unique_ptr<int> other, MakeInt(true));
  return *value + *other;
}

TEST(Result, MacrosPassValuesOn) {
  int steps = 0;
  EXPECT_EQ(UseMacros(true, true, &steps), 14);
  EXPECT_EQ(steps, 2);
}

TEST(Result, MacrosLeaveAtTheFirstError) {
  int steps = 0;
  const auto status = UseMacros(false, true, &steps);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error(), (Error{ErrorCode::kNotFound, "gone"}));
  EXPECT_EQ(steps, 0);
  const auto value = UseMacros(true, false, &steps);
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error(), (Error{ErrorCode::kCorrupt, "bad"}));
  EXPECT_EQ(steps, 1);
}

TEST(Result, MacrosEvaluateTheirExpressionOnce) {
  int calls = 0;
  const auto once = [&]() -> Status {
    const auto next = [&calls]() -> Status {
      ++calls;
      return Ok();
    };
    RETURN_IF_ERROR(next());
    return Ok();
  };
  EXPECT_TRUE(once().has_value());
  EXPECT_EQ(calls, 1);
}

TEST(Result, VoidResultIsGoodByDefault) { EXPECT_TRUE(Status().has_value()); }

}  // namespace
}  // namespace catalogd
