#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "catalog/sync/context.h"
#include "catalog/sync/object_loader.h"

namespace catalogd::sync {

// Compares the cache with the metastore, slowly and for ever, because logs do not tell everything:
// databases often, tables and their partitions at a low rate. A difference that a quick read shows
// is only believed, reported and repaired after ObjectLoader::Compare has proven it.
//
// Not for: functions, constraints and statistics (never cached); reading what is not loaded.
// Thread safety: RunOnce by one thread; the rest by any. Locks: none across a call.
// Errors: a metastore that does not answer ends the slice; it is tried again.
class Reconciler {
 public:
  struct Options {
    Duration database_period = std::chrono::seconds(10);  // Between passes; 0: never.
    Duration period = std::chrono::minutes(10);  // Of tables, from start to start; 0: never.
    double objects_per_second = 20;              // Of that pass; at least 0.1.
    // Of a table with more partitions only so many are compared, others with each pass.
    size_t max_partitions = 10000;
    size_t sample = 1000;
  };
  Reconciler(SyncContext* context, ObjectLoader* loader, const Options& options);

  // One slice of work, and how long until the next. Blocks on the metastore. REQUIRES: the log is
  // being followed.
  Duration RunOnce();

  struct Status {
    bool enabled = false;
    uint64_t database_passes = 0;
    WallTime last_database_pass;  // End of the last one.
    uint64_t passes = 0;          // Of tables, finished ones.
    WallTime last_pass;
    bool running = false;  // A pass of tables.
    size_t done = 0;       // Names that it has looked at, of about `total`.
    size_t total = 0;
    uint64_t in_flight = 0;       // Suspects that what was going on explained.
    uint64_t failures = 0;        // Reads that failed.
    std::string last_difference;  // "sales.orders: ..."; empty: none yet.
    std::string last_failure;
  };
  [[nodiscard]] Status status() const;

  // Names of databases of a catalog, or of tables of a database, that only one side has. Blocks.
  // kNotFound: the metastore has no such database.
  static Result<std::vector<ObjectName>> OnlyOnOneSide(SyncContext* context,
                                                       const ObjectName& parent);

 private:
  void StartOver();
  void RunDatabases();
  void RunTables();
  catalogd::Status BeginDatabases();
  void BeginTables();
  void EndTables();
  catalogd::Status Look(const cache::CatalogCache::NamedSlot& slot, double* cost);
  Result<bool> Differs(const cache::CatalogCache::NamedSlot& slot, double* cost);
  Result<bool> PartitionsDiffer(const cache::CatalogCache::NamedSlot& slot, double* cost);
  Result<bool> SampleDiffers(const cache::CatalogCache::NamedSlot& slot, double* cost);
  catalogd::Status LookAtNames(const ObjectName& parent);
  void Suspect(const ObjectName& name);
  void NoteFailure(const ObjectName& name, const Error& error);
  [[nodiscard]] Duration NextWait() const;

  SyncContext* const context_;
  ObjectLoader* const loader_;
  const Options options_;

  // Of RunOnce alone.
  LogEpoch epoch_;
  TimePoint next_databases_;
  TimePoint next_tables_;
  std::deque<ObjectName> databases_;  // Still to be looked at in this pass.
  bool tables_running_ = false;
  std::optional<ObjectName> cursor_;  // The pass of tables goes on behind it.
  std::deque<cache::CatalogCache::NamedSlot> page_;
  bool last_page_ = false;
  double credit_ = 0;  // Objects that may be read now.
  TimePoint credited_;
  size_t sample_from_ = 0;

  mutable Mutex mutex_{LockRank::kStats};
  Status progress_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::sync
