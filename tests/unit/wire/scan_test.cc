#include "thrift/wire/scan.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/random_thrift.h"
#include "thrift/wire/write.h"

namespace catalogd::wire {
namespace {

std::string OneField(TType type, std::string_view value) {
  std::string bytes;
  Writer writer(&bytes);
  writer.RawField(type, 1, value);
  writer.Stop();
  return bytes;
}

std::string ListOf(TType element, uint32_t count, std::string_view elements = {}) {
  std::string bytes;
  Writer writer(&bytes);
  writer.Byte(static_cast<uint8_t>(element));
  writer.I32(static_cast<int32_t>(count));
  writer.Raw(elements);
  return bytes;
}

std::string NestedStructs(int depth) {
  std::string bytes;
  for (int i = 1; i < depth; ++i) Writer(&bytes).Field(TType::kStruct, 1);
  return bytes + std::string(static_cast<size_t>(depth), '\0');
}

ErrorCode CodeOf(TType type, std::string_view bytes, const Limits& limits = {}) {
  const auto length = ValueLength(type, bytes, limits);
  EXPECT_FALSE(length.has_value());
  return length ? ErrorCode::kInternal : length.error().code;
}

std::string CallOf(std::string_view body) { return EncodeCall("get_table", 7, body); }

Result<MessageScanner::State> ScanOnce(std::string_view bytes, const Limits& limits = {}) {
  MessageScanner scanner(limits);
  return scanner.Scan(bytes);
}

// The same bytes at once and one by one: both must fail with that code.
void ExpectScanFails(const std::string& message, ErrorCode code, const Limits& limits = {}) {
  const auto at_once = ScanOnce(message, limits);
  ASSERT_FALSE(at_once.has_value());
  EXPECT_EQ(at_once.error().code, code) << at_once.error().message;
  MessageScanner scanner(limits);
  for (size_t n = 1; n <= message.size(); ++n) {
    const auto state = scanner.Scan(std::string_view(message).substr(0, n));
    if (!state) {
      EXPECT_EQ(state.error().code, code) << state.error().message;
      return;
    }
    ASSERT_EQ(*state, MessageScanner::State::kNeedMore);
  }
  FAIL() << "byte by byte it was accepted";
}

TEST(ParseMessageHeader, ReadsStrictHeader) {
  const std::string message = EncodeCall("get_table", -5, std::string(1, '\0'));
  const auto header = ParseMessageHeader(message);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kCall);
  EXPECT_EQ(header->method, "get_table");
  EXPECT_EQ(header->sequence_id, -5);
  EXPECT_EQ(header->body, message.size() - 1);
}

TEST(ParseMessageHeader, ReadsOldHeader) {
  std::string message;
  Writer writer(&message);
  writer.String("getStatus");
  writer.Byte(4);
  writer.I32(9);
  writer.Stop();
  const auto header = ParseMessageHeader(message);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kOneway);
  EXPECT_EQ(header->method, "getStatus");
  EXPECT_EQ(header->sequence_id, 9);
  EXPECT_EQ(header->body, message.size() - 1);
}

TEST(ParseMessageHeader, AcceptsEmptyMethodName) {
  const std::string message = EncodeCall("", 1, std::string(1, '\0'));
  const auto header = ParseMessageHeader(message);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->method, "");
}

TEST(ParseMessageHeader, RefusesEveryPrefix) {
  std::string old;
  Writer(&old).String("abc");
  old += std::string("\1\0\0\0\7", 5);
  for (const std::string& message : {EncodeCall("abc", 7, ""), old}) {
    ASSERT_TRUE(ParseMessageHeader(message).has_value());
    for (size_t n = 0; n < message.size(); ++n) {
      const auto header = ParseMessageHeader(std::string_view(message).substr(0, n));
      ASSERT_FALSE(header.has_value()) << n;
      EXPECT_EQ(header.error().code, ErrorCode::kCorrupt);
    }
  }
}

