#include "catalog/coord/conflict_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace catalogd::coord {
namespace {

using Files = std::set<std::string>;

Files Common(const Files& a, const Files& b) {
  Files common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(common, common.begin()));
  return common;
}

// One partition of the later transaction, while it meets the earlier ones in order.
class PartitionCheck {
 public:
  PartitionCheck(const OpenTxn& txn, std::string partition, const PartitionChange& change,
                 const Files& live, const CheckOptions& options)
      : txn_(txn),
        partition_(std::move(partition)),
        change_(change),
        live_(live),
        options_(options) {}

  std::optional<Conflict> Meet(const CommittedTxn& earlier, const PartitionChange& theirs) {
    const bool occ = options_.matrix.policy == ConflictPolicy::kHudiOcc;
    const Files shared = occ ? Common(theirs.groups, change_.groups) : Files();
    if (occ && shared.empty()) return std::nullopt;
    switch (OutcomeOf(earlier.op, ClassOfLater(), options_.matrix)) {
      case Outcome::kFails:
        return occ ? Of(ConflictKind::kFileGroup, earlier, *shared.begin())
                   : Of(ConflictKind::kCell, earlier, "");
      case Outcome::kReplaces:
      case Outcome::kAdds:
        return std::nullopt;
      case Outcome::kCompacts:
        break;
    }
    if (txn_.op != OpClass::kMajor || earlier.op != OpClass::kMinor) return std::nullopt;
    return Inherit(earlier, theirs);
  }

  // The lists to commit, once everybody was met.
  std::optional<Conflict> Finish(std::span<const CommittedTxn> committed, PartitionChange* out) {
    out->added = change_.added;
    out->groups = change_.groups;
    const bool replaces_all =
        txn_.op == OpClass::kOverwrite && options_.matrix.policy != ConflictPolicy::kHudiOcc;
    if (replaces_all) {
      out->removed = live_;
      return std::nullopt;
    }
    for (const std::string& file : change_.removed) {
      const bool there = live_.contains(file) || inherited_from_.contains(file);
      if (!there && options_.strict_inputs) return Gone(file, committed);
    }
    Files removed = change_.removed;
    removed.insert(inherited_.begin(), inherited_.end());
    out->removed = Common(removed, live_);
    return std::nullopt;
  }

 private:
  [[nodiscard]] OpClass ClassOfLater() const {
    const bool blind = txn_.op == OpClass::kOverwrite && !txn_.overwrite_reads_table;
    return blind || txn_.op != OpClass::kOverwrite ? txn_.op : OpClass::kUpdate;
  }

  [[nodiscard]] Conflict Of(ConflictKind kind, const CommittedTxn& earlier,
                            const std::string& file) const {
    return {kind, earlier.id, earlier.op, ClassOfLater(), partition_, file};
  }

  // A minor compaction before a major one: what it made of our inputs stands for them.
  std::optional<Conflict> Inherit(const CommittedTxn& earlier, const PartitionChange& theirs) {
    const auto ours = [&](const std::string& file) {
      return change_.removed.contains(file) || inherited_.contains(file);
    };
    const auto other = std::find_if_not(theirs.removed.begin(), theirs.removed.end(), ours);
    const bool some = std::any_of(theirs.removed.begin(), theirs.removed.end(), ours);
    if (!some) return std::nullopt;
    if (other != theirs.removed.end()) return Of(ConflictKind::kLineage, earlier, *other);
    inherited_from_.insert(theirs.removed.begin(), theirs.removed.end());
    inherited_.insert(theirs.added.begin(), theirs.added.end());
    return std::nullopt;
  }

  [[nodiscard]] Conflict Gone(const std::string& file,
                              std::span<const CommittedTxn> committed) const {
    for (const CommittedTxn& earlier : committed) {
      const auto change = earlier.partitions.find(partition_);
      if (earlier.id > txn_.snapshot && change != earlier.partitions.end() &&
          change->second.removed.contains(file)) {
        return Of(ConflictKind::kInputGone, earlier, file);
      }
    }
    return {ConflictKind::kInputGone, std::nullopt, txn_.op, ClassOfLater(), partition_, file};
  }

