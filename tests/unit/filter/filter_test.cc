#include "hms_client/filter/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catalog/base/names.h"

namespace catalogd::hms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Strings = std::vector<std::string>;

const std::string kDefault(kDefaultPartitionName);

// Keys p string, q int, d date; the answers were given by a metastore 4.2.0 for the same rows.
const std::vector<Strings> kRows = {
    {"a", "1", "2024-01-01"},      {"a", "2", "2024-01-02"},    {"ab", "10", "2024-02-01"},
    {"b", "-5", "2023-12-31"},     {"x.y", "01", "2024-01-31"}, {kDefault, "3", "2024-03-01"},
    {"c", kDefault, "2024-03-02"}, {"d", "4", kDefault},        {"it's", "5", "2024-04-01"},
    {"q\"t", "6", "2024-04-02"},   {"a\\b", "7", "2024-04-03"}, {"A", "8", "2024-04-04"},
    {"a%c", "9", "2024-04-05"},    {"10", "11", "2024-04-06"}};

Result<Filter> Parsed(const std::string& text, LikeDialect like = LikeDialect::kSql) {
  return ParsePartitionFilter(
      text, {{"p", "string"}, {"q", "int"}, {"d", "date"}, {"t", "timestamp"}, {"r", "double"}},
      like);
}

bool Passes(const Filter& filter, const Strings& row) {
  return filter.Matches([&](size_t column) -> std::optional<std::string_view> {
    if (column < row.size()) return row[column];
    return "2024-01-01 00:00:00";
  });
}

// The second values of the rows that pass, which tell them apart; the error's text otherwise.
Strings Found(const std::string& text, LikeDialect like = LikeDialect::kSql) {
  const auto filter = Parsed(text, like);
  if (!filter) return {filter.error().message};
  Strings found;
  for (const Strings& row : kRows) {
    if (Passes(*filter, row)) found.push_back(row[1] == kDefault ? "default" : row[1]);
  }
  return found;
}

std::string ErrorOf(const std::string& text) {
  const auto filter = Parsed(text);
  if (filter) return "no error";
  EXPECT_EQ(filter.error().code, ErrorCode::kConflict);
  return filter.error().message;
}

TEST(Filter, ComparesTexts) {
  EXPECT_THAT(Found("p = \"a\""), ElementsAre("1", "2"));
  EXPECT_THAT(Found("'a' = P"), ElementsAre("1", "2"));
  EXPECT_THAT(Found("`p` == 'a'"), ElementsAre("1", "2"));
  EXPECT_THAT(Found("p >= \"b\""), ElementsAre("-5", "01", "default", "4", "5", "6"));
  EXPECT_THAT(Found("\"b\" <= p"), ElementsAre("-5", "01", "default", "4", "5", "6"));
  EXPECT_THAT(Found("p < \"b\""), ElementsAre("1", "2", "10", "3", "7", "8", "9", "11"));
  // The default partition has a name like any other.
  EXPECT_EQ(Found("p != 'a'").size(), 12U);
  EXPECT_EQ(Found("p <> 'a'").size(), 12U);
  EXPECT_THAT(Found("p = '" + kDefault + "'"), ElementsAre("3"));
  EXPECT_THAT(Found("p = ''"), IsEmpty());
}

TEST(Filter, ReadsQuotesAndBackslashesAsTheyStand) {
  EXPECT_THAT(Found("p = \"it's\""), ElementsAre("5"));
  EXPECT_THAT(Found(R"(p = 'it\'s')"), IsEmpty());
  EXPECT_THAT(Found("p = 'q\"t'"), ElementsAre("6"));
  EXPECT_THAT(Found(R"(p = "a\b")"), ElementsAre("7"));
  EXPECT_THAT(Found(R"(p = "a\\b")"), IsEmpty());
}

TEST(Filter, ComparesIntegersAsNumbersAndLooksThemUpByText) {
  EXPECT_THAT(Found("q = 1"), ElementsAre("1"));
  EXPECT_THAT(Found("q = 01"), ElementsAre("1"));
  EXPECT_THAT(Found("q = -5"), ElementsAre("-5"));
  EXPECT_THAT(Found("q = - 5"), ElementsAre("-5"));
  EXPECT_THAT(Found("q > 2"), ElementsAre("10", "3", "4", "5", "6", "7", "8", "9", "11"));
  EXPECT_THAT(Found("5 >= q"), ElementsAre("1", "2", "-5", "01", "3", "4", "5"));
  // Neither the other spelling of 1 nor the default partition differs from 1.
  EXPECT_THAT(Found("q != 1"),
              ElementsAre("2", "10", "-5", "3", "4", "5", "6", "7", "8", "9", "11"));
  EXPECT_THAT(Found("q = '" + kDefault + "'"), ElementsAre("default"));
  EXPECT_EQ(Found("q != '" + kDefault + "'").size(), 13U);
  EXPECT_THAT(Found("q > '" + kDefault + "'"), IsEmpty());
  EXPECT_THAT(Found("q = 9223372036854775807"), IsEmpty());
}

