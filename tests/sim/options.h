#pragma once

#include <cstdint>
#include <string>

#include "catalog/sync/sync_core.h"
#include "tests/sim/scheduler.h"

namespace catalogd::sim {

// What one schedule consists of: drawn from its seed (swarm testing: each seed leaves most features
// out, so that the others meet more often).
struct SimOptions {
  uint64_t seed = 0;
  // The metastore.
  hms::Generation generation = hms::Generation::kHive4;
  int databases = 1;
  int tables = 2;  // Per database.
  bool tables_before_database = false;
  bool partitions = false;
  bool renames = false;
  bool database_drops = false;
  bool odd_events = false;  // Poison, unknown types, truncates, transactions.
  bool packed = false;      // Half of the messages come as gzip.
  // Actors, and how much each does.
  int foreigners = 1;
  int foreign_ops = 4;
  int locals = 1;
  int local_ops = 3;
  int readers = 1;
  int reads = 6;
  int waiters = 0;
  int waits = 3;
  int dumps = 2;
  bool cold = false;  // Clients come before the daemon is ready.
  bool warm = true;   // Everything has been loaded before they come.
  bool pauses = false;
  bool resyncs = false;
  bool restart = false;
  // Faults, in thousandths of calls.
  uint64_t not_sent = 0;
  uint64_t lost_before = 0;
  uint64_t lost_after = 0;
  uint64_t late_writes = 0;
  uint64_t slow = 0;
  bool torn_reads = false;
  bool duplicate_rows = false;
  bool late_rows = false;
  int64_t gaps = 0;
  bool cleaner = false;
  bool restore = false;
  bool other_uuid = false;
  // The daemon.
  sync::PayloadMode payload = sync::PayloadMode::kTrust;
  int batch = 1000;
  int reread_window = 0;
  int64_t max_catch_up = 5000;
  size_t max_deltas = 1000;
  size_t max_queued_ddls = 100;
  Duration ddl_lock_timeout = std::chrono::seconds(60);
  // The scheduler.
  Grain grain = Grain::kLocks;
  uint64_t stay = 8;
  uint64_t tick_one_in = 0;

  // The log tells everything, once and in order; so nothing may look contradictory.
  [[nodiscard]] bool orderly() const { return !late_rows && !restore && !cleaner && !odd_events; }
  [[nodiscard]] std::string ToString() const;
};

SimOptions DrawOptions(uint64_t seed);
// A few operations of two actors, for the exhaustive search.
SimOptions SmallOptions(uint64_t seed);

}  // namespace catalogd::sim
