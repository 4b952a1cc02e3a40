#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/store/records.h"

namespace catalogd::coord {

// Keeps what table coordination knows. Whoever decides has all of it in memory; this is written
// before anybody is told, and read once, at the start.
//
// Not for: decisions. It refuses what would break an invariant all the same, since a wrong row
// that is durable is there for good.
// Thread safety: none; one thread owns it.
// Invariants, each refused with kConflict and nothing of its batch written: per table no requested
// time and no id version of a prepared or committed transaction twice (C-I1, C-I2); fences, id
// versions and the high-water mark never go back (C-I1, C-I4); a completed plan stays as it is
// (C-I3); a file group is in one pending plan at most (C-I8); one live file of a name (C-I5).
// Errors: those of SqliteDb; kUnsupported for a file of a newer version, kCorrupt for one of
// another program or with rows that make no sense.
class CoordStore {
 public:
  virtual ~CoordStore() = default;
  virtual Result<StoreContent> Load() = 0;
  // Each batch as a whole, all in one commit: one that is refused costs only itself. When the
  // commit itself fails all of them have failed. An OK is durable.
  virtual std::vector<Status> Write(std::span<const StoreBatch> batches) = 0;
};

struct CoordStoreOptions {
  bool full_sync = true;  // False: a power cut may lose the last commits; for tests.
};

// The store in a SQLite file, which this process has for itself. ":memory:" for tests.
Result<std::unique_ptr<CoordStore>> OpenSqliteCoordStore(const std::string& path,
                                                         const CoordStoreOptions& options);

}  // namespace catalogd::coord
