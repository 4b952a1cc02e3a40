#include "catalog/daemon/object_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::daemon {
namespace {

using nlohmann::json;
using wire::TType;
using wire::Writer;

std::string Column(const std::string& name, const std::string& type) {
  std::string out;
  Writer writer(&out);
  writer.StringField(1, name);
  writer.StringField(2, type);
  writer.Stop();
  return out;
}

std::string Table() {
  std::string storage;
  Writer inner(&storage);
  inner.Field(TType::kList, 1);
  inner.ListBegin(TType::kStruct, 2);
  inner.Raw(Column("id", "bigint"));
  inner.Raw(Column("name", "string"));
  inner.StringField(2, "file:/w/orders");
  inner.BoolField(5, true);
  inner.I32Field(6, -1);
  inner.Stop();
  std::string out;
  Writer writer(&out);
  writer.StringField(1, "orders");
  writer.StringField(2, "sales");
  writer.I32Field(4, 1700000000);
  writer.RawField(TType::kStruct, 7, storage);
  writer.StringMapField(9, {{"a", "1"}, {"b", ""}});
  writer.I64Field(25, 1234567890123);
  writer.Stop();
  EXPECT_TRUE(wire::ValueLength(TType::kStruct, out));
  return out;
}

TEST(TableToJson, FieldsHaveTheirNames) {
  const json expected = {
      {"tableName", "orders"},
      {"dbName", "sales"},
      {"createTime", 1700000000},
      {"sd",
       {{"cols", {{{"name", "id"}, {"type", "bigint"}}, {{"name", "name"}, {"type", "string"}}}},
        {"location", "file:/w/orders"},
        {"compressed", true},
        {"numBuckets", -1}}},
      {"parameters", {{"a", "1"}, {"b", ""}}},
      {"id", 1234567890123}};
  EXPECT_EQ(TableToJson(Table()), expected);
}

TEST(TableToJson, UnknownFieldsOfEveryTypeAreShown) {
  std::string out;
  Writer writer(&out);
  writer.BoolField(100, true);
  writer.ByteField(101, -5);
  writer.I16Field(102, -300);
  writer.I32Field(103, -70000);
  writer.I64Field(104, -5000000000);
  writer.Field(TType::kDouble, 105);
  writer.Double(1.5);
  writer.StringListField(106, {"x", "y"});
  writer.RawField(TType::kStruct, 107, Column("c", "int"));
  writer.Field(TType::kMap, 108);
  writer.MapBegin(TType::kI32, TType::kString, 1);
  writer.I32(7);
  writer.String("seven");
  writer.Stop();
  const json expected = {{"field_100", true},
                         {"field_101", -5},
                         {"field_102", -300},
                         {"field_103", -70000},
                         {"field_104", -5000000000},
                         {"field_105", 1.5},
                         {"field_106", {"x", "y"}},
                         {"field_107", {{"field_1", "c"}, {"field_2", "int"}}},
                         {"field_108", json::array({json::array({7, "seven"})})}};
  EXPECT_EQ(TableToJson(out), expected);
}

TEST(TableToJson, SkewedColumnsHaveListsAsKeys) {
  std::string skew;
  Writer inner(&skew);
  inner.Field(TType::kMap, 3);
  inner.MapBegin(TType::kList, TType::kString, 1);
  inner.ListBegin(TType::kString, 1);
  inner.String("42");
  inner.String("file:/w/42");
  inner.Stop();
  std::string storage;
  Writer middle(&storage);
  middle.RawField(TType::kStruct, 11, skew);
  middle.Stop();
  std::string out;
  Writer writer(&out);
  writer.RawField(TType::kStruct, 7, storage);
  writer.Stop();
  const json table = TableToJson(out);
  EXPECT_EQ(table["sd"]["skewedInfo"]["skewedColValueLocationMaps"],
            json::array({json::array({json::array({"42"}), "file:/w/42"})}));
}

TEST(TableToJson, CutBytesGiveWhatCanBeRead) {
  const std::string whole = Table();
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(TableToJson(whole.substr(0, length)).is_object()) << length;
  }
}

TEST(DatabaseToJson, FieldsHaveTheirNames) {
  std::string out;
  Writer writer(&out);
  writer.StringField(1, "sales");
  writer.StringField(3, "file:/w/sales.db");
  writer.I32Field(7, 1);
  writer.Stop();
  EXPECT_EQ(DatabaseToJson(out),
            (json{{"name", "sales"}, {"locationUri", "file:/w/sales.db"}, {"ownerType", 1}}));
}

}  // namespace
}  // namespace catalogd::daemon
