#include "catalog/endpoint/layouts.h"

#include "tests/unit/endpoint/rig.h"

// Structs that one side cannot read as the other writes them.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::WriteArguments;
using ::testing::ElementsAre;
using wire::TType;

// fire_listener_event of an INSERT, whose data the test writes.
std::string InsertEvent(const WriteArguments& data) {
  return RequestCall("fire_listener_event", [&](wire::Writer* out) {
    out->BoolField(1, true);
    out->Field(TType::kStruct, 2);
    out->Field(TType::kStruct, 1);
    data(out);
    out->Stop();
    out->Stop();
    out->StringField(3, "sales");
    out->StringField(4, "orders");
    out->StringField(99, "a field of the future");
  });
}

const WriteArguments kHive2Data = [](wire::Writer* out) {
  out->StringListField(1, {"f1"});
  out->StringListField(2, {"c1"});
};
const WriteArguments kLaterData = [](wire::Writer* out) {
  out->StringListField(2, {"f1"});
  out->StringListField(3, {"c1"});
};

// What reaches a metastore of that generation.
std::string Forwarded(hms::Generation generation, const std::string& call) {
  EndpointRig rig;
  rig.view.generation = generation;
  rig.Send(call);
  EXPECT_EQ(rig.forwarded.size(), 1U);
  return rig.forwarded.empty() ? "" : rig.forwarded.front();
}

TEST(Layouts, AnInsertIsToldInTheNumbersOfTheMetastore) {
  const std::string old_call = InsertEvent(kHive2Data);
  const std::string new_call = InsertEvent(kLaterData);
  for (const auto later : {hms::Generation::kHive3, hms::Generation::kHive4}) {
    EXPECT_EQ(Forwarded(later, old_call), new_call);
    EXPECT_EQ(Forwarded(later, new_call), new_call);
  }
  EXPECT_EQ(Forwarded(hms::Generation::kHive2, new_call), old_call);
  EXPECT_EQ(Forwarded(hms::Generation::kHive2, old_call), old_call);
  EXPECT_EQ(Forwarded(hms::Generation::kUnknown, old_call), old_call);
}

TEST(Layouts, WhatHasNoPlaceThereIsNotLeftOut) {
  const auto with = [](const WriteArguments& more) {
    return InsertEvent([&](wire::Writer* out) {
      more(out);
      kLaterData(out);
    });
  };
  EXPECT_EQ(
      Forwarded(hms::Generation::kHive2, with([](wire::Writer* out) { out->BoolField(1, false); })),
      InsertEvent(kHive2Data));
  const std::string replaces = with([](wire::Writer* out) { out->BoolField(1, true); });
  EXPECT_EQ(Forwarded(hms::Generation::kHive2, replaces), replaces);
  const std::string folders = with([](wire::Writer* out) { out->StringListField(4, {"d"}); });
  EXPECT_EQ(Forwarded(hms::Generation::kHive2, folders), folders);
  // Not an insert; broken.
  const std::string other = RequestCall("fire_listener_event", [](wire::Writer* out) {
    out->BoolField(1, true);
    out->StringField(2, "no struct");
  });
  EXPECT_EQ(Forwarded(hms::Generation::kHive2, other), other);
  EXPECT_EQ(Forwarded(hms::Generation::kHive4, other), other);
}

std::string Locks(const std::vector<int32_t>& types) {
  std::string response;
  wire::Writer out(&response);
  out.Field(TType::kList, 1);
  out.ListBegin(TType::kStruct, types.size());
  for (const int32_t type : types) {
    out.I64Field(1, 4711);
    out.I32Field(6, type);
    out.Stop();
  }
  out.StringField(99, "a field of the future");
  out.Stop();
  return wire::EncodeReply("show_locks", 7, TType::kStruct, 0, response);
}

std::string ShowLocks(EndpointRig* rig, const std::vector<int32_t>& types) {
  rig->forward_answer = [types](std::string_view) { return Locks(types); };
  return rig->Send(RequestCall("show_locks", [](wire::Writer*) {}));
}

