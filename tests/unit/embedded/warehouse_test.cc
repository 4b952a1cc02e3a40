#include "hms_client/embedded/warehouse.h"

#include <fstream>

#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

TEST(WarehouseTest, DirectoriesOfOddNamesStayInTheirPlace) {
  const Warehouse warehouse("/w", true);
  const std::vector<std::pair<std::string, std::string>> tables = {
      {"orders_1", "orders_1"}, {"a b", "a-32-b"}, {"a.b", "a-46-b"},        {".", "-46-"},
      {"..", "-46--46-"},       {"a/b", "a-47-b"}, {"../x", "-46--46--47-x"}};
  for (const auto& [name, directory] : tables) {
    EXPECT_EQ(Warehouse::TableLocation("file:/w/d.db", name), "file:/w/d.db/" + directory) << name;
  }
  const std::vector<std::pair<std::string, std::string>> databases = {
      {"sales", "sales.db"}, {"a.b", "a.b.db"}, {"..", "...db"}, {"../x", "..-47-x.db"}};
  for (const auto& [name, directory] : databases) {
    EXPECT_EQ(warehouse.DatabaseLocation(name), "file:/w/" + directory) << name;
  }
}

class WarehouseFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory_ / "w/d.db/t");
    std::filesystem::create_directories(directory_ / "wide");
    std::ofstream(directory_ / "w/d.db/t/data") << "precious";
  }
  [[nodiscard]] bool DataIsThere() const {
    return std::filesystem::exists(directory_ / "w/d.db/t/data");
  }

  TemporaryDirectory directory_;
};

// Whatever put such a location into a row: an old file, a client, a bug.
TEST_F(WarehouseFilesTest, WhatHoldsTheWarehouseOrLeadsUpIsNotTaken) {
  const Warehouse warehouse(directory_ / "w", true);
  for (const char* below : {"w", "w/", "w/.", "w//", "", ".", "w/d.db/..", "w/d.db/../../w",
                            "w/d.db/../d.db", "w/nowhere/../d.db/t"}) {
    for (const char* scheme : {"file:", "file://", ""}) {
      const std::string location = scheme + (directory_ / below);
      EXPECT_EQ(warehouse.SetAside(location), "") << location;
      EXPECT_FALSE(warehouse.MoveDirectory(location, "file:" + (directory_ / "moved"))) << location;
    }
  }
  EXPECT_FALSE(warehouse.MoveDirectory("file:" + (directory_ / "wide"),
                                       "file:" + (directory_ / "w/d.db/../new")));
  EXPECT_TRUE(DataIsThere());
}

TEST_F(WarehouseFilesTest, WhatLiesBelowOrElsewhereIsTaken) {
  const Warehouse warehouse(directory_ / "w", true);
  for (const char* below : {"w/d.db/t", "w/d.db/", "wide/."}) {
    const std::string aside = warehouse.SetAside("file:" + (directory_ / below));
    EXPECT_NE(aside, "") << below;
    EXPECT_FALSE(std::filesystem::exists(directory_ / below)) << below;
    Warehouse::Erase(aside);
  }
  EXPECT_TRUE(std::filesystem::exists(directory_ / "w"));
}

class OddNamesTest : public EmbeddedTest {};

TEST_F(OddNamesTest, DroppingATableOfAnyNameTakesItsOwnDirectoryOnly) {
  client().create_database(MakeDatabase("sales"));
  client().create_table(MakeTable("sales", "keep"));
  std::ofstream(directory_ / "warehouse/sales.db/keep/data") << "precious";
  for (const char* name : {".", "..", "a.b", "a/b", "../keep", "keep/."}) {
    client().create_table(MakeTable("sales", name));
    EXPECT_EQ(ReadTable("sales", name).sd.location,
              Warehouse::TableLocation(Place("sales.db"), name));
    client().drop_table("sales", name, true);
    EXPECT_TRUE(Exists("sales.db/keep/data")) << name;
  }
}

TEST_F(OddNamesTest, RenamingMovesWithinTheDatabase) {
  client().create_database(MakeDatabase("sales"));
  client().create_table(MakeTable("sales", "t"));
  api::Table table = ReadTable("sales", "t");
  table.__set_tableName("..");
  client().alter_table("sales", "t", table);
  EXPECT_EQ(ReadTable("sales", "..").sd.location, Place("sales.db/-46--46-"));
  EXPECT_TRUE(Exists("sales.db/-46--46-"));
}

TEST_F(OddNamesTest, ATableThatLiesInTheWarehouseRootLeavesItThere) {
  client().create_database(MakeDatabase("sales"));
  api::Table table = MakeTable("sales", "root");
  table.sd.__set_location("file:" + (directory_ / "warehouse"));
  client().create_table(table);
  client().drop_table("sales", "root", true);
  EXPECT_TRUE(Exists("sales.db"));
}

}  // namespace

}  // namespace catalogd::hms
