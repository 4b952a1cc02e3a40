#include <sqlite3.h>

#include <fstream>

#include "hms_client/embedded/schema.h"
#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

// Foreign hands on the file: another process's SQLite.
class OtherProcess {
 public:
  explicit OtherProcess(const std::string& path) { sqlite3_open(path.c_str(), &db_); }
  ~OtherProcess() { sqlite3_close(db_); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  void Run(const std::string& sql) {
    char* error = nullptr;
    ASSERT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  }

 private:
  sqlite3* db_ = nullptr;
};

class FileTest : public EmbeddedTest {
 protected:
  void Close() {
    client_.reset();
    metastore_.reset();
  }
  Error OpenError(const EmbeddedOptions& options) {
    auto opened = EmbeddedMetastore::Open(options, clock_);
    EXPECT_FALSE(opened);
    return opened ? Error() : opened.error();
  }
  [[nodiscard]] std::string path() const { return Options().path; }
};

TEST_F(FileTest, AFileThatIsNoDatabase) {
  EmbeddedOptions options = Options();
  options.path = directory_ / "text";
  std::ofstream(options.path) << std::string(4096, 'x');
  const Error error = OpenError(options);
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_THAT(error.message, HasSubstr(options.path));
  EXPECT_THAT(error.message, HasSubstr("restore it from a copy"));
}

TEST_F(FileTest, DamagedPagesAreFoundAtStart) {
  CreateOrders();
  for (int i = 0; i < 50; ++i) client().create_table(MakeTable("sales", "t" + std::to_string(i)));
  Close();
  { OtherProcess(path()).Run("PRAGMA wal_checkpoint(TRUNCATE)"); }
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(3 * 4096);
    file << std::string(8 * 4096, '\xa5');
  }
  const Error error = OpenError(Options());
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_THAT(error.message, HasSubstr(path()));
}

TEST_F(FileTest, AnotherProgramsDatabaseIsLeftAlone) {
  EmbeddedOptions options = Options();
  options.path = directory_ / "other.db";
  { OtherProcess(options.path).Run("CREATE TABLE photos (id INTEGER)"); }
  const Error error = OpenError(options);
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_THAT(error.message, HasSubstr("of another program"));
}

TEST_F(FileTest, AFileOfANewerBuildIsRefused) {
  Close();
  { OtherProcess(path()).Run("PRAGMA user_version = " + std::to_string(kSchemaVersion + 1)); }
  const Error error = OpenError(Options());
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr(path()));
  EXPECT_THAT(error.message, HasSubstr("use the newer catalogd"));
}

// What could go wrong: a copy that failed leaves a file of 0 bytes, and the start makes a new
// metastore of it, without databases and with event ids from 1.
TEST_F(FileTest, AnEmptiedFileIsNotTakenForANewMetastore) {
  CreateOrders();
  Close();
  std::filesystem::resize_file(path(), 0);
  std::ofstream(path() + "-wal") << "all there was";
  const Error error = OpenError(Options());
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_THAT(error.message, HasSubstr("metastore file " + path() + " is empty (0 bytes)"));
  EXPECT_THAT(error.message, HasSubstr("restore it from a copy, or remove it"));
  EXPECT_EQ(std::filesystem::file_size(path()), 0U);
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 13U);
  // What the text says is true.
  std::filesystem::remove(path());
  std::filesystem::remove(path() + "-wal");
  Reopen();
  EXPECT_EQ(CurrentId(), 0);
}

// What could go wrong: a first start that was killed leaves a file that no start takes.
TEST_F(FileTest, WhatAKilledFirstStartLeavesIsNoObstacle) {
  Close();
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path() + end);
  std::ofstream(path() + ".new").flush();
  std::ofstream(path() + ".new-wal") << "half a log";
  std::ofstream(path() + "-wal") << "the log of a file that is gone";
  Reopen();
  EXPECT_EQ(CurrentId(), 0);
  CreateOrders();
  for (const char* end : {".new", ".new-wal", ".new-shm"}) {
    EXPECT_FALSE(std::filesystem::exists(path() + end)) << end;
  }
  Reopen();
  EXPECT_GT(CurrentId(), 0);
}

