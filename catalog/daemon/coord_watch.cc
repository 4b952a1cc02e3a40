#include "catalog/daemon/coord_watch.h"

#include <glog/logging.h>

#include <utility>

#include "catalog/daemon/table_parameters.h"

namespace catalogd::daemon {
namespace {

constexpr size_t kDeltasAtOnce = 1000;
// Without a change; what could not be asked for is asked for again then.
constexpr auto kLookAnyway = std::chrono::seconds(30);

// A table that was dropped and made anew between two looks, as far as can be told.
bool IsAnother(const coord::ManagedTablePtr& table, const cache::SnapshotPtr& snapshot,
               const std::map<std::string, std::string>& parameters) {
  const std::string registered = [&] {
    const MutexLock lock(table->mutex);
    return table->state.options().incarnation;
  }();
  if (MayBeSame(registered, IncarnationOf(snapshot->object))) return false;
  // Whoever alters a table may write another time of its creation.
  const auto state = parameters.find(std::string(coord::kStateParameter));
  if (state == parameters.end()) return true;
  const auto published = coord::PublishedState::Parse(state->second);
  return !published || published->table_id != table->id();
}

}  // namespace

void CoordWatch::Start() {
  core_->context().on_rename = [this](const ObjectName& from, const ObjectName& to) {
    NoteRename(from, to);
  };
  position_ = core_->cache().last_version();
  workers_->SubmitAlways([this] { Look(); });
}

// Under the locks of both names and before the commit: nothing of them lies in between.
void CoordWatch::NoteRename(const ObjectName& from, const ObjectName& to) {
  const CatalogVersion after = core_->cache().last_version();
  const MutexLock lock(mutex_);
  noted_.push_back({from, to, after});
}

void CoordWatch::TakeRenames(std::deque<Rename>* waiting) {
  const MutexLock lock(mutex_);
  waiting->insert(waiting->end(), noted_.begin(), noted_.end());
  noted_.clear();
}

void CoordWatch::TellRenames(CatalogVersion up_to) {
  while (!renames_.empty() && renames_.front().after <= up_to) {
    const Rename rename = std::move(renames_.front());
    renames_.pop_front();
    if (coordinator_->context.tables.FindName(rename.from) == nullptr) continue;
    coordinator_->tables.OnRenamed(rename.from, rename.to);
  }
}

void CoordWatch::Look() {
  while (!stopping_) {
    // Changes first: the renames that belong to them have been noted by then.
    const auto deltas = core_->cache().deltas().Since(position_, kDeltasAtOnce);
    const CatalogVersion newest = core_->cache().last_version();
    TakeRenames(&renames_);
    if (!deltas) {
      TellRenames(newest);
      position_ = newest;
      looked_at_all_ = false;
      break;
    }
    if (deltas->empty()) {
      TellRenames(position_);
      break;
    }
    for (const cache::Delta& delta : *deltas) {
      TellRenames(CatalogVersion(delta.version.value() - 1));
      See(delta.name, delta.state, delta.snapshot, delta.synced);
      position_ = delta.version;
    }
  }
  if (core_->following() && (!looked_at_all_ || looked_in_ != core_->cache().epoch())) LookAtAll();
  for (const ObjectName& name : std::exchange(doubts_, {})) SeeGone(name);
  LookAgainLater();
}

void CoordWatch::LookAgainLater() {
  if (stopping_) return;
  const TimePoint deadline = core_->context().clock->Now() + kLookAnyway;
  core_->version_waiter().Wait(position_, deadline,
                               [this] { workers_->SubmitAlways([this] { Look(); }); });
}

void CoordWatch::LookAtAll() {
  looked_at_all_ = true;
  looked_in_ = core_->cache().epoch();
  for (const coord::ManagedTablePtr& table : coordinator_->context.tables.All()) {
    ObjectName name = [&] {
      const MutexLock lock(table->mutex);
      return table->state.name();
    }();
    if (coordinator_->context.tables.FindName(name) != table) continue;  // Gone already.
    const cache::SlotView view = core_->cache().Lookup(name);
    See(name, view.state, view.snapshot, view.synced);
  }
}

void CoordWatch::See(const ObjectName& name, cache::SlotState state,
                     const cache::SnapshotPtr& snapshot, EventId synced) {
  if (!name.is_table()) return;
  const coord::ManagedTablePtr table = coordinator_->context.tables.FindName(name);
  if (table == nullptr) return;
  if (state == cache::SlotState::kAbsent) return SeeGone(name);
  if (snapshot == nullptr) {
    // Its parameters are seen once it is loaded.
    if (core_->following() && state == cache::SlotState::kStub) core_->loader().Load(name, {});
    return;
  }
  const auto parameters = ParametersOf(snapshot->object);
  if (IsAnother(table, snapshot, parameters)) {
    LOG(INFO) << "coordination: " << name.ToString() << " is another table now";
    coordinator_->tables.OnGone(name);
    return;
  }
  coordinator_->tables.OnParameters(name, parameters, synced);
}

void CoordWatch::SeeGone(const ObjectName& name) {
  if (coordinator_->context.tables.FindName(name) == nullptr || !core_->following()) return;
  const auto read = publisher_->Read(name, core_->context().CallDeadline());
  if (read) return;  // It has come back, and its change is on its way.
  if (read.error().code != ErrorCode::kNotFound) {
    doubts_.insert(name);
    return;
  }
  coordinator_->tables.OnGone(name);
}

}  // namespace catalogd::daemon
