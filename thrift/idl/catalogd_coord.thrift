/*
 * Table coordination: transactions, timelines and table services on tables that several engines
 * write. Answered on the same port as the metastore's own calls.
 *
 * Instants are text: the 17 digits of a table's clock. Ids, versions and fences are numbers.
 * Durations are milliseconds. Words in upper case are the names that pages and the command line
 * show; what they may be stands with the field.
 */
namespace cpp catalogd.api
namespace py catalogd_coord

// Numbers are stable; texts may change. `catalog/coord/service/coord_error.h` says which is when.
exception CoordError {
  1: i32 code
  // "PLAN_BUSY"
  2: string name
  3: string message
  // The same call may succeed later, without anything being done again.
  4: bool retryable
  5: i64 retry_after_ms
  // owner, fence, cell, offending version, ...
  6: map<string, string> details
}

// What every request carries.
struct CoordCaller {
  // "db.table", "catalog.db.table", or the table's coordination id.
  1: string table
  // For logs: the client's own name of this call.
  2: string request_id
  // How long the caller waits for locks; 0: the daemon's default.
  3: i64 deadline_ms
  // A mutation that is sent again under the same key has the answer of the first. Empty: none.
  4: string idempotency_key
  // Of whoever holds leases: host, process. The authenticated user is put before it.
  5: string owner
}

struct CoordTable {
  1: string table_id
  2: string name
  // MOR, COW, PK_DELTA, APPEND_DELTA
  3: string type
  // maxcompute, hudi_nbcc, hudi_occ
  4: string policy
  5: string base_path
  6: i64 epoch
  // ACTIVE, RECOVERING, NOT_OWNER, CORRUPT, DROPPED
  7: string state
  8: string state_reason
  9: i64 id_version
  // Empty: no content was ever committed.
  10: string time_version
  11: i32 open_txns
  12: i32 pending_plans
  13: i64 live_files
  14: map<string, string> table_options
  // sync: each commit is published before it is answered; async: later, the newest only.
  15: string publish
  // Compares and swaps as the metastore was seen to do.
  16: bool cas
  // RUNNING, DEGRADED, STOPPED, FAILED
  17: string service_state
  18: list<string> warnings
  // The last publication; 0: none yet.
  19: i64 published_version
  20: i64 published_event_id
  21: i64 last_synced_event_id
  22: string last_error
}

struct RegisterTableRequest {
  1: CoordCaller caller
  2: string type = "MOR"
  3: string policy = "maxcompute"
  // Empty: the table's location.
  4: string base_path
  5: map<string, string> table_options
  // Whoever registers knows that the metastore does not compare: see `publish` and `cas`.
  6: bool accept_no_cas
  // Takes the table from another daemon, whose transactions then fail: what it knew is not taken over.
  7: bool take_over
}

struct UnregisterTableRequest {
  1: CoordCaller caller
  // Also with open transactions and pending plans: they end.
  2: bool force
}

struct AlterOptionsRequest {
  1: CoordCaller caller
  // An empty value takes the option back to its default.
  2: map<string, string> table_options
  // Of a table that is CORRUPT: "override" goes on from what the daemon has.
  3: string resolve
}

struct TableRequest {
  1: CoordCaller caller
}

struct ListTablesRequest {
  1: CoordCaller caller
}

struct GenerateInstantRequest {
  1: CoordCaller caller
  2: string purpose
}

struct GeneratedInstant {
  1: string instant
  // Others may make times for this table without asking here.
  2: bool not_exclusive
}

struct BeginTxnRequest {
  1: CoordCaller caller
  // OVERWRITE, INSERT, UPDATE, MINOR, MAJOR
  2: string op
  // Only a hint: what counts is what is committed.
  3: list<string> partitions
  // 0: the default.
  4: i64 lease_ms
  // An overwrite whose rows come from the table itself.
  5: bool overwrite_reads_table
}

struct TxnInfo {
  1: i64 txn_id
  2: string table_id
  3: string op
  // OPEN, PREPARED, COMMITTED, ABORTED, UNKNOWN
  4: string state
  5: string requested
  6: i64 snapshot_id_version
  7: i64 fence
  8: string owner
  9: i64 lease_ms
  // Below 0: it has expired.
  10: i64 remaining_ms
  // Empty or 0 until it has one.
  11: string completed
  12: i64 id_version
  // Empty for table services.
  13: string time_version
  14: i64 plan_id
  15: string reason
  16: list<string> partitions
  17: i64 created_ms
  18: i64 ended_ms
  19: i64 event_id
}