TEST(Layouts, LocksThatAnOlderClientCannotReadAreLeftOut) {
  EndpointRig rig;
  EXPECT_EQ(ShowLocks(&rig, {1, 4, 3}), Locks({1, 4, 3})) << "nothing is known of the client";
  rig.view.generation = hms::Generation::kHive3;  // It has get_database.
  rig.Send(StringCall("get_database", {"sales"}));
  EXPECT_EQ(ShowLocks(&rig, {1, 4, 3}), Locks({1, 3}));
  EXPECT_EQ(ShowLocks(&rig, {4}), Locks({}));
  EXPECT_EQ(ShowLocks(&rig, {1, 2, 3}), Locks({1, 2, 3}));
  // Other connections are other clients.
  rig.session->state = std::make_shared<SessionState>();
  EXPECT_EQ(ShowLocks(&rig, {4}), Locks({4}));
}

std::string OpenTransactions(const std::vector<TType>& types) {
  std::string list;
  wire::Writer ids(&list);
  ids.ListBegin(TType::kI64, 2);
  ids.I64(4711);
  ids.I64(4712);
  std::string response;
  wire::Writer out(&response);
  for (const TType type : types) out.RawField(type, 2, list);
  out.I64Field(1, 4712);
  out.StringField(99, "a field of the future");
  out.Stop();
  return wire::EncodeReply("get_open_txns", 7, TType::kStruct, 0, response);
}

// Clients of Hive 2 look for a set, others for a list, and each skips the other one.
TEST(Layouts, OpenTransactionsAreASetAndAList) {
  EndpointRig rig;
  rig.forward_answer = [](std::string_view) { return OpenTransactions({TType::kList}); };
  const std::string call = MakeCall("get_open_txns", [](wire::Writer*) {});
  const std::string both = OpenTransactions({TType::kSet, TType::kList});
  EXPECT_EQ(rig.Send(call), both);
  rig.Send(StringCall("get_database", {"sales"}));
  EXPECT_EQ(rig.Send(call), both);
  EXPECT_FALSE(WithSetOfTxns(both));
  // Hive 4's clients are known to want the list.
  rig.Send(RequestCall("get_open_txns_req", [](wire::Writer*) {}));
  EXPECT_EQ(rig.Send(call), OpenTransactions({TType::kList}));
}

TEST(Layouts, AnswersThatAreNoOpenTransactionsStayWhatTheyAre) {
  EXPECT_FALSE(WithSetOfTxns(wire::EncodeExceptionReply("get_open_txns", 7, 1, "no")));
  EXPECT_FALSE(WithSetOfTxns("junk"));
  EXPECT_FALSE(WithSetOfTxns(OpenTransactions({})));
  const auto made_of = [](const WriteArguments& write) {
    std::string info;
    wire::Writer out(&info);
    write(&out);
    out.Stop();
    return OpenTxnsOf(wire::StructView(info)).has_value();
  };
  EXPECT_FALSE(made_of([](wire::Writer*) {}));
  EXPECT_FALSE(made_of([](wire::Writer* out) {
    out->I64Field(1, 5);
    out->StringListField(2, {"1"});
  }));
  EXPECT_FALSE(made_of([](wire::Writer* out) {
    out->I64Field(1, 5);
    out->Field(TType::kList, 2);
    out->ListBegin(TType::kStruct, 1);
    out->I64Field(1, 1);  // Without its state.
    out->Stop();
  }));
}

TEST(Layouts, AnswersThatAreNoListsOfLocksStayWhatTheyAre) {
  EXPECT_FALSE(WithoutNewLocks(wire::EncodeExceptionReply("show_locks", 7, 1, "no")));
  EXPECT_FALSE(WithoutNewLocks("junk"));
  EXPECT_FALSE(WithoutNewLocks(Locks({})));
}

}  // namespace
}  // namespace catalogd::endpoint
