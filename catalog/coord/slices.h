#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/completion_index.h"
#include "catalog/coord/data_file_names.h"
#include "catalog/coord/file_group.h"

// Which files a reader of one file group takes at a time: bases, logs in their order, and slices
// around pending and completed compactions.
//
// Filter first, then group: only what was completed at the time takes part, so an uncommitted base
// hides nothing and a failed first write is no anchor.
//
// Thread safety: pure functions.
// Invariants: C-I7 the view at T holds what was completed at or before T, nothing twice.
// Source: the slicing that Hudi ships from table version 8 on, with five corrections against the
// text of its RFC 66 (README.md).
namespace catalogd::coord {

// A log whose blocks hold what other logs held.
struct LogCompaction {
  Instant instant;
  std::vector<Instant> inputs;
};

// A clustering or an overwrite that put other groups in the place of this one.
struct Replacement {
  Instant instant;
  bool keeps_content = false;  // Clustering: the rows are in the other groups.
};

// All that is known of a file group, over all times. The files are those that commits list.
struct GroupHistory {
  FileGroup group;
  std::vector<BaseName> bases;
  std::vector<LogName> logs;
  std::vector<Instant> plans;  // Compactions of this group, pending and completed.
  std::vector<LogCompaction> log_compactions;
  std::vector<Replacement> replacements;
};

struct SliceLog {
  LogName name;
  std::optional<Instant> completed;  // None: pending (raw slices only) or unknown.
  bool superseded = false;           // A visible log compaction has its content.

  friend bool operator==(const SliceLog&, const SliceLog&) = default;
};

struct FileSlice {
  // The instant it is keyed by: the base's or, without one, a plan's or a log's. That of a slice
  // of logs only may change between two reads; it identifies nothing.
  Instant anchor;
  std::optional<BaseName> base;
  std::vector<SliceLog> logs;

  [[nodiscard]] bool empty() const { return !base && logs.empty(); }

  friend bool operator==(const FileSlice&, const FileSlice&) = default;
};

enum class SliceWarningKind {
  kCompletionUnknown,  // Older than the timeline, and the archive does not tell.
  kOrphan,             // Left by an instant that was rolled back or is nowhere; not in the view.
  kStranded,           // Completed in a group after a clustering had taken its rows elsewhere.
  kTwoPlans,           // Two compactions of the group are pending.
};
std::string_view SliceWarningName(SliceWarningKind kind);

struct SliceWarning {
  SliceWarningKind kind;
  Instant instant;

  friend bool operator==(const SliceWarning&, const SliceWarning&) = default;
};

struct GroupView {
  std::vector<FileSlice> slices;  // Newest first; a pending plan's may be empty.
  std::optional<Instant> pending_plan;
  // What a merging reader takes: the newest slice, joined with the one before it as long as its
  // compaction is pending. None: nothing is visible.
  std::optional<FileSlice> merged;
  // What a reader of bases only takes: the newest one that is there, also during a compaction.
  std::optional<BaseName> newest_base;
  bool replaced = false;  // By another group: the slices are gone.
  std::vector<SliceWarning> warnings;
};

// The view of a reader at completion time `at`.
GroupView ViewAt(const GroupHistory& history, const CompletionIndex& times, const Instant& at);

// Everything that is there, pending logs too: for people. Newest first.
std::vector<FileSlice> RawSlices(const GroupHistory& history, const CompletionIndex& times,
                                 const Instant& at);

// Slices of tables up to version 6: logs name their base, and times have no say.
std::vector<FileSlice> SlicesByName(const GroupHistory& history);

// The order in which the logs apply: what a log compaction has superseded is left out, and it
// stands in the place of the newest of its inputs. Without any of these it contributes nothing:
// the base has them already.
std::vector<LogName> MergeOrder(const FileSlice& slice,
                                std::span<const LogCompaction> log_compactions);

}  // namespace catalogd::coord
