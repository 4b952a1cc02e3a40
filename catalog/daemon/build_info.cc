#include "catalog/daemon/build_info.h"

namespace catalogd::daemon {

std::string BuildVersion() { return CATALOGD_VERSION; }

}  // namespace catalogd::daemon
