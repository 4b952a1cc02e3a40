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
  // Since it last answered a poll.
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
  // events, ddl, load.
  6: string by
  // When the metastore logged it; 0: unknown.
  7: i64 event_time_ms
  8: i64 applied_at_ms
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
  // The newest happenings of this name, newest first.
  7: list<EventInfo> recent
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
}
