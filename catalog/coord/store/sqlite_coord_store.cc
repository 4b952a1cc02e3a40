#include <fmt/format.h>

#include <set>
#include <utility>

#include "catalog/base/mutex.h"
#include "catalog/coord/store/coord_store.h"
#include "catalog/coord/store/store_rows.h"
#include "catalog/coord/store/store_schema.h"

namespace catalogd::coord {
namespace {

// Locked for this process, with the tables of this version.
Result<std::unique_ptr<SqliteDb>> OpenFile(const std::string& path,
                                           const CoordStoreOptions& options) {
  SqliteOptions sqlite;
  sqlite.full_sync = options.full_sync;
  sqlite.called = "coordination file";
  sqlite.when_damaged = "restore it from a copy, or move it away and register the tables again";
  // Whoever has it has it until its end: waiting would not help.
  sqlite.busy_timeout = std::chrono::milliseconds(0);
  ASSIGN_OR_RETURN(std::unique_ptr<SqliteDb> db, SqliteDb::Open(path, sqlite));
  RETURN_IF_ERROR(db->Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT"));
  RETURN_IF_ERROR(PrepareStore(*db));
  if (options.max_pages > 0) {
    RETURN_IF_ERROR(db->Execute(fmt::format("PRAGMA max_page_count = {}", options.max_pages)));
  }
  return db;
}

class SqliteCoordStore final : public CoordStore {
 public:
  SqliteCoordStore(std::string path, std::unique_ptr<SqliteDb> db, CoordStoreOptions options)
      : path_(std::move(path)), options_(std::move(options)), db_(std::move(db)) {}

  Result<StoreContent> Load() override {
    AssertNoMutexHeld("coordination store: load");
    RETURN_IF_ERROR(BeOpen());
    return ReadAll(*db_);
  }

  Result<StoreContent> LoadTable(const std::string& table_id) override {
    AssertNoMutexHeld("coordination store: load a table");
    RETURN_IF_ERROR(BeOpen());
    return ReadOneTable(*db_, table_id);
  }

  Result<std::vector<AuditRecord>> ReadAudit(const std::string& table_id,
                                             int64_t at_most) override {
    AssertNoMutexHeld("coordination store: read the audit");
    RETURN_IF_ERROR(BeOpen());
    return coord::ReadAudit(*db_, table_id, at_most);
  }

  std::vector<Status> Write(std::span<const TableBatch> batches) override {
    AssertNoMutexHeld("coordination store: write");
    std::vector<Status> results(batches.size(), Ok());
    Status whole = Fault(kFaultBeforeWrite);
    if (whole) whole = BeOpen();
    if (whole) whole = db_->Execute("BEGIN IMMEDIATE");
    std::set<std::string_view> refused;
    for (size_t i = 0; whole && i < batches.size(); ++i) {
      if (refused.contains(batches[i].table_id)) {
        results[i] = AfterRefused(batches[i].table_id);
        continue;
      }
      whole = WriteBatch(batches[i].changes, &results[i]);
      if (!results[i]) refused.insert(batches[i].table_id);
    }
    if (whole) whole = Fault(kFaultBeforeCommit);
    if (whole) whole = Commit();
    if (whole) whole = Fault(kFaultAfterCommit);
    if (whole) return results;
    // Often it is undone already; what counts is why.
    if (db_ != nullptr) static_cast<void>(db_->Execute("ROLLBACK").has_value());
    return std::vector<Status>(batches.size(), whole);
  }

 private:
  Status Fault(std::string_view where) { return options_.fault ? options_.fault(where) : Ok(); }

  // After a commit that failed the connection is opened anew, as a start would. What it finds in
  // the log may not be on the disk, even where it can be read; it is written once more, into the
  // file itself, before anybody hears of it.
  Status BeOpen() {
    if (db_ != nullptr) return Ok();
    ASSIGN_OR_RETURN(std::unique_ptr<SqliteDb> db, OpenFile(path_, options_));
    RETURN_IF_ERROR(db->Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
    db_ = std::move(db);
    return Ok();
  }

  // A disk that fails while it takes the commit may have it all the same, but this connection has
  // undone it in its memory and would say otherwise than the next start.
  Status Commit() {
    Status done = db_->Execute("COMMIT");
    if (done) return done;
    if (done.error().code == ErrorCode::kUnavailable) {
      done.error().code = ErrorCode::kUnknownOutcome;
    }
    db_.reset();
    // At once, so that nobody else takes the file; if it fails, the next use tries again.
    static_cast<void>(BeOpen().has_value());
    return done;
  }

  // A refusal undoes the batch; an error of the file is one for all.
  Status WriteBatch(const StoreBatch& batch, Status* result) {
    RETURN_IF_ERROR(db_->Execute("SAVEPOINT batch"));
    for (const StoreChange& change : batch) {
      *result = WriteChange(*db_, change, options_.audit_rows);
      if (!*result) break;
    }
    if (!*result) {
      if (result->error().code != ErrorCode::kConflict) return *result;
      RETURN_IF_ERROR(db_->Execute("ROLLBACK TO batch"));
    }
    return db_->Execute("RELEASE batch");
  }

  const std::string path_;
  const CoordStoreOptions options_;
  std::unique_ptr<SqliteDb> db_;  // None: its last commit failed; see BeOpen.
};

}  // namespace

tl::unexpected<Error> AfterRefused(const std::string& table_id) {
  return MakeError(ErrorCode::kConflict, "table " + table_id +
                                             ": an earlier change of this table was not stored; "
                                             "read its rows again and decide anew");
}

Result<std::unique_ptr<CoordStore>> OpenSqliteCoordStore(const std::string& path,
                                                         const CoordStoreOptions& options) {
  AssertNoMutexHeld("coordination store: open");
  ASSIGN_OR_RETURN(std::unique_ptr<SqliteDb> db, OpenFile(path, options));
  return std::unique_ptr<CoordStore>(
      std::make_unique<SqliteCoordStore>(path, std::move(db), options));
}

}  // namespace catalogd::coord
