#include "hms_client/uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catalogd::hms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetastoreUris, AreReadAsHiveWritesThem) {
  const auto one = ParseMetastoreUris("thrift://hms.example.test:19083");
  ASSERT_TRUE(one) << one.error().ToString();
  EXPECT_THAT(*one, ElementsAre(Address{"hms.example.test", 19083}));

  const auto many = ParseMetastoreUris(
      " thrift://a , thrift://b:1/,thrift://[2001:db8::1]:2 , thrift://[::1], thrift://a:9083 ");
  ASSERT_TRUE(many) << many.error().ToString();
  EXPECT_THAT(*many, ElementsAre(Address{"a", 9083}, Address{"b", 1}, Address{"2001:db8::1", 2},
                                 Address{"::1", 9083}));
  EXPECT_EQ(many->at(0).ToString(), "thrift://a:9083");
  EXPECT_EQ(many->at(2).ToString(), "thrift://[2001:db8::1]:2");
}

TEST(MetastoreUris, ErrorsNameThePartAndTheReason) {
  struct Case {
    const char* text;
    const char* part;
    const char* reason;
  };
  const Case cases[] = {
      {"", "", "no metastore address given"},
      {" , ", "", "nothing between two commas"},
      {"thrift://a:1,,thrift://b:2", "", "nothing between two commas"},
      {"hms:9083", "'hms:9083'", "does not begin with thrift://"},
      {"http://hms:9083", "'http://hms:9083'", "does not begin with thrift://"},
      {"thrift://a,thrift://b:", "'thrift://b:'", "the port ''"},
      {"thrift://b:0", "", "not a number from 1 to 65535"},
      {"thrift://b:65536", "", "not a number from 1 to 65535"},
      {"thrift://b:90x", "", "the port '90x'"},
      {"thrift://b:-1", "", "the port '-1'"},
      {"thrift://", "", "no host"},
      {"thrift://:9083", "", "no host"},
      {"thrift://b:9083/metastore", "", "a path"},
      {"thrift://::1:9083", "", "needs brackets"},
      {"thrift://[::1", "", "bracket is not closed"},
      {"thrift://[::1]x", "", "text behind the host"},
      {"thrift://u@b", "", "a user in front"},
      {"thrift://u:hunter2@b:9083", "'thrift://(hidden)@b:9083'", "a user in front"},
      {"thrift://u:hunter2@[::1]:9083", "", "a user in front"},
      {"thrift://a b", "", "has a character"},
  };
  for (const Case& c : cases) {
    const auto result = ParseMetastoreUris(c.text);
    ASSERT_FALSE(result) << c.text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument) << c.text;
    EXPECT_THAT(result.error().message, HasSubstr(c.reason));
    EXPECT_THAT(result.error().message, HasSubstr(c.part));
    EXPECT_THAT(result.error().message, HasSubstr("thrift://host:9083"));
    EXPECT_THAT(result.error().message, Not(HasSubstr("hunter2")));
  }
}

}  // namespace
}  // namespace catalogd::hms
