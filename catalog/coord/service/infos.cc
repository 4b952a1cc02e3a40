#include "catalog/coord/service/infos.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace catalogd::coord {
namespace {

using nlohmann::json;

template <class T, size_t kCount>
CoordResult<T> ParseWord(std::string_view word,
                         const std::array<std::pair<std::string_view, T>, kCount>& words,
                         std::string_view what) {
  std::string allowed;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  return Fail(CoordCode::kInvalidArgument,
              fmt::format("'{}' is no {}; allowed: {}", word, what, allowed));
}

constexpr std::array kOps = {
    std::pair{std::string_view("OVERWRITE"), OpClass::kOverwrite},
    std::pair{std::string_view("INSERT"), OpClass::kInsert},
    std::pair{std::string_view("UPDATE"), OpClass::kUpdate},
    std::pair{std::string_view("MINOR"), OpClass::kMinor},
    std::pair{std::string_view("MAJOR"), OpClass::kMajor},
};

std::string TextOf(const std::optional<Instant>& instant) {
  return instant ? std::string(instant->text()) : std::string();
}

std::string_view KindWord(ConflictKind kind) {
  switch (kind) {
    case ConflictKind::kCell:
      return "cell";
    case ConflictKind::kFileGroup:
      return "file group";
    case ConflictKind::kLineage:
      return "lineage";
    case ConflictKind::kInputGone:
      return "input gone";
  }
  return "?";
}

}  // namespace

