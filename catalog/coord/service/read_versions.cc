#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/read_points.h"

namespace catalogd::coord {
namespace {

constexpr size_t kMostInstants = 100'000;
constexpr int64_t kLongestWaitMs = 24LL * 3600 * 1000;

enum class Known { kUnknown, kRolledBack, kPending, kCompleted };

std::string_view KnownWord(Known known) {
  switch (known) {
    case Known::kUnknown:
      return "UNKNOWN";
    case Known::kRolledBack:
      return "ROLLED_BACK";
    case Known::kPending:
      return "PENDING";
    case Known::kCompleted:
      return "COMPLETED";
  }
  return "?";
}

// What became of the instants that are asked for. Of what is said twice (a plan, and transactions
// that executed it) the furthest counts.
class Fates {
 public:
  struct Fate {
    Known known = Known::kUnknown;
    Instant completed;
  };

  void Ask(const Instant& instant) { fates_[instant]; }
  [[nodiscard]] const Fate& Of(const Instant& instant) const { return fates_.at(instant); }

  void Note(const TableState& state) {
    for (const auto& [version, history] : state.history()) {
      if (version <= state.durable()) Note(history.requested, Known::kCompleted, history.completed);
    }
    for (const auto& [id, txn] : state.txns()) {
      const TxnRow& row = txn.row;
      if (row.state == TxnState::kAborted) {
        Note(row.requested, Known::kRolledBack, {});
      } else if (row.state == TxnState::kCommitted && *row.id_version <= state.durable()) {
        Note(row.requested, Known::kCompleted, *row.completed);
      } else {
        Note(row.requested, Known::kPending, {});
      }
    }
    for (const auto& [id, plan] : state.plans()) {
      const PlanRow& row = plan.row;
      if (row.completion && row.completion->id_version <= state.durable()) {
        Note(row.requested, Known::kCompleted, row.completion->time);
      } else {
        Note(row.requested,
             row.state == PlanState::kCancelled ? Known::kRolledBack : Known::kPending, {});
      }
    }
  }

 private:
  void Note(const Instant& requested, Known known, const Instant& completed) {
    const auto fate = fates_.find(requested);
    if (fate != fates_.end() && fate->second.known < known) fate->second = {known, completed};
  }

  std::map<Instant, Fate> fates_;
};

api::VersionInfo InfoOf(IdVersion id, OpClass op, const Instant& requested,
                        const Instant& completed, const std::optional<Instant>& time_version) {
  api::VersionInfo info;
  info.id_version = id.value();
  info.requested = requested.text();
  info.completed = completed.text();
  if (time_version) info.time_version = time_version->text();
  info.op = OpWord(op);
  return info;
}

// From the oldest on; what is forgotten has no counts of files.
std::vector<api::VersionInfo> AllVersions(const TableState& state, IdVersion from, IdVersion to) {
  std::vector<api::VersionInfo> versions;
  for (auto row = state.history().lower_bound(from); row != state.history().end(); ++row) {
    const HistoryRecord& history = row->second;
    if (history.id_version > to) break;
    versions.push_back(InfoOf(history.id_version, history.op, history.requested, history.completed,
                              history.time_version));
  }
  for (const TxnVersion& txn : state.Versions(to)) {
    if (txn.id < from) continue;
    api::VersionInfo info = InfoOf(txn.id, txn.op, txn.requested, txn.completed, txn.time_version);
    if (const CommittedTxn* change = ChangeOf(state, txn.id)) {
      for (const auto& [partition, files] : change->partitions) {
        info.added += static_cast<int32_t>(files.added.size());
        info.removed += static_cast<int32_t>(files.removed.size());
      }
    }
    versions.push_back(std::move(info));
  }
  return versions;
}

// What is waited for, once it is there or never will be; else none.
std::optional<CoordResult<api::WaitForVersionResult>> Reached(
    const ManagedTablePtr& table, IdVersion version, const std::optional<Instant>& instant) {
  const MutexLock lock(table->mutex);
  TableState& state = table->state;
  if (auto may = MayRead(state); !may) return AsFailure(std::move(may).error());
  const IdVersion newest = state.durable();
  const bool reached =
      instant ? newest.value() > 0 && state.CompletedAt(newest) >= *instant : newest >= version;
  if (!reached) return std::nullopt;
  api::WaitForVersionResult result;
  result.id_version = newest.value();
  return result;
}

CoordFailure GaveUp(Parking::GiveUp how, const std::string& what) {
  if (how == Parking::GiveUp::kStopping) {
    return {CoordCode::kStopping, "the daemon is stopping; ask again", {}, {}};
  }
  return {CoordCode::kTimeout, what + " was not reached in time; ask again", {}, {}};
}

}  // namespace

CoordResult<std::vector<api::CompletionTime>> ReadCalls::CompletionTimes(
    const api::GetCompletionTimesRequest& request) {
  if (request.requested.size() > kMostInstants) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("{} instants in one call; allowed: up to {}", request.requested.size(),
                            kMostInstants));
  }
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context_->tables.Find(request.caller.table));
  std::vector<Instant> instants;
  Fates fates;
  for (const std::string& text : request.requested) {
    COORD_ASSIGN_OR_RETURN(const Instant instant, ParseInstant(text, "a requested time"));
    instants.push_back(instant);
    fates.Ask(instant);
  }
  {
    const MutexLock lock(table->mutex);
    COORD_RETURN_IF_FAILED(MayRead(table->state));
    fates.Note(table->state);
  }
  std::vector<api::CompletionTime> times;
  for (const Instant& instant : instants) {
    const Fates::Fate& fate = fates.Of(instant);
    api::CompletionTime& time = times.emplace_back();
    time.requested = instant.text();
    time.state = KnownWord(fate.known);
    time.completed = fate.completed.text();
  }
  return times;
}

