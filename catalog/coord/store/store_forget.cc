#include <fmt/format.h>

#include "catalog/coord/store/store_rows.h"

namespace catalogd::coord {
namespace {

tl::unexpected<Error> Refused(const std::string& what) {
  return MakeError(ErrorCode::kConflict, what + " and cannot be forgotten");
}

// Statements with one value, in this order.
Status RunAll(SqliteDb& db, const std::vector<std::string>& statements, const SqlValue& value) {
  for (const std::string& sql : statements) {
    const Result<int> done = db.Run(sql, {value});
    if (!done) return AsError(done.error());
  }
  return Ok();
}

Status CommittedToHistory(SqliteDb& db, int64_t txn_id) {
  return RunAll(db,
                {"DELETE FROM file WHERE removed_by = ?",
                 "DELETE FROM hms_publish WHERE (table_id, id_version) IN "
                 "(SELECT table_id, id_version FROM txn WHERE txn_id = ?)",
                 "INSERT INTO history SELECT txn_id, table_id, op, requested, completed, "
                 "id_version, time_version FROM txn WHERE txn_id = ?"},
                txn_id);
}

}  // namespace

Status Forget(SqliteDb& db, const UndoFiles& undo) {
  ASSIGN_OR_RETURN(const int64_t committed,
                   db.QueryInt("SELECT EXISTS (SELECT 1 FROM txn WHERE txn_id = ?1 AND state = ?2) "
                               "OR EXISTS (SELECT 1 FROM history WHERE txn_id = ?1)",
                               {undo.txn_id, static_cast<int64_t>(TxnState::kCommitted)}));
  if (committed != 0) {
    return MakeError(
        ErrorCode::kConflict,
        fmt::format("transaction {} is committed and cannot be undone; read the rows again and "
                    "decide anew",
                    undo.txn_id));
  }
  return RunAll(db,
                {"DELETE FROM file WHERE added_by = ?",
                 "UPDATE file SET removed_by = NULL WHERE removed_by = ?"},
                undo.txn_id);
}

Status Forget(SqliteDb& db, const ForgetTxn& txn) {
  ASSIGN_OR_RETURN(const int64_t code,
                   db.QueryInt("SELECT state FROM txn WHERE txn_id = ?", {txn.txn_id}, -1));
  if (code == static_cast<int64_t>(TxnState::kCommitted)) {
    RETURN_IF_ERROR(CommittedToHistory(db, txn.txn_id));
  } else if (code == static_cast<int64_t>(TxnState::kAborted)) {
    RETURN_IF_ERROR(Forget(db, UndoFiles{txn.txn_id}));
  } else {
    return Refused(
        fmt::format("transaction {} is {}", txn.txn_id, code < 0 ? "not there" : "not at its end"));
  }
  return RunAll(db, {"DELETE FROM txn WHERE txn_id = ?"}, txn.txn_id);
}

Status Forget(SqliteDb& db, const ForgetPlan& plan) {
  const int64_t id = plan.plan_id.value();
  ASSIGN_OR_RETURN(const int64_t code,
                   db.QueryInt("SELECT state FROM plan WHERE plan_id = ?", {id}, -1));
  if (code < 0) return Refused(fmt::format("plan {} is not there", id));
  if (IsPending(static_cast<PlanState>(code))) {
    return Refused(fmt::format("plan {} is pending", id));
  }
  return RunAll(db, {"DELETE FROM plan WHERE plan_id = ?"}, id);
}

Status Forget(SqliteDb& db, const ForgetHistory& history) {
  const Result<int> done = db.Run(
      "DELETE FROM history WHERE table_id = ? AND id_version <= ? "
      "AND txn_id NOT IN (SELECT added_by FROM file WHERE table_id = ?)",
      {std::string_view(history.table_id), history.up_to.value(),
       std::string_view(history.table_id)});
  if (!done) return AsError(done.error());
  return Ok();
}

Status Forget(SqliteDb& db, const ForgetTable& table) {
  const std::string_view id = table.table_id;
  ASSIGN_OR_RETURN(const int64_t dropped,
                   db.QueryInt("SELECT dropped FROM coord_table WHERE table_id = ?", {id}, -1));
  if (dropped != 1) {
    return Refused(fmt::format("table {} is {}", id, dropped < 0 ? "not there" : "not dropped"));
  }
  return RunAll(
      db,
      {"DELETE FROM pin WHERE table_id = ?", "DELETE FROM file WHERE table_id = ?",
       "DELETE FROM hms_publish WHERE table_id = ?", "DELETE FROM history WHERE table_id = ?",
       "DELETE FROM txn WHERE table_id = ?", "DELETE FROM plan WHERE table_id = ?",
       "DELETE FROM coord_table WHERE table_id = ?"},
      id);
}

}  // namespace catalogd::coord