int64_t MillisOf(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::string_view OpWord(OpClass op) {
  for (const auto& [word, value] : kOps) {
    if (value == op) return word;
  }
  return "?";
}

CoordResult<OpClass> ParseOp(std::string_view word) {
  for (const auto& [name, value] : kOps) {
    if (OpClassName(value) == word) return value;
  }
  return ParseWord(word, kOps, "class of a transaction");
}

CoordResult<PlanType> ParsePlanType(std::string_view word) {
  static constexpr std::array kTypes = {
      std::pair{std::string_view("COMPACT"), PlanType::kCompact},
      std::pair{std::string_view("LOG_COMPACT"), PlanType::kLogCompact},
      std::pair{std::string_view("CLUSTER"), PlanType::kCluster},
      std::pair{std::string_view("CLEAN"), PlanType::kClean},
      std::pair{std::string_view("ROLLBACK"), PlanType::kRollback},
  };
  return ParseWord(word, kTypes, "type of a plan");
}

CoordResult<TableType> ParseTableType(std::string_view word) {
  static constexpr std::array kTypes = {
      std::pair{std::string_view("MOR"), TableType::kMergeOnRead},
      std::pair{std::string_view("COW"), TableType::kCopyOnWrite},
      std::pair{std::string_view("PK_DELTA"), TableType::kDeltaWithKeys},
      std::pair{std::string_view("APPEND_DELTA"), TableType::kDeltaAppend},
  };
  return ParseWord(word, kTypes, "type of a table");
}

CoordResult<ConflictPolicy> ParsePolicy(std::string_view word) {
  static constexpr std::array kPolicies = {
      std::pair{std::string_view("maxcompute"), ConflictPolicy::kMaxCompute},
      std::pair{std::string_view("hudi_nbcc"), ConflictPolicy::kHudiNbcc},
      std::pair{std::string_view("hudi_occ"), ConflictPolicy::kHudiOcc},
  };
  return ParseWord(word, kPolicies, "conflict policy");
}

CoordResult<Instant> ParseInstant(std::string_view text, std::string_view what) {
  const auto instant = Instant::Parse(text);
  if (instant) return *instant;
  return Fail(CoordCode::kInvalidArgument, fmt::format("{}: {}", what, instant.error().message));
}

api::TxnInfo MakeTxnInfo(const TableState& state, const TxnRecord& txn, TimePoint now) {
  const TxnRow& row = txn.row;
  // What is not on disk yet is not told.
  const bool visible = row.state != TxnState::kCommitted || *row.id_version <= state.durable();
  api::TxnInfo info;
  info.txn_id = row.txn_id;
  info.table_id = state.id();
  info.op = OpWord(row.op);
  info.state = TxnStateName(visible ? row.state : TxnState::kPrepared);
  info.requested = row.requested.text();
  info.snapshot_id_version = row.snapshot.value();
  info.fence = row.fence.value();
  info.owner = row.owner;
  info.lease_ms = MillisOf(row.lease);
  if (row.state == TxnState::kOpen) info.remaining_ms = MillisOf(row.deadline - now);
  if (visible) {
    info.completed = TextOf(row.completed);
    info.id_version = row.id_version.value_or(IdVersion()).value();
    info.time_version = TextOf(row.time_version);
    info.event_id = txn.event_id.value_or(0);
    info.ended_ms = txn.ended_ms;
  }
  info.plan_id = row.plan ? row.plan->value() : 0;
  info.reason = row.reason;
  info.partitions = txn.partitions;
  info.created_ms = txn.created_ms;
  return info;
}

api::PlanInfo MakePlanInfo(const TableState& state, const PlanRecord& plan, TimePoint now) {
  const PlanRow& row = plan.row;
  const bool visible = !row.completion || row.completion->id_version <= state.durable();
  api::PlanInfo info;
  info.plan_id = row.id.value();
  info.table_id = state.id();
  info.table_name = state.name().ToString();
  info.base_path = state.record().base_path;
  info.type = PlanTypeName(row.type);
  info.state = PlanStateName(visible ? row.state : PlanState::kCommitting);
  info.requested = row.requested.text();
  info.fence = row.fence.value();
  info.attempts = row.attempts;
  if (row.claim) {
    info.owner = row.claim->owner;
    info.remaining_ms = MillisOf(row.claim->deadline - now);
    info.cancel_requested = row.claim->cancel_requested;
  }
  info.last_error = row.last_error;
  info.trigger = plan.trigger;
  info.cancellable = plan.cancellable;
  info.created_ms = plan.created_ms;
  info.removes = row.removes;
  info.target = TextOf(row.target);
  if (visible && row.completion) {
    info.completed = row.completion->time.text();
    info.id_version = row.completion->id_version.value();
  }
  info.source = "own";
  if (row.state == PlanState::kRequested && row.next_attempt > now) {
    info.retry_in_ms = MillisOf(row.next_attempt - now);
  }
  if (const auto payload = PayloadFromJson(plan.payload)) {
    for (const PlanPayload::Group& group : payload->groups) {
      api::PlannedFileGroup& made = info.groups.emplace_back();
      made.partition = group.partition;
      made.file_id = group.file_id;
      made.base = group.base;
      made.logs = group.logs;
    }
  }
  return info;
}

api::ConflictInfo MakeConflictInfo(const NotedConflict& noted) {
  const Conflict& conflict = noted.conflict;
  api::ConflictInfo info;
  info.table = noted.table;
  info.at_ms = noted.at_ms;
  info.txn_id = noted.txn_id;
  info.plan_id = noted.plan_id;
  info.earlier = OpWord(conflict.earlier_op);
  info.later = OpWord(conflict.later_op);
  MatrixOptions options;
  options.policy = noted.policy;
  const Outcome outcome = OutcomeOf(conflict.earlier_op, conflict.later_op, options);
  info.outcome = std::string(1, OutcomeLetter(outcome));
  info.kind = KindWord(conflict.kind);
  info.partition = conflict.partition;
  info.file = conflict.file;
  info.offending_version = conflict.earlier.value_or(IdVersion()).value();
  info.text = ConflictText(conflict);
  info.policy = ConflictPolicyName(noted.policy);
  return info;
}

std::string PayloadToJson(const PlanPayload& payload) {
  json groups = json::array();
  for (const PlanPayload::Group& group : payload.groups) {
    groups.push_back({{"partition", group.partition},
                      {"file_id", group.file_id},
                      {"base", group.base},
                      {"logs", group.logs}});
  }
  return json{{"snapshot", payload.snapshot.value()}, {"groups", std::move(groups)}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

namespace {

bool ReadText(const json& object, const char* key, std::string* text) {
  const auto value = object.find(key);
  if (value == object.end() || !value->is_string()) return false;
  *text = value->get<std::string>();
  return true;
}

std::optional<PlanPayload::Group> ReadGroup(const json& object) {
  PlanPayload::Group group;
  if (!object.is_object() || !ReadText(object, "partition", &group.partition) ||
      !ReadText(object, "file_id", &group.file_id) || !ReadText(object, "base", &group.base)) {
    return std::nullopt;
  }
  const auto logs = object.find("logs");
  if (logs == object.end() || !logs->is_array()) return std::nullopt;
  for (const json& log : *logs) {
    if (!log.is_string()) return std::nullopt;
    group.logs.push_back(log.get<std::string>());
  }
  return group;
}

std::optional<PlanPayload> ReadPayload(const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto snapshot = object.find("snapshot");
  const auto groups = object.find("groups");
  if (snapshot == object.end() || !snapshot->is_number_integer() || groups == object.end() ||
      !groups->is_array()) {
    return std::nullopt;
  }
  PlanPayload payload;
  payload.snapshot = IdVersion(snapshot->get<int64_t>());
  for (const json& made : *groups) {
    auto group = ReadGroup(made);
    if (!group) return std::nullopt;
    payload.groups.push_back(std::move(*group));
  }
  return payload;
}

}  // namespace

Result<PlanPayload> PayloadFromJson(const std::string& text) {
  auto payload = ReadPayload(json::parse(text, nullptr, false));
  if (payload) return std::move(*payload);
  return MakeError(ErrorCode::kCorrupt, "the content of the plan is not what this daemon writes");
}

}  // namespace catalogd::coord
