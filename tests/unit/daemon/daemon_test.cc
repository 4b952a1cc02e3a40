#include "catalog/daemon/daemon.h"

#include <filesystem>
#include <fstream>

#include "catalog/daemon/backend.h"
#include "catalog/daemon/metastore_server.h"
#include "tests/unit/daemon/daemon_fixture.h"
#include "tools/catalogctl/commands.h"
#include "tools/catalogctl/text.h"

namespace catalogd::daemon {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A daemon on the embedded metastore, with a database `sales` and its table `orders`.
class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest() {
    auto daemon = Daemon::Start(ConfigurationOf({{"state-dir", directory_.path()},
                                                 {"port", "0"},
                                                 {"web-port", "0"},
                                                 {"poll-interval", "20ms"},
                                                 {"durability", "normal"}}));
    EXPECT_TRUE(daemon) << daemon.error().message;
    daemon_ = std::move(*daemon);
    api_ = std::make_unique<ApiConnection>(daemon_->endpoint());
    WaitForAll();
    HmsConnection hms(daemon_->endpoint());
    hms->create_database(testing::MakeDatabase("sales"));
    hms->create_table(testing::MakeTable("sales", "orders", {"day"}));
    WaitForAll();
  }
  ApiConnection& api() { return *api_; }

  api::WaitResult WaitForAll() {
    api::WaitRequest request;
    request.timeout_ms = 60000;
    api::WaitResult result;
    api()->catalogd_wait(result, request);
    return result;
  }
  TemporaryDirectory directory_;
  std::unique_ptr<Daemon> daemon_;
  std::unique_ptr<ApiConnection> api_;
};

TEST_F(DaemonTest, StatusSaysWhereItStands) {
  api::DaemonStatus status;
  api()->catalogd_status(status);
  EXPECT_TRUE(status.ready) << status.reason;
  EXPECT_FALSE(status.pure_proxy);
  EXPECT_EQ(status.state, "active");
  EXPECT_GT(status.watermark, 0);
  EXPECT_EQ(status.watermark, status.latest_event_id);
  EXPECT_EQ(status.lag_events, 0);
  EXPECT_EQ(status.metastore.endpoint, "embedded");
  EXPECT_EQ(status.read_mode, "cached");
  EXPECT_EQ(status.endpoint, daemon_->endpoint());
  EXPECT_EQ(status.web, daemon_->web());
  EXPECT_GE(status.counts.tables, 1);
  EXPECT_FALSE(status.build_version.empty());
}

TEST_F(DaemonTest, AWaitReturnsAtTheCurrentEvent) {
  const api::WaitResult result = WaitForAll();
  EXPECT_GT(result.event_id, 0);
  EXPECT_GE(result.watermark, result.event_id);
  api::WaitRequest named;
  named.names = {"sales.orders"};
  named.__set_event_id(result.event_id);
  api::WaitResult again;
  api()->catalogd_wait(again, named);
  EXPECT_EQ(again.event_id, result.event_id);
}

TEST_F(DaemonTest, AWaitForWhatMayNeverComeIsRefused) {
  api::WaitRequest request;
  request.__set_event_id(WaitForAll().event_id + 1000);
  api::WaitResult result;
  const auto [code, text] =
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_wait(result, request); });
  EXPECT_EQ(code, "invalid_argument");
  EXPECT_THAT(text, HasSubstr("does not exist yet"));

  api::WaitRequest bad_name;
  bad_name.names = {"a..b"};
  EXPECT_EQ(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_wait(result, bad_name); }).first,
      "invalid_argument");
  api::WaitRequest bad_timeout;
  bad_timeout.timeout_ms = -1;
  EXPECT_EQ(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_wait(result, bad_timeout); })
          .first,
      "invalid_argument");
}

