#include "catalog/coord/service/read_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/infos.h"

namespace catalogd::coord {
namespace {

// After every time of a table.
Instant EndOfTime() {
  static const Instant end = *Instant::Parse("99991231235959999");
  return end;
}

CoordFailure Expired(const TableState& state, std::string message) {
  CoordFailure failure{CoordCode::kVersionExpired, std::move(message), {}, {}};
  failure.details["oldest_version"] = std::to_string(state.floor().value());
  failure.details["oldest_time"] = std::string(state.floor_completed().text());
  return failure;
}

CoordResult<IdVersion> AsOfCompletion(const TableState& state, const VisibleHistory& history,
                                      const Instant& time) {
  IdVersion version = history.floor;
  for (const TxnVersion& txn : history.txns) {
    if (txn.completed > time) break;
    version = txn.id;
  }
  if (version.value() > 0 && version == history.floor && time < history.floor_completed) {
    return AsFailure(Expired(state, fmt::format("completion time {} is older than the retained "
                                                "history, which begins at {}",
                                                time.text(), history.floor_completed.text())));
  }
  return version;
}

CoordResult<IdVersion> AsOfRequest(const TableState& state, const VisibleHistory& history,
                                   const Instant& time) {
  for (auto txn = history.txns.rbegin(); txn != history.txns.rend(); ++txn) {
    if (txn->requested <= time) return txn->id;
  }
  // What is forgotten was begun before its floor was committed.
  if (time < history.floor_completed) {
    return AsFailure(Expired(state, fmt::format("what was begun by {} is older than the retained "
                                                "history, which begins at {}",
                                                time.text(), history.floor_completed.text())));
  }
  return history.floor;
}

CoordResult<ReadPosition> ResolveId(const TableState& state, int64_t id_version) {
  const IdVersion version(id_version);
  COORD_RETURN_IF_FAILED(CheckReadable(state, version));
  return ReadPosition{version,
                      version == state.durable() ? EndOfTime() : state.CompletedAt(version)};
}

}  // namespace

CoordStatus MayRead(const TableState& state) {
  const std::string table = "table " + state.name().ToString();
  if (state.record().row.dropped) {
    return Fail(CoordCode::kTableGone, table + " was dropped or is not coordinated any more");
  }
  if (state.hold() == TableHold::kNotOwner) {
    return Fail(CoordCode::kNotOwner, table + ": " + state.hold_reason());
  }
  return {};
}

CoordStatus CheckReadable(const TableState& state, IdVersion version) {
  if (version.value() < 0 || version > state.durable()) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("version {} does not exist; the newest is {}", version.value(),
                            state.durable().value()));
  }
  if (version < state.floor()) {
    return AsFailure(Expired(state, fmt::format("version {} is older than the retained history, "
                                                "which begins at version {}",
                                                version.value(), state.floor().value())));
  }
  return {};
}

CoordResult<ReadPosition> Resolve(const TableState& state, const api::ReadPoint& point) {
  if (point.kind == "LATEST") return ReadPosition{state.durable(), EndOfTime()};
  if (point.kind == "ID") return ResolveId(state, point.id_version);
  const bool by_completion = point.kind == "COMPLETION";
  const bool by_request = point.kind == "REQUESTED";
  if (!by_completion && !by_request && point.kind != "TIME") {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}' is no read point; allowed: LATEST, COMPLETION, REQUESTED, ID, "
                            "TIME",
                            point.kind));
  }
  COORD_ASSIGN_OR_RETURN(const Instant time, ParseInstant(point.instant, "the read point"));
  const VisibleHistory history = MakeVisibleHistory(state);
  if (by_completion) {
    COORD_ASSIGN_OR_RETURN(const IdVersion version, AsOfCompletion(state, history, time));
    return ReadPosition{version, time};
  }
  if (by_request) {
    COORD_ASSIGN_OR_RETURN(const IdVersion version, AsOfRequest(state, history, time));
    return ReadPosition{version, std::max(time, state.CompletedAt(version))};
  }
  const auto version = VersionAsOf(history.view(), time);
  if (!version) return AsFailure(HistoryFailure(state, version.error()));
  return ReadPosition{*version, std::max(time, state.CompletedAt(*version))};
}

VisibleHistory MakeVisibleHistory(const TableState& state) {
  return {state.Versions(state.durable()), state.floor(), state.floor_completed()};
}

CoordFailure HistoryFailure(const TableState& state, const Error& error) {
  if (error.code == ErrorCode::kNotFound) return Expired(state, error.message);
  return FailureOf(error, "table " + state.name().ToString());
}

const CommittedTxn* ChangeOf(const TableState& state, IdVersion version) {
  const auto& changes = state.changes();
  const auto found =
      std::lower_bound(changes.begin(), changes.end(), version,
                       [](const CommittedTxn& change, IdVersion id) { return change.id < id; });
  if (found == changes.end() || found->id != version || version > state.durable()) return nullptr;
  return &*found;
}

}  // namespace catalogd::coord
