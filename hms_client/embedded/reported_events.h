#pragma once

#include <cstdint>
#include <vector>

#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

// What a client says has happened to a table's files: one INSERT for each part of the report, or
// RELOADs. Changes no object. Returns the ids of the events.
// Errors: as operations.h; kNotFound: table or partition.
Result<std::vector<int64_t>> ReportEvents(Store& store, const api::FireEventRequest& request);

}  // namespace catalogd::hms::ops
