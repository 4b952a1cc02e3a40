// The actors of a schedule: those who change the metastore, those who read the cache, and those who
// make trouble.
#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "tests/sim/life.h"
#include "tests/sim/world.h"

namespace catalogd::sim {
namespace {

using cache::SlotState;

constexpr Duration kWaitFor = std::chrono::seconds(2);

// A look at a name, as a read makes it: the floor first, because it is forgotten when the watermark
// has passed it.
struct Seen {
  sync::ReadPosition position;
  bool answers = false;
};

Seen LookAt(const sync::SyncCore& core, const ObjectName& name) {
  const EventId floor = core.FloorOf(name);
  Seen seen;
  seen.position = core.Look(name);
  const SlotState state = seen.position.view.state;
  const bool known = state == SlotState::kPresent || state == SlotState::kAbsent;
  seen.answers = known && core.Serves(name) && seen.position.effective >= floor;
  return seen;
}

}  // namespace

void World::SpawnClient(const std::string& name, const std::function<void()>& body) {
  ++clients_;
  scheduler_->Spawn(name, [this, body] {
    body();
    --clients_;
  });
}

void World::SpawnClients() {
  for (int i = 0; i < options_.foreigners; ++i) SpawnClient("foreign", [this] { Foreign(); });
  for (int i = 0; i < options_.locals; ++i) SpawnClient("local", [this] { Local(); });
  for (int i = 0; i < options_.readers; ++i) SpawnClient("reader", [this] { Read(); });
  for (int i = 0; i < options_.waiters; ++i) SpawnClient("waiter", [this] { Wait(); });
  if (options_.dumps > 0) SpawnClient("dumper", [this] { Dump(); });
  const bool trouble = options_.pauses || options_.resyncs || options_.cleaner || options_.restore;
  if (trouble) SpawnClient("trouble", [this] { Trouble(); });
  if (options_.late_writes > 0) scheduler_->Spawn("late writes", [this] { LateWrites(); });
}

ObjectName World::DrawDatabase() {
  const auto number = scheduler_->random().Below(static_cast<uint64_t>(options_.databases));
  return ObjectName::Database(kDefaultCatalog, "d" + std::to_string(number));
}

ObjectName World::DrawTable() {
  const auto number = scheduler_->random().Below(static_cast<uint64_t>(options_.tables));
  return ObjectName::Table(kDefaultCatalog, DrawDatabase().db(), "t" + std::to_string(number));
}

// Mostly something that is possible now, so that much happens in few operations.
Op World::DrawOp() {
  Random& random = scheduler_->random();
  Op op;
  op.packed = options_.packed && random.OneIn(2);
  op.partitioned = options_.partitions && !random.OneIn(4);
  op.cascade = random.OneIn(2);
  op.value = random.OneIn(2) ? "a" : "b";
  op.new_value = "c";
  op.name = DrawTable();
  const ObjectName db = op.name.DatabaseName();
  if (model_.Now(db) == nullptr && !random.OneIn(4)) {
    op.kind = OpKind::kCreateDatabase;
    op.name = db;
    return op;
  }
  if (options_.database_drops && random.OneIn(6)) {
    op.kind = random.OneIn(2) ? OpKind::kDropDatabase : OpKind::kAlterDatabase;
    if (op.kind == OpKind::kAlterDatabase && model_.generation() != hms::Generation::kHive3) {
      op.kind = OpKind::kCreateDatabase;  // Other versions do not announce every change.
    }
    op.name = db;
    op.cascade = !random.OneIn(4);
    return op;
  }
  const StatePtr now = model_.Now(op.name);
  if (now == nullptr && !random.OneIn(4)) {
    op.kind = OpKind::kCreateTable;
    return op;
  }
  std::vector<OpKind> kinds = {OpKind::kAlterTable, OpKind::kAlterTable, OpKind::kDropTable,
                               OpKind::kDropTable,  OpKind::kAddColumn,  OpKind::kInsert};
  if (options_.renames) kinds.insert(kinds.end(), 3, OpKind::kRenameTable);
  if (options_.partitions) {
    kinds.insert(kinds.end(),
                 {OpKind::kAddPartition, OpKind::kAddPartition, OpKind::kAddPartition,
                  OpKind::kAlterPartition, OpKind::kDropPartition, OpKind::kRenamePartition});
  }
  if (options_.odd_events) {
    kinds.insert(kinds.end(), {OpKind::kTransaction, OpKind::kStrangeType, OpKind::kPoison});
    if (model_.generation() == hms::Generation::kHive4) kinds.push_back(OpKind::kTruncate);
  }
  op.kind = kinds[random.Below(kinds.size())];
  if (op.kind == OpKind::kRenameTable) {
    do {
      op.other = DrawTable();
    } while (op.other == op.name && universe_.size() > 2);
  }
  if (op.kind == OpKind::kAlterPartition || op.kind == OpKind::kDropPartition ||
      op.kind == OpKind::kRenamePartition) {
    // One that is there.
    if (now != nullptr && !now->partitions.empty()) op.value = now->partitions.begin()->first;
  }
  return op;
}

// What the endpoint's table would lock.
std::vector<ObjectName> World::NamesOf(const Op& op) const {
  if (op.kind == OpKind::kTransaction) return {};
  if (op.kind == OpKind::kRenameTable) return {op.name, op.other};
  return {op.name};
}

void World::Foreign() {
  for (int i = 0; i < options_.foreign_ops; ++i) {
    scheduler_->Yield("foreign");
    const Op op = DrawOp();
    const OpResult result = metastore_.ApplyForeign(op);
    if (!result.done) continue;
    ++totals_.writes;
    scheduler_->Note("foreign " + op.ToString() + " is event " +
                     std::to_string(model_.current().value()));
  }
}

void World::Local() {
  for (int i = 0; i < options_.local_ops; ++i) {
    scheduler_->Yield("local");
    const Op op = DrawOp();
    const size_t number = metastore_.AddOp(op);
    ddl::DdlRequest request;
    request.message = SimMetastore::WriteMessage(op, number);
    request.method = OpKindName(op.kind);
    request.identity.user = "alice";
    request.names = NamesOf(op);
    request.peer = "sim";
    int calls = 0;
    const int era = model_.era();
    life_->ddl.Submit(std::move(request), [&](const Result<ddl::DdlOutcome>& outcome) {
      NoteAnswer(op, metastore_.ResultOf(number), outcome, era);
      ++calls;
    });
    scheduler_->Await("own write", [&] { return calls > 0; });
    if (calls > 1) oracle_.Fail("I9", "a write was answered twice");
  }
}

void World::NoteAnswer(const Op& op, const OpResult* result, const Result<ddl::DdlOutcome>& outcome,
                       int era) {
  ++totals_.writes;
  scheduler_->Note("local " + op.ToString() +
                   (outcome ? " is answered at event " + std::to_string(outcome->event.value())
                            : ": " + outcome.error().message));
  if (model_.era() != era || !oracle_.settled()) return;
  // The names of the request show what the answer says; whatever else the write touched (tables
  // of a dropped database) shows the write.
  if (outcome) oracle_.OnOwnWrite(NamesOf(op), outcome->event, era);
  if (result == nullptr || result->events.empty()) return;
  oracle_.OnOwnWrite(NamesOf(op), result->events.back(), era);
  oracle_.OnOwnWrite(result->touched, result->events.back(), era);
}

void World::Read() {
  for (int i = 0; i < options_.reads; ++i) {
    scheduler_->Yield("reader");
    const ObjectName name = universe_[scheduler_->random().Below(universe_.size())];
    switch (scheduler_->random().Below(8)) {
      case 0:
        ReadLatest(name);
        break;
      case 1:
        ReadAtLeast(name);
        break;
      case 2:
        ReadList(name.DatabaseName());
        break;
      default:
        ReadOnce(name);
    }
  }
}

void World::ReadOnce(const ObjectName& name) {
  sync::SyncCore& core = life_->core;
  const Oracle::Start start = oracle_.Begin(name);
  const auto [position, answers] = LookAt(core, name);
  oracle_.OnLook(name, start, position, answers);
  if (answers) ++totals_.answered;
  const bool load = position.view.state == SlotState::kStub ||
                    position.view.state == SlotState::kUnknown ||
                    (position.view.snapshot != nullptr && name.is_table() &&
                     position.view.snapshot->partitions == nullptr);
  if (!load || !core.Serves(name)) return;
  if (scheduler_->random().OneIn(2)) {
    core.loader().Load(name, nullptr);
    return;
  }
  int calls = 0;
  core.loader().Load(name, [&calls](const Status&) { ++calls; });
  scheduler_->Await("a load", [&calls] { return calls > 0; });
}

void World::ReadList(const ObjectName& db) {
  sync::SyncCore& core = life_->core;
  const Oracle::Start start = oracle_.Begin(db);
  const EventId watermark = core.watermark().value();
  const cache::CatalogCache::Listing listing = core.cache().Tables(db);
  const bool answers = listing.exact && core.Serves(db) && core.floors().size() == 0 &&
                       watermark >= core.FloorOf(db);
  if (answers) oracle_.OnList(db, start, watermark, listing.names);
}

void World::ReadLatest(const ObjectName& name) {
  sync::SyncCore& core = life_->core;
  const Oracle::Start start = oracle_.Begin(name);
  const EventId newest = model_.current();
  int calls = 0;
  Result<EventId> current = EventId();
  core.read_index().Ask([&](const Result<EventId>& result) {
    ++calls;
    current = result;
  });
  scheduler_->Await("the current id", [&] { return calls > 0; });
  if (!current || model_.era() != start.era || !start.settled) return;
  if (*current < newest) {
    oracle_.Fail("I4", "a read that wants the latest of " + name.ToString() + " was told event " +
                           std::to_string(current->value()) + ", but it began after event " +
                           std::to_string(newest.value()));
  }
  Status waited = Ok();
  calls = 0;
  core.waiter().Wait({name}, *current, scheduler_->now() + kWaitFor, [&](const Status& status) {
    ++calls;
    waited = status;
  });
  core.processor().Kick();
  scheduler_->Await("a floor", [&] { return calls > 0; });
  if (!waited) return;
  const Oracle::Start again = oracle_.Begin(name);
  const auto [position, answers] = LookAt(core, name);
  oracle_.OnLook(name, again, position, answers);
  if (again.epoch != start.epoch || core.cache().epoch() != start.epoch) return;
  oracle_.OnAnswerAbove(name, *current, position, "latest");
}

void World::ReadAtLeast(const ObjectName& name) {
  sync::SyncCore& core = life_->core;
  const Oracle::Start start = oracle_.Begin(name);
  const EventId target(model_.current().value() -
                       static_cast<int64_t>(scheduler_->random().Below(3)));
  int calls = 0;
  Status waited = Ok();
  core.waiter().Wait({name}, target, scheduler_->now() + kWaitFor, [&](const Status& status) {
    ++calls;
    waited = status;
  });
  scheduler_->Await("an event", [&] { return calls > 0; });
  if (!waited) return;
  const auto [position, answers] = LookAt(core, name);
  oracle_.OnLook(name, start, position, answers);
  if (core.cache().epoch() != start.epoch) return;
  oracle_.OnAnswerAbove(name, target, position, "at-least");
}

void World::Wait() {
  for (int i = 0; i < options_.waits; ++i) {
    scheduler_->Yield("waiter");
    WaitForWatermark();
  }
}

void World::WaitForWatermark() {
  sync::SyncCore& core = life_->core;
  const Oracle::Start start = oracle_.Begin(universe_.front());
  const EventId target = model_.current();
  int calls = 0;
  Status waited = Ok();
  core.waiter().Wait({}, target, scheduler_->now() + kWaitFor, [&](const Status& status) {
    ++calls;
    waited = status;
  });
  scheduler_->Await("the watermark", [&] { return calls > 0; });
  if (!waited || !start.settled) return;
  for (const ObjectName& name : universe_) {
    const Oracle::Start again = oracle_.Begin(name);
    const auto [position, answers] = LookAt(core, name);
    oracle_.OnLook(name, again, position, answers);
    if (core.cache().epoch() != start.epoch || model_.era() != start.era) return;
    oracle_.OnAnswerAbove(name, target, position, "wait");
  }
}

void World::Dump() {
  for (int i = 0; i < options_.dumps; ++i) {
    scheduler_->Sleep(std::chrono::milliseconds(scheduler_->random().Below(1500)));
    if (auto dump = oracle_.TakeDump(universe_)) dumps_.push_back(std::move(*dump));
  }
}

void World::Trouble() {
  Random& random = scheduler_->random();
  sync::SyncCore& core = life_->core;
  for (int i = 0; i < 4; ++i) {
    scheduler_->Sleep(std::chrono::milliseconds(random.Below(1200)));
    switch (random.Below(4)) {
      case 0:
        if (!options_.pauses) break;
        core.Pause(true);
        scheduler_->Sleep(std::chrono::milliseconds(random.Below(3000)));
        core.Pause(false);
        break;
      case 1:
        if (options_.resyncs && core.following()) core.RequestResync("an operator wants it");
        break;
      case 2:
        // A restored log whose row of the id that was read last is gone looks like a cleaned one.
        if (options_.cleaner && oracle_.settled()) {
          EventId to(model_.current().value() - static_cast<int64_t>(random.Below(4)));
          if (options_.reread_window > 0) {
            // What went before anything was seen looks like ids that were never used, and no real
            // cleaner is faster than a late row.
            const int64_t window = options_.reread_window;
            to = std::min(to, EventId(core.log().whole_window_to().value() - window));
          }
          model_.Clean(to);
        }
        break;
      default:
        if (options_.restore) RestoreMetastore();
    }
  }
}

void World::RestoreMetastore() {
  if (model_.era() > 0 || !life_->core.following() || model_.current() < EventId(6)) return;
  const EventId to(model_.current().value() -
                   static_cast<int64_t>(1 + scheduler_->random().Below(4)));
  // What the daemon has not seen it cannot miss.
  if (life_->core.log().fetched_to() <= to) return;
  // Of an event that was cleaned away before it was seen nothing can be recognised.
  if (!life_->core.log().newest().fingerprint) return;
  oracle_.OnRestore();
  model_.Restore(to, options_.other_uuid);
  scheduler_->Note("the metastore is restored to event " + std::to_string(to.value()));
}

void World::LateWrites() {
  while (!over_) {
    scheduler_->Await("late writes", [this] { return over_ || metastore_.has_late_writes(); });
    scheduler_->Sleep(std::chrono::milliseconds(scheduler_->random().Below(5000)));
    metastore_.FinishLateWrite();
  }
}

}  // namespace catalogd::sim
