#include "catalog/daemon/backend.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "hms_client/uri.h"

namespace catalogd::daemon {

hms::Connector* Backend::connector() const {
  if (embedded != nullptr) return embedded.get();
  return sockets.get();
}

std::string EmbeddedFile(const std::string& state_dir) { return state_dir + "/metastore.sqlite"; }

std::string LostFileWarning(const std::string& state_dir,
                            const std::optional<EventId>& followed_to) {
  const std::string path = EmbeddedFile(state_dir);
  std::error_code error;
  if (!followed_to || std::filesystem::exists(path, error)) return "";
  return fmt::format(
      "metastore file {} was missing at the start although a metastore was followed from this "
      "directory to event {}: this is a new metastore without databases; if the old one was lost, "
      "stop and put its file back",
      path, followed_to->value());
}

Result<std::unique_ptr<hms::EmbeddedMetastore>> OpenEmbedded(const Options& options,
                                                             const std::string& state_dir,
                                                             const Clock& clock) {
  hms::EmbeddedOptions embedded;
  embedded.path = EmbeddedFile(state_dir);
  embedded.warehouse =
      options.warehouse_dir.empty() ? state_dir + "/warehouse" : options.warehouse_dir;
  embedded.full_sync = options.full_sync;
  return hms::EmbeddedMetastore::Open(embedded, clock);
}

Result<Backend> OpenBackend(const Options& options, const std::string& state_dir,
                            const Clock& clock) {
  Backend backend;
  if (options.metastore.empty()) {
    backend.name = "embedded";
    ASSIGN_OR_RETURN(backend.embedded, OpenEmbedded(options, state_dir, clock));
  } else {
    backend.name = options.metastore;
    hms::ConnectorOptions connector;
    ASSIGN_OR_RETURN(connector.addresses, hms::ParseMetastoreUris(options.metastore));
    connector.seed = static_cast<uint64_t>(clock.WallNow().time_since_epoch().count());
    backend.sockets = std::make_unique<hms::SocketConnector>(std::move(connector), clock);
  }
  hms::PoolOptions pool;
  pool.max_channels = options.metastore_connections;
  backend.pool = std::make_unique<hms::ChannelPool>(backend.connector(), clock, pool);
  backend.client = std::make_unique<hms::MetastoreClient>(backend.pool.get());
  return backend;
}

}  // namespace catalogd::daemon
