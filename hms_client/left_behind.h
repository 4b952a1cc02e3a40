#pragma once

#include <string_view>

namespace catalogd::hms {

// True when the connection that this answer came on may no longer tell the truth.
//
// A metastore that fails in the middle of a call can leave its database transaction open on the
// connection's thread: from then on everything read there is as old as that transaction, current
// event ids too, until the connection is closed. Seen after exchange_partition(s) that failed, on
// 3.1.3 and 4.2.0. Which failures of which version do so cannot be told from outside, so every call
// that was answered with an exception counts, unless it only reads (`get...`) or was not known.
// Thread safety: yes.
[[nodiscard]] bool MayLeaveBehind(std::string_view reply);

}  // namespace catalogd::hms
