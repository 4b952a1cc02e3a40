#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/coord/service/table_state.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// What people and clients are told of a table as a whole.
// Thread safety: pure, under the table's mutex.
namespace catalogd::coord {

api::CoordTable MakeCoordTable(const TableState& state, const Clock& clock);
// "nobody_executes" and the like, with what to do.
std::vector<std::string> WarningsOf(const TableState& state, int64_t wall_ms);

}  // namespace catalogd::coord
