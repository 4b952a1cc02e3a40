// catalogd's own service: what the daemon knows about freshness, and the levers an operator has.
// Served on the endpoint port beside the metastore's methods, hence the prefix of every method.
// Names of objects are "db", "db.table" or "catalog.db.table". Times of day are milliseconds since
// 1970, lengths of time are milliseconds (timeouts) or seconds (ages, as the field says).
// A struct stands before those that hold it in a list: clang rejects the generated code otherwise.
namespace cpp catalogd.api

// `code`: a name of the table in catalog/base/error.cc ("not_found", "timed_out", ...).
exception CatalogdError {
  1: string code
  2: string message
}

struct MetastoreInfo {
  1: string endpoint
  2: string version
  3: string generation
  4: string uuid
  // Since it last answered. If it never did, since the daemon's start; then version and generation
  // are empty.
  5: double silent_seconds
}

struct SlotCounts {
  1: i64 databases
  2: i64 tables
  3: i64 present
  4: i64 stubs
  5: i64 unknown
  6: i64 absent
  7: i64 partitions
}

// A read mode that an operator has set; name empty: the daemon's own.
struct ReadModeEntry {
  1: string name
  2: string mode
}

// How far the comparison of cache and metastore has come.
struct ReconcileInfo {
  1: bool enabled
  2: i64 database_passes
  3: i64 last_database_pass_ms
  // Of tables and partitions.
  4: i64 passes
  5: i64 last_pass_ms
  6: bool running
  // Of the running or last pass: names it has looked at, of about `total`.
  7: i64 done
  8: i64 total
  // Objects compared, equal ones too.
  9: i64 compared
  10: i64 differences
  11: i64 repairs
  // Differences that something under way explained.
  12: i64 in_flight
  13: i64 failures
  14: string last_difference
  15: string last_failure
}

struct DaemonStatus {
  // Cached answers are given.
  1: bool ready
  // Exactness cannot be shown: everything passes through.
  2: bool pure_proxy
  // Why not ready, or why a proxy.
  3: string reason
  // disabled, starting, active, paused, resyncing, degraded.
  4: string state
  5: string state_reason
  6: i64 state_since_ms
  7: i64 epoch
  8: i64 watermark
  9: i64 latest_event_id
  10: i64 lag_events
  11: double lag_seconds
  12: i64 pending_events
  13: i64 lock_waiters
  14: i64 ddls_in_flight
  15: i64 loads_in_flight
  16: i64 catalog_version
  17: string read_mode
  18: list<ReadModeEntry> read_modes
  19: MetastoreInfo metastore
  20: SlotCounts counts
  // What an operator should look at, most important first.
  21: list<string> warnings
  22: string build_version
  23: i64 started_ms
  24: string endpoint
  25: string web
  26: i64 waiting
  27: i64 contradictions
  28: ReconcileInfo reconcile
}

struct ObjectSummary {
  1: string name
  // unknown, absent, stub, present.
  2: string state
  // Every event up to it that concerns this name is reflected.
  3: i64 synced_event_id
  // synced_event_id, or the watermark where that is larger.
  4: i64 effective_event_id
  5: i64 catalog_version
  // -1: not loaded.
  6: i64 partitions
}

// One event and what became of it for one name.
struct EventInfo {
  1: i64 event_id
  2: string type
  3: string name
  4: string action
  5: string reason
  // events, ddl, load, reconcile, diff.
  6: string by
  // When the metastore logged it; 0: unknown.
  7: i64 event_time_ms
  8: i64 applied_at_ms
  // Counts happenings from 1.
  9: i64 sequence
}

struct ObjectInfo {
  1: ObjectSummary summary
  // Event (or load position) at which the object came into being.
  2: i64 incarnation
  // Cached answers are given for this name.
  3: bool served_from_cache
  // Below it the cache does not answer for this name; -1: never, until an own write is settled.
  4: i64 floor_event_id
  5: string read_mode
  // The object as JSON, unknown fields included under their ids; empty when it is not loaded.
  6: string object_json
  // The newest happenings of this name, newest first; of a database: its own, then its tables'.
  7: list<EventInfo> recent
  // False: it was there already when all names were listed, at the event `incarnation`.
  8: bool incarnation_known
}

struct ListRequest {
  // A database: its tables. Absent: databases of the default catalog.
  1: optional string database
  // Only names that contain this text.
  2: optional string filter
  3: i32 offset
  4: i32 limit = 1000
}

struct ObjectList {
  1: list<ObjectSummary> objects
  // Matching names in all, whatever the limit.
  2: i64 total
  // False when a name is in doubt or nothing has been listed yet.
  3: bool exact
}

struct WaitRequest {
  // Empty: every name.
  1: list<string> names
  // Absent: the metastore's current id, asked for after the request arrived.
  2: optional i64 event_id
  3: i64 timeout_ms = 30000
}

struct WaitResult {
  // Everything asked for reflects every event up to it.
  1: i64 event_id
  2: i64 watermark
  3: i64 waited_ms
}

struct SyncRequest {
  1: string name
  2: i64 timeout_ms = 30000
}

