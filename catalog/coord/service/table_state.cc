#include "catalog/coord/service/table_state.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace catalogd::coord {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

int64_t MillisOf1970() {
  static const int64_t millis = *InstantMillis(*Instant::Parse("19700101000000000"));
  return millis;
}

Action ActionOf(PlanType type) {
  switch (type) {
    case PlanType::kCompact:
      return Action::kCompaction;
    case PlanType::kLogCompact:
      return Action::kLogCompaction;
    case PlanType::kCluster:
      return Action::kClustering;
    case PlanType::kClean:
      return Action::kClean;
    case PlanType::kRollback:
      return Action::kRollback;
  }
  return Action::kCommit;
}

// Of a transaction without a plan.
Action ActionOf(OpClass op, TableType type) {
  if (op == OpClass::kOverwrite) return Action::kReplaceCommit;
  if (op == OpClass::kMajor) return Action::kCompaction;
  if (op == OpClass::kMinor) return Action::kClustering;
  return type == TableType::kCopyOnWrite ? Action::kCommit : Action::kDeltaCommit;
}

bool HasVersion(const TxnRow& txn) {
  return txn.state == TxnState::kPrepared || txn.state == TxnState::kCommitted ||
         txn.state == TxnState::kUnknown;
}

}  // namespace

int64_t CalendarMillisOfWall(int64_t wall_ms) { return MillisOf1970() + wall_ms; }
int64_t CalendarMillis(const Clock& clock) { return CalendarMillisOfWall(WallMillis(clock)); }

Result<TableState> TableState::FromStore(StoreContent content, TimePoint ready) {
  if (content.tables.size() != 1) {
    return MakeError(ErrorCode::kCorrupt, "the store has no such table");
  }
  TableState state(std::move(content.tables.front()));
  ASSIGN_OR_RETURN(state.options_, OptionsFromJson(state.record_.options));
  state.options_.check.matrix.policy = state.record_.policy;
  state.times_ = TimesAfterRestart(state.record_.clock_high_water);
  state.stored_high_water_ = state.record_.clock_high_water;
  state.durable_ = state.record_.row.id_version;
  for (HistoryRecord& history : content.history) state.Apply(std::move(history));
  for (TxnRecord& txn : content.txns) {
    txn.row = RestoreTxn(txn.row, ready);
    state.Apply(std::move(txn));
  }
  for (FileRecord& file : content.files) state.Apply(std::move(file));
  for (PlanRecord& plan : content.plans) {
    plan.row = RestoreClaim(plan.row, plan.claim_alive, ready);
    state.Apply(std::move(plan));
  }
  for (PinRecord& pin : content.pins) state.Apply(std::move(pin));
  for (PublishRecord& publication : content.publications) state.Apply(std::move(publication));
  return state;
}

ObjectName TableState::name() const {
  return ObjectName::Table(record_.catalog, record_.db, record_.name);
}

void TableState::Apply(const StoreChange& change) {
  static std::atomic<uint64_t> revisions{0};
  revision_ = ++revisions;
  std::visit(Overloaded{
                 [this](const TableRecord& table) {
                   record_ = table;
                   stored_high_water_ = table.clock_high_water;
                 },
                 [this](const PlanRecord& plan) { plans_[plan.row.id] = plan; },
                 [this](const TxnRecord& txn) { Put(txn); },
                 [this](const FileRecord& file) { Put(file); },
                 [this](const RemoveFile& file) { Remove(file); },
                 [this](const UndoFiles& undo) { Undo(undo); },
                 [this](const PinRecord& pin) { pins_[pin.token] = pin; },
                 [this](const DropPin& pin) { pins_.erase(pin.token); },
                 [this](const PublishRecord& publication) { Put(publication); },
                 [this](const DropPublish& drop) { Drop(drop); },
                 [this](const HistoryRecord& history) {
                   history_[history.id_version] = history;
                   history_txns_[history.txn_id] = history.id_version;
                 },
                 [](const AuditRecord&) {},
                 [this](const ForgetTxn& forget) { Forget(forget); },
                 [this](const ForgetPlan& forget) { plans_.erase(forget.plan_id); },
                 [this](const ForgetHistory& forget) {
                   std::erase_if(history_,
                                 [&](const auto& row) { return row.first <= forget.up_to; });
                 },
                 [](const ForgetTable&) {},
                 [](const ForgetAudit&) {},
             },
             change);
}

