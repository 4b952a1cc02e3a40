#pragma once

#include <memory>
#include <string>

#include "catalog/base/result.h"
#include "catalog/daemon/options.h"

namespace catalogd::daemon {

// `catalogd metastore`: the embedded metastore alone, as a plain metastore server that another
// catalogd, or any client, may talk to.
// Thread safety: Start and Stop by one thread.
class MetastoreServer {
 public:
  static Result<std::unique_ptr<MetastoreServer>> Start(const Configuration& configuration);
  ~MetastoreServer();
  // How many calls had to be left behind. Idempotent.
  size_t Stop();
  [[nodiscard]] std::string endpoint() const;

 private:
  struct Parts;
  explicit MetastoreServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catalogd::daemon
