#include "hms_client/filter/exact_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/random.h"
#include "hms_client/filter/exact_values.h"

namespace catalogd::hms {
namespace {

using Strings = std::vector<std::string>;
using ::testing::ElementsAre;

const std::string kDefault(kDefaultPartitionName);
const std::vector<PartitionColumn> kKeys = {{"p", "string"},    {"q", "int"},
                                            {"d", "date"},      {"t", "timestamp"},
                                            {"date", "string"}, {"load_date", "string"},
                                            {"true", "string"}, {"False", "string"}};

// Rows by key, as ExactFilter wants them.
class Block {
 public:
  explicit Block(const std::vector<Strings>& rows) : rows_(rows.size()) {
    distinct_.resize(kKeys.size());
    codes_.resize(kKeys.size());
    for (const Strings& row : rows) {
      for (size_t key = 0; key < kKeys.size(); ++key) {
        const std::string value = key < row.size() ? row[key] : "2024-01-01";
        auto& distinct = distinct_[key];
        const auto at = std::find(distinct.begin(), distinct.end(), value);
        codes_[key].push_back(static_cast<uint16_t>(at - distinct.begin()));
        if (at == distinct.end()) distinct.push_back(value);
      }
    }
  }
  // One character a row: 1, 0; "doubt" when it is not certain.
  std::string Run(const ExactFilter& filter) const {
    std::vector<ExactFilter::Column> columns;
    for (size_t key = 0; key < kKeys.size(); ++key) {
      columns.push_back({&distinct_[key], &codes_[key]});
    }
    std::vector<uint8_t> matches;
    if (!filter.Run(columns, rows_, &matches)) return "doubt";
    std::string text;
    for (const uint8_t one : matches) text += one == 1 ? '1' : '0';
    return text;
  }

