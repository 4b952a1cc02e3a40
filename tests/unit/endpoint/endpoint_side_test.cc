// Reads whose answers are kept as they came. What could go wrong: an answer is given to another
// question, below its floor, at a level that it cannot have, or where the log does not tell of its
// changes; or one is kept that is no answer.
#include "tests/unit/endpoint/rig.h"

namespace catalogd::endpoint {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EndpointRig;
using ::testing::IsEmpty;
using testing::MakeCall;
using testing::RequestCall;
using ::testing::SizeIs;
using testing::StringCall;
using testing::TestTable;
using wire::TType;

const ObjectName kDb = ObjectName::Database("hive", "sales");
const ObjectName kOrders = ObjectName::Table("hive", "sales", "orders");

const std::string kLazySimple = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe";

std::string PrimaryKeys(const std::string& table = "orders") {
  return RequestCall("get_primary_keys", [&](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, table);
  });
}
std::string Defaults() {
  return RequestCall("get_default_constraints", [](wire::Writer* out) {
    out->StringField(1, "hive");
    out->StringField(2, "sales");
    out->StringField(3, "orders");
  });
}
std::string GetFunction() { return StringCall("get_function", {"sales", "f"}); }
std::string Statistics() {
  return StringCall("get_table_column_statistics", {"sales", "orders", "id"});
}
void ForeignKey(wire::Writer* out, const std::string& referred, const std::string& referring) {
  out->StringField(1, "sales");
  out->StringField(2, referred);
  out->StringField(4, "sales");
  out->StringField(5, referring);
  out->Stop();
}

class SideReadTest : public ::testing::Test {
 protected:
  SideReadTest() {
    rig_.view.PutTable(TestTable(), 90, cache::PartitionSet::Empty());
    rig_.forward_answer = [this](std::string_view message) { return Answer(message); };
  }

  // A success with a number that counts calls.
  std::string Answer(std::string_view message) {
    const auto header = wire::ParseMessageHeader(message);
    std::string value;
    wire::Writer out(&value);
    out.StringField(1, "answer " + std::to_string(rig_.forwarded.size()));
    out.Stop();
    return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0, value);
  }
  void PutSerde(const std::string& name, const std::string& serde) {
    std::string table;
    wire::Writer out(&table);
    out.Field(TType::kStruct, 7);
    out.Field(TType::kStruct, 7);
    out.StringField(2, serde);
    out.Stop();
    out.Stop();
    out.Stop();
    cache::SlotView& slot = rig_.view.slots[ObjectName::Table("hive", "sales", name)];
    slot.snapshot = cache::MakeTableSnapshot(table, cache::PartitionSet::Empty());
  }
  void LookAtTheLog() {
    rig_.clock.Advance(std::chrono::milliseconds(1));
    rig_.view.log_end = {rig_.clock.Now(), rig_.view.fetched_to};
    rig_.clock.Advance(std::chrono::milliseconds(1));
  }
  // Asked twice: how often the metastore had to answer.
  size_t CallsForTwo(const std::string& message) {
    const size_t before = rig_.forwarded.size();
    const std::string first = rig_.Send(message);
    LookAtTheLog();
    const std::string second = rig_.Send(message);
    EXPECT_FALSE(first.empty());
    const size_t calls = rig_.forwarded.size() - before;
    EXPECT_EQ(first == second, calls == 1);
    return calls;
  }
  void SetLevel(const std::string& level) {
    EXPECT_EQ(rig_.Send(StringCall("setMetaConf", {"catalogd.read", level})),
              wire::EncodeVoidReply("setMetaConf", 7));
  }
  void Tell(events::EventKind kind, const ObjectName& name) {
    events::Event event;
    event.id = EventId(101);
    event.kind = kind;
    event.name = name;
    events::LaneTask task;
    task.events.push_back(std::make_shared<const events::Event>(std::move(event)));
    rig_.view.side.OnEvents({task});
  }

  EndpointRig rig_;
};

