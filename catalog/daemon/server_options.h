#pragma once

#include "catalog/daemon/options.h"
#include "thrift/server/server.h"

namespace catalogd::daemon {

// How clients are listened to, by the daemon and by the plain metastore. Pure.
server::ServerOptions ServerOptionsOf(const Options& options);

}  // namespace catalogd::daemon
