#include "catalog/coord/timeline_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace catalogd::coord {
namespace {

constexpr std::array<std::string_view, kActionCount> kWords = {
    "commit", "deltacommit", "replacecommit", "clustering", "compaction", "logcompaction",
    "clean",  "rollback",    "restore",       "savepoint",  "indexing",   "schemacommit"};

std::optional<Action> ActionOf(std::string_view word) {
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<Action>(found - kWords.begin());
}

bool AllOf(std::string_view text, bool (*is)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

// What stands between the dots.
std::vector<std::string_view> Parts(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

// digits[_digits].word[.word], and not what tools leave beside such files.
bool LooksLikeOurs(const std::vector<std::string_view>& parts) {
  if (parts.size() < 2 || parts.size() > 3) return false;
  const std::string_view times = parts[0];
  const size_t bar = times.find('_');
  if (!AllOf(times.substr(0, bar), IsDigit)) return false;
  if (bar != std::string_view::npos && !AllOf(times.substr(bar + 1), IsDigit)) return false;
  if (!AllOf(parts[1], IsLetter)) return false;
  if (parts.size() == 3 && !AllOf(parts[2], IsLetter)) return false;
  return parts.back() != "crc" && parts.back() != "tmp";
}

tl::unexpected<Error> Bad(ErrorCode code, std::string_view name, std::string_view why) {
  constexpr size_t kShown = 100;
  return MakeError(code, fmt::format("timeline file '{}': {}", name.substr(0, kShown), why));
}

Status ParseTimes(std::string_view name, std::string_view times, TimelineFile* file) {
  const size_t bar = times.find('_');
  Result<Instant> requested = Instant::Parse(times.substr(0, bar));
  if (!requested) return Bad(requested.error().code, name, requested.error().message);
  file->requested = *requested;
  if (bar == std::string_view::npos) return Ok();
  Result<Instant> completed = Instant::Parse(times.substr(bar + 1));
  if (!completed) return Bad(completed.error().code, name, completed.error().message);
  file->completed = *completed;
  return Ok();
}

Status ParseWords(std::string_view name, const std::vector<std::string_view>& parts,
                  TimelineFile* file) {
  if (parts.size() == 2 && parts[1] == "inflight") {
    // Only a commit leaves its action out.
    file->action = Action::kCommit;
    file->state = FileState::kInflight;
    return Ok();
  }
  const std::optional<Action> action = ActionOf(parts[1]);
  if (!action) {
    return Bad(ErrorCode::kUnsupported, name,
               fmt::format("unknown action '{}'; a newer writer may have made it", parts[1]));
  }
  file->action = *action;
  if (parts.size() == 2) {
    file->state = FileState::kCompleted;
  } else if (parts[2] == "requested") {
    file->state = FileState::kRequested;
  } else if (parts[2] == "inflight") {
    file->state = FileState::kInflight;
  } else {
    return Bad(ErrorCode::kUnsupported, name,
               fmt::format("unknown state '{}'; a newer writer may have made it", parts[2]));
  }
  return Ok();
}

}  // namespace

std::string_view ActionWord(Action action) { return kWords.at(static_cast<size_t>(action)); }

Action CompletedAs(Action pending) {
  switch (pending) {
    case Action::kCompaction:
      return Action::kCommit;
    case Action::kLogCompaction:
      return Action::kDeltaCommit;
    case Action::kClustering:
      return Action::kReplaceCommit;
    default:
      return pending;
  }
}

Result<std::optional<TimelineFile>> ParseTimelineName(std::string_view name) {
  const std::vector<std::string_view> parts = Parts(name);
  if (!LooksLikeOurs(parts)) return std::optional<TimelineFile>();
  TimelineFile file;
  RETURN_IF_ERROR(ParseWords(name, parts, &file));
  RETURN_IF_ERROR(ParseTimes(name, parts[0], &file));
  if (file.completed && file.state != FileState::kCompleted) {
    return Bad(ErrorCode::kInvalidArgument, name, "a pending action has a completion time");
  }
  const bool pending_only = CompletedAs(file.action) != file.action;
  if (file.state == FileState::kCompleted && pending_only) {
    return Bad(ErrorCode::kInvalidArgument, name,
               fmt::format("a {} completes as {}", ActionWord(file.action),
                           ActionWord(CompletedAs(file.action))));
  }
  return std::optional<TimelineFile>(file);
}

std::string TimelineFileName(const TimelineFile& file) {
  std::string name(file.requested.text());
  if (file.completed) name += fmt::format("_{}", file.completed->text());
  if (file.state == FileState::kInflight && file.action == Action::kCommit) {
    return name + ".inflight";
  }
  name += fmt::format(".{}", ActionWord(file.action));
  if (file.state == FileState::kRequested) return name + ".requested";
  if (file.state == FileState::kInflight) return name + ".inflight";
  return name;
}

}  // namespace catalogd::coord
