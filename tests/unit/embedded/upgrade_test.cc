#include <sqlite3.h>

#include <fstream>
#include <sstream>

#include "hms_client/embedded/schema.h"
#include "tests/unit/embedded/embedded_fixture.h"

// What could go wrong: a new build loses what an older one has stored, numbers events or tables
// anew, or cannot use an older row with what the newer tables hold.
namespace catalogd::hms {
namespace {

class UpgradeTest : public EmbeddedTest {
 protected:
  void SetUp() override {
    std::ifstream file(CATALOGD_EMBEDDED_FILES "/version1.sql");
    std::ostringstream script;
    script << file.rdbuf();
    ASSERT_THAT(script.str(), HasSubstr("user_version = 1"));
    Sql(script.str());
    EmbeddedTest::SetUp();
  }

  // Runs a script; returns the last value that it answers.
  std::string Sql(const std::string& script) {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(Options().path.c_str(), &db), SQLITE_OK);
    std::string value;
    const auto take = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) = values[0];
      return 0;
    };
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(db, script.c_str(), take, &value, &error), SQLITE_OK) << error;
    sqlite3_close(db);
    return value;
  }
};

TEST_F(UpgradeTest, ObjectsOfVersion1AreThere) {
  Strings names;
  client().get_all_databases(names);
  EXPECT_THAT(names, ElementsAre("default", "sales"));
  api::Database database;
  client().get_database(database, "sales");
  EXPECT_EQ(database.locationUri, "s3a://bucket/warehouse/sales.db");
  EXPECT_EQ(database.parameters.at("kind"), "test");
  client().get_all_tables(names, "sales");
  EXPECT_THAT(names, ElementsAre("orders", "v"));
  EXPECT_EQ(ReadTable("sales", "v").viewOriginalText, "select 1");
  const api::Table orders = ReadTable("sales", "orders");
  EXPECT_EQ(orders.id, 1);
  EXPECT_EQ(orders.parameters.at("note"), "it's \xc3\xa9");
  EXPECT_EQ(orders.partitionKeys.at(0).name, "day");
  client().get_partition_names(names, "sales", "orders", -1);
  EXPECT_THAT(names, ElementsAre("day=1", "day=a b%2Fc"));
  EXPECT_EQ(ReadPartition("sales", "orders", {"1"}).parameters.at("numRows"), "7");
  EXPECT_EQ(ReadPartition("sales", "orders", {"a b/c"}).sd.location,
            "s3a://bucket/warehouse/sales.db/orders/day=a b%2Fc");
  std::string uuid;
  client().get_metastore_db_uuid(uuid);
  EXPECT_EQ(uuid, "d2fb7340-b88c-4f9f-83d4-73882fc7b7b2");
  EXPECT_EQ(Sql("PRAGMA user_version"), std::to_string(kSchemaVersion));
  EXPECT_EQ(Sql("PRAGMA foreign_key_check; PRAGMA integrity_check"), "ok");
}

TEST_F(UpgradeTest, TheLogGoesOn) {
  Events events = EventsAfter(0);
  EXPECT_THAT(TypesOf(events), ElementsAre("CREATE_DATABASE", "CREATE_DATABASE", "CREATE_TABLE",
                                           "ADD_PARTITION", "ALTER_PARTITION", "CREATE_TABLE",
                                           "DROP_TABLE", "CREATE_TABLE", "DROP_DATABASE"));
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].eventId, static_cast<int64_t>(i) + 1);
  }
  EXPECT_EQ(Image<api::Table>(Message(events[2])["tableObjJson"]), ReadTable("sales", "orders"));
  EXPECT_EQ(CurrentId(), 9);
  client().create_table(MakeTable("sales", "next"));
  EXPECT_EQ(CurrentId(), 10);
  // Numbers of tables that are gone are not given again.
  EXPECT_EQ(ReadTable("sales", "next").id, 4);
  Reopen();
  events = EventsAfter(9);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].tableName, "next");
}

TEST_F(UpgradeTest, WhatIsNewHangsOnOldRows) {
  const api::HiveObjectRef orders = GrantOnOrders();
  std::vector<api::HiveObjectPrivilege> found;
  client().list_privileges(found, "alice", api::PrincipalType::USER, orders);
  EXPECT_EQ(found.size(), 1U);
  api::Table next = ReadTable("sales", "orders");
  next.__set_tableName("renamed");
  client().alter_table("sales", "orders", next);
  EXPECT_EQ(ReadPartition("sales", "renamed", {"1"}).tableName, "renamed");
  client().drop_database("sales", false, true);
  EXPECT_EQ(Sql("SELECT count(*) FROM privileges"), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM partitions"), "0");
}

}  // namespace
}  // namespace catalogd::hms
