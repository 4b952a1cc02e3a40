#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "catalog/coord/conflict_matrix.h"

// Whether a transaction may commit after those that committed since its snapshot, and what its
// file lists become. Only names are compared: no data file is read or written again, however
// often this is repeated.
// Thread safety: pure functions.
namespace catalogd::coord {

// What a transaction does to one partition; to a table without partitions under the name "".
struct PartitionChange {
  std::set<std::string> added;
  std::set<std::string> removed;  // Of a compaction: its inputs.
  std::set<std::string> groups;   // File ids it touches; for kHudiOcc only.

  friend bool operator==(const PartitionChange&, const PartitionChange&) = default;
};
using PartitionChanges = std::map<std::string, PartitionChange>;

struct CommittedTxn {
  IdVersion id;
  OpClass op = OpClass::kInsert;
  PartitionChanges partitions;
};

struct OpenTxn {
  OpClass op = OpClass::kInsert;
  IdVersion snapshot;  // What it began on; later commits are checked.
  // The rows of an overwrite come from the table itself, so it is no blind write.
  bool overwrite_reads_table = false;
  PartitionChanges partitions;  // Those of the commit, not those announced at the beginning.
  // Logical rows before and after, as the client counted them.
  std::optional<int64_t> rows_before;
  std::optional<int64_t> rows_after;
};

// Files that are live now, by partition: at least of the transaction's own ones.
using LiveFiles = std::map<std::string, std::set<std::string>>;

struct CheckOptions {
  MatrixOptions matrix;
  bool partitioned = false;
  // Every file that it removes must be live. Turns a cell of the matrix that succeeds into a
  // conflict where an update marks positions in files that a compaction has replaced.
  bool strict_inputs = true;
};

enum class ConflictKind {
  kCell,       // The matrix says so.
  kFileGroup,  // Under kHudiOcc: both touch `file`.
  kLineage,    // A minor compaction mixed the later one's inputs with other files.
  kInputGone,  // A file that it removes is not live any more.
};

struct Conflict {
  ConflictKind kind = ConflictKind::kCell;
  std::optional<IdVersion> earlier;  // None: nobody after the snapshot removed the file.
  OpClass earlier_op = OpClass::kInsert;
  OpClass later_op = OpClass::kInsert;
  std::string partition;
  std::string file;  // But for kCell.

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

struct CheckResult {
  std::optional<Conflict> conflict;
  // Without a conflict: the lists as they are to be committed now.
  PartitionChanges partitions;
  bool rebased = false;  // Somebody has committed to one of its partitions since its snapshot.
};

// Whether the transaction is what its class says. A clear error for the client, before any check.
// Errors: kInvalidArgument.
Status CheckShape(const OpenTxn& txn, const CheckOptions& options);

// `committed` in the order of their ids; those up to the snapshot are passed over. One partition
// that fails fails the whole transaction.
CheckResult CheckConflicts(const OpenTxn& txn, std::span<const CommittedTxn> committed,
                           const LiveFiles& live, const CheckOptions& options);

// "INSERT INTO of partition p=1 fails: version 7 (INSERT OVERWRITE) committed after its snapshot;
// ..." with the sentence of the cell and what to do.
std::string ConflictText(const Conflict& conflict);

}  // namespace catalogd::coord
