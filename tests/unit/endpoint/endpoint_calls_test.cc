#include "tests/unit/endpoint/rig.h"

// Pass-through, writes, own services, and what clients are told when something fails.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::ErrorText;
using ::catalogd::testing::FakeSession;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::ManualExecutor;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::TableBytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using wire::TType;

const ObjectName kOrders = ObjectName::Table("hive", "sales", "orders");

TEST(EndpointCalls, PassesMessagesAndAnswersThroughUntouched) {
  EndpointRig rig;
  const std::string call = MakeCall("get_index_by_name", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(99, "a field of the future");
  });
  const std::string answer = wire::EncodeExceptionReply("get_index_by_name", 7, 1, "no");
  rig.forward_answer = [&](std::string_view) { return answer; };
  EXPECT_EQ(rig.Send(call), answer);
  EXPECT_THAT(rig.forwarded, ElementsAre(call));
  EXPECT_EQ(rig.counters().passed_through, 1U);
  EXPECT_EQ(rig.counters().by_method.at("get_index_by_name"), 1U);
  EXPECT_EQ(rig.counters().by_kind.at("pass_read"), 1U);
}

TEST(EndpointCalls, TheAnswerCarriesTheClientsSequenceId) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) { return wire::EncodeVoidReply("get_fields", 12345); };
  EXPECT_EQ(rig.Send(StringCall("get_fields", {"a", "b"})), wire::EncodeVoidReply("get_fields", 7));
}

TEST(EndpointCalls, AFullQueueIsAnsweredAtOnce) {
  EndpointRig rig(0);
  const std::string text = ErrorText(rig.Send(StringCall("get_fields", {"a", "b"})), 0);
  EXPECT_THAT(text, HasSubstr("get_fields"));
  EXPECT_THAT(text, HasSubstr("full"));
  EXPECT_THAT(text, HasSubstr("try again later"));
  EXPECT_EQ(rig.counters().queue_full, 1U);
}

TEST(EndpointCalls, FailuresNameWhatWasDoneAndWhatToDo) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) {
    return MakeError(ErrorCode::kUnavailable, "thrift://a:9083: connection refused");
  };
  std::string text = ErrorText(rig.Send(StringCall("get_table", {"sales", "orders"})), 0);
  EXPECT_THAT(text, HasSubstr("get_table sales.orders"));
  EXPECT_THAT(text, HasSubstr("connection refused"));
  EXPECT_THAT(text, HasSubstr("try again once the metastore is back"));
  rig.forward_answer = [](std::string_view) {
    return MakeError(ErrorCode::kUnknownOutcome, "closed mid-answer");
  };
  text = ErrorText(rig.Send(StringCall("create_role", {})), 0);
  EXPECT_THAT(text, HasSubstr("look before trying again"));
}

TEST(EndpointCalls, StatusIsAWarningWhileTheMetastoreIsAway) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) {
    return MakeError(ErrorCode::kUnavailable, "connection refused");
  };
  const std::string reply = rig.Send(MakeCall("getStatus", [](wire::Writer*) {}));
  EXPECT_EQ(ResultOf(reply).I32(0), 5);
  EXPECT_THAT(ErrorText(rig.Send(MakeCall("getName", [](wire::Writer*) {})), 0),
              HasSubstr("connection refused"));
}

