#include "thrift/wire/tjson.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/random_thrift.h"
#include "tests/support/tjson_samples.h"
#include "thrift/wire/json_text.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::wire {
namespace {

using testing::EscapeJson;

// The binary of a struct with one field, as a builder.
class Expected {
 public:
  explicit Expected(TType type, int16_t id = 1) { writer_.Field(type, id); }
  Writer& value() { return writer_; }
  std::string Done() {
    writer_.Stop();
    return bytes_;
  }

 private:
  std::string bytes_;
  Writer writer_{&bytes_};
};

std::string StringStruct(std::string_view text) {
  Expected expected(TType::kString);
  expected.value().String(text);
  return expected.Done();
}

// At every escape depth the text must give these bytes.
void ExpectBinary(const std::string& text, const std::string& expected) {
  for (int depth = 0; depth <= 3; ++depth) {
    const std::string escaped = EscapeJson(text, depth);
    const auto binary = TJsonStructToBinary(escaped, depth);
    ASSERT_TRUE(binary.has_value()) << depth << " " << escaped << " " << binary.error().message;
    EXPECT_EQ(*binary, expected) << depth << " " << escaped;
  }
}

// At every escape depth it must fail.
void ExpectFails(const std::string& text, ErrorCode code = ErrorCode::kCorrupt,
                 const Limits& limits = {}) {
  for (int depth = 0; depth <= 2; ++depth) {
    const auto binary = TJsonStructToBinary(EscapeJson(text, depth), depth, limits);
    ASSERT_FALSE(binary.has_value()) << depth << " " << text;
    EXPECT_EQ(binary.error().code, code) << depth << " " << text;
  }
}

std::string IntegerField(std::string_view tag, std::string_view value) {
  return "{\"1\":{\"" + std::string(tag) + "\":" + std::string(value) + "}}";
}

void ExpectDouble(const std::string& text, double value) {
  Expected expected(TType::kDouble);
  expected.value().Double(value);
  ExpectBinary(IntegerField("dbl", text), expected.Done());
}

TEST(TJson, EmptyStruct) { ExpectBinary("{}", std::string(1, '\0')); }

TEST(TJson, FieldIdsIncludingNegativeOnes) {
  std::string expected;
  Writer writer(&expected);
  writer.BoolField(1, true);
  writer.BoolField(-1, false);
  writer.BoolField(32767, true);
  writer.BoolField(-32768, false);
  writer.Stop();
  ExpectBinary(R"({"1":{"tf":1},"-1":{"tf":0},"32767":{"tf":1},"-32768":{"tf":0}})", expected);
  ExpectFails(R"({"32768":{"tf":1}})");
  ExpectFails(R"({"":{"tf":1}})");
  ExpectFails(R"({"1x":{"tf":1}})");
}

TEST(TJson, IntegersOfEveryWidth) {
  std::string expected;
  Writer writer(&expected);
  writer.ByteField(1, -128);
  writer.I16Field(2, 32767);
  writer.I32Field(3, std::numeric_limits<int32_t>::min());
  writer.I64Field(4, std::numeric_limits<int64_t>::min());
  writer.I64Field(5, std::numeric_limits<int64_t>::max());
  writer.Stop();
  ExpectBinary(R"({"1":{"i8":-128},"2":{"i16":32767},"3":{"i32":-2147483648},)"
               R"("4":{"i64":-9223372036854775808},"5":{"i64":9223372036854775807}})",
               expected);
}

TEST(TJson, QuotedNumbersAreNumbers) {
  Expected expected(TType::kI32);
  expected.value().I32(-12);
  ExpectBinary(IntegerField("i32", "\"-12\""), expected.Done());
  ExpectDouble("\"2.5\"", 2.5);
}

TEST(TJson, IntegersOutOfRangeAreRefused) {
  ExpectFails(IntegerField("i8", "128"));
  ExpectFails(IntegerField("i16", "-32769"));
  ExpectFails(IntegerField("i32", "2147483648"));
  ExpectFails(IntegerField("i64", "9223372036854775808"));
  ExpectFails(IntegerField("tf", "2"));
  ExpectFails(IntegerField("tf", "true"));
  ExpectFails(IntegerField("i32", ""));
  ExpectFails(IntegerField("i32", "1.5"));
  ExpectFails(IntegerField("i32", "\"1"));
  ExpectFails(IntegerField("i32", "1\""));
}

TEST(TJson, Doubles) {
  ExpectDouble("1.0E10", 1e10);
  ExpectDouble("-0.0", -0.0);
  ExpectDouble("4.9E-324", std::numeric_limits<double>::denorm_min());
  ExpectDouble("1.7976931348623157E308", std::numeric_limits<double>::max());
  ExpectDouble("\"Infinity\"", std::numeric_limits<double>::infinity());
  ExpectDouble("\"-Infinity\"", -std::numeric_limits<double>::infinity());
  ExpectDouble("\"NaN\"", std::numeric_limits<double>::quiet_NaN());
  ExpectFails(IntegerField("dbl", "NaN"));
  ExpectFails(IntegerField("dbl", "\"inf\""));
  ExpectFails(IntegerField("dbl", "\"\""));
  ExpectFails(IntegerField("dbl", "1e999"));
  ExpectFails(IntegerField("dbl", "1.5x"));
}

TEST(TJson, StringEscapes) {
  const auto field = [](std::string_view text) {
    return "{\"1\":{\"str\":\"" + std::string(text) + "\"}}";
  };
  ExpectBinary(field(""), StringStruct(""));
  ExpectBinary(field("plain"), StringStruct("plain"));
  ExpectBinary(field(R"(a\"b)"), StringStruct("a\"b"));
  ExpectBinary(field(R"(a\\)"), StringStruct("a\\"));
  ExpectBinary(field(R"(\\\")"), StringStruct("\\\""));
  ExpectBinary(field(R"(\/\b\f\n\r\t)"), StringStruct("/\b\f\n\r\t"));
  ExpectBinary(field(R"(\u0041\u00e9\u20AC)"), StringStruct("A\xc3\xa9\xe2\x82\xac"));
  // Where the number of bytes changes.
  ExpectBinary(field(R"(\u007f\u0080\u07ff\u0800\uffff)"),
               StringStruct("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"));
  ExpectBinary(field(R"(\ud800\udc00\udbff\udfff)"),
               StringStruct("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  ExpectBinary(field(R"(\u0000)"), StringStruct(std::string(1, '\0')));
  ExpectBinary(field(R"(\ud83d\ude00!)"), StringStruct("\xf0\x9f\x98\x80!"));
  ExpectBinary(field("\xf0\x9f\x98\x80"), StringStruct("\xf0\x9f\x98\x80"));
  ExpectBinary(field(R"(\\u0041)"), StringStruct("\\u0041"));
}

TEST(TJson, MalformedEscapesAreRefused) {
  for (const char* text : {R"(\x)", R"(\)", R"(\u12)", R"(\u12g4)", R"(\ud83d)", R"(\ud83dx)",
                           R"(\ud83d\u0041)", R"(\ude00)", R"(\ud83d\n)", "\""}) {
    ExpectFails("{\"1\":{\"str\":\"" + std::string(text) + "\"}}");
  }
}

TEST(TJson, StringsOfEveryLengthAndEscapePosition) {
  // Strings are copied in blocks: an escape or the end may fall on every place of a block.
  for (size_t length = 0; length < 40; ++length) {
    const std::string plain(length, 'x');
    ExpectBinary("{\"1\":{\"str\":\"" + plain + "\"}}", StringStruct(plain));
    for (size_t at = 0; at <= length; ++at) {
      std::string text = plain;
      text.insert(at, "\"");
      ExpectBinary("{\"1\":{\"str\":\"" + EscapeJson(text) + "\"}}", StringStruct(text));
    }
  }
}

TEST(TJson, ListsAndSets) {
  Expected strings(TType::kList);
  strings.value().ListBegin(TType::kString, 2);
  strings.value().String("a");
  strings.value().String("");
  ExpectBinary(R"({"1":{"lst":["str",2,"a",""]}})", strings.Done());

  Expected records(TType::kSet);
  records.value().ListBegin(TType::kStruct, 2);
  records.value().BoolField(1, true);
  records.value().Stop();
  records.value().Stop();
  ExpectBinary(R"({"1":{"set":["rec",2,{"1":{"tf":1}},{}]}})", records.Done());

  Expected lists(TType::kList);
  lists.value().ListBegin(TType::kList, 2);
  lists.value().ListBegin(TType::kI64, 1);
  lists.value().I64(-1);
  lists.value().ListBegin(TType::kString, 0);
  ExpectBinary(R"({"1":{"lst":["lst",2,["i64",1,-1],["str",0]]}})", lists.Done());
}

TEST(TJson, MapsWithPlainKeys) {
  Expected empty(TType::kMap);
  empty.value().MapBegin(TType::kString, TType::kString, 0);
  ExpectBinary(R"({"1":{"map":["str","str",0,{}]}})", empty.Done());

  Expected strings(TType::kMap);
  strings.value().MapBegin(TType::kString, TType::kString, 2);
  for (const char* text : {"k\"1", "v", "", "\\"}) strings.value().String(text);
  ExpectBinary(R"({"1":{"map":["str","str",2,{"k\"1":"v","":"\\"}]}})", strings.Done());

  Expected numbers(TType::kMap);
  numbers.value().MapBegin(TType::kI64, TType::kBool, 1);
  numbers.value().I64(-9);
  numbers.value().Byte(1);
  ExpectBinary(R"({"1":{"map":["i64","tf",1,{"-9":1}]}})", numbers.Done());

  Expected doubles(TType::kMap);
  doubles.value().MapBegin(TType::kDouble, TType::kByte, 1);
  doubles.value().Double(1.5);
  doubles.value().Byte(7);
  ExpectBinary(R"({"1":{"map":["dbl","i8",1,{"1.5":7}]}})", doubles.Done());
}