TEST_F(DaemonTest, SyncLoadsAndGetShowsTheObject) {
  api::SyncRequest request;
  request.name = "Sales.ORDERS";
  api::ObjectInfo info;
  api()->catalogd_sync(info, request);
  EXPECT_EQ(info.summary.name, "sales.orders");
  EXPECT_EQ(info.summary.state, "present");
  EXPECT_EQ(info.summary.partitions, 0);
  EXPECT_GT(info.summary.synced_event_id, 0);
  EXPECT_GE(info.summary.effective_event_id, info.summary.synced_event_id);
  EXPECT_GT(info.summary.catalog_version, 0);
  EXPECT_GT(info.incarnation, 0);
  EXPECT_TRUE(info.served_from_cache);
  EXPECT_EQ(info.read_mode, "cached");
  const json object = json::parse(info.object_json);
  EXPECT_EQ(object["tableName"], "orders");
  EXPECT_EQ(object["sd"]["cols"][0]["name"], "id");
  EXPECT_EQ(object["partitionKeys"][0]["name"], "day");

  api::ObjectInfo got;
  api()->catalogd_get(got, "sales.orders");
  EXPECT_EQ(got.object_json, info.object_json);
}

TEST_F(DaemonTest, WhatIsNotThereIsNotFound) {
  api::ObjectInfo info;
  const auto [code, text] =
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_get(info, "sales.nothing"); });
  EXPECT_EQ(code, "not_found");
  EXPECT_THAT(text, HasSubstr("sales.nothing: no such table as of event"));
  api::SyncRequest request;
  request.name = "sales.nothing";
  EXPECT_EQ(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_sync(info, request); }).first,
      "not_found");
  api::ListRequest list;
  list.__set_database("nowhere");
  api::ObjectList objects;
  EXPECT_EQ(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_list(objects, list); }).first,
      "not_found");
}

TEST_F(DaemonTest, WhatIsNotThereComesWithWhereToLook) {
  api::ObjectInfo info;
  EXPECT_THAT(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_get(info, "sales.nothing"); })
          .second,
      HasSubstr("`catalogctl list sales`"));
  EXPECT_THAT(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_get(info, "nowhere"); }).second,
      HasSubstr("`catalogctl list`"));
}

// What could go wrong: a list shows a name that no other command understands.
TEST_F(DaemonTest, NamesWithDotsAreUnderstoodAsTheyAreShown) {
  HmsConnection hms(daemon_->endpoint());
  for (const char* table : {"a.b", "orders.day", "x."}) {
    hms->create_table(testing::MakeTable("sales", table));
  }
  WaitForAll();
  api::ListRequest request;
  request.__set_database("sales");
  request.limit = 100;
  api::ObjectList list;
  api()->catalogd_list(list, request);
  EXPECT_THAT(list.objects, SizeIs(4));
  for (const api::ObjectSummary& object : list.objects) {
    api::ObjectInfo info;
    const auto [code, text] =
        ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_get(info, object.name); });
    EXPECT_EQ(code, "") << text;
    EXPECT_EQ(info.summary.name, object.name);
    EXPECT_THAT(PageHtml(*daemon_, "/object?name=" + object.name), StartsWith("HTTP/1.1 200"));
    api::SyncRequest sync;
    sync.name = object.name;
    sync.timeout_ms = 60000;
    api()->catalogd_sync(info, sync);
    EXPECT_EQ(info.summary.state, "present");
  }
}

TEST_F(DaemonTest, ListsAreFilteredAndPaged) {
  HmsConnection hms(daemon_->endpoint());
  for (const char* name : {"a1", "a2", "a3"}) {
    hms->create_table(testing::MakeTable("sales", name));
  }
  api::ListRequest request;
  request.__set_database("sales");
  request.__set_filter("A");
  request.limit = 2;
  api::ObjectList list;
  api()->catalogd_list(list, request);
  EXPECT_EQ(list.total, 3);
  EXPECT_TRUE(list.exact);
  ASSERT_THAT(list.objects, SizeIs(2));
  EXPECT_EQ(list.objects[0].name, "sales.a1");
  request.offset = 2;
  api()->catalogd_list(list, request);
  ASSERT_THAT(list.objects, SizeIs(1));
  EXPECT_EQ(list.objects[0].name, "sales.a3");
  request.offset = -1;
  EXPECT_EQ(
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_list(list, request); }).first,
      "invalid_argument");

  api::ObjectList databases;
  api()->catalogd_list(databases, {});
  EXPECT_EQ(databases.total, 2);  // default and sales.
}

