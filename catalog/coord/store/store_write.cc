#include <fmt/format.h>

#include <chrono>

#include "catalog/coord/store/record_check.h"
#include "catalog/coord/store/store_rows.h"

namespace catalogd::coord {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// Of lists that belong to a plan.
enum class NameRole { kInput, kRemoved, kAttempt };

SqlValue Text(const std::string& text) { return std::string_view(text); }
SqlValue Text(const Instant& instant) { return instant.text(); }
SqlValue Text(const std::optional<Instant>& instant) {
  return instant ? Text(*instant) : SqlValue();
}
SqlValue Number(bool value) { return int64_t{value}; }
template <class Enum>
SqlValue Code(Enum value) {
  return static_cast<int64_t>(value);
}
SqlValue NumberOf(const std::optional<int64_t>& number) {
  return number ? SqlValue(*number) : SqlValue();
}
template <class Id>
SqlValue IdOf(const std::optional<Id>& id) {
  return id ? SqlValue(id->value()) : SqlValue();
}

tl::unexpected<Error> Refused(const std::string& what) {
  return MakeError(ErrorCode::kConflict, what + "; read the rows again and decide anew");
}

// Other changes have nothing that could be wrong in itself.
struct CheckRecord {
  template <class Change>
  std::optional<std::string> operator()(const Change& change) const {
    if constexpr (requires { Nonsense(change); }) return Nonsense(change);
    return std::nullopt;
  }
};

constexpr const char* kPutTable = R"(
  INSERT INTO coord_table VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (table_id) DO UPDATE SET
    catalog = excluded.catalog, db = excluded.db, name = excluded.name, type = excluded.type,
    policy = excluded.policy, base_path = excluded.base_path, epoch = excluded.epoch,
    newest_fence = excluded.newest_fence, id_version = excluded.id_version,
    last_time_version = excluded.last_time_version,
    clock_high_water = excluded.clock_high_water, nonce = excluded.nonce,
    dropped = excluded.dropped, corrupt = excluded.corrupt,
    commit_prepared = excluded.commit_prepared, options = excluded.options
  WHERE excluded.newest_fence >= newest_fence AND excluded.id_version >= id_version
    AND excluded.clock_high_water >= clock_high_water AND excluded.epoch >= epoch
    AND excluded.dropped >= dropped)";

constexpr const char* kPutPlan = R"(
  INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?)
  ON CONFLICT (plan_id) DO UPDATE SET
    state = excluded.state, fence = excluded.fence, attempts = excluded.attempts,
    owner = excluded.owner, lease_ms = excluded.lease_ms, claim_alive = excluded.claim_alive,
    cancel_requested = excluded.cancel_requested, last_error = excluded.last_error,
    prepared_fence = excluded.prepared_fence, prepared_time = excluded.prepared_time,
    prepared_id = excluded.prepared_id, completed_fence = excluded.completed_fence,
    completed_time = excluded.completed_time, completed_id = excluded.completed_id,
    payload = excluded.payload, created_ms = excluded.created_ms,
    trigger_text = excluded.trigger_text, cancellable = excluded.cancellable
  WHERE excluded.table_id = table_id AND excluded.requested = requested
    AND excluded.type = type AND excluded.fence >= fence
    AND (completed_time IS NULL
         OR (excluded.completed_fence IS completed_fence
             AND excluded.completed_time IS completed_time
             AND excluded.completed_id IS completed_id)))";

constexpr const char* kPutTxn = R"(
  INSERT INTO txn VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (txn_id) DO UPDATE SET
    state = excluded.state, fence = excluded.fence, owner = excluded.owner,
    lease_ms = excluded.lease_ms, completed = excluded.completed,
    id_version = excluded.id_version, time_version = excluded.time_version,
    plan_id = excluded.plan_id, reason = excluded.reason,
    overwrite_reads_table = excluded.overwrite_reads_table, extra = excluded.extra,
    created_ms = excluded.created_ms, ended_ms = excluded.ended_ms, event_id = excluded.event_id
  WHERE excluded.table_id = table_id AND excluded.requested = requested
    AND excluded.fence >= fence
    AND (state <> 2 OR (excluded.state = 2 AND excluded.id_version IS id_version)))";

class Writer {
 public:
  Writer(SqliteDb& db, int64_t audit_rows) : db_(db), audit_rows_(audit_rows) {}