CoordResult<std::vector<api::VersionInfo>> ReadCalls::Versions(
    const api::ListVersionsRequest& request) {
  const bool backward = request.to_id != 0 && request.to_id < request.from_id;
  if (request.from_id < 0 || request.to_id < 0 || request.limit < 0 || backward) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("the newest {} of the versions from {} to {}; allowed: 0 and more, and "
                            "no end before the beginning",
                            request.limit, request.from_id, request.to_id));
  }
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context_->tables.Find(request.caller.table));
  const MutexLock lock(table->mutex);
  TableState& state = table->state;
  COORD_RETURN_IF_FAILED(MayRead(state));
  const IdVersion to =
      request.to_id == 0 ? state.durable() : std::min(IdVersion(request.to_id), state.durable());
  auto from = IdVersion(request.from_id);
  // Ids have no gaps.
  if (request.limit > 0) from = std::max(from, IdVersion(to.value() - request.limit + 1));
  return AllVersions(state, from, to);
}

void ReadCalls::WaitForVersion(const api::WaitForVersionRequest& request,
                               Done<api::WaitForVersionResult> done) {
  const bool by_id = request.id_version != 0;
  if (by_id == !request.instant.empty() || request.id_version < 0 || request.timeout_ms < 0) {
    return done(Fail(CoordCode::kInvalidArgument,
                     "name a version from 1 on or an instant, not both, and a time to wait"));
  }
  std::optional<Instant> instant;
  if (!by_id) {
    const auto parsed = ParseInstant(request.instant, "the instant");
    if (!parsed) return done(AsFailure(parsed.error()));
    instant = *parsed;
  }
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr& table = *found;
  const IdVersion version(request.id_version);
  const std::chrono::milliseconds wait(std::min(request.timeout_ms, kLongestWaitMs));
  const auto attempt = [table, version, instant, done] {
    auto reached = Reached(table, version, instant);
    if (reached) done(std::move(*reached));
    return reached.has_value();
  };
  std::string what = by_id ? fmt::format("version {}", request.id_version) : request.instant;
  const auto give_up = [done = std::move(done), what = std::move(what)](Parking::GiveUp how) {
    done(AsFailure(GaveUp(how, what)));
  };
  context_->parking.Wait(table->id(), context_->clock->Now() + wait, attempt, give_up);
}

}  // namespace catalogd::coord
