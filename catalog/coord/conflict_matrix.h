#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "catalog/coord/plan.h"

// Which of two jobs that overlap in time on one partition (or on a table without partitions) wins.
// "Earlier" is the one that commits first. Jobs that do not overlap never conflict.
// Thread safety: constants and pure functions.
// Source of the 25 cells: MaxCompute, Delta tables.
namespace catalogd::coord {

enum class OpClass {
  kOverwrite,  // INSERT OVERWRITE, TRUNCATE, DROP PARTITION: replaces all that is there.
  kInsert,
  kUpdate,  // UPDATE, DELETE, MERGE.
  kMinor,   // Merges some files: minor compaction, log compaction, clustering.
  kMajor,   // Merges all files of a group into a base: compaction.
};
inline constexpr int kOpClassCount = static_cast<int>(OpClass::kMajor) + 1;
std::string_view OpClassName(OpClass op);

// Services change no content, so they get no time version.
bool IsService(OpClass op);
// The class a plan commits with; a clean or a rollback changes no live file and has none.
std::optional<OpClass> ClassOf(PlanType type);

// What becomes of the later job. The earlier one always stands.
enum class Outcome {
  kFails,     // F
  kReplaces,  // W: its result replaces what is there.
  kAdds,      // A: its data is added.
  kCompacts,  // C: its compaction completes beside the earlier job's result.
};
// The letter of the source: F, W, A, C.
char OutcomeLetter(Outcome outcome);

struct MatrixCell {
  OpClass earlier;
  OpClass later;
  Outcome outcome;
  std::string_view why;  // For people: one sentence.
};

// All cells, row by row: earlier O I U m M, in each later O I U m M.
std::span<const MatrixCell> ConflictMatrix();
const MatrixCell& CellOf(OpClass earlier, OpClass later);

// How strict the table is.
enum class ConflictPolicy {
  kMaxCompute,  // The matrix as it is.
  // Writers do not check each other, and a compaction takes what was complete when it was planned:
  // what is written meanwhile lands in the newer slice.
  kHudiNbcc,
  kHudiOcc,  // Only jobs that touch the same file group conflict.
};
std::string_view ConflictPolicyName(ConflictPolicy policy);

struct MatrixOptions {
  ConflictPolicy policy = ConflictPolicy::kMaxCompute;
  // Two appends both succeed, as in most open table formats.
  bool inserts_commute = false;
};

// The outcome of a cell under the table's options. Under kHudiOcc: of two jobs that share a file
// group; without one they do not meet.
Outcome OutcomeOf(OpClass earlier, OpClass later, const MatrixOptions& options);

}  // namespace catalogd::coord
