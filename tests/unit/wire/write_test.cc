#include "thrift/wire/write.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/random_thrift.h"
#include "thrift/wire/scan.h"

namespace catalogd::wire {
namespace {

std::string StringValue(std::string_view text) {
  std::string bytes;
  Writer(&bytes).String(text);
  return bytes;
}

// Fields 1, 300 (unknown to everybody) and 2, in that order.
std::string ThreeFields() {
  std::string bytes;
  Writer writer(&bytes);
  writer.StringField(1, "old");
  writer.RawField(TType::kList, 300, std::string_view("\x02\0\0\0\x02\x01\x01", 7));
  writer.I32Field(2, 5);
  writer.Stop();
  return bytes;
}

TEST(Writer, WritesBigEndian) {
  std::string bytes;
  Writer writer(&bytes);
  writer.I16(-2);
  writer.I32(0x01020304);
  writer.I64(0x0102030405060708);
  writer.Double(1.0);
  writer.String("ab");
  writer.Field(TType::kI64, 0x1234);
  writer.MapBegin(TType::kString, TType::kI32, 3);
  const char expected[] =
      "\xff\xfe"
      "\x01\x02\x03\x04"
      "\x01\x02\x03\x04\x05\x06\x07\x08"
      "\x3f\xf0\0\0\0\0\0\0"
      "\0\0\0\x02"
      "ab"
      "\x0a\x12\x34"
      "\x0b\x08\0\0\0\x03";
  EXPECT_EQ(bytes, std::string(expected, sizeof(expected) - 1));
}

TEST(Messages, CallRoundTrip) {
  const std::string message = EncodeCall("get_table", 77, ThreeFields());
  const auto header = CheckMessage(message);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kCall);
  EXPECT_EQ(header->method, "get_table");
  EXPECT_EQ(header->sequence_id, 77);
  EXPECT_EQ(message.substr(header->body), ThreeFields());
}

TEST(Messages, RepliesAreCheckedMessages) {
  const std::string reply = EncodeReply("m", 1, TType::kString, 0, StringValue("x"));
  const auto header = CheckMessage(reply);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kReply);
  EXPECT_EQ(StructView(std::string_view(reply).substr(header->body)).String(0), "x");

  const std::string nothing = EncodeVoidReply("m", 1);
  ASSERT_TRUE(CheckMessage(nothing).has_value());
  EXPECT_EQ(nothing.back(), '\0');
  EXPECT_EQ(CheckMessage(nothing)->body, nothing.size() - 1);
}

TEST(Messages, DeclaredExceptionSitsAtItsField) {
  const std::string reply = EncodeExceptionReply("m", 1, 2, "no such table");
  const auto header = CheckMessage(reply);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kReply);
  const StructView result(std::string_view(reply).substr(header->body));
  EXPECT_FALSE(result.Find(0).has_value());
  ASSERT_TRUE(result.Struct(2).has_value());
  EXPECT_EQ(result.Struct(2)->String(1), "no such table");
}

TEST(Messages, ApplicationErrorHasTextAndType) {
  const std::string reply =
      EncodeApplicationError("m", 4, ApplicationError::kUnknownMethod, "Invalid method name");
  const auto header = CheckMessage(reply);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kException);
  EXPECT_EQ(header->sequence_id, 4);
  const StructView body(std::string_view(reply).substr(header->body));
  EXPECT_EQ(body.String(1), "Invalid method name");
  EXPECT_EQ(body.I32(2), 1);
}

TEST(Messages, TextsOfErrorsAreUtf8) {
  const std::string declared = EncodeExceptionReply("m", 1, 2, "table a\xc3\xa9\xff");
  const auto header = CheckMessage(declared);
  ASSERT_TRUE(header.has_value());
  const StructView body(std::string_view(declared).substr(header->body));
  EXPECT_EQ(body.Struct(2)->String(1), "table a\xc3\xa9\xef\xbf\xbd");
  const std::string undeclared =
      EncodeApplicationError("m", 1, ApplicationError::kInternalError, "\xff");
  EXPECT_EQ(StructView(std::string_view(undeclared).substr(header->body)).String(1),
            "\xef\xbf\xbd");
}

