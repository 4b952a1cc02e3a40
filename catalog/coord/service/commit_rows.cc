#include "catalog/coord/service/commit_rows.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "catalog/coord/conflict_check.h"
#include "catalog/coord/service/commit_files.h"
#include "catalog/coord/service/infos.h"

namespace catalogd::coord {
namespace {

// What is decided about a commit before its rows are made.
struct Draft {
  const TxnRecord* txn = nullptr;
  const PlanRecord* plan = nullptr;
  OpClass op = OpClass::kInsert;
  Instant requested;
  IdVersion snapshot;
  bool overwrite_reads_table = false;
  CommitFiles files;
};

std::vector<CommittedTxn>::const_iterator EndOfCommitted(const TableState& state) {
  const auto& changes = state.changes();
  const IdVersion newest = state.record().row.id_version;
  auto end = changes.end();
  while (end != changes.begin() && std::prev(end)->id > newest) --end;
  return end;
}

// File groups of what it removes, which only the table knows.
void AddGroupsOfRemoved(const TableState& state, PartitionChanges* changes) {
  const IdVersion now = state.record().row.id_version;
  for (auto& [partition, change] : *changes) {
    for (const std::string& name : change.removed) {
      if (auto group = state.files().GroupOf(partition, name, now)) {
        change.groups.insert(std::move(*group));
      }
    }
  }
}

CoordResult<CheckResult> Check(const TableState& state, const Draft& draft,
                               const api::CommitRequest& request) {
  OpenTxn open;
  open.op = draft.op;
  open.snapshot = draft.snapshot;
  open.overwrite_reads_table = draft.overwrite_reads_table;
  open.partitions = draft.files.changes;
  if (request.__isset.rows_before) open.rows_before = request.rows_before;
  if (request.__isset.rows_after) open.rows_after = request.rows_after;
  const CheckOptions& options = state.options().check;
  if (options.matrix.policy == ConflictPolicy::kHudiOcc) {
    AddGroupsOfRemoved(state, &open.partitions);
  }
  if (const Status shape = CheckShape(open, options); !shape) {
    return AsFailure(FailureOf(shape.error(), "commit"));
  }
  const LiveFiles live = LiveFilesFor(state, draft.op, open.partitions);
  const auto committed = std::span(state.changes().begin(), EndOfCommitted(state));
  return CheckConflicts(open, committed, live, options);
}

// Files that somebody has been told to delete.
std::set<std::string> ToBeDeleted(const TableState& state) {
  std::set<std::string> paths;
  for (const auto& [id, plan] : state.plans()) {
    if (IsPending(plan.row.state)) paths.insert(plan.row.removes.begin(), plan.row.removes.end());
  }
  return paths;
}

// A name is not given to a second file while the first one is live, since readers find files by
// their names, nor while a clean may delete it.
CoordStatus CheckNewNames(const TableState& state, const PartitionChanges& changes) {
  const IdVersion now = state.record().row.id_version;
  const std::set<std::string> deleted = ToBeDeleted(state);
  for (const auto& [partition, change] : changes) {
    for (const std::string& name : change.added) {
      if (!change.removed.contains(name) && state.files().IsLive(partition, name, now)) {
        return Fail(CoordCode::kInvalidArgument,
                    fmt::format("'{}' in partition '{}' is a live file already", name, partition));
      }
      if (!deleted.empty() && deleted.contains(partition.empty() ? name : partition + "/" + name)) {
        return Fail(CoordCode::kInvalidArgument,
                    fmt::format("'{}' in partition '{}' is about to be deleted by a pending plan; "
                                "write the file under another name",
                                name, partition));
      }
    }
  }
  return {};
}

CoordFailure ConflictFailure(CoordContext* context, const TableState& state,
                             const api::CommitRequest& request, const Conflict& conflict) {
  NotedConflict noted;
  noted.table_id = state.id();
  noted.table = state.name().ToString();
  noted.at_ms = WallMillis(*context->clock);
  noted.txn_id = request.txn_id;
  noted.plan_id = request.plan_id;
  noted.policy = state.record().policy;
  noted.conflict = conflict;
  const api::ConflictInfo info = MakeConflictInfo(noted);
  context->conflicts.Note(std::move(noted));
  context->counters.conflicts.fetch_add(1, std::memory_order_relaxed);
  context->counters
      .conflict_cells[static_cast<size_t>(conflict.earlier_op)]
                     [static_cast<size_t>(conflict.later_op)]
      .fetch_add(1, std::memory_order_relaxed);
  const bool gone = conflict.kind == ConflictKind::kInputGone;
  CoordFailure failure{gone ? CoordCode::kInputGone : CoordCode::kConflict, info.text, {}, {}};
  failure.details = {{"cell", info.earlier + "/" + info.later},
                     {"kind", info.kind},
                     {"outcome", info.outcome},
                     {"partition", info.partition},
                     {"file", info.file},
                     {"version", std::to_string(info.offending_version)}};
  return failure;
}

CoordResult<Draft> DraftOfTxn(const TableState& state, const api::CommitRequest& request,
                              const TxnRecord& txn) {
  Draft draft;
  draft.txn = &txn;
  draft.op = txn.row.op;
  draft.requested = txn.row.requested;
  draft.snapshot = txn.row.snapshot;
  draft.overwrite_reads_table = txn.overwrite_reads_table;
  COORD_ASSIGN_OR_RETURN(draft.files,
                         ReadCommitFiles(request, state.record().type, draft.requested));
  return draft;
}

// An executor need not repeat what the plan says: without a list it has taken all inputs.
CoordResult<Draft> DraftOfPlan(const TableState& state, const api::CommitRequest& request,
                               const PlanRecord& plan, OpClass op) {
  const auto payload = PayloadFromJson(plan.payload);
  if (!payload) return AsFailure(FailureOf(payload.error(), "plan"));
  Draft draft;
  draft.plan = &plan;
  draft.op = op;
  draft.requested = plan.row.requested;
  draft.snapshot = payload->snapshot;
  COORD_ASSIGN_OR_RETURN(draft.files,
                         ReadCommitFiles(request, state.record().type, draft.requested));
  if (!request.removed.empty()) return draft;
  for (const PlanPayload::Group& group : payload->groups) {
    std::set<std::string>& removed = draft.files.changes[group.partition].removed;
    if (!group.base.empty()) removed.insert(group.base);
    removed.insert(group.logs.begin(), group.logs.end());
  }
  return draft;
}

// `record` and the transaction come first, the plan behind them, then the files.
void AddFiles(const std::string& table_id, int64_t txn_id, std::vector<FileRecord> files,
              const PartitionChanges& changes, StoreBatch* batch) {
  for (const auto& [partition, change] : changes) {
    for (const std::string& name : change.removed) {
      batch->push_back(RemoveFile{table_id, partition, name, txn_id});
    }
  }
  for (FileRecord& file : files) {
    file.table_id = table_id;
    file.added_by = txn_id;
    batch->push_back(std::move(file));
  }
}

void Describe(const CheckResult& check, const api::CommitRequest& request, TxnRecord* txn) {
  txn->partitions.clear();
  for (const auto& [partition, change] : check.partitions) txn->partitions.push_back(partition);
  txn->extra = request.extra;
}

CoordResult<PreparedCommit> PrepareTxnCommit(CoordContext* context, TableState* state,
                                             const api::CommitRequest& request,
                                             const Instant& time) {
  const TxnRecord* txn = state->FindTxn(request.txn_id);
  const TableRow& table = state->record().row;
  const TxnStep step =
      PrepareTxn(table, txn != nullptr ? &txn->row : nullptr, {state->id(), Fence(request.fence)},
                 time, context->clock->Now(), state->options().txn);
  PreparedCommit commit;
  if (step.code != TxnCode::kOk) {
    if (step.code == TxnCode::kFenced) context->counters.fenced.fetch_add(1);
    return AsFailure(FailureOf(step, txn != nullptr ? &txn->row : nullptr, request.txn_id));
  }
  commit.txn_id = request.txn_id;
  if (step.txn->state == TxnState::kCommitted) {
    commit.repeated = MakeCommitResult(*state, *txn);
    commit.repeated->repeated = true;
    return commit;
  }
  COORD_ASSIGN_OR_RETURN(Draft draft, DraftOfTxn(*state, request, *txn));
  COORD_ASSIGN_OR_RETURN(CheckResult check, Check(*state, draft, request));
  if (check.conflict) return AsFailure(ConflictFailure(context, *state, request, *check.conflict));
  COORD_RETURN_IF_FAILED(CheckNewNames(*state, check.partitions));
  commit.version = *step.txn->id_version;
  commit.rebased = check.rebased;
  TableRecord record = state->record();
  record.row = *step.table;
  TxnRecord prepared = *txn;
  prepared.row = *step.txn;
  Describe(check, request, &prepared);
  commit.batch = {std::move(record), std::move(prepared)};
  AddFiles(state->id(), commit.txn_id, std::move(draft.files.added), check.partitions,
           &commit.batch);
  return commit;
}

TxnRecord TxnOfPlan(CoordContext* context, const TableState& state, const Draft& draft,
                    const api::CommitRequest& request, const Completion& completion) {
  TxnRecord txn;
  txn.table_id = state.id();
  txn.row.txn_id = context->next_txn.fetch_add(1);
  txn.row.op = draft.op;
  txn.row.state = TxnState::kPrepared;
  txn.row.requested = draft.requested;
  txn.row.snapshot = draft.snapshot;
  txn.row.fence = completion.fence;
  txn.row.owner = request.caller.owner;
  txn.row.completed = completion.time;
  txn.row.id_version = completion.id_version;
  txn.row.plan = draft.plan->row.id;
  txn.row.idempotency_key = request.caller.idempotency_key;
  txn.created_ms = WallMillis(*context->clock);
  return txn;
}

// What a conflict does to a plan is final: its inputs were chosen on a snapshot that stays.
PreparedCommit RefusedPlan(const GuardStep& step, const PlanRecord& plan, CoordFailure failure) {
  PreparedCommit commit;
  if (step.plan) {
    PlanRecord changed = plan;
    changed.row = *step.plan;
    changed.claim_alive = false;
    commit.batch = {std::move(changed)};
  }
  commit.failure = std::move(failure);
  return commit;
}

CoordResult<PreparedCommit> PreparePlanCommit(CoordContext* context, TableState* state,
                                              const api::CommitRequest& request,
                                              const Instant& time) {
  const PlanId id(request.plan_id);
  const PlanRecord* plan = state->FindPlan(id);
  const Holder holder{state->id(), Fence(request.fence)};
  const GuardOptions& options = state->options().guard;
  const TimePoint now = context->clock->Now();
  const TableRow& table = state->record().row;
  // First as if all were well: who may not complete it is told that, and not what is in its way.
  GuardStep step = BeginComplete(table, plan != nullptr ? &plan->row : nullptr, holder,
                                 {time, true}, now, options);
  if (step.answer.code == GuardCode::kFenced) context->counters.fenced.fetch_add(1);
  if (step.answer.code != GuardCode::kOk) {
    CoordFailure failure = FailureOf(step.answer, id);
    return plan != nullptr ? RefusedPlan(step, *plan, std::move(failure))
                           : CoordResult<PreparedCommit>(AsFailure(std::move(failure)));
  }
  PreparedCommit commit;
  if (step.answer.completion) {
    const TxnRecord* txn = state->FindTxnOfVersion(step.answer.completion->id_version);
    if (txn == nullptr) return Fail(CoordCode::kPlanAlreadyCompleted, "it was completed before");
    commit.repeated = MakeCommitResult(*state, *txn);
    commit.repeated->repeated = true;
    return commit;
  }
  const auto op = ClassOf(plan->row.type);
  if (!op) return Fail(CoordCode::kInternal, "a plan without a class makes no version");
  COORD_ASSIGN_OR_RETURN(Draft draft, DraftOfPlan(*state, request, *plan, *op));
  COORD_ASSIGN_OR_RETURN(CheckResult check, Check(*state, draft, request));
  if (check.conflict) {
    step = BeginComplete(table, &plan->row, holder, {time, false}, now, options);
    return RefusedPlan(step, *plan, ConflictFailure(context, *state, request, *check.conflict));
  }
  COORD_RETURN_IF_FAILED(CheckNewNames(*state, check.partitions));
  commit.version = step.plan->prepared->id_version;
  commit.rebased = check.rebased;
  commit.plan = id;
  TableRecord record = state->record();
  record.row = *step.table;
  TxnRecord txn = TxnOfPlan(context, *state, draft, request, *step.plan->prepared);
  Describe(check, request, &txn);
  commit.txn_id = txn.row.txn_id;
  PlanRecord prepared = *plan;
  prepared.row = *step.plan;
  commit.batch = {std::move(record), std::move(txn), std::move(prepared)};
  AddFiles(state->id(), commit.txn_id, std::move(draft.files.added), check.partitions,
           &commit.batch);
  return commit;
}

}  // namespace

const TxnRecord* PreparedTxn(const TableState& state) {
  if (!state.record().row.commit_prepared) return nullptr;
  const TxnRecord* txn = state.FindTxnOfVersion(state.record().row.id_version.Next());
  if (txn == nullptr) return nullptr;
  const bool settled =
      txn->row.state != TxnState::kPrepared && txn->row.state != TxnState::kUnknown;
  return settled ? nullptr : txn;
}

CoordResult<PreparedCommit> PrepareCommit(CoordContext* context, TableState* state,
                                          const api::CommitRequest& request) {
  COORD_RETURN_IF_FAILED(state->MayChange());
  bool must_store = false;  // The row is written in any case.
  const auto time = state->TakeTime(*context->clock, &must_store);
  if (!time) return AsFailure(FailureOf(time.error(), "commit"));
  return request.plan_id != 0 ? PreparePlanCommit(context, state, request, *time)
                              : PrepareTxnCommit(context, state, request, *time);
}

void CommitPrepared(StoreBatch* batch, int64_t now_ms) {
  auto& record = std::get<TableRecord>((*batch)[0]);
  auto& txn = std::get<TxnRecord>((*batch)[1]);
  if (txn.row.plan) {
    auto& plan = std::get<PlanRecord>((*batch)[2]);
    plan.row = *SettleComplete(record.row, plan.row, Settled::kCommitted).plan;
    plan.claim_alive = false;
  }
  TxnStep step = SettleTxn(record.row, txn.row, TxnSettled::kCommitted);
  record.row = std::move(*step.table);
  txn.row = std::move(*step.txn);
  txn.ended_ms = now_ms;
  if (txn.row.time_version) record.last_time_version = txn.row.time_version;
}

StoreBatch CommitBatch(const TableState& state, const std::optional<PublishRecord>& published,
                       int64_t now_ms) {
  const TxnRecord* txn = PreparedTxn(state);
  StoreBatch batch{state.record(), *txn};
  if (txn->row.plan) batch.emplace_back(*state.FindPlan(*txn->row.plan));
  CommitPrepared(&batch, now_ms);
  if (published) {
    std::get<TableRecord>(batch[0]).nonce = published->nonce;
    batch.emplace_back(*published);
  }
  return batch;
}

StoreBatch UndoBatch(const TableState& state, const std::optional<PublishRecord>& published) {
  const TxnRecord* txn = PreparedTxn(state);
  TxnStep step = SettleTxn(state.record().row, txn->row, TxnSettled::kUndone);
  StoreBatch batch{UndoFiles{txn->row.txn_id}};
  if (state.publishing()) {
    batch.emplace_back(DropPublish{state.id(), state.publishing()->version});
  }
  TableRecord record = state.record();
  record.row = std::move(*step.table);
  if (published) {
    record.nonce = published->nonce;
    batch.emplace_back(*published);
  }
  batch.emplace_back(std::move(record));
  TxnRecord undone = *txn;
  undone.row = std::move(*step.txn);
  undone.partitions.clear();
  if (!undone.row.plan) {
    batch.emplace_back(std::move(undone));
    return batch;
  }
  // The plan is claimed again; its next try makes a transaction anew, with the same instant.
  PlanRecord plan = *state.FindPlan(*undone.row.plan);
  plan.row = *SettleComplete(state.record().row, plan.row, Settled::kUndone).plan;
  undone.row.state = TxnState::kAborted;
  undone.row.reason = "its commit was undone";
  const int64_t id = undone.row.txn_id;
  batch.emplace_back(std::move(undone));
  batch.emplace_back(ForgetTxn{id});
  batch.emplace_back(std::move(plan));
  return batch;
}

CoordStatus SettleCommitted(ManagedTable* table) {
  const int64_t now_ms = table->WallMs();
  return table->StoreNow([now_ms](TableState* state) -> CoordResult<StoreBatch> {
    if (PreparedTxn(*state) == nullptr) return StoreBatch();
    std::optional<PublishRecord> published = state->publishing();
    if (published) published->state = PublishState::kDone;
    return CommitBatch(*state, published, now_ms);
  });
}

CoordStatus SettleUndone(ManagedTable* table, const std::optional<PublishRecord>& published) {
  return table->StoreNow([&](TableState* state) -> CoordResult<StoreBatch> {
    if (PreparedTxn(*state) == nullptr) return StoreBatch();
    return UndoBatch(*state, published);
  });
}

CoordStatus SettleUnknown(ManagedTable* table) {
  return table->StoreNow([](TableState* state) -> CoordResult<StoreBatch> {
    const TxnRecord* txn = PreparedTxn(*state);
    if (txn == nullptr) return StoreBatch();
    TxnRecord unknown = *txn;
    unknown.row = *SettleTxn(state->record().row, txn->row, TxnSettled::kUnknown).txn;
    return StoreBatch{std::move(unknown)};
  });
}

api::CommitResult MakeCommitResult(const TableState& state, const TxnRecord& txn) {
  api::CommitResult result;
  result.completed = txn.row.completed->text();
  result.id_version = txn.row.id_version->value();
  if (txn.row.time_version) result.time_version = txn.row.time_version->text();
  result.event_id = txn.event_id.value_or(0);
  result.pending_plans = static_cast<int32_t>(state.PendingPlans());
  if (txn.row.plan) {
    if (const PlanRecord* plan = state.FindPlan(*txn.row.plan)) {
      result.files_to_remove = FilesToRemove(plan->row);
    }
  }
  return result;
}

}  // namespace catalogd::coord
