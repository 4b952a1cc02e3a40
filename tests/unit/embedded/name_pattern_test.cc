#include "hms_client/embedded/name_pattern.h"

#include <gtest/gtest.h>

namespace catalogd::hms {

namespace {

bool Matches(const std::string& pattern, const std::string& name) {
  const auto parsed = NamePattern::Parse(pattern);
  EXPECT_TRUE(parsed) << pattern;
  return parsed && parsed->Matches(name);
}

TEST(NamePatternTest, StarIsAnyText) {
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("*", "orders"));
  EXPECT_TRUE(Matches("o*s", "orders"));
  EXPECT_FALSE(Matches("o*s", "orders2"));
  EXPECT_TRUE(Matches("*d*", "orders"));
}

TEST(NamePatternTest, WholeNamesWithoutLetterCase) {
  EXPECT_TRUE(Matches("Orders", "ORDERS"));
  EXPECT_FALSE(Matches("order", "orders"));
  EXPECT_FALSE(Matches("", "orders"));
}

TEST(NamePatternTest, Alternatives) {
  EXPECT_TRUE(Matches("a*|b", "b"));
  EXPECT_TRUE(Matches("a*|b", "abc"));
  EXPECT_FALSE(Matches("a*|b", "bc"));
}

// Hive rewrites the star of ".*" as well, so that at least one character is needed.
TEST(NamePatternTest, JavaExpressions) {
  EXPECT_TRUE(Matches(".*", "orders"));
  EXPECT_FALSE(Matches("orders.*", "orders"));
  EXPECT_TRUE(Matches("o.ders", "orders"));
  EXPECT_TRUE(Matches("t[0-9]+", "t12"));
  EXPECT_FALSE(Matches("t[^0-9]", "t1"));
  EXPECT_TRUE(Matches("or?ders", "oders"));
  EXPECT_TRUE(Matches("a\\.b", "a.b"));
  EXPECT_FALSE(Matches("a\\.b", "axb"));
}

TEST(NamePatternTest, BrokenPatternsSayWhy) {
  for (const char* pattern : {"a[b", "a\\", "+a", "(a)", "a{2}"}) {
    const auto parsed = NamePattern::Parse(pattern);
    ASSERT_FALSE(parsed) << pattern;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  }
}

// Backtracking matchers need exponential time here.
TEST(NamePatternTest, ManyStarsAreNotExpensive) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(Matches(pattern + "b", std::string(2000, 'a')));
}

}  // namespace

}  // namespace catalogd::hms
