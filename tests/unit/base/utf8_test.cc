#include "catalog/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

#include "catalog/base/error.h"

namespace catalogd {
namespace {

TEST(Utf8Test, ValidTextStays) {
  for (const char* text : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc2\x80z"}) {
    EXPECT_EQ(ValidUtf8(text), text);
  }
  const std::string zero("a\0b", 3);
  EXPECT_EQ(ValidUtf8(zero), zero);
}

TEST(Utf8Test, EachBrokenCharacterIsReplaced) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(ValidUtf8("a\xff"
                      "b"),
            "a" + r + "b");
  EXPECT_EQ(ValidUtf8("\x80"), r);
  EXPECT_EQ(ValidUtf8("\xc3"), r);
  EXPECT_EQ(ValidUtf8("\xe2\x82"), r);
  EXPECT_EQ(ValidUtf8("\xe2\x82z"), r + "z");
  EXPECT_EQ(ValidUtf8("\xf0\x9f\x98\xc3\xa9"), r + "\xc3\xa9");
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), r + r);                  // Too long a form of '/'.
  EXPECT_EQ(ValidUtf8("\xe0\x80\xaf"), r + r + r);          // The same in three bytes.
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), r + r + r);          // A surrogate.
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80"), r + r + r + r);  // Beyond U+10FFFF.
  EXPECT_EQ(ValidUtf8("\xf8\x88\x80\x80\x80"), r + r + r + r + r);
}

TEST(Utf8Test, TheContextOfAnErrorAndItsWholeTextAreValid) {
  EXPECT_EQ(Error{}.WithContext("get_table b\xfe").message, "get_table b\xef\xbf\xbd: ");
  const Error error{ErrorCode::kNotFound, "table a\xff"};
  EXPECT_EQ(error.ToString(), "not_found: table a\xef\xbf\xbd");
}

}  // namespace
}  // namespace catalogd