TEST(SequenceId, ChangesFourBytesAndNothingElse) {
  testing::RandomThrift random(8);
  for (int i = 0; i < 200; ++i) {
    const std::string message = random.Message(3);  // Strict and old headers.
    const auto before = CheckMessage(message);
    ASSERT_TRUE(before.has_value());
    const auto id = static_cast<int32_t>(random.random().Next());
    std::string changed = message;
    const char* const address = changed.data();
    SetSequenceId(&changed, id);
    EXPECT_EQ(changed.data(), address);
    const auto after = CheckMessage(changed);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(after->sequence_id, id);
    EXPECT_EQ(after->method, before->method);
    EXPECT_EQ(after->type, before->type);
    EXPECT_EQ(WithSequenceId(message, id), changed);
    SetSequenceId(&changed, before->sequence_id);
    EXPECT_EQ(changed, message);
  }
}

TEST(WithField, ReplacesInPlaceAndKeepsTheRest) {
  const std::string out = WithField(ThreeFields(), 1, TType::kString, StringValue("new name"));
  std::string expected;
  Writer writer(&expected);
  writer.StringField(1, "new name");
  writer.Raw(std::string_view(ThreeFields()).substr(3 + 4 + 3));
  EXPECT_EQ(out, expected);
}

TEST(WithField, MayChangeTheType) {
  const std::string out = WithField(ThreeFields(), 2, TType::kString, StringValue("five"));
  EXPECT_EQ(StructView(out).String(2), "five");
  EXPECT_EQ(StructView(out).Fields().size(), 3U);
}

TEST(WithField, AddsBeforeTheStop) {
  const std::string out = WithField(ThreeFields(), 4, TType::kBool, "\1");
  const std::string old = ThreeFields();
  EXPECT_EQ(out.substr(0, old.size() - 1), old.substr(0, old.size() - 1));
  EXPECT_EQ(StructView(out).Bool(4), true);
  EXPECT_EQ(ValueLength(TType::kStruct, out), out.size());
}

TEST(WithField, LeavesOneOfRepeatedFields) {
  // Readers disagree on which of two equal ids counts: after the splice there is one.
  std::string bytes;
  Writer writer(&bytes);
  writer.StringField(1, "first");
  writer.StringField(1, "second");
  writer.Stop();
  const std::string out = WithField(bytes, 1, TType::kString, StringValue("only"));
  EXPECT_EQ(StructView(out).Fields().size(), 1U);
  EXPECT_EQ(StructView(out).String(1), "only");
}

TEST(WithoutField, RemovesEveryOccurrence) {
  const std::string out = WithoutField(ThreeFields(), 300);
  std::string expected;
  Writer writer(&expected);
  writer.StringField(1, "old");
  writer.I32Field(2, 5);
  writer.Stop();
  EXPECT_EQ(out, expected);
  EXPECT_EQ(WithoutField(ThreeFields(), 99), ThreeFields());
}

TEST(Splicing, OtherFieldsOfRandomStructsStayAsTheyAre) {
  testing::RandomThrift random(21);
  for (int i = 0; i < 500; ++i) {
    const std::string bytes = random.Struct(3).binary;
    const std::string with = WithField(bytes, 9999, TType::kI16, "ab");
    ASSERT_EQ(ValueLength(TType::kStruct, with), with.size());
    if (!StructView(bytes).Find(9999)) {
      ASSERT_EQ(WithoutField(with, 9999), bytes);
    }
    for (const Field& field : StructView(bytes).Fields()) {
      std::string expected;
      for (const Field& other : StructView(bytes).Fields()) {
        if (other.id != field.id) expected += other.encoded;
      }
      ASSERT_EQ(WithoutField(bytes, field.id), expected + std::string(1, '\0'));
    }
  }
}

}  // namespace
}  // namespace catalogd::wire