TEST_F(SideReadTest, TheSecondReadCostsNoCall) {
  EXPECT_EQ(CallsForTwo(PrimaryKeys()), 1U);
  EXPECT_EQ(CallsForTwo(Defaults()), 1U);
  EXPECT_EQ(CallsForTwo(GetFunction()), 1U);
  EXPECT_EQ(CallsForTwo(StringCall("get_functions", {"sales", "*"})), 1U);
  EXPECT_EQ(CallsForTwo(MakeCall("get_all_functions", [](wire::Writer*) {})), 1U);
  EXPECT_EQ(CallsForTwo(Statistics()), 1U);
  const auto stats = rig_.view.side.stats();
  EXPECT_EQ(stats.hits, 6U);
  EXPECT_EQ(stats.misses, 6U);
  EXPECT_EQ(rig_.counters().cached_answers, 6U);
}

std::string ByExpression(const std::string& expression = "kryo") {
  return RequestCall("get_partitions_by_expr", [&](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "orders");
    out->StringField(3, expression);
    out->I16Field(5, -1);
  });
}
std::string TablesByType(const std::string& type = "VIRTUAL_VIEW") {
  return StringCall("get_tables_by_type", {"@hive#sales", "*", type});
}
std::string TableMeta(const std::string& databases) {
  return MakeCall("get_table_meta", [&](wire::Writer* out) {
    out->StringField(1, databases);
    out->StringField(2, "*");
    out->StringListField(3, {});
  });
}

TEST_F(SideReadTest, PartitionsByWhatOnlyTheServerUnderstands) {
  EXPECT_EQ(CallsForTwo(ByExpression()), 1U);
  EXPECT_EQ(CallsForTwo(ByExpression("another")), 1U);
  const std::string specs = StringCall("get_partitions_pspec", {"sales", "orders"});
  EXPECT_EQ(CallsForTwo(specs), 1U);
  Tell(events::EventKind::kAddPartition, kOrders);
  EXPECT_EQ(CallsForTwo(ByExpression()), 1U) << "dropped, read again, and kept";
  // Snapshots of transactions, and privileges, are not understood.
  const std::string with_ids = RequestCall("get_partitions_by_expr", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "orders");
    out->StringField(3, "kryo");
    out->StringField(8, "sales.orders:7");
  });
  EXPECT_EQ(CallsForTwo(with_ids), 2U);
  rig_.view.PutTable(TestTable().With("transactional", "true"), 90, cache::PartitionSet::Empty());
  EXPECT_EQ(CallsForTwo(ByExpression()), 2U);
}

TEST_F(SideReadTest, ChangesOfPartitionsAreNotAllToldBeforeHive4) {
  SetLevel("latest");
  rig_.view.generation = hms::Generation::kHive3;
  EXPECT_EQ(CallsForTwo(ByExpression()), 2U);
  rig_.session->state = std::make_shared<endpoint::SessionState>();
  EXPECT_EQ(CallsForTwo(ByExpression("another")), 1U);
}

// Hive 4 lets names have dots, and describes what stands before the first.
TEST_F(SideReadTest, TheSchemaOfANameWithADotIsThatOfAnotherTable) {
  rig_.view.PutTable(TestTable().Named("a.b"), 90, cache::PartitionSet::Empty());
  for (const char* table : {"orders", "a.b"}) PutSerde(table, kLazySimple);
  for (const char* method : {"get_fields", "get_schema"}) {
    EXPECT_EQ(CallsForTwo(StringCall(method, {"sales", "a.b"})), 2U) << method;
    EXPECT_EQ(CallsForTwo(StringCall(method, {"sales", "orders"})), 1U) << method;
  }
}

