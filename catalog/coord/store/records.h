#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "catalog/coord/file_group.h"
#include "catalog/coord/plan.h"
#include "catalog/coord/trigger.h"
#include "catalog/coord/txn.h"

// What is kept of table coordination, row by row, and the changes that are written together.
// Thread safety: plain values.
namespace catalogd::coord {

struct TableRecord {
  TableRow row;
  std::string catalog;
  std::string db;
  std::string name;
  TableType type = TableType::kMergeOnRead;
  ConflictPolicy policy = ConflictPolicy::kMaxCompute;
  std::string base_path;
  int64_t epoch = 0;  // Of the owning daemon; another one with a higher epoch has taken over.
  std::optional<Instant> last_time_version;
  int64_t clock_high_water = 0;  // `TimeState::reserved`.
  std::string nonce;             // Of the last publication.
  bool corrupt = false;          // An operator has to decide before anything is changed.
  std::string options;           // JSON, as registered.

  friend bool operator==(const TableRecord&, const TableRecord&) = default;
};

struct PlanRecord {
  std::string table_id;
  // Of the claim, the deadline is not kept: monotonic clocks end with their process.
  PlanRow row;
  bool claim_alive = false;  // Of a claim: it was not expired when this was written.
  std::string payload;       // The plan itself, for executors.
  std::vector<FileGroup> groups;
  std::vector<std::string> inputs;  // Names that no clean may delete.
  int64_t created_ms = 0;           // Wall clock.
  std::string trigger;              // Why there is this plan, for people.
  bool cancellable = false;

  friend bool operator==(const PlanRecord&, const PlanRecord&) = default;
};

struct TxnRecord {
  std::string table_id;
  // The deadline is not kept.
  TxnRow row;
  std::vector<std::string> partitions;  // Those it really touched.
  bool overwrite_reads_table = false;
  std::string extra;                       // JSON of the client, kept as it came.
  int64_t created_ms = 0;                  // Wall clock.
  int64_t ended_ms = 0;                    // 0: it has not.
  std::vector<std::string> attempt_files;  // Names it said it would write.
  std::optional<int64_t> event_id;         // Of its publication.

  friend bool operator==(const TxnRecord&, const TxnRecord&) = default;
};

enum class FileKind { kBase, kLog, kDelta };

struct FileRecord {
  std::string table_id;
  FileGroup group;
  FileKind kind = FileKind::kDelta;
  std::string name;
  int64_t size = 0;
  int64_t rows = 0;
  int64_t added_by = 0;               // Transactions; this one may be in the history by now.
  std::optional<int64_t> removed_by;  // None: live.

  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

// A reader that holds a version against cleaning.
struct PinRecord {
  std::string token;
  std::string table_id;
  IdVersion version;
  std::string reader;
  int64_t until_ms = 0;  // Wall clock.

  friend bool operator==(const PinRecord&, const PinRecord&) = default;
};

enum class PublishState { kPending, kSent, kDone, kFailed };

// The publication of a version to the metastore.
struct PublishRecord {
  std::string table_id;
  IdVersion version;
  std::string nonce;
  PublishState state = PublishState::kPending;
  std::optional<int64_t> event_id;
  int tries = 0;
  std::string last_error;

  friend bool operator==(const PublishRecord&, const PublishRecord&) = default;
};

// What is left of a committed transaction when it is forgotten.
struct HistoryRecord {
  std::string table_id;
  int64_t txn_id = 0;
  OpClass op = OpClass::kInsert;
  Instant requested;
  Instant completed;
  IdVersion id_version;
  std::optional<Instant> time_version;

  friend bool operator==(const HistoryRecord&, const HistoryRecord&) = default;
};

// What somebody did. It outlives its table, and only the newest are kept.
struct AuditRecord {
  std::string who;
  std::string what;
  std::string table_id;  // Empty: of no table.
  int64_t at_ms = 0;     // Wall clock.
  std::string outcome;

  friend bool operator==(const AuditRecord&, const AuditRecord&) = default;
};

// Changes. A Put writes the whole record, whether or not there was one.
struct RemoveFile {
  std::string table_id;
  std::string partition;
  std::string name;
  int64_t removed_by = 0;
};
// What a prepared transaction would have added and removed; it was undone. Refused of a committed
// one, whose files readers have.
struct UndoFiles {
  int64_t txn_id = 0;
};
struct DropPin {
  std::string token;
};
struct DropPublish {
  std::string table_id;
  IdVersion version;
};
// A committed one goes to the history, and the files it removed and its publication are forgotten;
// an aborted one just goes. Others are refused.
struct ForgetTxn {
  int64_t txn_id = 0;
};
// One that is not pending any more.
struct ForgetPlan {
  PlanId plan_id;
};
// History up to this version, but for what added a file that is still known.
struct ForgetHistory {
  std::string table_id;
  IdVersion up_to;
};
// A dropped one, with everything of it but the audit.
struct ForgetTable {
  std::string table_id;
};
struct ForgetAudit {
  int64_t before_ms = 0;
};
using StoreChange =
    std::variant<TableRecord, PlanRecord, TxnRecord, FileRecord, RemoveFile, UndoFiles, PinRecord,
                 DropPin, PublishRecord, DropPublish, HistoryRecord, AuditRecord, ForgetTxn,
                 ForgetPlan, ForgetHistory, ForgetTable, ForgetAudit>;

// Changes that are made together or not at all.
using StoreBatch = std::vector<StoreChange>;

// A batch and the table that it is of.
struct TableBatch {
  std::string table_id;
  StoreBatch changes;
};

struct StoreContent {
  std::vector<TableRecord> tables;
  std::vector<PlanRecord> plans;
  std::vector<TxnRecord> txns;
  std::vector<FileRecord> files;
  std::vector<PinRecord> pins;
  std::vector<PublishRecord> publications;
  std::vector<HistoryRecord> history;
};

}  // namespace catalogd::coord