TEST(Filter, ComparesDatesAsDatesIfTheLiteralIsOne) {
  for (const char* literal :
       {"2024-01-01", "\"2024-01-01\"", "'2024-01-01'", "DATE '2024-01-01'", "date '2024-01-01'"}) {
    EXPECT_THAT(Found(std::string("d = ") + literal), ElementsAre("1")) << literal;
  }
  EXPECT_THAT(Found("d > 2024-01-31"),
              ElementsAre("10", "3", "default", "5", "6", "7", "8", "9", "11"));
  EXPECT_THAT(Found("'2024-04-01' < d"), ElementsAre("6", "7", "8", "9", "11"));
  // As texts, where the default partition counts.
  EXPECT_THAT(Found("d < \"2024-02\""), ElementsAre("1", "2", "-5", "01"));
  EXPECT_THAT(Found("d = 'x'"), IsEmpty());
  EXPECT_EQ(Found("d != 'x'").size(), kRows.size());
  EXPECT_THAT(Found("d = '" + kDefault + "'"), ElementsAre("4"));
  EXPECT_THAT(Found("d < timestamp '2024-01-01 00:00:00'"), ElementsAre("1", "-5"));
  EXPECT_THAT(Found("d != 2024-01-01").size(), 12U);
}

TEST(Filter, ComparesTimestampsAsTexts) {
  EXPECT_EQ(Found("t = '2024-01-01 00:00:00'").size(), kRows.size());
  EXPECT_EQ(Found("t = TIMESTAMP \"2024-01-01 00:00:00\"").size(), kRows.size());
  EXPECT_EQ(Found("t = 2024-01-01 00:00:00").size(), kRows.size());
  EXPECT_EQ(Found("t > 2024-01-01").size(), kRows.size());
  EXPECT_THAT(Found("t > 2024-01-02"), IsEmpty());
}

TEST(Filter, KnowsLikeInSql) {
  EXPECT_THAT(Found("p like \"a%\""), ElementsAre("1", "2", "10", "7", "9"));
  EXPECT_THAT(Found("p like \"%b\""), ElementsAre("10", "-5", "7"));
  EXPECT_THAT(Found("p LIKE '_'"), ElementsAre("1", "2", "-5", "default", "4", "8"));
  EXPECT_THAT(Found("p like 'x.y'"), ElementsAre("01"));
  EXPECT_THAT(Found(R"(p like 'x\.y')"), ElementsAre("01"));
  EXPECT_THAT(Found(R"(p like 'a\%c')"), ElementsAre("9"));
  EXPECT_THAT(Found("p like ''"), IsEmpty());
  EXPECT_THAT(Found("p like 'a.*'"), IsEmpty());
  EXPECT_EQ(Found("p like '%'").size(), kRows.size());
  EXPECT_THAT(Found("d like '2024-01%'"), ElementsAre("1", "2", "01"));
}

TEST(Filter, KnowsLikeAsAnExpressionOfJava) {
  EXPECT_THAT(Found("p like \"a.*\"", LikeDialect::kJavaRegex),
              ElementsAre("1", "2", "10", "7", "9"));
  EXPECT_THAT(Found("p like \".*b\"", LikeDialect::kJavaRegex), ElementsAre("10", "-5", "7"));
  EXPECT_THAT(Found("p like \"(?i)a\"", LikeDialect::kJavaRegex), ElementsAre("1", "2", "8"));
  EXPECT_THAT(Found("p like \"[bc]|d\"", LikeDialect::kJavaRegex),
              ElementsAre("-5", "default", "4"));
  EXPECT_THAT(Found("p like \"a%\"", LikeDialect::kJavaRegex), IsEmpty());
  EXPECT_THAT(Found("p like '('", LikeDialect::kJavaRegex).front(), HasSubstr("cannot be read"));
  EXPECT_THAT(Found("p like '(?=a)'", LikeDialect::kJavaRegex).front(), HasSubstr("(?="));
}

