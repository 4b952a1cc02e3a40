#include "catalog/daemon/hive_site.h"

#include <fmt/format.h>

#include <array>
#include <pugixml.hpp>
#include <string_view>

#include "catalog/daemon/option_values.h"

namespace catalogd::daemon {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"hive.metastore.uris", "metastore.thrift.uris"};

}  // namespace

Result<std::string> ReadMetastoreUris(const std::string& path) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_file(path.c_str());
  if (parsed.status == pugi::status_file_not_found) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: no such file; check --hive-site", path));
  }
  if (!parsed) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}: no XML at byte {}: {}; give a hive-site.xml", path,
                                 parsed.offset, parsed.description()));
  }
  std::string uris;
  for (const pugi::xml_node& property : document.child("configuration").children("property")) {
    const std::string_view name = Trim(property.child_value("name"));
    // The last one counts, as Hadoop reads it.
    for (const std::string_view wanted : kNames) {
      if (name == wanted) uris = Trim(property.child_value("value"));
    }
  }
  if (uris.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: hive.metastore.uris is not set; set it there or use "
                                 "--metastore",
                                 path));
  }
  return uris;
}

}  // namespace catalogd::daemon
