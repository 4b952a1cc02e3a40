#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "catalog/base/result.h"

namespace catalogd::api {
class CatalogdClient;
class CatalogdCoordClient;
}  // namespace catalogd::api

namespace catalogd::ctl {

// One connection to a daemon's endpoint port. Exceptions of the generated code end here.
// Thread safety: none. Errors: kUnavailable (nobody there, with what to check), kTimedOut,
// kUnsupported (somebody there who is not catalogd), and what the daemon answers, with its own
// code.
class DaemonClient {
 public:
  // `timeout` bounds connecting and each answer.
  static Result<std::unique_ptr<DaemonClient>> Connect(const std::string& host, int port,
                                                       std::chrono::milliseconds timeout);
  ~DaemonClient();

  // Runs one call: call([](auto& client) { client.catalogd_status(status); }).
  Status Call(const std::function<void(api::CatalogdClient&)>& call);
  // The same for table coordination. What it refuses keeps its name ("PLAN_BUSY") and details in
  // the text; the code is the nearest one.
  Status CallCoord(const std::function<void(api::CatalogdCoordClient&)>& call);
  // Whose the calls of this connection are.
  Status SetUser(const std::string& user);

 private:
  struct Connection;
  explicit DaemonClient(std::unique_ptr<Connection> connection);
  Status Guarded(const std::function<void()>& call);
  std::unique_ptr<Connection> connection_;
};

}  // namespace catalogd::ctl
