#include "catalog/base/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "catalog/base/random.h"

namespace catalogd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NormalizeName, TrimsAndLowersAsciiOnly) {
  EXPECT_EQ(NormalizeName("  Sales\t\n"), "sales");
  EXPECT_EQ(NormalizeName("a B"), "a b");
  EXPECT_EQ(NormalizeName(" \t "), "");
  EXPECT_EQ(NormalizeName("\xc3\x89T\xc3\x89"), "\xc3\x89t\xc3\x89");
}

TEST(ObjectName, IsNormalisedWhenMade) {
  const ObjectName name = ObjectName::Table(" HIVE", "Sales ", "Orders");
  EXPECT_EQ(name.catalog(), "hive");
  EXPECT_EQ(name.db(), "sales");
  EXPECT_EQ(name.table(), "orders");
  EXPECT_TRUE(name.is_table());
  EXPECT_FALSE(name.is_database());
  EXPECT_EQ(name, ObjectName::Table("hive", "sales", "orders"));
  EXPECT_EQ(name.DatabaseName(), ObjectName::Database("hive", "SALES"));
}

TEST(ObjectName, EmptyCatalogIsTheDefaultOne) {
  EXPECT_EQ(ObjectName::Database("", "a"), ObjectName::Database("hive", "a"));
  EXPECT_EQ(ObjectName::Database(" ", "a").catalog(), kDefaultCatalog);
}

TEST(ObjectName, SortsDatabaseRightBeforeItsTables) {
  const std::vector<ObjectName> sorted = {
      ObjectName::Table("hive", "a", "z"), ObjectName::Database("hive", "a.b"),
      ObjectName::Table("hive", "a.b", "c"), ObjectName::Database("hive", "b"),
      ObjectName::Database("other", "a")};
  std::vector<ObjectName> names(sorted.rbegin(), sorted.rend());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, sorted);
  EXPECT_LT(ObjectName::Database("hive", "a"), ObjectName::Table("hive", "a", "a"));
}

TEST(ObjectName, PartsWithDotsStayApart) {
  // Hive 4 allows dots in table names: a key made of joined text would confuse these.
  const ObjectName one = ObjectName::Table("hive", "a", "b.c");
  const ObjectName two = ObjectName::Table("hive", "a.b", "c");
  EXPECT_EQ(one.ToString(), two.ToString());
  EXPECT_NE(one, two);
}

TEST(ObjectName, PrintsCatalogOnlyWhenItIsNotTheDefault) {
  EXPECT_EQ(ObjectName::Database("hive", "a").ToString(), "a");
  EXPECT_EQ(ObjectName::Table("hive", "a", "b").ToString(), "a.b");
  std::ostringstream out;
  out << ObjectName::Table("lake", "a", "b");
  EXPECT_EQ(out.str(), "lake.a.b");
}

TEST(ObjectName, HashTellsPartsApart) {
  std::unordered_set<ObjectName> names;
  names.insert(ObjectName::Table("hive", "a", "b"));
  EXPECT_TRUE(names.contains(ObjectName::Table("HIVE", " A", "B ")));
  EXPECT_FALSE(names.contains(ObjectName::Table("hive", "b", "a")));
  const std::hash<ObjectName> hash;
  EXPECT_NE(hash(ObjectName::Table("hive", "a", "b")), hash(ObjectName::Table("hive", "b", "a")));
}

TEST(ParseDatabaseArgument, UnderstandsEveryForm) {
  struct Case {
    const char* text;
    const char* catalog;
    std::optional<std::string> db;
  };
  const Case cases[] = {
      {"Sales", "hive", "sales"},
      {"@Lake#Sales", "lake", "sales"},
      {"@hive#", "hive", std::nullopt},
      {"@hive#!", "hive", ""},
      {"@hive#a#b", "hive", "a#b"},  // Split at the first separator.
      {"@nohash", "hive", "@nohash"},
      {"a#b", "hive", "a#b"},
      {"", "hive", ""},
  };
  for (const Case& c : cases) {
    const DatabaseArgument parsed = ParseDatabaseArgument(c.text);
    EXPECT_EQ(parsed.catalog, c.catalog) << c.text;
    EXPECT_EQ(parsed.db, c.db) << c.text;
  }
}

