#pragma once

#include <memory>

#include "tests/sim/world.h"

namespace catalogd::sim {

// One run of the daemon: the real core over the simulated metastore. Its threads are actors.
struct World::Life {
  Life(const SimOptions& options, Scheduler* scheduler, const Clock* clock, Timer* timer,
       hms::Connector* connector, sync::StateStore* store);

  // The loops that SyncCore::Start would give threads to.
  void SpawnLoops();
  void Stop();

  Scheduler* const scheduler;
  bool stopping = false;
  int loops = 0;
  SimExecutor sync_pool;
  SimExecutor loader_pool;
  SimExecutor ddl_pool;
  hms::ChannelPool pool;
  hms::MetastoreClient client;
  sync::SyncCore core;
  ddl::DdlExecutor ddl;
};

}  // namespace catalogd::sim