TEST_F(SideReadTest, ASchemaThatIsInTheMetastoreItself) {
  const std::string fields = StringCall("get_fields", {"sales", "orders"});
  PutSerde("orders", "org.apache.hadoop.hive.serde2.avro.AvroSerDe");
  EXPECT_EQ(CallsForTwo(fields), 2U) << "it may be read from a file";
  PutSerde("orders", kLazySimple);
  EXPECT_EQ(CallsForTwo(fields), 1U);
  EXPECT_EQ(CallsForTwo(StringCall("get_schema", {"sales", "orders"})), 1U);
  Tell(events::EventKind::kAddPartition, kOrders);
  EXPECT_EQ(rig_.Send(fields), rig_.Send(fields));
  Tell(events::EventKind::kAlterTable, kOrders);
  const size_t before = rig_.forwarded.size();
  rig_.Send(fields);
  EXPECT_EQ(rig_.forwarded.size(), before + 1);
}

TEST_F(SideReadTest, ListsOfTables) {
  EXPECT_EQ(CallsForTwo(TablesByType()), 1U);
  EXPECT_EQ(CallsForTwo(TablesByType("MANAGED_TABLE")), 1U);
  EXPECT_EQ(CallsForTwo(TableMeta("sales")), 1U);
  EXPECT_EQ(CallsForTwo(TableMeta("s*|x")), 1U);
  const size_t before = rig_.forwarded.size();
  Tell(events::EventKind::kCreateTable, ObjectName::Table("hive", "other", "new"));
  rig_.Send(TableMeta("sales"));
  rig_.Send(TablesByType());
  EXPECT_EQ(rig_.forwarded.size(), before);
  rig_.Send(TableMeta("s*|x"));
  EXPECT_EQ(rig_.forwarded.size(), before + 1) << "any database may be meant";
  Tell(events::EventKind::kCreateTable, ObjectName::Table("hive", "sales", "new"));
  rig_.Send(TableMeta("sales"));
  EXPECT_EQ(rig_.forwarded.size(), before + 2);
}

TEST_F(SideReadTest, ListsThatMayMissSomething) {
  rig_.view.lists_exact = false;
  EXPECT_EQ(CallsForTwo(TablesByType()), 2U);
  rig_.view.lists_exact = true;
  rig_.view.generation = hms::Generation::kHive2;
  EXPECT_EQ(CallsForTwo(TablesByType()), 2U) << "its log does not tell of the tables of indexes";
}

TEST_F(SideReadTest, TheAnswerHasTheSequenceIdOfItsCall) {
  rig_.Send(GetFunction());
  LookAtTheLog();
  const std::string reply = rig_.Send(MakeCall(
      "get_function",
      [](wire::Writer* out) {
        out->StringField(2, "f");
        out->StringField(1, "sales");
      },
      99));
  EXPECT_EQ(wire::ParseMessageHeader(reply)->sequence_id, 99);
  EXPECT_THAT(rig_.forwarded, SizeIs(1)) << "the order of fields does not matter";
}

TEST_F(SideReadTest, EveryArgumentCounts) {
  rig_.Send(GetFunction());
  rig_.Send(PrimaryKeys());
  LookAtTheLog();
  rig_.Send(StringCall("get_function", {"sales", "g"}));
  rig_.Send(StringCall("get_function", {"other", "f"}));
  rig_.Send(StringCall("get_functions", {"sales", "f"}));
  rig_.Send(PrimaryKeys("items"));
  EXPECT_THAT(rig_.forwarded, SizeIs(6));
}

TEST_F(SideReadTest, AnEventOfTheOwnerEndsIt) {
  rig_.Send(PrimaryKeys());
  LookAtTheLog();
  Tell(events::EventKind::kConstraint, kOrders);
  rig_.Send(PrimaryKeys());
  EXPECT_THAT(rig_.forwarded, SizeIs(2));
}

