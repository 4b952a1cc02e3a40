#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "catalog/base/result.h"
#include "catalog/web/web_request.h"

namespace prometheus {
class Collectable;
}

namespace catalogd::web {

class Renderer;

// Gives a page's data; the same for its HTML and its JSON. An error becomes an error page.
using PageHandler = std::function<Result<nlohmann::json>(const WebRequest&)>;

struct Page {
  std::string path;           // "/events".
  std::string title;          // Shown in the navigation when `in_navigation`.
  std::string template_name;  // "events.tpl" of templates/.
  bool in_navigation = true;
  PageHandler handler;
};

struct HealthCheck {
  std::string name;
  bool ok = false;
  std::string text;
};
struct Health {
  bool ready = false;
  std::string reason;  // Why not.
  std::vector<HealthCheck> checks;
};

// What every page says on top when something is wrong; empty text: nothing.
struct Banner {
  std::string text;
  bool serious = false;
};

// The pages, metrics and health of the daemon: from a request to an answer. Knows nothing of what
// pages show.
//
// /metrics is Prometheus text, /livez, /readyz and /healthz (another name of /readyz) are for
// supervisors (?verbose lists the checks). Every other page is HTML, or JSON for ?json or Accept:
// application/json.
// Thread safety: set up before serving; Handle by one thread at a time.
class Site {
 public:
  explicit Site(std::string product);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  void AddPage(Page page);
  void AddMetrics(std::shared_ptr<prometheus::Collectable> source);
  void SetHealth(std::function<Health()> health) { health_ = std::move(health); }
  void SetBanner(std::function<Banner()> banner) { banner_ = std::move(banner); }

  [[nodiscard]] WebResponse Handle(const WebRequest& request) const;

 private:
  [[nodiscard]] WebResponse ShowPage(const Page& page, const WebRequest& request) const;
  [[nodiscard]] WebResponse ShowError(const Error& error, int status,
                                      const WebRequest& request) const;
  [[nodiscard]] WebResponse ShowReady(const WebRequest& request) const;
  [[nodiscard]] WebResponse ShowMetrics() const;
  [[nodiscard]] std::string Html(const std::string& title, const std::string& template_name,
                                 const nlohmann::json& data, const WebRequest& request) const;

  const std::string product_;
  std::vector<Page> pages_;
  std::vector<std::shared_ptr<prometheus::Collectable>> metrics_;
  std::function<Health()> health_;
  std::function<Banner()> banner_;
  std::unique_ptr<Renderer> renderer_;
};

}  // namespace catalogd::web
