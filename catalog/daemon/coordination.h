#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/coord/service/coordinator.h"
#include "catalog/daemon/coord_access.h"
#include "catalog/daemon/coord_publisher.h"
#include "catalog/daemon/coord_service.h"
#include "catalog/daemon/coord_watch.h"
#include "catalog/endpoint/endpoint.h"

namespace catalogd::daemon {

struct CoordinationOptions {
  bool enabled = true;
  std::string state_dir;
  CoordAccess::Options access;
};

// Table coordination, wired: store, coordinator, publisher, what events say, and its calls.
//
// Whatever is wrong with its store stops coordination alone: its calls then say why, and so do
// `warnings`.
// Thread safety: opening, starting and stopping by one thread; the rest as its parts.
// Lifetime: what it is made of outlives it.
class Coordination {
 public:
  struct Parts {
    sync::SyncCore* core = nullptr;
    ddl::DdlExecutor* ddl = nullptr;
    hms::Metastore* metastore = nullptr;
    const endpoint::CatalogView* view = nullptr;
    const Clock* clock = nullptr;
    Timer* timer = nullptr;
  };
  // Reads the store, and takes over what it has.
  Coordination(const Parts& parts, const CoordinationOptions& options);
  ~Coordination();

  // Its calls on that endpoint. Before the endpoint's server starts.
  void RegisterOn(endpoint::Endpoint* endpoint);
  // Timers, and what events say. Before the core starts.
  void Start();
  // Whoever waits gets an answer; nothing is begun any more.
  void StopWaiting();
  // After the server and the core have stopped.
  void Stop();

  // Null where nothing is coordinated; then `closed` is what calls are told.
  [[nodiscard]] coord::Coordinator* open() const { return closed_ ? nullptr : coordinator_.get(); }
  [[nodiscard]] const std::optional<api::CoordError>& closed() const { return closed_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void Open(const std::string& path);
  void Close(coord::CoordFailure failure, const std::string& path);

  const Parts parts_;
  ThreadPoolExecutor workers_;
  CoordPublisher publisher_;
  CoordAccess access_;
  std::unique_ptr<coord::StoreWriter> writer_;
  std::unique_ptr<coord::Coordinator> coordinator_;
  std::unique_ptr<CoordWatch> watch_;
  std::optional<api::CoordError> closed_;
  std::vector<std::string> warnings_;
  std::unique_ptr<CoordService> service_;
  bool stopped_ = false;
};

}  // namespace catalogd::daemon
