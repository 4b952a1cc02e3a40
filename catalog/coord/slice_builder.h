#pragma once

#include <functional>
#include <vector>

#include "catalog/coord/slices.h"

namespace catalogd::coord {

// The part of a history that takes part in slicing, chosen before.
struct SliceInput {
  std::vector<const BaseName*> bases;
  std::vector<SliceLog> logs;
  std::optional<Instant> pending_plan;
};

// Puts the files of one group into slices, newest first. A completed log belongs to the largest
// key at or below its completion; a pending one to the largest key.
std::vector<FileSlice> BuildSlices(SliceInput input);

// How a file of `instant` is seen: none if it is not, else when it was completed.
struct Seen {
  Instant completed;
  bool unknown = false;  // Taken for completed when it was requested.
};
std::optional<Seen> SeenAs(const CompletionIndex& times, const Instant& instant);

}  // namespace catalogd::coord