TEST_F(DaemonTest, EventsAreNewestFirstAndCanBeNarrowed) {
  HmsConnection hms(daemon_->endpoint());
  hms->create_table(testing::MakeTable("sales", "returns"));
  WaitForAll();
  api::EventsRequest request;
  std::vector<api::EventInfo> events;
  api()->catalogd_events(events, request);
  ASSERT_GE(events.size(), 2U);
  EXPECT_GE(events.front().event_id, events.back().event_id);

  request.__set_name("sales.returns");
  api()->catalogd_events(events, request);
  ASSERT_FALSE(events.empty());
  for (const api::EventInfo& event : events) EXPECT_EQ(event.name, "sales.returns");
  EXPECT_EQ(events.back().type, "CREATE_TABLE");
  EXPECT_GT(events.back().event_time_ms, 0);
}

// A follower that missed a change, or saw it twice, would end with something else.
TEST_F(DaemonTest, ADumpAndTheDeltasBehindItAreTheStateOfNow) {
  const auto dump = [this](bool with_objects) {
    std::map<std::string, api::DeltaInfo> objects;
    api::DumpRequest request;
    request.__set_limit(1);
    request.with_objects = with_objects;
    int64_t version = 0;
    for (;;) {
      api::DumpPage page;
      api()->catalogd_dump(page, request);
      EXPECT_TRUE(page.listed);
      if (version == 0) version = page.version;
      for (const api::DeltaInfo& object : page.objects) objects[object.name] = object;
      if (!page.__isset.next_after) return std::pair(objects, version);
      request.__set_after(page.next_after);
    }
  };
  auto [objects, version] = dump(false);
  ASSERT_TRUE(objects.contains("sales.orders"));
  EXPECT_FALSE(objects.at("sales.orders").__isset.object);
  HmsConnection hms(daemon_->endpoint());
  hms->create_table(testing::MakeTable("sales", "later", {}));
  hms->drop_table("sales", "orders", false);
  WaitForAll();
  api::DeltasRequest request;
  request.after_version = version;
  api::DeltaBatch batch;
  api()->catalogd_deltas(batch, request);
  EXPECT_FALSE(batch.gap);
  for (const api::DeltaInfo& delta : batch.deltas) {
    EXPECT_GT(delta.catalog_version, version);
    if (delta.state == "absent") {
      objects.erase(delta.name);
    } else {
      objects[delta.name] = delta;
    }
  }
  const auto now = dump(true).first;
  ASSERT_EQ(objects.size(), now.size());
  for (const auto& [name, object] : now) {
    EXPECT_EQ(objects.at(name).catalog_version, object.catalog_version) << name;
    EXPECT_EQ(objects.at(name).state, object.state) << name;
  }
  EXPECT_TRUE(now.at("sales.later").__isset.object);
  EXPECT_THAT(now.at("sales.later").object, HasSubstr("later"));
}

TEST_F(DaemonTest, WhoeverWaitsForChangesIsWokenByTheNext) {
  api::DeltasRequest request;
  api::DumpPage page;
  api()->catalogd_dump(page, {});
  request.after_version = page.version;
  request.wait_ms = 60000;
  std::thread writer([this] {
    HmsConnection hms(daemon_->endpoint());
    hms->create_database(testing::MakeDatabase("fresh"));
  });
  api::DeltaBatch batch;
  while (batch.deltas.empty()) api()->catalogd_deltas(batch, request);
  writer.join();
  EXPECT_EQ(batch.deltas.front().name, "fresh");
  EXPECT_EQ(batch.version, batch.deltas.back().catalog_version);
}

TEST_F(DaemonTest, PositionsOfAnotherLifeAreGapsAndBadLimitsErrors) {
  for (const int64_t version : {int64_t{1}, INT64_MAX}) {
    api::DeltasRequest request;
    request.after_version = version;
    request.wait_ms = 60000;
    api::DeltaBatch batch;
    api()->catalogd_deltas(batch, request);
    EXPECT_TRUE(batch.gap) << version;
    EXPECT_THAT(batch.deltas, SizeIs(0));
  }
  const auto error = ErrorOf(daemon_->endpoint(), [](api::CatalogdClient& client) {
    api::DeltasRequest request;
    request.limit = 0;
    api::DeltaBatch batch;
    client.catalogd_deltas(batch, request);
  });
  EXPECT_EQ(error.first, "invalid_argument");
}

