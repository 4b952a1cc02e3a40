// The calls that real metastores got, made on the embedded one: it must answer with the same kinds
// of errors, write the same events with the same images and end with the same objects, but for
// what wanted_differences.txt lists with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/replay/call_encoder.h"
#include "tests/replay/calls_replayer.h"
#include "tests/support/temporary_directory.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

namespace catalogd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

const CallsReplayer::Report& ReportOf(const std::string& version) {
  static auto* const reports = new std::map<std::string, CallsReplayer::Report>();
  const auto at = reports->find(version);
  if (at != reports->end()) return at->second;
  CallsReplayer replayer;
  const Status status = replayer.Run({CATALOGD_TEST_DATA "/recorded-logs/" + version,
                                      CATALOGD_IDL_FACTS, CATALOGD_WANTED_DIFFERENCES});
  EXPECT_TRUE(status) << status.error().message;
  return (*reports)[version] = replayer.report();
}

class CallsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CallsTest, AreAnsweredAsRecorded) {
  const CallsReplayer::Report& report = ReportOf(GetParam());
  EXPECT_THAT(report.differences, IsEmpty());
  EXPECT_GT(report.calls, 500U);
  EXPECT_GT(report.events, 400U);
  EXPECT_GT(report.objects, 200U);
}

TEST(WantedDifferences, AreAllOfUse) {
  EXPECT_THAT(ReportOf("4.2.0").unused, IsEmpty());
  // Rules for all versions are of use to the newer one.
  const auto newer = WantedDifferences::Read(CATALOGD_WANTED_DIFFERENCES, "4.2.0");
  ASSERT_TRUE(newer);
  std::vector<std::string> stale = ReportOf("3.1.3").unused;
  for (const std::string& pattern : newer->Unused()) std::erase(stale, pattern);
  EXPECT_THAT(stale, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Recordings, CallsTest, ::testing::Values("4.2.0", "3.1.3"));

const IdlFacts& Facts() {
  static const auto* const facts = [] {
    auto read = IdlFacts::Read(CATALOGD_IDL_FACTS);
    EXPECT_TRUE(read) << read.error().message;
    return new IdlFacts(std::move(read).value_or(IdlFacts()));
  }();
  return *facts;
}

TEST(IdlFacts, KnowTypesAndExceptions) {
  ASSERT_NE(Facts().Struct("Table"), nullptr);
  EXPECT_EQ(Facts().Struct("Table")->at("dbName").id, 2);
  EXPECT_EQ(Facts().Struct("InsertEventRequestData")->at("filesAdded").id, 2);
  EXPECT_TRUE(Facts().IsEnum("PrincipalType"));
  EXPECT_EQ(Facts().ExceptionClass("get_table", 2), "NoSuchObjectException");
  EXPECT_EQ(Facts().ExceptionClass("get_table", 9), "");
  EXPECT_EQ(Facts().Arguments("no_such_method"), nullptr);
}

TEST(CallEncoder, WritesWhatTheIdlSays) {
  const Json arguments = {
      {"func", {{"functionName", "f"}, {"dbName", nullptr}, {"ownerType", 1}, {"createTime", 5}}}};
  const auto message = EncodeCallFromJson(Facts(), "create_function", arguments);
  ASSERT_TRUE(message) << message.error().message;
  ASSERT_TRUE(wire::CheckMessage(*message));
  const auto header = wire::ParseMessageHeader(*message);
  EXPECT_EQ(header->method, "create_function");
  const auto function = wire::StructView(std::string_view(*message).substr(header->body)).Struct(1);
  ASSERT_TRUE(function);
  EXPECT_EQ(function->String(1), "f");
  EXPECT_FALSE(function->Find(2));
  EXPECT_EQ(function->I32(5), 1);
}

TEST(CallEncoder, WritesMapsThatAreListsOfPairs) {
  const Json arguments = {
      {"tbl",
       {{"sd",
         {{"skewedInfo",
           {{"skewedColValueLocationMaps", Json::array({{{"1", "a"}, "place"}})}}}}}}}};
  const auto message = EncodeCallFromJson(Facts(), "create_table", arguments);
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_TRUE(wire::CheckMessage(*message));
  EXPECT_THAT(*message, HasSubstr("place"));
}

TEST(CallEncoder, RefusesWhatTheIdlDoesNotHave) {
  const auto refused = [](const std::string& method, const Json& arguments) {
    const auto message = EncodeCallFromJson(Facts(), method, arguments);
    return message ? std::string("no error") : message.error().message;
  };
  EXPECT_THAT(refused("no_such_method", Json::object()), HasSubstr("not in the IDL"));
  EXPECT_THAT(refused("get_table", {{"nothing", 1}}), HasSubstr("get_table.nothing"));
  EXPECT_THAT(refused("get_table", {{"dbname", 1}}), HasSubstr("should be a text"));
  EXPECT_THAT(refused("create_table", {{"tbl", {{"createTime", "x"}}}}),
              HasSubstr("tbl.createTime: should be a whole number"));
}

TEST(WantedDifferences, AreCountedAndMustBeOfUse) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory / "wanted.txt";
  std::ofstream(path) << "# comment\n"
                         "* | error .* | for all\n"
                         "4.2 | state [a-z]+ | for one\n"
                         "3.1 | other | for another\n";
  auto wanted = WantedDifferences::Read(path, "4.2.0");
  ASSERT_TRUE(wanted) << wanted.error().message;
  EXPECT_TRUE(wanted->Wants("error of x"));
  EXPECT_FALSE(wanted->Wants("state 1"));
  EXPECT_EQ(wanted->wanted(), 1U);
  EXPECT_THAT(wanted->Unused(), ElementsAre("state [a-z]+"));
  std::ofstream(path) << "no bars\n";
  EXPECT_THAT(WantedDifferences::Read(path, "4.2.0").error().message, HasSubstr(":1:"));
}

}  // namespace
}  // namespace catalogd::replay