void TableState::Put(const TxnRecord& txn) {
  const int64_t id = txn.row.txn_id;
  const auto old = txns_.find(id);
  if (old != txns_.end() && HasVersion(old->second.row) && !HasVersion(txn.row)) {
    txn_versions_.erase(*old->second.row.id_version);
  }
  if (HasVersion(txn.row)) {
    txn_versions_[*txn.row.id_version] = id;
    CommittedTxn& change = MakeChange(*txn.row.id_version, txn.row.op);
    // An overwrite may leave partitions empty that were empty before.
    for (const std::string& partition : txn.partitions) change.partitions[partition];
  }
  if (!txn.row.idempotency_key.empty()) txn_keys_[txn.row.idempotency_key] = id;
  txns_[id] = txn;
}

void TableState::Put(const PublishRecord& publication) {
  if (publishing_ && publishing_->version == publication.version) publishing_.reset();
  if (publication.state != PublishState::kDone) {
    publishing_ = publication;
  } else if (!published_ || published_->version <= publication.version) {
    published_ = publication;
  }
}

void TableState::Drop(const DropPublish& drop) {
  if (publishing_ && publishing_->version == drop.version) publishing_.reset();
  if (published_ && published_->version == drop.version) published_.reset();
}

IdVersion TableState::VersionOf(int64_t txn_id) const {
  const auto txn = txns_.find(txn_id);
  if (txn != txns_.end()) return txn->second.row.id_version.value_or(IdVersion());
  const auto history = history_txns_.find(txn_id);
  return history == history_txns_.end() ? IdVersion() : history->second;
}

CommittedTxn* TableState::ChangeOf(IdVersion version) {
  const auto place =
      std::lower_bound(changes_.begin(), changes_.end(), version,
                       [](const CommittedTxn& change, IdVersion id) { return change.id < id; });
  return place == changes_.end() || place->id != version ? nullptr : &*place;
}

CommittedTxn& TableState::MakeChange(IdVersion version, OpClass op) {
  if (CommittedTxn* change = ChangeOf(version)) return *change;
  const auto place =
      std::lower_bound(changes_.begin(), changes_.end(), version,
                       [](const CommittedTxn& change, IdVersion id) { return change.id < id; });
  return *changes_.insert(place, CommittedTxn{version, op, {}});
}

void TableState::Put(const FileRecord& file) {
  const IdVersion added = VersionOf(file.added_by);
  const IdVersion removed = file.removed_by ? VersionOf(*file.removed_by) : IdVersion();
  files_.Add(file, added, removed);
  const auto note = [&](IdVersion version, bool adds) {
    CommittedTxn* change = ChangeOf(version);
    if (change == nullptr) return;
    PartitionChange& partition = change->partitions[file.group.partition];
    (adds ? partition.added : partition.removed).insert(file.name);
    partition.groups.insert(file.group.file_id);
  };
  note(added, true);
  if (file.removed_by) note(removed, false);
}

void TableState::Remove(const RemoveFile& file) {
  const IdVersion version = VersionOf(file.removed_by);
  const auto group = files_.Remove(file.partition, file.name, version);
  CommittedTxn* change = ChangeOf(version);
  if (change == nullptr || !group) return;
  PartitionChange& partition = change->partitions[file.partition];
  partition.removed.insert(file.name);
  partition.groups.insert(*group);
}

void TableState::Undo(const UndoFiles& undo) {
  const IdVersion version = VersionOf(undo.txn_id);
  if (version.value() == 0) return;
  files_.Undo(version);
  std::erase_if(changes_, [&](const CommittedTxn& change) { return change.id == version; });
}

void TableState::Forget(const ForgetTxn& forget) {
  const auto found = txns_.find(forget.txn_id);
  if (found == txns_.end()) return;
  const TxnRow& row = found->second.row;
  if (row.state == TxnState::kCommitted) {
    HistoryRecord history;
    history.table_id = id();
    history.txn_id = row.txn_id;
    history.op = row.op;
    history.requested = row.requested;
    history.completed = *row.completed;
    history.id_version = *row.id_version;
    history.time_version = row.time_version;
    history_[history.id_version] = history;
    history_txns_[history.txn_id] = history.id_version;
    txn_versions_.erase(history.id_version);
    std::erase_if(changes_,
                  [&](const CommittedTxn& change) { return change.id == history.id_version; });
    files_.Forget(history.id_version);
  }
  if (!row.idempotency_key.empty()) txn_keys_.erase(row.idempotency_key);
  txns_.erase(found);
}

const TxnRecord* TableState::FindTxn(int64_t txn_id) const {
  const auto found = txns_.find(txn_id);
  return found == txns_.end() ? nullptr : &found->second;
}

const TxnRecord* TableState::FindTxnByKey(const std::string& idempotency_key) const {
  const auto found = txn_keys_.find(idempotency_key);
  return found == txn_keys_.end() ? nullptr : FindTxn(found->second);
}

const TxnRecord* TableState::FindTxnOfVersion(IdVersion version) const {
  const auto found = txn_versions_.find(version);
  return found == txn_versions_.end() ? nullptr : FindTxn(found->second);
}

