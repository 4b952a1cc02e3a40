#include "events/event_decoder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"

namespace catalogd::events {
namespace {

using nlohmann::json;

const ObjectName kOrders = ObjectName::Table("hive", "sales", "orders");

hms::NotificationEvent Row(const std::string& type, const json& message) {
  hms::NotificationEvent row;
  row.id = EventId(7);
  row.type = type;
  row.db = "sales";
  row.table = "orders";
  row.message = message.dump();
  return row;
}

// Thrift-JSON of a table with these columns.
std::string Table(const std::string& db, const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& columns,
                  const std::string& comment = "") {
  std::string list;
  for (const auto& [column, type] : columns) {
    list += R"(,{"1":{"str":")" + column + R"("},"2":{"str":")" + type + R"("},"3":{"str":)" +
            json(comment).dump() + "}}";
  }
  return R"({"1":{"str":")" + name + R"("},"2":{"str":")" + db +
         R"("},"4":{"i32":1},"7":{"rec":{"1":{"lst":["rec",)" + std::to_string(columns.size()) +
         list +
         R"(]},"2":{"str":"file:/x"},"5":{"tf":0}}},"8":{"lst":["rec",2,{"1":{"str":"dt"},)" +
         R"("2":{"str":"string"}},{"1":{"str":"region"},"2":{"str":"string"}}]},)" +
         R"("9":{"map":["str","str",0,{}]}})";
}

const std::string kPartition = R"({"1":{"lst":["str",2,"2024-01-01","emea"]},"2":{"str":"sales"}})";

json Alter(const std::string& before, const std::string& after) {
  return {{"db", "sales"},
          {"table", "orders"},
          {"tableObjBeforeJson", before},
          {"tableObjAfterJson", after}};
}

// --- Names -----------------------------------------------------------------------------------

TEST(EventDecoder, RowColumnsWinAndAreNormalised) {
  hms::NotificationEvent row = Row("DROP_TABLE", {{"db", "other"}, {"table", "thing"}});
  row.db = "Sales";
  row.table = "ORDERS";
  EXPECT_EQ(DecodeEvent(row).name, kOrders);
  row.catalog = "Spark";
  EXPECT_EQ(DecodeEvent(row).name, ObjectName::Table("spark", "sales", "orders"));
}

TEST(EventDecoder, MessageFillsInForTheRow) {
  const std::vector<std::pair<std::string, json>> messages = {
      {"DROP_TABLE", {{"db", "sales"}, {"table", "orders"}}},
      {"INSERT", {{"db", "sales"}, {"table", "Orders"}}},
      {"DROP_CONSTRAINT", {{"dbName", "sales"}, {"tableName", "orders"}}},
      {"ALLOC_WRITE_ID_EVENT", {{"dbName", "sales"}, {"tableName", "orders"}}},
      {"COMMIT_COMPACTION_EVENT", {{"dbname", "sales"}, {"tableName", "orders"}}},
      {"ADD_PRIMARYKEY",
       {{"primaryKeyListJson", {R"({"1":{"str":"sales"},"2":{"str":"orders"}})"}}}},
      {"ADD_UNIQUECONSTRAINT",
       {{"uniqueConstraintListJson",
         {R"({"1":{"str":"hive"},"2":{"str":"sales"},"3":{"str":"orders"}})"}}}}};
  for (const auto& [type, message] : messages) {
    hms::NotificationEvent row = Row(type, message);
    row.db.reset();
    row.table.reset();
    const Event event = DecodeEvent(row);
    EXPECT_EQ(event.problem, "") << type;
    EXPECT_EQ(event.name, kOrders) << type;
  }
}

TEST(EventDecoder, BlankTableOfHive3IsNoTable) {
  hms::NotificationEvent row =
      Row("ALLOC_WRITE_ID_EVENT", {{"dbName", "sales"}, {"tableName", "orders"}});
  row.table = " ";
  EXPECT_EQ(DecodeEvent(row).name, kOrders);
  row = Row("OPEN_TXN", {{"txnIds", {1}}});
  row.db = "null";
  row.table = " ";
  EXPECT_EQ(DecodeEvent(row).name, ObjectName());
  EXPECT_EQ(DecodeEvent(row).kind, EventKind::kTransaction);
}

TEST(EventDecoder, DatabaseEventsTakeTheNameOfTheRow) {
  hms::NotificationEvent row = Row(
      "ALTER_DATABASE", {{"db", "x"}, {"dbObjAfterJson", R"({"1":{"str":"client_said_this"}})"}});
  row.table.reset();
  EXPECT_EQ(DecodeEvent(row).name, ObjectName::Database("hive", "sales"));
}

TEST(EventDecoder, NoNameAnywhereIsAProblem) {
  for (const char* type : {"CREATE_TABLE", "DROP_TABLE", "ADD_PARTITION", "ALTER_TABLE",
                           "DROP_DATABASE", "CREATE_DATABASE", "ADD_PRIMARYKEY"}) {
    hms::NotificationEvent row = Row(type, json::object());
    row.db.reset();
    row.table.reset();
    const Event event = DecodeEvent(row);
    EXPECT_NE(event.problem, "") << type;
    EXPECT_EQ(event.name, ObjectName()) << type;
  }
}

TEST(EventDecoder, UnknownTypesKeepTheNamesOfTheRow) {
  hms::NotificationEvent row = Row("SOMETHING_NEW", "not even an object");
  Event event = DecodeEvent(row);
  EXPECT_EQ(event.kind, EventKind::kUnknown);
  EXPECT_EQ(event.name, kOrders);
  EXPECT_EQ(event.problem, "");
  row.table.reset();
  EXPECT_EQ(DecodeEvent(row).name, ObjectName::Database("hive", "sales"));
  row.db.reset();
  EXPECT_EQ(DecodeEvent(row).name, ObjectName());
}

// --- Indexes (Hive 2.3) -----------------------------------------------------------------------

hms::NotificationEvent DropIndex(const json& message) {
  hms::NotificationEvent row = Row("DROP_INDEX", message);
  row.table.reset();
  return row;
}

// The table of an index goes without a DROP_TABLE: who does not see it here keeps it for ever.
TEST(EventDecoder, ADroppedIndexTakesItsTableAlong) {
  const Event event = DecodeEvent(
      DropIndex({{"db", "sales"}, {"origTableName", "orders"}, {"indexTableName", "Sales__Ix__"}}));
  EXPECT_EQ(event.kind, EventKind::kDropTable);
  EXPECT_EQ(event.name, ObjectName::Table("hive", "sales", "sales__ix__"));
  EXPECT_EQ(event.type, "DROP_INDEX");
  const Event elsewhere = DecodeEvent(DropIndex({{"indexTableName", "other.ix"}}));
  EXPECT_EQ(elsewhere.name, ObjectName::Table("hive", "other", "ix"));
}

TEST(EventDecoder, ADroppedIndexWithoutATableChangesNothing) {
  const ObjectName db = ObjectName::Database("hive", "sales");
  for (const json& message :
       {json{{"indexName", "i"}}, json{{"indexTableName", nullptr}}, json{{"indexTableName", ""}},
        json{{"indexTableName", "."}}, json{{"indexTableName", "sales."}}}) {
    const Event event = DecodeEvent(DropIndex(message));
    EXPECT_EQ(event.kind, EventKind::kIndex) << message;
    EXPECT_EQ(event.name, db) << message;
    EXPECT_EQ(event.problem, "") << message;
  }
  const Event broken = DecodeEvent(DropIndex("a string"));
  EXPECT_EQ(broken.kind, EventKind::kIndex);
  EXPECT_EQ(broken.name, db);
  EXPECT_NE(broken.problem, "");
}

TEST(EventDecoder, IndexesThatComeOrChangeBelongToTheirDatabase) {
  for (const char* type : {"CREATE_INDEX", "ALTER_INDEX"}) {
    hms::NotificationEvent row = Row(type, "not even an object");
    row.table.reset();
    const Event event = DecodeEvent(row);
    EXPECT_EQ(event.kind, EventKind::kIndex) << type;
    EXPECT_EQ(event.name, ObjectName::Database("hive", "sales")) << type;
    EXPECT_EQ(event.problem, "") << type;
  }
}

// --- ALTER_TABLE -----------------------------------------------------------------------------

TEST(EventDecoder, RenameTakesOldNameFromTheMessage) {
  hms::NotificationEvent row =
      Row("ALTER_TABLE", Alter(Table("sales", "orders", {}), Table("archive", "orders_24", {})));
  row.db = "archive";
  row.table = "orders_24";
  const Event event = DecodeEvent(row);
  EXPECT_EQ(event.problem, "");
  EXPECT_EQ(event.name, ObjectName::Table("hive", "archive", "orders_24"));
  EXPECT_EQ(event.old_name, kOrders);
  EXPECT_TRUE(event.CrossesNames());
}

TEST(EventDecoder, LetterCaseIsNoRename) {
  json message = Alter(Table("Sales", "ORDERS", {}), Table("sales", "orders", {}));
  message["db"] = "SALES";
  message["table"] = "Orders";
  EXPECT_FALSE(DecodeEvent(Row("ALTER_TABLE", message)).old_name);
}

TEST(EventDecoder, AlterNamesComeFromImagesWhenNothingElseHasThem) {
  json message = Alter(Table("sales", "orders", {}), Table("sales", "orders_new", {}));
  message.erase("db");
  message.erase("table");
  hms::NotificationEvent row = Row("ALTER_TABLE", message);
  row.db.reset();
  row.table.reset();
  Event event = DecodeEvent(row);
  EXPECT_EQ(event.problem, "");
  EXPECT_EQ(event.name, ObjectName::Table("hive", "sales", "orders_new"));
  EXPECT_EQ(event.old_name, kOrders);
  // Without any of them a rename could go unnoticed.
  message.erase("tableObjBeforeJson");
  EXPECT_NE(DecodeEvent(Row("ALTER_TABLE", message)).problem, "");
}

// What could go wrong: comparing text finds the wrong list, or takes a part of it for the whole.
TEST(EventDecoder, ColumnsChanged) {
  using Columns = std::vector<std::pair<std::string, std::string>>;
  const Columns columns = {{"id", "int"}, {"note", "string"}};
  const auto changed = [](const std::string& before, const std::string& after) {
    const Event event = DecodeEvent(Row("ALTER_TABLE", Alter(before, after)));
    EXPECT_EQ(event.problem, "");
    return event.columns_changed;
  };
  const std::string table = Table("sales", "orders", columns);
  EXPECT_FALSE(changed(table, table));
  EXPECT_FALSE(changed(Table("a", "b", columns), Table("longer", "names", columns)));
  EXPECT_TRUE(changed(table, Table("sales", "orders", {{"id", "bigint"}, {"note", "string"}})));
  EXPECT_TRUE(changed(table, Table("sales", "orders", {{"note", "string"}, {"id", "int"}})));
  EXPECT_TRUE(changed(table, Table("sales", "orders", {{"id", "int"}})));
  EXPECT_TRUE(changed(table, Table("sales", "orders", columns, "now with a comment")));
  // Comments that look like the end of the list, at every level of quoting.
  for (const std::string bait : {R"(]},"2":)", R"(]},)", R"(x]},\"2\":{)", R"(]}})", R"(\)",
                                 R"(\\")", R"(,"7":{"rec":{"1":{"lst":["rec",0]},"2":)"}) {
    const std::string with_bait = Table("sales", "orders", columns, bait);
    EXPECT_FALSE(changed(with_bait, with_bait)) << bait;
    Columns last_differs = columns;
    last_differs.back().second = "bigint";
    EXPECT_TRUE(changed(with_bait, Table("sales", "orders", last_differs, bait))) << bait;
    EXPECT_FALSE(changed(Table(bait == R"(\)" ? "x" : "y", "orders", columns, bait), with_bait));
  }
}

TEST(EventDecoder, ColumnsOfAnotherFieldOrderAreCompared) {
  const auto odd = [](const std::string& type) {
    return R"({"16":{"rec":{"7":{"rec":{"1":{"lst":["rec",0]},"2":{"str":"x"}}}}},)"
           R"("7":{"rec":{"2":{"str":"file:/x"},"1":{"lst":["rec",1,{"2":{"str":")" +
           type + R"("},"1":{"str":"id"}}]}}},"1":{"str":"orders"}})";
  };
  EXPECT_FALSE(DecodeEvent(Row("ALTER_TABLE", Alter(odd("int"), odd("int")))).columns_changed);
  EXPECT_TRUE(DecodeEvent(Row("ALTER_TABLE", Alter(odd("int"), odd("date")))).columns_changed);
  // What cannot be told counts as changed.
  json message = Alter(odd("int"), odd("int"));
  message["tableObjBeforeJson"] = "{broken";
  EXPECT_TRUE(DecodeEvent(Row("ALTER_TABLE", message)).columns_changed);
  message["tableObjBeforeJson"] = nullptr;
  EXPECT_TRUE(DecodeEvent(Row("ALTER_TABLE", message)).columns_changed);
  message = Alter(odd("int"), odd("int"));
  message.erase("tableObjAfterJson");
  const Event stripped = DecodeEvent(Row("ALTER_TABLE", message));
  EXPECT_TRUE(stripped.columns_changed);
  EXPECT_FALSE(stripped.table_image);
  EXPECT_EQ(stripped.problem, "");
}