TEST(TJson, MapsWithContainerKeys) {
  // SkewedInfo.skewedColValueLocationMaps: not valid JSON.
  Expected lists(TType::kMap, 3);
  lists.value().MapBegin(TType::kList, TType::kString, 2);
  lists.value().ListBegin(TType::kString, 1);
  lists.value().String("v1");
  lists.value().String("path");
  lists.value().ListBegin(TType::kString, 2);
  lists.value().String("\"");
  lists.value().String("b");
  lists.value().String("");
  ExpectBinary(R"({"3":{"map":["lst","str",2,{["str",1,"v1"]:"path",["str",2,"\"","b"]:""}]}})",
               lists.Done());

  Expected records(TType::kMap);
  records.value().MapBegin(TType::kStruct, TType::kMap, 1);
  records.value().StringField(1, "k");
  records.value().Stop();
  records.value().MapBegin(TType::kString, TType::kI32, 0);
  ExpectBinary(R"({"1":{"map":["rec","map",1,{{"1":{"str":"k"}}:["str","i32",0,{}]}]}})",
               records.Done());
}

TEST(TJson, DeclaredCountsMustMatch) {
  for (const char* value :
       {R"({"lst":["str",1,"a","b"]})", R"({"lst":["str",3,"a","b"]})", R"({"lst":["str",-1]})",
        R"({"lst":["tf",2147483647,1]})", R"({"lst":["tf",99999999999,1]})", R"({"lst":["str"]})",
        R"({"map":["str","str",0,{"a":"b"}]})", R"({"map":["str","str",2,{"a":"b"}]})",
        R"({"map":["str","str",1,{}]})", R"({"map":["str","str",1]})"}) {
    Limits limits;
    limits.max_container = std::numeric_limits<size_t>::max();
    ExpectFails("{\"1\":" + std::string(value) + "}", ErrorCode::kCorrupt, limits);
  }
}

