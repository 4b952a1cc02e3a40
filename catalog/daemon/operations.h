#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "catalog/base/executor.h"
#include "catalog/daemon/views.h"
#include "catalogd_idl/catalogd_types.h"
#include "hms_client/metastore.h"

namespace catalogd::daemon {

// What an operator or a client can make the daemon do: the acts behind catalogd.thrift. Looking is
// in views.h.
//
// Thread safety: yes. Nothing blocks the caller; `done` runs once, on any thread, perhaps at once.
// Lifetime: sources, metastore, executor and timer outlive the calls that are open.
class Operations {
 public:
  Operations(const ViewSources* sources, hms::Metastore* metastore, Executor* workers,
             Timer* timer);

  template <class T>
  using Done = std::function<void(Result<T>)>;

  // Waits for names, or for all, to reflect every event up to an id; first, if need be, for the
  // daemon to become ready. kInvalidArgument: an id above the metastore's current one (that would
  // be a wait for something that may never come); kInvalidState: a pure proxy.
  void Wait(const api::WaitRequest& request, Done<api::WaitResult> done);
  // Reads an object now, however fresh it is. kNotFound: there is none (that is known then).
  void Sync(const api::SyncRequest& request, Done<api::ObjectInfo> done);
  // Runs the preflight now. A metastore that cannot be asked is a finding.
  void Doctor(const Done<api::DoctorReport>& done);

  // Ends what waits, with kCancelled; nothing waits any more from now on.
  void Stop();

  Result<api::DaemonStatus> SetReadMode(const api::ReadModeRequest& request);
  Result<api::DaemonStatus> Reset(const std::string& reason);
  Result<api::DaemonStatus> Pause(bool paused);

 private:
  struct WaitJob;
  using WaitJobPtr = std::shared_ptr<WaitJob>;
  void WhenReady(TimePoint deadline, std::function<void(Status)> then);
  void AskTarget(const WaitJobPtr& job);
  void WaitForTarget(const WaitJobPtr& job, EventId target);

  const ViewSources* const sources_;
  hms::Metastore* const metastore_;
  Executor* const workers_;
  Timer* const timer_;
  std::atomic<bool> stopping_{false};
};

}  // namespace catalogd::daemon
