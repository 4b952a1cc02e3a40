#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalog/ddl/ddl_executor.h"
#include "catalog/sync/sync_core.h"
#include "hms_client/channel_pool.h"
#include "hms_client/metastore_client.h"
#include "tests/sim/model.h"
#include "tests/sim/options.h"
#include "tests/sim/oracle.h"
#include "tests/sim/runtime.h"
#include "tests/sim/scheduler.h"
#include "tests/sim/sim_metastore.h"

namespace catalogd::sim {

// One schedule: a metastore, a daemon's core that follows it, and actors that use both. Lives as
// long as one run of the scheduler.
//
// The order of things: a director starts the daemon, lets the actors work, then turns all faults
// off, waits until the daemon has caught up, and looks at everything. With `restart` there are two
// lives of the daemon over one metastore.
// Thread safety: actors only, one at a time.
class World {
 public:
  World(const SimOptions& options, Scheduler* scheduler);
  ~World();

  // Spawns everything; then Scheduler::Run.
  void Spawn();

  [[nodiscard]] const Oracle& oracle() const { return oracle_; }
  Oracle& oracle() { return oracle_; }
  // What ran, for the sum at the end.
  struct Totals {
    uint64_t writes = 0;
    uint64_t answered = 0;   // Reads that the cache would have answered.
    uint64_t own_reads = 0;  // Own writes that were followed by a load of the name: I7.
  };
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  // One life of the daemon.
  struct Life;

  void Direct();
  void StartLife();
  void EndLife();
  void WaitUntilReady();
  void WaitForConvergence();
  bool LoadEverything();

  void SpawnClients();
  void SpawnClient(const std::string& name, const std::function<void()>& body);
  void Foreign();
  void Local();
  // What a write promises, judged at the moment of its answer: what happens later it cannot know.
  // `result`: what it has done by then; null: nothing.
  void NoteAnswer(const Op& op, const OpResult* result, const Result<ddl::DdlOutcome>& outcome,
                  int era);
  void Read();
  void Wait();
  void Dump();
  void Trouble();
  void LateWrites();
  void ReadOnce(const ObjectName& name);
  void ReadList(const ObjectName& db);
  void ReadLatest(const ObjectName& name);
  void ReadAtLeast(const ObjectName& name);
  void WaitForWatermark();
  Op DrawOp();
  ObjectName DrawDatabase();
  ObjectName DrawTable();
  std::vector<ObjectName> NamesOf(const Op& op) const;
  void RestoreMetastore();
  void NoteCallback(int calls, const char* what);

  const SimOptions options_;
  Scheduler* const scheduler_;
  Model model_;
  SimMetastore metastore_;
  Oracle oracle_;
  SimClock clock_;
  std::vector<ObjectName> universe_;
  std::unique_ptr<sync::StateStore> store_;
  // The timer outlives the life that uses it.
  std::unique_ptr<SimTimer> timer_;
  std::vector<std::unique_ptr<SimTimer>> past_timers_;
  std::vector<std::unique_ptr<Life>> past_lives_;
  std::unique_ptr<Life> life_;
  std::vector<Oracle::Dump> dumps_;
  int clients_ = 0;
  bool over_ = false;  // The clients of this life are done.
  Totals totals_;
};

}  // namespace catalogd::sim
