#include "catalog/daemon/backend.h"

#include <utility>

#include "hms_client/uri.h"

namespace catalogd::daemon {

hms::Connector* Backend::connector() const {
  if (embedded != nullptr) return embedded.get();
  return sockets.get();
}

Result<std::unique_ptr<hms::EmbeddedMetastore>> OpenEmbedded(const Options& options,
                                                             const std::string& state_dir,
                                                             const Clock& clock) {
  hms::EmbeddedOptions embedded;
  embedded.path = state_dir + "/metastore.sqlite";
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
