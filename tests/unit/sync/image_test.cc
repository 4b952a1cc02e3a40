// An image that differs from the metastore's answer in one field is a wrong answer to a client.
#include "catalog/sync/image.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/objects.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"

namespace catalogd::sync {
namespace {

using events::EventKind;
using hms::Generation;
using testing::TestTable;

std::string Image(const TestTable& table) {
  return *wire::TJsonStructToBinary(testing::TableJson(table));
}

std::string Normalized(const std::string& image, Generation generation = Generation::kHive3) {
  const auto table = NormalizeTableImage(image, EventKind::kCreateTable, generation);
  EXPECT_TRUE(table) << table.error().message;
  return table.value_or("");
}

TEST(Image, ACreateImageBecomesWhatTheServerAnswers) {
  TestTable table;
  table.parameters["EXTERNAL"] = "TRUE";
  EXPECT_EQ(Normalized(Image(table)), testing::TableBytes(table));
}

TEST(Image, NamesOfTableDatabaseColumnsAndKeysAreLowerCase) {
  TestTable written;
  written.db = "Sales";
  written.name = "Orders";
  written.columns = {"Id", "AMOUNT"};
  written.keys = {"Day"};
  written.parameters["EXTERNAL"] = "TRUE";
  TestTable stored = written;
  stored.db = "sales";
  stored.name = "orders";
  stored.columns = {"id", "amount"};
  stored.keys = {"day"};
  EXPECT_EQ(Normalized(Image(written)), testing::TableBytes(stored));
}

std::string EncodedString(const std::string& text) {
  std::string value;
  wire::Writer(&value).String(text);
  return value;
}

TEST(Image, TheCatalogIsLowerCase) {
  const std::string image = wire::WithField(Image(TestTable()), ids::table::kCatName,
                                            wire::TType::kString, EncodedString("HIVE"));
  EXPECT_EQ(wire::StructView(Normalized(image)).String(ids::table::kCatName), "hive");
}

TEST(Image, PartitionsHaveTheNamesOfTheirTableAsItHasThem) {
  TestTable written;
  written.db = "SALES ";
  written.name = " Orders";
  const std::string image =
      wire::WithField(testing::PartitionBytes(written, {"A"}), ids::partition::kCatName,
                      wire::TType::kString, EncodedString("Hive"));
  const std::string expected =
      wire::WithField(testing::PartitionBytes(TestTable(), {"A"}), ids::partition::kCatName,
                      wire::TType::kString, EncodedString("hive"));
  const auto partition = NormalizePartitionImage(image, Generation::kHive3);
  ASSERT_TRUE(partition);
  EXPECT_EQ(*partition, expected);
  // 2.3 logs the catalog, too, and does not keep it.
  const auto of_hive2 = NormalizePartitionImage(image, Generation::kHive2);
  ASSERT_TRUE(of_hive2);
  EXPECT_EQ(*of_hive2, testing::PartitionBytes(TestTable(), {"A"}));
}

TEST(Image, TheParameterExternalDecidesTheTableType) {
  TestTable table;
  table.type = "MANAGED_TABLE";
  table.parameters["EXTERNAL"] = "true";
  EXPECT_EQ(wire::StructView(Normalized(Image(table))).String(ids::table::kTableType),
            "EXTERNAL_TABLE");
  table.type = "EXTERNAL_TABLE";
  table.parameters.clear();
  EXPECT_EQ(wire::StructView(Normalized(Image(table))).String(ids::table::kTableType),
            "MANAGED_TABLE");
  table.type = "VIRTUAL_VIEW";
  EXPECT_EQ(wire::StructView(Normalized(Image(table))).String(ids::table::kTableType),
            "VIRTUAL_VIEW");
}

// Python clients write every default: "not temporary", write id -1.
TEST(Image, WhatTheServerDoesNotKeepIsDropped) {
  std::string image = wire::WithField(Image(TestTable()), ids::table::kTemporary,
                                      wire::TType::kBool, std::string(1, '\0'));
  image = wire::WithField(image, ids::table::kWriteId, wire::TType::kI64, std::string(8, '\xff'));
  const std::string hive4 = Normalized(image, Generation::kHive4);
  EXPECT_FALSE(wire::StructView(hive4).Find(ids::table::kTemporary));
  EXPECT_EQ(wire::StructView(hive4).I64(ids::table::kWriteId), 0);
}

// A table that was transactional keeps its write id, -1, as an ordinary one.
TEST(Image, OnlyTransactionalTablesTakeAWriteIdFromAnAlter) {
  const auto with_write_id = [](const TestTable& table, int64_t id) {
    std::string value;
    wire::Writer(&value).I64(id);
    return wire::WithField(testing::TableBytes(table), ids::table::kWriteId, wire::TType::kI64,
                           value);
  };
  const auto write_id = [](const std::string& bytes) {
    return wire::StructView(bytes).I64(ids::table::kWriteId);
  };
  const TestTable plain;
  const TestTable acid = plain.With("transactional", "true");
  const std::string before = with_write_id(acid, -1);
  EXPECT_EQ(write_id(*WithKeptMembers(with_write_id(plain, 0), before)), -1);
  EXPECT_EQ(write_id(*WithKeptMembers(with_write_id(acid, 7), before)), 7);
  // Images of stored tables have it already.
  const auto stored = NormalizeTableImage(with_write_id(plain, -1), EventKind::kUpdateTableStats,
                                          Generation::kHive4);
  EXPECT_EQ(write_id(*stored), -1);
}

TEST(Image, PrivilegesAreDropped) {
  std::string image = wire::WithField(Image(TestTable()), ids::table::kPrivileges,
                                      wire::TType::kStruct, std::string(1, '\0'));
  EXPECT_TRUE(wire::StructView(image).Find(ids::table::kPrivileges));
  EXPECT_FALSE(wire::StructView(Normalized(image)).Find(ids::table::kPrivileges));
}

TEST(Image, HiveFourFillsTheWriteId) {
  const TestTable table;
  const auto write_id = [](const std::string& bytes) {
    return wire::StructView(bytes).I64(ids::table::kWriteId);
  };
  EXPECT_EQ(write_id(Normalized(Image(table), Generation::kHive3)), std::nullopt);
  EXPECT_EQ(write_id(Normalized(Image(table), Generation::kHive4)), 0);
  const TestTable acid = table.With("transactional", "true");
  EXPECT_EQ(write_id(Normalized(Image(acid), Generation::kHive4)), -1);
  const auto partition =
      NormalizePartitionImage(testing::PartitionBytes(table, {"1"}), Generation::kHive4);
  ASSERT_TRUE(partition);
  EXPECT_EQ(wire::StructView(*partition).I64(ids::partition::kWriteId), -1);
  const std::string sent =
      wire::WithField(testing::PartitionBytes(table, {"1"}), ids::partition::kWriteId,
                      wire::TType::kI64, std::string(8, '\0'));
  EXPECT_EQ(*NormalizePartitionImage(sent, Generation::kHive4), *partition);
}

TEST(Image, StorageOfPartitionsIsFilledLikeThatOfTables) {
  const std::string partition =
      wire::WithField(testing::PartitionBytes(TestTable(), {"1"}), ids::partition::kSd,
                      wire::TType::kStruct, std::string(1, '\0'));
  const auto normalized = NormalizePartitionImage(partition, Generation::kHive3);
  ASSERT_TRUE(normalized);
  const auto sd = wire::StructView(*normalized).Struct(ids::partition::kSd);
  ASSERT_TRUE(sd);
  EXPECT_TRUE(sd->Find(ids::storage_descriptor::kSkewedInfo));
  EXPECT_EQ(sd->Bool(ids::storage_descriptor::kStoredAsSubDirectories), false);
  for (const int16_t list :
       {ids::storage_descriptor::kBucketCols, ids::storage_descriptor::kSortCols}) {
    const auto field = sd->Find(list);
    ASSERT_TRUE(field) << list;
    EXPECT_EQ(wire::ListView(field->value).size(), 0) << list;
  }
  const auto parameters = sd->Find(ids::storage_descriptor::kParameters);
  ASSERT_TRUE(parameters);
  EXPECT_TRUE(wire::StringMap(parameters->value).empty());
}

// A small client sends a table without keys, type and serde parameters (PyIceberg does): if reads
// lacked what the metastore fills in, sending one back would be refused as a change of the keys.
TEST(Image, WhatTheWriterLeftOutIsFilledAsInAnswers) {
  const std::string image =
      *wire::TJsonStructToBinary(R"({"1":{"str":"t"},"2":{"str":"d"},"7":{"rec":{)"
                                 R"("7":{"rec":{"2":{"str":"Lib"}}}}},)"
                                 R"("9":{"map":["str","str",1,{"EXTERNAL":"TRUE"}]}})");
  for (const Generation generation : {Generation::kHive3, Generation::kHive4}) {
    const std::string bytes = Normalized(image, generation);
    const wire::StructView table(bytes);
    EXPECT_EQ(table.String(ids::table::kTableType), "EXTERNAL_TABLE");
    const auto keys = table.Find(ids::table::kPartitionKeys);
    ASSERT_TRUE(keys);
    EXPECT_EQ(wire::ListView(keys->value).size(), 0);
    EXPECT_EQ(wire::ListView(keys->value).element_type(), wire::TType::kStruct);
    const auto serde = table.Struct(ids::table::kSd)->Struct(ids::storage_descriptor::kSerdeInfo);
    ASSERT_TRUE(serde);
    EXPECT_EQ(serde->String(ids::serde_info::kSerializationLib), "Lib");
    const auto parameters = serde->Find(ids::serde_info::kParameters);
    ASSERT_TRUE(parameters);
    EXPECT_TRUE(wire::StringMap(parameters->value).empty());
  }
  // Without the parameter it is a managed one.
  const std::string managed = *wire::TJsonStructToBinary(R"({"1":{"str":"t"}})");
  EXPECT_EQ(wire::StructView(Normalized(managed)).String(ids::table::kTableType), "MANAGED_TABLE");
}

std::string Answered(const std::string& json, int16_t member, Generation generation) {
  const std::string bytes = Normalized(*wire::TJsonStructToBinary(json), generation);
  const auto text = wire::StructView(bytes).String(member);
  return text ? std::string(*text) : "(absent)";
}

// Measured on 2.3.10, 3.1.3 and 4.2.0.
TEST(Image, TextsOfViewsAreAnsweredAsEachGenerationDoes) {
  const auto image = [](const std::string& type) {
    return R"({"1":{"str":"t"},"10":{"str":"a"},"11":{"str":"b"})" +
           (type.empty() ? "" : R"(,"12":{"str":")" + type + R"("})") + "}";
  };
  for (const std::string type : {"VIRTUAL_VIEW", "MATERIALIZED_VIEW"}) {
    EXPECT_EQ(Answered(image(type), ids::table::kViewOriginalText, Generation::kHive4), "a");
    EXPECT_EQ(Answered(image(type), ids::table::kViewExpandedText, Generation::kHive4), "b");
  }
  for (const std::string type : {"EXTERNAL_TABLE", "MANAGED_TABLE", "virtual_view", "FOO", ""}) {
    for (const int16_t text : {ids::table::kViewOriginalText, ids::table::kViewExpandedText}) {
      EXPECT_EQ(Answered(image(type), text, Generation::kHive4), "(absent)") << type;
      EXPECT_NE(Answered(image(type), text, Generation::kHive3), "(absent)") << type;
      EXPECT_NE(Answered(image(type), text, Generation::kHive2), "(absent)") << type;
    }
  }
  // What has the original text of a view and no type is one.
  EXPECT_EQ(Answered(image(""), ids::table::kTableType, Generation::kHive4), "VIRTUAL_VIEW");
  EXPECT_EQ(Answered(image(""), ids::table::kTableType, Generation::kHive2), "VIRTUAL_VIEW");
  EXPECT_EQ(
      Answered(R"({"1":{"str":"t"},"11":{"str":"b"}})", ids::table::kTableType, Generation::kHive4),
      "MANAGED_TABLE");
}

TEST(Image, HowExternalIsWrittenCounts) {
  const auto type = [](const std::string& external, Generation generation) {
    return Answered(R"({"1":{"str":"t"},"9":{"map":["str","str",1,{"EXTERNAL":")" + external +
                        R"("}]},"12":{"str":"EXTERNAL_TABLE"}})",
                    ids::table::kTableType, generation);
  };
  EXPECT_EQ(type("TrUe", Generation::kHive4), "EXTERNAL_TABLE");
  EXPECT_EQ(type("TrUe", Generation::kHive3), "EXTERNAL_TABLE");
  EXPECT_EQ(type("TrUe", Generation::kHive2), "MANAGED_TABLE");
  EXPECT_EQ(type("TRUE", Generation::kHive2), "EXTERNAL_TABLE");
  EXPECT_EQ(type(" TRUE", Generation::kHive4), "MANAGED_TABLE");
}

