#include "catalog/daemon/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace catalogd::daemon {
namespace {

using catalogd::testing::TemporaryDirectory;

using ::testing::HasSubstr;
using ::testing::StartsWith;

OptionValue ValueOf(const Configuration& configuration, const std::string& name) {
  for (const OptionValue& value : configuration.values) {
    if (value.name == name) return value;
  }
  ADD_FAILURE() << "no option " << name;
  return {};
}

TEST(OptionRows, EveryDefaultIsAValueAndEveryRowSaysWhatItMeans) {
  std::vector<std::string> names = OptionNames();
  for (const OptionRow& row : OptionRows()) {
    Options options;
    EXPECT_TRUE(row.apply(std::string(row.default_value), &options)) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_FALSE(row.kind.empty()) << row.name;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(ResolveOptions, DefaultsAreThoseOfTheTable) {
  const auto configuration = ResolveOptions({});
  ASSERT_TRUE(configuration);
  const Options& options = configuration->options;
  EXPECT_EQ(options.port, 9083);
  EXPECT_EQ(options.web_port, 9084);
  EXPECT_EQ(options.bind_address, "127.0.0.1");
  EXPECT_EQ(options.web_bind_address, "127.0.0.1");
  EXPECT_EQ(options.metastore, "");
  EXPECT_EQ(options.poll_interval, std::chrono::milliseconds(500));
  EXPECT_EQ(options.read_mode, sync::ReadMode::kCached);
  EXPECT_EQ(options.max_message_size, 100U << 20U);
  EXPECT_EQ(options.state_dir, DefaultStateDir());
  EXPECT_EQ(options.warehouse_dir, DefaultStateDir() + "/warehouse");
  EXPECT_EQ(ValueOf(*configuration, "port").origin, Origin::kDefault);
  EXPECT_EQ(configuration->values.size(), OptionRows().size());
}

TEST(ResolveOptions, AFlagBeatsTheEnvironmentBeatsTheFile) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("catalogd.conf",
                                           "# ports\n"
                                           "port = 1\n"
                                           "web-port = 2\n"
                                           "poll_interval = \"3s\"  \n"
                                           "\n"
                                           "; another comment\n"
                                           "io-threads=4\n");
  OptionSources sources;
  sources.flags = {{"config", file}, {"port", "10"}};
  sources.environment = {{"CATALOGD_PORT", "20"}, {"CATALOGD_WEB_PORT", "30"}, {"HOME", "/root"}};
  const auto configuration = ResolveOptions(sources);
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->options.port, 10);
  EXPECT_EQ(configuration->options.web_port, 30);
  EXPECT_EQ(configuration->options.poll_interval, std::chrono::seconds(3));
  EXPECT_EQ(configuration->options.io_threads, 4);
  EXPECT_EQ(ValueOf(*configuration, "port").where, "--port");
  EXPECT_EQ(ValueOf(*configuration, "web-port").where, "CATALOGD_WEB_PORT");
  EXPECT_EQ(ValueOf(*configuration, "poll-interval").where, file + ":4");
  EXPECT_EQ(ValueOf(*configuration, "poll-interval").origin, Origin::kFile);
}

TEST(ResolveOptions, TheFileMayBeNamedByTheEnvironment) {
  const TemporaryDirectory directory;
  OptionSources sources;
  sources.environment = {{"CATALOGD_CONFIG", directory.Write("c", "port = 5\n")}};
  EXPECT_EQ(ResolveOptions(sources)->options.port, 5);
}

TEST(ResolveOptions, AnUnknownNameIsAnErrorWithTheOneThatWasMeant) {
  OptionSources flags;
  flags.flags = {{"prot", "1"}};
  EXPECT_EQ(ResolveOptions(flags).error().message, "there is no option --prot; did you mean port?");

  OptionSources environment;
  environment.environment = {{"CATALOGD_POLL_INTERVALL", "1s"}};
  EXPECT_THAT(ResolveOptions(environment).error().message,
              HasSubstr("did you mean CATALOGD_POLL_INTERVAL?"));

  const TemporaryDirectory directory;
  OptionSources file;
  file.flags = {{"config", directory.Write("c", "\nreadmode = cached\n")}};
  const auto configuration = ResolveOptions(file);
  ASSERT_FALSE(configuration);
  EXPECT_EQ(configuration.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(configuration.error().message,
              HasSubstr("c:2: there is no option readmode; did you mean read-mode?"));
}

TEST(ResolveOptions, VariablesOfOthersAreNotedNotFatal) {
  OptionSources sources;
  sources.environment = {{"CATALOGD_SERVICE_HOST", "10.0.0.1"},
                         {"CATALOGD_PORT_9083_TCP_ADDR", "10.0.0.1"}};
  const auto configuration = ResolveOptions(sources);
  ASSERT_TRUE(configuration) << configuration.error().message;
  ASSERT_EQ(configuration->notes.size(), 1U);
  EXPECT_THAT(configuration->notes[0], HasSubstr("CATALOGD_PORT_9083_TCP_ADDR"));
}

TEST(ResolveOptions, WhatKubernetesPutsInThePortIsExplained) {
  OptionSources sources;
  sources.environment = {{"CATALOGD_PORT", "tcp://10.0.0.1:9083"}};
  EXPECT_THAT(ResolveOptions(sources).error().message, HasSubstr("enableServiceLinks"));
}

TEST(ResolveOptions, NamesThatAreNotFollowedAreAList) {
  OptionSources sources;
  sources.flags = {{"sync-disabled", "sales, hr.tmp_*,*.x"}};
  const auto configuration = ResolveOptions(sources);
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->options.sync_disabled,
            (std::vector<std::string>{"sales", "hr.tmp_*", "*.x"}));
}

TEST(ResolveOptions, ABadValueSaysWhereItStandsAndWhatIsExpected) {
  const std::pair<std::string, std::string> bad[] = {{"port", "65536"},
                                                     {"port", "http"},
                                                     {"poll-interval", "0"},
                                                     {"poll-interval", "5"},
                                                     {"read-mode", "fast"},
                                                     {"events-payload", "believe"},
                                                     {"sync-disabled", "sales, hr..x"},
                                                     {"sync-disabled", ",,"},
                                                     {"sync-disabled", "a,,b"},
                                                     {"sync-disabled", "a, "},
                                                     {"event-threads", "0"},
                                                     {"io-threads", "0"},
                                                     {"max-message-size", "3GiB"},
                                                     {"max-message-size", "1"},
                                                     {"metastore", "ftp://x"},
                                                     {"durability", "maybe"},
                                                     {"log-level", "loud"},
                                                     {"log-to-stderr", "2"},
                                                     {"max-connections", "0"},
                                                     {"metastore-connections", "1"}};
  for (const auto& [name, value] : bad) {
    OptionSources sources;
    sources.flags = {{name, value}};
    const auto configuration = ResolveOptions(sources);
    ASSERT_FALSE(configuration) << name << "=" << value;
    EXPECT_EQ(configuration.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(configuration.error().message, StartsWith(fmt::format("--{}={}: ", name, value)));
  }
}

TEST(ResolveOptions, ABadValueOfAFileNamesLineAndOption) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("c", "port = 99999\n");
  OptionSources sources;
  sources.flags = {{"config", file}};
  EXPECT_THAT(ResolveOptions(sources).error().message, StartsWith(file + ":1: port=99999: "));
}

TEST(ResolveOptions, AByteOrderMarkIsNoPartOfAName) {
  const TemporaryDirectory directory;
  OptionSources sources;
  sources.flags = {{"config", directory.Write("c", "\xEF\xBB\xBFport = 5\n")}};
  const auto configuration = ResolveOptions(sources);
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->options.port, 5);
}

