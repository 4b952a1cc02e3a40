#include <optional>

#include "catalog/base/names.h"
#include "hms_client/embedded/transactions.h"

namespace catalogd::hms::ops {

namespace {

using LockType = api::LockType;

// One thing that a lock asks for. A level without its name covers all below.
struct Part {
  int64_t number = 0;
  std::string db;
  std::optional<std::string> table;
  std::optional<std::string> partition;
  LockType::type type = LockType::SHARED_READ;
};

std::optional<std::string> TextOf(const SqlRow& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return std::string(row.Bytes(column));
}

SqlValue OrNull(const std::optional<std::string>& text) {
  return text ? SqlValue(*text) : SqlValue();
}

std::optional<std::string> NameIf(bool given, const std::string& name) {
  if (!given || name.empty()) return std::nullopt;
  return NormalizeName(name);
}

// Whether two kinds may not be held together.
bool KindsExclude(LockType::type a, LockType::type b) {
  const auto is = [&](LockType::type type) { return a == type || b == type; };
  if (is(LockType::EXCLUSIVE)) return true;
  if (is(LockType::SHARED_READ)) return false;
  // Writers share, unless one of them wants to be the only one.
  return is(LockType::EXCL_WRITE);
}

bool Excludes(const Part& a, const Part& b) {
  if (!KindsExclude(a.type, b.type)) return false;
  // A reader of the database's own entry minds no exclusive table in it.
  const auto reads_database = [](const Part& part) {
    return !part.table && part.type == LockType::SHARED_READ;
  };
  if ((reads_database(a) && b.table) || (reads_database(b) && a.table)) return false;
  if (a.table && b.table && *a.table != *b.table) return false;
  return !(a.partition && b.partition && *a.partition != *b.partition);
}

struct Blocker {
  int64_t lock = 0;
  int64_t part = 0;
};

// Who is in the way of this part: an earlier lock, granted or waiting, of another transaction.
Result<std::optional<Blocker>> BlockerOf(Rows& rows, int64_t lock, int64_t transaction,
                                         const Part& wanted) {
  std::optional<Blocker> found;
  RETURN_IF_ERROR(rows.db().Query(
      "SELECT p.lock_id, p.part, p.table_name, p.partition_name, p.type FROM lock_parts p "
      "JOIN locks l ON l.id = p.lock_id WHERE p.db = ? AND p.lock_id < ? AND "
      "(l.transaction_id = 0 OR l.transaction_id <> ?) ORDER BY p.lock_id, p.part",
      {wanted.db, lock, transaction}, [&](const SqlRow& row) {
        if (found) return;
        const Part held{row.Int(1), wanted.db, TextOf(row, 2), TextOf(row, 3),
                        static_cast<LockType::type>(row.Int(4))};
        if (Excludes(wanted, held)) found = Blocker{row.Int(0), row.Int(1)};
      }));
  return found;
}

Result<std::vector<Part>> PartsOf(Rows& rows, int64_t lock) {
  std::vector<Part> parts;
  RETURN_IF_ERROR(rows.db().Query(
      "SELECT part, db, table_name, partition_name, type FROM lock_parts WHERE lock_id = ? "
      "ORDER BY part",
      {lock}, [&](const SqlRow& row) {
        parts.push_back({row.Int(0), std::string(row.Bytes(1)), TextOf(row, 2), TextOf(row, 3),
                         static_cast<LockType::type>(row.Int(4))});
      }));
  return parts;
}

// All parts are granted together or none is.
Result<api::LockState::type> TryIn(Writer& writer, int64_t lock, int64_t transaction) {
  ASSIGN_OR_RETURN(const std::vector<Part> parts, PartsOf(writer, lock));
  for (const Part& part : parts) {
    ASSIGN_OR_RETURN(const std::optional<Blocker> blocker,
                     BlockerOf(writer, lock, transaction, part));
    if (!blocker) continue;
    RETURN_IF_ERROR(
        writer.Change("UPDATE locks SET blocked_by = ?, blocked_by_part = ? WHERE id = ?",
                      {blocker->lock, blocker->part, lock}));
    return api::LockState::WAITING;
  }
  RETURN_IF_ERROR(
      writer.Change("UPDATE locks SET state = 'acquired', acquired = ?, blocked_by = NULL, "
                    "blocked_by_part = NULL WHERE id = ?",
                    {writer.now_millis(), lock}));
  return api::LockState::ACQUIRED;
}

struct LockRow {
  int64_t transaction = 0;
  bool acquired = false;
};

Result<std::optional<LockRow>> FindLock(Rows& rows, int64_t id) {
  std::optional<LockRow> found;
  RETURN_IF_ERROR(rows.db().Query("SELECT transaction_id, state FROM locks WHERE id = ?", {id},
                                  [&](const SqlRow& row) {
                                    found = LockRow{row.Int(0), row.Bytes(1) == "acquired"};
                                  }));
  return found;
}

// A reader that would rather fail than wait.
bool WaitsForNobody(const api::LockRequest& request) {
  if (!request.zeroWaitReadEnabled) return false;
  for (const api::LockComponent& one : request.component) {
    if (one.type != LockType::SHARED_READ) return false;
  }
  return true;
}

Status InsertLock(Writer& writer, const api::LockRequest& request) {
  RETURN_IF_ERROR(writer.Change(
      "INSERT INTO locks (transaction_id, state, user, host, agent, heartbeat) "
      "VALUES (?, 'waiting', ?, ?, ?, ?)",
      {request.txnid, request.user, request.hostname, request.agentInfo, writer.now_millis()}));
  const int64_t lock = writer.db().last_insert_id();
  int64_t number = 0;
  for (const api::LockComponent& one : request.component) {
    const std::string db = NormalizeName(one.dbname);
    const std::optional<std::string> table = NameIf(one.__isset.tablename, one.tablename);
    std::optional<std::string> partition;
    if (!one.partitionname.empty()) partition = one.partitionname;
    RETURN_IF_ERROR(writer.Change(
        "INSERT INTO lock_parts (lock_id, part, db, table_name, partition_name, type) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        {lock, ++number, db, OrNull(table), OrNull(partition), int64_t{one.type}}));
  }
  return Ok();
}

api::ShowLocksResponseElement Shown(const SqlRow& row) {
  api::ShowLocksResponseElement shown;
  shown.lockid = row.Int(0);
  shown.dbname = row.Bytes(1);
  if (!row.IsNull(2)) shown.__set_tablename(std::string(row.Bytes(2)));
  if (!row.IsNull(3)) shown.__set_partname(std::string(row.Bytes(3)));
  const bool acquired = row.Bytes(4) == "acquired";
  shown.state = acquired ? api::LockState::ACQUIRED : api::LockState::WAITING;
  shown.type = static_cast<LockType::type>(row.Int(5));
  shown.__set_txnid(row.Int(6));
  shown.lastheartbeat = row.Int(7);
  if (!row.IsNull(8)) shown.__set_acquiredat(row.Int(8));
  shown.user = row.Bytes(9);
  shown.hostname = row.Bytes(10);
  shown.__isset.heartbeatCount = false;
  shown.__set_agentInfo(std::string(row.Bytes(11)));
  if (!row.IsNull(12)) shown.__set_blockedByExtId(row.Int(12));
  if (!row.IsNull(13)) shown.__set_blockedByIntId(row.Int(13));
  shown.__set_lockIdInternal(row.Int(14));
  shown.catname = std::string(kDefaultCatalog);
  return shown;
}

}  // namespace

Result<api::LockResponse> Lock(Store& store, const api::LockRequest& request) {
  if (request.component.empty()) {
    return MakeError(ErrorCode::kConflict, "a lock needs something to lock");
  }
  return store.Write([&](Writer& writer) -> Result<api::LockResponse> {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    if (request.txnid > 0) RETURN_IF_ERROR(RequireOpenIn(writer, request.txnid));
    RETURN_IF_ERROR(InsertLock(writer, request));
    api::LockResponse answer;
    ASSIGN_OR_RETURN(answer.lockid, writer.db().QueryInt("SELECT max(id) FROM locks"));
    ASSIGN_OR_RETURN(answer.state, TryIn(writer, answer.lockid, request.txnid));
    if (answer.state == api::LockState::WAITING && WaitsForNobody(request)) {
      RETURN_IF_ERROR(writer.Change("DELETE FROM locks WHERE id = ?", {answer.lockid}));
      answer.state = api::LockState::NOT_ACQUIRED;
      answer.__set_errorMessage("Unable to acquire read lock due to an existing exclusive lock");
    }
    return answer;
  });
}

Result<api::LockResponse> CheckLock(Store& store, int64_t id) {
  return store.Write([&](Writer& writer) -> Result<api::LockResponse> {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    ASSIGN_OR_RETURN(const std::optional<LockRow> lock, FindLock(writer, id));
    if (!lock) return MakeError(ErrorCode::kNotFound, "No such lock lockid:" + std::to_string(id));
    RETURN_IF_ERROR(
        writer.Change("UPDATE locks SET heartbeat = ? WHERE id = ?", {writer.now_millis(), id}));
    if (lock->transaction > 0) {
      RETURN_IF_ERROR(RequireOpenIn(writer, lock->transaction));
      RETURN_IF_ERROR(writer.Change("UPDATE transactions SET heartbeat = ? WHERE id = ?",
                                    {writer.now_millis(), lock->transaction}));
    }
    api::LockResponse answer;
    answer.lockid = id;
    answer.state = api::LockState::ACQUIRED;
    if (lock->acquired) return answer;
    ASSIGN_OR_RETURN(answer.state, TryIn(writer, id, lock->transaction));
    return answer;
  });
}

Status Unlock(Store& store, int64_t id) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const std::optional<LockRow> lock, FindLock(writer, id));
    if (!lock) return Ok();
    if (lock->transaction > 0 && lock->acquired) {
      return MakeError(ErrorCode::kNotEmpty,
                       "Unlocking locks associated with transaction not permitted. lockid:" +
                           std::to_string(id) + " txnid:" + std::to_string(lock->transaction));
    }
    return writer.Change("DELETE FROM locks WHERE id = ?", {id});
  });
}

