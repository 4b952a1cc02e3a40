#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/read_folder.h"
#include "catalog/coord/service/read_points.h"

namespace catalogd::coord {
namespace {

constexpr size_t kMostNamed = 1000;  // Of each kind.
constexpr size_t kGroupsInAStep = 1000;

std::string PathOf(const std::string& partition, const std::string& name) {
  return partition.empty() ? name : partition + "/" + name;
}

// What a table says about its folder, copied in steps.
class Inventory {
 public:
  explicit Inventory(ManagedTablePtr table) : table_(std::move(table)) {}

  CoordStatus Copy() {
    COORD_RETURN_IF_FAILED(CopyAnnounced());
    for (FileGroup from;;) {
      const MutexLock lock(table_->mutex);
      COORD_RETURN_IF_FAILED(MayRead(table_->state));
      const TableFiles& files = table_->state.files();
      for (size_t groups = 0; groups < kGroupsInAStep; ++groups) {
        const auto group = files.GroupFrom(from);
        if (!group) return {};
        files.ForEachOf(*group, [&](const std::string& partition, const std::string& file_id,
                                    const std::string& name, const FileEntry& file) {
          Note(FileGroup{partition, file_id}, name, file);
        });
        from = {group->partition, group->file_id + '\0'};
      }
    }
  }

  // Also of versions that are over, of commits on their way, and what running attempts announced.
  [[nodiscard]] bool IsKnown(const std::string& path) const {
    if (known_.contains(path) || announced_.contains(path)) return true;
    const size_t slash = path.rfind('/');
    return slash != std::string::npos && announced_.contains(path.substr(slash + 1));
  }
  [[nodiscard]] const std::set<std::string>& live() const { return live_; }
  [[nodiscard]] const std::set<std::string>& duplicates() const { return duplicates_; }
  [[nodiscard]] int64_t live_files() const { return live_files_; }

 private:
  void Note(const FileGroup& group, const std::string& name, const FileEntry& file) {
    std::string path = PathOf(group.partition, name);
    known_.insert(path);
    if (!file.LiveAt(durable_)) return;
    ++live_files_;
    live_.insert(std::move(path));
    const auto [place, first] = groups_.try_emplace(name, group);
    if (first || place->second == group) return;
    duplicates_.insert(fmt::format("{} in {} and {}", name, Text(place->second), Text(group)));
  }
  static std::string Text(const FileGroup& group) {
    return fmt::format("group '{}' of partition '{}'", group.file_id, group.partition);
  }

  CoordStatus CopyAnnounced() {
    const MutexLock lock(table_->mutex);
    TableState& state = table_->state;
    COORD_RETURN_IF_FAILED(MayRead(state));
    durable_ = state.durable();
    for (const auto& [id, txn] : state.txns()) {
      if (txn.row.state == TxnState::kAborted || txn.row.state == TxnState::kCommitted) continue;
      announced_.insert(txn.attempt_files.begin(), txn.attempt_files.end());
    }
    for (const auto& [id, plan] : state.plans()) {
      if (!IsPending(plan.row.state)) continue;
      for (const AttemptFile& file : plan.row.files) announced_.insert(file.name);
    }
    return {};
  }

  const ManagedTablePtr table_;
  IdVersion durable_;
  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> announced_;
  std::set<std::string> live_;
  std::map<std::string, FileGroup> groups_;
  std::set<std::string> duplicates_;
  int64_t live_files_ = 0;
};

// As many as fit; the note says how many there are.
void AddNames(const std::set<std::string>& names, std::string_view what,
              std::vector<std::string>* into, std::string* note) {
  for (const std::string& name : names) {
    if (into->size() == kMostNamed) break;
    into->push_back(name);
  }
  if (names.size() <= kMostNamed) return;
  *note += fmt::format("{}{} {}, of which {} are named", note->empty() ? "" : "; ", names.size(),
                       what, kMostNamed);
}

CoordResult<api::FsckReport> Check(const ManagedTablePtr& table, const std::string& base_path) {
  // The folder first: what is committed after it was listed is known by then.
  const std::string folder = LocalFolder(base_path);
  Result<std::set<std::string>> listed = std::set<std::string>();
  if (!folder.empty()) listed = ListDataFiles(folder);
  Inventory inventory(table);
  COORD_RETURN_IF_FAILED(inventory.Copy());
  api::FsckReport report;
  report.live_files = inventory.live_files();
  report.folder_checked = !folder.empty() && listed;
  if (folder.empty()) {
    report.note = fmt::format("the folder '{}' is not on a disk of this machine", base_path);
  } else if (!listed) {
    report.note = "the folder cannot be listed: " + listed.error().message;
  }
  AddNames(inventory.duplicates(), "duplicates", &report.duplicates, &report.note);
  if (!report.folder_checked) return report;
  std::set<std::string> strays;
  for (const std::string& path : *listed) {
    // Looked at again: a clean may have been at work.
    if (!inventory.IsKnown(path) && IsThere(folder, path)) strays.insert(path);
  }
  std::set<std::string> missing;
  for (const std::string& path : inventory.live()) {
    if (!listed->contains(path) && !IsThere(folder, path)) missing.insert(path);
  }
  AddNames(strays, "strays", &report.strays, &report.note);
  AddNames(missing, "missing files", &report.missing, &report.note);
  return report;
}

}  // namespace

void ReadCalls::Fsck(const api::FsckRequest& request, Done<api::FsckReport> done) {
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr& table = *found;
  std::string base_path;
  {
    const MutexLock lock(table->mutex);
    base_path = table->state.record().base_path;
  }
  // Also of a task that is not taken.
  const auto answer = std::make_shared<const Done<api::FsckReport>>(std::move(done));
  const Status submitted =
      context_->workers->Submit([table, base_path, answer] { (*answer)(Check(table, base_path)); });
  if (!submitted) (*answer)(AsFailure(FailureOf(submitted.error(), "fsck")));
}

}  // namespace catalogd::coord