// Locations of tables are made of it, and clients stand elsewhere.
TEST(ResolveOptions, DirectoriesAreAbsolute) {
  OptionSources sources;
  sources.flags = {{"state-dir", "a/../state"}};
  const std::string here = std::filesystem::current_path().string();
  auto configuration = ResolveOptions(sources);
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->options.state_dir, here + "/state");
  EXPECT_EQ(configuration->options.warehouse_dir, here + "/state/warehouse");
  EXPECT_EQ(ValueOf(*configuration, "state-dir").value, here + "/state");
  sources.flags = {{"state-dir", "/s"}, {"warehouse-dir", "w"}};
  EXPECT_EQ(ResolveOptions(sources)->options.warehouse_dir, here + "/w");
  sources.flags = {{"state-dir", "/s"}, {"warehouse-dir", "s3://bucket/w"}};
  EXPECT_EQ(ResolveOptions(sources)->options.warehouse_dir, "s3://bucket/w");
}

TEST(ResolveOptions, ABrokenFileIsAnErrorThatNamesTheLine) {
  const TemporaryDirectory directory;
  const auto resolve = [](const std::string& path) {
    OptionSources sources;
    sources.flags = {{"config", path}};
    return ResolveOptions(sources);
  };
  EXPECT_THAT(resolve(directory.Write("a", "port 5\n")).error().message,
              HasSubstr("a:1: expected NAME = VALUE, found port 5"));
  EXPECT_THAT(resolve(directory.Write("b", "= 5\n")).error().message, HasSubstr("b:1: expected"));
  EXPECT_THAT(resolve(directory.Write("c", "port = 5\nport = 6\n")).error().message,
              HasSubstr("c:2: port was set before, at"));
  EXPECT_THAT(resolve(directory.Write("d", "config = other\n")).error().message,
              HasSubstr("d:1: a file cannot name another one"));
  EXPECT_THAT(resolve(directory.Write("e", "port = x\n")).error().message,
              HasSubstr("e:1: port=x: expected"));
  const auto missing = resolve(directory.path() + "/none");
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("check --config"));
  // What could go wrong: everything starts with its default, and nobody sees that.
  const auto folder = resolve(directory.path());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("a directory"));
  EXPECT_TRUE(resolve(directory.Write("empty", "")));
}