TEST(TJson, MalformedStructureIsRefused) {
  for (const char* text : {"",
                           "{",
                           "}",
                           "[]",
                           "null",
                           "{}{}",
                           "{} ",
                           " {}",
                           R"({"1":{"tf":1},})",
                           R"({"1":{"tf":1}]})",
                           R"({"1":{"tf":1}"2":{"tf":1}})",
                           R"({"1":{}})",
                           R"({"1":{"foo":1}})",
                           R"({"1":{"stru":""}})",
                           R"({"1":{"i3":1}})",
                           R"({"1":{"":1}})",
                           R"({"1":{"tf":1,"tf":1}})",
                           R"({1:{"tf":1}})",
                           R"({"1": {"tf":1}})",
                           R"({"1":{"tf": 1}})",
                           R"({"1":{"lst":["foo",0]}})",
                           R"({"1":{"rec":[]}})",
                           R"({"1":{"str":1}})",
                           R"({"1":{"map":["str","str",0,{}}})"}) {
    ExpectFails(text);
  }
}

TEST(TJson, DepthIsLimited) {
  const auto nested = [](int depth) {
    std::string text = "{}";
    for (int i = 1; i < depth; ++i) text = "{\"1\":{\"rec\":" + text + "}}";
    return text;
  };
  Limits limits;
  limits.max_depth = 5;
  EXPECT_TRUE(TJsonStructToBinary(nested(5), 0, limits).has_value());
  ExpectFails(nested(6), ErrorCode::kResourceExhausted, limits);
  limits.max_depth = 1'000'000'000;
  EXPECT_EQ(TJsonStructToBinary(nested(3000), 0, limits).error().code,
            ErrorCode::kResourceExhausted);
  limits.max_depth = 2;
  ExpectFails(R"({"1":{"lst":["lst",1,["tf",0]]}})", ErrorCode::kResourceExhausted, limits);
}

