#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/read_points.h"

namespace catalogd::coord {
namespace {

CoordResult<Axis> ParseAxis(const std::string& word) {
  if (word == "ID") return Axis::kId;
  if (word == "TIME") return Axis::kTime;
  if (word == "COMPLETION") return Axis::kCompletion;
  return Fail(CoordCode::kInvalidArgument,
              fmt::format("'{}' is no axis; allowed: ID, TIME, COMPLETION", word));
}

// Empty: `otherwise`.
CoordResult<IdVersion> ParseVersion(const std::string& text, IdVersion otherwise) {
  if (text.empty()) return otherwise;
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}' is no version; allowed: digits, from 0 on", text));
  }
  return IdVersion(value);
}

CoordResult<Instant> ParseTime(const std::string& text, const Instant& otherwise) {
  if (text.empty()) return otherwise;
  return ParseInstant(text, "the range");
}

std::string NextOf(Axis axis, IdVersion id, const Instant& time) {
  return axis == Axis::kId ? std::to_string(id.value()) : std::string(time.text());
}

// The changes of a range without their files, as many as are asked for.
CoordResult<api::IncrementalResult> SelectChanges(const TableState& state,
                                                  const api::GetIncrementalRequest& request) {
  COORD_RETURN_IF_FAILED(MayRead(state));
  COORD_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(request.axis));
  const VisibleHistory history = MakeVisibleHistory(state);
  const RangeOptions options{request.include_services};
  Result<Increment> increment = Increment();
  if (axis == Axis::kId) {
    COORD_ASSIGN_OR_RETURN(const IdVersion begin, ParseVersion(request.from_exclusive, {}));
    COORD_ASSIGN_OR_RETURN(const IdVersion end,
                           ParseVersion(request.to_inclusive, state.durable()));
    increment = ChangesById(history.view(), begin, end, options);
  } else {
    COORD_ASSIGN_OR_RETURN(const Instant begin, ParseTime(request.from_exclusive, {}));
    const Instant newest = std::max(begin, state.CompletedAt(state.durable()));
    COORD_ASSIGN_OR_RETURN(const Instant end, ParseTime(request.to_inclusive, newest));
    increment = ChangesByTime(history.view(), axis, begin, end, options);
  }
  if (!increment) return AsFailure(HistoryFailure(state, increment.error()));
  api::IncrementalResult result;
  result.next_from = NextOf(axis, increment->next_id, increment->next_time);
  for (const ChangedFiles& change : increment->changes) {
    if (request.limit > 0 && result.changes.size() == static_cast<size_t>(request.limit)) {
      result.more = true;
      break;
    }
    api::ChangedVersion& made = result.changes.emplace_back();
    made.id_version = change.id.value();
    made.completed = change.completed.text();
    made.op = OpWord(change.op);
    result.overwrites = result.overwrites || change.op == OpClass::kOverwrite;
  }
  if (result.more) {
    const ChangedFiles& last = increment->changes[result.changes.size() - 1];
    result.next_from = NextOf(axis, last.id, last.completed);
  }
  return result;
}

void AddFiles(const std::string& partition, const std::set<std::string>& names,
              std::vector<api::PartitionFile>* files) {
  for (const std::string& name : names) {
    api::PartitionFile& file = files->emplace_back();
    file.partition = partition;
    file.name = name;
  }
}

CoordStatus FillFiles(const TableState& state, api::ChangedVersion* version) {
  const CommittedTxn* change = ChangeOf(state, IdVersion(version->id_version));
  // Forgotten between two steps: told, and not left out.
  if (change == nullptr) return CheckReadable(state, IdVersion(version->id_version - 1));
  const bool replaces = change->op == OpClass::kOverwrite || IsService(change->op);
  for (const auto& [partition, files] : change->partitions) {
    AddFiles(partition, files.added, &version->added);
    if (replaces) AddFiles(partition, files.removed, &version->removed);
  }
  return {};
}

}  // namespace

CoordResult<api::IncrementalResult> ReadCalls::Incremental(
    const api::GetIncrementalRequest& request) {
  if (request.limit < 0) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("{} commits in one answer; allowed: 0 (all) and more", request.limit));
  }
  COORD_ASSIGN_OR_RETURN(const ManagedTablePtr table, context_->tables.Find(request.caller.table));
  const auto select = [&] {
    const MutexLock lock(table->mutex);
    return SelectChanges(table->state, request);
  };
  COORD_ASSIGN_OR_RETURN(api::IncrementalResult result, select());
  for (api::ChangedVersion& version : result.changes) {
    const MutexLock lock(table->mutex);
    COORD_RETURN_IF_FAILED(FillFiles(table->state, &version));
  }
  return result;
}

}  // namespace catalogd::coord
