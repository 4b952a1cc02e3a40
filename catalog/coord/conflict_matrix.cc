#include "catalog/coord/conflict_matrix.h"

#include <array>

namespace catalogd::coord {
namespace {

constexpr OpClass kO = OpClass::kOverwrite;
constexpr OpClass kI = OpClass::kInsert;
constexpr OpClass kU = OpClass::kUpdate;
constexpr OpClass kN = OpClass::kMinor;
constexpr OpClass kM = OpClass::kMajor;
constexpr Outcome kF = Outcome::kFails;
constexpr Outcome kW = Outcome::kReplaces;
constexpr Outcome kA = Outcome::kAdds;
constexpr Outcome kC = Outcome::kCompacts;

constexpr std::array<MatrixCell, 25> kMatrix = {{
    {kO, kO, kW, "an overwrite is a blind write: the later one replaces the earlier one's result"},
    {kO, kI, kF, "the snapshot that the insert began on was replaced as a whole"},
    {kO, kU, kF, "the rows that the update read were replaced as a whole"},
    {kO, kN, kF, "the files that the minor compaction read were replaced as a whole"},
    {kO, kM, kF, "the files that the major compaction read were replaced as a whole"},

    {kI, kO, kW, "an overwrite replaces whatever is there, the insert's rows too"},
    {kI, kI, kF, "two writers of one partition: the later one did not see the earlier one's rows"},
    {kI, kU, kF, "the update has not looked at the rows that were inserted meanwhile"},
    {kI, kN, kC,
     "a minor compaction merges its own inputs only; the inserted files stay beside it"},
    {kI, kM, kF,
     "a major compaction stands for the whole content, and the inserted rows are not "
     "in it"},

    {kU, kO, kW, "an overwrite replaces whatever is there, the updated rows too"},
    {kU, kI, kF, "two writers of one partition: the later one did not see the earlier one's rows"},
    {kU, kU, kF, "both may have changed the same rows; the later one saw them as they were before"},
    {kU, kN, kC, "a minor compaction merges its own inputs only; the update's files stay above it"},
    {kU, kM, kF, "a major compaction stands for the whole content, and the update is not in it"},

    {kN, kO, kW, "an overwrite replaces whatever is there, the compacted files too"},
    {kN, kI, kA, "a compaction changes no content: the insert is as right as before it"},
    {kN, kU, kA, "a compaction changes no content: the update's rows are the same ones"},
    {kN, kN, kF, "both merge the same files; the later one's inputs are gone"},
    {kN, kM, kC, "the major compaction covers what the minor one merged, and takes its place"},

    {kM, kO, kW, "an overwrite replaces whatever is there, the compacted files too"},
    {kM, kI, kA, "a compaction changes no content: the insert is as right as before it"},
    {kM, kU, kA, "a compaction changes no content: the update's rows are the same ones"},
    {kM, kN, kF, "the major compaction has taken the files that the minor one merges"},
    {kM, kM, kF, "both stand for the whole content; the later one has nothing left to merge"},
}};

bool Writes(OpClass op) { return op == kI || op == kU; }

Outcome NbccOutcome(OpClass earlier, OpClass later) {
  if (Writes(earlier) && Writes(later)) return kA;
  if (Writes(earlier) && later == kM) return kC;
  return CellOf(earlier, later).outcome;
}

// A shared file group is a conflict, but for a write beside a compaction.
Outcome OccOutcome(OpClass earlier, OpClass later) {
  if (earlier == kM && Writes(later)) return kA;
  return kF;
}

}  // namespace

std::string_view OpClassName(OpClass op) {
  switch (op) {
    case kO:
      return "INSERT OVERWRITE";
    case kI:
      return "INSERT INTO";
    case kU:
      return "UPDATE/DELETE";
    case kN:
      return "MINOR COMPACT";
    case kM:
      return "MAJOR COMPACT";
  }
  return "?";
}

bool IsService(OpClass op) { return op == kN || op == kM; }

std::optional<OpClass> ClassOf(PlanType type) {
  switch (type) {
    case PlanType::kCompact:
      return kM;
    case PlanType::kLogCompact:
    case PlanType::kCluster:
      return kN;
    case PlanType::kClean:
    case PlanType::kRollback:
      break;
  }
  return std::nullopt;
}

char OutcomeLetter(Outcome outcome) {
  switch (outcome) {
    case kF:
      return 'F';
    case kW:
      return 'W';
    case kA:
      return 'A';
    case kC:
      return 'C';
  }
  return '?';
}

std::span<const MatrixCell> ConflictMatrix() { return kMatrix; }

const MatrixCell& CellOf(OpClass earlier, OpClass later) {
  return kMatrix.at(static_cast<size_t>(earlier) * kOpClassCount + static_cast<size_t>(later));
}

std::string_view ConflictPolicyName(ConflictPolicy policy) {
  switch (policy) {
    case ConflictPolicy::kMaxCompute:
      return "maxcompute";
    case ConflictPolicy::kHudiNbcc:
      return "hudi_nbcc";
    case ConflictPolicy::kHudiOcc:
      return "hudi_occ";
  }
  return "?";
}

Outcome OutcomeOf(OpClass earlier, OpClass later, const MatrixOptions& options) {
  switch (options.policy) {
    case ConflictPolicy::kHudiNbcc:
      return NbccOutcome(earlier, later);
    case ConflictPolicy::kHudiOcc:
      return OccOutcome(earlier, later);
    case ConflictPolicy::kMaxCompute:
      break;
  }
  if (options.inserts_commute && earlier == kI && later == kI) return kA;
  return CellOf(earlier, later).outcome;
}

}  // namespace catalogd::coord