Result<std::vector<api::ShowLocksResponseElement>> ShowLocks(Store& store,
                                                             const api::ShowLocksRequest& request) {
  const std::optional<std::string> db = NameIf(request.__isset.dbname, request.dbname);
  const std::optional<std::string> table = NameIf(request.__isset.tablename, request.tablename);
  return store.Write([&](Writer& writer) -> Result<std::vector<api::ShowLocksResponseElement>> {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    std::vector<api::ShowLocksResponseElement> shown;
    RETURN_IF_ERROR(writer.db().Query(
        "SELECT l.id, p.db, p.table_name, p.partition_name, l.state, p.type, l.transaction_id, "
        "l.heartbeat, l.acquired, l.user, l.host, l.agent, l.blocked_by, l.blocked_by_part, p.part "
        "FROM locks l JOIN lock_parts p ON p.lock_id = l.id ORDER BY l.id, p.part",
        {}, [&](const SqlRow& row) {
          api::ShowLocksResponseElement one = Shown(row);
          const bool wanted = (!db || one.dbname == *db) && (!table || one.tablename == *table) &&
                              (request.partname.empty() || one.partname == request.partname) &&
                              (request.txnid <= 0 || one.txnid == request.txnid);
          if (wanted) shown.push_back(std::move(one));
        }));
    return shown;
  });
}

}  // namespace catalogd::hms::ops
