#include "catalog/daemon/object_names.h"

#include <algorithm>

#include "catalog/sync/sync_core.h"

namespace catalogd::daemon {
namespace {

// Names of more parts are read in the usual way alone: the ways grow with the square.
constexpr size_t kMostDots = 16;

std::vector<size_t> DotsIn(std::string_view text) {
  std::vector<size_t> dots;
  for (size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    dots.push_back(at);
  }
  return dots;
}

bool IsKnown(sync::SyncCore* core, const ObjectName& name) {
  const cache::SlotState state = core->cache().Lookup(name).state;
  return state == cache::SlotState::kPresent || state == cache::SlotState::kStub;
}

}  // namespace

std::vector<ObjectName> ReadingsOf(std::string_view text) {
  std::vector<ObjectName> readings;
  const auto add = [&readings](std::string_view catalog, std::string_view db,
                               std::string_view table, bool of_table) {
    if (NormalizeName(catalog).empty()) return;
    ObjectName name = ObjectName::Table(catalog, db, table);
    if (name.db().empty() || name.is_table() != of_table) return;
    if (std::find(readings.begin(), readings.end(), name) == readings.end()) {
      readings.push_back(std::move(name));
    }
  };
  if (auto usual = ParseObjectName(text)) readings.push_back(std::move(*usual));
  const std::vector<size_t> dots = DotsIn(text);
  if (dots.size() > kMostDots) return readings;
  for (size_t i = 0; i < dots.size(); ++i) {
    const std::string_view first = text.substr(0, dots[i]);
    const std::string_view rest = text.substr(dots[i] + 1);
    add(kDefaultCatalog, first, rest, true);
    for (size_t j = i + 1; j < dots.size(); ++j) {
      add(first, text.substr(dots[i] + 1, dots[j] - dots[i] - 1), text.substr(dots[j] + 1), true);
    }
    add(first, rest, "", false);
  }
  add(kDefaultCatalog, text, "", false);
  return readings;
}

Result<ObjectName> ResolveName(sync::SyncCore* core, std::string_view text) {
  const std::vector<ObjectName> readings = ReadingsOf(text);
  for (const ObjectName& name : readings) {
    if (IsKnown(core, name)) return name;
  }
  return ParseObjectName(text);
}

}  // namespace catalogd::daemon
