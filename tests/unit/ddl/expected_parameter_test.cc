// Table formats that commit without a lock lose commits when an alter goes through that expected
// another state, and give up when one is refused with other words than the metastore's.
#include "catalog/ddl/expected_parameter.h"

#include <gtest/gtest.h>

#include "tests/support/expecting_alter.h"
#include "tests/support/objects.h"
#include "thrift/wire/scan.h"

namespace catalogd::ddl {
namespace {

using testing::ExpectingAlter;
using testing::TableBytes;
using testing::TestTable;

constexpr std::string_view kMethod = "alter_table_with_environment_context";
const TestTable kTable = TestTable().With("metadata_location", "v1");
const TestTable kNext = TestTable().With("metadata_location", "v2");

wire::StructView ArgumentsOf(std::string_view message) {
  return wire::StructView(message.substr(wire::ParseMessageHeader(message)->body));
}

std::optional<ExpectedParameter> Expected(const std::string& message) {
  return ExpectedIn(kMethod, ArgumentsOf(message));
}

std::string RefusalOf(const TestTable& next, const std::map<std::string, std::string>& environment,
                      const TestTable& table) {
  const std::string message = ExpectingAlter(next, environment);
  return Refusal(*Expected(message), TableBytes(table));
}

std::map<std::string, std::string> Expecting(const std::string& value) {
  return {{"expected_parameter_key", "metadata_location"}, {"expected_parameter_value", value}};
}

TEST(ExpectedParameter, IsFoundOnlyWhereKeyAndValueAreThere) {
  const auto expected = Expected(ExpectingAlter(kNext, Expecting("v1")));
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->table, kTable.object());
  EXPECT_EQ(expected->key, "metadata_location");
  EXPECT_EQ(expected->value, "v1");
  EXPECT_EQ(expected->after, "v2");
  EXPECT_FALSE(Expected(ExpectingAlter(kNext, {})));
  EXPECT_FALSE(Expected(ExpectingAlter(kNext, {{"expected_parameter_key", "k"}})));
  EXPECT_FALSE(Expected(ExpectingAlter(kNext, {{"expected_parameter_value", "v"}})));
  EXPECT_FALSE(ExpectedIn("alter_table", ArgumentsOf(ExpectingAlter(kNext, Expecting("v1")))));
  EXPECT_FALSE(ExpectedIn(kMethod, wire::StructView(std::string_view("\0", 1))));
}

TEST(ExpectedParameter, IsComparedWithWhatTheTableSays) {
  EXPECT_EQ(RefusalOf(kNext, Expecting("v1"), kTable), "");
  EXPECT_EQ(RefusalOf(kNext, Expecting("v0"), kTable),
            "The table has been modified. The parameter value for key 'metadata_location' is "
            "'v1'. The expected was value was 'v0'");
  EXPECT_EQ(RefusalOf(kNext, Expecting("v0"), TestTable()),
            "The table has been modified. The parameter value for key 'metadata_location' is "
            "'null'. The expected was value was 'v0'");
  EXPECT_EQ(RefusalOf(TestTable(), Expecting("v1"), kTable),
            "New value for expected key metadata_location is not set");
}

TEST(ExpectedParameter, IsRefusedWithTheExceptionOfTheMethod) {
  const std::string reply = RefusalReply(ExpectingAlter(kNext, Expecting("v0")), "no");
  const auto header = wire::ParseMessageHeader(reply);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->method, kMethod);
  EXPECT_EQ(header->sequence_id, 7);
  EXPECT_EQ(header->type, wire::MessageType::kReply);
  EXPECT_EQ(ArgumentsOf(reply).Struct(2)->String(1), "no");
}

TEST(ExpectedParameter, IsTakenOutAndNothingElse) {
  auto environment = Expecting("v1");
  environment["CASCADE"] = "true";
  EXPECT_EQ(WithoutExpectation(ExpectingAlter(kNext, environment)),
            ExpectingAlter(kNext, {{"CASCADE", "true"}}));
}

TEST(ExpectedParameter, AMetastoreThatCannotCompareIsRecognised) {
  const auto reply = [](const std::string& text) {
    return wire::EncodeExceptionReply(kMethod, 7, 2, text);
  };
  EXPECT_TRUE(CouldNotCompare(reply("Error executing SQL query \"UPDATE \"TABLE_PARAMS\" SET")));
  EXPECT_FALSE(CouldNotCompare(reply("The table has been modified.")));
  EXPECT_FALSE(CouldNotCompare(wire::EncodeVoidReply(kMethod, 7)));
  EXPECT_FALSE(CouldNotCompare("no message"));
}

}  // namespace
}  // namespace catalogd::ddl
