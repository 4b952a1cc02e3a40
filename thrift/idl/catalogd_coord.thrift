// catalogd's table coordination: transactions, plans and slices of tables that several engines
// write. Served on the same port as catalogd.thrift. Words are those of catalog/coord/README.md.
// Instants are texts of 17 digits. A table is named by its id or by its name; the id is that of one
// incarnation, so a caller that has it cannot meet another table of that name.
namespace cpp catalogd.api

// `code`: stable numbers, the table is in catalog/coord/service/coord_error.h; `name` is the same
// for people ("PLAN_BUSY"). Texts may change.
exception CoordError {
  1: i32 code
  2: string name
  3: string message
  4: bool retryable
  5: i64 retry_after_ms
  // owner, fence, cell, version, ...
  6: map<string, string> details
}

struct CoordTableRef {
  1: optional string table_id
  // "db.table".
  2: optional string name
}

struct CoordRegisterRequest {
  1: string name
  // mor, cow, pk_delta, append_delta.
  2: string type = "mor"
  // maxcompute, hudi_nbcc, hudi_occ.
  3: string policy = "maxcompute"
  // auto: sync where the metastore compares a parameter before it alters, else refused unless
  // `accept_unchecked`. sync, async.
  4: string publish = "auto"
  // Another daemon or program may overwrite a publication without either noticing.
  5: bool accept_unchecked
  // Names without "coord.": "plan.trigger", "plan.max_delta_commits", ...
  6: map<string, string> options
  // Absent: the table's location.
  7: optional string base_path
}

struct CoordOptionsRequest {
  1: CoordTableRef table
  2: map<string, string> options
}

struct CoordServiceStatus {
  // RUNNING, DEGRADED, STOPPED, FAILED.
  1: string state
  2: i64 pending
  3: i64 failed
  4: string last_error
}

struct CoordTable {
  1: string table_id
  2: string name
  3: string type
  4: string policy
  // sync, async.
  5: string publish
  6: string base_path
  // ACTIVE, RECOVERING, NOT_OWNER, CORRUPT, DROPPED.
  7: string state
  8: i64 epoch
  9: i64 id_version
  10: optional string time_version
  // The metastore's event of the newest publication; 0: none.
  11: i64 event_id
  12: i64 open_txns
  13: i64 pending_plans
  14: i64 live_files
  15: i64 live_bytes
  16: CoordServiceStatus services
  // no_compaction_path, nobody_schedules, nobody_executes, unchecked_publication, ...
  17: list<string> warnings
  18: map<string, string> options
  // cas, ...
  19: list<string> capabilities
  20: i64 newest_fence
  // Transactions up to it are in the history only; their files cannot be told any more.
  21: i64 oldest_version
}

struct CoordBeginRequest {
  1: CoordTableRef table
  // overwrite, insert, update.
  2: string op
  // For people; those of the commit count.
  3: list<string> partitions
  // 0: the table's default.
  4: i64 lease_ms
  5: bool overwrite_reads_table
  6: string owner
  7: string idempotency_key
}

struct CoordTxn {
  1: i64 txn_id
  2: string table_id
  3: string op
  // OPEN, PREPARED, COMMITTED, ABORTED, UNKNOWN.
  4: string state
  5: string requested
  6: optional string completed
  7: i64 snapshot
  8: i64 fence
  9: string owner
  10: i64 lease_ms
  11: i64 remaining_ms
  12: optional i64 id_version
  13: optional string time_version
  14: optional i64 plan_id
  // Of an abort.
  15: string reason
  16: list<string> partitions
}

// Who calls: the fence that was given to it. One of txn_id and plan_id.
struct CoordHolder {
  1: CoordTableRef table
  2: optional i64 txn_id
  3: optional i64 plan_id
  4: i64 fence
}

struct CoordBeat {
  1: i64 remaining_ms
  2: bool cancel_requested
}

struct CoordFile {
  1: string partition
  2: string file_group
  // base, log, delta.
  3: string kind
  4: string name
  5: i64 size
  6: i64 rows
}

struct CoordFileName {
  1: string partition
  2: string name
}

struct CoordGroup {
  1: string partition
  2: string file_group
}

// Of a transaction or of a plan's execution.
struct CoordCommitRequest {
  1: CoordHolder holder
  2: list<CoordFile> added
  3: list<CoordFileName> removed
  // Of an overwrite: partitions that are replaced as a whole, also when nothing is added to them.
  4: list<string> overwritten
  // Logical rows, as the writer counted them; a service that changes them is refused.
  5: optional i64 rows_before
  6: optional i64 rows_after
  7: map<string, string> extra
  // How long to wait for the table; 0: coord.lock.timeout_ms.
  8: i64 timeout_ms
}