struct TxnCall {
  1: CoordCaller caller
  2: i64 txn_id
  3: i64 fence
}

struct Beat {
  1: i64 remaining_ms
  // An operator wants it to end.
  2: bool cancel
}

struct PlanCall {
  1: CoordCaller caller
  2: i64 plan_id
  3: i64 fence
  // For people: shown with the plan.
  4: string progress
}

struct RegisterFilesRequest {
  1: CoordCaller caller
  // One of the two.
  2: i64 txn_id
  3: i64 plan_id
  4: i64 fence
  5: list<string> names
}

struct DataFile {
  1: string partition
  // Absent for tables whose file names tell it.
  2: string file_id
  // BASE, LOG, DELTA; empty: as the name tells.
  3: string kind
  4: string name
  5: i64 size
  6: i64 row_count
}

struct PartitionFile {
  1: string partition
  2: string name
}

struct FileGroupRef {
  1: string partition
  2: string file_id
}

struct CommitRequest {
  1: CoordCaller caller
  // Of CommitTxn.
  2: i64 txn_id
  // Of CompletePlan.
  3: i64 plan_id
  4: i64 fence
  5: list<DataFile> added
  6: list<PartitionFile> removed
  // Groups that others took the place of (overwrite, clustering).
  7: list<FileGroupRef> replaced_groups
  // Partitions that an overwrite leaves empty.
  8: list<string> partitions
  // Logical rows before and after; a service that changes them is refused.
  9: optional i64 rows_before
  10: optional i64 rows_after
  // Kept as it comes.
  11: string extra
}

struct CommitResult {
  1: string completed
  2: i64 id_version
  // Empty for table services.
  3: string time_version
  // Of its publication; 0: not published yet.
  4: i64 event_id
  // Others committed since its snapshot, and its lists were made to fit.
  5: bool rebased
  6: i32 pending_plans
  7: list<string> warnings
  // It was committed before, by an earlier call.
  8: bool repeated
  // Files of earlier attempts that nobody needs any more.
  9: list<string> files_to_remove
}

struct AbortRequest {
  1: CoordCaller caller
  2: i64 txn_id
  3: i64 fence
  4: string reason
}

struct GetTxnRequest {
  1: CoordCaller caller
  // 0: by idempotency key of the caller.
  2: i64 txn_id
}

struct ListTxnsRequest {
  1: CoordCaller caller
  // Empty: all; else OPEN, COMMITTED, ...
  2: string state
  3: i32 limit = 100
}

struct SchedulePlanRequest {
  1: CoordCaller caller
  // COMPACT, LOG_COMPACT, CLUSTER, CLEAN
  2: string type
  // Whether or not the trigger says that it is due.
  3: bool forced
  // Empty: all groups.
  4: list<FileGroupRef> groups
  // An operator may end it while it runs.
  5: bool cancellable
  // For people; empty: what the trigger says.
  6: string reason
}

struct PlannedFileGroup {
  1: string partition
  2: string file_id
  // Empty: none.
  3: string base
  4: list<string> logs
}

struct PlanInfo {
  1: i64 plan_id
  2: string table_id
  3: string table_name
  // COMPACT, LOG_COMPACT, CLUSTER, CLEAN, ROLLBACK
  4: string type
  // REQUESTED, CLAIMED, COMMITTING, COMPLETED, CANCELLED, FAILED
  5: string state
  6: string requested
  7: i64 fence
  8: i32 attempts
  9: string owner
  10: i64 remaining_ms
  11: bool cancel_requested
  12: string last_error
  13: string trigger
  14: bool cancellable
  15: i64 created_ms
  16: list<PlannedFileGroup> groups
  // Of a clean or rollback: what to delete.
  17: list<string> removes
  // Of a rollback: the instant that is undone.
  18: string target
  // Once completed.
  19: string completed
  20: i64 id_version
  21: string progress
  // own: planned here; external: found in the table's folder.
  22: string source
  23: string base_path
  // Before it no new attempt begins; 0: at once.
  24: i64 retry_in_ms
}

struct ScheduledPlan {
  // Absent: nothing was planned, `reason` says why.
  1: optional PlanInfo plan
  2: string reason
}

struct ListPlansRequest {
  1: CoordCaller caller
  // Empty: pending ones; ALL; or a state.
  2: string state
  3: string type
  4: i32 limit = 100
}

struct ClaimPlanRequest {
  // An empty table: any table.
  1: CoordCaller caller
  // 0: the next one that may be executed.
  2: i64 plan_id
  // Empty: any.
  3: list<string> types
  4: i64 lease_ms
  // Without a plan: how long to wait for one.
  5: i64 wait_ms
  // Of a claim whose answer was lost.
  6: i64 held_fence
  // An operator says that a job outside is dead.
  7: bool external_override
}