TEST(EndpointCalls, WritesGoThroughTheSkeletonWithTheirNames) {
  EndpointRig rig;
  rig.view.generation = hms::Generation::kHive3;
  rig.Send(MakeCall("set_ugi", [](wire::Writer* out) {
    out->StringField(1, "bob");
    out->StringListField(2, {});
  }));
  const std::string call = StringCall("drop_table", {"@hive#sales", "Orders"});
  EXPECT_EQ(rig.Send(call), "");
  ASSERT_THAT(rig.view.writes, SizeIs(1));
  const ddl::DdlRequest& request = rig.view.writes.front().first;
  EXPECT_EQ(request.message, call);
  EXPECT_EQ(request.method, "drop_table");
  EXPECT_THAT(request.names, ElementsAre(kOrders));
  EXPECT_EQ(request.announced, ddl::Announced::kAlways);
  EXPECT_EQ(request.identity.user, "bob");
  EXPECT_EQ(request.peer, "127.0.0.1:51234");
  EXPECT_THAT(rig.forwarded, IsEmpty()) << "only the skeleton forwards writes";
  EXPECT_TRUE(request.forward(call, TimePoint()));
  EXPECT_THAT(rig.forwarded, ElementsAre(call)) << "on a shared connection";
  rig.view.writes.front().second(
      ddl::DdlOutcome{wire::EncodeVoidReply("drop_table", 7), EventId(130), CatalogVersion(5)});
  EXPECT_EQ(rig.TakeCompleted(), wire::EncodeVoidReply("drop_table", 7));
  // The connection has seen that event; nothing is asked or waited for.
  const std::string position = rig.Send(StringCall("getMetaConf", {"catalogd.event"}));
  EXPECT_EQ(ResultOf(position).String(0).value_or(""), "130");
  EXPECT_EQ(rig.counters().writes, 1U);
}

// Clients of Hive 4 in front of older metastores.
TEST(EndpointCalls, AWriteThatTheMetastoreLacksIsSentInItsWords) {
  EndpointRig rig;
  rig.view.generation = hms::Generation::kHive3;
  const std::string call = RequestCall("drop_table_req", [](wire::Writer* out) {
    out->StringField(1, "hive");
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->BoolField(4, true);
  });
  EXPECT_EQ(rig.Send(call), "");
  ASSERT_THAT(rig.view.writes, SizeIs(1));
  const ddl::DdlRequest& request = rig.view.writes.front().first;
  EXPECT_EQ(request.method, "drop_table_with_environment_context");
  EXPECT_EQ(ResultOf(request.message).String(1), "@hive#sales");
  EXPECT_THAT(request.names, ElementsAre(kOrders));
  rig.view.writes.front().second(
      ddl::DdlOutcome{wire::EncodeExceptionReply(request.method, 7, 1, "no such table"),
                      EventId(130), CatalogVersion(5)});
  EXPECT_EQ(rig.TakeCompleted(),
            wire::EncodeExceptionReply("drop_table_req", 7, 1, "no such table"));
}

// The first releases of Hive 4 do not have all that later ones have.
TEST(EndpointCalls, AWriteThatTurnsOutToBeUnknownIsSentInOlderWords) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view message) {
    const auto header = wire::ParseMessageHeader(message);
    if (header->method == "create_database") return wire::EncodeVoidReply("create_database", 7);
    return wire::EncodeApplicationError(header->method, 7, wire::ApplicationError::kUnknownMethod,
                                        "Invalid method name");
  };
  const std::string call =
      RequestCall("create_database_req", [](wire::Writer* out) { out->StringField(1, "sales"); });
  rig.Send(call);
  ASSERT_THAT(rig.view.writes, SizeIs(1));
  EXPECT_EQ(rig.view.writes.front().first.message, call);
  const auto reply = rig.view.writes.front().first.forward(call, TimePoint());
  ASSERT_TRUE(reply);
  EXPECT_EQ(*reply, wire::EncodeVoidReply("create_database_req", 7));
  rig.view.writes.front().second(ddl::DdlOutcome{*reply, EventId(130), CatalogVersion(5)});
  rig.TakeCompleted();
}

