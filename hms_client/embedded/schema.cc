#include "hms_client/embedded/schema.h"

#include <string>

namespace catalogd::hms {

namespace {

// Objects are the bytes of their Thrift structs; beside them stands what is searched by.
// Names sort by bytes, as the metastore promises for partition names.
constexpr const char* kVersion1 = R"(
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sequence (id INTEGER PRIMARY KEY CHECK (id = 1), next_event_id INTEGER NOT NULL);
  INSERT INTO sequence VALUES (1, 1);
  CREATE TABLE databases (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, object BLOB NOT NULL);
  CREATE TABLE tables (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    db TEXT NOT NULL REFERENCES databases (name),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    object BLOB NOT NULL,
    UNIQUE (db, name));
  CREATE TABLE partitions (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    object BLOB NOT NULL,
    UNIQUE (table_id, name));
  CREATE TABLE notification_log (
    event_id INTEGER PRIMARY KEY,
    event_time INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    cat_name TEXT,
    db_name TEXT,
    table_name TEXT,
    message TEXT NOT NULL,
    message_format TEXT NOT NULL);
)";

// Functions, constraints, column statistics, transactions, locks, roles and privileges.
constexpr const char* kVersion2 = R"(
  CREATE INDEX materialized_views ON tables (type) WHERE type = 'MATERIALIZED_VIEW';
  CREATE TABLE functions (
    id INTEGER PRIMARY KEY,
    db TEXT NOT NULL REFERENCES databases (name),
    name TEXT NOT NULL,
    object BLOB NOT NULL,
    UNIQUE (db, name));
  CREATE TABLE constraints (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    parent_id INTEGER REFERENCES tables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    object BLOB NOT NULL);
  CREATE INDEX constraints_of_table ON constraints (table_id, kind);
  CREATE INDEX constraints_of_parent ON constraints (parent_id);
  CREATE TABLE table_statistics (
    owner INTEGER NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    column_name TEXT NOT NULL,
    analyzed INTEGER NOT NULL,
    object BLOB NOT NULL,
    PRIMARY KEY (owner, engine, column_name)) WITHOUT ROWID;
  CREATE TABLE partition_statistics (
    owner INTEGER NOT NULL REFERENCES partitions (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    column_name TEXT NOT NULL,
    analyzed INTEGER NOT NULL,
    object BLOB NOT NULL,
    PRIMARY KEY (owner, engine, column_name)) WITHOUT ROWID;
  CREATE TABLE transactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL,
    type INTEGER NOT NULL,
    user TEXT NOT NULL,
    host TEXT NOT NULL,
    agent TEXT NOT NULL,
    started INTEGER NOT NULL,
    heartbeat INTEGER NOT NULL);
  CREATE INDEX open_transactions ON transactions (heartbeat) WHERE state = 'open';
  CREATE TABLE write_ids (
    db TEXT NOT NULL,
    table_name TEXT NOT NULL,
    write_id INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL REFERENCES transactions (id),
    PRIMARY KEY (db, table_name, write_id)) WITHOUT ROWID;
  CREATE INDEX write_ids_of_transaction ON write_ids (transaction_id);
  CREATE TABLE locks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    transaction_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    user TEXT NOT NULL,
    host TEXT NOT NULL,
    agent TEXT NOT NULL,
    heartbeat INTEGER NOT NULL,
    acquired INTEGER,
    blocked_by INTEGER,
    blocked_by_part INTEGER);
  CREATE TABLE lock_parts (
    lock_id INTEGER NOT NULL REFERENCES locks (id) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    db TEXT NOT NULL,
    table_name TEXT,
    partition_name TEXT,
    type INTEGER NOT NULL,
    PRIMARY KEY (lock_id, part)) WITHOUT ROWID;
  CREATE INDEX lock_parts_of_database ON lock_parts (db);
  CREATE TABLE roles (name TEXT PRIMARY KEY, created INTEGER NOT NULL, owner TEXT NOT NULL);
  CREATE TABLE role_members (
    role TEXT NOT NULL REFERENCES roles (name) ON DELETE CASCADE,
    principal TEXT NOT NULL,
    principal_type INTEGER NOT NULL,
    grantor TEXT NOT NULL,
    grantor_type INTEGER NOT NULL,
    grant_option INTEGER NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (role, principal, principal_type)) WITHOUT ROWID;
  CREATE TABLE privileges (
    id INTEGER PRIMARY KEY,
    database_id INTEGER REFERENCES databases (id) ON DELETE CASCADE,
    table_id INTEGER REFERENCES tables (id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    principal TEXT NOT NULL,
    principal_type INTEGER NOT NULL,
    object BLOB NOT NULL);
  CREATE INDEX privileges_of_target ON privileges (target);
  CREATE INDEX privileges_of_database ON privileges (database_id);
  CREATE INDEX privileges_of_table ON privileges (table_id);
)";

