#include "events/json_slices.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "catalog/base/random.h"

namespace catalogd::events {
namespace {

using Kind = JsonSlice::Kind;

TEST(JsonMembers, CutsAllKinds) {
  const auto object = JsonMembers::Parse(
      R"( {"s":"a\"b","n":null,"i":-12,"t":true,"o":{"x":[1,{"y":"]}"}]},"a":["}",[]] , "e":""} )");
  ASSERT_TRUE(object) << object.error().ToString();
  EXPECT_EQ(object->Find("s").kind, Kind::kString);
  EXPECT_EQ(object->Find("s").text, R"(a\"b)");
  EXPECT_EQ(object->Find("n").kind, Kind::kNull);
  EXPECT_FALSE(object->Find("n").present());
  EXPECT_EQ(object->Find("i").text, "-12");
  EXPECT_EQ(object->Find("t").text, "true");
  EXPECT_EQ(object->Find("o").text, R"({"x":[1,{"y":"]}"}]})");
  EXPECT_EQ(object->Find("a").text, R"(["}",[]])");
  EXPECT_EQ(object->Find("e").kind, Kind::kString);
  EXPECT_TRUE(object->Find("e").present());
  EXPECT_EQ(object->Find("missing").kind, Kind::kAbsent);
  EXPECT_EQ(object->all().size(), 7U);
}

// What could go wrong: the block-wise search for the closing quote mistakes an escaped quote for
// it, or the other way round. Every length and every run of backslashes crosses block borders here.
TEST(JsonMembers, FindsTheEndOfAnyString) {
  Random random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string content;
    const size_t length = random.Below(300);
    const uint64_t dirt = 1 + random.Below(6);
    while (content.size() < length) {
      const uint64_t what = random.Below(dirt + 3);
      if (what == 0)
        content += '"';
      else if (what < dirt)
        content += '\\';
      else
        content += static_cast<char>('a' + random.Below(26));
    }
    const nlohmann::json expected = {{"key", content}, {"next", 1}};
    const std::string text = expected.dump();
    const auto object = JsonMembers::Parse(text);
    ASSERT_TRUE(object) << text;
    ASSERT_EQ(object->all().size(), 2U) << text;
    const auto decoded = JsonText(object->Find("key"));
    ASSERT_TRUE(decoded) << text;
    ASSERT_EQ(*decoded, content);
  }
}

TEST(JsonMembers, RefusesMalformedText) {
  const std::string long_tail(200, 'x');
  for (const std::string text : {"", "{", "}", "[]", "null", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
                                 "{\"a\":1", "{a:1}", "{\"a\":\"b}", "{\"a\":[1}", "{\"a\":{]}",
                                 "{\"a\":1}x", "{\"a\":1}{}", "{\"a\":\"\\", "{,}", "{\"a\":[}"}) {
    EXPECT_FALSE(JsonMembers::Parse(text)) << text;
    EXPECT_FALSE(JsonMembers::Parse(text + "\"" + long_tail)) << text;
  }
  EXPECT_EQ(JsonMembers::Parse("{").error().code, ErrorCode::kCorrupt);
}

TEST(JsonMembers, EveryCutIsRefused) {
  const std::string text = R"({"db":"a","list":["x\\","y"],"map":{"k":"v"},"long":")" +
                           std::string(150, '\\') + R"(","n":null})";
  ASSERT_TRUE(JsonMembers::Parse(text));
  for (size_t length = 0; length < text.size(); ++length) {
    const std::vector<char> exact(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(JsonMembers::Parse(std::string_view(exact.data(), exact.size()))) << length;
  }
}

TEST(JsonMembers, BoundsNesting) {
  EXPECT_TRUE(JsonMembers::Parse("{\"a\":" + std::string(60, '[') + std::string(60, ']') + "}"));
  EXPECT_FALSE(
      JsonMembers::Parse("{\"a\":" + std::string(5000, '[') + std::string(5000, ']') + "}"));
}

TEST(JsonElements, CutsAndRefuses) {
  const auto list = JsonElements(R"(["a",null,{"b":1}])");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 3U);
  EXPECT_EQ((*list)[0].text, "a");
  EXPECT_EQ((*list)[1].kind, Kind::kNull);
  EXPECT_EQ((*list)[2].kind, Kind::kObject);
  EXPECT_TRUE(JsonElements("[]")->empty());
  for (const char* text : {"", "[", "{}", "[1,]", "[1]2", "[1 2]", "\"x\""}) {
    EXPECT_FALSE(JsonElements(text)) << text;
  }
}

TEST(JsonStringMap, KeepsOrderAndRefusesOtherValues) {
  const auto object = JsonMembers::Parse(R"({"m":{"z":"1","a\"":"\u00e9"},"bad":{"a":1},"s":"x"})");
  ASSERT_TRUE(object);
  const auto map = JsonStringMap(object->Find("m"));
  ASSERT_TRUE(map);
  EXPECT_EQ((*map)[0], std::make_pair(std::string("z"), std::string("1")));
  EXPECT_EQ((*map)[1], std::make_pair(std::string("a\""), std::string("\u00e9")));
  EXPECT_FALSE(JsonStringMap(object->Find("bad")));
  EXPECT_FALSE(JsonStringMap(object->Find("s")));
  EXPECT_FALSE(JsonStringMap(object->Find("absent")));
  EXPECT_FALSE(JsonStringList(object->Find("m")));
}

}  // namespace
}  // namespace catalogd::events
