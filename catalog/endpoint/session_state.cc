#include "catalog/endpoint/session_state.h"

#include <algorithm>
#include <charconv>

namespace catalogd::endpoint {
namespace {

constexpr std::string_view kAtLeast = "at-least ";

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<ReadLevel> ParseReadLevel(std::string_view text) {
  const std::string_view value = Trimmed(text);
  if (value == "cached") return ReadLevel{};
  if (value == "latest") return ReadLevel{ReadLevel::Kind::kLatest, {}};
  if (value.starts_with(kAtLeast)) {
    const std::string_view number = Trimmed(value.substr(kAtLeast.size()));
    int64_t id = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (error == std::errc() && end == number.data() + number.size() && id >= 0) {
      return ReadLevel{ReadLevel::Kind::kAtLeast, EventId(id)};
    }
  }
  return MakeError(ErrorCode::kInvalidArgument,
                   "catalogd.read cannot be '" + std::string(text.substr(0, 100)) +
                       "': use cached, latest, or at-least and an event id (at-least 4711)");
}

std::string ReadLevelText(const ReadLevel& level) {
  switch (level.kind) {
    case ReadLevel::Kind::kCached:
      break;
    case ReadLevel::Kind::kLatest:
      return "latest";
    case ReadLevel::Kind::kAtLeast:
      return std::string(kAtLeast) + std::to_string(level.at_least.value());
  }
  return "cached";
}

bool SessionState::StartOver(LogEpoch now) {
  if (now == epoch) return false;
  epoch = now;
  position = EventId();
  floor = EventId();
  SawUnknown(TimePoint::max());
  return true;
}

void SessionState::SawAtMost(EventId id) {
  floor = std::max(floor, id);
  position = std::max(position, id);
  floor_unknown = false;
}

}  // namespace catalogd::endpoint