// What could go wrong: 3.1 gets an alter that expects something, which it ignores, without the
// comparison that is made for it; or Hive 2 a name that it takes literally.
TEST(EndpointCalls, OfAMetastoreThatIsNotHive4NothingIsGuessed) {
  const std::string call = RequestCall("alter_table_req", [](wire::Writer* out) {
    out->StringField(1, "spark");
    out->StringField(2, "sales");
    out->StringField(3, "orders");
    out->StringField(10, "metadata_location");
    out->StringField(11, "v1");
  });
  for (const auto generation : {hms::Generation::kUnknown, hms::Generation::kHive2}) {
    EndpointRig rig;
    rig.view.generation = generation;
    const std::string unknown = wire::EncodeApplicationError(
        "alter_table_req", 7, wire::ApplicationError::kUnknownMethod, "Invalid method name");
    rig.forward_answer = [&](std::string_view) { return unknown; };
    rig.Send(call);
    ASSERT_THAT(rig.view.writes, SizeIs(1));
    const auto reply = rig.view.writes.front().first.forward(call, TimePoint());
    ASSERT_TRUE(reply);
    EXPECT_EQ(*reply, unknown);
    EXPECT_THAT(rig.forwarded, ElementsAre(call));
    rig.view.writes.front().second(ddl::DdlOutcome{*reply, EventId(130), CatalogVersion(5)});
    rig.TakeCompleted();
  }
}

TEST(EndpointCalls, SilentWritesAreMarkedForTheVersion) {
  EndpointRig rig;
  const auto announced = [&rig](hms::Generation generation) {
    rig.view.generation = generation;
    rig.view.writes.clear();
    rig.Send(StringCall("alter_database", {"sales"}));
    return rig.view.writes.front().first.announced;
  };
  EXPECT_EQ(announced(hms::Generation::kHive2), ddl::Announced::kNever);
  EXPECT_EQ(announced(hms::Generation::kHive3), ddl::Announced::kAlways);
  EXPECT_EQ(announced(hms::Generation::kHive4), ddl::Announced::kSometimes);
}

TEST(EndpointCalls, AMethodWithoutARowIsAWriteOfEverything) {
  EndpointRig rig;
  const std::string call = StringCall("alter_everything", {"sales", "orders"});
  rig.Send(call);
  ASSERT_THAT(rig.view.writes, SizeIs(1));
  EXPECT_THAT(rig.view.writes.front().first.names, IsEmpty());
  EXPECT_EQ(rig.view.writes.front().first.message, call);
  const std::string answer =
      wire::EncodeApplicationError("alter_everything", 7, wire::ApplicationError::kUnknownMethod,
                                   "Invalid method name: 'alter_everything'");
  rig.view.writes.front().second(ddl::DdlOutcome{answer, EventId(1), {}});
  EXPECT_EQ(rig.TakeCompleted(), answer);
  EXPECT_EQ(rig.counters().by_method.at("(other)"), 1U);
}

TEST(EndpointCalls, AWriteThatFailedIsToldInTheExceptionThatClientsShow) {
  EndpointRig rig;
  rig.Send(StringCall("drop_table", {"sales", "orders"}));
  rig.view.writes.front().second(
      MakeError(ErrorCode::kTimedOut, "drop_table sales.orders: nothing was sent: locked"));
  // Nothing that says the opposite.
  EXPECT_EQ(ErrorText(rig.TakeCompleted(), 2), "drop_table sales.orders: nothing was sent: locked");
  rig.view.writes.clear();
  rig.Send(StringCall("alter_everything", {}));
  rig.view.writes.front().second(MakeError(ErrorCode::kUnavailable, "alter_everything: refused"));
  EXPECT_THAT(ErrorText(rig.TakeCompleted(), 0), HasSubstr("refused"));
  EXPECT_EQ(rig.counters().failed_writes, 2U);
}

TEST(EndpointCalls, AfterAWriteThatWasNotBroughtUpThePositionIsAskedFor) {
  EndpointRig rig;
  rig.Send(StringCall("drop_table", {"sales", "orders"}));
  rig.view.writes.front().second(ddl::DdlOutcome{wire::EncodeVoidReply("drop_table", 7), {}, {}});
  rig.TakeCompleted();
  EXPECT_EQ(rig.Send(StringCall("getMetaConf", {"catalogd.event"})), "");
  rig.view.Answer(EventId(140));
  EXPECT_EQ(ResultOf(rig.TakeCompleted()).String(0).value_or(""), "140");
}