struct ClaimedPlan {
  1: PlanInfo plan
  2: i64 fence
  3: i32 attempt
  4: bool takeover
  // Of earlier attempts: to be removed.
  5: list<string> earlier_files
  6: i64 lease_ms
}

struct EndPlanRequest {
  1: CoordCaller caller
  2: i64 plan_id
  // FailPlan and AbortPlan; operators have none.
  3: i64 fence
  4: string error
}

struct WaitPlansRequest {
  1: CoordCaller caller
  2: i32 max_pending
  3: i64 timeout_ms
}

struct WaitPlansResult {
  // REACHED, STOPPED, FAILED, TIMEOUT
  1: string outcome
  2: i32 pending
}

struct ReadPoint {
  // LATEST, COMPLETION (as of a completion time), REQUESTED (as of what was begun), ID, TIME
  1: string kind = "LATEST"
  2: string instant
  3: i64 id_version
}

struct GetFileSlicesRequest {
  1: CoordCaller caller
  // Empty: all.
  2: list<string> partitions
  3: ReadPoint read_point
  // MERGED, READ_OPTIMIZED, RAW
  4: string form = "MERGED"
  // Of the answer before; it keeps the version.
  5: string page_token
  6: i32 limit
}

struct SliceLogFile {
  1: string name
  2: string requested
  // Empty: pending or unknown.
  3: string completed
  4: bool superseded
  5: i64 size
}

struct FileSliceInfo {
  1: string partition
  2: string file_id
  3: string anchor
  // Empty: none.
  4: string base
  5: i64 base_size
  6: list<SliceLogFile> logs
  // Empty: none.
  7: string pending_plan
  8: list<string> warnings
}

struct FileSlicePage {
  1: list<FileSliceInfo> slices
  // The state that was read.
  2: i64 id_version
  3: string completed
  // Empty: that was all.
  4: string page_token
}

struct GetIncrementalRequest {
  1: CoordCaller caller
  // ID, TIME, COMPLETION
  2: string axis = "ID"
  // Exclusive; empty: from the beginning. Digits of an id version or an instant.
  3: string from_exclusive
  // Inclusive; empty: the newest.
  4: string to_inclusive
  5: bool include_services
  // Commits in one answer; 0: all.
  6: i32 limit
}

struct ChangedVersion {
  1: i64 id_version
  2: string completed
  3: string op
  4: list<PartitionFile> added
  5: list<PartitionFile> removed
}

struct IncrementalResult {
  1: list<ChangedVersion> changes
  2: bool overwrites
  // Where the next range begins, on the axis asked for.
  3: string next_from
  4: bool more
}

struct GetCompletionTimesRequest {
  1: CoordCaller caller
  2: list<string> requested
}

struct CompletionTime {
  1: string requested
  // COMPLETED, PENDING, ROLLED_BACK, UNKNOWN
  2: string state
  3: string completed
}

struct ListVersionsRequest {
  1: CoordCaller caller
  // Inclusive; 0: the oldest that is known.
  2: i64 from_id
  // Inclusive; 0: the newest.
  3: i64 to_id
  // The newest so many; 0: all.
  4: i32 limit
}

struct VersionInfo {
  1: i64 id_version
  2: string requested
  3: string completed
  4: string time_version
  5: string op
  6: i32 added
  7: i32 removed
}

struct WaitForVersionRequest {
  1: CoordCaller caller
  // One of the two.
  2: i64 id_version
  3: string instant
  4: i64 timeout_ms
}

struct WaitForVersionResult {
  1: i64 id_version
}

struct ExplainRequest {
  1: CoordCaller caller
  // Why this one failed; 0: the cell of `earlier` and `later`.
  2: i64 txn_id
  3: string earlier
  4: string later
}

struct ConflictInfo {
  1: string table
  2: i64 at_ms
  3: i64 txn_id
  4: i64 plan_id
  5: string earlier
  6: string later
  // F, W, A, C
  7: string outcome
  // cell, file group, lineage, input gone
  8: string kind
  9: string partition
  10: string file
  11: i64 offending_version
  12: string text
  13: string policy
}

struct PinRequest {
  1: CoordCaller caller
  // 0: the newest.
  2: i64 id_version
  3: i64 ttl_ms
}

struct PinInfo {
  1: string token
  2: i64 id_version
  3: i64 until_ms
  4: string reader
}

struct UnpinRequest {
  1: CoordCaller caller
  2: string token
}