TEST(TJson, LimitsHold) {
  Limits limits;
  limits.max_string = 3;
  EXPECT_TRUE(TJsonStructToBinary(R"({"1":{"str":"abc"}})", 0, limits).has_value());
  ExpectFails(R"({"1":{"str":"abcd"}})", ErrorCode::kResourceExhausted, limits);
  limits.max_container = 1;
  ExpectFails(R"({"1":{"lst":["tf",2,0,0]}})", ErrorCode::kResourceExhausted, limits);
}

TEST(TJson, EscapeDepthIsBounded) {
  EXPECT_EQ(TJsonStructToBinary("{}", -1).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(TJsonStructToBinary("{}", kMaxEscapeDepth + 1).error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(TJsonStructToBinary("{}", kMaxEscapeDepth).has_value());
}

TEST(TJson, OuterStringMayUseAnyLegalEscape) {
  // An encoder may escape in the outer string what ours would not: quotes as \u0022, slashes.
  EXPECT_EQ(TJsonStructToBinary(R"({\u00221\":{\"str\":\"a\/b\u00e9\\\u006e\"}})", 1),
            StringStruct("a/b\xc3\xa9\n"));
  EXPECT_EQ(TJsonStructToBinary(R"({\"1\":{\"str\":\"\u005c\u005c\"}})", 1), StringStruct("\\"));
}

TEST(TJson, BareQuoteEndsTheOuterString) {
  EXPECT_EQ(TJsonStructToBinary(R"({"1":{"tf":1}})", 1).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(TJsonStructToBinary(R"({\"1\":{\"str\":\"a"b\"}})", 1).error().code,
            ErrorCode::kCorrupt);
  EXPECT_EQ(TJsonStructToBinary(R"({\"1\":{\"str\":\"a\\"b\"}})", 1).error().code,
            ErrorCode::kCorrupt);
}

TEST(TJson, AppendsAndLeavesTheOutputAloneOnErrors) {
  std::string out = "before";
  ASSERT_TRUE(AppendTJsonStruct("{}", 0, {}, &out).has_value());
  EXPECT_EQ(out, std::string("before\0", 7));
  ASSERT_FALSE(AppendTJsonStruct(R"({"1":{"str":"x"})", 0, {}, &out).has_value());
  EXPECT_EQ(out, std::string("before\0", 7));
}

TEST(TJson, ErrorsSayWhereAndWhatToDo) {
  const auto binary = TJsonStructToBinary(R"({"1":{"foo":1}})");
  ASSERT_FALSE(binary.has_value());
  EXPECT_NE(binary.error().message.find("type tag"), std::string::npos);
  EXPECT_NE(binary.error().message.find("read the object"), std::string::npos);
}

TEST(TJson, RandomStructsMatchTheirBinary) {
  testing::RandomThrift random(17);
  for (int i = 0; i < 1000; ++i) {
    const testing::RandomThrift::Pair pair = random.Struct(4);
    ASSERT_NO_FATAL_FAILURE(ExpectBinary(pair.json, pair.binary));
  }
}

TEST(TJson, EveryPrefixIsRefused) {
  testing::RandomThrift random(18);
  for (int i = 0; i < 100; ++i) {
    const std::string json = random.Struct(4).json;
    for (int depth = 0; depth <= 1; ++depth) {
      const std::string text = EscapeJson(json, depth);
      for (size_t n = 0; n < text.size(); ++n) {
        // A copy of its own, so that the sanitizer sees a read past the end.
        const std::vector<char> prefix(text.begin(), text.begin() + static_cast<ptrdiff_t>(n));
        const auto binary = TJsonStructToBinary({prefix.data(), n}, depth);
        ASSERT_FALSE(binary.has_value()) << text.substr(0, n);
        ASSERT_EQ(binary.error().code, ErrorCode::kCorrupt);
      }
    }
  }
}

TEST(TJson, DenseValuesFitTheOutput) {
  // The shortest texts per byte of output; a too small reserve shows under the sanitizer.
  std::string list = "[\"i64\",5000";
  std::string map = "[\"i64\",\"dbl\",5000,{";
  for (int i = 0; i < 5000; ++i) {
    list += ",0";
    map += (i == 0 ? "" : ",") + std::string("0:0");
  }
  const auto binary =
      TJsonStructToBinary("{\"1\":{\"lst\":" + list + "]},\"2\":{\"map\":" + map + "}]}}");
  ASSERT_TRUE(binary.has_value());
  EXPECT_EQ(binary->size(), 3 + 5 + 5000 * 8 + 3 + 6 + 5000 * 16 + 1U);
  EXPECT_EQ(ValueLength(TType::kStruct, *binary), binary->size());
}

TEST(TJson, RealMessagesAreEqualAtBothDepths) {
  const std::vector<std::string> samples = testing::LoadTJsonSamples();
  ASSERT_GT(samples.size(), 3000U);
  for (const std::string& escaped : samples) {
    const auto inside = TJsonStructToBinary(escaped, 1);
    ASSERT_TRUE(inside.has_value()) << escaped << inside.error().message;
    const auto text = internal::UnescapeJson(escaped);
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(TJsonStructToBinary(*text, 0), *inside);
    EXPECT_EQ(ValueLength(TType::kStruct, *inside), inside->size());
  }
}

TEST(UnescapeJson, ResolvesOnceAndRefusesTheRest) {
  EXPECT_EQ(internal::UnescapeJson(R"(a\\nb\n\u00e9)"), "a\\nb\n\xc3\xa9");
  for (const char* text : {"\"", "\\", "\\u12", "\\q", "\\ud800"}) {
    EXPECT_EQ(internal::UnescapeJson(text).error().code, ErrorCode::kCorrupt) << text;
  }
}

}  // namespace
}  // namespace catalogd::wire