// A kind of owner that the server does not know is missing in the image.
TEST(Image, AMissingKindOfOwnerIsAUser) {
  const std::string image = *wire::TJsonStructToBinary(R"({"1":{"str":"t"}})");
  const auto kind = [&image](Generation generation) {
    return wire::StructView(Normalized(image, generation)).I32(ids::table::kOwnerType);
  };
  EXPECT_EQ(kind(Generation::kHive4), 1);
  EXPECT_EQ(kind(Generation::kHive3), 1);
  EXPECT_EQ(kind(Generation::kHive2), std::nullopt);
}

std::string StructOf(const std::function<void(wire::Writer*)>& write) {
  std::string bytes;
  wire::Writer out(&bytes);
  write(&out);
  out.Stop();
  return bytes;
}

// A serde and a storage descriptor with everything that a client may send.
std::string FullStorage() {
  const std::string serde = StructOf([](wire::Writer* out) {
    out->StringField(ids::serde_info::kName, "name");
    out->StringField(ids::serde_info::kSerializationLib, "OrcSerde");
    out->StringMapField(ids::serde_info::kParameters, {{"serialization.format", "1"}});
    out->StringField(ids::serde_info::kDescription, "text");
  });
  return StructOf([&serde](wire::Writer* out) {
    out->StringField(ids::storage_descriptor::kLocation, "file:/t");
    out->RawField(wire::TType::kStruct, ids::storage_descriptor::kSerdeInfo, serde);
    out->StringMapField(ids::storage_descriptor::kParameters, {{"a", "b"}});
    out->Field(wire::TType::kStruct, ids::storage_descriptor::kSkewedInfo);
    out->StringListField(ids::skewed_info::kSkewedColNames, {"id"});
    out->Stop();
  });
}