// --- Partitions ------------------------------------------------------------------------------

TEST(EventDecoder, StrippedMessagesSaySo) {
  const json names = {{"db", "sales"}, {"table", "orders"}};
  for (const char* type : {"ADD_PARTITION", "ALTER_PARTITION", "ALTER_PARTITIONS", "DROP_PARTITION",
                           "UPDATE_PART_COL_STAT_EVENT"}) {
    const Event event = DecodeEvent(Row(type, names));
    EXPECT_EQ(event.problem, "") << type;
    EXPECT_TRUE(event.partitions_missing) << type;
  }
  EXPECT_FALSE(DecodeEvent(Row("CREATE_TABLE", names)).table_image);
  const Event empty = DecodeEvent(Row("ADD_PARTITION", {{"partitionListJson", json::array()}}));
  EXPECT_FALSE(empty.partitions_missing);
  EXPECT_TRUE(empty.partitions.empty());
}

TEST(EventDecoder, PartitionRenameKeepsBothValues) {
  const Event event =
      DecodeEvent(Row("ALTER_PARTITION", {{"tableObjJson", Table("sales", "orders", {})},
                                          {"keyValues", {{"region", "apac"}, {"dt", "2023-12-31"}}},
                                          {"partitionObjBeforeJson", kPartition},
                                          {"partitionObjAfterJson", kPartition}}));
  EXPECT_EQ(event.problem, "");
  ASSERT_EQ(event.partitions.size(), 1U);
  EXPECT_EQ(event.partitions[0].values, (std::vector<std::string>{"2024-01-01", "emea"}));
  ASSERT_EQ(event.partition_values.size(), 1U);
  EXPECT_EQ(event.partition_values[0], (std::vector<std::string>{"2023-12-31", "apac"}));
}