// The metastore's side of a translated call: answers get_table_req like Hive 4.
std::string Hive4(std::string_view message, const std::string& table) {
  const auto header = wire::ParseMessageHeader(message);
  if (header->method == "get_table_req") {
    std::string result;
    wire::Writer out(&result);
    out.RawField(TType::kStruct, 1, table);
    out.Stop();
    return wire::EncodeReply(header->method, header->sequence_id, TType::kStruct, 0, result);
  }
  return wire::EncodeApplicationError(header->method, header->sequence_id,
                                      wire::ApplicationError::kUnknownMethod,
                                      "Invalid method name: '" + std::string(header->method) + "'");
}

// What could go wrong: Spark's built-in client and others fail on Hive 4.0.1 and later, which has
// no get_table.
TEST(EndpointCalls, GetTableIsMadeFromGetTableReqWhereItIsGone) {
  const std::string table = TableBytes({});
  for (const bool known : {true, false}) {
    EndpointRig rig;
    rig.view.serves = false;  // Also as a pure proxy.
    rig.view.has_get_table = !known;
    rig.forward_answer = [&](std::string_view message) { return Hive4(message, table); };
    const std::string call = StringCall("get_table", {"@hive#Sales", "Orders"});
    const std::string answer = wire::EncodeReply("get_table", 7, TType::kStruct, 0, table);
    EXPECT_EQ(rig.Send(call), answer);
    EXPECT_EQ(rig.Send(call), answer);
    // Learnt once.
    EXPECT_EQ(rig.forwarded.size(), known ? 2U : 3U);
    const auto sent = wire::ParseMessageHeader(rig.forwarded.back());
    EXPECT_EQ(sent->method, "get_table_req");
    const auto request = ResultOf(rig.forwarded.back()).Struct(1);
    EXPECT_EQ(request->String(1), "Sales");
    EXPECT_EQ(request->String(2), "Orders");
    EXPECT_EQ(request->String(4), "hive");
    EXPECT_EQ(rig.counters().translated, 2U);
  }
}

TEST(EndpointCalls, ExceptionsOfATranslatedGetTableKeepTheirClass) {
  EndpointRig rig;
  rig.view.serves = false;
  rig.view.has_get_table = false;
  rig.forward_answer = [](std::string_view) {
    return wire::EncodeExceptionReply("get_table_req", 7, 2, "hive.sales.x table not found");
  };
  EXPECT_EQ(rig.Send(StringCall("get_table", {"sales", "x"})),
            wire::EncodeExceptionReply("get_table", 7, 2, "hive.sales.x table not found"));
  rig.forward_answer = [](std::string_view) {
    return wire::EncodeApplicationError("get_table_req", 7, wire::ApplicationError::kInternalError,
                                        "boom");
  };
  EXPECT_EQ(
      rig.Send(StringCall("get_table", {"sales", "x"})),
      wire::EncodeApplicationError("get_table", 7, wire::ApplicationError::kInternalError, "boom"));
  // The empty database of a catalog, as Java clients write it.
  rig.Send(StringCall("get_table", {"@hive#!", "x"}));
  EXPECT_EQ(ResultOf(rig.forwarded.back()).Struct(1)->String(1), "");
  // Broken arguments are the metastore's to judge.
  const std::string broken = StringCall("get_table", {"sales"});
  rig.Send(broken);
  EXPECT_EQ(rig.forwarded.back(), broken);
}

