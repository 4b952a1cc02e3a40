#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace catalogd::web {

// What surrounds the content of every page.
struct Frame {
  struct Link {
    std::string path;
    std::string title;
    bool current = false;
  };
  std::string title;
  std::string product;
  std::string banner;
  bool banner_serious = false;
  int64_t refresh_seconds = 0;  // 0: the page does not reload by itself.
  std::string path;
  std::string query;  // Of this page, encoded, each pair followed by '&'.
  std::vector<Link> navigation;
};

// Turns a page's data into HTML with the templates built into the program. Values are escaped for
// the place where they stand.
//
// How data meets templates: a scalar `x` fills {{X}}; a list fills the section X once per element
// ({{ITEM}} for scalars); an object fills it once. Anything that is neither empty, false, zero nor
// null also shows the section IF_X, everything else the section NO_X. Inner sections see the names
// of outer ones, so a name means one thing on a page. {{>X_ROWS}} includes x_rows.tpl for a list
// `x` of the page. What is called `object` is left out. Thread safety: yes.
class Renderer {
 public:
  Renderer();
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  [[nodiscard]] std::string Render(const Frame& frame, const std::string& template_name,
                                   const nlohmann::json& data) const;

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace catalogd::web