TEST_F(DaemonTest, EventsBehindAPositionComeOnce) {
  api::EventsRequest request;
  request.limit = 1;
  std::vector<api::EventInfo> newest;
  api()->catalogd_events(newest, request);
  ASSERT_THAT(newest, SizeIs(1));
  request.__set_after_sequence(newest.front().sequence);
  request.limit = 100;
  std::vector<api::EventInfo> none;
  api()->catalogd_events(none, request);
  EXPECT_THAT(none, SizeIs(0));
  HmsConnection hms(daemon_->endpoint());
  hms->create_database(testing::MakeDatabase("fresh"));
  request.wait_ms = 60000;
  std::vector<api::EventInfo> found;
  api()->catalogd_events(found, request);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back().type, "CREATE_DATABASE");
  EXPECT_EQ(found.back().sequence, request.after_sequence + 1);
}

TEST_F(DaemonTest, DiffComparesNow) {
  api::SyncRequest sync;
  sync.name = "sales.orders";
  api::ObjectInfo info;
  api()->catalogd_sync(info, sync);
  api::DiffRequest request;
  request.names = {"", "sales", "sales.orders", "sales.nowhere"};
  std::vector<api::DiffEntry> entries;
  api()->catalogd_diff(entries, request);
  std::map<std::string, std::string> outcomes;
  for (const api::DiffEntry& entry : entries) outcomes[entry.name] = entry.outcome;
  EXPECT_THAT(outcomes, SizeIs(3)) << "no name is on one side only";
  EXPECT_EQ(outcomes["sales.orders"], "equal");
  EXPECT_EQ(outcomes["sales.nowhere"], "equal");
  const auto error = ErrorOf(daemon_->endpoint(), [](api::CatalogdClient& client) {
    api::DiffRequest bad;
    bad.names = {"sales."};
    std::vector<api::DiffEntry> nothing;
    client.catalogd_diff(nothing, bad);
  });
  EXPECT_EQ(error.first, "invalid_argument");
}

TEST_F(DaemonTest, AnEventLimitBelowOneIsRefused) {
  api::EventsRequest request;
  std::vector<api::EventInfo> events;
  for (const int limit : {0, -1}) {
    request.__set_limit(limit);
    const auto [code, text] =
        ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_events(events, request); });
    EXPECT_EQ(code, "invalid_argument");
    EXPECT_THAT(text, HasSubstr("a limit from 1 to"));
  }
}

// What could go wrong: people are told of "MaxMessageSize".
TEST_F(DaemonTest, TheClientKnowsThePortOfThePagesForWhatItIs) {
  api::DaemonStatus status;
  const auto [code, text] =
      ErrorOf(daemon_->web(), [&](auto& call) { call.catalogd_status(status); });
  EXPECT_EQ(code, "corrupt");
  EXPECT_THAT(text, HasSubstr("is this the port of the daemon's pages?"));
}

TEST(StatusText, TellsAReasonOnce) {
  const std::string reason = "no metastore can be reached (refused)";
  const auto times = [&reason](const api::DaemonStatus& status) {
    const std::string text = ctl::Text(status);
    int count = 0;
    for (size_t at = text.find(reason); at != std::string::npos; at = text.find(reason, at + 1)) {
      ++count;
    }
    return count;
  };
  api::DaemonStatus starting;
  starting.reason = reason;
  starting.warnings = {"no answers from the cache yet: " + reason};
  EXPECT_EQ(times(starting), 1);
  api::DaemonStatus degraded;
  degraded.ready = true;
  degraded.state = "degraded";
  degraded.reason = degraded.state_reason = reason;
  degraded.warnings = {"the metastore does not answer, cached reads are 9 s old: " + reason};
  EXPECT_EQ(times(degraded), 1);
}

