#include "catalog/coord/slice_builder.h"

#include <algorithm>
#include <map>
#include <utility>

namespace catalogd::coord {
namespace {

using Slices = std::map<Instant, FileSlice>;

FileSlice& SliceOf(Slices* slices, const Instant& key) {
  FileSlice& slice = (*slices)[key];
  slice.anchor = key;
  return slice;
}

// Without a base and a plan: the earliest log that is completed, or the first of all.
Instant FirstAnchor(const std::vector<SliceLog>& logs) {
  const auto completed =
      std::find_if(logs.begin(), logs.end(), [](const SliceLog& log) { return log.completed; });
  return completed == logs.end() ? logs.front().name.instant : completed->name.instant;
}

FileSlice& PlaceOf(Slices* slices, const SliceLog& log) {
  if (!log.completed) return slices->rbegin()->second;
  const auto behind = slices->upper_bound(*log.completed);
  if (behind == slices->begin()) return SliceOf(slices, log.name.instant);
  return std::prev(behind)->second;
}

}  // namespace

std::vector<FileSlice> BuildSlices(SliceInput input) {
  Slices slices;
  for (const BaseName* base : input.bases) SliceOf(&slices, base->instant).base = *base;
  if (input.pending_plan) SliceOf(&slices, *input.pending_plan);
  std::sort(input.logs.begin(), input.logs.end(),
            [](const SliceLog& a, const SliceLog& b) { return CompareLogs(a.name, b.name) < 0; });
  if (slices.empty() && !input.logs.empty()) SliceOf(&slices, FirstAnchor(input.logs));
  for (SliceLog& log : input.logs) PlaceOf(&slices, log).logs.push_back(std::move(log));
  std::vector<FileSlice> newest_first;
  newest_first.reserve(slices.size());
  for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
    newest_first.push_back(std::move(slice->second));
  }
  return newest_first;
}

std::optional<Seen> SeenAs(const CompletionIndex& times, const Instant& instant) {
  const CompletionAnswer answer = times.Lookup(instant);
  if (answer.state == CompletionState::kCompleted) return Seen{answer.completed, false};
  if (answer.state == CompletionState::kUnknown) return Seen{instant, true};
  return std::nullopt;
}

}  // namespace catalogd::coord
