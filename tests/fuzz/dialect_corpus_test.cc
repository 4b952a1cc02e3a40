#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/random_thrift.h"
#include "thrift/server/dialect.h"
#include "thrift/wire/write.h"

// What could go wrong: a stream that is read another way when it arrives in other pieces, or a
// first byte that is taken for one protocol and later for another. Provoked with streams of all
// dialects.
namespace catalogd::fuzz {
namespace {

std::string Framed(const std::string& message) {
  return server::FramePrefix(message.size()) + message;
}

std::string Old(std::string message) {
  server::MakeOld(&message);
  return message;
}

std::vector<std::string> StreamSeeds() {
  using namespace std::string_literals;
  std::vector<std::string> seeds = {"",
                                    "GET / HTTP/1.1\r\n\r\n",
                                    "POST /metastore HTTP/1.1\r\n",
                                    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc"s,
                                    "\x01\x00\x00\x00\x06GSSAPI"s,
                                    "\x02\x00\x00\x00\x06GSSAPI"s,
                                    "\x82\x21\x01\x03get"s,
                                    "\x00\x00\x00\x10\x82\x21\x01\x03"s,
                                    "\x7f\xff\xff\xff\x80\x01\x00\x01"s,
                                    "\x00\x00\x00\x00"s,
                                    "hello world"};
  testing::RandomThrift random(43);
  for (int i = 0; i < 40; ++i) {
    std::string call = wire::EncodeCall("m" + std::to_string(i), i, random.Struct(3).binary);
    std::string stream;
    for (const std::string& form : {call, Framed(call), Old(call), Framed(Old(call))}) {
      seeds.push_back(form);
      stream += form;
    }
    seeds.push_back(stream);
  }
  return seeds;
}

TEST(DialectCorpus, StreamsInAnyPieces) {
  const std::vector<std::string> seeds = StreamSeeds();
  for (const std::string& seed : seeds) RunOn(DialectTarget, seed);
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; second += 5) {
      RunOn(DialectTarget,
            std::string{static_cast<char>(first), static_cast<char>(second), 0, 1, 'a', 0, 0});
    }
  }
  Random random(14);
  size_t run = 0;
  for (; run < 30'000; ++run) {
    RunOn(DialectTarget, Mutate(seeds[random.Below(seeds.size())], seeds, &random));
  }
  EXPECT_EQ(run, 30'000U);
}

}  // namespace
}  // namespace catalogd::fuzz
