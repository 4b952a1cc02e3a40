#pragma once

#include <cstdint>
#include <vector>

#include "hms_client/embedded/operations.h"

namespace catalogd::hms::ops {

// What a client says has happened to a table's files: one INSERT for each part of the report, or
// RELOADs. Changes no object. Returns the ids of the events.
// Errors: as operations.h; kNotFound: table or partition.
Result<std::vector<int64_t>> ReportEvents(Store& store, const api::FireEventRequest& request);

// What transactions have written to the table. The metastore keeps it beside the log, for
// replication only, and so no event tells of it; here it is checked and forgotten.
// Errors: as operations.h; kNotFound: table or partition.
Status ReportWrites(Store& store, const CalledName& table,
                    const std::vector<api::WriteNotificationLogRequest>& writes);

}  // namespace catalogd::hms::ops
