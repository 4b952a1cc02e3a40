#include <fmt/format.h>

#include <chrono>
#include <map>

#include "catalog/coord/store/record_check.h"
#include "catalog/coord/store/store_rows.h"

namespace catalogd::coord {

namespace {

// Reads one row, column by column; the first value that makes no sense is kept as the error.
class Reader {
 public:
  Reader(const SqliteDb& db, std::string table, const SqlRow& row)
      : db_(db), table_(std::move(table)), row_(row) {}

  int64_t Int() { return row_.Int(column_++); }
  bool Bool() { return Int() != 0; }
  std::string Text() { return std::string(row_.Bytes(column_++)); }
  std::optional<int64_t> IntOrNull() {
    if (!row_.IsNull(column_)) return Int();
    ++column_;
    return std::nullopt;
  }
  std::optional<std::string> TextOrNull() {
    if (!row_.IsNull(column_)) return Text();
    ++column_;
    return std::nullopt;
  }
  std::optional<Instant> TimeOrNull() {
    const std::optional<std::string> text = TextOrNull();
    if (!text) return std::nullopt;
    Result<Instant> instant = Instant::Parse(*text);
    if (!instant) Fail(instant.error().message);
    return instant.value_or(Instant());
  }
  Instant Time() {
    std::optional<Instant> time = TimeOrNull();
    if (!time) Fail("a time is missing");
    return time.value_or(Instant());
  }
  template <class Enum>
  Enum Code(Enum last) {
    const int64_t code = Int();
    if (code < 0 || code > static_cast<int64_t>(last)) {
      Fail(fmt::format("unknown value {}", code));
      return last;
    }
    return static_cast<Enum>(code);
  }
  std::chrono::milliseconds Millis() { return std::chrono::milliseconds(Int()); }
  std::optional<Completion> Done() {
    const std::optional<int64_t> fence = IntOrNull();
    const std::optional<Instant> time = TimeOrNull();
    const std::optional<int64_t> id = IntOrNull();
    if (!fence && !time && !id) return std::nullopt;
    if (!fence || !time || !id) Fail("half a completion");
    return Completion{Fence(fence.value_or(0)), time.value_or(Instant()),
                      IdVersion(id.value_or(0))};
  }