TEST(Filter, GuessesTheDialectByThePattern) {
  EXPECT_THAT(Found("p like \"a.*\"", LikeDialect::kByPattern),
              ElementsAre("1", "2", "10", "7", "9"));
  EXPECT_THAT(Found("p like \"a%\"", LikeDialect::kByPattern),
              ElementsAre("1", "2", "10", "7", "9"));
  EXPECT_THAT(Found("p like \"a%.*\"", LikeDialect::kByPattern), ElementsAre("9"));
  EXPECT_THAT(Found("p like \"a_\"", LikeDialect::kByPattern), ElementsAre("10"));
  EXPECT_THAT(Found("p like \"(?i)A|_\"", LikeDialect::kByPattern), ElementsAre("1", "2", "8"));
}

TEST(Filter, KnowsBetweenAndIn) {
  EXPECT_THAT(Found("p between \"a\" and \"b\""), ElementsAre("1", "2", "10", "-5", "7", "9"));
  EXPECT_THAT(Found("q BETWEEN 1 AND 4"), ElementsAre("1", "2", "01", "3", "4"));
  EXPECT_THAT(Found("q not between 1 and 4"),
              ElementsAre("10", "-5", "5", "6", "7", "8", "9", "11"));
  EXPECT_THAT(Found("d between 2024-01-01 and '2024-01-31'"), ElementsAre("1", "2", "01"));
  EXPECT_EQ(Found("d between 2024-01-01 and \"x\"").size(), kRows.size() - 1);
  EXPECT_EQ(Found("d not between \"x\" and \"y\"").size(), kRows.size());
  EXPECT_THAT(Found("p between 'a' and 'b' and q = 1"), ElementsAre("1"));
  EXPECT_THAT(Found("(q) in (1, 2)"), ElementsAre("1", "2"));
  EXPECT_THAT(Found("(Q) NOT IN (1, 2)"),
              ElementsAre("10", "-5", "3", "4", "5", "6", "7", "8", "9", "11"));
  EXPECT_EQ(Found("(p) not in ('a', 'b')").size(), 11U);
  EXPECT_THAT(Found("(d) in (2024-01-01, '2024-01-02')"), ElementsAre("1", "2"));
}

TEST(Filter, KnowsListsOfStructs) {
  EXPECT_THAT(Found("(struct(p,q)) in (const struct(\"a\",1), const struct(\"b\",-5))"),
              ElementsAre("1", "-5"));
  // Not unknown where one part already differs.
  EXPECT_EQ(Found("(STRUCT(p,q)) NOT IN (CONST STRUCT('a',1), CONST STRUCT('b',-5))").size(), 12U);
  EXPECT_THAT(Found("(struct(p)) in (struct('a'))"), ElementsAre("1", "2"));
}

TEST(Filter, BindsAndBeforeOr) {
  EXPECT_THAT(Found("p = \"a\" or q = 4 and p = \"zz\""), ElementsAre("1", "2"));
  EXPECT_THAT(Found("(p = \"a\" or q = 4) and q > 1"), ElementsAre("2", "4"));
  EXPECT_THAT(Found("q = 1 or p like 'x%' and q = 01"), ElementsAre("1"));
  EXPECT_THAT(Found("((((p = \"a\"))))"), ElementsAre("1", "2"));
  EXPECT_THAT(Found("p\t=\n\"a\" AND(q=1)"), ElementsAre("1"));
}

TEST(Filter, TakesNothingForEverything) {
  EXPECT_EQ(Found("").size(), kRows.size());
  EXPECT_EQ(Found("  ").size(), kRows.size());
}

TEST(Filter, StopsLookingAtTheEndOfAFilter) {
  EXPECT_THAT(Found("p = 'a' junk '"), ElementsAre("1", "2"));
  EXPECT_THAT(Found("p = 'a' )"), ElementsAre("1", "2"));
  EXPECT_THAT(Found("q = 1.5"), ElementsAre("1"));
  EXPECT_FALSE(Parsed("q = 1.5")->is_whole());
  EXPECT_TRUE(Parsed("q = 1 ")->is_whole());
  EXPECT_TRUE(Parsed("")->is_whole());
}

