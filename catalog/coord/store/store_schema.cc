#include "catalog/coord/store/store_schema.h"

#include <fmt/format.h>

namespace catalogd::coord {
namespace {

constexpr int64_t kApplicationId = 0x63617463;  // "catc"

// Of tables without row ids, the columns of the key come first: SQLite 3.40 takes others for NULL
// when it checks them.
constexpr const char* kVersion1 = R"(
  CREATE TABLE coord_table (
    table_id TEXT PRIMARY KEY,
    catalog TEXT NOT NULL,
    db TEXT NOT NULL,
    name TEXT NOT NULL,
    type INTEGER NOT NULL,
    policy INTEGER NOT NULL,
    base_path TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    newest_fence INTEGER NOT NULL,
    id_version INTEGER NOT NULL,
    last_time_version TEXT,
    clock_high_water INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    dropped INTEGER NOT NULL,
    corrupt INTEGER NOT NULL,
    commit_prepared INTEGER NOT NULL,
    options TEXT NOT NULL) WITHOUT ROWID;
  CREATE UNIQUE INDEX active_name ON coord_table (catalog, db, name) WHERE dropped = 0;
  CREATE TABLE plan (
    plan_id INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    type INTEGER NOT NULL,
    requested TEXT NOT NULL,
    state INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    owner TEXT,
    lease_ms INTEGER NOT NULL,
    claim_alive INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL,
    last_error TEXT NOT NULL,
    prepared_fence INTEGER,
    prepared_time TEXT,
    prepared_id INTEGER,
    completed_fence INTEGER,
    completed_time TEXT,
    completed_id INTEGER,
    target TEXT,
    payload BLOB NOT NULL,
    UNIQUE (table_id, requested));
  CREATE TABLE plan_group (
    plan_id INTEGER NOT NULL REFERENCES plan (plan_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    table_id TEXT NOT NULL,
    partition TEXT NOT NULL,
    file_id TEXT NOT NULL,
    pending INTEGER NOT NULL,
    PRIMARY KEY (plan_id, position)) WITHOUT ROWID;
  CREATE UNIQUE INDEX one_pending_plan ON plan_group (table_id, partition, file_id)
    WHERE pending = 1;
  CREATE TABLE plan_name (
    plan_id INTEGER NOT NULL REFERENCES plan (plan_id) ON DELETE CASCADE,
    role INTEGER NOT NULL,
    position INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (plan_id, role, position)) WITHOUT ROWID;
  CREATE TABLE txn (
    txn_id INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    op INTEGER NOT NULL,
    state INTEGER NOT NULL,
    requested TEXT NOT NULL,
    snapshot INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    owner TEXT NOT NULL,
    lease_ms INTEGER NOT NULL,
    idempotency_key TEXT,
    completed TEXT,
    id_version INTEGER,
    time_version TEXT,
    plan_id INTEGER,
    reason TEXT NOT NULL,
    UNIQUE (table_id, requested),
    UNIQUE (table_id, idempotency_key));
  -- Prepared, committed, unknown: the id of an aborted one is given again.
  CREATE UNIQUE INDEX one_id ON txn (table_id, id_version) WHERE state IN (1, 2, 4);
  CREATE TABLE txn_partition (
    txn_id INTEGER NOT NULL REFERENCES txn (txn_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    partition TEXT NOT NULL,
    PRIMARY KEY (txn_id, position)) WITHOUT ROWID;
  CREATE TABLE file (
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    partition TEXT NOT NULL,
    name TEXT NOT NULL,
    added_by INTEGER NOT NULL REFERENCES txn (txn_id),
    file_id TEXT NOT NULL,
    kind INTEGER NOT NULL,
    size INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    removed_by INTEGER REFERENCES txn (txn_id),
    PRIMARY KEY (table_id, partition, name, added_by)) WITHOUT ROWID;
  CREATE UNIQUE INDEX one_live_file ON file (table_id, partition, name) WHERE removed_by IS NULL;
  CREATE TABLE pin (
    token TEXT PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    version INTEGER NOT NULL,
    reader TEXT NOT NULL,
    until_ms INTEGER NOT NULL) WITHOUT ROWID;
)";

// A file outlives the transaction that added it, which is in the history then.
constexpr const char* kVersion2 = R"(
  ALTER TABLE plan ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE plan ADD COLUMN trigger_text TEXT NOT NULL DEFAULT '';
  ALTER TABLE plan ADD COLUMN cancellable INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN overwrite_reads_table INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN extra TEXT NOT NULL DEFAULT '';
  ALTER TABLE txn ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN ended_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE txn ADD COLUMN event_id INTEGER;
  CREATE TABLE txn_name (
    txn_id INTEGER NOT NULL REFERENCES txn (txn_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (txn_id, position)) WITHOUT ROWID;
  CREATE TABLE hms_publish (
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    id_version INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    state INTEGER NOT NULL,
    event_id INTEGER,
    tries INTEGER NOT NULL,
    last_error TEXT NOT NULL,
    PRIMARY KEY (table_id, id_version)) WITHOUT ROWID;
  CREATE TABLE history (
    txn_id INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    op INTEGER NOT NULL,
    requested TEXT NOT NULL,
    completed TEXT NOT NULL,
    id_version INTEGER NOT NULL,
    time_version TEXT,
    UNIQUE (table_id, requested),
    UNIQUE (table_id, id_version));
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    table_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL);
  CREATE INDEX audit_of_table ON audit (table_id, seq);
  CREATE TABLE file_2 (
    table_id TEXT NOT NULL REFERENCES coord_table (table_id),
    partition TEXT NOT NULL,
    name TEXT NOT NULL,
    added_by INTEGER NOT NULL,
    file_id TEXT NOT NULL,
    kind INTEGER NOT NULL,
    size INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    removed_by INTEGER REFERENCES txn (txn_id),
    PRIMARY KEY (table_id, partition, name, added_by)) WITHOUT ROWID;
  INSERT INTO file_2 SELECT table_id, partition, name, added_by, file_id, kind, size, rows,
    removed_by FROM file;
  DROP TABLE file;
  ALTER TABLE file_2 RENAME TO file;
  CREATE UNIQUE INDEX one_live_file ON file (table_id, partition, name) WHERE removed_by IS NULL;
  CREATE INDEX file_added_by ON file (added_by);
  CREATE INDEX file_removed_by ON file (removed_by) WHERE removed_by IS NOT NULL;
  CREATE TRIGGER file_of_a_transaction BEFORE INSERT ON file
    WHEN NOT EXISTS (SELECT 1 FROM txn WHERE txn_id = NEW.added_by)
    BEGIN SELECT RAISE (ABORT, 'a file of no transaction'); END;
  CREATE TRIGGER nothing_given_again BEFORE INSERT ON txn
    WHEN EXISTS (SELECT 1 FROM history WHERE txn_id = NEW.txn_id)
      OR EXISTS (SELECT 1 FROM history
                 WHERE table_id = NEW.table_id AND requested = NEW.requested)
      OR EXISTS (SELECT 1 FROM history
                 WHERE table_id = NEW.table_id AND id_version = NEW.id_version)
    BEGIN SELECT RAISE (ABORT, 'the history has its id, time or version'); END;
)";

// A file is added and removed by transactions of its own table, or none could be forgotten without
// the other. Rows that are there already stay as they are.
constexpr const char* kVersion3 = R"(
  DROP TRIGGER file_of_a_transaction;
  CREATE TRIGGER file_of_a_transaction BEFORE INSERT ON file
    WHEN NOT EXISTS (SELECT 1 FROM txn
                     WHERE txn_id = NEW.added_by AND table_id = NEW.table_id)
      OR (NEW.removed_by IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM txn
                          WHERE txn_id = NEW.removed_by AND table_id = NEW.table_id))
    BEGIN SELECT RAISE (ABORT, 'a file of no transaction of its table'); END;
  CREATE TRIGGER file_removed_by_its_table BEFORE UPDATE OF removed_by ON file
    WHEN NEW.removed_by IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM txn
                      WHERE txn_id = NEW.removed_by AND table_id = NEW.table_id)
    BEGIN SELECT RAISE (ABORT, 'a file removed by no transaction of its table'); END;
)";

