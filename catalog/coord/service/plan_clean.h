#pragma once

#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/coord/service/table_state.h"

namespace catalogd::coord {

struct CleanPlan {
  std::vector<std::string> removes;  // Below the table's folder: "<partition>/<name>".
  std::string reason;
};

// Files that are in no version that a reader may still ask for, and that no other clean has
// deleted or is about to. Readers may ask for versions within the retention time, for those of
// pins, of open transactions and of pending plans.
// Thread safety: pure function; under the mutex of the state.
CleanPlan PlanClean(const TableState& state, const Clock& clock);

}  // namespace catalogd::coord
