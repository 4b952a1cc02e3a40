#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/coord/service/table_publisher.h"
#include "catalog/ddl/ddl_executor.h"

namespace catalogd::daemon {

// Table coordination's view of the metastore: its commits are writes like any other of the daemon,
// under the same name locks, and the cache shows them when they are answered.
//
// Thread safety: yes. Locks: rank kDaemon, for a few instructions.
// Invariants: of a table's bytes only the parameters change; nothing that may have arrived is sent
// again. Where the metastore does not compare, a fresh read under the name's lock does, and a
// writer that goes past the daemon between read and alter is not seen.
// Lifetime: core, ddl, metastore and workers outlive the calls that are open.
class CoordPublisher final : public coord::TablePublisher {
 public:
  CoordPublisher(sync::SyncCore* core, ddl::DdlExecutor* ddl, hms::Metastore* metastore,
                 const Clock* clock, Executor* workers);

  void UnderWrite(Lock lock, Body body, std::function<void(Result<EventId>)> done) override;
  void UnderLock(Lock lock, std::function<void(Status)> body) override;
  Result<coord::PublishedTable> Read(const ObjectName& table, TimePoint deadline) override;
  Status Publish(const ObjectName& table, const coord::Publication& publication,
                 TimePoint deadline) override;
  Result<bool> Compares(const ObjectName& table, TimePoint deadline) override;

 private:
  // Between the two, altering the table is noted.
  void BeginWrite(const ObjectName& table);
  bool EndWrite(const ObjectName& table);
  void NoteAltered(const ObjectName& table);

  Status Alter(const ObjectName& table, const std::string& message,
               const std::optional<std::string>& state, TimePoint deadline);
  Status JudgeException(const ObjectName& table, const std::string& text,
                        const std::optional<std::string>& state, TimePoint deadline);
  Result<bool> TryBoth(const ObjectName& scratch, TimePoint deadline);
  Result<bool> Probe(const ObjectName& scratch, TimePoint deadline);
  [[nodiscard]] ObjectName Scratch(const ObjectName& table);
  Result<std::string> Send(const std::string& message, TimePoint deadline);

  sync::SyncCore* const core_;
  ddl::DdlExecutor* const ddl_;
  hms::Metastore* const metastore_;
  const Clock* const clock_;
  Executor* const workers_;
  std::atomic<uint64_t> scratches_{0};
  Mutex mutex_{LockRank::kDaemon};
  std::map<ObjectName, bool> writes_ GUARDED_BY(mutex_);  // Running ones: has it altered?
  std::optional<bool> compares_ GUARDED_BY(mutex_);       // As was found out in this run.
};

}  // namespace catalogd::daemon
