#include "catalog/coord/versions.h"

#include <fmt/format.h>

#include <algorithm>

namespace catalogd::coord {
namespace {

tl::unexpected<Error> Expired(const VersionHistory& history, const std::string& asked) {
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("{} is older than the retained history, which begins at version {} ({}); read "
                  "the whole table at a version from there on",
                  asked, history.floor.value(), history.floor_completed.text()));
}

IdVersion LastId(const VersionHistory& history) {
  return history.txns.empty() ? history.floor : history.txns.back().id;
}

Instant LastTime(const VersionHistory& history) {
  return history.txns.empty() ? history.floor_completed : history.txns.back().completed;
}

void Add(const TxnVersion& txn, const RangeOptions& options, Increment* increment) {
  if (IsService(txn.op) && !options.include_services) return;
  ChangedFiles change{txn.id, txn.completed, txn.op, txn.added, {}};
  if (txn.op == OpClass::kOverwrite || IsService(txn.op)) change.removed = txn.removed;
  increment->overwrites = increment->overwrites || txn.op == OpClass::kOverwrite;
  increment->changes.push_back(std::move(change));
}

}  // namespace

TxnVersion NextVersion(IdVersion last, OpClass op, const Instant& requested,
                       const Instant& completed) {
  TxnVersion version;
  version.id = last.Next();
  version.op = op;
  version.requested = requested;
  version.completed = completed;
  if (!IsService(op)) version.time_version = completed;
  return version;
}

Result<IdVersion> VersionAsOf(const VersionHistory& history, const Instant& time) {
  std::optional<IdVersion> version;
  for (const TxnVersion& txn : history.txns) {
    if (txn.time_version) {
      if (*txn.time_version > time) break;
      version = txn.id;
    } else if (version) {
      version = txn.id;
    }
  }
  if (version) return *version;
  if (history.floor == IdVersion()) return IdVersion();  // Nothing was committed yet.
  if (time < history.floor_completed) return Expired(history, fmt::format("time {}", time.text()));
  // The content is that of the floor, and services may have improved it since.
  IdVersion improved = history.floor;
  for (const TxnVersion& txn : history.txns) {
    if (txn.time_version) break;
    improved = txn.id;
  }
  return improved;
}

Result<Increment> ChangesById(const VersionHistory& history, IdVersion begin, IdVersion end,
                              const RangeOptions& options) {
  if (begin < history.floor) {
    return Expired(history, fmt::format("version {}", begin.value()));
  }
  if (end < begin || begin > LastId(history)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("no versions lie in ({}, {}]; the newest is {}", begin.value(),
                                 end.value(), LastId(history).value()));
  }
  Increment increment;
  for (const TxnVersion& txn : history.txns) {
    if (txn.id > begin && txn.id <= end) Add(txn, options, &increment);
  }
  increment.next_id = std::min(end, LastId(history));
  return increment;
}

Result<Increment> ChangesByTime(const VersionHistory& history, Axis axis, const Instant& begin,
                                const Instant& end, const RangeOptions& options) {
  if (history.floor != IdVersion() && begin < history.floor_completed) {
    return Expired(history, fmt::format("time {}", begin.text()));
  }
  if (end < begin) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("the range ({}, {}] ends before it begins", begin.text(), end.text()));
  }
  RangeOptions range = options;
  if (axis == Axis::kTime) range.include_services = false;
  Increment increment;
  for (const TxnVersion& txn : history.txns) {
    if (txn.completed > begin && txn.completed <= end) Add(txn, range, &increment);
  }
  increment.next_time = std::max(begin, std::min(end, LastTime(history)));
  return increment;
}

}  // namespace catalogd::coord
