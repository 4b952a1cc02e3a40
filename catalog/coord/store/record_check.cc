#include "catalog/coord/store/record_check.h"

#include <fmt/format.h>

namespace catalogd::coord {
namespace {

bool IsEmpty(const std::optional<Instant>& time) { return time && time->empty(); }

std::optional<std::string> WrongVersion(OpClass op, const Instant& completed, IdVersion id,
                                        const std::optional<Instant>& time_version) {
  if (completed.empty()) return "has no completion time";
  // 0 is a table of which nothing is committed.
  if (id.value() < 1) return "has no id version";
  if (IsEmpty(time_version)) return "has a time version without a time";
  if (IsService(op) == time_version.has_value()) {
    return IsService(op) ? "is a service's and has a time version" : "has no time version";
  }
  return std::nullopt;
}

std::optional<std::string> WrongCompletion(const std::optional<Completion>& completion) {
  if (!completion) return std::nullopt;
  if (completion->time.empty()) return "has a completion without a time";
  if (completion->id_version.value() < 1) return "has a completion without an id version";
  if (completion->fence == Fence()) return "has a completion without a fence";
  return std::nullopt;
}

// A part that its state asks for is missing, or one is there that it does not allow.
std::optional<std::string> WrongPart(bool expected, bool there, const std::string& part) {
  if (expected == there) return std::nullopt;
  return (there ? "has " : "has no ") + part;
}

std::optional<std::string> WrongPlan(const PlanRow& plan) {
  if (plan.requested.empty()) return "has no requested time";
  const bool committing = plan.state == PlanState::kCommitting;
  const bool held = committing || plan.state == PlanState::kClaimed;
  if (auto wrong = WrongPart(held, plan.claim.has_value(), "a claim")) return wrong;
  if (held && plan.fence == Fence()) return "has no fence";
  if (auto wrong = WrongPart(committing, plan.prepared.has_value(), "a prepared completion")) {
    return wrong;
  }
  const bool completed = plan.state == PlanState::kCompleted;
  if (auto wrong = WrongPart(completed, plan.completion.has_value(), "a completion")) return wrong;
  if (auto wrong = WrongCompletion(plan.prepared)) return wrong;
  if (auto wrong = WrongCompletion(plan.completion)) return wrong;
  if (IsEmpty(plan.target)) return "has a target without a time";
  if (plan.type == PlanType::kRollback && !plan.target) return "is a rollback and has no target";
  return std::nullopt;
}

std::optional<std::string> WrongTxn(const TxnRow& txn) {
  if (txn.requested.empty()) return "has no requested time";
  const bool versioned = txn.state == TxnState::kPrepared || txn.state == TxnState::kCommitted ||
                         txn.state == TxnState::kUnknown;
  if (versioned) {
    return WrongVersion(txn.op, txn.completed.value_or(Instant()),
                        txn.id_version.value_or(IdVersion()), txn.time_version);
  }
  // Its id is given to another one, and its time is nobody's.
  if (txn.completed) return "has a completion time";
  if (txn.id_version) return "has an id version";
  if (txn.time_version) return "has a time version";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Nonsense(const TableRecord& table) {
  if (table.row.table_id.empty()) return "a table has no id";
  if (!IsEmpty(table.last_time_version)) return std::nullopt;
  return fmt::format("table {} has a last time version without a time", table.row.table_id);
}

std::optional<std::string> Nonsense(const PlanRecord& plan) {
  const auto wrong = WrongPlan(plan.row);
  if (!wrong) return std::nullopt;
  return fmt::format("plan {} is {} and {}", plan.row.id.value(), PlanStateName(plan.row.state),
                     *wrong);
}

std::optional<std::string> Nonsense(const TxnRecord& txn) {
  const auto wrong = WrongTxn(txn.row);
  if (!wrong) return std::nullopt;
  return fmt::format("transaction {} is {} and {}", txn.row.txn_id, TxnStateName(txn.row.state),
                     *wrong);
}

std::optional<std::string> Nonsense(const HistoryRecord& commit) {
  auto wrong = WrongVersion(commit.op, commit.completed, commit.id_version, commit.time_version);
  if (commit.requested.empty()) wrong = "has no requested time";
  if (!wrong) return std::nullopt;
  return fmt::format("transaction {} of the history {}", commit.txn_id, *wrong);
}

}  // namespace catalogd::coord
