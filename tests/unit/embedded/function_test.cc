#include "tests/unit/embedded/embedded_fixture.h"

// What could go wrong: functions or constraints that are lost, doubled, outlive their database or
// table, or are not told of in the log.
namespace catalogd::hms {
namespace {

api::Function MakeFunction(const std::string& db, const std::string& name) {
  api::Function function;
  function.__set_functionName(name);
  function.__set_dbName(db);
  function.__set_className("a.B");
  function.__set_ownerName("alice");
  function.__set_ownerType(api::PrincipalType::USER);
  function.__set_functionType(api::FunctionType::JAVA);
  return function;
}

class FunctionTest : public EmbeddedTest {
 protected:
  Strings Names(const std::string& db, const std::string& pattern = "*") {
    Strings names;
    client().get_functions(names, db, pattern);
    return names;
  }
  api::SQLPrimaryKey PrimaryKey(const std::string& column, const std::string& name) {
    api::SQLPrimaryKey key;
    key.__set_table_db("sales");
    key.__set_table_name("Orders");
    key.__set_column_name(column);
    key.__set_key_seq(1);
    key.__set_pk_name(name);
    key.__set_rely_cstr(true);
    return key;
  }
  void Add(const api::SQLPrimaryKey& key) {
    api::AddPrimaryKeyRequest request;
    request.primaryKeyCols = {key};
    client().add_primary_key(request);
  }
  std::vector<api::SQLPrimaryKey> PrimaryKeys(const std::string& table) {
    api::PrimaryKeysRequest request;
    request.db_name = "sales";
    request.tbl_name = table;
    api::PrimaryKeysResponse answer;
    client().get_primary_keys(answer, request);
    return answer.primaryKeys;
  }
  void Drop(const std::string& name) {
    api::DropConstraintRequest request;
    request.dbname = "sales";
    request.tablename = "orders";
    request.constraintname = name;
    client().drop_constraint(request);
  }
};

TEST_F(FunctionTest, FunctionsLive) {
  client().create_database(MakeDatabase("sales"));
  const api::NotificationEvent created =
      EventOf([&] { client().create_function(MakeFunction("Sales", "Twice")); });
  EXPECT_EQ(created.eventType, "CREATE_FUNCTION");
  EXPECT_EQ(created.dbName, "sales");
  EXPECT_FALSE(created.__isset.tableName);
  EXPECT_THAT(KeysOf(Message(created)),
              ElementsAre("server", "servicePrincipal", "db", "functionObjJson", "timestamp"));
  api::Function read;
  client().get_function(read, "sales", "TWICE");
  EXPECT_EQ(read.functionName, "twice");
  EXPECT_EQ(read.createTime, kStartSeconds);
  EXPECT_EQ(read.catName, "hive");
  EXPECT_TRUE(read.__isset.resourceUris);

  api::Function next = MakeFunction("sales", "thrice");
  next.__set_className("c.D");
  const int64_t before = CurrentId();
  client().alter_function("sales", "twice", next);
  EXPECT_EQ(CurrentId(), before);
  EXPECT_THAT(Names("sales"), ElementsAre("thrice"));
  client().get_function(read, "sales", "thrice");
  EXPECT_EQ(read.className, "c.D");

  const api::NotificationEvent dropped =
      EventOf([&] { client().drop_function("sales", "Thrice"); });
  EXPECT_EQ(dropped.eventType, "DROP_FUNCTION");
  EXPECT_EQ(Message(dropped)["functionName"], "thrice");
  EXPECT_THAT(Names("sales"), IsEmpty());
}

TEST_F(FunctionTest, FunctionsAreListed) {
  client().create_database(MakeDatabase("sales"));
  client().create_function(MakeFunction("sales", "fb"));
  client().create_function(MakeFunction("sales", "fa"));
  client().create_function(MakeFunction("default", "g"));
  EXPECT_THAT(Names("sales"), ElementsAre("fa", "fb"));
  EXPECT_THAT(Names("@hive#sales", "*B"), ElementsAre("fb"));
  EXPECT_THAT(Names("none"), IsEmpty());
  api::GetAllFunctionsResponse all;
  client().get_all_functions(all);
  EXPECT_EQ(all.functions.size(), 3U);
  api::GetFunctionsRequest request;
  request.dbName = "sales";
  request.__set_returnNames(false);
  api::GetFunctionsResponse answer;
  client().get_functions_req(answer, request);
  ASSERT_EQ(answer.functions.size(), 2U);
  EXPECT_EQ(answer.functions[0].functionName, "fa");
}

TEST_F(FunctionTest, BadFunctionsAreRefused) {
  client().create_function(MakeFunction("default", "f"));
  EXPECT_THAT([&] { client().create_function(MakeFunction("default", "F")); },
              ThrowsHive<api::AlreadyExistsException>("Function F already exists"));
  EXPECT_THAT([&] { client().create_function(MakeFunction("default", "f g")); },
              ThrowsHive<api::InvalidObjectException>("f g is not a valid object name"));
  EXPECT_THAT([&] { client().create_function(MakeFunction("none", "f")); },
              ThrowsHive<api::NoSuchObjectException>("database hive.none"));
  api::Function bare = MakeFunction("default", "g");
  bare.__isset.className = false;
  EXPECT_THAT([&] { client().create_function(bare); },
              ThrowsHive<api::InvalidObjectException>("Function class name cannot be null"));
  bare.__isset.dbName = false;
  EXPECT_THAT([&] { client().create_function(bare); },
              ThrowsHive<api::MetaException>("Database name in Function cannot be null."));
  api::Function read;
  // Spark looks for these words.
  EXPECT_THAT([&] { client().get_function(read, "default", "g"); },
              ThrowsHive<api::NoSuchObjectException>("Function default.g does not exist"));
  EXPECT_THAT([&] { client().drop_function("default", "g"); },
              ThrowsHive<api::NoSuchObjectException>("Function g does not exist"));
  EXPECT_THAT([&] { client().alter_function("default", "g", MakeFunction("default", "h")); },
              ThrowsHive<api::MetaException>("function g doesn't exist"));
}

TEST_F(FunctionTest, ADatabaseTakesItsFunctionsAlong) {
  client().create_database(MakeDatabase("sales"));
  client().create_function(MakeFunction("sales", "f"));
  EXPECT_THAT([&] { client().drop_database("sales", false, false); },
              ThrowsHive<api::InvalidOperationException>("One or more functions exist."));
  const int64_t before = CurrentId();
  client().drop_database("sales", false, true);
  EXPECT_THAT(TypesOf(EventsAfter(before)), ElementsAre("DROP_FUNCTION", "DROP_DATABASE"));
}

TEST_F(FunctionTest, ConstraintsLive) {
  CreateOrders();
  const api::NotificationEvent added = EventOf([&] { Add(PrimaryKey("ID", "Pk1")); });
  EXPECT_EQ(added.eventType, "ADD_PRIMARYKEY");
  EXPECT_EQ(added.tableName, "orders");
  EXPECT_EQ(Message(added)["primaryKeyListJson"].size(), 1U);
  auto keys = PrimaryKeys("ORDERS");
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].column_name, "id");
  EXPECT_EQ(keys[0].pk_name, "pk1");
  EXPECT_TRUE(keys[0].rely_cstr);
  EXPECT_THAT([&] { Add(PrimaryKey("name", "pk2")); },
              ThrowsHive<api::MetaException>(" Primary key already exists for: hive.sales.orders"));