TEST(ParseMessageHeader, RefusesOtherProtocols) {
  const std::string long_name = EncodeCall(std::string(kMaxMethodName + 1, 'x'), 1, "");
  std::string old_type;
  Writer(&old_type).String("abc");
  old_type += std::string("\5\0\0\0\7", 5);
  const std::string cases[] = {
      std::string("\x82\x21\x01\x09get_table", 13),                 // Compact protocol.
      std::string("\x16\x03\x01\x02\x00\x01\x00", 7),               // TLS.
      "GET / HTTP/1.1\r\n",                                         // HTTP.
      std::string("\x80\x01\x00\x05\0\0\0\0\0\0\0\0", 12),          // Message type 5.
      std::string("\x80\x01\x00\x00\0\0\0\0\0\0\0\0", 12),          // Message type 0.
      std::string("\x80\x02\x00\x01\0\0\0\0\0\0\0\0", 12),          // Version 2.
      std::string("\x80\x01\x00\x01\xff\xff\xff\xff\0\0\0\0", 12),  // Negative name length.
      long_name,
      old_type,
  };
  for (const std::string& bytes : cases) {
    const auto header = ParseMessageHeader(bytes);
    ASSERT_FALSE(header.has_value()) << bytes;
    EXPECT_EQ(header.error().code, ErrorCode::kCorrupt);
    EXPECT_FALSE(ScanOnce(bytes).has_value()) << bytes;
  }
}

TEST(ValueLength, KnowsFixedSizes) {
  const std::string bytes(16, '\1');
  EXPECT_EQ(ValueLength(TType::kBool, bytes), 1U);
  EXPECT_EQ(ValueLength(TType::kByte, bytes), 1U);
  EXPECT_EQ(ValueLength(TType::kI16, bytes), 2U);
  EXPECT_EQ(ValueLength(TType::kI32, bytes), 4U);
  EXPECT_EQ(ValueLength(TType::kI64, bytes), 8U);
  EXPECT_EQ(ValueLength(TType::kDouble, bytes), 8U);
}

TEST(ValueLength, StopsAtTheEndOfTheValue) {
  std::string bytes;
  Writer(&bytes).String("abc");
  EXPECT_EQ(ValueLength(TType::kString, bytes + "behind"), bytes.size());
  const std::string list = ListOf(TType::kI32, 2, "aaaabbbb");
  EXPECT_EQ(ValueLength(TType::kList, list + "behind"), list.size());
  EXPECT_EQ(ValueLength(TType::kSet, list + "behind"), list.size());
  const std::string record = OneField(TType::kList, list);
  EXPECT_EQ(ValueLength(TType::kStruct, record + "behind"), record.size());
}

TEST(ValueLength, RefusesUnknownTypes) {
  const std::string bytes(32, '\0');
  for (const int code : {0, 1, 5, 7, 9, 16, 17, 255}) {
    EXPECT_EQ(CodeOf(static_cast<TType>(code), bytes), ErrorCode::kCorrupt) << code;
    const std::string record = OneField(static_cast<TType>(code), bytes);
    if (code != 0) {
      EXPECT_EQ(CodeOf(TType::kStruct, record), ErrorCode::kCorrupt) << code;
    }
    const std::string list = ListOf(static_cast<TType>(code), 1, bytes);
    EXPECT_EQ(CodeOf(TType::kList, list), ErrorCode::kCorrupt) << code;
  }
}

TEST(ValueLength, AcceptsUntypedEmptyContainers) {
  // Some client libraries write element type 0 when a container is empty.
  EXPECT_EQ(ValueLength(TType::kList, ListOf(TType::kStop, 0)), 5U);
  EXPECT_EQ(ValueLength(TType::kMap, std::string(6, '\0')), 6U);
  EXPECT_EQ(CodeOf(TType::kList, ListOf(static_cast<TType>(1), 0)), ErrorCode::kCorrupt);
}

TEST(ValueLength, RefusesNegativeLengths) {
  const std::string minus_one(4, '\xff');
  EXPECT_EQ(CodeOf(TType::kString, minus_one + "abc"), ErrorCode::kCorrupt);
  EXPECT_EQ(CodeOf(TType::kList, ListOf(TType::kBool, 0xFFFFFFFF)), ErrorCode::kCorrupt);
  EXPECT_EQ(CodeOf(TType::kList, ListOf(TType::kBool, 0x80000000)), ErrorCode::kCorrupt);
  EXPECT_EQ(CodeOf(TType::kMap, "\x0b\x0b" + minus_one), ErrorCode::kCorrupt);
}

TEST(ValueLength, HugeCountsCostNothing) {
  // A count of two billion with a few bytes behind it: without a check against what is left this
  // would loop or reserve for minutes.
  Limits limits;
  limits.max_container = 0x7FFFFFFF;
  const uint32_t huge = 0x7FFFFFFF;
  for (const TType type :
       {TType::kBool, TType::kI64, TType::kString, TType::kStruct, TType::kMap}) {
    const std::string list = ListOf(type, huge, std::string(64, '\0'));
    EXPECT_EQ(CodeOf(TType::kList, list, limits), ErrorCode::kCorrupt);
    EXPECT_EQ(CodeOf(TType::kList, list), ErrorCode::kResourceExhausted);
    ExpectScanFails(CallOf(OneField(TType::kList, list)), ErrorCode::kResourceExhausted, limits);
  }
}

