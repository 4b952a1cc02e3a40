#pragma once

#include <string>
#include <string_view>

#include "catalog/coord/file_group.h"
#include "catalog/coord/service/read_points.h"

// Where the next page of slices begins. It goes through the hands of clients.
// Thread safety: pure functions.
namespace catalogd::coord {

struct SlicePlace {
  std::string table_id;
  ReadPosition position;
  FileGroup from;  // The first group of the page.
};

std::string ToPageToken(const SlicePlace& place);
// INVALID_ARGUMENT for what is no token; whether the version can be read is not looked at.
CoordResult<SlicePlace> ParsePageToken(std::string_view token);

}  // namespace catalogd::coord