// What takes version N-1 to version N.
constexpr const char* kSteps[kStoreVersion] = {kVersion1, kVersion2, kVersion3};

constexpr const char* kTables[] = {"coord_table", "plan",     "plan_group",    "plan_name",
                                   "txn",         "txn_name", "txn_partition", "file",
                                   "pin",         "history",  "hms_publish",   "audit"};

std::string File(const SqliteDb& db) { return "coordination file " + db.path(); }

tl::unexpected<Error> Damaged(const SqliteDb& db, const std::string& how) {
  return MakeError(ErrorCode::kCorrupt, File(db) + " is damaged: " + how +
                                            "; restore it from a copy, or move it away and "
                                            "register the tables again");
}

Status CheckPages(SqliteDb& db) {
  std::string verdict;
  RETURN_IF_ERROR(
      db.Query("PRAGMA quick_check(1)", {}, [&](const SqlRow& row) { verdict = row.Bytes(0); }));
  if (verdict != "ok") return Damaged(db, verdict);
  return Ok();
}

Status CheckTables(SqliteDb& db) {
  for (const char* table : kTables) {
    ASSIGN_OR_RETURN(const int64_t count,
                     db.QueryInt("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
                                 "name = ?",
                                 {std::string_view(table)}));
    if (count != 1) return Damaged(db, fmt::format("table {} is missing", table));
  }
  return Ok();
}

Status Upgrade(SqliteDb& db, int64_t from) {
  RETURN_IF_ERROR(db.Execute("BEGIN IMMEDIATE"));
  Status done = Ok();
  for (int64_t version = from; done && version < kStoreVersion; ++version) {
    done = db.Execute(kSteps[version]);
  }
  if (done) {
    done = db.Execute(fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}; COMMIT",
                                  kStoreVersion, kApplicationId));
  }
  // The first failure counts; the rollback only frees the file.
  if (!done) static_cast<void>(db.Execute("ROLLBACK").has_value());
  return done;
}

}  // namespace

Status PrepareStore(SqliteDb& db) {
  ASSIGN_OR_RETURN(const int64_t version, db.QueryInt("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t application, db.QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t objects, db.QueryInt("SELECT count(*) FROM sqlite_master"));
  const bool empty = objects == 0 && version == 0 && application == 0;
  if (!empty && application != kApplicationId) {
    return MakeError(ErrorCode::kCorrupt,
                     File(db) + " is a SQLite database of another program; choose another file");
  }
  if (version > kStoreVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} has version {}, this program knows up to {}; use the newer "
                                 "catalogd",
                                 File(db), version, kStoreVersion));
  }
  if (version < 0 || (version == 0 && !empty)) {
    return Damaged(db, fmt::format("it has tables, but version {}", version));
  }
  // Before the upgrade: a damaged file is left as it is.
  RETURN_IF_ERROR(CheckPages(db));
  if (version < kStoreVersion) RETURN_IF_ERROR(Upgrade(db, version));
  return CheckTables(db);
}

}  // namespace catalogd::coord
