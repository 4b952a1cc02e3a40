#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/plan.h"

// Which plan is offered to an executor next. The queue is a question to the rows, so nothing can
// be lost between "planned" and "queued", and nothing is queued twice.
// Thread safety: pure functions.
namespace catalogd::coord {

enum class QueueOrder { kOldestFirst, kNewestFirst };

// What may be claimed now: requested ones that do not back off, and claimed ones whose holder is
// gone. By requested time.
std::vector<PlanId> Offers(std::span<const PlanRow> plans, TimePoint now, QueueOrder order);

// The plans of one table, for executors of many.
struct TablePlans {
  std::string table_id;
  std::span<const PlanRow> plans;
};

struct Offer {
  std::string table_id;
  PlanId plan;

  friend bool operator==(const Offer&, const Offer&) = default;
};

// The tables take turns, beginning behind `last_table`: a table whose plans fail each time holds
// up no other. `tables` by id.
std::optional<Offer> NextOffer(std::span<const TablePlans> tables, const std::string& last_table,
                               TimePoint now, QueueOrder order);

// Pending plans found elsewhere (in a timeline folder) that have no row yet: by requested time,
// each once, so that a plan seen in both places runs once.
std::vector<Instant> WithoutRow(std::span<const Instant> found, std::span<const PlanRow> plans);

}  // namespace catalogd::coord