  Status operator()(const TableRecord& table) {
    ASSIGN_OR_RETURN(
        const int changed,
        db_.Run(kPutTable,
                {Text(table.row.table_id), Text(table.catalog), Text(table.db), Text(table.name),
                 Code(table.type), Code(table.policy), Text(table.base_path), table.epoch,
                 table.row.newest_fence.value(), table.row.id_version.value(),
                 Text(table.last_time_version), table.clock_high_water, Text(table.nonce),
                 Number(table.row.dropped), Number(table.corrupt),
                 Number(table.row.commit_prepared), Text(table.options)}));
    if (changed == 1) return Ok();
    return Refused(fmt::format("table {}: its fence, version, time or epoch would go back",
                               table.row.table_id));
  }

  Status operator()(const PlanRecord& plan) {
    RETURN_IF_ERROR(PutPlanRow(plan));
    RETURN_IF_ERROR(
        Done(db_.Run("DELETE FROM plan_group WHERE plan_id = ?", {plan.row.id.value()})));
    RETURN_IF_ERROR(
        Done(db_.Run("DELETE FROM plan_name WHERE plan_id = ?", {plan.row.id.value()})));
    int64_t position = 0;
    for (const FileGroup& group : plan.groups) {
      RETURN_IF_ERROR(
          Done(db_.Run("INSERT INTO plan_group VALUES (?, ?, ?, ?, ?, ?)",
                       {plan.row.id.value(), position++, Text(plan.table_id), Text(group.partition),
                        Text(group.file_id), Number(IsPending(plan.row.state))})));
    }
    RETURN_IF_ERROR(PutNames(plan.row.id, NameRole::kInput, plan.inputs));
    RETURN_IF_ERROR(PutNames(plan.row.id, NameRole::kRemoved, plan.row.removes));
    position = 0;
    for (const AttemptFile& file : plan.row.files) {
      RETURN_IF_ERROR(PutName(plan.row.id, NameRole::kAttempt, position++, file));
    }
    return Ok();
  }

  Status operator()(const TxnRecord& txn) {
    const TxnRow& row = txn.row;
    const SqlValue key = row.idempotency_key.empty() ? SqlValue() : Text(row.idempotency_key);
    ASSIGN_OR_RETURN(const int changed,
                     db_.Run(kPutTxn, {row.txn_id,
                                       Text(txn.table_id),
                                       Code(row.op),
                                       Code(row.state),
                                       Text(row.requested),
                                       row.snapshot.value(),
                                       row.fence.value(),
                                       Text(row.owner),
                                       int64_t{duration_cast<milliseconds>(row.lease).count()},
                                       key,
                                       Text(row.completed),
                                       IdOf(row.id_version),
                                       Text(row.time_version),
                                       IdOf(row.plan),
                                       Text(row.reason),
                                       Number(txn.overwrite_reads_table),
                                       Text(txn.extra),
                                       txn.created_ms,
                                       txn.ended_ms,
                                       NumberOf(txn.event_id)}));
    if (changed != 1) {
      return Refused(
          fmt::format("transaction {}: it is committed, or its fence would go back", row.txn_id));
    }
    RETURN_IF_ERROR(PutList("txn_partition", row.txn_id, txn.partitions));
    return PutList("txn_name", row.txn_id, txn.attempt_files);
  }

