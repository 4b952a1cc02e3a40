#include "tests/scenario/show.h"

#include <algorithm>
#include <utility>

#include "tests/scenario/objects.h"

namespace catalogd::scenario {
namespace {

// The store begins a range of 2^36 versions with every opening.
constexpr int kVersionBits = 36;

std::string Id(EventId id) {
  if (id == sync::Floors::kNever) return "#never";
  return "#" + std::to_string(id.value());
}

std::string Version(CatalogVersion version) {
  return "v" + std::to_string(version.value() & ((int64_t{1} << kVersionBits) - 1));
}

std::string OrNothing(std::string text) { return text.empty() ? "nothing\n" : text; }

}  // namespace

std::string Show::Row(const hms::NotificationEvent& row) {
  std::string text = Id(row.id) + " " + row.type;
  if (row.db) text += " " + *row.db + (row.table ? "." + *row.table : "");
  return text;
}

Result<std::string> Show::Print(const std::vector<std::string>& words) {
  const std::string what = words.size() > 1 ? words[1] : "";
  const std::vector<std::string> rest(words.begin() + std::min<int64_t>(2, words.size()),
                                      words.end());
  if (what == "log") return OrNothing(Log());
  if (what == "calls") return OrNothing(Calls(!rest.empty()));
  if (!world_->is_open()) {
    return MakeError(ErrorCode::kInvalidArgument, "show " + what + ": no daemon yet; start one");
  }
  if (what == "slots") return OrNothing(Slots(rest));
  if (what == "status") return Status();
  if (what == "locks") return OrNothing(Locks());
  if (what == "floors") return OrNothing(Floors());
  if (what == "journal") return OrNothing(Journal());
  if (what == "deltas") return OrNothing(Deltas());
  if (what == "versions") {
    const int64_t version = world_->core->cache().last_version().value();
    return "opening " + std::to_string(version >> kVersionBits) + ", " +
           Version(CatalogVersion(version)) + "\n";
  }
  if (what == "counters") return OrNothing(Counters());
  return MakeError(ErrorCode::kInvalidArgument, "show what? not: " + what);
}

void Show::StartOver() {
  journal_shown_ = world_->core->journal().Recent(SIZE_MAX).size();
  deltas_shown_ = world_->core->cache().last_version();
  counted_.clear();
  Counters();
  Calls(true);
}

std::string Show::Slot(const ObjectName& name, bool always) const {
  const cache::SlotView view = world_->core->cache().Lookup(name);
  if (!always && view.state == cache::SlotState::kAbsent && view.version == CatalogVersion()) {
    return "";
  }
  std::string text =
      name.ToString() + " " + std::string(cache::SlotStateName(view.state)) + " " + Id(view.synced);
  if (view.version == CatalogVersion()) text += " (no slot)";
  if (view.snapshot != nullptr) text += " " + DescribeSnapshot(name, *view.snapshot);
  return text + "\n";
}

std::string Show::Slots(const std::vector<std::string>& names) const {
  std::string text;
  if (names.empty()) {
    for (const ObjectName& name : world_->names()) text += Slot(name, false);
    return text;
  }
  for (const std::string& word : names) {
    const auto name = ParseObjectName(word);
    text += name ? Slot(*name, true) : name.error().message + "\n";
  }
  return text;
}

std::string Show::Status() const {
  const sync::FollowStatus status = world_->core->status();
  std::string text = status.ready ? "ready" : status.pure_proxy ? "pure proxy" : "not ready";
  text += ", " + std::string(events::ProcessorStateName(status.state)) + ", epoch " +
          std::to_string(status.epoch.value()) + ", watermark " + Id(status.watermark) +
          ", latest " + Id(status.latest_event_id);
  if (status.lag_events > 0) text += ", behind by " + std::to_string(status.lag_events);
  if (!status.reason.empty()) text += ": " + status.reason;
  return text + "\n";
}

std::string Show::Log() const {
  std::string text;
  for (const auto& row : world_->metastore.log().log()) text += Row(row) + "\n";
  return text;
}

std::string Show::Locks() const {
  std::string text;
  for (const auto& lock : world_->core->locks().Snapshot()) {
    text += lock.owner + (lock.granted ? " holds" : " waits for");
    for (const auto& [name, mode] : lock.names) {
      text += " " + name.ToString();
      if (mode == cache::LockMode::kShared) text += "(shared)";
    }
    text += "\n";
  }
  return text;
}

std::string Show::Floors() const {
  std::string text;
  for (const ObjectName& name : world_->names()) {
    text += name.ToString() + " " + Id(world_->core->FloorOf(name)) + "\n";
  }
  return text;
}

std::string Show::Journal() {
  std::vector<sync::JournalEntry> entries = world_->core->journal().Recent(SIZE_MAX);
  std::reverse(entries.begin(), entries.end());
  std::string text;
  for (size_t i = journal_shown_; i < entries.size(); ++i) {
    const sync::JournalEntry& entry = entries[i];
    if (entry.event != EventId()) text += Id(entry.event) + " ";
    text += entry.type;
    if (!entry.name.db().empty()) text += " " + entry.name.ToString();
    if (!entry.action.empty()) text += ": " + entry.action;
    if (!entry.reason.empty()) text += ": " + entry.reason;
    text += " (" + entry.by + ")\n";
  }
  journal_shown_ = entries.size();
  return text;
}

std::string Show::Deltas() {
  const auto deltas = world_->core->cache().deltas().Since(deltas_shown_, SIZE_MAX);
  const CatalogVersion newest = world_->core->cache().last_version();
  if (!deltas) {
    deltas_shown_ = newest;
    return "a gap: start over from the whole state\n";
  }
  std::string text;
  for (const cache::Delta& delta : *deltas) {
    text += Version(delta.version) + " " + delta.name.ToString() + " " +
            std::string(cache::SlotStateName(delta.state)) + " " + Id(delta.synced);
    if (std::exchange(incarnations_[delta.name], delta.incarnation) != delta.incarnation) {
      text += " (object of " + Id(delta.incarnation) + ")";
    }
    text += (delta.reason.empty() ? "" : ": " + delta.reason) + "\n";
  }
  deltas_shown_ = newest;
  return text;
}

std::string Show::Calls(bool all) {
  std::string text;
  for (const auto& [call, count] : world_->metastore.TakeCalls()) {
    if (!all && (call == "get_current_notificationEventId" || call == "get_next_notification")) {
      continue;
    }
    text += call + " " + std::to_string(count) + "\n";
  }
  return text;
}

std::string Show::Counters() {
  const sync::SyncCounters& counters = world_->core->counters();
  const std::vector<std::pair<std::string, const std::atomic<uint64_t>*>> all = {
      {"events applied", &counters.events_applied},
      {"malformed events", &counters.malformed_events},
      {"contradictions", &counters.contradictions},
      {"object reads", &counters.object_reads},
      {"loads", &counters.loads},
      {"load failures", &counters.load_failures},
      {"load retries", &counters.load_retries},
      {"writes not brought up", &counters.ddl_not_brought_up},
      {"unknown outcomes", &counters.unknown_outcomes},
      {"log conditions", &counters.log_conditions},
      {"verified payloads", &counters.verified_payloads},
      {"payload differences", &counters.payload_differences},
      {"differences", &counters.differences},
      {"resyncs", &counters.resyncs}};
  std::string text;
  const auto add = [&](const std::string& name, uint64_t value) {
    const uint64_t before = std::exchange(counted_[name], value);
    if (value > before) text += name + " " + std::to_string(value - before) + "\n";
  };
  for (const auto& [name, counter] : all) add(name, counter->load());
  for (int i = 0; i < sync::kActionCount; ++i) {
    add(std::string(sync::ActionName(static_cast<sync::Action>(i))),
        counters.actions[static_cast<size_t>(i)].load());
  }
  return text;
}

namespace {

std::string ComparePartitions(const ObjectName& name, const cache::Snapshot& snapshot,
                              hms::Metastore& truth) {
  const auto read = truth.ReadPartitions(name, TimePoint::max());
  if (!read) return name.ToString() + ": " + read.error().message + "\n";
  std::vector<std::string> cached;
  snapshot.partitions->ForEach([&](std::string_view, const auto& append) {
    append(&cached.emplace_back());
    return true;
  });
  if (cached.size() != read->size()) {
    return name.ToString() + ": " + std::to_string(cached.size()) + " partitions cached, " +
           std::to_string(read->size()) + " in the metastore\n";
  }
  std::string text;
  for (const std::string& partition : *read) {
    const bool found = std::any_of(cached.begin(), cached.end(), [&](const std::string& mine) {
      return SamePartition(mine, partition);
    });
    if (!found) text += name.ToString() + ": partition " + DescribePartition(partition) + "\n";
  }
  return text;
}

std::string CompareName(const ObjectName& name, const cache::SlotView& view,
                        hms::Metastore& truth) {
  const auto read = name.is_database() ? truth.ReadDatabase(name, TimePoint::max())
                                       : truth.ReadTable(name, TimePoint::max());
  const bool exists =
      view.state == cache::SlotState::kPresent || view.state == cache::SlotState::kStub;
  if (view.state == cache::SlotState::kUnknown) return "";
  if (exists != read.has_value()) {
    return name.ToString() + ": cache says " + std::string(cache::SlotStateName(view.state)) +
           ", the metastore " + (read ? "has it" : "has none") + "\n";
  }
  if (view.state != cache::SlotState::kPresent) return "";
  const bool same = name.is_database() ? SameDatabase(view.snapshot->object, *read)
                                       : SameTable(view.snapshot->object, *read);
  if (!same) {
    return name.ToString() + ": cache has " + DescribeSnapshot(name, *view.snapshot) +
           ", the metastore " +
           (name.is_database() ? DescribeDatabase(*read) : DescribeTable(*read)) + "\n";
  }
  if (name.is_database() || view.snapshot->partitions == nullptr) return "";
  return ComparePartitions(name, *view.snapshot, truth);
}

}  // namespace

std::string CompareWithTruth(World* world) {
  std::string text;
  for (const ObjectName& name : world->names()) {
    text += CompareName(name, world->core->cache().Lookup(name), world->metastore.truth());
  }
  return text;
}

}  // namespace catalogd::scenario
