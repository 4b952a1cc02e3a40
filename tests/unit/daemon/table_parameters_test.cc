// A table whose bytes are rewritten could lose what this daemon does not know of it.
#include "catalog/daemon/table_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/ddl/expected_parameter.h"
#include "tests/support/objects.h"
#include "thrift/wire/scan.h"

namespace catalogd::daemon {
namespace {

using testing::TableBytes;
using testing::TestTable;

const TestTable kTable = TestTable().With("a", "1").With("b", "2");

TEST(TableParameters, OtherBytesStayAsTheyAre) {
  const std::string known = TableBytes(kTable);
  const std::string table =
      wire::WithField(known, 999, wire::TType::kString, std::string("\0\0\0\3new", 7));
  const std::string next = WithParameters(table, {{"b", "3"}, {"c", "4"}}, {"a"});
  EXPECT_THAT(ParametersOf(next), ::testing::ElementsAre(std::pair("b", "3"), std::pair("c", "4")));
  const int16_t parameters = ids::table::kParameters;
  EXPECT_EQ(wire::WithoutField(next, parameters), wire::WithoutField(table, parameters));
  EXPECT_EQ(WithParameters(table, {}, {}), table);
}

TEST(TableParameters, ATableWithoutParametersGetsThem) {
  const std::string table = wire::WithoutField(TableBytes(kTable), ids::table::kParameters);
  EXPECT_TRUE(ParametersOf(table).empty());
  EXPECT_THAT(ParametersOf(WithParameters(table, {{"k", "v"}}, {"absent"})),
              ::testing::ElementsAre(std::pair("k", "v")));
}

TEST(TableParameters, AnAlterSaysWhatItExpects) {
  const std::string after = TableBytes(kTable.With("a", "2"));
  const std::string call = AlterTableCall(kTable.object(), after, ExpectedValue{"a", "1"});
  const auto header = wire::ParseMessageHeader(call);
  ASSERT_TRUE(header);
  const wire::StructView arguments(std::string_view(call).substr(header->body));
  const auto expected = ddl::ExpectedIn(header->method, arguments);
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->table, kTable.object());
  EXPECT_EQ(expected->key, "a");
  EXPECT_EQ(expected->value, "1");
  EXPECT_EQ(expected->after, "2");
}

TEST(TableParameters, ATableOfAnotherCatalogIsNamedWithIt) {
  const std::string call = DropTableCall(ObjectName::Table("other", "db", "t"));
  const auto header = wire::ParseMessageHeader(call);
  ASSERT_TRUE(header);
  EXPECT_EQ(wire::StructView(std::string_view(call).substr(header->body)).String(1), "@other#db");
}

TEST(TableParameters, AnObjectIsToldByItsCreationAndItsId) {
  std::string value;
  wire::Writer(&value).I32(17);
  const std::string made =
      wire::WithField(TableBytes(kTable), ids::table::kCreateTime, wire::TType::kI32, value);
  EXPECT_EQ(IncarnationOf(TableBytes(kTable)), "");
  EXPECT_EQ(IncarnationOf(made), "17");
  std::string id;
  wire::Writer(&id).I64(5);
  EXPECT_EQ(IncarnationOf(wire::WithField(made, ids::table::kId, wire::TType::kI64, id)), "17/5");
  EXPECT_TRUE(MayBeSame("17", "17/5")) << "an image of an event has no id";
  EXPECT_TRUE(MayBeSame("", "17"));
  EXPECT_FALSE(MayBeSame("17/5", "17/6"));
  EXPECT_FALSE(MayBeSame("17", "18/5"));
}

TEST(TableParameters, APartitionedTableIsToldByItsKeys) {
  TestTable partitioned = kTable;
  partitioned.keys = {"day"};
  EXPECT_TRUE(IsPartitioned(TableBytes(partitioned)));
  EXPECT_FALSE(IsPartitioned(TableBytes(kTable)));
}

TEST(TableParameters, AnExceptionIsToldFromAnAnswer) {
  EXPECT_EQ(ExceptionText(wire::EncodeVoidReply("m", 1)), std::nullopt);
  EXPECT_EQ(ExceptionText(wire::EncodeExceptionReply("m", 1, 2, "why")), "why");
  EXPECT_EQ(ExceptionText(wire::EncodeApplicationError(
                "m", 1, wire::ApplicationError::kUnknownMethod, "what?")),
            "what?");
}

}  // namespace
}  // namespace catalogd::daemon