TEST(EventDecoder, StatisticsOfAPartitionBringTheirParameter) {
  const json partition = {"2024-01-01", "emea"};
  const json parameters = {{"numRows", "5"}, {"COLUMN_STATS_ACCURATE", "{\"a\":1}"}};
  const Event event = DecodeEvent(
      Row("UPDATE_PART_COL_STAT_EVENT", {{"partVals", partition}, {"parameters", parameters}}));
  EXPECT_EQ(event.problem, "");
  EXPECT_EQ(event.partition_statistics, "{\"a\":1}");
  EXPECT_GT(event.bytes,
            DecodeEvent(Row("UPDATE_PART_COL_STAT_EVENT", {{"partVals", partition}})).bytes);
  for (const json& unusable : {json({{"numRows", "5"}}), json(5), json({{"x", 1}}), json()}) {
    const Event without = DecodeEvent(
        Row("UPDATE_PART_COL_STAT_EVENT", {{"partVals", partition}, {"parameters", unusable}}));
    EXPECT_EQ(without.problem, "") << unusable;
    EXPECT_FALSE(without.partition_statistics) << unusable;
    EXPECT_EQ(without.partition_values.size(), 1U);
  }
}

TEST(EventDecoder, SpecsStayWhenTheOrderIsNotKnown) {
  const json specs = {{{"region", "emea"}, {"dt", "1"}}};
  Event event = DecodeEvent(Row("DROP_PARTITION", {{"partitions", specs}}));
  EXPECT_TRUE(event.partition_values.empty());
  ASSERT_EQ(event.partition_specs.size(), 1U);
  EXPECT_EQ(event.partition_specs[0].size(), 2U);
  // Keys of another table.
  event = DecodeEvent(Row("DROP_PARTITION", {{"partitions", {{{"a", "1"}, {"b", "2"}}}},
                                             {"tableObjJson", Table("sales", "orders", {})}}));
  EXPECT_TRUE(event.partition_values.empty());
  EXPECT_EQ(event.partition_specs.size(), 1U);
  event = DecodeEvent(Row("DROP_PARTITION", {{"partitions", specs}, {"tableObjJson", "{broken"}}));
  EXPECT_EQ(event.partition_specs.size(), 1U);
  EXPECT_EQ(event.problem, "");
}