TEST(Image, SkewAndSortColumnsAreFilledInside) {
  const std::string image = *wire::TJsonStructToBinary(
      R"({"1":{"str":"t"},"7":{"rec":{"9":{"lst":["rec",2,{"1":{"str":"ID"},"2":{"i32":5}},)"
      R"({"1":{"str":"b"}}]},"11":{"rec":{"1":{"lst":["str",1,"ID"]}}}}}})");
  const std::string bytes = Normalized(image);
  const auto sd = *wire::StructView(bytes).Struct(ids::table::kSd);
  const auto skewed = *sd.Struct(ids::storage_descriptor::kSkewedInfo);
  EXPECT_EQ(wire::ListView(skewed.Find(ids::skewed_info::kSkewedColNames)->value).Strings(),
            std::vector<std::string>{"ID"});
  ASSERT_TRUE(skewed.Find(ids::skewed_info::kSkewedColValues));
  EXPECT_TRUE(skewed.Find(ids::skewed_info::kSkewedColValueLocationMaps));
  const auto orders = wire::ListView(sd.Find(ids::storage_descriptor::kSortCols)->value).Elements();
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(wire::StructView(orders[0]).String(ids::order::kCol), "id");
  EXPECT_EQ(wire::StructView(orders[0]).I32(ids::order::kOrder), 5);
  EXPECT_EQ(wire::StructView(orders[1]).I32(ids::order::kOrder), 0);
}

