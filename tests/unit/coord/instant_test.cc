// Times of other programs: every length they write, and texts that are no times at all.
#include "catalog/coord/instant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace catalogd::coord {
namespace {

using ::testing::HasSubstr;

Instant Of(std::string_view text) { return Instant::Parse(text).value(); }

TEST(Instant, TheLengthsThatWritersUseAreRead) {
  for (const char* text : {"20190101120000", "20251220210129235", "00000000000000000",
                           "00000000000000", "20251220210129235001", "20251220210129235001002"}) {
    const Result<Instant> instant = Instant::Parse(text);
    ASSERT_TRUE(instant) << text;
    EXPECT_EQ(instant->text(), text);
  }
}

TEST(Instant, WhatIsNoInstantIsAClearError) {
  for (const char* text :
       {"", "1", "2025122021012", "2025122021012923x", "-0251220210129235", "2025-12-20 21:01:29",
        " 20251220210129235", "20251220210129235.", "202512202101292350010020",
        "\xd9\xa1\xd9\xa2\xd9\xa1\xd9\xa2\xd9\xa1"
        "\xd9\xa2\xd9\xa1\xd9\xa2"}) {
    const Result<Instant> instant = Instant::Parse(text);
    ASSERT_FALSE(instant) << text;
    EXPECT_EQ(instant.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(instant.error().message, HasSubstr("is not an instant: 14 to 23 digits"));
  }
  const Result<Instant> huge = Instant::Parse(std::string(100'000, '1'));
  EXPECT_LT(huge.error().message.size(), 200U);
  EXPECT_FALSE(Instant::Parse(std::string("2025122021012\0\0\0\0", 17)));
}

TEST(Instant, OrderIsThatOfTheText) {
  EXPECT_LT(Instant(), Of("00000000000000"));
  EXPECT_LT(Of("20251220210129"), Of("20251220210129000"));
  EXPECT_LT(Of("20251220210129999"), Of("20251220210130"));
  EXPECT_LT(Of("20251220210129235"), Of("20251220210129235001"));
  EXPECT_LT(Of("20251220210129235001"), Of("20251220210129236"));
  EXPECT_EQ(Of("20251220210129235"), Of("20251220210129235"));
}

TEST(Instant, MillisecondsOfTheCalendar) {
  const auto between = [](const char* from, const char* to) {
    return InstantMillis(Of(to)).value() - InstantMillis(Of(from)).value();
  };
  EXPECT_EQ(between("20251220210129235", "20251220210129236"), 1);
  EXPECT_EQ(between("20240228235959999", "20240301000000000"), 24LL * 3600 * 1000 + 1);
  EXPECT_EQ(between("20230228235959999", "20230301000000000"), 1);
  EXPECT_EQ(between("20251220210129000", "20251220210129"), 999) << "14 digits end in 999";
  EXPECT_EQ(between("20251220210129235", "20251220210129235999"), 0) << "digits behind are cut off";
}

TEST(Instant, WhatIsNoDateHasNoMilliseconds) {
  for (const char* text : {"00000000000000000", "20251320000000000", "20250230000000000",
                           "20251220240000000", "20251220216000000", "20251220210060000"}) {
    const Result<int64_t> millis = InstantMillis(Of(text));
    ASSERT_FALSE(millis) << text;
    EXPECT_THAT(millis.error().message, HasSubstr("is not a date"));
  }
  EXPECT_FALSE(InstantMillis(Instant()));
}

TEST(Instant, MillisecondsAndBack) {
  for (const char* text : {"00000101000000000", "19700101000000000", "20240229235959999",
                           "20251220210129235", "99991231235959999"}) {
    EXPECT_EQ(InstantFromMillis(InstantMillis(Of(text)).value()).text(), text);
  }
}

}  // namespace
}  // namespace catalogd::coord
