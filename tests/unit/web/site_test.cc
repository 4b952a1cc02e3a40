#include "catalog/web/site.h"

#include <gmock/gmock.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <nlohmann/json.hpp>

namespace catalogd::web {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

WebRequest Request(const std::string& target, const std::string& accept = "text/html") {
  auto request = ParseTarget(target, accept);
  EXPECT_TRUE(request) << target;
  return request.value_or(WebRequest{});
}

json CatalogOf(const std::string& name) {
  return {{"database", "sales"},
          {"filter", ""},
          {"exact", true},
          {"objects",
           {{{"name", name},
             {"state", "present"},
             {"synced_event_id", 7},
             {"effective_event_id", 9},
             {"catalog_version", 3},
             {"children", 0},
             {"is_database", false}}}},
          {"total", 1},
          {"first", 1},
          {"last", 1},
          {"limit", 100},
          {"previous", false},
          {"next", false},
          {"previous_offset", 0},
          {"next_offset", 0}};
}

class SiteTest : public testing::Test {
 protected:
  void AddCatalog(const json& data) {
    site_.AddPage({"/catalog", "Catalog", "catalog.tpl", true,
                   [data](const WebRequest& /*request*/) { return data; }});
  }
  Site site_{"catalogd 1.2.3"};
};

TEST_F(SiteTest, OnePageIsHtmlForBrowsersAndJsonForPrograms) {
  AddCatalog(CatalogOf("sales.orders"));
  const WebResponse html = site_.Handle(Request("/catalog"));
  EXPECT_EQ(html.status, 200);
  EXPECT_THAT(html.content_type, StartsWith("text/html"));
  EXPECT_THAT(html.body, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(html.body, HasSubstr(R"(<a href="/object?name=sales.orders">sales.orders</a>)"));
  EXPECT_THAT(html.body, HasSubstr("catalogd 1.2.3"));

  for (const WebResponse& reply : {site_.Handle(Request("/catalog?json")),
                                   site_.Handle(Request("/catalog", "application/json"))}) {
    EXPECT_EQ(reply.content_type, "application/json");
    EXPECT_EQ(json::parse(reply.body), CatalogOf("sales.orders"));
  }
}

TEST_F(SiteTest, NamesCannotBecomeMarkup) {
  AddCatalog(CatalogOf("sales.<script>alert(1)</script>&x=\"y\""));
  const std::string html = site_.Handle(Request("/catalog")).body;
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  // In the link, the name is one query value.
  EXPECT_THAT(html, HasSubstr("name=sales.%3Cscript%3E"));
  EXPECT_THAT(html, HasSubstr("%26x%3D%22y%22"));
}

TEST_F(SiteTest, WhatIsTypedCannotBecomeMarkup) {
  AddCatalog(CatalogOf("a"));
  const std::string target = "/catalog?filter=%22%3E%3Cscript%3E&refresh=5";
  EXPECT_THAT(site_.Handle(Request(target)).body, Not(HasSubstr("<script")));
}

TEST_F(SiteTest, BytesThatAreNotUtf8AreShownNotFatal) {
  AddCatalog(CatalogOf("sales.\xff\xfe"));
  EXPECT_THAT(site_.Handle(Request("/catalog?json")).body, HasSubstr("sales.\xef\xbf\xbd"));
  const WebResponse page = site_.Handle(Request("/catalog"));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, testing::AllOf(HasSubstr("sales.\xef\xbf\xbd"), Not(HasSubstr("\xff"))));
  const WebResponse unknown = site_.Handle(Request("/no%ff"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body, testing::AllOf(HasSubstr("/no\xef\xbf\xbd"), Not(HasSubstr("\xff"))));
  EXPECT_EQ(PlainText(400, "\xff").body, "\xef\xbf\xbd");
}

TEST_F(SiteTest, OuterNamesDoNotReachIntoRows) {
  // The page has a filter; were the row to see a section of the page, it would link wrongly.
  json data = CatalogOf("sales");
  data["database"] = "";
  data["objects"][0]["is_database"] = true;
  AddCatalog(data);
  const std::string html = site_.Handle(Request("/catalog")).body;
  EXPECT_THAT(html, HasSubstr(R"(<a href="/catalog?db=sales">sales</a>)"));
  EXPECT_THAT(html, Not(HasSubstr(R"(<a href="/object?name=sales">sales</a>)")));
}

TEST_F(SiteTest, SharedRowsAreIncluded) {
  site_.AddPage({"/events", "Events", "events.tpl", true, [](const WebRequest& /*request*/) {
                   return json{{"events", {{{"event_id", 4711}, {"name", "a.b"}}}}};
                 }});
  EXPECT_THAT(site_.Handle(Request("/events")).body, HasSubstr("4711"));
}

TEST_F(SiteTest, UnknownPagesAreNotFound) {
  EXPECT_EQ(site_.Handle(Request("/nothing")).status, 404);
  const WebResponse reply = site_.Handle(Request("/nothing<b>?json"));
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(json::parse(reply.body)["error"]["code"], "not_found");
  EXPECT_THAT(site_.Handle(Request("/nothing%3Cb%3E")).body, HasSubstr("/nothing&lt;b&gt;"));
}

TEST_F(SiteTest, AnErrorOfAPageKeepsItsCodeAndText) {
  site_.AddPage({"/object", "Object", "object.tpl", false, [](const WebRequest& /*request*/) {
                   return Result<json>(MakeError(ErrorCode::kInvalidArgument, "name is missing"));
                 }});
  const WebResponse html = site_.Handle(Request("/object"));
  EXPECT_EQ(html.status, 400);
  EXPECT_THAT(html.body, HasSubstr("name is missing"));
  const WebResponse reply = site_.Handle(Request("/object?json"));
  EXPECT_EQ(json::parse(reply.body)["error"]["message"], "name is missing");
}

TEST_F(SiteTest, TheBannerIsOnEveryPage) {
  AddCatalog(CatalogOf("a"));
  EXPECT_THAT(site_.Handle(Request("/catalog")).body, Not(HasSubstr("role=\"alert\"")));
  site_.SetBanner([] { return Banner{"proxy only: no <listener>", true}; });
  EXPECT_THAT(site_.Handle(Request("/catalog")).body, HasSubstr("proxy only: no &lt;listener&gt;"));
  EXPECT_THAT(site_.Handle(Request("/nothing")).body, HasSubstr("proxy only"));
}

TEST_F(SiteTest, RefreshingIsAskedForByAddress) {
  AddCatalog(CatalogOf("a"));
  EXPECT_THAT(site_.Handle(Request("/catalog")).body, Not(HasSubstr("http-equiv=\"refresh\"")));
  EXPECT_THAT(site_.Handle(Request("/catalog?refresh=5")).body,
              HasSubstr("<meta http-equiv=\"refresh\" content=\"5\">"));
  EXPECT_THAT(site_.Handle(Request("/catalog?refresh=x")).body,
              Not(HasSubstr("http-equiv=\"refresh\"")));
}

TEST_F(SiteTest, LiveIsNotReady) {
  EXPECT_EQ(site_.Handle(Request("/livez")).status, 200);
  EXPECT_EQ(site_.Handle(Request("/readyz")).status, 503);
  EXPECT_THAT(site_.Handle(Request("/readyz")).body, HasSubstr("starting"));

  site_.SetHealth([] {
    return Health{false, "no notification listener", {{"preflight", false, "no listener"}}};
  });
  for (const char* path : {"/readyz", "/healthz"}) {
    const WebResponse reply = site_.Handle(Request(path));
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "not ready: no notification listener\n");
  }
  EXPECT_THAT(site_.Handle(Request("/readyz?verbose")).body,
              HasSubstr("[-] preflight: no listener\n"));
  const json data = json::parse(site_.Handle(Request("/readyz?json")).body);
  EXPECT_EQ(data["ready"], false);
  EXPECT_EQ(data["checks"][0]["name"], "preflight");

  site_.SetHealth([] { return Health{true, "", {}}; });
  EXPECT_EQ(site_.Handle(Request("/readyz")).status, 200);
  EXPECT_EQ(site_.Handle(Request("/readyz")).body, "ok\n");
}

class OneMetric : public prometheus::Collectable {
 public:
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override {
    prometheus::MetricFamily family;
    family.name = "catalogd_things_total";
    family.help = "Things.";
    family.type = prometheus::MetricType::Counter;
    family.metric.emplace_back();
    family.metric.back().counter.value = 5;
    return {family};
  }
};

TEST_F(SiteTest, MetricsArePrometheusText) {
  site_.AddMetrics(std::make_shared<OneMetric>());
  const WebResponse reply = site_.Handle(Request("/metrics"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.content_type, StartsWith("text/plain; version=0.0.4"));
  EXPECT_THAT(reply.body, HasSubstr("# TYPE catalogd_things_total counter\n"
                                    "catalogd_things_total 5"));
}

}  // namespace
}  // namespace catalogd::web
