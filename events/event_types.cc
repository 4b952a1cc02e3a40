#include "events/event_types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace catalogd::events {
namespace {

using Kind = EventKind;
using Names = EventType::Names;
using Row = std::pair<std::string_view, EventType>;

// By name, for the binary search.
constexpr std::array kTypes = {
    Row{"ABORT_TXN", {Kind::kTransaction, Names::kNone, false}},
    Row{"ACID_WRITE_EVENT", {Kind::kTransaction, Names::kTable, false}},
    Row{"ADD_CHECKCONSTRAINT", {Kind::kConstraint, Names::kTable, false}},
    Row{"ADD_DEFAULTCONSTRAINT", {Kind::kConstraint, Names::kTable, false}},
    Row{"ADD_FOREIGNKEY", {Kind::kConstraint, Names::kTable, false}},
    Row{"ADD_NOTNULLCONSTRAINT", {Kind::kConstraint, Names::kTable, false}},
    Row{"ADD_PARTITION", {Kind::kAddPartition, Names::kTable, true}},
    Row{"ADD_PRIMARYKEY", {Kind::kConstraint, Names::kTable, false}},
    Row{"ADD_UNIQUECONSTRAINT", {Kind::kConstraint, Names::kTable, false}},
    Row{"ALLOC_WRITE_ID_EVENT", {Kind::kTransaction, Names::kTable, false}},
    Row{"ALTER_DATABASE", {Kind::kAlterDatabase, Names::kDatabase, true}},
    Row{"ALTER_INDEX", {Kind::kIndex, Names::kDatabase, false}},
    Row{"ALTER_PARTITION", {Kind::kAlterPartition, Names::kTable, true}},
    Row{"ALTER_PARTITIONS", {Kind::kAlterPartition, Names::kTable, true}},
    Row{"ALTER_TABLE", {Kind::kAlterTable, Names::kTable, true}},
    Row{"COMMIT_COMPACTION_EVENT", {Kind::kCommitCompaction, Names::kTable, false}},
    Row{"COMMIT_TXN", {Kind::kTransaction, Names::kNone, false}},
    Row{"CREATE_DATABASE", {Kind::kCreateDatabase, Names::kDatabase, true}},
    Row{"CREATE_FUNCTION", {Kind::kCreateFunction, Names::kDatabase, true}},
    Row{"CREATE_INDEX", {Kind::kIndex, Names::kDatabase, false}},
    Row{"CREATE_TABLE", {Kind::kCreateTable, Names::kTable, true}},
    Row{"DELETE_PART_COL_STAT_EVENT", {Kind::kDeleteStats, Names::kTable, false}},
    Row{"DELETE_TBL_COL_STAT_EVENT", {Kind::kDeleteStats, Names::kTable, false}},
    Row{"DROP_CONSTRAINT", {Kind::kConstraint, Names::kTable, false}},
    Row{"DROP_DATABASE", {Kind::kDropDatabase, Names::kDatabase, false}},
    Row{"DROP_FUNCTION", {Kind::kDropFunction, Names::kDatabase, true}},
    Row{"DROP_INDEX", {Kind::kIndex, Names::kDatabase, true}},
    Row{"DROP_PARTITION", {Kind::kDropPartition, Names::kTable, true}},
    Row{"DROP_TABLE", {Kind::kDropTable, Names::kTable, false}},
    Row{"INSERT", {Kind::kInsert, Names::kTable, false}},
    Row{"OPEN_TXN", {Kind::kTransaction, Names::kNone, false}},
    Row{"RELOAD", {Kind::kReload, Names::kTable, false}},
    Row{"UPDATE_PART_COL_STAT_EVENT", {Kind::kUpdatePartitionStats, Names::kTable, true}},
    Row{"UPDATE_TBL_COL_STAT_EVENT", {Kind::kUpdateTableStats, Names::kTable, true}},
};
static_assert(std::is_sorted(kTypes.begin(), kTypes.end(),
                             [](const Row& a, const Row& b) { return a.first < b.first; }));

}  // namespace

EventType FindEventType(std::string_view stored) {
  const auto* const at =
      std::lower_bound(kTypes.begin(), kTypes.end(), stored,
                       [](const Row& row, std::string_view name) { return row.first < name; });
  if (at == kTypes.end() || at->first != stored) return {};
  return at->second;
}

}  // namespace catalogd::events
