#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/random_thrift.h"
#include "tests/support/tjson_samples.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/write.h"

// What could go wrong: foreign bytes that make the wire code read outside, loop, take memory or
// contradict itself. Provoked with seeds from real messages and random ones, damaged 10^5 times.
namespace catalogd::fuzz {
namespace {

using Target = void (*)(const uint8_t*, size_t);

// Returns how many inputs were run.
size_t RunCorpus(Target target, const std::vector<std::string>& seeds, size_t rounds,
                 uint64_t seed) {
  for (const std::string& input : seeds) RunOn(target, input);
  Random random(seed);
  for (size_t i = 0; i < rounds; ++i) {
    RunOn(target, Mutate(seeds[random.Below(seeds.size())], seeds, &random));
  }
  return seeds.size() + rounds;
}

std::vector<std::string> TextSeeds() {
  std::vector<std::string> seeds = {"{}", ""};
  testing::RandomThrift random(41);
  for (int i = 0; i < 60; ++i) {
    const std::string json = random.Struct(3).json;
    seeds.push_back(json);
    seeds.push_back(testing::EscapeJson(json));
    seeds.push_back(testing::EscapeJson(json, 2));
  }
  const std::vector<std::string> samples = testing::LoadTJsonSamples();
  for (size_t i = 0; i < samples.size(); i += 150) seeds.push_back(samples[i]);
  return seeds;
}

std::vector<std::string> BinarySeeds(bool messages) {
  std::vector<std::string> seeds = {"", std::string(1, '\0')};
  testing::RandomThrift random(42);
  for (int i = 0; i < 150; ++i) {
    seeds.push_back(messages ? random.Message(4) : random.Struct(4).binary);
  }
  const std::vector<std::string> samples = testing::LoadTJsonSamples();
  for (size_t i = 0; i < samples.size(); i += 150) {
    const auto binary = wire::TJsonStructToBinary(samples[i], 1);
    if (binary) seeds.push_back(messages ? wire::EncodeCall("alter_table", 1, *binary) : *binary);
  }
  return seeds;
}

TEST(WireCorpus, Scan) { EXPECT_GE(RunCorpus(ScanTarget, BinarySeeds(true), 50'000, 1), 50'000U); }

TEST(WireCorpus, TJson) { EXPECT_GE(RunCorpus(TJsonTarget, TextSeeds(), 50'000, 2), 50'000U); }

TEST(WireCorpus, View) {
  EXPECT_GE(RunCorpus(ViewTarget, BinarySeeds(false), 30'000, 3), 30'000U);
  EXPECT_GE(RunCorpus(ViewTarget, BinarySeeds(true), 10'000, 4), 10'000U);
}

}  // namespace
}  // namespace catalogd::fuzz