// Hive 4 stores a new description and no new classes, Hive 3 neither: to be read again.
TEST(Image, AnAlterOfOddSerdeMembersCannotBeTold) {
  const auto with_serde = [](int16_t member) {
    const std::string serde = StructOf([member](wire::Writer* out) {
      out->StringField(ids::serde_info::kName, "name");
      if (member != 0) out->StringField(member, "x");
    });
    const std::string sd = StructOf([&serde](wire::Writer* out) {
      out->RawField(wire::TType::kStruct, ids::storage_descriptor::kSerdeInfo, serde);
    });
    return wire::WithField(testing::TableBytes(TestTable()), ids::table::kSd, wire::TType::kStruct,
                           sd);
  };
  for (const int16_t member : {ids::serde_info::kDescription, ids::serde_info::kSerializerClass,
                               ids::serde_info::kDeserializerClass, ids::serde_info::kSerdeType}) {
    const std::string with = with_serde(member);
    for (const auto& [after, before] :
         {std::pair(with, with_serde(0)), std::pair(with_serde(0), with)}) {
      const auto kept = WithKeptMembers(after, before);
      ASSERT_FALSE(kept) << member;
      EXPECT_EQ(kept.error().code, ErrorCode::kUnsupported);
    }
    EXPECT_TRUE(WithKeptMembers(with, with));
  }
  EXPECT_TRUE(WithKeptMembers(with_serde(ids::serde_info::kSerializationLib), with_serde(0)));
}