TEST(ErrorText, IsALineOrJson) {
  const Error error{ErrorCode::kNotFound, "no \"x\" here"};
  EXPECT_EQ(ctl::ErrorText(error, false), "catalogctl: no \"x\" here\n");
  const auto parsed = json::parse(ctl::ErrorText(error, true));
  EXPECT_EQ(parsed["error"]["code"], "not_found");
  EXPECT_EQ(parsed["error"]["message"], error.message);
}

TEST_F(DaemonTest, DoctorLooksNow) {
  api::DoctorReport report;
  api()->catalogd_doctor(report);
  EXPECT_TRUE(report.exact);
  EXPECT_FALSE(report.findings.empty());
  for (const api::Finding& finding : report.findings) EXPECT_NE(finding.level, "fatal");
}

TEST_F(DaemonTest, ReadModesAreSetAtRunTime) {
  api::ReadModeRequest request;
  request.mode = "passthrough";
  request.__set_name("sales.orders");
  api::DaemonStatus status;
  api()->catalogd_set_read_mode(status, request);
  EXPECT_EQ(status.read_mode, "cached");
  ASSERT_THAT(status.read_modes, SizeIs(1));
  EXPECT_EQ(status.read_modes[0].name, "sales.orders");
  api::ObjectInfo info;
  api()->catalogd_get(info, "sales.orders");
  EXPECT_FALSE(info.served_from_cache);
  EXPECT_EQ(info.read_mode, "passthrough");
  request.mode = "default";
  api()->catalogd_set_read_mode(status, request);
  EXPECT_THAT(status.read_modes, SizeIs(0));

  request.mode = "sometimes";
  EXPECT_EQ(ErrorOf(daemon_->endpoint(),
                    [&](auto& call) { call.catalogd_set_read_mode(status, request); })
                .first,
            "invalid_argument");
  api::ReadModeRequest whole;
  whole.mode = "passthrough";
  api()->catalogd_set_read_mode(status, whole);
  EXPECT_EQ(status.read_mode, "passthrough");
  EXPECT_THAT(status.warnings, Contains(HasSubstr("read mode is passthrough")));
}

TEST_F(DaemonTest, PausingShowsEverywhere) {
  api::DaemonStatus status;
  api()->catalogd_pause(status, true);
  EXPECT_EQ(status.state, "paused");
  EXPECT_THAT(status.warnings, Contains(HasSubstr("paused")));
  EXPECT_THAT(PageHtml(*daemon_, "/catalog"), HasSubstr("Following is paused"));
  api()->catalogd_pause(status, false);
  EXPECT_EQ(status.state, "active");
}

TEST_F(DaemonTest, AResetStartsOverAndComesBack) {
  api::DaemonStatus before;
  api()->catalogd_reset(before, "a test wants it");
  const api::WaitResult result = WaitForAll();
  EXPECT_GT(result.event_id, 0);
  api::ObjectInfo info;
  api()->catalogd_get(info, "sales.orders");
  EXPECT_NE(info.summary.state, "absent");
}

TEST_F(DaemonTest, LocksAndConfigurationAreShown) {
  std::vector<api::LockInfo> locks;
  api()->catalogd_locks(locks);
  EXPECT_THAT(locks, SizeIs(0));
  std::vector<api::ConfigEntry> entries;
  api()->catalogd_config(entries);
  EXPECT_EQ(entries.size(), OptionRows().size());
  for (const api::ConfigEntry& entry : entries) {
    if (entry.name == "port") {
      EXPECT_EQ(entry.origin, "flag --port");
    }
  }
}

TEST_F(DaemonTest, AnEmptyNameCostsOnlyItsCall) {
  api::ObjectInfo info;
  EXPECT_EQ(ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_get(info, ""); }).first,
            "invalid_argument");
  api::DaemonStatus status;
  api()->catalogd_status(status);
  EXPECT_TRUE(status.ready);
}