  // They follow their table to its new name.
  api::Table table = ReadTable("sales", "orders");
  table.__set_tableName("bills");
  client().alter_table("sales", "orders", table);
  keys = PrimaryKeys("bills");
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].table_name, "bills");
  client().drop_table("sales", "bills", false);
  EXPECT_THAT(PrimaryKeys("bills"), IsEmpty());
}

TEST_F(FunctionTest, ForeignKeysNameBothTables) {
  CreateOrders();
  client().create_table(MakeTable("sales", "lines"));
  api::SQLForeignKey key;
  key.__set_pktable_db("sales");
  key.__set_pktable_name("orders");
  key.__set_pkcolumn_name("id");
  key.__set_fktable_db("sales");
  key.__set_fktable_name("lines");
  key.__set_fkcolumn_name("id");
  key.__set_fk_name("fk1");
  api::AddForeignKeyRequest request;
  request.foreignKeyCols = {key};
  const api::NotificationEvent added = EventOf([&] { client().add_foreign_key(request); });
  EXPECT_EQ(added.eventType, "ADD_FOREIGNKEY");
  EXPECT_EQ(added.tableName, "orders");
  const auto found = [&](const std::string& parent, const std::string& child) {
    api::ForeignKeysRequest wanted;
    if (!parent.empty()) {
      wanted.__set_parent_db_name("sales");
      wanted.__set_parent_tbl_name(parent);
    }
    if (!child.empty()) {
      wanted.__set_foreign_db_name("sales");
      wanted.__set_foreign_tbl_name(child);
    }
    api::ForeignKeysResponse answer;
    client().get_foreign_keys(answer, wanted);
    return answer.foreignKeys.size();
  };
  EXPECT_EQ(found("orders", "lines"), 1U);
  EXPECT_EQ(found("", "lines"), 1U);
  EXPECT_EQ(found("orders", ""), 1U);
  EXPECT_EQ(found("lines", "lines"), 0U);
  client().drop_table("sales", "orders", false);
  EXPECT_EQ(found("", "lines"), 0U);
}