TEST(ValueLength, ChecksStringAndContainerLimits) {
  Limits limits;
  limits.max_string = 3;
  limits.max_container = 2;
  std::string bytes;
  Writer(&bytes).String("abcd");
  EXPECT_EQ(CodeOf(TType::kString, bytes, limits), ErrorCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(TType::kList, ListOf(TType::kBool, 3, "aaa"), limits),
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(ValueLength(TType::kList, ListOf(TType::kBool, 2, "aa"), limits), 7U);
  ExpectScanFails(CallOf(OneField(TType::kString, bytes)), ErrorCode::kResourceExhausted, limits);
}

TEST(ValueLength, ChecksDepth) {
  Limits limits;
  limits.max_depth = 5;
  EXPECT_EQ(ValueLength(TType::kStruct, NestedStructs(5), limits), NestedStructs(5).size());
  EXPECT_EQ(CodeOf(TType::kStruct, NestedStructs(6), limits), ErrorCode::kResourceExhausted);
  ExpectScanFails(CallOf(NestedStructs(6)), ErrorCode::kResourceExhausted, limits);
  // Also for containers whose elements need no walk.
  limits.max_depth = 1;
  const std::string record = OneField(TType::kList, ListOf(TType::kBool, 1, "a"));
  EXPECT_EQ(CodeOf(TType::kStruct, record, limits), ErrorCode::kResourceExhausted);
  ExpectScanFails(CallOf(record), ErrorCode::kResourceExhausted, limits);
}

TEST(ValueLength, DepthIsBoundedWhateverTheLimitSays) {
  Limits limits;
  limits.max_depth = 1'000'000'000;
  const std::string bytes = NestedStructs(1'000'000);
  EXPECT_EQ(CodeOf(TType::kStruct, bytes, limits), ErrorCode::kResourceExhausted);
  EXPECT_EQ(ScanOnce(CallOf(bytes), limits).error().code, ErrorCode::kResourceExhausted);
}

TEST(ValueLength, RefusesEveryPrefixOfRandomStructs) {
  testing::RandomThrift random(11);
  for (int i = 0; i < 300; ++i) {
    const std::string bytes = random.Struct(4).binary;
    ASSERT_EQ(ValueLength(TType::kStruct, bytes), bytes.size());
    for (size_t n = 0; n < bytes.size(); ++n) {
      // A copy of its own, so that the sanitizer sees a read past the end.
      const std::string prefix = bytes.substr(0, n);
      ASSERT_EQ(CodeOf(TType::kStruct, prefix), ErrorCode::kCorrupt);
    }
  }
}

TEST(CheckMessage, AcceptsOneMessageAndNothingBehind) {
  const std::string message = CallOf(OneField(TType::kBool, "\1"));
  ASSERT_TRUE(CheckMessage(message).has_value());
  const auto longer = CheckMessage(message + "x");
  ASSERT_FALSE(longer.has_value());
  EXPECT_EQ(longer.error().code, ErrorCode::kCorrupt);
  const auto shorter = CheckMessage(std::string_view(message).substr(0, message.size() - 1));
  ASSERT_FALSE(shorter.has_value());
  EXPECT_EQ(shorter.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(shorter.error().message.find("get_table"), std::string::npos);
}

TEST(CheckMessage, ChecksMessageSize) {
  const std::string message = CallOf(OneField(TType::kBool, "\1"));
  Limits limits;
  limits.max_message = message.size();
  EXPECT_TRUE(CheckMessage(message, limits).has_value());
  EXPECT_EQ(ScanOnce(message, limits), MessageScanner::State::kComplete);
  limits.max_message -= 1;
  EXPECT_EQ(CheckMessage(message, limits).error().code, ErrorCode::kResourceExhausted);
  ExpectScanFails(message, ErrorCode::kResourceExhausted, limits);
}

TEST(MessageScanner, RefusesTooLongMessageAtItsLengthField) {
  // A string that cannot fit must be refused when its length is known, not when it has arrived.
  std::string value;
  Writer(&value).I32(5000);
  std::string body;
  Writer(&body).RawField(TType::kString, 1, value);
  Limits limits;
  limits.max_message = 1000;
  const auto state = ScanOnce(CallOf(body), limits);
  ASSERT_FALSE(state.has_value());
  EXPECT_EQ(state.error().code, ErrorCode::kResourceExhausted);
}

TEST(CheckElements, CountsThoseOfAllContainers) {
  const auto lists = [](uint32_t count, uint32_t elements) {
    std::string inner;
    for (uint32_t i = 0; i < count; ++i) {
      inner += OneField(TType::kList, ListOf(TType::kBool, elements, std::string(elements, '\1')));
    }
    return OneField(TType::kList, ListOf(TType::kStruct, count, inner));
  };
  EXPECT_TRUE(CheckElements(lists(1, 100'000)));
  EXPECT_TRUE(CheckElements(lists(100, 1000)));
  const auto refused = CheckElements(lists(100, 1200));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().message.substr(0, 15), "120100 elements");
  EXPECT_EQ(CheckElements("\x0f").error().code, ErrorCode::kCorrupt);
}

// What could go wrong: the largest real messages are refused.
TEST(CheckElements, RealObjectsTakeMoreBytesThanItAsksFor) {
  std::string column;
  Writer writer(&column);
  writer.StringField(1, "a");
  writer.StringField(2, "int");
  writer.Stop();
  std::string columns;
  constexpr uint32_t kColumns = 1'000'000;
  for (uint32_t i = 0; i < kColumns; ++i) columns += column;
  EXPECT_TRUE(CheckElements(OneField(TType::kList, ListOf(TType::kStruct, kColumns, columns))));
  const auto ids = [](uint32_t count) {
    return OneField(TType::kList, ListOf(TType::kI64, count, std::string(size_t{count} * 8, '\1')));
  };
  EXPECT_TRUE(CheckElements(ids(200'000)));
  EXPECT_FALSE(CheckElements(ids(201'000)));
}

TEST(MessageScanner, TellsHowMuchItWillNeed) {
  std::string value;
  Writer(&value).I32(5000);
  std::string body;
  Writer(&body).RawField(TType::kString, 1, value);
  const std::string start = CallOf(body);
  MessageScanner scanner(Limits{});
  ASSERT_EQ(scanner.Scan(start), MessageScanner::State::kNeedMore);
  EXPECT_EQ(scanner.length(), start.size() + 5000);
}

TEST(MessageScanner, LeavesTheNextMessageAlone) {
  const std::string first = CallOf(OneField(TType::kBool, "\1"));
  const std::string second = CallOf(OneField(TType::kI16, "ab"));
  MessageScanner scanner(Limits{});
  ASSERT_EQ(scanner.Scan(first + second), MessageScanner::State::kComplete);
  EXPECT_EQ(scanner.length(), first.size());
  // Asked again it says the same.
  ASSERT_EQ(scanner.Scan(first + second), MessageScanner::State::kComplete);
  EXPECT_EQ(scanner.length(), first.size());
  scanner.Reset();
  ASSERT_EQ(scanner.Scan(second), MessageScanner::State::kComplete);
  EXPECT_EQ(scanner.length(), second.size());
}

TEST(MessageScanner, StaysFailedUntilReset) {
  MessageScanner scanner(Limits{});
  const std::string bad = CallOf("\7");
  const std::string good = CallOf(std::string(1, '\0'));
  ASSERT_FALSE(scanner.Scan(bad).has_value());
  EXPECT_FALSE(scanner.Scan(good).has_value());
  scanner.Reset();
  EXPECT_EQ(scanner.Scan(good), MessageScanner::State::kComplete);
}

TEST(MessageScanner, FindsTheSameEndAtEveryCut) {
  // Any read size can split any token: two pieces cut anywhere, then one byte at a time.
  testing::RandomThrift random(5);
  for (int i = 0; i < 300; ++i) {
    const std::string message = random.Message(4);
    ASSERT_TRUE(CheckMessage(message).has_value());
    for (size_t cut = 0; cut < message.size(); ++cut) {
      MessageScanner scanner(Limits{});
      ASSERT_EQ(scanner.Scan(message.substr(0, cut)), MessageScanner::State::kNeedMore) << cut;
      ASSERT_EQ(scanner.Scan(message + "\x80\x01"), MessageScanner::State::kComplete) << cut;
      ASSERT_EQ(scanner.length(), message.size()) << cut;
    }
    MessageScanner scanner(Limits{});
    for (size_t n = 0; n < message.size(); ++n) {
      ASSERT_EQ(scanner.Scan(message.substr(0, n)), MessageScanner::State::kNeedMore) << n;
    }
    ASSERT_EQ(scanner.Scan(message), MessageScanner::State::kComplete);
    ASSERT_EQ(scanner.length(), message.size());
  }
}

}  // namespace
}  // namespace catalogd::wire
