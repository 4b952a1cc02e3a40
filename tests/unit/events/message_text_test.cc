#include "events/message_text.h"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <openssl/evp.h>

#include "catalog/base/random.h"

namespace catalogd::events {
namespace {

std::string Gzip(const std::string& text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string out(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  out.resize(
      libdeflate_gzip_compress(compressor, text.data(), text.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

std::string Base64(const std::string& bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(length));
  return out;
}

hms::NotificationEvent Row(const std::string& message) {
  hms::NotificationEvent row;
  row.message = message;
  return row;
}

ErrorCode Fails(const std::string& message, size_t max = 1U << 20U) {
  const auto text = MessageText(Row(message), DecoderLimits{max});
  return text ? ErrorCode::kNotFound : text.error().code;
}

TEST(DecodeBase64, AgreesWithOpenssl) {
  Random random(3);
  for (size_t length = 0; length < 200; ++length) {
    std::string bytes(length, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    std::string text = Base64(bytes);
    ASSERT_EQ(DecodeBase64(text).value(), bytes);
    while (!text.empty() && text.back() == '=') text.pop_back();
    ASSERT_EQ(DecodeBase64(text).value(), bytes);
  }
}

TEST(DecodeBase64, RefusesOtherText) {
  for (const char* text : {"A", "AAAAA", "AAA.", "AA A", "AA==AA==", "====", "A=", "AAA\n", "AA-_",
                           "\xC3\xA9zz", "A\xC0\xC1\xFF"}) {
    EXPECT_FALSE(DecodeBase64(text)) << text;
  }
}

TEST(MessageText, ToldByTheTextNotByTheFormat) {
  const std::string json = R"({"db":"sales"})";
  hms::NotificationEvent row = Row(json);
  row.format = "gzip(json-2.0)";
  EXPECT_EQ(MessageText(row).value(), json);
  row = Row(Base64(Gzip(json)));
  row.format = "json-0.2";
  EXPECT_EQ(MessageText(row).value(), json);
  EXPECT_EQ(MessageText(Row(" \n" + json + "\n")).value(), json);
  // A vector of Hive's own tests.
  EXPECT_EQ(MessageText(Row("H4sIAAAAAAAA/ytJLS4BAAx+f9gEAAAA")).value(), "test");
}

TEST(MessageText, RefusesWhatIsNeither) {
  EXPECT_EQ(Fails(""), ErrorCode::kCorrupt);
  EXPECT_EQ(Fails("  "), ErrorCode::kCorrupt);
  EXPECT_EQ(Fails("[1]"), ErrorCode::kCorrupt);
  EXPECT_EQ(Fails("<xml/>"), ErrorCode::kCorrupt);
  EXPECT_EQ(Fails(Base64("no gzip in here, only some text")), ErrorCode::kCorrupt);
  EXPECT_EQ(Fails(Base64("short")), ErrorCode::kCorrupt);
}

TEST(MessageText, RefusesDamagedGzip) {
  const std::string good = Gzip(R"({"db":")" + std::string(500, 'x') + "\"}");
  for (size_t at = 0; at < good.size(); ++at) {
    if (at >= 3 && at < 10) continue;  // Flags, time and system of the header mean nothing.
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    EXPECT_NE(Fails(Base64(bad)), ErrorCode::kNotFound) << at;
  }
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(Fails(Base64(good.substr(0, length))), ErrorCode::kNotFound) << length;
  }
  EXPECT_EQ(Fails(Base64(good + "trailing bytes, so that there is a wrong trailer")),
            ErrorCode::kCorrupt);
}

TEST(MessageText, LyingTrailerCostsNothing) {
  std::string bytes = Gzip("{}");
  for (const uint32_t lie : {0U, 1U, 3U, 0x0FFFFFFFU, 0xFFFFFFFFU}) {
    for (size_t i = 0; i < 4; ++i) {
      bytes[bytes.size() - 4 + i] = static_cast<char>((lie >> (8 * i)) & 0xFFU);
    }
    EXPECT_EQ(Fails(Base64(bytes), SIZE_MAX), ErrorCode::kCorrupt) << lie;
  }
}

TEST(MessageText, BombIsCapped) {
  const std::string bomb = Base64(Gzip(std::string(8U << 20U, ' ')));
  ASSERT_LT(bomb.size(), 20000U);
  EXPECT_EQ(Fails(bomb, 1U << 20U), ErrorCode::kResourceExhausted);
  EXPECT_EQ(Fails("{" + std::string(2000, ' ') + "}", 1000), ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace catalogd::events
