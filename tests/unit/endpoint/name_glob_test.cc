#include "catalog/endpoint/name_glob.h"

#include <gtest/gtest.h>

#include <string>

#include "catalog/base/random.h"

namespace catalogd::endpoint {
namespace {

bool Matches(std::string_view pattern, std::string_view name) {
  const auto glob = NameGlob::Parse(pattern);
  EXPECT_TRUE(glob.has_value()) << pattern;
  return glob && glob->Matches(name);
}

TEST(NameGlob, StarsDotsAndAlternatives) {
  EXPECT_TRUE(Matches("*", "orders"));
  EXPECT_TRUE(Matches(".*", "orders"));
  EXPECT_TRUE(Matches("ORD*", "orders"));
  EXPECT_TRUE(Matches("*d*s", "orders"));
  EXPECT_TRUE(Matches("or..rs", "orders"));
  EXPECT_TRUE(Matches("a|b|orders", "orders"));
  EXPECT_TRUE(Matches("x_1", "x_1"));
  EXPECT_FALSE(Matches("x_1", "xa1"));
  EXPECT_FALSE(Matches("order", "orders"));
  EXPECT_FALSE(Matches("orders.", "orders"));
  EXPECT_FALSE(Matches("orders.*", "orders")) << "a dot, then any text";
  EXPECT_FALSE(Matches("*s|b", "order"));
  EXPECT_TRUE(NameGlob::Parse("a|*")->matches_all());
  EXPECT_FALSE(NameGlob::Parse("a*")->matches_all());
}

TEST(NameGlob, WhatMayMeanMoreIsNotUnderstood) {
  for (const char* pattern : {"", "|", "a|", "|a", "a||b", "a+", "[ab]", "a\\.b", "(a)", "a?", "^a",
                              "a$", "a b", " a", "a ", "a-b", "\xC3\xA9", "a{2}", "%"}) {
    EXPECT_FALSE(NameGlob::Parse(pattern).has_value()) << pattern;
  }
  EXPECT_FALSE(NameGlob::Parse(std::string(300, 'a')).has_value());
}

// Every way of parting the name between the stars, tried one by one.
bool MatchesSlowly(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    for (size_t i = 0; i <= name.size(); ++i) {
      if (MatchesSlowly(pattern.substr(1), name.substr(i))) return true;
    }
    return false;
  }
  return !name.empty() && (pattern.front() == '.' || pattern.front() == name.front()) &&
         MatchesSlowly(pattern.substr(1), name.substr(1));
}

TEST(NameGlob, IsRightForAllShortPatterns) {
  Random random(3);
  const auto text = [&](std::string_view letters, size_t longest) {
    std::string made;
    for (size_t left = 1 + random.Below(longest); left > 0; --left) {
      made += letters[random.Below(letters.size())];
    }
    return made;
  };
  int matching = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string pattern = text("ab.**", 7);
    const std::string name = text("ab", 8);
    const bool expected = MatchesSlowly(pattern, name);
    matching += expected ? 1 : 0;
    ASSERT_EQ(Matches(pattern, name), expected) << pattern << " " << name;
  }
  EXPECT_GT(matching, 1000);
}

}  // namespace
}  // namespace catalogd::endpoint
