#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/service/slice_context.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// File groups as what readers are told of them.
// Thread safety: pure functions.
namespace catalogd::coord {

enum class SliceForm {
  kMerged,         // What a merging reader takes, its logs in the order in which they apply.
  kReadOptimized,  // The newest base.
  kRaw,            // Every slice, newest first, also what nobody reads any more: for people.
};
CoordResult<SliceForm> ParseSliceForm(std::string_view word);

// Of each of the groups what the form says; nothing of one that has nothing to be read.
void AppendSlices(GroupHistories histories, const SliceContext& context, const Instant& at,
                  SliceForm form, std::vector<api::FileSliceInfo>* slices);

}  // namespace catalogd::coord
