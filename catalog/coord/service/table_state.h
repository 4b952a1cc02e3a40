#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/names.h"
#include "catalog/coord/conflict_check.h"
#include "catalog/coord/service/coord_error.h"
#include "catalog/coord/service/table_files.h"
#include "catalog/coord/service/table_options.h"
#include "catalog/coord/store/records.h"
#include "catalog/coord/time_sequence.h"
#include "catalog/coord/timeline.h"
#include "catalog/coord/versions.h"

namespace catalogd::coord {

// Why nothing of a table may be changed now.
enum class TableHold {
  kNone,
  kRecovering,  // A commit of an earlier time, or the store's own state, is being found out.
  kNotOwner,    // Another daemon has a higher epoch.
};

// All rows of one coordinated table, as the store has them or will have them.
//
// The decisions are made on it under the table's mutex; every change of it is a StoreChange that is
// written in the same order. It is ahead of the file by what is still being written, so what is
// told to readers is what `durable` covers.
// Not for: decisions (catalog/coord), waiting, storing (managed_table.h).
// Thread safety: none; under the table's mutex.
class TableState {
 public:
  explicit TableState(TableRecord record) : record_(std::move(record)) {}
  // As the store has it. Claims and leases live again for a full lease from `ready` on.
  // Errors: kCorrupt for options that this daemon does not understand.
  static Result<TableState> FromStore(StoreContent content, TimePoint ready);

  // Does to memory what the store will do to the file.
  void Apply(const StoreChange& change);
  // Another number after each change, and never one that any state of any table had.
  [[nodiscard]] uint64_t revision() const { return revision_; }

  [[nodiscard]] const TableRecord& record() const { return record_; }
  [[nodiscard]] const std::string& id() const { return record_.row.table_id; }
  [[nodiscard]] ObjectName name() const;
  [[nodiscard]] const TableOptions& options() const { return options_; }
  void SetOptions(TableOptions options) { options_ = std::move(options); }
  [[nodiscard]] const std::map<int64_t, TxnRecord>& txns() const { return txns_; }
  [[nodiscard]] const std::map<PlanId, PlanRecord>& plans() const { return plans_; }
  [[nodiscard]] const std::map<std::string, PinRecord>& pins() const { return pins_; }
  [[nodiscard]] const std::map<IdVersion, HistoryRecord>& history() const { return history_; }
  // The newest one that the metastore is known to have; and the one on its way or failed.
  [[nodiscard]] const std::optional<PublishRecord>& published() const { return published_; }
  [[nodiscard]] const std::optional<PublishRecord>& publishing() const { return publishing_; }
  [[nodiscard]] const TableFiles& files() const { return files_; }
  // What each retained transaction did, by version; a prepared one too, as the last.
  [[nodiscard]] const std::vector<CommittedTxn>& changes() const { return changes_; }

  [[nodiscard]] const TxnRecord* FindTxn(int64_t txn_id) const;
  [[nodiscard]] const TxnRecord* FindTxnByKey(const std::string& idempotency_key) const;
  [[nodiscard]] const TxnRecord* FindTxnOfVersion(IdVersion version) const;
  [[nodiscard]] const PlanRecord* FindPlan(PlanId plan) const;
  [[nodiscard]] std::vector<PlanRow> PlanRows() const;
  [[nodiscard]] size_t PendingPlans() const;
  [[nodiscard]] size_t OpenTxns() const;

  // The next time of the table. It may be told once record() is stored when `must_store` is set,
  // and is lost without harm when nothing is stored.
  Result<Instant> TakeTime(const Clock& clock, bool* must_store);
  // What TakeTime would give now.
  [[nodiscard]] Result<Instant> PeekTime(const Clock& clock) const;

  // Readers see versions up to it: they are on disk.
  [[nodiscard]] IdVersion durable() const { return durable_; }
  void RaiseDurable(IdVersion version) { durable_ = std::max(durable_, version); }

  [[nodiscard]] TableHold hold() const { return hold_; }
  void SetHold(TableHold hold, std::string reason);
  [[nodiscard]] const std::string& hold_reason() const { return hold_reason_; }
  // TABLE_GONE, TABLE_CORRUPT, NOT_OWNER, TABLE_RECOVERING.
  [[nodiscard]] CoordStatus MayChange() const;

  // The actions of the table as a timeline, as of a version: what committed later is pending.
  [[nodiscard]] Timeline MakeTimeline(IdVersion at) const;
  [[nodiscard]] std::vector<TxnVersion> Versions(IdVersion up_to) const;
  // Versions up to it are forgotten but for their times.
  [[nodiscard]] IdVersion floor() const;
  [[nodiscard]] Instant floor_completed() const;
  // Empty for a version that is not known.
  [[nodiscard]] Instant CompletedAt(IdVersion version) const;

 private:
  void Put(const TxnRecord& txn);
  void Put(const FileRecord& file);
  void Put(const PublishRecord& publication);
  void Drop(const DropPublish& drop);
  void Remove(const RemoveFile& file);
  void Undo(const UndoFiles& undo);
  void Forget(const ForgetTxn& forget);
  [[nodiscard]] IdVersion VersionOf(int64_t txn_id) const;
  // nullptr when it is not retained.
  CommittedTxn* ChangeOf(IdVersion version);
  CommittedTxn& MakeChange(IdVersion version, OpClass op);

  TableRecord record_;
  uint64_t revision_ = 0;
  TableOptions options_;
  TimeState times_;
  int64_t stored_high_water_ = 0;  // Or on its way to the store.
  IdVersion durable_;
  std::map<int64_t, TxnRecord> txns_;
  std::map<std::string, int64_t, std::less<>> txn_keys_;
  std::map<IdVersion, int64_t> txn_versions_;  // Prepared and committed ones that are retained.
  std::map<PlanId, PlanRecord> plans_;
  std::map<std::string, PinRecord> pins_;
  std::map<IdVersion, HistoryRecord> history_;
  std::map<int64_t, IdVersion> history_txns_;
  std::optional<PublishRecord> published_;
  std::optional<PublishRecord> publishing_;
  TableFiles files_;
  std::vector<CommittedTxn> changes_;  // By id.
  TableHold hold_ = TableHold::kNone;
  std::string hold_reason_;
};

// Milliseconds in the calendar of a table, which is UTC's.
int64_t CalendarMillis(const Clock& clock);
int64_t CalendarMillisOfWall(int64_t wall_ms);

}  // namespace catalogd::coord
