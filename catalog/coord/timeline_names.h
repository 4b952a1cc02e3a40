#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/coord/instant.h"

// Names of the files in a timeline folder. They come from outside and may be anything: torn, of a
// newer writer, left by a copying tool.
// Thread safety: pure functions.
// Source: files that Hudi 0.x (layout 1) and 1.x (layout 2) wrote.
namespace catalogd::coord {

enum class Action {
  kCommit,
  kDeltaCommit,
  kReplaceCommit,
  kClustering,
  kCompaction,
  kLogCompaction,
  kClean,
  kRollback,
  kRestore,
  kSavepoint,
  kIndexing,
  kSchemaCommit,
};
inline constexpr int kActionCount = static_cast<int>(Action::kSchemaCommit) + 1;
std::string_view ActionWord(Action action);
// The name under which a pending action completes: a compaction becomes a commit, a log compaction
// a deltacommit, a clustering a replacecommit; others keep theirs.
Action CompletedAs(Action pending);

enum class FileState { kRequested, kInflight, kCompleted };

struct TimelineFile {
  Instant requested;
  // Of a completed file in layout 2. A completed file without one is of layout 1, or of a table
  // that was upgraded in place: its time is in no name.
  std::optional<Instant> completed;
  Action action = Action::kCommit;
  FileState state = FileState::kCompleted;

  friend bool operator==(const TimelineFile&, const TimelineFile&) = default;
};

// None: no file of a timeline (checksums, temporary files, folders, notes of copying tools).
// Errors: kInvalidArgument for digits that are no instant, or a completion time on a pending file;
// kUnsupported for an action or a state nobody has heard of. The message has the name.
Result<std::optional<TimelineFile>> ParseTimelineName(std::string_view name);
std::string TimelineFileName(const TimelineFile& file);

}  // namespace catalogd::coord