TEST(Filter, RefusesLiteralsThatDoNotFitTheKey) {
  for (const char* text : {"q = '1'", "p = 1", "d = 5", "q between '1' and '4'", "(q) in ('1')",
                           "(p) in (1)", "p between 'a' and 5", "q like '1%'", "q like 1",
                           "q = 2024-01-01", "r = '1.5'", "r = 1", "d >= 2024-1-1"}) {
    EXPECT_EQ(ErrorOf(text), "Filtering is supported only on partition keys of type string")
        << text;
  }
  EXPECT_THAT(ErrorOf("'a%' like p"), HasSubstr("Value should be on the RHS for LIKE"));
  EXPECT_THAT(ErrorOf("q = 99999999999999999999"), HasSubstr("NumberFormatException"));
  EXPECT_THAT(ErrorOf("d = 2024-13-45"), HasSubstr("2024-13-45"));
  EXPECT_THAT(ErrorOf("d = date 'x'"), HasSubstr("'x' is not a date"));
}

TEST(Filter, RefusesWhatItCannotRead) {
  for (const char* text : {"p",
                           "p =",
                           "p = 'a",
                           "= 'a'",
                           "p = q",
                           "p is null",
                           "p = null",

                           "1 = 1",
                           "p = 'a' and",
                           "(p = 'a'",
                           "()",
                           ")",

                           "p in ('a')",
                           "(p) in ()",
                           "(p) in ('a',)",
                           "p not like 'a%'",
                           "q = +5",
                           "q = 1L",
                           "p <=> 'a'",
                           "p = `a`",
                           "`p = 'a'",
                           "(struct(p,q)) in (const struct('a'))",
                           "(struct(p,q)) in (const struct('a',1,2))",
                           "q not in (1)",

                           "d = DATE 2024-01-01",
                           "p = -'a'"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("Error parsing partition filter")) << text;
  }
  for (const char* text : {"true", "not p = 'a'", "a b = 'x'"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("is not a partitioning key")) << text;
  }
  EXPECT_EQ(ErrorOf("z = 'a'"), "Specified key <z> is not a partitioning key for the table");
  EXPECT_THAT(ErrorOf("p = 'a' or z = 1"), HasSubstr("<z>"));
}

TEST(Filter, RefusesTooDeepAndTooMuch) {
  const std::string deep(100'000, '(');
  EXPECT_THAT(ErrorOf(deep + "p = 'a'"), HasSubstr("nested too deeply"));
  std::string list = "(q) in (0";
  for (int i = 0; i < 100'000; ++i) list += ",0";
  EXPECT_THAT(ErrorOf(list + ")"), HasSubstr("more than 100000 comparisons"));
  EXPECT_THAT(ErrorOf("p like '" + std::string(5000, 'a') + "'"), HasSubstr("too long"));
}

TEST(Filter, TakesKeywordsForKeysWhereTheyCanBe) {
  const auto filter = ParsePartitionFilter("date = '2024-01-01' and `in` = 'x' and 1a = 'y'",
                                           {{"Date", "string"}, {"in", "string"}, {"1a", "string"}},
                                           LikeDialect::kSql);
  ASSERT_TRUE(filter) << filter.error().message;
  const Strings row = {"2024-01-01", "x", "y"};
  EXPECT_TRUE(filter->Matches([&](size_t i) { return std::string_view(row[i]); }));
  EXPECT_FALSE(filter->Matches([&](size_t) { return std::string_view("x"); }));
}

TEST(Filter, SaysNothingOfMissingValues) {
  const auto filter = Parsed("p != 'a' or p = 'a'");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->Matches([](size_t) { return std::nullopt; }));
}

TEST(Filter, CombinesWhatLeavesSaid) {
  const auto filter = Parsed("p = 'a' or q = 4 and p = 'd'");
  ASSERT_TRUE(filter);
  ASSERT_EQ(filter->leaves().size(), 3U);
  EXPECT_EQ(filter->leaves()[1].column(), 1U);
  EXPECT_EQ(filter->leaves()[1].Evaluate("4"), Truth::kTrue);
  EXPECT_EQ(filter->leaves()[1].Evaluate("x"), Truth::kUnknown);
  EXPECT_TRUE(filter->Combine({Truth::kFalse, Truth::kTrue, Truth::kTrue}));
  EXPECT_FALSE(filter->Combine({Truth::kUnknown, Truth::kTrue, Truth::kFalse}));
  EXPECT_TRUE(filter->Combine({Truth::kTrue, Truth::kUnknown, Truth::kUnknown}));
}

}  // namespace
}  // namespace catalogd::hms
