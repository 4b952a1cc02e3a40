#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"

// What could go wrong: a filter that a client made up sends the parser out of its text, into a loop
// or into a contradiction. Provoked with filters of all kinds of clients, damaged many times.
namespace catalogd::fuzz {
namespace {

std::vector<std::string> FilterSeeds() {
  return {"",
          "p = \"a\"",
          "'a' <= p and q > -5",
          "(p = \"a\" or q = 4) and d >= 2024-01-31",
          "d between DATE '2024-01-01' and date '2024-02-01'",
          "q not between 1 and 4",
          "(p) in (\"a\", 'b')",
          "(q) not in (1, 2)",
          "(struct(p,q)) in (const struct(\"a\",1), const struct(\"b\",-5))",
          "p like \"x.*\" or p like 'x%' or p like '_\\_'",
          "p like \"(?i)[a-c]+|d{1,3}\"",
          "t > timestamp '2024-01-01 00:00:00' and t != 2024-01-01 00:00:00",
          "`p` == '__HIVE_DEFAULT_PARTITION__' and ((((q <> 1))))",
          "r = 1.5",
          std::string("p = '\0\xff'", 8),
          std::string(300, '(') + "p = 'a'" + std::string(300, ')')};
}

TEST(FilterCorpus, ReadsOrRefuses) {
  const std::vector<std::string> seeds = FilterSeeds();
  Random random(11);
  size_t run = 0;
  for (; run < 8'000; ++run) {
    const std::string input =
        run < seeds.size() ? seeds[run] : Mutate(seeds[random.Below(seeds.size())], seeds, &random);
    RunOn(FilterTarget, input);
  }
  EXPECT_EQ(run, 8'000U);
}

}  // namespace
}  // namespace catalogd::fuzz
