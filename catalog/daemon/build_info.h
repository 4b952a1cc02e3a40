#pragma once

#include <string>

namespace catalogd::daemon {

// "0.1.0" of the build.
std::string BuildVersion();
// The Hive version whose Thrift interface is known completely.
inline constexpr char kThriftInterface[] = "4.2.0";

}  // namespace catalogd::daemon
