#include "catalog/daemon/command_line.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace catalogd::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

CommandLine Parse(std::vector<const char*> arguments, std::vector<const char*> environment = {}) {
  arguments.insert(arguments.begin(), "catalogd");
  environment.push_back(nullptr);
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(), environment.data());
}

TEST(ParseCommandLine, NothingServes) {
  const CommandLine line = Parse({});
  EXPECT_EQ(line.command, CommandLine::Command::kServe);
  EXPECT_THAT(line.sources.flags, IsEmpty());
}

TEST(ParseCommandLine, TakesBothFormsOfAFlag) {
  const CommandLine line = Parse({"--port", "0", "--metastore=thrift://a:1"});
  EXPECT_THAT(line.sources.flags,
              UnorderedElementsAre(Pair("port", "0"), Pair("metastore", "thrift://a:1")));
}

TEST(ParseCommandLine, FlagsMayStandBehindASubcommand) {
  const CommandLine line = Parse({"metastore", "--port", "7"});
  EXPECT_EQ(line.command, CommandLine::Command::kMetastore);
  EXPECT_THAT(line.sources.flags, ElementsAre(Pair("port", "7")));
  EXPECT_EQ(Parse({"config"}).command, CommandLine::Command::kConfig);
}

TEST(ParseCommandLine, OnlyItsOwnVariablesAreTaken) {
  const CommandLine line =
      Parse({}, {"HOME=/root", "CATALOGD_PORT=5", "CATALOGD_HOST=elsewhere", "NOVALUE"});
  EXPECT_THAT(line.sources.environment, ElementsAre(Pair("CATALOGD_PORT", "5")));
}

TEST(ParseCommandLine, HelpAndVersionAreDoneWell) {
  testing::internal::CaptureStdout();
  const CommandLine help = Parse({"--help"});
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(help.command, CommandLine::Command::kDone);
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string& name : OptionNames()) EXPECT_THAT(text, HasSubstr("--" + name));

  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--version"}).exit_code, 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("catalogd "));
}

TEST(ParseCommandLine, WrongUsageEndsWith2AndSaysWhatWasMeant) {
  const std::pair<std::vector<const char*>, std::string> wrong[] = {
      {{"--prot", "5"}, "did you mean --port?"},
      {{"--poll-intervall=1s"}, "did you mean --poll-interval?"},
      {{"--port"}, "--port"},
      {{"serve"}, "serve"},
      {{"metastore", "--wharehouse-dir", "x"}, "did you mean --warehouse-dir?"}};
  for (const auto& [arguments, expected] : wrong) {
    testing::internal::CaptureStderr();
    const CommandLine line = Parse(arguments);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(expected));
    EXPECT_EQ(line.command, CommandLine::Command::kDone);
    EXPECT_EQ(line.exit_code, 2);
  }
}

TEST(ParseCommandLine, APlainMetastoreRefusesWhatSaysNothingToIt) {
  for (const char* flag : {"--metastore=thrift://a:1", "--read-mode=cached", "--web-port=0"}) {
    testing::internal::CaptureStderr();
    const CommandLine line = Parse({"metastore", flag});
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("says nothing to `catalogd metastore`"));
    EXPECT_EQ(line.exit_code, 2) << flag;
  }
  // One environment may serve both.
  const CommandLine line = Parse({"metastore", "--warehouse-dir=w", "--max-connections=5"},
                                 {"CATALOGD_READ_MODE=cached"});
  EXPECT_EQ(line.command, CommandLine::Command::kMetastore);
}

TEST(ConfigurationJson, IsThatOfTheCommandLine) {
  EXPECT_TRUE(Parse({"config", "--json"}).json);
  EXPECT_FALSE(Parse({"config"}).json);
  OptionSources sources;
  sources.flags = {{"port", "1234"}};
  const auto json = nlohmann::json::parse(ConfigurationJson(ResolveOptions(sources).value()));
  ASSERT_EQ(json.size(), OptionRows().size());
  bool found = false;
  for (const auto& entry : json) {
    if (entry["name"] != "port") continue;
    found = true;
    EXPECT_EQ(entry["value"], "1234");
    EXPECT_EQ(entry["origin"], "flag --port");
    EXPECT_EQ(entry["default_value"], "9083");
  }
  EXPECT_TRUE(found);
}

TEST(ConfigurationText, SaysValueOriginAndMeaning) {
  OptionSources sources;
  sources.flags = {{"port", "0"}};
  const std::string text = ConfigurationText(ResolveOptions(sources).value());
  EXPECT_THAT(text, HasSubstr("port = 0\n    from flag --port. Port for metastore clients"));
  EXPECT_THAT(text, HasSubstr("web-port = 9084\n    from default. Port of the web pages"));
}

}  // namespace
}  // namespace catalogd::daemon