size_t Entries(const wire::StructView& view, int16_t id) {
  const auto field = view.Find(id);
  return field ? wire::StringMap(field->value).size() : 99;
}

// Hive 4 reads less of full-ACID tables than it stores (seen in 4.1 and 4.2).
TEST(Image, StorageOfFullAcidTablesIsReducedOnHiveFour) {
  const auto storage = [](const TestTable& table, Generation generation) {
    const std::string image =
        wire::WithField(Image(table), ids::table::kSd, wire::TType::kStruct, FullStorage());
    static std::string kept;  // Views point into it.
    kept = Normalized(image, generation);
    return *wire::StructView(kept).Struct(ids::table::kSd);
  };
  for (const char* key : {"transactional", "TRANSACTIONAL"}) {
    const auto acid = storage(TestTable().With(key, "true"), Generation::kHive4);
    EXPECT_EQ(acid.String(ids::storage_descriptor::kLocation), "file:/t");
    EXPECT_EQ(Entries(acid, ids::storage_descriptor::kParameters), 0U);
    const auto serde = *acid.Struct(ids::storage_descriptor::kSerdeInfo);
    EXPECT_EQ(serde.String(ids::serde_info::kSerializationLib), "OrcSerde");
    EXPECT_EQ(serde.String(ids::serde_info::kName), "name");
    EXPECT_EQ(Entries(serde, ids::serde_info::kParameters), 0U);
    EXPECT_FALSE(serde.Find(ids::serde_info::kDescription));
    const auto skewed = *acid.Struct(ids::storage_descriptor::kSkewedInfo);
    EXPECT_EQ(wire::ListView(skewed.Find(ids::skewed_info::kSkewedColNames)->value).size(), 0U);
  }
  const TestTable acid = TestTable().With("transactional", "true");
  for (const auto& [table, generation] :
       {std::pair(acid, Generation::kHive3), std::pair(TestTable(), Generation::kHive4),
        std::pair(acid.With("transactional_properties", "insert_only"), Generation::kHive4)}) {
    const auto whole = storage(table, generation);
    EXPECT_EQ(Entries(whole, ids::storage_descriptor::kParameters), 1U);
    const auto serde = *whole.Struct(ids::storage_descriptor::kSerdeInfo);
    EXPECT_TRUE(serde.Find(ids::serde_info::kDescription));
  }
}

// Direct SQL, the default, does not select them; the other way of reading does.
TEST(Image, PartitionsWithMembersOfTheirSerdeAreReadAgain) {
  const std::string plain = testing::PartitionBytes(TestTable(), {"1"});
  const std::string odd =
      wire::WithField(plain, ids::partition::kSd, wire::TType::kStruct, FullStorage());
  EXPECT_TRUE(NormalizePartitionImage(plain, Generation::kHive4));
  EXPECT_EQ(NormalizePartitionImage(odd, Generation::kHive4).error().code, ErrorCode::kUnsupported);
}

// A read of many leaves the values out; a read of one has them.
TEST(Image, PartitionsThatAreSkewedByNoColumnAreReadAgain) {
  const auto skewed_by = [](const std::vector<std::string>& names, size_t values) {
    std::string storage;
    wire::Writer out(&storage);
    out.Field(wire::TType::kStruct, ids::storage_descriptor::kSkewedInfo);
    out.StringListField(ids::skewed_info::kSkewedColNames, names);
    out.Field(wire::TType::kList, ids::skewed_info::kSkewedColValues);
    out.ListBegin(wire::TType::kList, values);
    for (size_t i = 0; i < values; ++i) {
      out.ListBegin(wire::TType::kString, 1);
      out.String("0");
    }
    out.Stop();
    out.Stop();
    const std::string image = wire::WithField(testing::PartitionBytes(TestTable(), {"1"}),
                                              ids::partition::kSd, wire::TType::kStruct, storage);
    return NormalizePartitionImage(image, Generation::kHive3).has_value();
  };
  EXPECT_FALSE(skewed_by({}, 1));
  EXPECT_TRUE(skewed_by({"id"}, 1));
  EXPECT_TRUE(skewed_by({"id"}, 0));
  EXPECT_TRUE(skewed_by({}, 0));
}

