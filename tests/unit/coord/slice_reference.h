#pragma once

#include <string>
#include <vector>

#include "tests/unit/coord/group_history.h"

// Slicing once more, written straight from its description and without thought for speed, with
// the mistakes that are easy to make in it.
namespace catalogd::coord::testing {

struct Mistakes {
  bool barrier_strictly_before = false;  // "<" instead of "<=".
  bool group_then_filter = false;        // Uncommitted files take part in the grouping.
  bool anchor_at_first_log = false;      // Whatever its state.
};

// What a merging reader takes at `time`, as Group::Reader shows it.
std::string ReferenceReader(const Group& group, int64_t time, const Mistakes& mistakes);

}  // namespace catalogd::coord::testing
