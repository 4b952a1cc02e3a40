#pragma once

#include <optional>
#include <string>

#include "catalog/coord/store/records.h"

// Whether a record can be true at all, whatever else is in the file. What is read and what is
// written is held against the same rules, so that nothing is stored that no start would accept.
// Thread safety: pure functions.
namespace catalogd::coord {

// Why it cannot be true, for people: "plan 7 is CLAIMED and has no claim". None: it can.
std::optional<std::string> Nonsense(const TableRecord& table);
std::optional<std::string> Nonsense(const PlanRecord& plan);
std::optional<std::string> Nonsense(const TxnRecord& txn);
std::optional<std::string> Nonsense(const HistoryRecord& commit);

}  // namespace catalogd::coord