TEST(EndpointCalls, ManyTablesByNameAreTranslatedToo) {
  EndpointRig rig;
  rig.view.serves = false;
  rig.view.has_get_table = false;
  std::string list;
  wire::Writer(&list).ListBegin(TType::kStruct, 1);
  list += TableBytes({});
  rig.forward_answer = [&](std::string_view message) -> Result<std::string> {
    const auto request = ResultOf(message).Struct(1);
    if (request->String(1) == "nodb") {
      return wire::EncodeExceptionReply("get_table_objects_by_name_req", 7, 3, "no database");
    }
    EXPECT_THAT(wire::ListView(request->Find(2)->value).Strings(), ElementsAre("a", "b"));
    std::string result;
    wire::Writer out(&result);
    out.RawField(TType::kList, 1, list);
    out.Stop();
    return wire::EncodeReply("get_table_objects_by_name_req", 7, TType::kStruct, 0, result);
  };
  const auto call = [](const char* db) {
    return MakeCall("get_table_objects_by_name", [&](wire::Writer* out) {
      out->StringField(1, db);
      out->StringListField(2, {"a", "b"});
    });
  };
  EXPECT_EQ(rig.Send(call("sales")),
            wire::EncodeReply("get_table_objects_by_name", 7, TType::kList, 0, list));
  // The old call declares no exception: old servers answer this.
  EXPECT_EQ(ErrorText(rig.Send(call("nodb")), 0),
            "Internal error processing get_table_objects_by_name");
}

// A lock as Iceberg takes it, and its answer.
std::string LockCall(int32_t type, const char* table) {
  return RequestCall("lock", [&](wire::Writer* out) {
    out->Field(TType::kList, 1);
    out->ListBegin(TType::kStruct, 1);
    out->I32Field(1, type);
    out->I32Field(2, 2);
    out->StringField(3, "sales");
    out->StringField(4, table);
    out->Stop();
  });
}
std::string LockReply(std::string_view method, int32_t state) {
  std::string response;
  wire::Writer out(&response);
  out.I64Field(1, 77);
  out.I32Field(2, state);
  out.Stop();
  return wire::EncodeReply(method, 7, TType::kStruct, 0, response);
}

// What could go wrong: a client takes the lock, reads a table from the cache that another engine
// has just committed to in the metastore, finds nothing changed, and overwrites that commit.
TEST(EndpointCalls, AGrantedLockRaisesTheFloorOfItsTableForEverybody) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) { return LockReply("lock", 1); };
  EXPECT_EQ(rig.Send(LockCall(3, "orders")), "") << "the floor must be there before the answer";
  rig.view.Answer(EventId(150));
  EXPECT_EQ(rig.TakeCompleted(), LockReply("lock", 1));
  EXPECT_EQ(rig.view.floors.at(kOrders), EventId(150));
}

TEST(EndpointCalls, AGrantedLockWhoseIdCannotBeAskedForStopsTheCache) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) { return LockReply("lock", 1); };
  rig.Send(LockCall(3, "orders"));
  rig.view.Answer(MakeError(ErrorCode::kUnavailable, "gone"));
  EXPECT_EQ(rig.TakeCompleted(), LockReply("lock", 1));
  EXPECT_EQ(rig.view.floors.at(kOrders), sync::Floors::kNever);
}

TEST(EndpointCalls, AWaitingLockRaisesTheFloorWhenItIsGranted) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) { return LockReply("lock", 2); };
  EXPECT_EQ(rig.Send(LockCall(3, "orders")), LockReply("lock", 2));
  const std::string check =
      RequestCall("check_lock", [](wire::Writer* out) { out->I64Field(1, 77); });
  rig.forward_answer = [](std::string_view) { return LockReply("check_lock", 2); };
  EXPECT_EQ(rig.Send(check), LockReply("check_lock", 2));
  rig.forward_answer = [](std::string_view) { return LockReply("check_lock", 1); };
  EXPECT_EQ(rig.Send(check), "");
  rig.view.Answer(EventId(151));
  EXPECT_EQ(rig.TakeCompleted(), LockReply("check_lock", 1));
  EXPECT_EQ(rig.view.floors.at(kOrders), EventId(151));
  // Granted once.
  EXPECT_EQ(rig.Send(check), LockReply("check_lock", 1));
}

