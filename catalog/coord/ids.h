#pragma once

#include "catalog/base/ids.h"

namespace catalogd::coord {

// Raised at every grant, one sequence per table; 0 = never granted. Whoever changes something shows
// the one it was given, and any other than the newest of its plan is refused.
using Fence = StrongId<struct FenceTag>;
using PlanId = StrongId<struct PlanIdTag>;
// +1 for each committed transaction of a table, services included; 0 = nothing committed.
using IdVersion = StrongId<struct IdVersionTag>;

}  // namespace catalogd::coord
