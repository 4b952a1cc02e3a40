#pragma once

#include <memory>
#include <optional>
#include <string>

#include "catalog/daemon/options.h"
#include "hms_client/channel_pool.h"
#include "hms_client/embedded/embedded_metastore.h"
#include "hms_client/metastore_client.h"
#include "hms_client/socket_connector.h"

namespace catalogd::daemon {

// The metastore behind the daemon: real ones over sockets, or the embedded one in this process.
// Thread safety: as its parts.
struct Backend {
  std::string name;                                  // "embedded" or the URIs, for people.
  std::unique_ptr<hms::EmbeddedMetastore> embedded;  // Null in front of a real one.
  std::unique_ptr<hms::SocketConnector> sockets;     // Null with the embedded one.
  std::unique_ptr<hms::ChannelPool> pool;
  std::unique_ptr<hms::MetastoreClient> client;

  [[nodiscard]] hms::Connector* connector() const;
};

// The file of the embedded metastore.
std::string EmbeddedFile(const std::string& state_dir);
// Why the file that is about to be opened is likely a lost one: it is missing where a daemon has
// followed a metastore before (to that event). "": nothing speaks for that. An empty file is
// refused when it is opened.
std::string LostFileWarning(const std::string& state_dir,
                            const std::optional<EventId>& followed_to);

// `state_dir` holds the embedded metastore's file and default warehouse.
Result<Backend> OpenBackend(const Options& options, const std::string& state_dir,
                            const Clock& clock);
// The embedded metastore alone.
Result<std::unique_ptr<hms::EmbeddedMetastore>> OpenEmbedded(const Options& options,
                                                             const std::string& state_dir,
                                                             const Clock& clock);

}  // namespace catalogd::daemon