class HiveSiteTest : public ::testing::Test {
 protected:
  Result<Configuration> Resolve(const std::string& text, const std::string& metastore = "") {
    OptionSources sources;
    sources.flags = {{"hive-site", directory_.Write("hive-site.xml", text)}};
    if (!metastore.empty()) sources.flags.emplace_back("metastore", metastore);
    return ResolveOptions(sources);
  }
  static std::string Site(const std::string& name, const std::string& value) {
    return "<?xml version=\"1.0\"?>\n<configuration>\n  <property><name>a.b</name>"
           "<value>c</value></property>\n  <property>\n    <name> " +
           name + " </name>\n    <value> " + value + " </value>\n  </property>\n</configuration>\n";
  }
  TemporaryDirectory directory_;
};

TEST_F(HiveSiteTest, NamesTheMetastores) {
  for (const char* name : {"hive.metastore.uris", "metastore.thrift.uris"}) {
    const auto configuration = Resolve(Site(name, "thrift://a:1,thrift://b:2"));
    ASSERT_TRUE(configuration) << configuration.error().message;
    EXPECT_EQ(configuration->options.metastore, "thrift://a:1,thrift://b:2");
    EXPECT_EQ(ValueOf(*configuration, "metastore").origin, Origin::kHiveSite);
  }
}

TEST_F(HiveSiteTest, IsWeakerThanAnythingElse) {
  const auto configuration =
      Resolve(Site("hive.metastore.uris", "thrift://a:1"), "thrift://flag:2");
  EXPECT_EQ(configuration->options.metastore, "thrift://flag:2");
}

TEST_F(HiveSiteTest, WithoutTheValueOrWithoutXmlIsAnError) {
  EXPECT_THAT(Resolve(Site("something.else", "x")).error().message,
              HasSubstr("hive.metastore.uris is not set"));
  EXPECT_THAT(Resolve("<configuration><property>").error().message, HasSubstr("no XML at byte"));
  EXPECT_THAT(Resolve("").error().message, HasSubstr("no XML"));
  EXPECT_THAT(Resolve(Site("hive.metastore.uris", "jdbc:x")).error().message,
              HasSubstr("hive-site.xml=jdbc:x"));
  OptionSources missing;
  missing.flags = {{"hive-site", directory_.path() + "/none.xml"}};
  EXPECT_THAT(ResolveOptions(missing).error().message, HasSubstr("no such file"));
}

}  // namespace
}  // namespace catalogd::daemon