TEST(ParseObjectName, UnderstandsOneToThreeParts) {
  EXPECT_EQ(ParseObjectName("Sales"), ObjectName::Database("hive", "sales"));
  EXPECT_EQ(ParseObjectName("sales.Orders"), ObjectName::Table("hive", "sales", "orders"));
  EXPECT_EQ(ParseObjectName("lake.sales.orders"), ObjectName::Table("lake", "sales", "orders"));
  EXPECT_EQ(ParseObjectName("lake.sales.or.ders"), ObjectName::Table("lake", "sales", "or.ders"));
}

TEST(ParseObjectName, RefusesEmptyParts) {
  for (const char* text : {"", " ", ".", "a.", ".a", "..", "a..b", "a.b.", ".a.b", " .a.b"}) {
    const auto name = ParseObjectName(text);
    ASSERT_FALSE(name.has_value()) << "'" << text << "' became " << name->ToString();
    EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(EscapePathName, EscapesWhatHiveEscapes) {
  EXPECT_EQ(EscapePathName("\"#%'*/:=?\\{[]^\x7f"),
            "%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%5B%5D%5E%7F");
  EXPECT_EQ(EscapePathName(std::string_view("\0\x01\x1f", 3)), "%00%01%1F");
  EXPECT_EQ(EscapePathName("} ,;&+~|aZ09_-.\xc3\xa9"), "} ,;&+~|aZ09_-.\xc3\xa9");
  EXPECT_EQ(EscapePathName(""), kDefaultPartitionName);
}

TEST(UnescapePathName, LeavesWhatIsNoEscape) {
  EXPECT_EQ(UnescapePathName("a%3Db%3d"), "a=b=");
  EXPECT_EQ(UnescapePathName("100%"), "100%");
  EXPECT_EQ(UnescapePathName("%4"), "%4");
  EXPECT_EQ(UnescapePathName("%zz%2"), "%zz%2");
  EXPECT_EQ(UnescapePathName("%%41"), "%A");
  EXPECT_EQ(UnescapePathName("%41"), "A");
}

// As measured on real metastores, whose number parser takes signs and whose characters are Java's.
TEST(UnescapePathName, TakesWhatJavaTakesForANumber) {
  EXPECT_EQ(UnescapePathName("%+A"), "\n");
  EXPECT_EQ(UnescapePathName("x%-0"), std::string("x\0", 2));
  EXPECT_EQ(UnescapePathName("%-1%+"), "%-1%+");
  EXPECT_EQ(UnescapePathName("% 1%1 "), "% 1%1 ");
  EXPECT_EQ(UnescapePathName("%e9"), "\xC3\xA9");
  EXPECT_EQ(UnescapePathName("%C3%A9"), "\xC3\x83\xC2\xA9");
}

TEST(EscapePathName, RoundTripsAnyBytes) {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    std::string text(1 + random.Below(12), 'x');
    for (char& c : text) c = static_cast<char>(random.Next());
    const std::string escaped = EscapePathName(text);
    EXPECT_EQ(UnescapePathName(escaped), text);
    EXPECT_EQ(escaped.find('/'), std::string::npos);
  }
}

TEST(PartitionName, JoinsEscapedKeysAndValues) {
  EXPECT_EQ(MakePartitionName({"Year", "a=b"}, {"2024", "x/y"}), "year=2024/a%3Db=x%2Fy");
  EXPECT_EQ(MakePartitionName({"k"}, {""}), "k=__HIVE_DEFAULT_PARTITION__");
  EXPECT_EQ(MakePartitionName({}, {}), "");
  const auto wrong = MakePartitionName({"k"}, {"1", "2"});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
}

TEST(PartitionName, GivesItsValuesBack) {
  EXPECT_THAT(*PartitionNameToValues("year=2024/a%3Db=x%2Fy"), ElementsAre("2024", "x/y"));
  EXPECT_THAT(*PartitionNameToValues("a=b=c"), ElementsAre("b=c"));
  EXPECT_THAT(*PartitionNameToValues("a="), ElementsAre(""));
  EXPECT_THAT(*PartitionNameToValues(""), IsEmpty());
  for (const char* name : {"a", "a=1/b", "/a=1", "a=1//b=2"}) {
    const auto values = PartitionNameToValues(name);
    ASSERT_FALSE(values.has_value()) << name;
    EXPECT_EQ(values.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace catalogd