// --- Bad input -------------------------------------------------------------------------------

TEST(EventDecoder, ProblemsKeepNamesAndNothingElse) {
  const std::string good = Table("sales", "orders", {{"id", "int"}});
  const std::vector<std::pair<std::string, json>> broken = {
      {"CREATE_TABLE", {{"tableObjJson", 5}}},
      {"CREATE_TABLE", {{"tableObjJson", "{\"1\":{\"str\":\"x\""}}},
      {"CREATE_TABLE", {{"tableObjJson", "{\"1\":{\"xyz\":1}}"}}},
      {"ALTER_TABLE", Alter(good, good.substr(0, good.size() / 2))},
      {"ALTER_TABLE", {{"db", 1}, {"table", "x"}, {"tableObjAfterJson", good}}},
      {"ADD_PARTITION", {{"partitionListJson", {kPartition, "{}"}}}},
      {"ADD_PARTITION", {{"partitionListJson", {kPartition, nullptr}}}},
      {"ADD_PARTITION", {{"partitionListJson", "text"}}},
      {"ADD_PARTITION", {{"partitionListJson", {R"({"1":{"lst":["i32",1,5]}})"}}}},
      {"ALTER_PARTITION", {{"partitionObjAfterJson", kPartition}, {"keyValues", {{"dt", 1}}}}},
      {"DROP_PARTITION", {{"partitions", {{{"dt", "1"}}, json::object()}}}},
      {"DROP_PARTITION", {{"partitions", json::object()}}},
      {"UPDATE_PART_COL_STAT_EVENT", {{"partVals", {"a", 1}}}},
      {"UPDATE_PART_COL_STAT_EVENT", {{"partVals", json::array()}}},
      {"CREATE_FUNCTION", {{"functionObjJson", "{\"2\":{\"str\":\"sales\"}}"}}},
      {"DROP_FUNCTION", json::object()},
      {"CREATE_TABLE", "a string"},
  };
  for (const auto& [type, message] : broken) {
    const Event event = DecodeEvent(Row(type, message));
    SCOPED_TRACE(type + message.dump());
    EXPECT_NE(event.problem, "");
    EXPECT_EQ(event.id, EventId(7));
    EXPECT_EQ(event.type, type);
    EXPECT_NE(event.kind, EventKind::kUnknown);
    EXPECT_EQ(event.name.db(), "sales");
    EXPECT_FALSE(event.table_image);
    EXPECT_TRUE(event.partitions.empty());
    EXPECT_TRUE(event.partition_values.empty());
    EXPECT_TRUE(event.partition_specs.empty());
    EXPECT_NE(event.fingerprint, 0U);
  }
}

