#include "catalog/coord/service/plan_clean.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "catalog/coord/plan_inputs.h"
#include "catalog/coord/service/group_histories.h"
#include "catalog/coord/service/infos.h"

namespace catalogd::coord {
namespace {

std::string PathOf(const std::string& partition, const std::string& name) {
  return partition.empty() ? name : partition + "/" + name;
}

// What readers may still ask for.
struct Permitted {
  IdVersion oldest;          // Every version from here on.
  std::set<IdVersion> held;  // And these.
  CleanRules rules;

  [[nodiscard]] bool Reads(const FileEntry& file) const {
    if (file.removed.value() == 0 || file.removed > oldest) return true;
    const auto held_from = held.lower_bound(file.added);
    return held_from != held.end() && *held_from < file.removed;
  }
};

// The version that "as of `time`" means, or the oldest that is known.
IdVersion VersionAt(const TableState& state, const Instant& time) {
  IdVersion version = state.record().row.id_version;
  while (version.value() > 0) {
    const Instant completed = state.CompletedAt(version);
    if (completed <= time) break;
    version = IdVersion(version.value() - 1);
  }
  return version;
}

void NotePins(const TableState& state, int64_t wall_ms, Permitted* permitted) {
  for (const auto& [token, pin] : state.pins()) {
    if (pin.until_ms > wall_ms) permitted->held.insert(pin.version);
  }
  for (const auto& [id, txn] : state.txns()) {
    if (txn.row.state != TxnState::kCommitted && txn.row.state != TxnState::kAborted) {
      permitted->held.insert(txn.row.snapshot);
    }
  }
  for (const auto& [id, plan] : state.plans()) {
    if (!IsPending(plan.row.state) && plan.row.state != PlanState::kFailed) continue;
    permitted->rules.inputs.insert(plan.inputs.begin(), plan.inputs.end());
    const auto payload = PayloadFromJson(plan.payload);
    if (payload && !plan.inputs.empty()) permitted->held.insert(payload->snapshot);
  }
  for (const IdVersion version : permitted->held) {
    permitted->rules.pins.push_back(state.CompletedAt(version));
  }
}

Permitted PermittedOf(const TableState& state, const Clock& clock) {
  Permitted permitted;
  const int64_t now = CalendarMillis(clock);
  const int64_t retain = std::chrono::milliseconds(state.options().retain).count();
  permitted.rules.retain_from = InstantFromMillis(std::max<int64_t>(0, now - retain));
  // Times of a table may be ahead of the clock.
  permitted.rules.now =
      std::max(InstantFromMillis(now), state.CompletedAt(state.record().row.id_version));
  permitted.oldest = VersionAt(state, permitted.rules.retain_from);
  NotePins(state, WallMillis(clock), &permitted);
  return permitted;
}

// A slice shows one base of an instant: a group with two of them is left to people.
bool BasesDiffer(const GroupHistory& history) {
  std::set<Instant> instants;
  return std::all_of(history.bases.begin(), history.bases.end(), [&](const BaseName& base) {
    return !base.format.empty() && instants.insert(base.instant).second;
  });
}

// Of a table whose names tell the slices: older ones stay live when no commit removed them.
void FindHidden(const TableState& state, const CleanRules& rules, std::set<std::string>* found) {
  const TableType type = state.record().type;
  if (type != TableType::kMergeOnRead && type != TableType::kCopyOnWrite) return;
  const GroupHistories live = MakeGroupHistories(state, nullptr, state.record().row.id_version);
  for (const GroupHistory& history : live.groups) {
    if (!BasesDiffer(history)) continue;
    for (const std::string& name : RemovableFiles(history, live.times, rules)) {
      found->insert(PathOf(history.group.partition, name));
    }
  }
}

void FindRemoved(const TableState& state, const Permitted& permitted,
                 std::set<std::string>* found) {
  // One name may have been added again after it was removed.
  std::map<std::string, bool> read;
  state.files().ForEach([&](const std::string& partition, const std::string&,
                            const std::string& name, const FileEntry& file) {
    const bool needed = permitted.Reads(file) || permitted.rules.inputs.contains(name);
    bool& known = read[PathOf(partition, name)];
    known = known || needed;
  });
  for (const auto& [path, needed] : read) {
    if (!needed) found->insert(path);
  }
}

}  // namespace

CleanPlan PlanClean(const TableState& state, const Clock& clock) {
  const Permitted permitted = PermittedOf(state, clock);
  std::set<std::string> found;
  FindHidden(state, permitted.rules, &found);
  FindRemoved(state, permitted, &found);
  for (const auto& [id, plan] : state.plans()) {
    if (plan.row.type != PlanType::kClean || plan.row.state == PlanState::kCancelled) continue;
    for (const std::string& path : plan.row.removes) found.erase(path);
  }
  CleanPlan plan;
  plan.removes.assign(found.begin(), found.end());
  plan.reason =
      fmt::format("{} files that no version since {} has, {} versions are held",
                  plan.removes.size(), permitted.rules.retain_from.text(), permitted.held.size());
  return plan;
}

}  // namespace catalogd::coord
