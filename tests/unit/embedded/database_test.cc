#include "tests/unit/embedded/embedded_fixture.h"

namespace catalogd::hms {

namespace {

class DatabaseTest : public EmbeddedTest {};

// A follower starts from `default`; it must be there before the first event.
TEST_F(DatabaseTest, DefaultExistsBeforeTheFirstEvent) {
  api::Database database;
  client().get_database(database, "default");
  EXPECT_EQ(database.ownerName, "public");
  EXPECT_EQ(database.ownerType, api::PrincipalType::ROLE);
  EXPECT_EQ(database.locationUri, "file:" + (directory_ / "warehouse"));
  EXPECT_EQ(CurrentId(), 0);
}

TEST_F(DatabaseTest, CreateCompletesAndAnnouncesWhatIsStored) {
  const api::NotificationEvent event = EventOf([&] {
    api::Database database = MakeDatabase("Sales");
    database.__set_description("a \"quoted\" größe");
    client().create_database(database);
  });
  api::Database stored;
  client().get_database(stored, "SALES");
  EXPECT_EQ(stored.name, "sales");
  EXPECT_EQ(stored.catalogName, "hive");
  EXPECT_EQ(stored.locationUri, Place("sales.db"));
  EXPECT_EQ(stored.createTime, kStartSeconds);
  EXPECT_FALSE(stored.__isset.managedLocationUri);
  EXPECT_TRUE(Exists("sales.db"));
  EXPECT_EQ(event.eventType, "CREATE_DATABASE");
  EXPECT_EQ(event.dbName, "sales");
  EXPECT_FALSE(event.__isset.tableName);
  EXPECT_EQ(event.messageFormat, "json-0.2");
  const auto message = Message(event);
  EXPECT_THAT(KeysOf(message),
              ElementsAre("server", "servicePrincipal", "db", "dbJson", "timestamp"));
  EXPECT_EQ(message["timestamp"], kStartSeconds);
  EXPECT_EQ(Image<api::Database>(message["dbJson"]), stored);
}

TEST_F(DatabaseTest, CreateRefusesWhatCannotBe) {
  client().create_database(MakeDatabase("sales"));
  const int64_t before = CurrentId();
  EXPECT_THAT([&] { client().create_database(MakeDatabase("SALES")); },
              ThrowsHive<api::AlreadyExistsException>("Database sales already exists"));
  EXPECT_THAT([&] { client().create_database(MakeDatabase("no\tgood")); },
              ThrowsHive<api::InvalidObjectException>("no\tgood is not a valid database name"));
  EXPECT_THAT([&] { client().create_database(MakeDatabase("")); },
              ThrowsHive<api::InvalidObjectException>("not a valid database name"));
  EXPECT_EQ(CurrentId(), before);
}

TEST_F(DatabaseTest, RequestFormsDoTheSame) {
  api::CreateDatabaseRequest create;
  create.__set_databaseName("sales");
  create.__set_ownerName("bob");
  create.__set_parameters({{"k", "v"}});
  client().create_database_req(create);
  api::GetDatabaseRequest get;
  get.__set_name("sales");
  get.__set_catalogName("hive");
  api::Database stored;
  client().get_database_req(stored, get);
  EXPECT_EQ(stored.ownerName, "bob");
  EXPECT_EQ(stored.parameters.at("k"), "v");

  api::AlterDatabaseRequest alter;
  alter.__set_oldDbName("sales");
  stored.__set_parameters({{"k", "w"}});
  alter.__set_newDb(stored);
  client().alter_database_req(alter);
  client().get_database_req(stored, get);
  EXPECT_EQ(stored.parameters.at("k"), "w");
  // As Hive's own client of 4.2 names it.
  alter.__set_oldDbName("@hive#sales");
  stored.__set_parameters({{"k", "x"}});
  alter.__set_newDb(stored);
  client().alter_database_req(alter);
  client().get_database_req(stored, get);
  EXPECT_EQ(stored.parameters.at("k"), "x");

  api::GetDatabaseObjectsRequest list;
  list.__set_pattern("sal*");
  api::GetDatabaseObjectsResponse found;
  client().get_databases_req(found, list);
  EXPECT_THAT(found.databases, ElementsAre(stored));

  api::DropDatabaseRequest drop;
  drop.__set_name("sales");
  drop.__set_deleteData(true);
  client().drop_database_req(drop);
  EXPECT_THAT([&] { client().drop_database_req(drop); },
              ThrowsHive<api::NoSuchObjectException>("database hive.sales"));
  drop.__set_ignoreUnknownDb(true);
  client().drop_database_req(drop);
}

TEST_F(DatabaseTest, ListsAreSortedAndPatternsMatchWholeNames) {
  for (const char* name : {"zeta", "alpha", "alphabet"}) {
    client().create_database(MakeDatabase(name));
  }
  Strings names;
  client().get_all_databases(names);
  EXPECT_THAT(names, ElementsAre("alpha", "alphabet", "default", "zeta"));
  client().get_databases(names, "ALPHA|z*");
  EXPECT_THAT(names, ElementsAre("alpha", "zeta"));
  client().get_databases(names, "@hive#al.*");
  EXPECT_THAT(names, ElementsAre("alpha", "alphabet"));
  client().get_databases(names, "@hive#");
  EXPECT_EQ(names.size(), 4U);
  client().get_databases(names, "@other#");
  EXPECT_THAT(names, IsEmpty());
  client().get_databases(names, "a[b");
  EXPECT_THAT(names, IsEmpty());
}

// Hive 4 keeps a changed description to itself; a follower of this log must hear of it.
TEST_F(DatabaseTest, EveryAlterIsAnnounced) {
  client().create_database(MakeDatabase("sales"));
  api::Database before;
  client().get_database(before, "sales");
  api::Database next = before;
  next.__set_name("other");
  next.__set_description("new words");
  const auto event = EventOf([&] { client().alter_database("sales", next); });
  api::Database after;
  client().get_database(after, "sales");
  EXPECT_EQ(after.name, "sales");
  EXPECT_EQ(after.description, "new words");
  const auto message = Message(event);
  EXPECT_THAT(KeysOf(message), ElementsAre("server", "servicePrincipal", "db", "dbObjBeforeJson",
                                           "dbObjAfterJson", "timestamp"));
  EXPECT_EQ(Image<api::Database>(message["dbObjBeforeJson"]), before);
  EXPECT_EQ(Image<api::Database>(message["dbObjAfterJson"]), after);
  EXPECT_THAT([&] { client().alter_database("nowhere", next); },
              ThrowsHive<api::NoSuchObjectException>("database hive.nowhere"));
}

TEST_F(DatabaseTest, DropOfAFullDatabaseNeedsCascade) {
  CreateOrders();
  EXPECT_THAT([&] { client().drop_database("sales", true, false); },
              ThrowsHive<api::InvalidOperationException>(
                  "Database sales is not empty. One or more tables exist."));
  EXPECT_THAT([&] { client().drop_database("default", true, true); },
              ThrowsHive<api::MetaException>("Can not drop default database in catalog hive"));
}

TEST_F(DatabaseTest, CascadeTellsOfEachTableMaterializedViewsFirst) {
  CreateOrders();
  api::Table view = MakeTable("sales", "zz_view");
  view.__set_tableType("MATERIALIZED_VIEW");
  client().create_table(view);
  client().create_table(MakeTable("sales", "a"));
  const int64_t before = CurrentId();
  client().drop_database("sales", true, true);
  const Events events = EventsAfter(before);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_THAT(TypesOf(events),
              ElementsAre("DROP_TABLE", "DROP_TABLE", "DROP_TABLE", "DROP_DATABASE"));
  EXPECT_EQ(events[0].tableName, "zz_view");
  EXPECT_EQ(events[1].tableName, "a");
  EXPECT_EQ(events[2].tableName, "orders");
  EXPECT_THAT(KeysOf(Message(events[3])),
              ElementsAre("server", "servicePrincipal", "db", "dbJson", "timestamp"));
  EXPECT_FALSE(Exists("sales.db"));
  EXPECT_THAT([&] { ReadTable("sales", "orders"); },
              ThrowsHive<api::NoSuchObjectException>("hive.sales.orders table not found"));
}

TEST_F(DatabaseTest, OtherCatalogsDoNotExist) {
  api::Database database;
  EXPECT_THAT([&] { client().get_database(database, "@other#default"); },
              ThrowsHive<api::NoSuchObjectException>("database other.default"));
  database = MakeDatabase("sales");
  database.__set_catalogName("other");
  EXPECT_THAT([&] { client().create_database(database); },
              ThrowsHive<api::InvalidObjectException>("No such catalog other"));
  api::GetCatalogsResponse catalogs;
  client().get_catalogs(catalogs);
  EXPECT_THAT(catalogs.names, ElementsAre("hive"));
  api::GetCatalogRequest request;
  request.__set_name("other");
  api::GetCatalogResponse catalog;
  EXPECT_THAT([&] { client().get_catalog(catalog, request); },
              ThrowsHive<api::NoSuchObjectException>("other"));
}

}  // namespace

}  // namespace catalogd::hms
