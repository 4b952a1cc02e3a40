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
  // Compares objects with the metastore now. An object that cannot be read is an entry.
  void Diff(const api::DiffRequest& request, Done<std::vector<api::DiffEntry>> done);
  // What there is, or comes within the time given.
  void Deltas(const api::DeltasRequest& request, Done<api::DeltaBatch> done);
  void Events(const api::EventsRequest& request, Done<std::vector<api::EventInfo>> done);
  // Runs the preflight now. A metastore that cannot be asked is a finding.
  void Doctor(const Done<api::DoctorReport>& done);

  // Ends what waits, with kCancelled; nothing waits any more from now on.
  void Stop();

  Result<api::DaemonStatus> SetReadMode(const api::ReadModeRequest& request);
  Result<api::DaemonStatus> Reset(const std::string& reason);
  Result<api::DaemonStatus> Pause(bool paused);

 private:
  struct WaitJob;
  struct DiffJob;
  using DiffJobPtr = std::shared_ptr<DiffJob>;
  void Expand(const DiffJobPtr& job, const std::vector<std::string>& names);
  void CompareAll(const DiffJobPtr& job);
  static void GiveUp(const DiffJobPtr& job);
  static void NoteEntry(const DiffJobPtr& job, api::DiffEntry entry);
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
