#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/notification_samples.h"

// What could go wrong: a message that makes the decoder read outside, loop, take memory or hand out
// half an event. Provoked with the sample messages, each as every type, damaged 60,000 times.
namespace catalogd::fuzz {
namespace {

TEST(EventCorpus, DamagedMessages) {
  std::vector<std::string> seeds;
  for (const auto& sample : testing::LoadNotificationSamples()) {
    seeds.push_back(std::string(1, static_cast<char>(seeds.size())) + sample.row.message);
  }
  ASSERT_EQ(seeds.size(), 209U);
  seeds.emplace_back("");
  size_t run = 0;
  const auto run_on = [&run](const std::string& input) {
    RunOn(EventTarget, input);
    ++run;
  };
  for (std::string seed : seeds) {
    for (int type = 0; type < 32 && !seed.empty(); ++type) {
      seed[0] = static_cast<char>(type < 16 ? type : 0x80 + type);
      run_on(seed);
    }
  }
  Random random(11);
  for (int i = 0; i < 60'000; ++i) {
    std::string input = Mutate(seeds[random.Below(seeds.size())], seeds, &random);
    if (!input.empty() && random.OneIn(2)) input[0] = static_cast<char>(random.Next());
    run_on(input);
  }
  EXPECT_GE(run, 60'000U);
}

}  // namespace
}  // namespace catalogd::fuzz
