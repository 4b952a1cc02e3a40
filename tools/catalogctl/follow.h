#pragma once

#include "catalogd_idl/catalogd_types.h"
#include "tools/catalogctl/commands.h"

namespace catalogd::ctl {

// Prints happenings, oldest first, as they come; returns only with an error.
Result<Output> FollowEvents(DaemonClient* client, const CommandOptions& options,
                            api::EventsRequest request);

}  // namespace catalogd::ctl
