#include <fmt/format.h>

#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"

namespace catalogd::coord {
namespace {

// The sentence of a cell; where the table is less or more strict than the matrix, why.
std::string CellText(OpClass earlier, OpClass later, const MatrixOptions& options) {
  const MatrixCell& cell = CellOf(earlier, later);
  const Outcome outcome = OutcomeOf(earlier, later, options);
  const std::string jobs = fmt::format("{} after {}", OpClassName(later), OpClassName(earlier));
  switch (options.policy) {
    case ConflictPolicy::kMaxCompute:
      if (outcome == cell.outcome) return fmt::format("{}: {}", jobs, cell.why);
      return jobs + ": appends commute on this table (inserts_commute), so both stand";
    case ConflictPolicy::kHudiNbcc:
      if (outcome == cell.outcome) return fmt::format("{}: {}", jobs, cell.why);
      return jobs +
             (outcome == Outcome::kAdds
                  ? ": writers of this table do not check each other; what each wrote is merged "
                    "when it is read"
                  : ": the compaction takes what was complete when it was planned; what was "
                    "written meanwhile is in the newer slice");
    case ConflictPolicy::kHudiOcc:
      break;
  }
  if (outcome == Outcome::kFails) return jobs + ": of two jobs on one file group the later fails";
  return jobs + ": a write may follow a compaction of its file group";
}

// "": without a table, under the matrix itself.
CoordResult<MatrixOptions> OptionsOf(CoordContext* context, const std::string& reference,
                                     std::string* name) {
  if (reference.empty()) return MatrixOptions();
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context->tables.Find(reference));
  const MutexLock lock(table->mutex);
  *name = table->state.name().ToString();
  MatrixOptions options = table->state.options().check.matrix;
  options.policy = table->state.record().policy;
  return options;
}

}  // namespace

CoordResult<api::ConflictInfo> ReadCalls::Explain(const api::ExplainRequest& request) {
  if (request.txn_id != 0) {
    std::string table_id;
    if (!request.caller.table.empty()) {
      COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table,
                             context_->tables.Find(request.caller.table));
      table_id = table->id();
    }
    for (const NotedConflict& noted : context_->conflicts.Newest()) {
      if (noted.txn_id != request.txn_id) continue;
      if (table_id.empty() || noted.table_id == table_id) return MakeConflictInfo(noted);
    }
    return Fail(CoordCode::kNotFound,
                fmt::format("no conflict of transaction {} is known: it had none, or it is not "
                            "among the newest {}",
                            request.txn_id, ConflictLog::kKept));
  }
  if (request.earlier.empty() || request.later.empty()) {
    return Fail(CoordCode::kInvalidArgument,
                "name a transaction, or the classes of an earlier and a later one");
  }
  COORD_ASSIGN_OR_RETURN(const OpClass earlier, ParseOp(request.earlier));
  COORD_ASSIGN_OR_RETURN(const OpClass later, ParseOp(request.later));
  api::ConflictInfo info;
  COORD_ASSIGN_OR_RETURN(const MatrixOptions options,
                         OptionsOf(context_, request.caller.table, &info.table));
  info.earlier = OpWord(earlier);
  info.later = OpWord(later);
  info.outcome = std::string(1, OutcomeLetter(OutcomeOf(earlier, later, options)));
  info.kind = options.policy == ConflictPolicy::kHudiOcc ? "file group" : "cell";
  info.text = CellText(earlier, later, options);
  info.policy = ConflictPolicyName(options.policy);
  return info;
}

CoordResult<std::vector<api::ConflictInfo>> ReadCalls::Conflicts(
    const api::ListTxnsRequest& request) {
  if (request.limit < 0) {
    return Fail(
        CoordCode::kInvalidArgument,
        fmt::format("{} conflicts; allowed: 0 (all that are kept) and more", request.limit));
  }
  std::string table_id;
  if (!request.caller.table.empty()) {
    COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table,
                           context_->tables.Find(request.caller.table));
    table_id = table->id();
  }
  std::vector<api::ConflictInfo> infos;
  for (const NotedConflict& noted : context_->conflicts.Newest()) {
    if (request.limit > 0 && infos.size() == static_cast<size_t>(request.limit)) break;
    if (table_id.empty() || noted.table_id == table_id) infos.push_back(MakeConflictInfo(noted));
  }
  return infos;
}

}  // namespace catalogd::coord
