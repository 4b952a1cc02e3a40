#pragma once

#include <string>
#include <vector>

#include "catalog/daemon/options.h"
#include "thrift/server/server.h"

namespace catalogd::daemon {

// How clients are listened to, by the daemon and by the plain metastore. Pure.
server::ServerOptions ServerOptionsOf(const Options& options);

// One line for each address that other machines can reach, since nobody is asked who they are;
// empty as long as both are loopback. Without pages only that of metastore clients counts. Pure.
std::vector<std::string> OpenAddressWarnings(const Options& options, bool with_pages);

}  // namespace catalogd::daemon