struct CoordPlan {
  1: i64 plan_id
  2: string table_id
  3: string table
  // compact, log_compact, cluster, clean, rollback.
  4: string type
  5: string requested
  // REQUESTED, CLAIMED, COMMITTING, COMPLETED, CANCELLED, FAILED.
  6: string state
  7: i64 fence
  8: i64 attempts
  9: string owner
  10: i64 remaining_ms
  11: bool cancel_requested
  12: string last_error
  13: i64 age_ms
  14: optional string completed
  15: optional i64 id_version
  // What to do, as JSON: {"groups": [{"partition", "file_group", "base", "logs"}], "snapshot"}.
  16: string payload
  17: string trigger
  18: string base_path
}

struct CoordCommitResult {
  1: string completed
  2: i64 id_version
  // None: a service, which changes no content.
  3: optional string time_version
  // The metastore's current event id after the publication; 0: not published yet.
  4: i64 event_id
  // Somebody committed to one of its partitions since its snapshot.
  5: bool rebased
  // The answer of an earlier call.
  6: bool repeated
  7: list<CoordPlan> pending_plans
  8: list<string> warnings
}

struct CoordScheduleRequest {
  1: CoordTableRef table
  2: string type = "compact"
  // Also when nothing is due.
  3: bool forced
  // Empty: all that have something to do.
  4: list<CoordGroup> groups
}

struct CoordScheduleResult {
  1: optional CoordPlan plan
  2: string reason
}

struct CoordPlansRequest {
  // Absent: of all tables.
  1: optional CoordTableRef table
  2: optional i64 plan_id
  3: list<string> states
  4: list<string> types
  5: i32 limit = 1000
}

struct CoordClaimRequest {
  // Absent: the next one of the types, of the table or of any.
  1: optional i64 plan_id
  2: optional CoordTableRef table
  3: list<string> types
  4: string owner
  5: i64 lease_ms
  // When there is nothing to do: the longest wait for something.
  6: i64 wait_ms
  // Of a claim whose answer was lost.
  7: i64 held_fence
}

struct CoordClaim {
  1: CoordPlan plan
  2: i64 fence
  3: i64 attempt
  4: bool takeover
  5: i64 remaining_ms
  // Of attempts before this one: to be removed.
  6: list<string> earlier_files
  7: string warning
}

struct CoordWaitPlansRequest {
  1: CoordTableRef table
  2: i64 max_pending
  3: i64 timeout_ms = 30000
}

struct CoordWaitPlansResult {
  // reached, stopped, failed, timeout.
  1: string verdict
  2: CoordServiceStatus services
}

// What to read: the newest, or the state at one of these.
struct CoordReadPoint {
  1: optional i64 id_version
  2: optional string time_version
  // As of a completion time.
  3: optional string completed
}

struct CoordSlicesRequest {
  1: CoordTableRef table
  // Empty: all.
  2: list<string> partitions
  3: optional CoordReadPoint at
  // merged, read_optimized, raw.
  4: string form = "merged"
  5: i32 limit = 1000
  // Of the page before.
  6: string token
}

struct CoordLog {
  1: string name
  2: string requested
  3: optional string completed
  // A log compaction has its content.
  4: bool superseded
}

struct CoordSlice {
  1: string partition
  2: string file_group
  3: string anchor
  // Empty: none.
  4: string base
  // In the order in which they apply.
  5: list<CoordLog> logs
  6: optional string pending_plan
  7: list<string> warnings
}

struct CoordSlices {
  1: i64 id_version
  2: list<CoordSlice> slices
  // Empty: that was all. It holds the version against cleaning for coord.pin.ttl_ms.
  3: string next_token
}

struct CoordIncrementalRequest {
  1: CoordTableRef table
  // id, time, completion.
  2: string axis = "time"
  // Exclusive; of the axis.
  3: string after
  // Inclusive; empty: the newest.
  4: string up_to
  5: bool include_services
}

struct CoordChange {
  1: i64 id_version
  2: string completed
  3: string op
  4: list<CoordFileName> added
  5: list<CoordFileName> removed
}

struct CoordIncremental {
  1: list<CoordChange> changes
  2: bool overwrites
  // Where the next range begins.
  3: string go_on_after
}

struct CoordTimesRequest {
  1: CoordTableRef table
  2: list<string> requested
}

struct CoordTime {
  1: string requested
  // completed, pending, rolled_back, unknown.
  2: string state
  3: optional string completed
}

struct CoordVersionsRequest {
  1: CoordTableRef table
  // Newest first, below it; 0: from the newest on.
  2: i64 before
  3: i32 limit = 100
}

struct CoordVersion {
  1: i64 id_version
  2: optional string time_version
  3: string op
  4: string requested
  5: string completed
  6: i64 added
  7: i64 removed
  8: string owner
  9: optional i64 plan_id
}

struct CoordWaitVersionRequest {
  1: CoordTableRef table
  2: optional i64 id_version
  // Until the action requested then has completed.
  3: optional string requested
  4: i64 timeout_ms = 30000
}

struct CoordExplainRequest {
  // Classes: overwrite, insert, update, minor, major. Both, or a table and one of its transactions.
  1: string earlier
  2: string later
  3: optional CoordTableRef table
  4: optional i64 txn_id
  // Of the classes; absent: maxcompute.
  5: string policy
}