  // The whole record, which was read by this.
  template <class Record>
  void Check(const Record& record) {
    if (const auto nonsense = Nonsense(record)) Fail(*nonsense);
  }
  void Fail(const std::string& what) {
    if (!status_) return;
    status_ = MakeError(ErrorCode::kCorrupt,
                        fmt::format("coordination file {} is damaged: table {}, column {}: {}; "
                                    "restore it from a copy",
                                    db_.path(), table_, column_, what));
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const SqliteDb& db_;
  const std::string table_;
  const SqlRow& row_;
  int column_ = 0;
  Status status_ = Ok();
};

// All rows of a query, each read by `read`.
template <class Read>
Status ReadRows(SqliteDb& db, const std::string& table, const std::string& sql,
                const std::vector<SqlValue>& values, Read read) {
  Status status = Ok();
  RETURN_IF_ERROR(db.Query(sql, values, [&](const SqlRow& row) {
    if (!status) return;
    Reader reader(db, table, row);
    read(reader);
    status = reader.status();
  }));
  return status;
}

TableRecord ReadTable(Reader& row) {
  TableRecord table;
  table.row.table_id = row.Text();
  table.catalog = row.Text();
  table.db = row.Text();
  table.name = row.Text();
  table.type = row.Code(TableType::kDeltaAppend);
  table.policy = row.Code(ConflictPolicy::kHudiOcc);
  table.base_path = row.Text();
  table.epoch = row.Int();
  table.row.newest_fence = Fence(row.Int());
  table.row.id_version = IdVersion(row.Int());
  table.last_time_version = row.TimeOrNull();
  table.clock_high_water = row.Int();
  table.nonce = row.Text();
  table.row.dropped = row.Bool();
  table.corrupt = row.Bool();
  table.row.commit_prepared = row.Bool();
  table.options = row.Text();
  row.Check(table);
  return table;
}

PlanRecord ReadPlan(Reader& row) {
  PlanRecord plan;
  plan.row.id = PlanId(row.Int());
  plan.table_id = row.Text();
  plan.row.type = row.Code(PlanType::kRollback);
  plan.row.requested = row.Time();
  plan.row.state = row.Code(PlanState::kFailed);
  plan.row.fence = Fence(row.Int());
  plan.row.attempts = static_cast<int>(row.Int());
  const std::optional<std::string> owner = row.TextOrNull();
  const std::chrono::milliseconds lease = row.Millis();
  plan.claim_alive = row.Bool();
  const bool cancel = row.Bool();
  if (owner) plan.row.claim = Claim{*owner, lease, TimePoint(), cancel};
  plan.row.last_error = row.Text();
  plan.row.prepared = row.Done();
  plan.row.completion = row.Done();
  plan.row.target = row.TimeOrNull();
  plan.payload = row.Text();
  plan.created_ms = row.Int();
  plan.trigger = row.Text();
  plan.cancellable = row.Bool();
  row.Check(plan);
  return plan;
}

TxnRecord ReadTxn(Reader& row) {
  TxnRecord record;
  TxnRow& txn = record.row;
  txn.txn_id = row.Int();
  record.table_id = row.Text();
  txn.op = row.Code(OpClass::kMajor);
  txn.state = row.Code(TxnState::kUnknown);
  txn.requested = row.Time();
  txn.snapshot = IdVersion(row.Int());
  txn.fence = Fence(row.Int());
  txn.owner = row.Text();
  txn.lease = row.Millis();
  txn.idempotency_key = row.TextOrNull().value_or("");
  txn.completed = row.TimeOrNull();
  if (const auto id = row.IntOrNull()) txn.id_version = IdVersion(*id);
  txn.time_version = row.TimeOrNull();
  if (const auto plan = row.IntOrNull()) txn.plan = PlanId(*plan);
  txn.reason = row.Text();
  record.overwrite_reads_table = row.Bool();
  record.extra = row.Text();
  record.created_ms = row.Int();
  record.ended_ms = row.Int();
  record.event_id = row.IntOrNull();
  row.Check(record);
  return record;
}

FileRecord ReadFile(Reader& row) {
  FileRecord file;
  file.table_id = row.Text();
  file.group.partition = row.Text();
  file.name = row.Text();
  file.added_by = row.Int();
  file.group.file_id = row.Text();
  file.kind = row.Code(FileKind::kDelta);
  file.size = row.Int();
  file.rows = row.Int();
  file.removed_by = row.IntOrNull();
  return file;
}

PinRecord ReadPin(Reader& row) {
  PinRecord pin;
  pin.token = row.Text();
  pin.table_id = row.Text();
  pin.version = IdVersion(row.Int());
  pin.reader = row.Text();
  pin.until_ms = row.Int();
  return pin;
}

PublishRecord ReadPublication(Reader& row) {
  PublishRecord publication;
  publication.table_id = row.Text();
  publication.version = IdVersion(row.Int());
  publication.nonce = row.Text();
  publication.state = row.Code(PublishState::kFailed);
  publication.event_id = row.IntOrNull();
  publication.tries = static_cast<int>(row.Int());
  publication.last_error = row.Text();
  return publication;
}

HistoryRecord ReadHistory(Reader& row) {
  HistoryRecord commit;
  commit.txn_id = row.Int();
  commit.table_id = row.Text();
  commit.op = row.Code(OpClass::kMajor);
  commit.requested = row.Time();
  commit.completed = row.Time();
  commit.id_version = IdVersion(row.Int());
  commit.time_version = row.TimeOrNull();
  row.Check(commit);
  return commit;
}

AuditRecord ReadAuditRow(Reader& row) {
  AuditRecord entry;
  entry.who = row.Text();
  entry.what = row.Text();
  entry.table_id = row.Text();
  entry.at_ms = row.Int();
  entry.outcome = row.Text();
  return entry;
}

// Of which table rows are read.
class Scope {
 public:
  Scope() = default;
  explicit Scope(std::string_view table_id) : values_{table_id} {}

  // Rows of a table with a column `table_id`.
  [[nodiscard]] std::string Of() const { return values_.empty() ? "" : " WHERE table_id = ?"; }
  // Rows that belong to a row of `parent`, by the column `key`.
  [[nodiscard]] std::string Of(const std::string& parent, const std::string& key) const {
    if (values_.empty()) return "";
    return fmt::format(" WHERE {0} IN (SELECT {0} FROM {1} WHERE table_id = ?)", key, parent);
  }
  [[nodiscard]] const std::vector<SqlValue>& values() const { return values_; }