struct FsckRequest {
  1: CoordCaller caller
}

struct FsckReport {
  // In the folder, and nobody's.
  1: list<string> strays
  // Live and not in the folder.
  2: list<string> missing
  // One name in two partitions or groups.
  3: list<string> duplicates
  4: i64 live_files
  // False: the folder is not on a file system that the daemon sees.
  5: bool folder_checked
  6: string note
}

service CatalogdCoord {
  CoordTable catalogd_coord_register_table(1: RegisterTableRequest request) throws (1: CoordError e)
  CoordTable catalogd_coord_unregister_table(1: UnregisterTableRequest request) throws (1: CoordError e)
  CoordTable catalogd_coord_alter_options(1: AlterOptionsRequest request) throws (1: CoordError e)
  CoordTable catalogd_coord_get_table_state(1: TableRequest request) throws (1: CoordError e)
  list<CoordTable> catalogd_coord_list_tables(1: ListTablesRequest request) throws (1: CoordError e)
  GeneratedInstant catalogd_coord_generate_instant(1: GenerateInstantRequest request) throws (1: CoordError e)
  TxnInfo catalogd_coord_begin_txn(1: BeginTxnRequest request) throws (1: CoordError e)
  Beat catalogd_coord_heartbeat_txn(1: TxnCall request) throws (1: CoordError e)
  Beat catalogd_coord_register_files(1: RegisterFilesRequest request) throws (1: CoordError e)
  CommitResult catalogd_coord_commit_txn(1: CommitRequest request) throws (1: CoordError e)
  TxnInfo catalogd_coord_abort_txn(1: AbortRequest request) throws (1: CoordError e)
  TxnInfo catalogd_coord_get_txn(1: GetTxnRequest request) throws (1: CoordError e)
  list<TxnInfo> catalogd_coord_list_txns(1: ListTxnsRequest request) throws (1: CoordError e)
  ScheduledPlan catalogd_coord_schedule_plan(1: SchedulePlanRequest request) throws (1: CoordError e)
  list<PlanInfo> catalogd_coord_list_plans(1: ListPlansRequest request) throws (1: CoordError e)
  PlanInfo catalogd_coord_get_plan(1: PlanCall request) throws (1: CoordError e)
  ClaimedPlan catalogd_coord_claim_plan(1: ClaimPlanRequest request) throws (1: CoordError e)
  Beat catalogd_coord_heartbeat_plan(1: PlanCall request) throws (1: CoordError e)
  CommitResult catalogd_coord_complete_plan(1: CommitRequest request) throws (1: CoordError e)
  PlanInfo catalogd_coord_fail_plan(1: EndPlanRequest request) throws (1: CoordError e)
  // The holder obeys a cancel request.
  PlanInfo catalogd_coord_abort_plan(1: EndPlanRequest request) throws (1: CoordError e)
  PlanInfo catalogd_coord_cancel_plan(1: EndPlanRequest request) throws (1: CoordError e)
  PlanInfo catalogd_coord_reset_plan(1: EndPlanRequest request) throws (1: CoordError e)
  // Makes (or takes over) the rollback of a plan whose attempt died, and claims it.
  ClaimedPlan catalogd_coord_rollback_plan(1: ClaimPlanRequest request) throws (1: CoordError e)
  WaitPlansResult catalogd_coord_wait_plans(1: WaitPlansRequest request) throws (1: CoordError e)
  FileSlicePage catalogd_coord_get_file_slices(1: GetFileSlicesRequest request) throws (1: CoordError e)
  IncrementalResult catalogd_coord_get_incremental(1: GetIncrementalRequest request) throws (1: CoordError e)
  list<CompletionTime> catalogd_coord_get_completion_times(1: GetCompletionTimesRequest request) throws (1: CoordError e)
  list<VersionInfo> catalogd_coord_list_versions(1: ListVersionsRequest request) throws (1: CoordError e)
  WaitForVersionResult catalogd_coord_wait_for_version(1: WaitForVersionRequest request) throws (1: CoordError e)
  ConflictInfo catalogd_coord_explain_conflict(1: ExplainRequest request) throws (1: CoordError e)
  // The newest ones, newest first.
  list<ConflictInfo> catalogd_coord_list_conflicts(1: ListTxnsRequest request) throws (1: CoordError e)
  PinInfo catalogd_coord_pin_version(1: PinRequest request) throws (1: CoordError e)
  PinInfo catalogd_coord_unpin_version(1: UnpinRequest request) throws (1: CoordError e)
  FsckReport catalogd_coord_fsck(1: FsckRequest request) throws (1: CoordError e)
}
