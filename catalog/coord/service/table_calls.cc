#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/commit_rows.h"
#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/publication.h"
#include "catalog/coord/service/table_info.h"

namespace catalogd::coord {
namespace {

AuditRecord Audit(const CoordContext& context, const api::CoordCaller& caller, std::string what,
                  const std::string& table_id) {
  return {caller.owner, std::move(what), table_id, WallMillis(*context.clock), "OK"};
}

CoordStatus CheckGiven(const std::map<std::string, std::string>& options) {
  for (const auto& [name, value] : options) {
    if (IsInternalOption(name)) {
      return Fail(CoordCode::kInvalidArgument, "the table option '" + name + "' is the daemon's");
    }
  }
  return {};
}

std::map<std::string, StoreContent> ByTable(StoreContent content) {
  std::map<std::string, StoreContent> tables;
  for (auto& row : content.tables) tables[row.row.table_id].tables.push_back(std::move(row));
  for (auto& row : content.plans) tables[row.table_id].plans.push_back(std::move(row));
  for (auto& row : content.txns) tables[row.table_id].txns.push_back(std::move(row));
  for (auto& row : content.files) tables[row.table_id].files.push_back(std::move(row));
  for (auto& row : content.pins) tables[row.table_id].pins.push_back(std::move(row));
  for (auto& row : content.publications) {
    tables[row.table_id].publications.push_back(std::move(row));
  }
  for (auto& row : content.history) tables[row.table_id].history.push_back(std::move(row));
  return tables;
}

void RaiseIds(const StoreContent& content, CoordContext* context) {
  int64_t txn = 0;
  int64_t plan = 0;
  for (const TxnRecord& row : content.txns) txn = std::max(txn, row.row.txn_id);
  for (const HistoryRecord& row : content.history) txn = std::max(txn, row.txn_id);
  for (const PlanRecord& row : content.plans) plan = std::max(plan, row.row.id.value());
  context->next_txn.store(txn + 1);
  context->next_plan.store(plan + 1);
}

// A table as it begins after a start: every fence given before is older than those to come, and
// what the metastore has is looked at.
void Resume(CoordContext* context, const ManagedTablePtr& table) {
  bool prepared = false;
  {
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    prepared = PreparedTxn(state) != nullptr;
    TableRecord record = state.record();
    record.row.newest_fence = record.row.newest_fence.Next();
    if (prepared) {
      state.SetHold(TableHold::kRecovering,
                    "whether its last commit was published is being found out");
    }
    table->Store({std::move(record)}, [](const CoordStatus&) {});
  }
  context->AtStep("fence raised");
  const auto publish = [context, table] { PublishSoon(context, table, PublishWhy::kRaiseEpoch); };
  prepared ? SettleSoon(context, table, Duration{}, publish) : publish();
}

}  // namespace

Status TableCalls::Start(StoreContent content) {
  RaiseIds(content, context_);
  for (auto& [id, rows] : ByTable(std::move(content))) {
    const bool dropped = !rows.tables.empty() && rows.tables.front().row.dropped;
    auto state = TableState::FromStore(std::move(rows), context_->clock->Now());
    if (!state) return AsError(Error(state.error()).WithContext("coordinated table " + id));
    const ObjectName name = state->name();
    const auto table = std::make_shared<ManagedTable>(std::move(*state), context_->Ways());
    if (!context_->tables.Add(table, name, !dropped)) {
      return MakeError(ErrorCode::kCorrupt, "two coordinated tables are " + name.ToString());
    }
    if (!dropped) Resume(context_, table);
  }
  context_->AtStep("started");
  return Ok();
}

CoordResult<api::CoordTable> TableCalls::State(const api::TableRequest& request) {
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context_->tables.Find(request.caller.table));
  const MutexLock lock(table->mutex);
  return MakeCoordTable(table->state, *context_->clock);
}

