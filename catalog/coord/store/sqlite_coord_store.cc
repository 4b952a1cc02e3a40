#include <utility>

#include "catalog/base/mutex.h"
#include "catalog/coord/store/coord_store.h"
#include "catalog/coord/store/store_rows.h"
#include "catalog/coord/store/store_schema.h"

namespace catalogd::coord {
namespace {

class SqliteCoordStore final : public CoordStore {
 public:
  explicit SqliteCoordStore(std::unique_ptr<SqliteDb> db) : db_(std::move(db)) {}

  Result<StoreContent> Load() override {
    AssertNoMutexHeld("coordination store: load");
    return ReadAll(*db_);
  }

  std::vector<Status> Write(std::span<const StoreBatch> batches) override {
    AssertNoMutexHeld("coordination store: write");
    std::vector<Status> results(batches.size(), Ok());
    Status whole = db_->Execute("BEGIN IMMEDIATE");
    for (size_t i = 0; whole && i < batches.size(); ++i)
      whole = WriteBatch(batches[i], &results[i]);
    if (whole) whole = db_->Execute("COMMIT");
    if (whole) return results;
    // Often it is undone already; what counts is why.
    static_cast<void>(db_->Execute("ROLLBACK").has_value());
    return std::vector<Status>(batches.size(), whole);
  }

 private:
  // A refusal undoes the batch; an error of the file is one for all.
  Status WriteBatch(const StoreBatch& batch, Status* result) {
    RETURN_IF_ERROR(db_->Execute("SAVEPOINT batch"));
    for (const StoreChange& change : batch) {
      *result = WriteChange(*db_, change);
      if (!*result) break;
    }
    if (!*result) {
      if (result->error().code != ErrorCode::kConflict) return *result;
      RETURN_IF_ERROR(db_->Execute("ROLLBACK TO batch"));
    }
    return db_->Execute("RELEASE batch");
  }

  std::unique_ptr<SqliteDb> db_;
};

}  // namespace

Result<std::unique_ptr<CoordStore>> OpenSqliteCoordStore(const std::string& path,
                                                         const CoordStoreOptions& options) {
  AssertNoMutexHeld("coordination store: open");
  SqliteOptions sqlite;
  sqlite.full_sync = options.full_sync;
  sqlite.called = "coordination file";
  sqlite.when_damaged = "restore it from a copy, or move it away and register the tables again";
  // Whoever has it has it until its end: waiting would not help.
  sqlite.busy_timeout = std::chrono::milliseconds(0);
  ASSIGN_OR_RETURN(std::unique_ptr<SqliteDb> db, SqliteDb::Open(path, sqlite));
  RETURN_IF_ERROR(db->Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT"));
  RETURN_IF_ERROR(PrepareStore(*db));
  return std::unique_ptr<CoordStore>(std::make_unique<SqliteCoordStore>(std::move(db)));
}

}  // namespace catalogd::coord
