#include "catalog/endpoint/each_call.h"

#include <map>

#include "tests/unit/endpoint/rig.h"

// Lists of objects in front of metastores that only list names, through the whole endpoint.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::ErrorText;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using hms::Generation;
using ::testing::ElementsAre;
using wire::TType;

std::string Databases(const char* catalog, const char* pattern) {
  return RequestCall("get_databases_req", [&](wire::Writer* out) {
    if (catalog != nullptr) out->StringField(1, catalog);
    if (pattern != nullptr) out->StringField(2, pattern);
  });
}

std::string Functions() {
  return RequestCall("get_functions_req", [](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "hive");
    out->StringField(3, "f*");
    out->BoolField(4, false);
  });
}

std::string Struct(std::string_view name) {
  std::string bytes;
  wire::Writer out(&bytes);
  out.StringField(1, name);
  out.Stop();
  return bytes;
}

class EachCallTest : public ::testing::Test {
 protected:
  EachCallTest() {
    rig_.view.generation = Generation::kHive3;
    rig_.forward_answer = [this](std::string_view message) { return Answer(message); };
  }

  Result<std::string> Answer(std::string_view message) {
    const auto header = *wire::ParseMessageHeader(message);
    const auto arguments = ResultOf(message);
    if (header.method == "get_databases" || header.method == "get_functions") {
      std::string list;
      wire::Writer out(&list);
      out.ListBegin(TType::kString, 2);
      out.String("one");
      out.String("two");
      return wire::EncodeReply(header.method, 7, TType::kList, 0, list);
    }
    if (header.method.ends_with("_req")) return wire::EncodeVoidReply(header.method, 7);
    const std::string name(*arguments.String(header.method == "get_function" ? 2 : 1));
    if (const auto odd = odd_.find(name); odd != odd_.end()) return odd->second;
    return wire::EncodeReply(header.method, 7, TType::kStruct, 0, Struct(name));
  }

  EndpointRig rig_;
  std::map<std::string, std::string> odd_;  // By name.
};

TEST_F(EachCallTest, DatabasesOneByOne) {
  const std::string reply = rig_.Send(Databases("hive", "s*"));
  EXPECT_THAT(rig_.forwarded, ElementsAre(StringCall("get_databases", {"@hive#s*"}),
                                          StringCall("get_database", {"@hive#one"}),
                                          StringCall("get_database", {"@hive#two"})));
  EXPECT_TRUE(wire::CheckMessage(reply).has_value());
  EXPECT_EQ(wire::ParseMessageHeader(reply)->method, "get_databases_req");
  const auto list = ResultOf(reply).Struct(0)->Find(1);
  EXPECT_THAT(wire::ListView(list->value).Elements(),
              ElementsAre(Struct("@hive#one"), Struct("@hive#two")));
}

TEST_F(EachCallTest, NamesAreThoseOfTheRelease) {
  rig_.Send(Databases(nullptr, nullptr));
  EXPECT_EQ(rig_.forwarded.front(), StringCall("get_databases", {"*"}));
  rig_.forwarded.clear();
  rig_.view.generation = Generation::kHive2;
  rig_.Send(Databases("hive", "s*"));
  EXPECT_THAT(rig_.forwarded,
              ElementsAre(StringCall("get_databases", {"s*"}), StringCall("get_database", {"one"}),
                          StringCall("get_database", {"two"})));
  for (const std::string& call : {Databases("spark", "*"), Databases("hive", "")}) {
    rig_.forwarded.clear();
    rig_.Send(call);
    EXPECT_THAT(rig_.forwarded, ElementsAre(call));
  }
}

TEST_F(EachCallTest, WhatIsDroppedInBetweenIsLeftOut) {
  odd_["@hive#one"] = wire::EncodeExceptionReply("get_database", 7, 1, "one");
  const std::string reply = rig_.Send(Databases("hive", "*"));
  const auto list = ResultOf(reply).Struct(0)->Find(1);
  EXPECT_THAT(wire::ListView(list->value).Elements(), ElementsAre(Struct("@hive#two")));
}

// What could go wrong: an error makes a shorter list.
TEST_F(EachCallTest, AnErrorIsThatOfTheWhole) {
  odd_["@hive#one"] = wire::EncodeExceptionReply("get_database", 7, 2, "broken");
  EXPECT_EQ(rig_.Send(Databases("hive", "*")),
            wire::EncodeExceptionReply("get_databases_req", 7, 1, "broken"));
  odd_["@hive#one"] = wire::EncodeApplicationError("get_database", 7,
                                                   wire::ApplicationError::kInternalError, "boom");
  EXPECT_EQ(rig_.Send(Databases("hive", "*")),
            wire::EncodeApplicationError("get_databases_req", 7,
                                         wire::ApplicationError::kInternalError, "boom"));
  odd_["@hive#one"] = wire::EncodeVoidReply("get_database", 7);
  EXPECT_NE(ErrorText(rig_.Send(Databases("hive", "*")), 0), "");
}

TEST_F(EachCallTest, FunctionsOneByOne) {
  odd_["one"] = wire::EncodeExceptionReply("get_function", 7, 2, "one");
  const std::string reply = rig_.Send(Functions());
  EXPECT_THAT(rig_.forwarded, ElementsAre(StringCall("get_functions", {"@hive#sales", "f*"}),
                                          StringCall("get_function", {"@hive#sales", "one"}),
                                          StringCall("get_function", {"@hive#sales", "two"})));
  const auto list = ResultOf(reply).Struct(0)->Find(2);
  EXPECT_THAT(wire::ListView(list->value).Elements(), ElementsAre(Struct("two")));
}

// Hive 4.0 lacks both; later releases do not.
TEST_F(EachCallTest, Hive4IsAskedFirst) {
  rig_.view.generation = Generation::kHive4;
  const std::string call = Databases("hive", "*");
  const auto old = rig_.forward_answer;
  rig_.forward_answer = [old](std::string_view message) -> Result<std::string> {
    const auto header = *wire::ParseMessageHeader(message);
    if (header.method != "get_databases_req") return old(message);
    return wire::EncodeApplicationError(header.method, 7, wire::ApplicationError::kUnknownMethod,
                                        "Invalid method name: 'get_databases_req'");
  };
  const std::string reply = rig_.Send(call);
  EXPECT_EQ(rig_.forwarded.size(), 4U);
  EXPECT_TRUE(ResultOf(reply).Struct(0));
}

}  // namespace
}  // namespace catalogd::endpoint
