#pragma once

namespace catalogd {

// The order in which one thread may take mutexes: only ever a greater rank than those it holds.
// Debug builds and the simulator abort on a violation. Name locks (catalog/cache/name_locks.h) are
// not mutexes: they come before all of these, and nothing but name locks may be held across an RPC,
// a file operation or a sleep (AssertNoMutexHeld).
enum class LockRank : int {
  kDaemon = 10,          // Wiring, start and stop.
  kProcessor = 20,       // State of the event processor.
  kDdl = 25,             // Bookkeeping of running DDLs.
  kLoader = 30,          // Which loads are running or wanted.
  kLaneQueue = 40,       // Queued events per lane.
  kNameLockTable = 50,   // Queues of the name-lock table.
  kLogTail = 60,         // The notification log's tail.
  kCacheDirectory = 70,  // Slot directory and commits.
  kSlot = 80,            // One slot's published state.
  kDeltaLog = 90,        // Change list.
  kWatermark = 100,      // Watermark and those who wait for it.
  kReadIndex = 110,      // Readers waiting for the current event id.
  kEndpoint = 120,       // Connections and sessions of the endpoint.
  kChannelPool = 130,    // Connections to the metastore.
  kCoord = 135,          // Coordination rows of a table.
  kCoordTables = 136,    // Which tables are coordinated, and calls that wait for them.
  kCoordStore = 137,     // Queue of what is to be stored of coordination.
  kEmbedded = 140,       // The embedded metastore.
  kTimer = 150,          // Timer queue.
  kExecutor = 160,       // Executor queues.
  kStats = 170,          // Counters and journals shown to people.
  kLeaf = 1000,          // Held for a few instructions, takes nothing.
};

}  // namespace catalogd