std::vector<api::CoordTable> TableCalls::List() {
  std::vector<api::CoordTable> infos;
  for (const ManagedTablePtr& table : context_->tables.All()) {
    const MutexLock lock(table->mutex);
    infos.push_back(MakeCoordTable(table->state, *context_->clock));
  }
  std::sort(infos.begin(), infos.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return infos;
}

void TableCalls::GenerateInstant(const api::GenerateInstantRequest& request,
                                 Done<api::GeneratedInstant> done) {
  const auto generate = [&](const ManagedTablePtr& table) -> CoordStatus {
    const MutexLock lock(table->mutex);
    COORD_RETURN_IF_FAILED(table->state.MayChange());
    bool must_store = false;
    const auto instant = table->state.TakeTime(*context_->clock, &must_store);
    if (!instant) return AsFailure(FailureOf(instant.error(), "instant"));
    StoreBatch batch;
    if (must_store) batch.emplace_back(table->state.record());
    api::GeneratedInstant answer;
    answer.instant = instant->text();
    table->Store(std::move(batch), [done, answer](const CoordStatus& stored) {
      stored ? done(answer) : done(AsFailure(stored.error()));
    });
    return {};
  };
  const auto table = context_->tables.Find(request.caller.table);
  if (!table) return done(AsFailure(table.error()));
  if (const CoordStatus made = generate(*table); !made) done(AsFailure(made.error()));
}

void TableCalls::AlterOptions(const api::AlterOptionsRequest& request, Done<api::CoordTable> done) {
  bool resolve = false;
  const auto alter = [&](const ManagedTablePtr& table) -> CoordStatus {
    COORD_RETURN_IF_FAILED(CheckGiven(request.table_options));
    if (!request.resolve.empty() && request.resolve != "override") {
      return Fail(CoordCode::kInvalidArgument, "resolve: allowed: override");
    }
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    const bool held = state.record().corrupt || state.hold() == TableHold::kNotOwner;
    resolve = held && !request.resolve.empty();
    if (!resolve) COORD_RETURN_IF_FAILED(state.MayChange());
    auto options = WithOptions(state.options(), request.table_options);
    if (!options) return AsFailure(FailureOf(options.error(), "options"));
    options->check.matrix.policy = state.record().policy;
    TableRecord record = state.record();
    record.options = OptionsToJson(*options);
    state.SetOptions(std::move(*options));
    table->Store({record, Audit(*context_, request.caller, "alter options", table->id())},
                 [done, table, context = context_](const CoordStatus& stored) {
                   if (!stored) return done(AsFailure(stored.error()));
                   api::CoordTable info;
                   {
                     const MutexLock held_lock(table->mutex);
                     info = MakeCoordTable(table->state, *context->clock);
                   }
                   done(std::move(info));
                 });
    return {};
  };
  const auto table = context_->tables.Find(request.caller.table);
  if (!table) return done(AsFailure(table.error()));
  if (const CoordStatus altered = alter(*table); !altered) {
    return done(AsFailure(altered.error()));
  }
  if (resolve) PublishSoon(context_, *table, PublishWhy::kOverride);
}

void TableCalls::Unregister(const api::UnregisterTableRequest& request,
                            Done<api::CoordTable> done) {
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr table = *found;
  TablePublisher::Lock lock;
  {
    const MutexLock held(table->mutex);
    lock.table = table->state.name();
    lock.timeout = table->state.options().lock_timeout;
  }
  lock.owner = "end of coordination";
  auto failure = std::make_shared<std::optional<CoordFailure>>();
  const auto body = [this, table, request, failure, name = lock.table](TimePoint deadline) {
    const CoordStatus dropped = table->StoreNow([&](TableState* state) -> CoordResult<StoreBatch> {
      if (state->record().row.dropped) return StoreBatch();
      if (!request.force && state->OpenTxns() + state->PendingPlans() > 0) {
        return Fail(CoordCode::kBusy,
                    fmt::format("{} transactions are open and {} plans are pending; they end "
                                "with force",
                                state->OpenTxns(), state->PendingPlans()));
      }
      TableRecord record = state->record();
      record.row.dropped = true;
      return StoreBatch{record, Audit(*context_, request.caller, "unregister", state->id())};
    });
    if (!dropped) {
      *failure = dropped.error();
      return Status(MakeError(ErrorCode::kConflict, dropped.error().message));
    }
    context_->tables.Deactivate(table->id(), name);
    Publication publication;
    publication.remove = {std::string(kStateParameter), std::string(kTxnParameter),
                          std::string(kTimeParameter)};
    const Status cleaned = context_->publisher->Publish(name, publication, deadline);
    if (!cleaned) LOG(WARNING) << name.ToString() << ": " << cleaned.error().ToString();
    return Ok();
  };
  context_->publisher->UnderWrite(
      std::move(lock), body,
      [this, table, failure, done = std::move(done)](const Result<EventId>& end) {
        if (*failure) return done(AsFailure(**failure));
        if (!end) return done(AsFailure(FailureOf(end.error(), "unregister")));
        api::CoordTable info;
        {
          const MutexLock held(table->mutex);
          info = MakeCoordTable(table->state, *context_->clock);
        }
        table->Wake();
        done(std::move(info));
      });
}

void TableCalls::OnGone(const ObjectName& name) {
  const ManagedTablePtr table = context_->tables.FindName(name);
  if (table == nullptr) return;
  context_->tables.Deactivate(table->id(), name);
  {
    const MutexLock lock(table->mutex);
    TableRecord record = table->state.record();
    record.row.dropped = true;
    table->Store({std::move(record)}, [](const CoordStatus&) {});
  }
  table->Wake();
}

void TableCalls::OnRenamed(const ObjectName& from, const ObjectName& to) {
  const ManagedTablePtr table = context_->tables.FindName(from);
  if (table == nullptr) return;
  context_->tables.Rename(table->id(), from, to);
  const MutexLock lock(table->mutex);
  TableRecord record = table->state.record();
  record.catalog = to.catalog();
  record.db = to.db();
  record.name = to.table();
  table->Store({std::move(record)}, [](const CoordStatus&) {});
}

void TableCalls::OnParameters(const ObjectName& name,
                              const std::map<std::string, std::string>& parameters, EventId event) {
  const ManagedTablePtr table = context_->tables.FindName(name);
  if (table == nullptr) return;
  {
    const MutexLock lock(table->mutex);
    const Seen seen = Judge(table->state, {"", parameters, "", false});
    const TxnRecord* newest = table->state.FindTxnOfVersion(table->state.record().row.id_version);
    const int64_t own = newest != nullptr ? newest->event_id.value_or(0) : 0;
    const bool known = seen.standing == Standing::kAsKnown || seen.standing == Standing::kPrepared;
    if (known || event.value() <= own) {
      context_->counters.self_events.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  // What an event says may be past already: a look at the table decides.
  PublishSoon(context_, table);
}

}  // namespace catalogd::coord