TEST(EndpointCalls, LocksThatProtectNoReadCostNothing) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) { return LockReply("lock", 1); };
  EXPECT_EQ(rig.Send(LockCall(1, "orders")), LockReply("lock", 1)) << "shared read";
  rig.view.not_served = {kOrders};
  EXPECT_EQ(rig.Send(LockCall(3, "orders")), LockReply("lock", 1)) << "never from the cache";
  EXPECT_THAT(rig.view.questions, IsEmpty());
}

TEST(LockFloors, RemembersABoundedNumberOfWaitingLocks) {
  LockFloors floors(2);
  for (int64_t id = 1; id <= 5; ++id) {
    const auto session = std::make_shared<FakeSession>();
    SessionState state;
    const Call call(session, &state, nullptr, LockCall(3, "orders"));
    std::string response;
    wire::Writer out(&response);
    out.I64Field(1, id);
    out.I32Field(2, 2);
    out.Stop();
    EXPECT_FALSE(
        floors.OnReply(call, wire::EncodeReply("lock", 7, TType::kStruct, 0, response)).granted);
  }
  EXPECT_EQ(floors.waiting(), 2U);
}

TEST(EndpointCalls, OwnServicesAreAnsweredInlineOrOnTheirExecutor) {
  EndpointRig rig;
  ManualExecutor own(1);
  const auto handler = [](const std::shared_ptr<server::Session>&, std::string_view message,
                          std::string* reply) {
    const auto header = wire::ParseMessageHeader(message);
    *reply = wire::EncodeVoidReply(header->method, header->sequence_id);
    return server::Outcome::kReplied;
  };
  rig.endpoint.RegisterOwnService({"catalogd_status"}, handler);
  rig.endpoint.RegisterOwnService({"catalogd_wait"}, handler, &own);
  EXPECT_EQ(rig.Send(StringCall("catalogd_status", {})),
            wire::EncodeVoidReply("catalogd_status", 7));
  EXPECT_EQ(rig.outcome, server::Outcome::kReplied);
  EXPECT_EQ(rig.Send(StringCall("catalogd_wait", {})), "");
  EXPECT_EQ(rig.outcome, server::Outcome::kDeferred);
  // A full queue of theirs is told.
  const auto other = std::make_shared<FakeSession>();
  rig.endpoint.OnOpen(*other);
  std::string reply;
  EXPECT_EQ(rig.endpoint.OnMessage(other, StringCall("catalogd_wait", {}), &reply),
            server::Outcome::kReplied);
  EXPECT_THAT(ErrorText(reply, 0), HasSubstr("try again later"));
  own.RunAll();
  EXPECT_EQ(rig.TakeCompleted(), wire::EncodeVoidReply("catalogd_wait", 7));
  EXPECT_EQ(rig.counters().own_calls, 3U);
}

TEST(EndpointCalls, UnknownOwnMethodsDoNotReachTheMetastore) {
  EndpointRig rig;
  EXPECT_EQ(ErrorText(rig.Send(StringCall("catalogd_future", {})), 0),
            "Invalid method name: 'catalogd_future'");
  EXPECT_THAT(rig.view.writes, IsEmpty());
}

TEST(EndpointCalls, ACallThatShowsManyNamesIsDescribedInFull) {
  const auto session = std::make_shared<FakeSession>();
  SessionState state;
  const MethodRow* row = MethodTable::Get().Find("add_partitions");
  const std::string message = MakeCall("add_partitions", [](wire::Writer* out) {
    out->Field(TType::kList, 1);
    out->ListBegin(TType::kStruct, 5);
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      out->StringField(2, "s");
      out->StringField(3, name);
      out->Stop();
    }
  });
  EXPECT_EQ(Describe(Call(session, &state, row, message)), "add_partitions s.a, s.b, s.c, ...");
}

}  // namespace
}  // namespace catalogd::endpoint