// What takes version N-1 to version N.
constexpr const char* kSteps[kSchemaVersion] = {kVersion1, kVersion2};

Error ForeignFile(const SqliteDb& db) {
  return {ErrorCode::kCorrupt, "file " + db.path() +
                                   " is a SQLite database of another program, not a metastore; "
                                   "choose another file"};
}

Error Damaged(const SqliteDb& db, const std::string& how) {
  return {ErrorCode::kCorrupt, "metastore file " + db.path() + " is damaged: " + how +
                                   "; restore it from a copy, or move it away to start with an "
                                   "empty metastore"};
}

Status CheckIntegrity(SqliteDb& db) {
  std::string verdict;
  RETURN_IF_ERROR(
      db.Query("PRAGMA quick_check(1)", {}, [&](const SqlRow& row) { verdict = row.Bytes(0); }));
  if (verdict == "ok") return Ok();
  return AsError(Damaged(db, verdict));
}

// Somebody else's hands may have been on the file: what is missing is better told now than by the
// first call that needs it.
Status CheckTables(SqliteDb& db) {
  for (const char* query :
       {"SELECT name, value FROM facts LIMIT 0", "SELECT id, next_event_id FROM sequence LIMIT 0",
        "SELECT id, name, object FROM databases LIMIT 0",
        "SELECT id, db, name, type, object FROM tables LIMIT 0",
        "SELECT id, table_id, name, object FROM partitions LIMIT 0",
        "SELECT event_id, event_time, event_type, cat_name, db_name, table_name, message, "
        "message_format FROM notification_log LIMIT 0",
        "SELECT id, db, name, object FROM functions LIMIT 0",
        "SELECT id, table_id, parent_id, kind, name, object FROM constraints LIMIT 0",
        "SELECT owner, engine, column_name, analyzed, object FROM table_statistics LIMIT 0",
        "SELECT owner, engine, column_name, analyzed, object FROM partition_statistics LIMIT 0",
        "SELECT id, state, type, user, host, agent, started, heartbeat FROM transactions LIMIT 0",
        "SELECT db, table_name, write_id, transaction_id FROM write_ids LIMIT 0",
        "SELECT id, transaction_id, state, user, host, agent, heartbeat, acquired, blocked_by, "
        "blocked_by_part FROM locks LIMIT 0",
        "SELECT lock_id, part, db, table_name, partition_name, type FROM lock_parts LIMIT 0",
        "SELECT name, created, owner FROM roles LIMIT 0",
        "SELECT role, principal, principal_type, grantor, grantor_type, grant_option, created "
        "FROM role_members LIMIT 0",
        "SELECT id, database_id, table_id, target, principal, principal_type, object FROM "
        "privileges LIMIT 0"}) {
    Status there = db.Query(query, {}, [](const SqlRow&) {});
    if (there) continue;
    if (there.error().code != ErrorCode::kInternal) return there;
    return AsError(Damaged(db, "its tables are not those of schema version " +
                                   std::to_string(kSchemaVersion) + " (" + query + ")"));
  }
  ASSIGN_OR_RETURN(const int64_t counters, db.QueryInt("SELECT count(*) FROM sequence"));
  if (counters == 1) return Ok();
  return AsError(Damaged(db, "the number of its next event is missing"));
}

Status Upgrade(SqliteDb& db) {
  RETURN_IF_ERROR(db.Execute("BEGIN IMMEDIATE"));
  // Another process may have been first: ask again under the lock.
  ASSIGN_OR_RETURN(int64_t version, db.QueryInt("PRAGMA user_version"));
  Status done = Ok();
  for (; done && version < kSchemaVersion; ++version) {
    done = db.Execute(kSteps[version]);
  }
  if (done) done = db.Execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  if (done) done = db.Execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  if (done) return db.Execute("COMMIT");
  // The first failure counts; the rollback only frees the file.
  static_cast<void>(db.Execute("ROLLBACK").has_value());
  return done;
}

}  // namespace

Status PrepareSchema(SqliteDb& db, bool check_integrity) {
  ASSIGN_OR_RETURN(const int64_t version, db.QueryInt("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t application, db.QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t objects, db.QueryInt("SELECT count(*) FROM sqlite_master"));
  const bool empty = objects == 0 && version == 0 && application == 0;
  if (!empty && application != kApplicationId) return AsError(ForeignFile(db));
  if (version > kSchemaVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     "metastore file " + db.path() + " has schema version " +
                         std::to_string(version) + ", this program knows up to " +
                         std::to_string(kSchemaVersion) + "; use the newer catalogd");
  }
  if (!empty && check_integrity) RETURN_IF_ERROR(CheckIntegrity(db));
  if (version == kSchemaVersion) return CheckTables(db);
  if (version <= 0 && !empty) {
    return AsError(Damaged(db, "it has tables, but schema version " + std::to_string(version)));
  }
  return Upgrade(db);
}

}  // namespace catalogd::hms
