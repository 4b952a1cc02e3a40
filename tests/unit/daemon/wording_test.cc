// What people are told. What could go wrong: a text that is well formed and untrue, or one that
// does not say what to do.
#include "catalog/daemon/daemon.h"
#include "tests/unit/daemon/daemon_fixture.h"
#include "tools/catalogctl/text.h"

namespace catalogd::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Lines(const api::DaemonStatus& status) { return ctl::Text(status); }

// Nothing listens on port 1.
class UnansweredTest : public ::testing::Test {
 protected:
  UnansweredTest() {
    auto daemon = Daemon::Start(ConfigurationOf({{"state-dir", directory_.path()},
                                                 {"metastore", "thrift://127.0.0.1:1"},
                                                 {"port", "0"},
                                                 {"web-port", "0"}}));
    EXPECT_TRUE(daemon) << daemon.error().message;
    daemon_ = std::move(*daemon);
    api_ = std::make_unique<ApiConnection>(daemon_->endpoint());
  }
  TemporaryDirectory directory_;
  std::unique_ptr<Daemon> daemon_;
  std::unique_ptr<ApiConnection> api_;
};

TEST_F(UnansweredTest, StatusSaysSoAndThatItIsTriedAgain) {
  api::DaemonStatus status;
  (*api_)->catalogd_status(status);
  EXPECT_FALSE(status.ready);
  EXPECT_FALSE(status.pure_proxy);
  EXPECT_EQ(status.state, "starting");
  EXPECT_THAT(status.state_reason, HasSubstr("asked each second"));
  EXPECT_GT(status.metastore.silent_seconds, 0);
  EXPECT_THAT(Lines(status), HasSubstr("never answered since the start"));
  EXPECT_THAT(Lines(status), HasSubstr("starting since 20"));
}

TEST_F(UnansweredTest, SilenceCountsFromTheStartEverywhere) {
  EXPECT_THAT(PageHtml(*daemon_, "/metrics"),
              AllOf(HasSubstr("\ncatalogd_metastore_silent_seconds "),
                    Not(HasSubstr("\ncatalogd_metastore_silent_seconds 0\n"))));
  EXPECT_THAT(PageHtml(*daemon_, "/readyz?verbose"),
              AllOf(HasSubstr("since the start without an answer"), HasSubstr("not checked yet"),
                    Not(HasSubstr("nothing speaks against"))));
}

TEST_F(UnansweredTest, TheDoctorDoesNotCallItAProxy) {
  api::DoctorReport report;
  (*api_)->catalogd_doctor(report);
  EXPECT_FALSE(report.exact);
  EXPECT_THAT(ctl::Text(report), AllOf(HasSubstr("not checked whether cached answers may be given"),
                                       Not(HasSubstr("pure proxy"))));
}

TEST(DoctorText, ARefusedLogIsAProxy) {
  api::DoctorReport report;
  report.findings.emplace_back();
  report.findings.back().check = "notification log";
  report.findings.back().level = "fatal";
  EXPECT_THAT(ctl::Text(report), HasSubstr("the daemon is a pure proxy"));
}

TEST(StatusText, OneIsNoPlural) {
  api::DaemonStatus status;
  status.counts.databases = 1;
  status.counts.tables = 1;
  status.lag_events = 1;
  status.waiting = 2;
  status.metastore.generation = "3.1";
  EXPECT_THAT(Lines(status),
              AllOf(HasSubstr("1 database, 1 table, 0 partitions"), HasSubstr(", 1 event and "),
                    HasSubstr(", 2 waits"), HasSubstr("last answered")));
}

class EmbeddedWordingTest : public ::testing::Test {
 protected:
  EmbeddedWordingTest() {
    Start();
    HmsConnection hms(daemon_->endpoint());
    hms->create_database(testing::MakeDatabase("sales"));
    for (int i = 0; i < 12; ++i) {
      hms->create_table(testing::MakeTable("sales", "t" + std::to_string(i)));
    }
    WaitForAll();
  }
  void Start() {
    daemon_.reset();
    auto daemon = Daemon::Start(ConfigurationOf({{"state-dir", directory_.path()},
                                                 {"port", "0"},
                                                 {"web-port", "0"},
                                                 {"durability", "normal"}}));
    EXPECT_TRUE(daemon) << daemon.error().message;
    daemon_ = std::move(*daemon);
    WaitForAll();
  }
  api::WaitResult WaitForAll() {
    api::WaitRequest request;
    request.timeout_ms = 60000;
    api::WaitResult result;
    ApiConnection(daemon_->endpoint())->catalogd_wait(result, request);
    return result;
  }
  api::ObjectInfo Get(const std::string& name) {
    api::ObjectInfo info;
    ApiConnection(daemon_->endpoint())->catalogd_get(info, name);
    return info;
  }
  std::pair<std::string, std::string> WaitFor(const std::string& name) {
    api::WaitRequest request;
    request.names = {name};
    api::WaitResult result;
    return ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_wait(result, request); });
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(EmbeddedWordingTest, ADatabaseShowsItsOwnEventsFirst) {
  const api::ObjectInfo info = Get("sales");
  ASSERT_EQ(info.recent.size(), 10U);
  EXPECT_EQ(info.recent[0].name, "sales");
  EXPECT_EQ(info.recent[0].type, "CREATE_DATABASE");
  EXPECT_THAT(info.recent.back().name, StartsWith("sales.t"));
}

TEST_F(EmbeddedWordingTest, WhatWasThereWhenNamesWereListedIsMadeAtOrBefore) {
  const std::string made = "made               at event ";
  EXPECT_THAT(ctl::Text(Get("sales.t1")), HasSubstr(made));
  Start();
  const api::ObjectInfo info = Get("sales.t1");
  EXPECT_FALSE(info.incarnation_known);
  EXPECT_THAT(ctl::Text(info), HasSubstr("made               at or before event "));
  EXPECT_THAT(PageHtml(*daemon_, "/object?name=sales.t1"), HasSubstr("made at or before"));
  HmsConnection(daemon_->endpoint())->create_table(testing::MakeTable("sales", "later"));
  EXPECT_THAT(ctl::Text(Get("sales.later")), HasSubstr(made));
}

TEST_F(EmbeddedWordingTest, ABareNumberIsNoNameUnlessThereIsSuchADatabase) {
  const auto [code, text] = WaitFor("99999999");
  EXPECT_EQ(code, "invalid_argument");
  EXPECT_THAT(text, HasSubstr("--event 99999999"));
  EXPECT_EQ(WaitFor("nowhere").first, "");
  EXPECT_EQ(WaitFor("nowhere.7").first, "");
  HmsConnection(daemon_->endpoint())->create_database(testing::MakeDatabase("2026"));
  EXPECT_EQ(WaitFor("2026").first, "");
}

TEST_F(EmbeddedWordingTest, TheObjectPageSaysWhichParameterIsMissing) {
  EXPECT_THAT(PageHtml(*daemon_, "/object"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("parameter name is missing"),
                    HasSubstr("/object?name=db")));
}

}  // namespace
}  // namespace catalogd::daemon