TEST_F(SideReadTest, WhatIsNotUnderstoodIsNotKept) {
  EXPECT_EQ(CallsForTwo(RequestCall("get_primary_keys",
                                    [](wire::Writer* out) {
                                      out->StringField(1, "sales");
                                      out->StringField(2, "orders");
                                      out->StringField(4, "sales.orders:1:9:");  // Write ids.
                                    })),
            2U);
  EXPECT_EQ(CallsForTwo(RequestCall("get_primary_keys",
                                    [](wire::Writer* out) {
                                      out->StringField(1, "sales");
                                      out->StringField(2, "orders");
                                      out->StringField(9, "news");
                                    })),
            2U);
  EXPECT_EQ(CallsForTwo(StringCall("get_function", {})), 2U);
  EXPECT_EQ(CallsForTwo(StringCall("get_function", {"", "f"})), 2U);
  EXPECT_EQ(rig_.view.side.stats().answers, 0U);
}

TEST_F(SideReadTest, ExceptionsAreNotKept) {
  rig_.forward_answer = [](std::string_view message) {
    const auto header = wire::ParseMessageHeader(message);
    return wire::EncodeExceptionReply(header->method, header->sequence_id, 1, "try later");
  };
  rig_.Send(GetFunction());
  LookAtTheLog();
  rig_.Send(GetFunction());
  rig_.forward_answer = [](std::string_view) {
    return MakeError(ErrorCode::kUnavailable, "no metastore");
  };
  rig_.Send(GetFunction());
  EXPECT_THAT(rig_.forwarded, SizeIs(3));
  EXPECT_EQ(rig_.view.side.stats().answers, 0U);
}

TEST_F(SideReadTest, NothingIsKeptOfNamesThatAreNotServed) {
  rig_.view.not_served = {kOrders, kDb};
  EXPECT_EQ(CallsForTwo(PrimaryKeys()), 2U);
  EXPECT_EQ(CallsForTwo(GetFunction()), 2U);
}

// Which server writes which events: catalog/endpoint/method_rows_statistics.cc.
TEST_F(SideReadTest, NothingIsKeptWhereTheLogDoesNotTell) {
  rig_.view.generation = hms::Generation::kHive3;
  EXPECT_EQ(CallsForTwo(PrimaryKeys()), 1U);
  EXPECT_EQ(CallsForTwo(Defaults()), 2U);
  EXPECT_EQ(CallsForTwo(Statistics()), 2U);
  EXPECT_EQ(CallsForTwo(GetFunction()), 1U);
  for (const auto generation : {hms::Generation::kHive2, hms::Generation::kUnknown}) {
    EndpointRig fresh;
    fresh.view.PutTable(TestTable(), 90, cache::PartitionSet::Empty());
    fresh.view.generation = generation;
    fresh.forward_answer = rig_.forward_answer;
    for (int i = 0; i < 2; ++i) {
      fresh.view.log_end = {fresh.clock.Now() + std::chrono::seconds(1), EventId(100)};
      fresh.Send(PrimaryKeys());
      fresh.Send(Defaults());
      fresh.Send(Statistics());
    }
    EXPECT_EQ(fresh.view.side.stats().hits, 0U);
  }
}

TEST_F(SideReadTest, StatisticsAreKeptOfLoadedTablesWithoutTransactionsOnly) {
  rig_.view.PutState(kOrders, cache::SlotState::kStub, 100);
  EXPECT_EQ(CallsForTwo(Statistics()), 2U);
  EXPECT_THAT(rig_.view.loads, Contains(kOrders));
  rig_.view.PutTable(TestTable().With("transactional", "true"), 100, cache::PartitionSet::Empty());
  EXPECT_EQ(CallsForTwo(Statistics()), 2U);
  TestTable view;
  view.type = "MATERIALIZED_VIEW";
  rig_.view.PutTable(view, 100, cache::PartitionSet::Empty());
  EXPECT_EQ(CallsForTwo(Statistics()), 2U);
  rig_.view.PutTable(TestTable(), 100, cache::PartitionSet::Empty());
  EXPECT_EQ(CallsForTwo(Statistics()), 1U);
}

