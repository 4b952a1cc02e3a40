#include "hms_client/filter/like_dialect.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalog/base/random.h"

namespace catalogd::hms {
namespace {

constexpr auto kSql = LikeDialect::kSql;
constexpr auto kJava = LikeDialect::kJavaRegex;

std::string ToSql(std::string_view pattern) {
  return LikeInDialect(pattern, kJava, kSql).value_or("none");
}
std::string ToJava(std::string_view pattern) {
  return LikeInDialect(pattern, kSql, kJava).value_or("none");
}

TEST(LikeDialect, PatternsAreSaidInTheOtherOne) {
  EXPECT_EQ(ToSql("x.*"), "x%");
  EXPECT_EQ(ToSql(".*a.c.*"), "%a_c%");
  EXPECT_EQ(ToSql("us_east.*"), "us\\_east%");
  EXPECT_EQ(ToSql("a\\.b"), "a.b");
  EXPECT_EQ(ToSql("2024-01/a:b,c d.*"), "2024-01/a:b,c d%");
  EXPECT_EQ(ToSql(""), "");
  EXPECT_EQ(ToJava("x%"), "x.*");
  EXPECT_EQ(ToJava("%a_c%"), ".*a.c.*");
  EXPECT_EQ(ToJava("us\\_east%"), "us_east.*");
  EXPECT_EQ(ToJava("100\\%"), "100%");
  EXPECT_EQ(ToJava("a.b"), "a\\.b");
  EXPECT_EQ(ToJava("\xC3\xA9%"), "\xC3\xA9.*");
}

// What could go wrong: rows are found that were not asked for, or not found.
TEST(LikeDialect, WhatMeansMoreIsNotSaid) {
  for (const char* pattern : {"a+", "a*", "a|b", "[ab]", "(?i)a", "a?", "^a", "a$", "a{2}", "a\\d",
                              "a\\", "a\\\\", "a\\%", "a%"}) {
    EXPECT_EQ(ToSql(pattern), "none") << pattern;
  }
  for (const char* pattern :
       {"a+", "a*", "a|b", "[ab]", "(a)", "a?", "a\\", "a\\\\", "a\\.b", "^%", "a{"}) {
    EXPECT_EQ(ToJava(pattern), "none") << pattern;
  }
}

TEST(LikeDialect, BothFindTheSame) {
  Random random(11);
  const std::string letters = "ab._%-\\";
  const auto text = [&](size_t most) {
    std::string out;
    for (size_t left = random.Below(most); left > 0; --left) {
      out += letters[random.Below(letters.size())];
    }
    return out;
  };
  int said = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string pattern = text(6);
    const LikeDialect from = random.Below(2) == 0 ? kSql : kJava;
    const LikeDialect to = from == kSql ? kJava : kSql;
    if (from == kJava && random.Below(2) == 0) pattern += ".*";
    const auto other = LikeInDialect(pattern, from, to);
    if (!other) continue;
    ++said;
    if (to == kSql || other->find('%') == std::string::npos) {
      EXPECT_EQ(LikeInDialect(*other, to, from), pattern);
    }
    const auto asked = LikePattern::Compile(pattern, from);
    const auto sent = LikePattern::Compile(*other, to);
    ASSERT_TRUE(asked && sent) << pattern;
    for (int value = 0; value < 50; ++value) {
      const std::string one = text(7);
      EXPECT_EQ(asked->Matches(one), sent->Matches(one)) << pattern << " " << *other << " " << one;
    }
  }
  EXPECT_GT(said, 500);
}

TEST(LikeDialect, OnlyThePatternsOfAFilterChange) {
  const auto sql = [](std::string_view filter) {
    return FilterInDialect(filter, kJava, kSql).value_or("as it is");
  };
  EXPECT_EQ(sql("p like 'x.*'"), "p like 'x%'");
  EXPECT_EQ(sql("(p LIKE \"x.*\" and q = 1) or  r = 'x.*' or s like'.*'"),
            "(p LIKE \"x%\" and q = 1) or  r = 'x.*' or s like'%'");
  EXPECT_EQ(sql("like like 'a.b' junk"), "like like 'a_b' junk");
  for (const char* filter : {"p like 'x'", "p = 'x.*'", "'x.*' like p", "p like", "p like 'x.*", "",
                             "p like 'x.*' and q like 'a|b'", "p like date 'x.*'"}) {
    EXPECT_EQ(sql(filter), "as it is") << filter;
  }
  EXPECT_EQ(FilterInDialect("p like \"x%\"", kSql, kJava), "p like \"x.*\"");
  EXPECT_FALSE(FilterInDialect("p like 'x.*'", kSql, kSql));
}

}  // namespace
}  // namespace catalogd::hms