struct CoordConflict {
  // Milliseconds since 1970; 0: asked for, it has not happened.
  1: i64 at_ms
  2: string table
  3: i64 txn_id
  4: string earlier
  5: string later
  // F, W, A, C.
  6: string outcome
  7: string rule
  // Of the offending transaction.
  8: optional i64 id_version
  9: string partition
  10: string file
  11: string text
}

struct CoordPinRequest {
  1: CoordTableRef table
  2: i64 id_version
  3: i64 ttl_ms
  4: string reader
}

struct CoordPin {
  1: string token
  2: i64 id_version
  3: i64 until_ms
}

struct CoordFsckEntry {
  // stray, missing, duplicate.
  1: string kind
  2: string partition
  3: string name
  4: string text
}

struct CoordFsck {
  // False: the table's folder is not on this host's file system; only the rows were looked at.
  1: bool folder_read
  2: i64 files
  3: list<CoordFsckEntry> entries
}

struct CoordInstant {
  1: string instant
  // Other writers may take times without asking here.
  2: bool not_exclusive
}

service CatalogdCoord {
  CoordTable catalogd_coord_register(1: CoordRegisterRequest request) throws (1: CoordError e)
  CoordTable catalogd_coord_unregister(1: CoordTableRef table) throws (1: CoordError e)
  CoordTable catalogd_coord_alter_options(1: CoordOptionsRequest request) throws (1: CoordError e)
  CoordTable catalogd_coord_table(1: CoordTableRef table) throws (1: CoordError e)
  list<CoordTable> catalogd_coord_tables() throws (1: CoordError e)
  CoordInstant catalogd_coord_instant(1: CoordTableRef table) throws (1: CoordError e)

  CoordTxn catalogd_coord_begin(1: CoordBeginRequest request) throws (1: CoordError e)
  // Of a transaction or of a plan.
  CoordBeat catalogd_coord_beat(1: CoordHolder holder) throws (1: CoordError e)
  bool catalogd_coord_register_files(1: CoordHolder holder, 2: list<string> names)
    throws (1: CoordError e)
  CoordCommitResult catalogd_coord_commit(1: CoordCommitRequest request) throws (1: CoordError e)
  CoordTxn catalogd_coord_abort(1: CoordHolder holder, 2: string reason) throws (1: CoordError e)
  CoordTxn catalogd_coord_txn(1: CoordTableRef table, 2: i64 txn_id, 3: string idempotency_key)
    throws (1: CoordError e)
  list<CoordTxn> catalogd_coord_txns(1: CoordTableRef table, 2: list<string> states)
    throws (1: CoordError e)

  CoordScheduleResult catalogd_coord_schedule(1: CoordScheduleRequest request)
    throws (1: CoordError e)
  list<CoordPlan> catalogd_coord_plans(1: CoordPlansRequest request) throws (1: CoordError e)
  CoordClaim catalogd_coord_claim(1: CoordClaimRequest request) throws (1: CoordError e)
  CoordCommitResult catalogd_coord_complete(1: CoordCommitRequest request) throws (1: CoordError e)
  CoordPlan catalogd_coord_fail(1: CoordHolder holder, 2: string error) throws (1: CoordError e)
  // The holder obeys a cancel request.
  CoordPlan catalogd_coord_abort_plan(1: CoordHolder holder) throws (1: CoordError e)
  CoordPlan catalogd_coord_cancel(1: CoordTableRef table, 2: i64 plan_id) throws (1: CoordError e)
  CoordPlan catalogd_coord_reset(1: CoordTableRef table, 2: i64 plan_id) throws (1: CoordError e)
  // Takes over what a dead attempt of a plan left, as a plan of its own that is claimed.
  CoordClaim catalogd_coord_rollback(1: CoordTableRef table, 2: i64 plan_id, 3: string owner)
    throws (1: CoordError e)
  CoordWaitPlansResult catalogd_coord_wait_plans(1: CoordWaitPlansRequest request)
    throws (1: CoordError e)

  CoordSlices catalogd_coord_slices(1: CoordSlicesRequest request) throws (1: CoordError e)
  CoordIncremental catalogd_coord_incremental(1: CoordIncrementalRequest request)
    throws (1: CoordError e)
  list<CoordTime> catalogd_coord_times(1: CoordTimesRequest request) throws (1: CoordError e)
  list<CoordVersion> catalogd_coord_versions(1: CoordVersionsRequest request)
    throws (1: CoordError e)
  CoordTable catalogd_coord_wait_version(1: CoordWaitVersionRequest request)
    throws (1: CoordError e)
  CoordConflict catalogd_coord_explain(1: CoordExplainRequest request) throws (1: CoordError e)
  // Newest first.
  list<CoordConflict> catalogd_coord_conflicts(1: i32 limit) throws (1: CoordError e)
  CoordPin catalogd_coord_pin(1: CoordPinRequest request) throws (1: CoordError e)
  bool catalogd_coord_unpin(1: CoordTableRef table, 2: string token) throws (1: CoordError e)
  CoordFsck catalogd_coord_fsck(1: CoordTableRef table) throws (1: CoordError e)
}
