#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "catalog/base/result.h"
#include "catalog/daemon/options.h"

namespace catalogd::daemon {

// The whole daemon, wired: metastore, sync core, endpoint, own service, pages. One per state
// directory.
// Thread safety: Start and Stop by one thread. Errors of Start name the port, file or directory
// that is in the way and what to do.
class Daemon {
 public:
  static Result<std::unique_ptr<Daemon>> Start(const Configuration& configuration);
  ~Daemon();
  // Accepts no more, refuses writes that have not been sent to the metastore and calls that wait
  // for their turn, lets running calls finish (options.stop_timeout), closes. How many calls had to
  // be left behind. Idempotent.
  size_t Stop();

  // "127.0.0.1:9083".
  [[nodiscard]] std::string endpoint() const;
  [[nodiscard]] std::string web() const;

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catalogd::daemon