// What such a server answers can be older than the last event.
TEST_F(SideReadTest, AggregatesAreNotKeptOfAServerThatKeepsThemItself) {
  const std::string call = RequestCall("get_aggr_stats_for", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "orders");
  });
  EXPECT_EQ(CallsForTwo(call), 1U);
  rig_.view.caches_aggregates = true;
  EXPECT_EQ(CallsForTwo(call), 2U);
}

TEST_F(SideReadTest, AClientWithSettingsOfItsOwnLeavesNothingToOthers) {
  rig_.Send(StringCall("setMetaConf", {"hive.metastore.try.direct.sql", "false"}));
  rig_.connector.log.answer = [this](std::string_view message) { return Answer(message); };
  rig_.Send(PrimaryKeys());
  EXPECT_EQ(rig_.view.side.stats().answers, 0U);
}

TEST_F(SideReadTest, BelowAFloorItIsWaitedFor) {
  rig_.Send(PrimaryKeys());
  LookAtTheLog();
  rig_.view.floors[kOrders] = EventId(105);
  EXPECT_EQ(rig_.Send(PrimaryKeys()), "");
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_THAT(rig_.view.waits.front().names, ElementsAre(kOrders));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(105));
  rig_.view.fetched_to = EventId(105);
  rig_.view.EndWait(Ok());
  EXPECT_NE(rig_.TakeCompleted(), "");
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
}

TEST_F(SideReadTest, AnswersThatGoWhileTheirFloorIsWaitedForComeFromTheMetastore) {
  rig_.Send(PrimaryKeys());
  LookAtTheLog();
  rig_.view.floors[kOrders] = EventId(105);
  rig_.Send(PrimaryKeys());
  Tell(events::EventKind::kConstraint, kOrders);
  rig_.view.fetched_to = EventId(105);
  rig_.view.EndWait(Ok());
  EXPECT_NE(rig_.TakeCompleted(), "");
  EXPECT_THAT(rig_.forwarded, SizeIs(2));
}

TEST_F(SideReadTest, LatestAsksForTheCurrentIdWhereEveryChangeIsTold) {
  rig_.Send(PrimaryKeys());
  LookAtTheLog();
  SetLevel("latest");
  EXPECT_EQ(rig_.Send(PrimaryKeys()), "");
  rig_.view.Answer(EventId(100));
  EXPECT_NE(rig_.TakeCompleted(), "");
  EXPECT_THAT(rig_.forwarded, SizeIs(1));
}

// A function is altered without an event: no id says that an answer is the latest.
TEST_F(SideReadTest, LatestFunctionsComeFromTheMetastoreAndReplaceWhatWasKept) {
  rig_.Send(GetFunction());
  LookAtTheLog();
  SetLevel("latest");
  const std::string latest = rig_.Send(GetFunction());
  EXPECT_THAT(rig_.forwarded, SizeIs(2));
  EXPECT_THAT(rig_.view.questions, IsEmpty());
  SetLevel("cached");
  LookAtTheLog();
  EXPECT_EQ(rig_.Send(GetFunction()), latest) << "not what was kept before";
}

TEST_F(SideReadTest, AtLeastAnEventThatTheLogHasNotReachedWaits) {
  rig_.Send(PrimaryKeys());
  LookAtTheLog();
  SetLevel("at-least 100");
  EXPECT_NE(rig_.Send(PrimaryKeys()), "");
  SetLevel("at-least 103");
  EXPECT_EQ(rig_.Send(PrimaryKeys()), "");
  rig_.view.Answer(EventId(103));
  ASSERT_THAT(rig_.view.waits, SizeIs(1));
  EXPECT_EQ(rig_.view.waits.front().target, EventId(103));
}

