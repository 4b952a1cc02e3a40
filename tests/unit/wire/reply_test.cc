#include "thrift/wire/reply.h"

#include <gtest/gtest.h>

#include "thrift/wire/write.h"

namespace catalogd::wire {
namespace {

TEST(Reply, TellsUnknownMethodsAndSuccess) {
  const auto error = [](ApplicationError type) {
    return EncodeApplicationError("f", 7, type, "text");
  };
  const std::string unknown = error(ApplicationError::kUnknownMethod);
  EXPECT_TRUE(IsUnknownMethod(unknown));
  EXPECT_FALSE(IsSuccess(unknown));
  EXPECT_FALSE(IsUnknownMethod(error(ApplicationError::kInternalError)));
  EXPECT_TRUE(IsSuccess(EncodeVoidReply("f", 7)));
  EXPECT_TRUE(IsSuccess(EncodeReply("f", 7, TType::kBool, 0, std::string_view("\1", 1))));
  EXPECT_FALSE(IsSuccess(EncodeExceptionReply("f", 7, 1, "text")));
  // A declared exception whose fields look like the other one.
  EXPECT_FALSE(IsUnknownMethod(EncodeExceptionReply("f", 7, 2, "text")));
  for (const std::string& junk : {std::string(), std::string("junk"), EncodeCall("f", 7, "")}) {
    EXPECT_FALSE(IsUnknownMethod(junk));
    EXPECT_FALSE(IsSuccess(junk));
  }
}

}  // namespace
}  // namespace catalogd::wire
