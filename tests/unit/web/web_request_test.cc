#include "catalog/web/web_request.h"

#include <gmock/gmock.h>

namespace catalogd::web {
namespace {

using testing::HasSubstr;

TEST(ParseTarget, DecodesPathAndQuery) {
  const auto request = ParseTarget("/object?name=sales%2Eor+ders&x&y=%26", "");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/object");
  EXPECT_EQ(request->Get("name"), "sales.or ders");
  EXPECT_TRUE(request->Has("x"));
  EXPECT_EQ(request->Get("y"), "&");
  EXPECT_EQ(request->Get("absent", "fallback"), "fallback");
  EXPECT_FALSE(request->json);
}

TEST(ParseTarget, PlusIsAPlusInPaths) { EXPECT_EQ(ParseTarget("/a+b", "")->path, "/a+b"); }

TEST(ParseTarget, AcceptsWhatProxiesSend) {
  EXPECT_EQ(ParseTarget("http://host:9084/events?limit=1", "")->path, "/events");
  EXPECT_EQ(ParseTarget("http://host:9084", "")->path, "/");
}

TEST(ParseTarget, RefusesBrokenEscapes) {
  for (const char* target : {"/%", "/%4", "/%zz", "/?a=%", "/?%q=1", "/%00"}) {
    const auto request = ParseTarget(target, "");
    ASSERT_FALSE(request) << target;
    EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(request.error().message, HasSubstr("percent escape"));
  }
}

TEST(ParseTarget, RefusesWhatIsNoPath) {
  EXPECT_FALSE(ParseTarget("", ""));
  EXPECT_FALSE(ParseTarget("events", ""));
  EXPECT_FALSE(ParseTarget("*", ""));
}

TEST(ParseTarget, TellsWhoWantsJson) {
  EXPECT_TRUE(ParseTarget("/?json", "text/html")->json);
  EXPECT_TRUE(ParseTarget("/", "application/json")->json);
  EXPECT_FALSE(ParseTarget("/", "text/html,application/xhtml+xml,*/*;q=0.8")->json);
  EXPECT_FALSE(ParseTarget("/", "text/html, application/json")->json);
  EXPECT_FALSE(ParseTarget("/", "*/*")->json);
}

TEST(WebRequest, NumbersAreCheckedAgainstTheirRange) {
  const auto request = ParseTarget("/?a=5&b=x&c=500&d=7z&e=", "");
  EXPECT_EQ(request->GetNumber("a", 1, 0, 100).value(), 5);
  EXPECT_EQ(request->GetNumber("absent", 42, 0, 100).value(), 42);
  for (const char* name : {"b", "c", "d", "e"}) {
    const auto number = request->GetNumber(name, 1, 0, 100);
    ASSERT_FALSE(number) << name;
    EXPECT_THAT(number.error().message, HasSubstr("whole number from 0 to 100"));
  }
}

TEST(EncodeQueryValue, SurvivesTheWayThere) {
  const std::string text = "a&b=c d/<script>%\"'\xc3\xa9";
  const auto request = ParseTarget("/?name=" + EncodeQueryValue(text), "");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->Get("name"), text);
}

TEST(HttpStatusOf, KnowsEveryCode) {
  for (int code = 0; code < kErrorCodeCount; ++code) {
    const int status = HttpStatusOf(static_cast<ErrorCode>(code));
    EXPECT_GE(status, 400);
    EXPECT_LT(status, 600);
  }
  EXPECT_EQ(HttpStatusOf(ErrorCode::kNotFound), 404);
  EXPECT_EQ(HttpStatusOf(ErrorCode::kInvalidArgument), 400);
  EXPECT_EQ(HttpStatusOf(ErrorCode::kUnavailable), 503);
}

}  // namespace
}  // namespace catalogd::web