TEST(EventDecoder, BrokenEnvelopes) {
  hms::NotificationEvent row =
      Row("CREATE_TABLE", {{"tableObjJson", Table("sales", "orders", {})}});
  ASSERT_TRUE(DecodeEvent(row).table_image);
  const std::string message = row.message;
  for (size_t length = 0; length < message.size(); ++length) {
    row.message = message.substr(0, length);
    EXPECT_NE(DecodeEvent(row).problem, "") << length;
    EXPECT_EQ(DecodeEvent(row).name, kOrders) << length;
  }
  row.message = "*** not base64 ***";
  EXPECT_NE(DecodeEvent(row).problem, "");
}

// A message that says nothing beyond the names of the row is not needed.
TEST(EventDecoder, MessagesWithoutPayloadAreNotRead) {
  for (const char* type : {"DROP_TABLE", "INSERT", "RELOAD", "CREATE_DATABASE", "DROP_DATABASE",
                           "ADD_FOREIGNKEY", "DELETE_TBL_COL_STAT_EVENT", "COMMIT_TXN"}) {
    hms::NotificationEvent row = Row(type, json::object());
    row.message = "{{{";
    EXPECT_EQ(DecodeEvent(row).problem, "") << type;
  }
}

TEST(EventDecoder, DatabasesBringTheImageTheClientSent) {
  const std::string image = R"({"1":{"str":"sales"},"4":{"map":["str","str",1,{"k":"v"}]}})";
  const Event created = DecodeEvent(Row("CREATE_DATABASE", {{"dbJson", image}}));
  const Event altered =
      DecodeEvent(Row("ALTER_DATABASE", {{"dbObjBeforeJson", "{}"}, {"dbObjAfterJson", image}}));
  ASSERT_TRUE(created.database_image);
  EXPECT_EQ(created.database_image, altered.database_image);
  EXPECT_EQ(wire::StructView(*created.database_image).String(1), "sales");
  EXPECT_FALSE(DecodeEvent(Row("CREATE_DATABASE", json::object())).database_image);
  const Event broken = DecodeEvent(Row("ALTER_DATABASE", {{"dbObjAfterJson", "{{"}}));
  EXPECT_FALSE(broken.database_image);
  EXPECT_EQ(broken.problem, "") << "it is read again anyway";
}

TEST(EventDecoder, OversizeIsAProblem) {
  const hms::NotificationEvent row =
      Row("CREATE_TABLE", {{"tableObjJson", Table("sales", "orders", {})}});
  const Event event = DecodeEvent(row, DecoderLimits{100});
  EXPECT_NE(event.problem.find("limit"), std::string::npos);
  EXPECT_EQ(event.name, kOrders);
}

TEST(EventDecoder, MemoryUseFollowsTheImages) {
  json list = json::array();
  for (int i = 0; i < 100; ++i) list.push_back(kPartition);
  const Event event = DecodeEvent(Row("ADD_PARTITION", {{"partitionListJson", list}}));
  ASSERT_EQ(event.partitions.size(), 100U);
  EXPECT_GT(event.bytes, 100 * event.partitions[0].bytes.size());
}

}  // namespace
}  // namespace catalogd::events
