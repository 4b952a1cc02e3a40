#include "thrift/server/dialect.h"

#include <gtest/gtest.h>

#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::server {
namespace {

struct Case {
  const char* what;
  std::string bytes;
  Dialect dialect;
};

std::string Hex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 3) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

TEST(Dialect, IsToldFromTheFirstBytes) {
  const Case cases[] = {
      {"strict", Hex("80 01 00 01"), Dialect::kStrict},
      {"strict, two bytes", Hex("80 01"), Dialect::kStrict},
      {"framed strict", Hex("00 00 00 1a 80 01 00 01"), Dialect::kFramedStrict},
      {"framed strict of 16 MiB is no SASL", Hex("01 00 00 00 80 01 00 01"),
       Dialect::kFramedStrict},
      {"old", Hex("00 00 00 09") + "getStatus", Dialect::kOld},
      {"framed old", Hex("00 00 00 20 00 00 00 09") + "getStatus", Dialect::kFramedOld},
      {"compact", Hex("82 21 01 03"), Dialect::kCompact},
      {"compact oneway", Hex("82 81 01 03"), Dialect::kCompact},
      {"framed compact", Hex("00 00 00 10 82 21 01 03"), Dialect::kFramedCompact},
      {"tls", Hex("16 03 01 02 00"), Dialect::kTls},
      {"sasl", Hex("01 00 00 00 06") + "GSSAPI", Dialect::kSasl},
      {"http post", "POST /metastore HTTP/1.1\r\n", Dialect::kHttp},
      {"http get", "GET / HTTP/1.1\r\n", Dialect::kHttp},
      {"http 2 preface", "PRI * HTTP/2.0\r\n", Dialect::kHttp},
      {"another version", Hex("80 02 00 01"), Dialect::kGarbage},
      {"another compact version", Hex("82 22 00 01"), Dialect::kGarbage},
      {"letters", "hello world", Dialect::kGarbage},
      {"high bytes", Hex("ff ff ff ff ff ff"), Dialect::kGarbage},
      {"frame of nothing known", Hex("00 00 00 10 11 22 33 44"), Dialect::kGarbage},
      {"old name too long", Hex("00 00 7f ff") + "getStatus", Dialect::kGarbage},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(TellDialect(c.bytes), c.dialect) << c.what;
    // However few bytes are there, the answer is the same or not yet known.
    for (size_t n = 0; n < c.bytes.size(); ++n) {
      const Dialect early = TellDialect(std::string_view(c.bytes).substr(0, n));
      EXPECT_TRUE(early == Dialect::kUndecided || early == c.dialect) << c.what << " " << n;
    }
  }
}

TEST(Dialect, EightBytesAlwaysDecide) {
  // Every first byte, followed by zeros and by ones.
  for (int first = 0; first < 256; ++first) {
    for (const char fill : {'\x00', '\xff', 'a'}) {
      std::string bytes(8, fill);
      bytes[0] = static_cast<char>(first);
      EXPECT_NE(TellDialect(bytes), Dialect::kUndecided) << first;
    }
  }
}

TEST(Dialect, OldHeaderAndBack) {
  const std::string strict = wire::EncodeCall("get_table", 77, std::string(1, '\0'));
  std::string old = strict;
  MakeOld(&old);
  EXPECT_EQ(TellDialect(old), Dialect::kOld);
  ASSERT_EQ(OldHeaderLength(old), old.size() - 1);
  EXPECT_EQ(OldHeaderLength(std::string_view(old).substr(0, old.size() - 2)), 0U);
  EXPECT_EQ(StrictFromOldHeader(old) + old.substr(OldHeaderLength(old)), strict);
}

TEST(Dialect, RefusalsAreReadableByThePeer) {
  EXPECT_TRUE(RefusalBytes(Dialect::kHttp).starts_with("HTTP/1.1 400 "));
  EXPECT_NE(RefusalBytes(Dialect::kHttp).find("not HTTP"), std::string::npos);

  const std::string sasl = RefusalBytes(Dialect::kSasl);
  EXPECT_EQ(sasl[0], '\x03');
  EXPECT_EQ(FrameLength(std::string_view(sasl).substr(1)), sasl.size() - 5);

  EXPECT_EQ(RefusalBytes(Dialect::kTls), Hex("15 03 01 00 02 02 28"));
  EXPECT_EQ(RefusalBytes(Dialect::kCompact).substr(0, 5), Hex("82 61 00 00 18"));
  const std::string framed = RefusalBytes(Dialect::kFramedCompact);
  EXPECT_EQ(FrameLength(framed), framed.size() - 4);

  const auto garbage = wire::CheckMessage(RefusalBytes(Dialect::kGarbage));
  ASSERT_TRUE(garbage) << garbage.error().ToString();
  EXPECT_EQ(garbage->type, wire::MessageType::kException);
}

}  // namespace
}  // namespace catalogd::server
