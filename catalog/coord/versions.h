#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/conflict_matrix.h"
#include "catalog/coord/instant.h"

// The versions of a table, reading at one of them, and what changed between two.
// Thread safety: pure functions.
// Invariants: C-I2 ids rise by one; a time version only where content may have changed.
// Errors: kNotFound for what is older than the retained history (the service's
// VERSION_EXPIRED), with the oldest that is there; kInvalidArgument for what does not exist yet.
namespace catalogd::coord {

struct TxnVersion {
  IdVersion id;
  Instant requested;
  Instant completed;
  std::optional<Instant> time_version;  // The completion time; none for services.
  OpClass op = OpClass::kInsert;
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

// The version of the next commit after `last`.
TxnVersion NextVersion(IdVersion last, OpClass op, const Instant& requested,
                       const Instant& completed);

// What is known of a table's past.
struct VersionHistory {
  std::span<const TxnVersion> txns;  // All after `floor`, by id.
  IdVersion floor;                   // Up to it the history is gone; 0: it is whole.
  Instant floor_completed;           // The completion of the floor.
};

// The state to read for "as of time T": the last change of content at or before T, and of what
// services made of it since, the last one. So the answer may be physically newer than T.
Result<IdVersion> VersionAsOf(const VersionHistory& history, const Instant& time);

enum class Axis {
  kId,          // Id versions.
  kTime,        // Time versions: user changes only, services never.
  kCompletion,  // Completion times.
};

struct RangeOptions {
  // Outputs of services too, with the inputs they replace. Never on the time axis.
  bool include_services = false;
};

struct ChangedFiles {
  IdVersion id;
  Instant completed;
  OpClass op = OpClass::kInsert;
  std::vector<std::string> added;
  std::vector<std::string> removed;  // Of overwrites, and of services that were asked for.

  friend bool operator==(const ChangedFiles&, const ChangedFiles&) = default;
};

struct Increment {
  std::vector<ChangedFiles> changes;  // In the order of the axis.
  bool overwrites = false;            // Some change replaced what was there.
  IdVersion next_id;                  // Where the next range begins, on the axis asked for.
  Instant next_time;
};

// Changes in (begin, end]. An end that lies ahead is the newest commit, so that nothing that
// completes later is passed over; `next_*` says where to go on.
Result<Increment> ChangesById(const VersionHistory& history, IdVersion begin, IdVersion end,
                              const RangeOptions& options);
// `axis` is kTime or kCompletion.
Result<Increment> ChangesByTime(const VersionHistory& history, Axis axis, const Instant& begin,
                                const Instant& end, const RangeOptions& options);

}  // namespace catalogd::coord
