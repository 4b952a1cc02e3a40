#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/notification_samples.h"

// What could go wrong: a packed message that unpacks to more than is allowed, or is taken for what
// its format says and not for what it is. Provoked with packed samples, bombs and damage.
namespace catalogd::fuzz {
namespace {

std::string Packed(const std::string& text, int level) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::vector<Bytef> in(text.begin(), text.end());
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Base64(const std::string& bytes) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) {
      out += kAlphabet[bits >> static_cast<unsigned>(held - 6) & 63U];
    }
  }
  if (held > 0) out += kAlphabet[bits << static_cast<unsigned>(6 - held) & 63U];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::vector<std::string> MessageSeeds() {
  std::vector<std::string> seeds = {"", "{}", "[]", "null", "\"x\"", std::string(200, '[')};
  std::vector<std::string> texts = {"{}", "", std::string(1U << 16U, ' '),
                                    std::string((1U << 16U) + 1, '{'), std::string(4U << 20U, 'x')};
  const auto samples = testing::LoadNotificationSamples();
  for (size_t i = 0; i < samples.size(); i += 12) texts.push_back(samples[i].row.message);
  for (const std::string& text : texts) {
    for (const int level : {0, 9}) {
      const std::string packed = Packed(text, level);
      if (packed.size() > 1U << 17U) continue;
      seeds.push_back(packed);
      seeds.push_back(Base64(packed));
      seeds.push_back(Base64(packed + packed));
    }
    if (text.size() <= 1U << 16U) seeds.push_back(text);
  }
  return seeds;
}

TEST(MessageCorpus, PackedAndPlainOnes) {
  const std::vector<std::string> seeds = MessageSeeds();
  ASSERT_GT(seeds.size(), 60U);
  for (const std::string& seed : seeds) RunOn(MessageTarget, seed);
  Random random(13);
  size_t run = 0;
  for (; run < 10'000; ++run) {
    RunOn(MessageTarget, Mutate(seeds[random.Below(seeds.size())], seeds, &random));
  }
  EXPECT_EQ(run, 10'000U);
}

}  // namespace
}  // namespace catalogd::fuzz
