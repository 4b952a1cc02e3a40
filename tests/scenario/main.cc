// Runs the scripts of scripts/, each as one test, and compares what they print with what is written
// in them. With --rewrite their golden output is written anew: look at the difference before you
// keep it.
#include <glog/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scenario/runner.h"

namespace catalogd::scenario {
namespace {

namespace fs = std::filesystem;

bool rewrite = false;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// "rename/external" for scripts/rename/external.txt
std::vector<std::string> AllScripts() {
  std::vector<std::string> names;
  const fs::path folder(CATALOGD_SCENARIO_SCRIPTS);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".txt") continue;
    names.push_back(fs::relative(entry.path(), folder).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ScenarioTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, PrintsItsGoldenOutput) {
  const fs::path path = fs::path(CATALOGD_SCENARIO_SCRIPTS) / (GetParam() + ".txt");
  const auto script = ParseScript(ReadFile(path));
  ASSERT_TRUE(script) << path << ": " << script.error().message;
  ASSERT_FALSE(script->blocks.empty()) << path << " has no commands";
  Runner runner;
  std::vector<std::string> outputs;
  for (const Block& block : script->blocks) {
    outputs.push_back(runner.Run(block));
    if (rewrite) continue;
    EXPECT_EQ(outputs.back(), block.golden) << path.string() << ":" << block.line;
  }
  for (const std::string& fault : runner.faults()) ADD_FAILURE() << path.string() << ": " << fault;
  EXPECT_EQ(runner.Finish(), "") << path.string() << ": cache and metastore differ at the end";
  if (rewrite) std::ofstream(path) << WriteScript(*script, outputs);
}

// Slashes and dashes are no part of a test's name.
std::string TestName(const ::testing::TestParamInfo<std::string>& script) {
  std::string name = script.param;
  const auto odd = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
  std::replace_if(name.begin(), name.end(), odd, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Scripts, ScenarioTest, ::testing::ValuesIn(AllScripts()), TestName);

}  // namespace
}  // namespace catalogd::scenario

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  FLAGS_minloglevel = 2;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rewrite") == 0) {
      catalogd::scenario::rewrite = true;
    } else {
      std::fprintf(stderr, "usage: %s [--rewrite] [--gtest_filter=*NAME*]\n", argv[0]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