  const OpenTxn& txn_;
  const std::string partition_;
  const PartitionChange& change_;
  const Files& live_;
  const CheckOptions& options_;
  Files inherited_from_;  // Our inputs that a minor compaction consumed.
  Files inherited_;       // What it made of them.
};

Status BadShape(const OpenTxn& txn, std::string_view what) {
  return MakeError(ErrorCode::kInvalidArgument, fmt::format("{}: {}", OpClassName(txn.op), what));
}

}  // namespace

Status CheckShape(const OpenTxn& txn, const CheckOptions& options) {
  for (const auto& [partition, change] : txn.partitions) {
    if (options.partitioned == partition.empty()) {
      return BadShape(txn, options.partitioned
                               ? "the table has partitions and a change names none; name it"
                               : "the table has no partitions and a change names '" + partition +
                                     "'; leave it out");
    }
    if (txn.op == OpClass::kInsert && !change.removed.empty()) {
      return BadShape(txn, "an insert must not remove '" + *change.removed.begin() +
                               "'; declare an update or an overwrite");
    }
    if (IsService(txn.op) && change.removed.empty() && !change.added.empty()) {
      return BadShape(txn, "a compaction adds files and names no inputs; name what it merged");
    }
    const Files both = Common(change.added, change.removed);
    if (!both.empty()) return BadShape(txn, "'" + *both.begin() + "' is both added and removed");
  }
  if (IsService(txn.op) && txn.rows_before != txn.rows_after) {
    return BadShape(txn, "a compaction must not change the number of rows; nothing was committed");
  }
  return Ok();
}

CheckResult CheckConflicts(const OpenTxn& txn, std::span<const CommittedTxn> committed,
                           const LiveFiles& live, const CheckOptions& options) {
  static const Files no_files;
  const auto first = std::upper_bound(
      committed.begin(), committed.end(), txn.snapshot,
      [](IdVersion snapshot, const CommittedTxn& earlier) { return snapshot < earlier.id; });
  const std::span<const CommittedTxn> since(first, committed.end());
  CheckResult result;
  for (const auto& [partition, change] : txn.partitions) {
    const auto files = live.find(partition);
    PartitionCheck check(txn, partition, change, files == live.end() ? no_files : files->second,
                         options);
    for (const CommittedTxn& earlier : since) {
      const auto theirs = earlier.partitions.find(partition);
      if (theirs == earlier.partitions.end()) continue;
      result.rebased = true;
      result.conflict = check.Meet(earlier, theirs->second);
      if (result.conflict) return result;
    }
    result.conflict = check.Finish(since, &result.partitions[partition]);
    if (result.conflict) return result;
  }
  return result;
}

std::string ConflictText(const Conflict& conflict) {
  const std::string where =
      conflict.partition.empty() ? "the table" : "partition " + conflict.partition;
  std::string head = fmt::format("{} of {} fails: ", OpClassName(conflict.later_op), where);
  if (!conflict.earlier) {
    return fmt::format("{}it removes '{}', which is not live; read the table again", head,
                       conflict.file);
  }
  const std::string who =
      fmt::format("version {} ({})", conflict.earlier->value(), OpClassName(conflict.earlier_op));
  switch (conflict.kind) {
    case ConflictKind::kCell:
      return fmt::format("{}{} committed after its snapshot; {}. Run it again on the new version",
                         head, who, CellOf(conflict.earlier_op, conflict.later_op).why);
    case ConflictKind::kFileGroup:
      return fmt::format(
          "{}{} touched file group '{}' after its snapshot; run it again on the new "
          "version",
          head, who, conflict.file);
    case ConflictKind::kLineage:
      return fmt::format("{}{} merged its inputs with '{}', which is none of them; plan it again",
                         head, who, conflict.file);
    case ConflictKind::kInputGone:
      return fmt::format("{}{} removed '{}', which it reads; run it again on the new version", head,
                         who, conflict.file);
  }
  return head;
}

}  // namespace catalogd::coord
