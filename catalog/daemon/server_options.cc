#include "catalog/daemon/server_options.h"

#include <string_view>

namespace catalogd::daemon {
namespace {

// As written: both listeners take numbers only, never names.
bool IsLoopback(std::string_view address) {
  constexpr std::string_view kMapped = "::ffff:";
  if (address.starts_with(kMapped)) address.remove_prefix(kMapped.size());
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

std::vector<std::string> OpenAddressWarnings(const Options& options, bool with_pages) {
  std::vector<std::string> warnings;
  const auto add = [&](const std::string& address, const char* who, const char* option) {
    if (IsLoopback(address)) return;
    warnings.push_back(std::string(who) + " at " + address +
                       " from other machines too, and nobody is asked who they are: keep the port "
                       "behind a firewall, or set " +
                       option + " to 127.0.0.1");
  };
  add(options.bind_address, "metastore clients are served", "bind-address");
  if (with_pages) add(options.web_bind_address, "pages are shown", "web-bind-address");
  return warnings;
}

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
