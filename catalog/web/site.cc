#include "catalog/web/site.h"

#include <fmt/format.h>
#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "catalog/base/utf8.h"
#include "catalog/web/renderer.h"

namespace catalogd::web {
namespace {

constexpr char kHtml[] = "text/html; charset=utf-8";
constexpr char kJson[] = "application/json";

// Names may hold bytes that are not UTF-8; they are shown as replacement characters.
std::string ToText(const nlohmann::json& data) {
  return data.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Seconds between reloads that a page may ask for with ?refresh=N; 0: none.
int64_t RefreshSeconds(const WebRequest& request) {
  return request.GetNumber("refresh", 0, 1, 3600).value_or(0);
}

}  // namespace

Site::Site(std::string product)
    : product_(std::move(product)), renderer_(std::make_unique<Renderer>()) {}
Site::~Site() = default;

void Site::AddPage(Page page) { pages_.push_back(std::move(page)); }

void Site::AddMetrics(std::shared_ptr<prometheus::Collectable> source) {
  metrics_.push_back(std::move(source));
}

WebResponse Site::Handle(const WebRequest& request) const {
  if (request.path == "/livez") return PlainText(200, "ok\n");
  if (request.path == "/readyz" || request.path == "/healthz") return ShowReady(request);
  if (request.path == "/metrics") return ShowMetrics();
  const auto page = std::find_if(pages_.begin(), pages_.end(), [&](const Page& candidate) {
    return candidate.path == request.path;
  });
  if (page != pages_.end()) return ShowPage(*page, request);
  const Error error{ErrorCode::kNotFound, fmt::format("there is no page {}", request.path)};
  return ShowError(error, 404, request);
}

WebResponse Site::ShowPage(const Page& page, const WebRequest& request) const {
  const Result<nlohmann::json> data = page.handler(request);
  if (!data) return ShowError(data.error(), HttpStatusOf(data.error().code), request);
  WebResponse response;
  response.content_type = request.json ? kJson : kHtml;
  response.body =
      request.json ? ToText(*data) : Html(page.title, page.template_name, *data, request);
  return response;
}

WebResponse Site::ShowError(const Error& error, int status, const WebRequest& request) const {
  const nlohmann::json data = {
      {"error", {{"code", ErrorCodeName(error.code)}, {"message", error.message}}}};
  WebResponse response;
  response.status = status;
  response.content_type = request.json ? kJson : kHtml;
  response.body = request.json ? ToText(data)
                               : Html(fmt::format("Error {}", status), "error.tpl", data, request);
  return response;
}

WebResponse Site::ShowReady(const WebRequest& request) const {
  const Health health = health_ ? health_() : Health{false, "starting", {}};
  WebResponse response;
  response.status = health.ready ? 200 : 503;
  if (request.json) {
    nlohmann::json checks = nlohmann::json::array();
    for (const HealthCheck& check : health.checks) {
      checks.push_back({{"name", check.name}, {"ok", check.ok}, {"text", check.text}});
    }
    response.content_type = kJson;
    response.body =
        ToText({{"ready", health.ready}, {"reason", health.reason}, {"checks", std::move(checks)}});
    return response;
  }
  response.body = health.ready ? "ok\n" : fmt::format("not ready: {}\n", health.reason);
  if (!request.Has("verbose")) return response;
  for (const HealthCheck& check : health.checks) {
    response.body += fmt::format("[{}] {}: {}\n", check.ok ? '+' : '-', check.name, check.text);
  }
  return response;
}

WebResponse Site::ShowMetrics() const {
  std::vector<prometheus::MetricFamily> families;
  for (const auto& source : metrics_) {
    auto collected = source->Collect();
    std::move(collected.begin(), collected.end(), std::back_inserter(families));
  }
  WebResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = prometheus::TextSerializer().Serialize(families);
  return response;
}

std::string Site::Html(const std::string& title, const std::string& template_name,
                       const nlohmann::json& data, const WebRequest& request) const {
  const Banner banner = banner_ ? banner_() : Banner{};
  Frame frame;
  frame.title = title;
  frame.product = product_;
  frame.banner = banner.text;
  frame.banner_serious = banner.serious;
  frame.refresh_seconds = RefreshSeconds(request);
  frame.path = request.path;
  for (const auto& [name, value] : request.query) {
    if (name == "refresh" || name == "json") continue;
    frame.query += fmt::format("{}={}&", EncodeQueryValue(name), EncodeQueryValue(value));
  }
  for (const Page& page : pages_) {
    if (!page.in_navigation) continue;
    frame.navigation.push_back({page.path, page.title, page.path == request.path});
  }
  // Names and what was typed may hold any bytes; the page says that it is UTF-8.
  return ValidUtf8(renderer_->Render(frame, template_name, data));
}

}  // namespace catalogd::web
