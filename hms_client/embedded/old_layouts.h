#pragma once

#include <string>
#include <string_view>

namespace catalogd::hms {

// Arguments of the same meaning whose fields older clients number differently.
// REQUIRES: a well-formed argument struct. Thread safety: pure functions.

// fire_listener_event of Hive 2: the list of files is field 1, which is a flag since Hive 3. The
// arguments as Hive 3 writes them; empty when they are that already.
std::string NewInsertLayout(std::string_view arguments);

}  // namespace catalogd::hms