TEST_F(FileTest, AFolderThatIsNotThere) {
  EmbeddedOptions options = Options();
  options.path = directory_ / "no/such/folder.db";
  const Error error = OpenError(options);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("check that its folder exists"));
}

// A lock held elsewhere costs the writes meanwhile, with the reason; reads go on.
TEST_F(FileTest, AFileLockedByAnotherProcess) {
  OtherProcess other(path());
  other.Run("BEGIN IMMEDIATE");
  EXPECT_THAT([&] { client().create_database(MakeDatabase("sales")); },
              ThrowsHive<api::MetaException>("is in use by another process"));
  Strings names;
  client().get_all_databases(names);
  EXPECT_THAT(names, ElementsAre("default"));
  other.Run("COMMIT");
  client().create_database(MakeDatabase("sales"));
  EXPECT_EQ(CurrentId(), 1);
}

TEST_F(FileTest, AFileLockedForGoodCannotBeOpened) {
  Close();
  OtherProcess other(path());
  other.Run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE sequence SET id = 1");
  const Error error = OpenError(Options());
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("stop that process or choose another file"));
}

// What could go wrong: the daemon starts and every look at the log fails with an error that names
// neither the file nor what to do.
TEST_F(FileTest, MissingTablesAndColumnsAreFoundAtStart) {
  const char* const damages[] = {
      "DROP TABLE notification_log", "ALTER TABLE notification_log DROP COLUMN message_format",
      "DELETE FROM sequence", "ALTER TABLE databases RENAME COLUMN object TO bytes",
      "PRAGMA user_version = 0", "PRAGMA user_version = -1",
      // All of them gone; what is left says that they were there.
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_master; PRAGMA writable_schema = RESET"};
  for (const char* damage : damages) {
    Reopen();
    Close();
    std::filesystem::copy_file(path(), directory_ / "kept");
    { OtherProcess(path()).Run(damage); }
    const Error error = OpenError(Options());
    EXPECT_EQ(error.code, ErrorCode::kCorrupt) << damage;
    EXPECT_THAT(error.message, HasSubstr(path())) << damage;
    EXPECT_THAT(error.message, HasSubstr("restore it from a copy")) << damage;
    for (const char* file : {"metastore.db", "metastore.db-wal", "metastore.db-shm"}) {
      std::filesystem::remove(directory_ / file);
    }
    std::filesystem::rename(directory_ / "kept", path());
  }
}

// The log's methods declare no exception: all that a client ever sees is this text.
TEST_F(FileTest, DamageWhileRunningIsToldByTheLogToo) {
  { OtherProcess(path()).Run("DROP TABLE notification_log; DROP TABLE sequence"); }
  const auto tells = [this](const std::string& method) {
    return ::testing::Throws<apache::thrift::TApplicationException>(::testing::Property(
        &apache::thrift::TApplicationException::what,
        ::testing::AllOf(::testing::StartsWith("Internal error processing " + method),
                         HasSubstr(path()), HasSubstr("restore it from a copy"))));
  };
  EXPECT_THAT([&] { EventsAfter(0); }, tells("get_next_notification"));
  EXPECT_THAT([&] { CurrentId(); }, tells("get_current_notificationEventId"));
}

// An object that cannot be read costs itself only.
TEST_F(FileTest, ABrokenObjectCostsItselfOnly) {
  CreateOrders();
  client().create_table(MakeTable("sales", "good"));
  { OtherProcess(path()).Run("UPDATE tables SET object = x'0b' WHERE name = 'orders'"); }
  EXPECT_THAT([&] { ReadTable("sales", "orders"); },
              ThrowsHive<api::MetaException>("stored object"));
  EXPECT_EQ(ReadTable("sales", "good").tableName, "good");
}

// Who is told must know which object to look for, where, and what to do.
TEST_F(FileTest, ADamagedObjectIsNamed) {
  AddDays(CreateOrders(), {"1", "2"});
  api::Function function;
  function.__set_dbName("sales");
  function.__set_functionName("f");
  function.__set_className("c");
  client().create_function(function);
  api::Table view = MakeTable("sales", "v");
  view.__set_tableType("MATERIALIZED_VIEW");
  client().create_table(view);
  const auto damage = [this](const std::string& table, const std::string& name) {
    OtherProcess(path()).Run("UPDATE " + table + " SET object = x'0b' WHERE name = '" + name + "'");
  };
  const auto named = [this](const std::string& name) {
    return ::testing::Throws<api::MetaException>(::testing::Field(
        &api::MetaException::message,
        ::testing::AllOf(::testing::StartsWith(name + " is damaged in metastore file " + path()),
                         HasSubstr("restore the file from a copy, or drop it"))));
  };
  damage("partitions", "day=2");
  std::vector<api::Partition> partitions;
  EXPECT_THAT([&] { ReadPartition("sales", "orders", {"2"}); },
              named("partition day=2 of table sales.orders"));
  EXPECT_THAT([&] { client().get_partitions(partitions, "sales", "orders", -1); },
              named("partition day=2 of table sales.orders"));
  EXPECT_EQ(ReadPartition("sales", "orders", {"1"}).values, Strings{"1"});
  damage("functions", "f");
  EXPECT_THAT([&] { client().get_function(function, "sales", "f"); }, named("function sales.f"));
  damage("tables", "orders");
  EXPECT_THAT([&] { ReadTable("sales", "orders"); }, named("table sales.orders"));
  EXPECT_THAT([&] { client().create_table(MakeTable("sales", "orders")); },
              named("table sales.orders"));
  damage("databases", "sales");
  api::Database database;
  EXPECT_THAT([&] { client().get_database(database, "sales"); }, named("database sales"));
}

// The way out that the error names: rows and events go, files of unknown places stay.
TEST_F(FileTest, DamagedObjectsCanBeDropped) {
  AddDays(CreateOrders(), {"1", "2", "a b"});
  client().create_table(MakeTable("sales", "good"));
  api::Function function;
  function.__set_dbName("sales");
  function.__set_functionName("f");
  function.__set_className("c");
  client().create_function(function);
  api::Table view = MakeTable("sales", "v");
  view.__set_tableType("MATERIALIZED_VIEW");
  client().create_table(view);
  const auto damage = [this](const std::string& table, const std::string& condition) {
    OtherProcess(path()).Run("UPDATE " + table + " SET object = x'0b' WHERE " + condition);
  };
  damage("partitions", "name <> 'day=1'");
  auto event = EventOf([&] { client().drop_partition("sales", "orders", {"2"}, true); });
  EXPECT_EQ(event.eventType, "DROP_PARTITION");
  EXPECT_EQ(Message(event)["partitions"].dump(), R"([{"day":"2"}])");
  EXPECT_TRUE(Exists("sales.db/orders/day=2"));

  // A view that cannot be read may be made of anything, and stops no drop.
  damage("tables", "name IN ('orders', 'v')");
  std::vector<api::TableMeta> metas;
  client().get_table_meta(metas, "*", "*", {});
  EXPECT_EQ(metas.size(), 3U);
  event = EventOf([&] { client().drop_table("sales", "good", true); });
  EXPECT_FALSE(Exists("sales.db/good"));
  event = EventOf([&] { client().drop_table("sales", "orders", true); });
  EXPECT_EQ(event.tableName, "orders");
  EXPECT_EQ(Message(event)["tableType"], "MANAGED_TABLE");
  const auto image = Image<api::Table>(Message(event)["tableObjJson"]);
  EXPECT_EQ(image.dbName + "." + image.tableName, "sales.orders");
  EXPECT_TRUE(Exists("sales.db/orders/day=1"));

  damage("functions", "name = 'f'");
  damage("databases", "name = 'sales'");
  const int64_t before = CurrentId();
  EXPECT_THAT([&] { client().drop_database("sales", true, false); },
              ThrowsHive<api::InvalidOperationException>("Database sales is not empty"));
  client().drop_database("sales", true, true);
  const Events events = EventsAfter(before);
  EXPECT_THAT(TypesOf(events), ElementsAre("DROP_FUNCTION", "DROP_TABLE", "DROP_DATABASE"));
  EXPECT_EQ(Image<api::Database>(Message(events.back())["dbJson"]).name, "sales");
  CreateOrders();
}

TEST_F(FileTest, APartitionThatCannotBeReadGoesWithItsTable) {
  AddDays(CreateOrders(), {"1", "2"});
  { OtherProcess(path()).Run("UPDATE partitions SET object = x'0b' WHERE name = 'day=2'"); }
  client().drop_table("sales", "orders", true);
  EXPECT_FALSE(Exists("sales.db/orders"));
}

TEST_F(FileTest, ADamagedPrivilegeDoesNotHoldUpARename) {
  CreateOrders();
  GrantOnOrders();
  { OtherProcess(path()).Run("UPDATE privileges SET object = x'0b'"); }
  api::Table next = ReadTable("sales", "orders");
  next.__set_tableName("renamed");
  client().alter_table("sales", "orders", next);
  EXPECT_EQ(ReadTable("sales", "renamed").tableName, "renamed");
}

TEST_F(FileTest, DamagedThingsOfATableAreNamed) {
  CreateOrders();
  const api::HiveObjectRef orders = GrantOnOrders();
  api::SQLPrimaryKey key;
  key.__set_table_db("sales");
  key.__set_table_name("orders");
  key.__set_column_name("id");
  key.__set_pk_name("k");
  api::AddPrimaryKeyRequest add;
  add.__set_primaryKeyCols({key});
  client().add_primary_key(add);
  {
    OtherProcess(path()).Run(
        "UPDATE privileges SET object = x'0b'; UPDATE constraints SET object = x'0b';"
        "INSERT INTO table_statistics SELECT id, 'hive', 'name', 0, x'0b' FROM tables");
  }
  std::vector<api::HiveObjectPrivilege> found;
  EXPECT_THAT([&] { client().list_privileges(found, "", api::PrincipalType::USER, orders); },
              ThrowsHive<api::MetaException>("privilege of alice on sales.orders is damaged"));
  api::PrimaryKeysRequest request;
  request.db_name = "sales";
  request.tbl_name = "orders";
  api::PrimaryKeysResponse keys;
  EXPECT_THAT([&] { client().get_primary_keys(keys, request); },
              ThrowsHive<api::MetaException>("constraint k of table sales.orders is damaged"));
  api::ColumnStatistics statistics;
  EXPECT_THAT(
      [&] { client().get_table_column_statistics(statistics, "sales", "orders", "name"); },
      ThrowsHive<api::MetaException>("statistics of column name of table sales.orders is damaged"));
}

TEST_F(FileTest, TwoMetastoresOnOneFileShareOneLog) {
  auto opened = EmbeddedMetastore::Open(Options(), clock_);
  ASSERT_TRUE(opened) << opened.error().ToString();
  HmsTestClient second(*(*opened)->Open({}, TimePoint::max()));
  client().create_database(MakeDatabase("a"));
  second.create_database(MakeDatabase("b"));
  client().create_database(MakeDatabase("c"));
  EXPECT_EQ(EventsAfter(0).size(), 3U);
  EXPECT_EQ(CurrentId(), 3);
}

}  // namespace

}  // namespace catalogd::hms