 private:
  std::vector<SqlValue> values_;
};

// Positions of records by id, for rows that belong to them.
using Places = std::map<int64_t, size_t>;

Status ReadPlanNames(SqliteDb& db, const Scope& scope, const Places& places,
                     std::vector<PlanRecord>* plans) {
  return ReadRows(db, "plan_name",
                  "SELECT plan_id, role, fence, name FROM plan_name" + scope.Of("plan", "plan_id") +
                      " ORDER BY plan_id, role, position",
                  scope.values(), [&](Reader& row) {
                    const auto place = places.find(row.Int());
                    if (place == places.end()) return row.Fail("no such plan");
                    PlanRecord& plan = (*plans)[place->second];
                    const int64_t role = row.Int();
                    const Fence fence(row.Int());
                    if (role == 0) {
                      plan.inputs.push_back(row.Text());
                    } else if (role == 1) {
                      plan.row.removes.push_back(row.Text());
                    } else {
                      plan.row.files.push_back({fence, row.Text()});
                    }
                  });
}

Status ReadPlans(SqliteDb& db, const Scope& scope, std::vector<PlanRecord>* plans) {
  Places places;
  RETURN_IF_ERROR(ReadRows(db, "plan", "SELECT * FROM plan" + scope.Of() + " ORDER BY plan_id",
                           scope.values(), [&](Reader& row) {
                             plans->push_back(ReadPlan(row));
                             places[plans->back().row.id.value()] = plans->size() - 1;
                           }));
  RETURN_IF_ERROR(
      ReadRows(db, "plan_group",
               "SELECT plan_id, partition, file_id FROM plan_group" + scope.Of("plan", "plan_id") +
                   " ORDER BY plan_id, position",
               scope.values(), [&](Reader& row) {
                 const auto place = places.find(row.Int());
                 if (place == places.end()) return row.Fail("no such plan");
                 std::string partition = row.Text();
                 (*plans)[place->second].groups.push_back({std::move(partition), row.Text()});
               }));
  return ReadPlanNames(db, scope, places, plans);
}

Status ReadTxns(SqliteDb& db, const Scope& scope, std::vector<TxnRecord>* txns) {
  Places places;
  RETURN_IF_ERROR(ReadRows(db, "txn", "SELECT * FROM txn" + scope.Of() + " ORDER BY txn_id",
                           scope.values(), [&](Reader& row) {
                             txns->push_back(ReadTxn(row));
                             places[txns->back().row.txn_id] = txns->size() - 1;
                           }));
  const auto read_list = [&](const std::string& table, const std::string& column,
                             std::vector<std::string> TxnRecord::*list) {
    return ReadRows(db, table,
                    "SELECT txn_id, " + column + " FROM " + table + scope.Of("txn", "txn_id") +
                        " ORDER BY txn_id, position",
                    scope.values(), [&](Reader& row) {
                      const auto place = places.find(row.Int());
                      if (place == places.end()) return row.Fail("no such transaction");
                      ((*txns)[place->second].*list).push_back(row.Text());
                    });
  };
  RETURN_IF_ERROR(read_list("txn_partition", "partition", &TxnRecord::partitions));
  return read_list("txn_name", "name", &TxnRecord::attempt_files);
}

Result<StoreContent> Read(SqliteDb& db, const Scope& scope) {
  StoreContent content;
  const auto read = [&](const std::string& table, const std::string& order, const auto& take) {
    return ReadRows(db, table, "SELECT * FROM " + table + scope.Of() + " ORDER BY " + order,
                    scope.values(), take);
  };
  RETURN_IF_ERROR(read("coord_table", "table_id",
                       [&](Reader& row) { content.tables.push_back(ReadTable(row)); }));
  RETURN_IF_ERROR(ReadPlans(db, scope, &content.plans));
  RETURN_IF_ERROR(ReadTxns(db, scope, &content.txns));
  RETURN_IF_ERROR(read("file", "table_id, partition, name, added_by",
                       [&](Reader& row) { content.files.push_back(ReadFile(row)); }));
  RETURN_IF_ERROR(read("pin", "token", [&](Reader& row) { content.pins.push_back(ReadPin(row)); }));
  RETURN_IF_ERROR(read("hms_publish", "table_id, id_version",
                       [&](Reader& row) { content.publications.push_back(ReadPublication(row)); }));
  RETURN_IF_ERROR(
      read("history", "txn_id", [&](Reader& row) { content.history.push_back(ReadHistory(row)); }));
  return content;
}

}  // namespace

Result<StoreContent> ReadAll(SqliteDb& db) { return Read(db, Scope()); }

Result<StoreContent> ReadOneTable(SqliteDb& db, const std::string& table_id) {
  return Read(db, Scope(table_id));
}

Result<std::vector<AuditRecord>> ReadAudit(SqliteDb& db, const std::string& table_id,
                                           int64_t at_most) {
  const Scope scope = table_id.empty() ? Scope() : Scope(table_id);
  std::vector<SqlValue> values = scope.values();
  values.emplace_back(at_most);
  std::vector<AuditRecord> entries;
  RETURN_IF_ERROR(ReadRows(db, "audit",
                           "SELECT who, what, table_id, at_ms, outcome FROM audit" + scope.Of() +
                               " ORDER BY seq DESC LIMIT ?",
                           values, [&](Reader& row) { entries.push_back(ReadAuditRow(row)); }));
  return entries;
}

}  // namespace catalogd::coord
