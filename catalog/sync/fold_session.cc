#include "catalog/sync/fold_session.h"

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "catalog/sync/payload_verifier.h"

namespace catalogd::sync {

FoldSession::FoldSession(SyncContext* context, const cache::NameGuard& guard, std::string_view by,
                         LogEpoch epoch)
    : context_(context), guard_(guard), by_(by), epoch_(epoch) {}

FoldState& FoldSession::StateOf(const ObjectName& name) {
  const auto [it, is_new] = states_.try_emplace(name);
  if (is_new) {
    it->second.view = context_->cache->Lookup(name);
    it->second.base = it->second.view.synced;
  }
  return it->second;
}

std::vector<ObjectName> FoldSession::NamesTouched(const events::Event& event) const {
  std::vector<ObjectName> names;
  if (event.name.db().empty()) return names;
  if (event.old_name) names.push_back(*event.old_name);
  names.push_back(event.name);
  if (event.kind != events::EventKind::kDropDatabase) return names;
  for (ObjectName& table : context_->cache->TablesToDrop(event.name)) {
    names.push_back(std::move(table));
  }
  // Tables that were created in this fold and are not published yet.
  for (const auto& [name, state] : states_) {
    const bool below = name.is_table() && name.DatabaseName() == event.name;
    if (below && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void FoldSession::Apply(const events::EventPtr& event) {
  ++events_;
  if (!event->CrossesNames()) {
    if (!event->name.db().empty()) Fold(event->name, event, nullptr);
    return;
  }
  if (!event->old_name) {
    for (const ObjectName& name : NamesTouched(*event)) Fold(name, event, nullptr);
    return;
  }
  MARK("fold.rename");
  const cache::SlotView from = StateOf(*event->old_name).view;
  const bool source_known = event->id > from.synced;
  if (source_known) renames_.emplace_back(*event->old_name, event->name);
  Fold(*event->old_name, event, nullptr);
  // When the old end is past this event already, what it was called before is not known any more.
  const cache::SlotView unknown;
  Fold(event->name, event, source_known ? &from : &unknown);
}

void FoldSession::PassOver(const events::EventPtr& event) {
  MARK("fold.pass_over");
  ++events_;
  context_->counters->events_merged.fetch_add(1, std::memory_order_relaxed);
  FoldOptions options = context_->fold;
  options.decide.payload = PayloadMode::kStub;
  FoldState& state = StateOf(event->name);
  const bool is_new = event->id > state.view.synced;
  Decision decision = FoldEvent(event->name, *event, nullptr, options, &state);
  if (is_new) NoteSwitch(event->name, *event, decision, &state);
  decision.reason = "a later event replaces it";
  Note(event->name, *event, decision);
}

void FoldSession::Settle(const ObjectName& name, cache::SlotState state, EventId id,
                         EventId incarnation, const std::string& reason) {
  FoldState& folded = StateOf(name);
  folded.changed = folded.changed || state != folded.view.state;
  folded.view.state = state;
  if (state != cache::SlotState::kPresent) folded.view.snapshot = nullptr;
  folded.view.synced = std::max(folded.view.synced, id);
  folded.why = {};
  folded.reason = reason;
  folded.sync = cache::SyncSwitch::kUnset;  // To be seen when it is loaded.
  if (incarnation == EventId()) return;
  folded.new_incarnation = true;
  folded.view.incarnation = incarnation;
}

void FoldSession::Start(const ObjectName& name, cache::SnapshotPtr read, EventId lo, EventId hi) {
  FoldState& state = StateOf(name);
  state.view.state = read == nullptr ? cache::SlotState::kAbsent : cache::SlotState::kPresent;
  state.view.snapshot = std::move(read);
  state.view.synced = lo;
  state.view.checks_from = hi;
  state.changed = true;
  state.why = {};
  state.reason = "loaded";
  if (context_->following == nullptr || state.view.snapshot == nullptr) return;
  state.sync = state.view.snapshot->sync;
  // Of a database there is nothing to be saved.
  if (name.is_database() || !context_->following->DisabledWith(name, *state.sync)) return;
  MARK("fold.disabled_load");
  state.view.state = cache::SlotState::kStub;
  state.view.snapshot = nullptr;
  state.why = {};
  state.reason = "following is switched off";
}

void FoldSession::ApplyTo(const ObjectName& name, const events::EventPtr& event) {
  const cache::SlotView unknown;
  Fold(name, event, event->old_name ? &unknown : nullptr);
}

void FoldSession::Fold(const ObjectName& name, const events::EventPtr& event,
                       const cache::SlotView* renamed_from) {
  FoldState& state = StateOf(name);
  if (context_->following == nullptr || event->id <= state.view.synced) {
    Note(name, *event, FoldEvent(name, *event, renamed_from, context_->fold, &state));
    return;
  }
  const bool was_disabled = IsDisabled(name, state);
  FoldOptions options = context_->fold;
  if (was_disabled) options.decide.payload = PayloadMode::kStub;
  Decision decision = FoldEvent(name, *event, renamed_from, options, &state);
  NoteSwitch(name, *event, decision, &state);
  const bool disabled = IsDisabled(name, state);
  if (was_disabled || disabled) {
    MARK("fold.disabled");
    context_->counters->disabled_events.fetch_add(1, std::memory_order_relaxed);
  }
  if (disabled && decision.action == Action::kPutTable) {
    state.view.state = cache::SlotState::kStub;
    state.view.snapshot = nullptr;
    decision.action = Action::kMakeStub;
  }
  if (disabled && decision.action == Action::kMakeStub && !decision.contradiction) {
    decision.reason = "following is switched off";
  }
  Note(name, *event, decision);
}

bool FoldSession::IsDisabled(const ObjectName& name, const FoldState& state) const {
  return state.sync ? context_->following->DisabledWith(name, *state.sync)
                    : context_->following->Disabled(name);
}

// Where an event has no image, parameters will be seen when the object is loaded.
void FoldSession::NoteSwitch(const ObjectName& name, const events::Event& event,
                             const Decision& decision, FoldState* state) {
  using events::EventKind;
  constexpr auto kUnset = cache::SyncSwitch::kUnset;
  switch (event.kind) {
    case EventKind::kDropDatabase:
    case EventKind::kDropTable:
      state->sync = kUnset;
      return;
    case EventKind::kCreateDatabase:
    case EventKind::kAlterDatabase:
      state->sync =
          event.database_image ? cache::SyncSwitchOfDatabase(*event.database_image) : kUnset;
      return;
    case EventKind::kCreateTable:
    case EventKind::kAlterTable:
      if (name != event.name || !event.table_image) {  // Renamed away, or nothing to be seen.
        state->sync = kUnset;
      } else if (decision.action == Action::kPutTable) {
        state->sync = state->view.snapshot->sync;  // The same, and read already.
      } else {
        state->sync = cache::SyncSwitchOfTable(*event.table_image);
      }
      return;
    default:
      return;
  }
}

void FoldSession::Note(const ObjectName& name, const events::Event& event,
                       const Decision& decision) {
  if (context_->verifier != nullptr &&
      (decision.action == Action::kPutTable || decision.action == Action::kPatchPartitions)) {
    believed_.insert(name);
  }
  ++actions_.at(static_cast<size_t>(decision.action));
  if (decision.contradiction) {
    MARK("fold.contradiction");
    context_->counters->contradictions.fetch_add(1, std::memory_order_relaxed);
  }
  notes_.push_back({&event, name, decision});
}

// Once per session: every lane writes to the same journal and counters.
void FoldSession::PublishNotes() {
  SyncCounters& counters = *context_->counters;
  counters.events_applied.fetch_add(events_, std::memory_order_relaxed);
  for (size_t i = 0; i < actions_.size(); ++i) {
    if (actions_[i] != 0) counters.actions[i].fetch_add(actions_[i], std::memory_order_relaxed);
  }
  if (!notes_.empty()) context_->journal->AddAll(notes_, by_);
  events_ = 0;
  actions_ = {};
  notes_.clear();
}

void FoldSession::AdvanceTo(const std::vector<ObjectName>& names, EventId id) {
  for (const ObjectName& name : names) {
    FoldState& state = StateOf(name);
    state.view.synced = std::max(state.view.synced, id);
  }
}

void FoldSession::MakeStub(const ObjectName& name, EventId id, const std::string& reason) {
  FoldState& state = StateOf(name);
  state.view.synced = std::max(state.view.synced, id);
  state.void_reads = true;
  state.changed = true;
  state.why = {};
  state.reason = reason;
  if (state.view.state != cache::SlotState::kPresent) return;
  state.view.state = cache::SlotState::kStub;
  state.view.snapshot = nullptr;
}

void FoldSession::MakeUnknown(const ObjectName& name, EventId id, const std::string& reason) {
  FoldState& state = StateOf(name);
  state.view.synced = std::max(state.view.synced, id);
  state.view.state = cache::SlotState::kUnknown;
  state.view.snapshot = nullptr;
  state.void_reads = true;
  state.changed = true;
  state.why = {};
  state.reason = reason;
}

CatalogVersion FoldSession::Commit() {
  PublishNotes();
  std::vector<cache::SlotChange> changes;
  changes.reserve(states_.size());
  for (const auto& [name, state] : states_) {
    // Skipped events leave nothing to publish: not even a version.
    if (state.changed || state.view.synced > state.base) changes.push_back(ToChange(name, state));
  }
  if (changes.empty()) return {};
  // Before the commit: nobody may find content that is not followed and take it for current.
  for (const auto& [name, state] : states_) {
    if (state.sync && context_->following != nullptr) context_->following->Note(name, *state.sync);
  }
  if (context_->on_rename) {
    for (const auto& [from, to] : renames_) context_->on_rename(from, to);
  }
  const CatalogVersion version = context_->cache->Commit(guard_, std::move(changes), epoch_);
  for (const ObjectName& name : believed_) {
    const bool present = states_.at(name).view.state == cache::SlotState::kPresent;
    if (present) context_->verifier->OnBelieved(name);
  }
  return version;
}

}  // namespace catalogd::sync
