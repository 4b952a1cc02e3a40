#include "catalog/daemon/server_options.h"

namespace catalogd::daemon {

server::ServerOptions ServerOptionsOf(const Options& options) {
  server::ServerOptions server;
  server.address = options.bind_address;
  server.port = options.port;
  server.io_threads = options.io_threads;
  server.max_connections = options.max_connections;
  server.max_connections_per_address = options.max_connections_per_address;
  server.limits.max_message = options.max_message_size;
  server.limits.max_string = options.max_message_size;
  return server;
}

}  // namespace catalogd::daemon