const PlanRecord* TableState::FindPlan(PlanId plan) const {
  const auto found = plans_.find(plan);
  return found == plans_.end() ? nullptr : &found->second;
}

std::vector<PlanRow> TableState::PlanRows() const {
  std::vector<PlanRow> rows;
  rows.reserve(plans_.size());
  for (const auto& [id, plan] : plans_) rows.push_back(plan.row);
  return rows;
}

size_t TableState::PendingPlans() const {
  return static_cast<size_t>(std::count_if(plans_.begin(), plans_.end(), [](const auto& plan) {
    return IsPending(plan.second.row.state);
  }));
}

size_t TableState::OpenTxns() const {
  return static_cast<size_t>(std::count_if(txns_.begin(), txns_.end(), [](const auto& txn) {
    return txn.second.row.state == TxnState::kOpen;
  }));
}

Result<Instant> TableState::TakeTime(const Clock& clock, bool* must_store) {
  ASSIGN_OR_RETURN(const NextTime next, coord::TakeTime(times_, CalendarMillis(clock), {}));
  times_ = next.state;
  record_.clock_high_water = times_.reserved;
  if (record_.clock_high_water > stored_high_water_) *must_store = true;
  return next.instant;
}

Result<Instant> TableState::PeekTime(const Clock& clock) const {
  ASSIGN_OR_RETURN(const NextTime next, coord::TakeTime(times_, CalendarMillis(clock), {}));
  return next.instant;
}

void TableState::SetHold(TableHold hold, std::string reason) {
  hold_ = hold;
  hold_reason_ = std::move(reason);
}

CoordStatus TableState::MayChange() const {
  const std::string table = "table " + name().ToString();
  if (record_.row.dropped) {
    return Fail(CoordCode::kTableGone, table + " was dropped or is not coordinated any more");
  }
  if (record_.corrupt) {
    return Fail(CoordCode::kTableCorrupt,
                table + " is held until an operator decides: " + hold_reason_);
  }
  switch (hold_) {
    case TableHold::kNone:
      return {};
    case TableHold::kRecovering:
      return Fail(CoordCode::kTableRecovering, table + ": " + hold_reason_);
    case TableHold::kNotOwner:
      return Fail(CoordCode::kNotOwner, table + ": " + hold_reason_);
  }
  return {};
}

Timeline TableState::MakeTimeline(IdVersion at) const {
  Timeline timeline;
  std::map<Instant, TimelineInstant> instants;
  for (const auto& [id, plan] : plans_) {
    const PlanRow& row = plan.row;
    if (row.state == PlanState::kCancelled) continue;
    TimelineInstant instant{row.requested, ActionOf(row.type), FileState::kRequested, {}};
    if (row.state != PlanState::kRequested) instant.state = FileState::kInflight;
    if (row.completion && row.completion->id_version <= at) {
      instant.state = FileState::kCompleted;
      instant.completed = row.completion->time;
    }
    instants[row.requested] = instant;
  }
  for (const auto& [id, txn] : txns_) {
    const TxnRow& row = txn.row;
    if (row.plan || row.state == TxnState::kAborted) continue;
    TimelineInstant instant{
        row.requested, ActionOf(row.op, record_.type), FileState::kInflight, {}};
    if (row.state == TxnState::kCommitted && *row.id_version <= at) {
      instant.state = FileState::kCompleted;
      instant.completed = row.completed;
    }
    instants[row.requested] = instant;
  }
  for (auto& [requested, instant] : instants) timeline.instants.push_back(std::move(instant));
  return timeline;
}

std::vector<TxnVersion> TableState::Versions(IdVersion up_to) const {
  std::vector<TxnVersion> versions;
  for (const auto& [version, txn_id] : txn_versions_) {
    const TxnRecord& txn = txns_.at(txn_id);
    if (version > up_to || txn.row.state != TxnState::kCommitted) continue;
    TxnVersion made;
    made.id = version;
    made.requested = txn.row.requested;
    made.completed = *txn.row.completed;
    made.time_version = txn.row.time_version;
    made.op = txn.row.op;
    versions.push_back(std::move(made));
  }
  return versions;
}

IdVersion TableState::floor() const {
  return history_.empty() ? IdVersion() : history_.rbegin()->first;
}

Instant TableState::floor_completed() const {
  return history_.empty() ? Instant() : history_.rbegin()->second.completed;
}

Instant TableState::CompletedAt(IdVersion version) const {
  if (const TxnRecord* txn = FindTxnOfVersion(version)) return *txn->row.completed;
  const auto history = history_.find(version);
  return history == history_.end() ? Instant() : history->second.completed;
}

}  // namespace catalogd::coord