struct EventsRequest {
  1: i32 limit = 50
  // Only happenings of this name.
  2: optional string name
  // Only happenings behind this one: the oldest `limit` of them.
  3: optional i64 after_sequence
  // When there are none: the longest wait for some.
  4: i64 wait_ms
}

struct Finding {
  1: string check
  // ok, warning, fatal.
  2: string level
  3: string text
  4: string advice
}

struct DoctorReport {
  // No fatal finding: cached answers may be given.
  1: bool exact
  2: MetastoreInfo metastore
  3: list<Finding> findings
}

struct LockInfo {
  1: i64 ticket
  2: string owner
  // "exclusive sales.orders".
  3: list<string> names
  4: bool granted
  5: double since_seconds
  // Tickets it waits for.
  6: list<i64> behind
}

struct ReadModeRequest {
  // Absent: the daemon itself.
  1: optional string name
  // cached, passthrough, or default (drops what was set for the name).
  2: string mode
}

struct ConfigEntry {
  1: string name
  2: string value
  // flag, environment, file, hive-site, default.
  3: string origin
  4: string default_value
  5: string meaning
}

// A name in its parts: tables of Hive 4 may have dots in theirs. `table` empty: the database.
struct NameParts {
  1: string catalog
  2: string database
  3: string table
}

// One name as a commit left it.
struct DeltaInfo {
  1: i64 catalog_version
  2: string name
  3: NameParts parts
  // unknown, absent, stub, present.
  4: string state
  5: i64 synced_event_id
  // Event (or load position) at which the object came into being.
  6: i64 incarnation
  // -1: not loaded.
  7: i64 partitions
  8: bool partitions_changed
  9: string reason
  // With with_objects, present ones: the Table or Database struct of hive_metastore.thrift in
  // Thrift binary, as the metastore answers it.
  10: optional binary object
}

struct DeltasRequest {
  // The position of the follower: the version of its dump, or of the last deltas it has seen.
  1: i64 after_version
  // A commit is never split: there may be more deltas when one is longer.
  2: i32 limit = 1000
  3: bool with_objects
  // When there are none: the longest wait for some.
  4: i64 wait_ms
}

// Commits in the order of their versions.
struct DeltaBatch {
  // What follows the position is not there any more (or the position is not of this daemon): start
  // over from a dump.
  1: bool gap
  2: list<DeltaInfo> deltas
  // Where to go on.
  3: i64 version
  4: i64 epoch
}

struct DumpRequest {
  // Absent: from the beginning.
  1: optional NameParts after
  2: i32 limit = 1000
  3: bool with_objects
}

// A part of all that exists, in the order of names. Parts may differ in version: keep the version
// of the first, then ask for the deltas behind it, and skip those that are no newer than what the
// dump has of their name.
struct DumpPage {
  1: i64 version
  2: i64 epoch
  // False: the metastore has not been listed yet, so what is missing may exist.
  3: bool listed
  4: list<DeltaInfo> objects
  // Go on behind it; absent: that was all.
  5: optional NameParts next_after
}

struct DiffRequest {
  // Objects; a database stands for its own struct and the names of its tables, an empty text for
  // the names of all databases.
  1: list<string> names
  // Publishes what the metastore has where it differs.
  2: bool repair
  3: i64 timeout_ms = 60000
}

struct DiffEntry {
  1: string name
  // equal, different, in_flight, not_compared, failed.
  2: string outcome
  // The state compared is that after this event; 0: none was.
  3: i64 event_id
  // What is different, or why it was not compared.
  4: string text
  5: bool repaired
}

service Catalogd {
  DaemonStatus catalogd_status() throws (1: CatalogdError e)
  ObjectInfo catalogd_get(1: string name) throws (1: CatalogdError e)
  ObjectList catalogd_list(1: ListRequest request) throws (1: CatalogdError e)
  WaitResult catalogd_wait(1: WaitRequest request) throws (1: CatalogdError e)
  // Loads or refreshes one object now.
  ObjectInfo catalogd_sync(1: SyncRequest request) throws (1: CatalogdError e)
  // Newest first.
  list<EventInfo> catalogd_events(1: EventsRequest request) throws (1: CatalogdError e)
  // Runs the preflight now.
  DoctorReport catalogd_doctor() throws (1: CatalogdError e)
  list<LockInfo> catalogd_locks() throws (1: CatalogdError e)
  DaemonStatus catalogd_set_read_mode(1: ReadModeRequest request) throws (1: CatalogdError e)
  // Starts every slot over, as for a new log.
  DaemonStatus catalogd_reset(1: string reason) throws (1: CatalogdError e)
  DaemonStatus catalogd_pause(1: bool paused) throws (1: CatalogdError e)
  list<ConfigEntry> catalogd_config() throws (1: CatalogdError e)
  // Every change of what the daemon knows, for those who follow it.
  DeltaBatch catalogd_deltas(1: DeltasRequest request) throws (1: CatalogdError e)
  DumpPage catalogd_dump(1: DumpRequest request) throws (1: CatalogdError e)
  // Reads objects from the metastore now and compares them with the cache.
  list<DiffEntry> catalogd_diff(1: DiffRequest request) throws (1: CatalogdError e)
}
