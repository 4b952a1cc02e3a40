#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
// (C-I3); a file group is in one pending plan at most (C-I8); one live file of a name (C-I5); no
// record that cannot be true (record_check.h).
// Errors: those of SqliteDb; kUnsupported for a file of a newer version, kCorrupt for one of
// another program or with rows that make no sense; kUnknownOutcome when the disk failed in the
// commit itself: what is there now tells LoadTable, which fails as long as the disk does.
class CoordStore {
 public:
  virtual ~CoordStore() = default;
  virtual Result<StoreContent> Load() = 0;
  // The rows of one table; none at all when there is no such table.
  virtual Result<StoreContent> LoadTable(const std::string& table_id) = 0;
  // The newest entries, newest first; of one table unless `table_id` is empty.
  virtual Result<std::vector<AuditRecord>> ReadAudit(const std::string& table_id,
                                                     int64_t at_most) = 0;
  // Each batch as a whole, all in one commit. One that is refused costs itself and the later ones
  // of its table, which were decided on memory that is ahead of the file. When the commit itself
  // fails all of them have failed. An OK is durable.
  virtual std::vector<Status> Write(std::span<const TableBatch> batches) = 0;
};

// What the later batches of a table get when one was refused.
tl::unexpected<Error> AfterRefused(const std::string& table_id);

struct CoordStoreOptions {
  bool full_sync = true;        // False: a power cut may lose the last commits; for tests.
  int64_t audit_rows = 10'000;  // As many as are kept.
  int64_t max_pages = 0;        // Of 4096 bytes; more is a full disk. 0: as the disk allows.
  // For tests: is asked at kFaultBeforeWrite, ..., and what it says is taken for what the disk
  // said. After the commit the batches are stored, whatever it says.
  std::function<Status(std::string_view where)> fault = nullptr;
};
inline constexpr std::string_view kFaultBeforeWrite = "before write";
inline constexpr std::string_view kFaultBeforeCommit = "before commit";
inline constexpr std::string_view kFaultAfterCommit = "after commit";

// The store in a SQLite file, which this process has for itself. ":memory:" for tests.
Result<std::unique_ptr<CoordStore>> OpenSqliteCoordStore(const std::string& path,
                                                         const CoordStoreOptions& options);

}  // namespace catalogd::coord
