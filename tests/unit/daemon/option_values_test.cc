#include "catalog/daemon/option_values.h"

#include <gmock/gmock.h>

namespace catalogd::daemon {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(ParseDuration, KnowsItsUnits) {
  EXPECT_EQ(ParseDuration("500ms").value(), milliseconds(500));
  EXPECT_EQ(ParseDuration("2s").value(), seconds(2));
  EXPECT_EQ(ParseDuration("5m").value(), minutes(5));
  EXPECT_EQ(ParseDuration("5 min").value(), minutes(5));
  EXPECT_EQ(ParseDuration("1h").value(), hours(1));
  EXPECT_EQ(ParseDuration("0").value(), Duration::zero());
}

TEST(ParseDuration, RefusesWhatIsAmbiguousOrTooLong) {
  for (const char* text : {"", "5", "-1s", "1.5s", "5 parsecs", "ms", "s5", "99999999999999999999s",
                           "9223372036854775807h"}) {
    const auto parsed = ParseDuration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr("500ms, 2s"));
  }
}

TEST(ParseSize, KnowsItsUnits) {
  EXPECT_EQ(ParseSize("4096").value(), 4096U);
  EXPECT_EQ(ParseSize("64KiB").value(), 65536U);
  EXPECT_EQ(ParseSize("100MiB").value(), 100U << 20U);
  EXPECT_EQ(ParseSize("2GiB").value(), size_t{2} << 30U);
  EXPECT_EQ(ParseSize("1 K").value(), 1024U);
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const char* text : {"", "-1", "1.5MiB", "1TB", "MiB", "9223372036854775807GiB"}) {
    EXPECT_FALSE(ParseSize(text)) << text;
  }
}

TEST(ParseNumber, ChecksTheRange) {
  EXPECT_EQ(ParseNumber("0", 0, 65535).value(), 0);
  EXPECT_EQ(ParseNumber("65535", 0, 65535).value(), 65535);
  for (const char* text : {"65536", "-1", "80x", "", " "}) {
    const auto parsed = ParseNumber(text, 0, 65535);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr("0 to 65535"));
  }
}

TEST(ParseSwitch, TakesTheUsualWords) {
  for (const char* yes : {"", "true", "yes", "on", "1"}) EXPECT_TRUE(ParseSwitch(yes).value());
  for (const char* no : {"false", "no", "off", "0"}) EXPECT_FALSE(ParseSwitch(no).value());
  EXPECT_FALSE(ParseSwitch("maybe"));
}

TEST(OneOf, ReadsLikeASentence) {
  EXPECT_EQ(OneOf({"a"}), "a");
  EXPECT_EQ(OneOf({"a", "b"}), "a or b");
  EXPECT_EQ(OneOf({"a", "b", "c"}), "a, b or c");
}

TEST(Nearest, FindsWhatWasMeantAndNothingFarOff) {
  const std::vector<std::string> names = {"port", "web-port", "poll-interval"};
  EXPECT_EQ(Nearest("prot", names), "port");
  EXPECT_EQ(Nearest("poll-intervall", names), "poll-interval");
  EXPECT_EQ(Nearest("web_port", names), "web-port");
  EXPECT_EQ(Nearest("completely-else", names), "");
  EXPECT_EQ(Nearest("port", {}), "");
}

}  // namespace
}  // namespace catalogd::daemon
