#include "catalog/endpoint/names_in.h"

#include "tests/unit/endpoint/rig.h"

namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::MakeCall;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::WriteArguments;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::TType;

ObjectName T(const std::string& db, const std::string& table, const std::string& catalog = "hive") {
  return ObjectName::Table(catalog, db, table);
}
ObjectName D(const std::string& db, const std::string& catalog = "hive") {
  return ObjectName::Database(catalog, db);
}

std::vector<ObjectName> Names(const std::string& message) {
  const auto header = wire::ParseMessageHeader(message);
  const MethodRow* row = MethodTable::Get().Find(header->method);
  return NamesIn(*row, wire::StructView(std::string_view(message).substr(header->body)));
}

WriteArguments TableStruct(const std::string& db, const std::string& table,
                           const std::string& catalog = "") {
  return [=](wire::Writer* out) {
    out->StringField(1, table);
    out->StringField(2, db);
    if (!catalog.empty()) out->StringField(17, catalog);
  };
}

TEST(NamesIn, OldStyleArgumentsUnderstandTheCatalogPrefix) {
  EXPECT_THAT(Names(StringCall("drop_table", {"Sales", " Orders "})),
              ElementsAre(T("sales", "orders")));
  EXPECT_THAT(Names(StringCall("drop_table", {"@hive#Sales", "Orders"})),
              ElementsAre(T("sales", "orders")));
  EXPECT_THAT(Names(StringCall("drop_table", {"@spark#sales", "orders"})),
              ElementsAre(T("sales", "orders", "spark")));
  EXPECT_THAT(Names(StringCall("drop_database", {"@hive#sales"})), ElementsAre(D("sales")));
  // A request without a catalog field still takes the prefix.
  EXPECT_THAT(Names(RequestCall("truncate_table_req",
                                [](wire::Writer* out) {
                                  out->StringField(1, "@spark#sales");
                                  out->StringField(2, "orders");
                                })),
              ElementsAre(T("sales", "orders", "spark")));
}

TEST(NamesIn, StructsSayTheirCatalogThemselves) {
  EXPECT_THAT(Names(RequestCall("create_table", TableStruct("sales", "orders"))),
              ElementsAre(T("sales", "orders")));
  EXPECT_THAT(Names(RequestCall("create_table", TableStruct("sales", "orders", "spark"))),
              ElementsAre(T("sales", "orders", "spark")));
  EXPECT_THAT(Names(RequestCall("create_database",
                                [](wire::Writer* out) {
                                  out->StringField(1, "sales");
                                  out->StringField(8, "spark");
                                })),
              ElementsAre(D("sales", "spark")));
  EXPECT_THAT(
      Names(RequestCall("drop_catalog", [](wire::Writer* out) { out->StringField(1, "spark"); })),
      ElementsAre(D("default", "spark")));
}

// What could go wrong: only one end of a rename is locked and the other one goes stale.
TEST(NamesIn, ARenameNamesBothEndsAndAnAlterOnlyOne) {
  const auto alter = [](const WriteArguments& table, const std::string& db = "sales") {
    return MakeCall("alter_table", [&](wire::Writer* out) {
      out->StringField(1, db);
      out->StringField(2, "orders");
      out->Field(TType::kStruct, 3);
      table(out);
      out->Stop();
    });
  };
  EXPECT_THAT(Names(alter(TableStruct("sales", "orders"))), ElementsAre(T("sales", "orders")));
  EXPECT_THAT(Names(alter(TableStruct("sales", "Bills"))),
              ElementsAre(T("sales", "bills"), T("sales", "orders")));
  EXPECT_THAT(Names(alter(TableStruct("archive", "orders"))),
              ElementsAre(T("archive", "orders"), T("sales", "orders")));
  // The new Table often leaves out the catalog: it is that of the old one.
  EXPECT_THAT(Names(alter(TableStruct("sales", "bills"), "@spark#sales")),
              ElementsAre(T("sales", "bills", "spark"), T("sales", "orders", "spark")));
  // A new Table without names is refused by the server; the old name is still what to lock.
  EXPECT_THAT(Names(alter([](wire::Writer*) {})), ElementsAre(T("sales", "orders")));
}

TEST(NamesIn, ExchangeNamesBothTables) {
  const std::string call = MakeCall("exchange_partitions", [](wire::Writer* out) {
    out->StringMapField(1, {{"dt", "1"}});
    out->StringField(2, "stage");
    out->StringField(3, "orders");
    out->StringField(4, "sales");
    out->StringField(5, "orders");
  });
  EXPECT_THAT(Names(call), ElementsAre(T("sales", "orders"), T("stage", "orders")));
}

TEST(NamesIn, ListsNameAllTheirElements) {
  const auto add = [](const std::vector<std::pair<std::string, std::string>>& tables) {
    return MakeCall("add_partitions", [&](wire::Writer* out) {
      out->Field(TType::kList, 1);
      out->ListBegin(TType::kStruct, tables.size());
      for (const auto& [db, table] : tables) {
        out->StringField(2, db);
        out->StringField(3, table);
        out->Stop();
      }
    });
  };
  EXPECT_THAT(Names(add({{"s", "a"}, {"s", "a"}, {"s", "b"}})),
              ElementsAre(T("s", "a"), T("s", "b")));
  // Nothing is known when one element says nothing: everything is caught up then.
  EXPECT_THAT(Names(add({{"s", "a"}, {"s", " "}})), IsEmpty());
  EXPECT_THAT(Names(add({})), IsEmpty());
}

TEST(NamesIn, FollowsNestedListsOfStatistics) {
  const std::string call = RequestCall("set_aggr_stats_for", [](wire::Writer* out) {
    out->Field(TType::kList, 1);
    out->ListBegin(TType::kStruct, 1);
    out->Field(TType::kStruct, 1);
    out->BoolField(1, true);
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->StringField(6, "spark");
    out->Stop();
    out->Stop();
  });
  EXPECT_THAT(Names(call), ElementsAre(T("sales", "orders", "spark")));
}

TEST(NamesIn, BrokenArgumentsNameNothing) {
  EXPECT_THAT(Names(StringCall("drop_table", {})), IsEmpty());
  EXPECT_THAT(Names(StringCall("drop_table", {"sales"})), IsEmpty());
  EXPECT_THAT(Names(StringCall("drop_table", {"", "orders"})), IsEmpty());
  EXPECT_THAT(Names(StringCall("drop_table", {"@hive#", "orders"})), IsEmpty());
  EXPECT_THAT(Names(MakeCall("drop_table",
                             [](wire::Writer* out) {
                               out->I32Field(1, 5);
                               out->StringField(2, "orders");
                             })),
              IsEmpty());
  EXPECT_THAT(Names(StringCall("create_table", {"not a struct"})), IsEmpty());
  EXPECT_THAT(
      Names(MakeCall("add_partitions", [](wire::Writer* out) { out->StringListField(1, {"a"}); })),
      IsEmpty());
}

}  // namespace
}  // namespace catalogd::endpoint
