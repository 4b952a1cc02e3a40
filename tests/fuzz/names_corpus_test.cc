#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"

// What could go wrong: a value that becomes part of another name, a name that gives back other
// values, or bytes that lead out of their text. Provoked with values of all kinds, damaged often.
namespace catalogd::fuzz {
namespace {

std::vector<std::string> NameSeeds() {
  return {"",
          "2024-01-01",
          std::string("a\0b\0", 4),
          "year=2024/month=1",
          "k0=a%2Fb/k1=%25/k2=__HIVE_DEFAULT_PARTITION__",
          "__HIVE_DEFAULT_PARTITION__",
          "100%",
          "%%41%zz%+A%-0%e9%C3%A9%00",
          "a/b=c:d#e\\f\"g'h*i?j{k}[l]^m\x7f\x01",
          "\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80\xFF\xC3",
          "/=//==/%/%2/=%",
          "@hive#db",
          "@HIVE#!",
          "@#@hive#",
          "hive.Sales.orders.with.dots",
          " Lead\t.trail \n",
          std::string(3000, '%') + std::string(3000, '=')};
}

TEST(NamesCorpus, AnyBytesAreOnePartOfOneName) {
  const std::vector<std::string> seeds = NameSeeds();
  for (const std::string& seed : seeds) RunOn(NamesTarget, seed);
  for (int byte = 0; byte < 256; ++byte) {
    RunOn(NamesTarget, std::string(1, static_cast<char>(byte)));
    RunOn(NamesTarget, "%4" + std::string(1, static_cast<char>(byte)));
    RunOn(NamesTarget, "%" + std::string(1, static_cast<char>(byte)) + "1");
  }
  Random random(12);
  size_t run = 0;
  for (; run < 20'000; ++run) {
    RunOn(NamesTarget, Mutate(seeds[random.Below(seeds.size())], seeds, &random));
  }
  EXPECT_EQ(run, 20'000U);
}

}  // namespace
}  // namespace catalogd::fuzz
