#include "thrift/wire/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/random_thrift.h"
#include "thrift/wire/write.h"

namespace catalogd::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Sample() {
  std::string inner;
  Writer(&inner).StringField(1, "inside");
  Writer(&inner).Stop();
  std::string bytes;
  Writer writer(&bytes);
  writer.StringField(1, "name");
  writer.I16Field(2, std::numeric_limits<int16_t>::min());
  writer.I32Field(3, -7);
  writer.I64Field(4, std::numeric_limits<int64_t>::min());
  writer.BoolField(5, true);
  writer.BoolField(6, false);
  writer.RawField(TType::kStruct, 7, inner);
  writer.StringListField(8, {"a", "", "c"});
  writer.StringMapField(9, {{"k1", "v1"}, {"k2", ""}});
  writer.ByteField(-1, -3);
  writer.Stop();
  return bytes;
}

TEST(StructView, ReadsTypedFields) {
  const std::string bytes = Sample();
  const StructView view(bytes);
  EXPECT_EQ(view.String(1), "name");
  EXPECT_EQ(view.I16(2), std::numeric_limits<int16_t>::min());
  EXPECT_EQ(view.I32(3), -7);
  EXPECT_EQ(view.I64(4), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(view.Bool(5), true);
  EXPECT_EQ(view.Bool(6), false);
  ASSERT_TRUE(view.Struct(7).has_value());
  EXPECT_EQ(view.Struct(7)->String(1), "inside");
  ASSERT_TRUE(view.Find(-1).has_value());
  EXPECT_EQ(view.Find(-1)->value, "\xfd");
}

TEST(StructView, AbsentAndOtherwiseTypedFieldsAreAbsent) {
  const std::string bytes = Sample();
  const StructView view(bytes);
  EXPECT_FALSE(view.Find(99).has_value());
  EXPECT_FALSE(view.String(99).has_value());
  EXPECT_FALSE(view.String(3).has_value());
  EXPECT_FALSE(view.I16(3).has_value());
  EXPECT_FALSE(view.I32(4).has_value());
  EXPECT_FALSE(view.I64(3).has_value());
  EXPECT_FALSE(view.Bool(1).has_value());
  EXPECT_FALSE(view.Struct(1).has_value());
}

TEST(StructView, FieldsCoverEveryByte) {
  const std::string bytes = Sample();
  std::string joined;
  for (const Field& field : StructView(bytes).Fields()) {
    EXPECT_EQ(field.encoded.substr(3), field.value);
    joined += field.encoded;
  }
  EXPECT_EQ(joined + std::string(1, '\0'), bytes);
}

TEST(StructView, EmptyAndDefaultViewsHaveNoFields) {
  EXPECT_THAT(StructView().Fields(), IsEmpty());
  EXPECT_THAT(StructView(std::string_view("\0", 1)).Fields(), IsEmpty());
  EXPECT_FALSE(StructView().String(1).has_value());
}

TEST(StructView, IterationEndsWhereBytesAreMalformed) {
  const std::string bytes = Sample();
  // Cut anywhere, the fields before the cut are still there and nothing else.
  const std::vector<Field> all = StructView(bytes).Fields();
  for (size_t n = 0; n < bytes.size(); ++n) {
    const std::string prefix = bytes.substr(0, n);
    const std::vector<Field> some = StructView(prefix).Fields();
    ASSERT_LE(some.size(), all.size());
    for (size_t i = 0; i < some.size(); ++i) ASSERT_EQ(some[i].encoded, all[i].encoded);
  }
  EXPECT_THAT(StructView("\x07\x01\x01xxxx").Fields(), IsEmpty());
}

TEST(StructView, WalksRandomStructsLikeTheChecker) {
  testing::RandomThrift random(3);
  for (int i = 0; i < 500; ++i) {
    const std::string bytes = random.Struct(4).binary;
    std::string joined;
    for (const Field& field : StructView(bytes).Fields()) joined += field.encoded;
    ASSERT_EQ(joined + std::string(1, '\0'), bytes);
  }
}

TEST(ListView, ReadsElements) {
  const std::string bytes = Sample();
  const ListView list(StructView(bytes).Find(8)->value);
  EXPECT_EQ(list.element_type(), TType::kString);
  EXPECT_EQ(list.size(), 3U);
  EXPECT_THAT(list.Strings(), ElementsAre("a", "", "c"));
  EXPECT_EQ(list.Elements().size(), 3U);
  EXPECT_EQ(DecodeString(list.Elements()[2]), "c");
}

TEST(ListView, StringsOfOtherElementsAreEmpty) {
  std::string bytes;
  Writer(&bytes).ListBegin(TType::kI32, 2);
  Writer(&bytes).I32(1);
  Writer(&bytes).I32(-2);
  const ListView list(bytes);
  EXPECT_THAT(list.Strings(), IsEmpty());
  ASSERT_EQ(list.Elements().size(), 2U);
  EXPECT_EQ(DecodeI32(list.Elements()[1]), -2);
}

TEST(ListView, CountWithoutElementsIsEmptyAndReservesNothing) {
  // Two billion elements declared, none there.
  const std::string bytes("\x0b\x7f\xff\xff\xff", 5);
  EXPECT_EQ(ListView(bytes).size(), 0U);
  EXPECT_THAT(ListView(bytes).Elements(), IsEmpty());
  EXPECT_THAT(ListView(std::string_view("\x0b\0\0", 3)).Elements(), IsEmpty());
  EXPECT_THAT(ListView(std::string_view("\x00\0\0\0\0", 5)).Elements(), IsEmpty());
}

TEST(StringMap, ReadsEntries) {
  const std::string bytes = Sample();
  const std::string_view value = StructView(bytes).Find(9)->value;
  EXPECT_THAT(StringMap(value), ElementsAre(Pair("k1", "v1"), Pair("k2", "")));
  EXPECT_EQ(StringMapValue(value, "k1"), "v1");
  EXPECT_EQ(StringMapValue(value, "k2"), "");
  EXPECT_FALSE(StringMapValue(value, "k3").has_value());
}

TEST(StringMap, OtherTypesAndMalformedBytesAreEmpty) {
  EXPECT_THAT(StringMap(std::string_view("\x08\x0b\0\0\0\1\0\0\0\0\0\0\0\0", 14)), IsEmpty());
  EXPECT_THAT(StringMap(std::string_view("\x0b\x0b\x7f\xff\xff\xff", 6)), IsEmpty());
  EXPECT_THAT(StringMap(std::string_view("\x0b\x0b", 2)), IsEmpty());
  EXPECT_FALSE(StringMapValue("", "k").has_value());
}

TEST(Decode, ShortValuesAreZeroOrEmpty) {
  EXPECT_EQ(DecodeI32("abc"), 0);
  EXPECT_EQ(DecodeI64("abcdefg"), 0);
  EXPECT_EQ(DecodeString("abc"), "");
  EXPECT_EQ(DecodeString(std::string_view("\0\0\0\x09ok", 6)), "ok");
}

}  // namespace
}  // namespace catalogd::wire