TEST_F(FunctionTest, ATableIsMadeWithItsConstraints) {
  client().create_database(MakeDatabase("sales"));
  const api::Table table = MakeTable("sales", "orders");
  api::SQLUniqueConstraint unique;
  unique.__set_table_db("sales");
  unique.__set_table_name("orders");
  unique.__set_column_name("name");
  api::SQLNotNullConstraint not_null;
  not_null.__set_table_db("sales");
  not_null.__set_table_name("orders");
  not_null.__set_column_name("id");
  const int64_t before = CurrentId();
  client().create_table_with_constraints(table, {PrimaryKey("id", "pk1")}, {}, {unique}, {not_null},
                                         {}, {});
  EXPECT_THAT(TypesOf(EventsAfter(before)),
              ElementsAre("CREATE_TABLE", "ADD_PRIMARYKEY", "ADD_UNIQUECONSTRAINT",
                          "ADD_NOTNULLCONSTRAINT"));
  api::AllTableConstraintsRequest request;
  request.dbName = "sales";
  request.tblName = "orders";
  api::AllTableConstraintsResponse all;
  client().get_all_table_constraints(all, request);
  EXPECT_EQ(all.allTableConstraints.primaryKeys.size(), 1U);
  // A name is made up where none is given.
  EXPECT_THAT(all.allTableConstraints.uniqueConstraints[0].uk_name, HasSubstr("uk_"));
  EXPECT_THAT(all.allTableConstraints.notNullConstraints[0].nn_name, HasSubstr("nn_"));

  // Together or not at all.
  const int64_t now = CurrentId();
  EXPECT_THAT(
      [&] {
        client().create_table_with_constraints(MakeTable("sales", "bills"),
                                               {PrimaryKey("nothing", "pk9")}, {}, {}, {}, {}, {});
      },
      ThrowsHive<api::InvalidObjectException>("Column nothing"));
  EXPECT_EQ(CurrentId(), now);
  EXPECT_THAT([&] { ReadTable("sales", "bills"); },
              ThrowsHive<api::NoSuchObjectException>("bills table not found"));
}

TEST_F(FunctionTest, ConstraintsAreDroppedByName) {
  CreateOrders();
  Add(PrimaryKey("id", "pk1"));
  EXPECT_THROW(Drop("gone"), apache::thrift::TApplicationException);
  const api::NotificationEvent dropped = EventOf([&] { Drop("PK1"); });
  EXPECT_EQ(dropped.eventType, "DROP_CONSTRAINT");
  EXPECT_EQ(Message(dropped)["constraintName"], "pk1");
  EXPECT_THAT(PrimaryKeys("orders"), IsEmpty());
}

}  // namespace
}  // namespace catalogd::hms