  Status operator()(const FileRecord& file) {
    const SqlValue removed = file.removed_by ? SqlValue(*file.removed_by) : SqlValue();
    return Done(
        db_.Run("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                {Text(file.table_id), Text(file.group.partition), Text(file.name), file.added_by,
                 Text(file.group.file_id), Code(file.kind), file.size, file.rows, removed}));
  }

  Status operator()(const RemoveFile& file) {
    ASSIGN_OR_RETURN(
        const int changed,
        db_.Run("UPDATE file SET removed_by = ? WHERE table_id = ? AND partition = ? "
                "AND name = ? AND removed_by IS NULL",
                {file.removed_by, Text(file.table_id), Text(file.partition), Text(file.name)}));
    if (changed == 1) return Ok();
    return Refused(fmt::format("file {} of partition '{}' is not live and cannot be removed",
                               file.name, file.partition));
  }

  Status operator()(const UndoFiles& undo) { return Forget(db_, undo); }
  Status operator()(const ForgetTxn& txn) { return Forget(db_, txn); }
  Status operator()(const ForgetPlan& plan) { return Forget(db_, plan); }
  Status operator()(const ForgetHistory& history) { return Forget(db_, history); }
  Status operator()(const ForgetTable& table) { return Forget(db_, table); }
  Status operator()(const ForgetAudit& audit) {
    return Done(db_.Run("DELETE FROM audit WHERE at_ms < ?", {audit.before_ms}));
  }

  Status operator()(const PublishRecord& publication) {
    return Done(
        db_.Run("INSERT OR REPLACE INTO hms_publish VALUES (?, ?, ?, ?, ?, ?, ?)",
                {Text(publication.table_id), publication.version.value(), Text(publication.nonce),
                 Code(publication.state), NumberOf(publication.event_id),
                 int64_t{publication.tries}, Text(publication.last_error)}));
  }

  Status operator()(const DropPublish& drop) {
    return Done(db_.Run("DELETE FROM hms_publish WHERE table_id = ? AND id_version = ?",
                        {Text(drop.table_id), drop.version.value()}));
  }

  Status operator()(const HistoryRecord& commit) {
    return Done(
        db_.Run("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)",
                {commit.txn_id, Text(commit.table_id), Code(commit.op), Text(commit.requested),
                 Text(commit.completed), commit.id_version.value(), Text(commit.time_version)}));
  }

  Status operator()(const AuditRecord& entry) {
    RETURN_IF_ERROR(Done(
        db_.Run("INSERT INTO audit (who, what, table_id, at_ms, outcome) VALUES (?, ?, ?, ?, ?)",
                {Text(entry.who), Text(entry.what), Text(entry.table_id), entry.at_ms,
                 Text(entry.outcome)})));
    return Done(db_.Run("DELETE FROM audit WHERE seq <= ?", {db_.last_insert_id() - audit_rows_}));
  }

  Status operator()(const PinRecord& pin) {
    return Done(db_.Run("INSERT OR REPLACE INTO pin VALUES (?, ?, ?, ?, ?)",
                        {Text(pin.token), Text(pin.table_id), pin.version.value(), Text(pin.reader),
                         pin.until_ms}));
  }

  Status operator()(const DropPin& pin) {
    return Done(db_.Run("DELETE FROM pin WHERE token = ?", {Text(pin.token)}));
  }

 private:
  static Status Done(const Result<int>& result) {
    if (!result) return AsError(result.error());
    return Ok();
  }

  Status PutPlanRow(const PlanRecord& plan) {
    const PlanRow& row = plan.row;
    const bool claimed = row.claim.has_value();
    const auto completion = [](const std::optional<Completion>& done) {
      if (!done) return std::vector<SqlValue>(3);
      return std::vector<SqlValue>{done->fence.value(), Text(done->time), done->id_version.value()};
    };
    std::vector<SqlValue> values = {
        row.id.value(),
        Text(plan.table_id),
        Code(row.type),
        Text(row.requested),
        Code(row.state),
        row.fence.value(),
        int64_t{row.attempts},
        claimed ? Text(row.claim->owner) : SqlValue(),
        claimed ? int64_t{duration_cast<milliseconds>(row.claim->lease).count()} : int64_t{0},
        Number(claimed && plan.claim_alive),
        Number(claimed && row.claim->cancel_requested),
        Text(row.last_error)};
    for (const SqlValue& value : completion(row.prepared)) values.push_back(value);
    for (const SqlValue& value : completion(row.completion)) values.push_back(value);
    values.push_back(Text(row.target));
    values.emplace_back(SqlBlob{plan.payload});
    values.emplace_back(plan.created_ms);
    values.push_back(Text(plan.trigger));
    values.push_back(Number(plan.cancellable));
    ASSIGN_OR_RETURN(const int changed, db_.Run(kPutPlan, values));
    if (changed == 1) return Ok();
    return Refused(fmt::format(
        "plan {}: it is completed or another one, or its fence would go back", row.id.value()));
  }

  Status PutName(PlanId plan, NameRole role, int64_t position, const AttemptFile& file) {
    return Done(db_.Run("INSERT INTO plan_name VALUES (?, ?, ?, ?, ?)",
                        {plan.value(), Code(role), position, file.fence.value(), Text(file.name)}));
  }

  Status PutNames(PlanId plan, NameRole role, const std::vector<std::string>& names) {
    int64_t position = 0;
    for (const std::string& name : names) {
      RETURN_IF_ERROR(PutName(plan, role, position++, AttemptFile{Fence(), name}));
    }
    return Ok();
  }

  // A list that belongs to a transaction.
  Status PutList(const std::string& table, int64_t txn_id, const std::vector<std::string>& list) {
    RETURN_IF_ERROR(Done(db_.Run("DELETE FROM " + table + " WHERE txn_id = ?", {txn_id})));
    int64_t position = 0;
    for (const std::string& text : list) {
      RETURN_IF_ERROR(Done(
          db_.Run("INSERT INTO " + table + " VALUES (?, ?, ?)", {txn_id, position++, Text(text)})));
    }
    return Ok();
  }

  SqliteDb& db_;
  const int64_t audit_rows_;
};

}  // namespace

Status WriteChange(SqliteDb& db, const StoreChange& change, int64_t audit_rows) {
  const auto nonsense = std::visit(CheckRecord(), change);
  if (nonsense) return Refused(*nonsense);
  return std::visit(Writer(db, audit_rows), change);
}

}  // namespace catalogd::coord