TEST_F(SideReadTest, AllFunctionsWaitUntilNoNameHasAFloorOfItsOwn) {
  const std::string call = MakeCall("get_all_functions", [](wire::Writer*) {});
  rig_.Send(call);
  LookAtTheLog();
  rig_.view.lists_exact = false;
  rig_.Send(call);
  EXPECT_THAT(rig_.forwarded, SizeIs(2));
}

// --- Foreign keys ----------------------------------------------------------------------------

std::string ForeignKeys(bool with_parent) {
  return RequestCall("get_foreign_keys", [&](wire::Writer* out) {
    if (with_parent) {
      out->StringField(1, "sales");
      out->StringField(2, "parent");
    }
    out->StringField(3, "sales");
    out->StringField(4, "orders");
  });
}

TEST_F(SideReadTest, ForeignKeysDependOnTheTablesOfTheAnswer) {
  rig_.forward_answer = [](std::string_view message) {
    const auto header = wire::ParseMessageHeader(message);
    std::string value;
    wire::Writer out(&value);
    out.Field(TType::kList, 1);
    out.ListBegin(TType::kStruct, 1);
    ForeignKey(&out, "customers", "orders");
    out.Stop();
    return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0, value);
  };
  EXPECT_EQ(CallsForTwo(ForeignKeys(false)), 1U);
  Tell(events::EventKind::kDropTable, ObjectName::Table("hive", "sales", "customers"));
  EXPECT_EQ(rig_.view.side.stats().answers, 0U);
}

TEST_F(SideReadTest, ForeignKeysDependOnTheParentThatIsAskedFor) {
  rig_.forward_answer = [](std::string_view message) {
    const auto header = wire::ParseMessageHeader(message);
    std::string value;
    wire::Writer out(&value);
    out.Field(TType::kList, 1);
    out.ListBegin(TType::kStruct, 0);
    out.Stop();
    return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0, value);
  };
  EXPECT_EQ(CallsForTwo(ForeignKeys(true)), 1U);
  Tell(events::EventKind::kDropTable, ObjectName::Table("hive", "sales", "parent"));
  EXPECT_EQ(rig_.view.side.stats().answers, 0U);
}

TEST_F(SideReadTest, ForeignKeysThatCannotBeReadAreNotKept) {
  EXPECT_EQ(CallsForTwo(ForeignKeys(false)), 2U) << "the answer has no list";
  EXPECT_EQ(CallsForTwo(RequestCall("get_foreign_keys",
                                    [](wire::Writer* out) {
                                      out->StringField(1, "sales");  // Half a parent.
                                      out->StringField(3, "sales");
                                      out->StringField(4, "orders");
                                    })),
            2U);
  EXPECT_EQ(CallsForTwo(RequestCall("get_foreign_keys",
                                    [](wire::Writer* out) {
                                      out->StringField(1, "sales");
                                      out->StringField(2, "parent");
                                    })),
            2U)
      << "of any table";
}

// Before Hive 4 statistics change partitions and nobody says so.
TEST_F(SideReadTest, WhatMayChangeInSilenceIsAskedForAgainAfterAWhile) {
  const std::string specs =
      StringCall("get_part_specs_by_filter", {"sales", "orders", "day = '1'"});
  const auto calls_after_a_while = [&](hms::Generation generation) {
    rig_.view.generation = generation;
    EXPECT_EQ(CallsForTwo(specs), 1U);
    rig_.clock.Advance(std::chrono::minutes(1));
    LookAtTheLog();
    const size_t before = rig_.forwarded.size();
    EXPECT_FALSE(rig_.Send(specs).empty());
    return rig_.forwarded.size() - before;
  };
  EXPECT_EQ(calls_after_a_while(hms::Generation::kHive3), 1U);
  Tell(events::EventKind::kAlterTable, kOrders);
  EXPECT_EQ(calls_after_a_while(hms::Generation::kHive4), 0U);
}

}  // namespace
}  // namespace catalogd::endpoint
