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
TEST(NamePatternTest, DotsAndStars) {
  EXPECT_TRUE(Matches(".*", "orders"));
  EXPECT_FALSE(Matches("orders.*", "orders"));
  EXPECT_TRUE(Matches("o.ders", "orders"));
  EXPECT_TRUE(Matches("a\\.b", "a.b"));
  EXPECT_FALSE(Matches("a\\.b", "axb"));
  EXPECT_TRUE(Matches("b**", "bx"));
  EXPECT_TRUE(Matches(" ab ", "ab"));
}

// Not a regular expression, though it looks like one.
TEST(NamePatternTest, EverythingElseStandsForItself) {
  for (const char* pattern : {"t[0-9]", "t[12]", "t?", "t+", "(t1)", "t{1}1", "^t1", "t1$", "t_",
                              "t%", "[", "(", "t\\1", "\\"}) {
    EXPECT_FALSE(Matches(pattern, "t1")) << pattern;
  }
  for (const char* name : {"a+", "a?b", "a[b", "a^", "a$", "(a)", "a_b", "a%"}) {
    EXPECT_TRUE(Matches(name, name)) << name;
  }
}

TEST(NamePatternTest, OnlyBarsAreNoPattern) {
  for (const char* pattern : {"|", "||"}) {
    const auto parsed = NamePattern::Parse(pattern);
    ASSERT_FALSE(parsed) << pattern;
    EXPECT_EQ(parsed.error().code, ErrorCode::kConflict);
  }
  EXPECT_TRUE(Matches("ab|", "ab"));
}

TEST(NamePatternTest, PartitionNamesKeepLetterCaseAndBars) {
  EXPECT_TRUE(NamePattern::OfPartitions("p=A*").Matches("p=Ab/q=1"));
  EXPECT_FALSE(NamePattern::OfPartitions("p=A*").Matches("p=ab/q=1"));
  EXPECT_FALSE(NamePattern::OfPartitions("p=a|p=b").Matches("p=a"));
  EXPECT_TRUE(NamePattern::OfPartitions("p=a.c").Matches("p=abc"));
}

// Backtracking matchers need exponential time here.
TEST(NamePatternTest, ManyStarsAreNotExpensive) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(Matches(pattern + "b", std::string(2000, 'a')));
}

}  // namespace

}  // namespace catalogd::hms