TEST_F(DaemonTest, EveryPageIsHtmlAndJson) {
  for (const char* path :
       {"/", "/events", "/catalog", "/catalog?db=sales", "/object?name=sales.orders",
        "/object?name=sales", "/locks", "/config"}) {
    EXPECT_THAT(PageHtml(*daemon_, path),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("<!DOCTYPE html>")))
        << path;
    EXPECT_TRUE(PageJson(*daemon_, path).is_object()) << path;
  }
  EXPECT_EQ(PageJson(*daemon_, "/")["ready"], true);
  EXPECT_EQ(PageJson(*daemon_, "/catalog")["total"], 2);
  EXPECT_EQ(PageJson(*daemon_, "/catalog?db=sales")["objects"][0]["name"], "sales.orders");
  json object = PageJson(*daemon_, "/object?name=sales.orders");
  EXPECT_EQ(object["state"], "present");
  EXPECT_EQ(object["columns"][0]["name"], "id");
  EXPECT_EQ(object["columns"][2]["partition_key"], true);
  EXPECT_EQ(PageJson(*daemon_, "/events")["watermark"], WaitForAll().watermark);
}

TEST_F(DaemonTest, PagesRefuseBadParameters) {
  EXPECT_THAT(PageHtml(*daemon_, "/object?name=sales.none"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(PageHtml(*daemon_, "/object"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(PageHtml(*daemon_, "/object?name=a..b"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(PageHtml(*daemon_, "/catalog?limit=x"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(PageHtml(*daemon_, "/catalog?db=none"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(PageHtml(*daemon_, "/events?limit=0"), StartsWith("HTTP/1.1 400"));
}

TEST_F(DaemonTest, HealthAndMetricsFollow) {
  EXPECT_THAT(PageHtml(*daemon_, "/readyz?verbose"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("[+] following: active")));
  const std::string metrics = PageHtml(*daemon_, "/metrics");
  for (const char* expected :
       {"catalogd_ready 1\n", "catalogd_pure_proxy 0\n", "catalogd_watermark_event_id ",
        "catalogd_object_reads_total ", "catalogd_slots{state=\"present\"} ",
        "catalogd_event_actions_total{action=", "catalogd_calls_total{method=\"create_table\"} 1",
        "catalogd_build_info{version="}) {
    EXPECT_THAT(metrics, HasSubstr(expected));
  }
}

TEST_F(DaemonTest, ANewTableIsAppliedWithoutReadingIt) {
  const auto reads = [this] {
    const std::string metrics = PageHtml(*daemon_, "/metrics");
    return metrics.substr(metrics.find("\ncatalogd_object_reads_total "), 40);
  };
  HmsConnection hms(daemon_->endpoint());
  const std::string before = reads();
  hms->create_table(testing::MakeTable("sales", "quick"));
  WaitForAll();
  EXPECT_EQ(reads(), before);
}

TEST_F(DaemonTest, ASecondDaemonCannotHaveTheSameDirectoryOrPort) {
  const auto same = Daemon::Start(
      ConfigurationOf({{"state-dir", directory_.path()}, {"port", "0"}, {"web-port", "0"}}));
  ASSERT_FALSE(same);
  EXPECT_THAT(same.error().message, HasSubstr("in use by another catalogd"));

  const TemporaryDirectory other;
  const std::string port = std::to_string(PortOf(daemon_->endpoint()));
  const std::string web_port = std::to_string(PortOf(daemon_->web()));
  const auto taken = Daemon::Start(
      ConfigurationOf({{"state-dir", other.path()}, {"port", port}, {"web-port", "0"}}));
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr(port));
  const auto web = Daemon::Start(
      ConfigurationOf({{"state-dir", other.path()}, {"port", "0"}, {"web-port", web_port}}));
  ASSERT_FALSE(web);
  EXPECT_THAT(web.error().message, HasSubstr("--web-port"));
}

// A daemon in front of the embedded metastore of somebody else.
class FrontingTest : public ::testing::Test {
 protected:
  FrontingTest() {
    auto metastore = MetastoreServer::Start(MetastoreConfiguration("0"));
    EXPECT_TRUE(metastore) << metastore.error().message;
    metastore_ = std::move(*metastore);
    port_ = std::to_string(PortOf(metastore_->endpoint()));
    // The same directory: the store and the one in front of it lock different files.
    auto daemon = Daemon::Start(ConfigurationOf({{"state-dir", directory_.path()},
                                                 {"metastore", "thrift://127.0.0.1:" + port_},
                                                 {"port", "0"},
                                                 {"web-port", "0"},
                                                 {"poll-interval", "20ms"},
                                                 {"stop-timeout", "20s"}}));
    EXPECT_TRUE(daemon) << daemon.error().message;
    daemon_ = std::move(*daemon);
  }
  Configuration MetastoreConfiguration(const std::string& port) const {
    return ConfigurationOf(
        {{"state-dir", directory_.path()}, {"port", port}, {"durability", "normal"}});
  }
  // Looks until the status is as wanted; the test's own time limit ends a wait that is in vain.
  api::DaemonStatus Until(const std::function<bool(const api::DaemonStatus&)>& wanted) {
    ApiConnection api(daemon_->endpoint());
    while (true) {
      api::DaemonStatus status;
      api->catalogd_status(status);
      if (wanted(status)) return status;
      std::this_thread::yield();
    }
  }
  static bool IsReady(const api::DaemonStatus& status) { return status.ready; }

  TemporaryDirectory directory_;
  std::unique_ptr<MetastoreServer> metastore_;
  std::string port_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(FrontingTest, ChangesMadeBehindItsBackShow) {
  Until(IsReady);
  HmsConnection direct(metastore_->endpoint());
  direct->create_database(testing::MakeDatabase("behind"));
  direct->create_table(testing::MakeTable("behind", "back"));
  ApiConnection api(daemon_->endpoint());
  api::WaitRequest request;
  request.timeout_ms = 60000;
  api::WaitResult result;
  api->catalogd_wait(result, request);
  api::ObjectInfo info;
  api->catalogd_get(info, "behind.back");
  EXPECT_EQ(info.summary.state, "present");
  EXPECT_EQ(info.summary.synced_event_id, result.event_id);
}

TEST_F(FrontingTest, AStopEndsWaitsWithAReason) {
  Until(IsReady);
  ApiConnection api(daemon_->endpoint());
  api::DaemonStatus status;
  api->catalogd_pause(status, true);
  // A poll that was under way may still bring what happens after the pause; none begins any more.
  while (PageHtml(*daemon_, "/metrics").find("\ncatalogd_polling 0") == std::string::npos) {
    std::this_thread::yield();
  }
  HmsConnection(metastore_->endpoint())->create_database(testing::MakeDatabase("unseen"));
  std::string code;
  std::thread waiter([&] {
    api::WaitRequest request;
    request.timeout_ms = 3600000;
    api::WaitResult result;
    code = ErrorOf(daemon_->endpoint(), [&](auto& call) {
             call.catalogd_wait(result, request);
           }).first;
  });
  Until([](const api::DaemonStatus& now) { return now.waiting > 0; });
  daemon_->Stop();
  waiter.join();
  EXPECT_EQ(code, "cancelled");
}

TEST_F(FrontingTest, AMetastoreThatGoesAwayIsSaidAndForgiven) {
  Until(IsReady);
  metastore_.reset();
  const api::DaemonStatus away =
      Until([](const api::DaemonStatus& now) { return now.state == "degraded"; });
  EXPECT_TRUE(away.ready);
  EXPECT_THAT(away.state_reason, HasSubstr("127.0.0.1:" + port_));
  EXPECT_THAT(away.warnings, Contains(HasSubstr("the metastore does not answer")));
  EXPECT_THAT(PageHtml(*daemon_, "/locks"), HasSubstr("The metastore does not answer"));
  ApiConnection api(daemon_->endpoint());
  api::DoctorReport report;
  api->catalogd_doctor(report);
  EXPECT_FALSE(report.exact);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].level, "fatal");
  api::WaitRequest request;
  api::WaitResult result;
  // Nobody can know the current id.
  const auto [code, text] =
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_wait(result, request); });
  EXPECT_EQ(code, "unavailable") << text;
  // Nor could anything be read again after a reset: what there is goes on being answered.
  api::DaemonStatus status;
  const auto refused =
      ErrorOf(daemon_->endpoint(), [&](auto& call) { call.catalogd_reset(status, "a test"); });
  EXPECT_EQ(refused.first, "unavailable");
  EXPECT_THAT(refused.second, HasSubstr("not reset"));
  EXPECT_THAT(PageHtml(*daemon_, "/readyz"), StartsWith("HTTP/1.1 200"));
  auto again = MetastoreServer::Start(MetastoreConfiguration(port_));
  ASSERT_TRUE(again) << again.error().message;
  metastore_ = std::move(*again);
  Until([](const api::DaemonStatus& now) { return now.ready && now.state == "active"; });
}

TEST(Daemon, StartsWhileTheMetastoreIsAwayAndSaysSo) {
  const TemporaryDirectory directory;
  const auto daemon = Daemon::Start(ConfigurationOf({{"state-dir", directory.path()},
                                                     {"metastore", "thrift://127.0.0.1:1"},
                                                     {"port", "0"},
                                                     {"web-port", "0"}}));
  ASSERT_TRUE(daemon) << daemon.error().message;
  EXPECT_THAT(PageHtml(**daemon, "/readyz"),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("not ready: ")));
  EXPECT_THAT(PageHtml(**daemon, "/livez"), StartsWith("HTTP/1.1 200"));
  api::WaitRequest request;
  request.timeout_ms = 100;
  api::WaitResult result;
  const auto [code, text] =
      ErrorOf((*daemon)->endpoint(), [&](auto& call) { call.catalogd_wait(result, request); });
  EXPECT_EQ(code, "timed_out");
  EXPECT_THAT(text, HasSubstr("not ready yet"));
  api::DaemonStatus status;
  EXPECT_EQ(
      ErrorOf((*daemon)->endpoint(), [&](auto& call) { call.catalogd_pause(status, true); }).first,
      "invalid_state");
}

// What could go wrong: everything is gone, and nothing says so.
TEST_F(DaemonTest, ALostMetastoreFileIsSaidEverywhere) {
  const auto restart = [this] {
    api_.reset();
    daemon_.reset();
    auto daemon = Daemon::Start(
        ConfigurationOf({{"state-dir", directory_.path()}, {"port", "0"}, {"web-port", "0"}}));
    ASSERT_TRUE(daemon) << daemon.error().message;
    daemon_ = std::move(*daemon);
    api_ = std::make_unique<ApiConnection>(daemon_->endpoint());
    WaitForAll();
  };
  const auto warnings = [this] {
    api::DaemonStatus status;
    api()->catalogd_status(status);
    return status.warnings;
  };
  restart();
  EXPECT_THAT(warnings(), ::testing::Not(::testing::Contains(HasSubstr("metastore file"))));
  const auto lose = [this] {
    api_.reset();
    daemon_.reset();
    for (const char* end : {"", "-wal", "-shm"}) {
      std::filesystem::remove(EmbeddedFile(directory_.path()) + end);
    }
  };
  lose();
  restart();
  EXPECT_THAT(warnings(), ::testing::Contains(
                              AllOf(HasSubstr("metastore file " + EmbeddedFile(directory_.path())),
                                    HasSubstr("missing"), HasSubstr("put its file back"))));
  HmsConnection hms(daemon_->endpoint());
  hms->create_database(testing::MakeDatabase("sales"));
  WaitForAll();
  lose();
  std::ofstream(EmbeddedFile(directory_.path())).flush();
  const auto refused = Daemon::Start(
      ConfigurationOf({{"state-dir", directory_.path()}, {"port", "0"}, {"web-port", "0"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("metastore file " + EmbeddedFile(directory_.path())),
                    HasSubstr("is empty (0 bytes)")));
}

TEST(Daemon, ADamagedStateFileIsNamed) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("state", "\x01garbage\n");
  const auto daemon = Daemon::Start(
      ConfigurationOf({{"state-dir", directory.path()}, {"port", "0"}, {"web-port", "0"}}));
  ASSERT_FALSE(daemon);
  EXPECT_EQ(daemon.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(daemon.error().message, HasSubstr(file));
}

}  // namespace
}  // namespace catalogd::daemon
