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

  friend bool operator==(const PlanRecord&, const PlanRecord&) = default;
};

struct TxnRecord {
  std::string table_id;
  // The deadline is not kept.
  TxnRow row;
  std::vector<std::string> partitions;  // Those it really touched.

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
  int64_t added_by = 0;               // Transactions.
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

// Changes. A Put writes the whole record, whether or not there was one.
struct RemoveFile {
  std::string table_id;
  std::string partition;
  std::string name;
  int64_t removed_by = 0;
};
// What a prepared transaction would have added and removed; it was undone.
struct UndoFiles {
  int64_t txn_id = 0;
};
struct DropPin {
  std::string token;
};
using StoreChange = std::variant<TableRecord, PlanRecord, TxnRecord, FileRecord, RemoveFile,
                                 UndoFiles, PinRecord, DropPin>;

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
};

}  // namespace catalogd::coord
