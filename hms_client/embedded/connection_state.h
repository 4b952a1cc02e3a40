#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catalogd::hms {

// What a client told the embedded metastore on its connection. Plain data, kept by whoever keeps
// the connection, given along with every message of it.
struct ConnectionState {
  std::optional<std::string> user;  // By set_ugi.
  std::vector<std::string> groups;
  std::map<std::string, std::string> meta_conf;  // By setMetaConf.
  // The connection is to be closed: the client said shutdown, or broke a rule of the protocol.
  bool close_requested = false;
};

}  // namespace catalogd::hms
