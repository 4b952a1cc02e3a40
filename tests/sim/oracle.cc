#include "tests/sim/oracle.h"

#include <algorithm>
#include <utility>

namespace catalogd::sim {
namespace {

constexpr size_t kJournalEntries = 40;

std::string Text(EventId id) { return std::to_string(id.value()); }

bool Exists(cache::SlotState state) {
  return state == cache::SlotState::kPresent || state == cache::SlotState::kStub;
}

}  // namespace

void Oracle::Fail(const std::string& invariant, const std::string& text) {
  scheduler_->Note("VIOLATION of " + invariant + ": " + text);
  violations_.push_back(invariant + ": " + text);
  if (core_ != nullptr && violations_.size() == 1) NoteJournal();
}

// What the daemon itself would tell somebody who asks how it came to this.
void Oracle::NoteJournal() {
  for (const sync::JournalEntry& entry : core_->journal().Recent(kJournalEntries)) {
    scheduler_->Note("journal: " + Text(entry.event) + " " + entry.type + " " +
                     entry.name.ToString() + " " + entry.action + " by " + entry.by + ": " +
                     entry.reason);
  }
}

void Oracle::Attach(sync::SyncCore* core) {
  core_ = core;
  for (auto& [name, shown] : shown_) {
    shown.effective = EventId();
    shown.synced = EventId();
  }
}

bool Oracle::settled() const {
  return !unsettled_since_ || (core_->cache().epoch() != *unsettled_since_ && core_->following());
}

Oracle::Start Oracle::Begin(const ObjectName& name) const {
  Start start;
  start.epoch = core_->cache().epoch();
  start.era = model_->era();
  start.settled = settled();
  start.following = core_->following();
  if (const auto it = shown_.find(name); it != shown_.end() && it->second.epoch == start.epoch) {
    start.effective = it->second.effective;
    start.synced = it->second.synced;
    start.answered = it->second.answered;
  }
  if (const auto it = shown_.find(name); it != shown_.end()) start.version = it->second.version;
  if (const auto it = own_writes_.find(name); it != own_writes_.end()) {
    if (it->second.second == model_->era()) start.own_write = it->second.first;
  }
  return start;
}

void Oracle::OnLook(const ObjectName& name, const Start& start, const sync::ReadPosition& position,
                    bool answers) {
  if (core_->cache().epoch() != start.epoch) return;
  ++checks_;
  const cache::SlotView& view = position.view;
  const std::string where = name.ToString() + " at " + Text(position.effective) + " (synced " +
                            Text(view.synced) + ", version " +
                            std::to_string(view.version.value()) + ", " +
                            std::string(cache::SlotStateName(view.state)) + ")";
  // Where a new log begins the watermark falls first, the epoch rises then; nothing is answered.
  if (position.effective < start.effective && (answers || core_->following())) {
    Fail("I2", where + ", which was shown at " + Text(start.effective) + " before");
  }
  if (answers && position.effective < start.answered) {
    Fail("I2", where + ", which was answered at " + Text(start.answered) + " before");
  }
  if (view.synced < start.synced) {
    Fail("I2", where + ", whose synced id was " + Text(start.synced) + " before");
  }
  // A name whose tombstone was collected has no version.
  if (view.version != CatalogVersion() && view.version < start.version) {
    Fail("I2", where + ", which had version " + std::to_string(start.version.value()) + " before");
  }
  Shown& shown = shown_[name];
  if (shown.epoch != start.epoch) {
    const CatalogVersion version = shown.version;
    shown = {};
    shown.version = version;
    shown.epoch = start.epoch;
  }
  shown.effective = std::max(shown.effective, position.effective);
  shown.synced = std::max(shown.synced, view.synced);
  if (answers) shown.answered = std::max(shown.answered, position.effective);
  shown.version = std::max(shown.version, view.version);
  if (!start.settled || !settled() || !start.following || !core_->following()) return;
  if (model_->era() != start.era) return;
  // Such a log promises this only up to the window.
  if (options_->late_rows) return;
  if (answers && position.effective < start.own_write) {
    Fail("I3", where + " after an own write at " + Text(start.own_write));
  }
  CheckContent(name, view, position.effective, where);
  CheckIncarnation(name, view, position.effective, &shown);
}

void Oracle::CheckContent(const ObjectName& name, const cache::SlotView& view, EventId at,
                          const std::string& where) {
  if (view.state == cache::SlotState::kUnknown) return;
  const StatePtr expected = model_->At(name, at);
  if (Exists(view.state) != (expected != nullptr)) {
    Fail("I5", where + ", but it " + (expected ? "exists" : "does not exist") + " then");
    return;
  }
  if (view.state != cache::SlotState::kPresent) return;
  if (Canonical(wire::TType::kStruct, view.snapshot->object) != expected->canonical) {
    Fail("I1", where + " shows " + Canonical(wire::TType::kStruct, view.snapshot->object) +
                   ", but the log says " + expected->canonical);
    return;
  }
  if (name.is_table()) CheckPartitions(name, *view.snapshot, *expected, at, where);
}

void Oracle::CheckPartitions(const ObjectName& name, const cache::Snapshot& shown,
                             const ObjectState& expected, EventId at, const std::string& where) {
  if (shown.partitions == nullptr) return;
  const std::vector<std::string> names = shown.partitions->Names(-1);
  if (names.size() != expected.partition_canonical.size()) {
    Fail("I1", where + " has " + std::to_string(names.size()) + " partitions, but the log says " +
                   std::to_string(expected.partition_canonical.size()));
    return;
  }
  for (const auto& [partition, canonical] : expected.partition_canonical) {
    std::string bytes;
    const bool there = shown.partitions->AppendPartition(partition, &bytes);
    const std::string seen = there ? Canonical(wire::TType::kStruct, bytes) : "nothing";
    if (seen == canonical) continue;
    Fail("I1", where + ": partition " + partition + " of " + name.ToString() + " shows " + seen +
                   ", but the log says " + canonical + " at " + Text(at));
    return;
  }
}

// What was created anew is another object, and is shown as one.
void Oracle::CheckIncarnation(const ObjectName& name, const cache::SlotView& view, EventId at,
                              Shown* shown) {
  if (!Exists(view.state)) return;
  const StatePtr expected = model_->At(name, at);
  if (expected == nullptr) return;
  const auto [it, is_new] = shown->incarnations.emplace(view.incarnation, expected->created);
  if (is_new || it->second == expected->created) return;
  Fail("I5", name.ToString() + " of event " + Text(expected->created) + " has the incarnation " +
                 Text(view.incarnation) + ", as had the one of event " + Text(it->second));
}

void Oracle::OnAnswerAbove(const ObjectName& name, EventId floor,
                           const sync::ReadPosition& position, const char* what) {
  ++checks_;
  if (position.effective >= floor) return;
  Fail("I4", std::string(what) + ": " + name.ToString() + " is at " + Text(position.effective) +
                 ", below " + Text(floor));
}

bool Oracle::CouldBe(const ObjectName& name, bool exists, EventId from, EventId to) const {
  if ((model_->At(name, from) != nullptr) == exists) return true;
  for (const EventId id : model_->EventsOf(name)) {
    if (id > from && id <= to && (model_->At(name, id) != nullptr) == exists) return true;
  }
  return false;
}

void Oracle::OnList(const ObjectName& db, const Start& start, EventId watermark,
                    const std::vector<std::string>& names) {
  if (!start.settled || !settled() || options_->late_rows) return;
  if (core_->cache().epoch() != start.epoch || model_->era() != start.era) return;
  ++checks_;
  const EventId now = model_->current();
  const auto listed = [&](const ObjectName& name) {
    return std::find(names.begin(), names.end(), name.table()) != names.end();
  };
  for (int i = 0; i < options_->tables; ++i) {
    const ObjectName name = ObjectName::Table(kDefaultCatalog, db.db(), "t" + std::to_string(i));
    if (CouldBe(name, listed(name), watermark, now)) continue;
    Fail("I1", "the list of " + db.ToString() + " at " + Text(watermark) +
                   (listed(name) ? " has " : " lacks ") + name.ToString());
  }
  for (const Model::Rename& rename : model_->renames()) {
    if (rename.id <= watermark || rename.from.DatabaseName() != db ||
        rename.to.DatabaseName() != db) {
      continue;
    }
    const auto touched = [&](const ObjectName& name) {
      const auto ids = model_->EventsOf(name);
      return std::any_of(ids.begin(), ids.end(),
                         [&](EventId id) { return id > watermark && id != rename.id; });
    };
    if (touched(rename.from) || touched(rename.to)) continue;
    if (listed(rename.from) != listed(rename.to)) continue;
    Fail("I1", "the list of " + db.ToString() + " shows " +
                   (listed(rename.from) ? "both ends" : "no end") + " of the rename of event " +
                   Text(rename.id));
  }
}

void Oracle::OnOwnWrite(const std::vector<ObjectName>& names, EventId at, int era) {
  for (const ObjectName& name : names) {
    auto& [event, of_era] = own_writes_[name];
    event = of_era == era ? std::max(event, at) : at;
    of_era = era;
  }
}

std::optional<Oracle::Dump> Oracle::TakeDump(const std::vector<ObjectName>& universe) const {
  Dump dump;
  dump.version = core_->cache().last_version();
  for (const ObjectName& name : universe) dump.slots[name] = core_->cache().Lookup(name);
  if (core_->cache().last_version() != dump.version) return std::nullopt;
  return dump;
}

void Oracle::CheckDeltas(const Dump& from, const std::vector<ObjectName>& universe) {
  const auto deltas = core_->cache().deltas().Since(from.version, 1U << 20U);
  if (!deltas) {
    scheduler_->Note("a gap in the deltas");
    return;
  }
  ++checks_;
  std::map<ObjectName, cache::SlotView> slots = from.slots;
  CatalogVersion last = from.version;
  for (const cache::Delta& delta : *deltas) {
    if (delta.version < last) Fail("I8", "deltas are not in the order of their versions");
    last = delta.version;
    cache::SlotView& slot = slots[delta.name];
    slot.state = delta.state;
    slot.synced = delta.synced;
    slot.snapshot = delta.snapshot;
  }
  for (const ObjectName& name : universe) {
    const cache::SlotView now = core_->cache().Lookup(name);
    const cache::SlotView& replayed = slots[name];
    const bool collected = now.version == CatalogVersion();
    const bool same_state =
        now.state == replayed.state || (collected && !Exists(replayed.state) && !Exists(now.state));
    if (same_state && (collected || now.snapshot == replayed.snapshot) &&
        (collected || now.synced == replayed.synced)) {
      continue;
    }
    Fail("I8", "replaying the deltas since version " + std::to_string(from.version.value()) +
                   " makes " + name.ToString() + " " +
                   std::string(cache::SlotStateName(replayed.state)) + " at " +
                   Text(replayed.synced) + "; it is " +
                   std::string(cache::SlotStateName(now.state)) + " at " + Text(now.synced));
  }
}

void Oracle::CheckEnd(const std::vector<ObjectName>& universe) {
  for (const ObjectName& name : universe) {
    ++checks_;
    const sync::ReadPosition position = core_->Look(name);
    const std::string where = "in the end " + name.ToString() + " is " +
                              std::string(cache::SlotStateName(position.view.state)) + " at " +
                              Text(position.effective);
    if (!core_->Serves(name)) Fail("I6", where + " and is not served");
    if (position.effective < core_->FloorOf(name)) {
      Fail("I6", where + ", below its floor " + Text(core_->FloorOf(name)));
    }
    if (position.effective != model_->current()) {
      Fail("I6", where + ", but the log ends at " + Text(model_->current()));
      continue;
    }
    const bool known = position.view.state == cache::SlotState::kPresent ||
                       position.view.state == cache::SlotState::kAbsent;
    if (!known) Fail("I6", where + " though it was loaded");
    CheckContent(name, position.view, position.effective, where);
  }
}

}  // namespace catalogd::sim