 private:
  size_t rows_;
  std::vector<Strings> distinct_;
  std::vector<std::vector<uint16_t>> codes_;
};

const std::vector<Strings> kRows = {{"a", "1", "2024-01-01"},      {"b", "2", "2024-01-31"},
                                    {"ab", "10", "2023-12-31"},    {kDefault, "1", "2024-01-31"},
                                    {"a", kDefault, "2024-02-01"}, {"b", "-5", kDefault}};

std::string Found(const std::string& text, LikeDialect like = LikeDialect::kSql,
                  const std::vector<Strings>& rows = kRows) {
  const auto filter = ExactFilter::Parse(text, kKeys, {like});
  return filter ? Block(rows).Run(*filter) : "passed on";
}

TEST(ExactFilter, WhatEveryReleaseUnderstandsAlike) {
  EXPECT_EQ(Found("p = 'a'"), "100010");
  EXPECT_EQ(Found("\"a\" = P"), "100010");
  EXPECT_EQ(Found("p != \"a\""), "011101");
  EXPECT_EQ(Found("(p) in ('a', 'ab')"), "101010");
  EXPECT_EQ(Found("(p) not in ('a', 'ab')"), "010101");
  EXPECT_EQ(Found("p = 'a' and q = 1 or p='b'and q<0"), "100001");
  EXPECT_EQ(Found("(p = 'a' or q = 1) and d >= 2024-01-31"), "000110");
  EXPECT_EQ(Found("load_date = '2024-01-01'"), "111111");
  EXPECT_EQ(Found("p = '" + kDefault + "'"), "000100");
}

// Values that are no numbers or days are unknown there: neither equal nor different.
TEST(ExactFilter, TheDefaultPartitionOfNumbersAndDays) {
  EXPECT_EQ(Found("q = 1"), "100100");
  EXPECT_EQ(Found("q != 1"), "011001");
  EXPECT_EQ(Found("q not between 1 and 2"), "001001");
  EXPECT_EQ(Found("(q) not in (1, 2)"), "001001");
  EXPECT_EQ(Found("q = 1 or p = 'a'"), "100110");
  EXPECT_EQ(Found("d < '2024-01-31'"), "101000");
  EXPECT_EQ(Found("d between 2024-01-01 and 2024-01-31"), "110100");
  EXPECT_EQ(Found("(d) in ('2024-01-01') or d = 2024-01-31 or d between '2024-02-01' and "
                  "'2024-02-02' and p = 'a'"),
            "110110");
}

TEST(ExactFilter, LongListsAreOneStep) {
  std::string list = "'a'";
  std::string chain = "p = 'a'";
  std::string negated = "p != 'a'";
  for (int i = 0; i < 500; ++i) {
    const std::string value = "'v" + std::to_string(i) + "'";
    list += ", " + value;
    chain += " or p = " + value;
    negated += " and p <> " + value;
  }
  for (const std::string& text : {"(p) in (" + list + ")", chain}) {
    EXPECT_EQ(Found(text), "100010");
    EXPECT_EQ(ExactFilter::Parse(text, kKeys, {})->steps(), 1U);
  }
  EXPECT_EQ(Found(negated), "011101");
  EXPECT_EQ(ExactFilter::Parse(negated, kKeys, {})->steps(), 2U);
  // Other keys stay apart, and so do lists that are joined the other way.
  EXPECT_EQ(Found("p = 'a' or load_date = 'x' or p = 'b'"), "110011");
  EXPECT_EQ(Found("p = 'a' and p = 'b'"), "000000");
  EXPECT_EQ(Found("p != 'a' or p != 'b'"), "111111");
}

TEST(ExactFilter, LikeInTheDialectOfTheServer) {
  EXPECT_EQ(Found("p like 'a%'"), "101010");
  EXPECT_EQ(Found("p like 'a%' and q = 1"), "100000");
  EXPECT_EQ(Found("p like 'a.*'", LikeDialect::kJavaRegex), "101010");
  EXPECT_TRUE(ExactFilter::Parse("p like 'a%'", kKeys, {})->has_like());
  // Numbers beside it are an error there.
  EXPECT_EQ(Found("p like 'a.*' and q = 1", LikeDialect::kJavaRegex), "passed on");
  for (const char* pattern : {"a_b", "a.b", "a\\%", "[ab]", "a|b", "a.*"}) {
    EXPECT_EQ(Found("p like '" + std::string(pattern) + "'"), "passed on") << pattern;
  }
  for (const char* pattern : {"a%", "a.b", "a*", "(?i)a", "a|b", "a+", "."}) {
    EXPECT_EQ(Found("p like '" + std::string(pattern) + "'", LikeDialect::kJavaRegex), "passed on")
        << pattern;
  }
}

// What could go wrong: a client is given what the other dialect makes of its pattern, or an error
// that only metastores of its own dialect know.
TEST(ExactFilter, LikeInTheDialectOfTheClient) {
  const auto found = [](const std::string& text, LikeDialect of_client, LikeDialect like) {
    const std::vector<Strings> rows = {{"ab", "1"}, {"a_b", "2"}, {"a%", "1"}, {"a.b", "1"}};
    const auto filter = ExactFilter::Parse(text, kKeys, {like, of_client});
    return filter ? Block(rows).Run(*filter) : "passed on";
  };
  const auto older = [&](const std::string& text) {
    return found(text, LikeDialect::kJavaRegex, LikeDialect::kSql);
  };
  const auto newer = [&](const std::string& text) {
    return found(text, LikeDialect::kSql, LikeDialect::kJavaRegex);
  };
  EXPECT_EQ(older("p like 'a.*'"), "1111");
  EXPECT_EQ(older("p like 'a_b'"), "0100");
  EXPECT_EQ(older("p like 'a%'"), "passed on");
  EXPECT_EQ(older("p like 'a.b'"), "0101");
  EXPECT_EQ(older("p like 'a.*' and q = 1"), "1011");
  EXPECT_EQ(newer("p like 'a%'"), "1111");
  EXPECT_EQ(newer("p like 'a_b'"), "0101");
  EXPECT_EQ(newer("p like 'a.b'"), "0001");
  EXPECT_EQ(newer("p like 'a%' and (q) in (1, 5)"), "1011");
  for (const char* pattern : {"(?i)a", "a|b", "[ab]", "a+", "a\\%"}) {
    EXPECT_EQ(older("p like '" + std::string(pattern) + "'"), "passed on") << pattern;
    EXPECT_EQ(newer("p like '" + std::string(pattern) + "'"), "passed on") << pattern;
  }
}

// Errors in some release, or read in different ways.
TEST(ExactFilter, WhatIsNotCertainlyUnderstoodIsPassedOn) {
  for (const char* text : {"",
                           " ",
                           "p = 'a' junk",
                           "p = 'a'b'",
                           "p == 'a'",
                           "`p` = 'a'",
                           "not p = 'a'",
                           "x = 'a'",
                           "p = 'a' && p = 'b'",
                           "p = 1",
                           "q = '1'",
                           "p = 2024-01-01",
                           "p = ''",
                           "p = 'a\\b'",
                           "p = 'a '",
                           "p = '\xC3\xA9'",
                           "p = 'a\tb'",
                           "p\t= 'a'",
                           "q = - 1",
                           "q = +1",
                           "q = 1.5",
                           "q = 99999999999999999999",
                           "q = 9999999999999999999",
                           "d = date '2024-01-01'",
                           "d = '2024-1-1'",
                           "d = 'x'",
                           "d = 2024-02-30",
                           "d between '2024-01-01' and 'x'",
                           "d = '1500-01-01'",
                           "d between 2024-01-01 and '2024-01-31'",
                           "(d) in ('2024-01-01', 2024-01-31)",
                           "(d) not in (2024-01-01, 2024-01-31, '2024-02-01')",
                           "q like '1'",
                           "d like '2024%'",
                           "t = '2024-01-01 00:00:00'",
                           "date = '2024-01-01'",
                           "true = 'a'",
                           "p = 'a' or 'a' < FALSE",
                           "(struct(p)) in (const struct('a'))",
                           "q between -5 and 1",
                           "(q) in (1, -5)",
                           "p is null",
                           "p = null",
                           "p in ('a')",
                           "(p = 'a'",
                           "p = 'a",
                           "q = '__HIVE_DEFAULT_PARTITION__'"}) {
    EXPECT_EQ(Found(text), "passed on") << text;
  }
}

TEST(ExactFilter, ValuesThatDatabasesReadDifferently) {
  const auto with = [](const std::string& p, const std::string& q, const std::string& d) {
    return std::vector<Strings>{{"a", "1", "2024-01-01"}, {p, q, d}};
  };
  // Numbers and days are converted wherever they stand, whatever else the filter says.
  for (const char* odd : {"01", "1.0", "x", "-0", "1234567890123456789"}) {
    EXPECT_EQ(Found("q = 1", LikeDialect::kSql, with("b", odd, "2024-01-01")), "doubt") << odd;
    EXPECT_EQ(Found("q = 1 and p = 'a'", LikeDialect::kSql, with("b", odd, "2024-01-01")), "doubt");
    EXPECT_EQ(Found("p = 'a'", LikeDialect::kSql, with("b", odd, "2024-01-01")), "10");
  }
  for (const char* odd : {"2024-1-1", "0001-01-01", "2024-02-30", "x"}) {
    EXPECT_EQ(Found("d = '2024-01-01'", LikeDialect::kSql, with("b", "1", odd)), "doubt") << odd;
  }
  // Texts whose order depends on the database; elsewhere the filter may be clear without them.
  for (const char* odd : {"A", "_", "\xC3\xA9", "-", "a\\"}) {
    EXPECT_EQ(Found("p > 'ab'", LikeDialect::kSql, with(odd, "1", "2024-01-01")), "doubt") << odd;
    EXPECT_EQ(Found("p > 'ab' and q = 2", LikeDialect::kSql, with(odd, "1", "2024-01-01")), "00");
    EXPECT_EQ(Found("p > 'ab' or q = 1", LikeDialect::kSql, with(odd, "1", "2024-01-01")), "11");
    EXPECT_EQ(Found("p = 'a'", LikeDialect::kSql, with(odd, "1", "2024-01-01")), "10");
  }
  // Databases that pad with blanks.
  EXPECT_EQ(Found("p = 'a'", LikeDialect::kSql, with("a ", "1", "2024-01-01")), "doubt");
  EXPECT_EQ(Found("p like 'a%'", LikeDialect::kSql, with("a ", "1", "2024-01-01")), "doubt");
}

TEST(ExactValues, OrderThatNoCollationChanges) {
  EXPECT_TRUE(AreOrderedAnyhow("2024-01-01", "2024-01-10"));
  EXPECT_TRUE(AreOrderedAnyhow("2024-01", "2024-01-10"));
  EXPECT_TRUE(AreOrderedAnyhow("a", "b"));
  EXPECT_TRUE(AreOrderedAnyhow("A1", "Ab"));
  EXPECT_TRUE(AreOrderedAnyhow("a b", "a b"));
  EXPECT_FALSE(AreOrderedAnyhow("a", "B"));
  EXPECT_FALSE(AreOrderedAnyhow("2024-01", "20240101"));
  EXPECT_FALSE(AreOrderedAnyhow("a b", "ab"));
  EXPECT_FALSE(AreOrderedAnyhow("a", "\xC3\xA9"));
}

// The same truth as the filter of which it is made, row by row, for values without a doubt.
TEST(ExactFilter, AgreesWithFilterOnPlainValues) {
  Random random(7);
  const Strings texts = {"a", "b", "ab", "c"};
  const Strings numbers = {"1", "2", "10", "-5", kDefault};
  const Strings days = {"2023-12-31", "2024-01-01", "2024-01-31", kDefault};
  const auto pick = [&](const Strings& of) { return of[random.Below(of.size())]; };
  std::vector<Strings> rows;
  for (int i = 0; i < 300; ++i) rows.push_back({pick(texts), pick(numbers), pick(days)});
  const Block block(rows);
  const Strings operators = {"=", "!=", "<", "<=", ">", ">="};
  const auto comparison = [&] {
    switch (random.Below(4)) {
      case 0:
        return "p " + pick(operators) + " '" + pick(texts) + "'";
      case 1:
        return "q " + pick(operators) + " " + pick({"1", "2", "10", "-5"});
      case 2:
        return "d " + pick(operators) + " " + pick({"2024-01-01", "'2024-01-31'"});
      default:
        return "(q) " + pick({"in", "not in"}) + " (1, " + pick({"2", "10"}) + ")";
    }
  };
  for (int i = 0; i < 200; ++i) {
    std::string text = comparison();
    for (size_t more = random.Below(4); more > 0; --more) {
      text = "(" + text + ") " + pick({"and", "or"}) + " " + comparison();
    }
    const auto plain = ParsePartitionFilter(text, kKeys, LikeDialect::kSql);
    ASSERT_TRUE(plain.has_value()) << text;
    std::string expected;
    for (const Strings& row : rows) {
      const bool passes = plain->Matches(
          [&](size_t column) { return std::optional<std::string_view>(row[column]); });
      expected += passes ? '1' : '0';
    }
    const auto exact = ExactFilter::Parse(text, kKeys, {});
    ASSERT_TRUE(exact.has_value()) << text;
    EXPECT_EQ(block.Run(*exact), expected) << text;
  }
}

}  // namespace
}  // namespace catalogd::hms
