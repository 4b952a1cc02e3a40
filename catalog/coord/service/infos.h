#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/base/clock.h"
#include "catalog/coord/service/coord_context.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// Rows as the structs of the IDL, and the words of the IDL as values of the core.
// Thread safety: pure functions; those that take a state, under its mutex.
namespace catalogd::coord {

api::TxnInfo MakeTxnInfo(const TableState& state, const TxnRecord& txn, TimePoint now);
api::PlanInfo MakePlanInfo(const TableState& state, const PlanRecord& plan, TimePoint now);
api::ConflictInfo MakeConflictInfo(const NotedConflict& noted);

// "INSERT", "OVERWRITE", "UPDATE", "MINOR", "MAJOR"; the names in the matrix are taken, too.
std::string_view OpWord(OpClass op);
CoordResult<OpClass> ParseOp(std::string_view word);
CoordResult<PlanType> ParsePlanType(std::string_view word);
CoordResult<TableType> ParseTableType(std::string_view word);
CoordResult<ConflictPolicy> ParsePolicy(std::string_view word);
CoordResult<Instant> ParseInstant(std::string_view text, std::string_view what);

int64_t MillisOf(Duration duration);

// What an executor has to know of a plan, and the version it was made on: PlanRecord::payload.
struct PlanPayload {
  IdVersion snapshot;
  struct Group {
    std::string partition;
    std::string file_id;
    std::string base;  // Empty: none.
    std::vector<std::string> logs;
  };
  std::vector<Group> groups;
};
std::string PayloadToJson(const PlanPayload& payload);
Result<PlanPayload> PayloadFromJson(const std::string& json);

}  // namespace catalogd::coord