TEST(Image, WhatPartitionsAreNotAnsweredWithIsDropped) {
  std::string image = testing::PartitionBytes(TestTable(), {"1"});
  const std::string plain = *NormalizePartitionImage(image, Generation::kHive3);
  image = wire::WithField(image, ids::partition::kIsStatsCompliant, wire::TType::kBool,
                          std::string(1, '\0'));
  image = wire::WithField(image, ids::partition::kPrivileges, wire::TType::kStruct,
                          std::string(1, '\0'));
  EXPECT_EQ(*NormalizePartitionImage(image, Generation::kHive3), plain);
}

TEST(Image, AnAlterKeepsTheIdAndTheCreationTime) {
  const auto with = [](const std::string& table, int16_t id, wire::TType type, size_t size,
                       char fill) {
    return wire::WithField(table, id, type, std::string(size, fill));
  };
  const std::string plain = testing::TableBytes(TestTable());
  const std::string before = with(with(plain, ids::table::kId, wire::TType::kI64, 8, '\1'),
                                  ids::table::kCreateTime, wire::TType::kI32, 4, '\2');
  // A client of an older protocol drops the id and writes another time.
  const std::string altered = with(plain, ids::table::kCreateTime, wire::TType::kI32, 4, '\0');
  const std::string kept = *WithKeptMembers(altered, before);
  EXPECT_EQ(wire::StructView(kept).I64(ids::table::kId), wire::StructView(before).I64(25));
  EXPECT_EQ(wire::StructView(kept).I32(ids::table::kCreateTime), 0x02020202);
  EXPECT_EQ(*WithKeptMembers(before, before), before);
}

TEST(Image, OneParameterOfAPartitionIsPut) {
  const TestTable table;
  const std::string before = testing::PartitionBytes(table, {"1"}, {{"a", "1"}, {"k", "old"}});
  const std::string after = WithPartitionParameter(before, "k", "new");
  const auto parameters = wire::StructView(after).Find(ids::partition::kParameters);
  ASSERT_TRUE(parameters);
  EXPECT_EQ(wire::StringMap(parameters->value).size(), 2U);
  EXPECT_EQ(wire::StringMapValue(parameters->value, "a"), "1");
  EXPECT_EQ(wire::StringMapValue(parameters->value, "k"), "new");
  EXPECT_EQ(wire::StructView(after).String(ids::partition::kTableName), table.name);
  // Also where there was no map at all.
  const std::string bare = wire::WithoutField(before, ids::partition::kParameters);
  const std::string filled = WithPartitionParameter(bare, "k", "new");
  const auto only = wire::StructView(filled).Find(ids::partition::kParameters);
  ASSERT_TRUE(only);
  EXPECT_EQ(wire::StringMap(only->value).size(), 1U);
}

TEST(Image, UnknownFieldsSurvive) {
  const std::string image =
      wire::WithField(Image(TestTable()), 999, wire::TType::kString, std::string("\0\0\0\1x", 5));
  EXPECT_EQ(wire::StructView(Normalized(image)).String(999), "x");
}

TEST(Image, AnImageWithoutItsNameOrValuesIsCorrupt) {
  const std::string empty(1, '\0');
  EXPECT_EQ(NormalizeTableImage(empty, EventKind::kAlterTable, Generation::kHive4).error().code,
            ErrorCode::kCorrupt);
  EXPECT_EQ(NormalizePartitionImage(empty, Generation::kHive4).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(MakePartitionEntry({"day"}, empty).error().code, ErrorCode::kCorrupt);
}

TEST(Image, PartitionNamesFollowTheOrderOfTheKeys) {
  const auto name = PartitionNameOf({"day", "hour"}, {{"HOUR", "1"}, {"day", "a/b"}});
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, "day=a%2Fb/hour=1");
  EXPECT_EQ(PartitionNameOf({"day"}, {{"hour", "1"}}).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace catalogd::sync
