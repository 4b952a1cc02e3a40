#include "hms_client/embedded/transactions.h"

#include <algorithm>
#include <set>

#include "hms_client/embedded/service_messages.h"

namespace catalogd::hms::ops {

namespace {

// As many are opened by one call, however many are asked for.
constexpr int32_t kMaxOpenedAtOnce = 1000;
// A range of heartbeats answers with every id in it.
constexpr int64_t kMaxHeartbeatRange = 100'000;
// What is committed or aborted and wrote nothing is remembered for so long, to tell late callers.
constexpr int64_t kRememberedMillis = 86'400'000;

Error NoSuchTransaction(int64_t id) {
  return {ErrorCode::kInvalidArgument, "No such transaction txnid:" + std::to_string(id)};
}

Error Aborted(int64_t id) {
  return {ErrorCode::kInvalidState, "Transaction txnid:" + std::to_string(id) + " already aborted"};
}

// Empty: there is none.
Result<std::string> StateOf(Rows& rows, int64_t id) {
  std::string state;
  RETURN_IF_ERROR(rows.db().Query("SELECT state FROM transactions WHERE id = ?", {id},
                                  [&](const SqlRow& row) { state = row.Bytes(0); }));
  return state;
}

// What a transaction wrote: tables of its write ids, one entry for each.
struct Written {
  Ids write_ids;
  std::vector<std::string> databases;
};

Result<Written> WrittenBy(Rows& rows, int64_t id) {
  Written written;
  RETURN_IF_ERROR(rows.db().Query(
      "SELECT db, write_id FROM write_ids WHERE transaction_id = ? ORDER BY db, table_name", {id},
      [&](const SqlRow& row) {
        written.databases.emplace_back(row.Bytes(0));
        written.write_ids.push_back(row.Int(1));
      }));
  return written;
}

// Read-only transactions write no events.
Result<bool> IsLogged(Rows& rows, int64_t id) {
  ASSIGN_OR_RETURN(const int64_t type,
                   rows.db().QueryInt("SELECT type FROM transactions WHERE id = ?", {id}));
  return type != api::TxnType::READ_ONLY;
}

Status EndIn(Writer& writer, int64_t id, bool committed) {
  RETURN_IF_ERROR(writer.Change("DELETE FROM locks WHERE transaction_id = ?", {id}));
  RETURN_IF_ERROR(writer.Change(
      "UPDATE transactions SET state = ?, heartbeat = ? WHERE id = ?",
      {std::string_view(committed ? "committed" : "aborted"), writer.now_millis(), id}));
  ASSIGN_OR_RETURN(const bool logged, IsLogged(writer, id));
  if (!logged) return Ok();
  ASSIGN_OR_RETURN(const Written written, WrittenBy(writer, id));
  const std::string message =
      committed ? CommitTxnMessage(id, written.write_ids, written.databases, writer.now())
                : AbortTxnMessage(id, written.write_ids, written.databases, writer.now());
  return writer.Log(
      {committed ? event_type::kCommitTxn : event_type::kAbortTxn, {}, {}, message, {}});
}

}  // namespace

std::string BitSetBytes(const std::vector<bool>& bits) {
  std::string bytes;
  for (size_t i = 0; i < bits.size(); ++i) {
    if (!bits[i]) continue;
    bytes.resize(std::max(bytes.size(), i / 8 + 1), '\0');
    bytes[i / 8] = static_cast<char>(static_cast<unsigned char>(bytes[i / 8]) | (1U << (i % 8)));
  }
  return bytes;
}

Status ExpireIn(Writer& writer, Store& store) {
  const int64_t oldest = writer.now_millis() - store.lock_timeout().count();
  // Whoever lives has all of that time to say so once there is somebody to hear it. What was heard
  // before the clock was set back counts from now.
  if (store.attendance().since_millis() > oldest) {
    const int64_t now = writer.now_millis();
    RETURN_IF_ERROR(
        writer.Change("UPDATE locks SET heartbeat = ? WHERE heartbeat > ?", {now, now}));
    return writer.Change(
        "UPDATE transactions SET heartbeat = ? WHERE state = 'open' AND heartbeat > ?", {now, now});
  }
  RETURN_IF_ERROR(
      writer.Change("DELETE FROM locks WHERE transaction_id = 0 AND heartbeat < ?", {oldest}));
  Ids late;
  RETURN_IF_ERROR(writer.db().Query(
      "SELECT id FROM transactions WHERE state = 'open' AND heartbeat < ? ORDER BY id", {oldest},
      [&](const SqlRow& row) { late.push_back(row.Int(0)); }));
  for (const int64_t id : late) RETURN_IF_ERROR(EndIn(writer, id, false));
  return Ok();
}

Status RequireOpenIn(Rows& rows, int64_t id) {
  ASSIGN_OR_RETURN(const std::string state, StateOf(rows, id));
  if (state == "open") return Ok();
  return AsError(state == "aborted" ? Aborted(id) : NoSuchTransaction(id));
}

Result<Ids> OpenTransactions(Store& store, const api::OpenTxnRequest& request) {
  if (request.num_txns <= 0) {
    return MakeError(ErrorCode::kConflict,
                     "Invalid input for number of txns: " + std::to_string(request.num_txns));
  }
  return store.Write([&](Writer& writer) -> Result<Ids> {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    RETURN_IF_ERROR(
        writer.Change("DELETE FROM transactions WHERE state <> 'open' AND heartbeat < ? "
                      "AND id NOT IN (SELECT transaction_id FROM write_ids)",
                      {writer.now_millis() - kRememberedMillis}));
    Ids ids;
    for (int32_t i = 0; i < std::min(request.num_txns, kMaxOpenedAtOnce); ++i) {
      RETURN_IF_ERROR(writer.Change(
          "INSERT INTO transactions (state, type, user, host, agent, started, heartbeat) "
          "VALUES ('open', ?, ?, ?, ?, ?, ?)",
          {int64_t{request.txn_type}, request.user, request.hostname, request.agentInfo,
           writer.now_millis(), writer.now_millis()}));
      ids.push_back(writer.db().last_insert_id());
    }
    if (request.txn_type == api::TxnType::READ_ONLY) return ids;
    RETURN_IF_ERROR(writer.Log(
        {event_type::kOpenTxn, {}, {}, OpenTxnMessage(ids.front(), ids.back(), writer.now()), {}}));
    return ids;
  });
}

Status CommitTransaction(Store& store, int64_t id) {
  return store.Write([&](Writer& writer) -> Status {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    ASSIGN_OR_RETURN(const std::string state, StateOf(writer, id));
    if (state == "committed") return Ok();
    RETURN_IF_ERROR(RequireOpenIn(writer, id));
    return EndIn(writer, id, true);
  });
}

Status AbortTransaction(Store& store, int64_t id) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const std::string state, StateOf(writer, id));
    if (state == "aborted") return Ok();
    if (state == "committed") {
      return MakeError(ErrorCode::kInvalidArgument,
                       "Transaction txnid:" + std::to_string(id) + " is already committed.");
    }
    if (state.empty()) return AsError(NoSuchTransaction(id));
    return EndIn(writer, id, false);
  });
}

Status AbortTransactions(Store& store, const Ids& ids) {
  return store.Write([&](Writer& writer) -> Status {
    for (const int64_t id : std::set<int64_t>(ids.begin(), ids.end())) {
      const Result<std::string> state = StateOf(writer, id);
      if (!state) return AsError(state.error());
      if (*state == "open") RETURN_IF_ERROR(EndIn(writer, id, false));
    }
    return Ok();
  });
}

Result<api::GetOpenTxnsInfoResponse> ListTransactions(
    Store& store, const std::vector<api::TxnType::type>& excluded) {
  return store.Read([&](Rows& rows) -> Result<api::GetOpenTxnsInfoResponse> {
    api::GetOpenTxnsInfoResponse answer;
    // Also of those that are forgotten.
    ASSIGN_OR_RETURN(answer.txn_high_water_mark,
                     rows.db().QueryInt("SELECT seq FROM sqlite_sequence WHERE name = "
                                        "'transactions'"));
    RETURN_IF_ERROR(rows.db().Query(
        "SELECT id, state, type, user, host, agent, started, heartbeat FROM transactions "
        "WHERE state <> 'committed' ORDER BY id",
        {}, [&](const SqlRow& row) {
          const auto type = static_cast<api::TxnType::type>(row.Int(2));
          if (std::find(excluded.begin(), excluded.end(), type) != excluded.end()) return;
          api::TxnInfo info;
          info.id = row.Int(0);
          info.state = row.Bytes(1) == "open" ? api::TxnState::OPEN : api::TxnState::ABORTED;
          info.user = row.Bytes(3);
          info.hostname = row.Bytes(4);
          info.__set_agentInfo(std::string(row.Bytes(5)));
          info.__isset.heartbeatCount = false;
          info.__set_startedTime(row.Int(6));
          info.__set_lastHeartbeatTime(row.Int(7));
          answer.open_txns.push_back(std::move(info));
        }));
    return answer;
  });
}

Result<api::HeartbeatTxnRangeResponse> HeartbeatRange(Store& store, int64_t min, int64_t max) {
  if (max - min > kMaxHeartbeatRange) {
    return MakeError(ErrorCode::kConflict, "heartbeats of more than " +
                                               std::to_string(kMaxHeartbeatRange) +
                                               " transactions in one call");
  }
  return store.Write([&](Writer& writer) -> Result<api::HeartbeatTxnRangeResponse> {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    api::HeartbeatTxnRangeResponse answer;
    for (int64_t id = min; id <= max; ++id) {
      ASSIGN_OR_RETURN(const std::string state, StateOf(writer, id));
      if (state == "aborted") {
        answer.aborted.insert(id);
      } else if (state != "open") {
        answer.nosuch.insert(id);
      }
    }
    RETURN_IF_ERROR(writer.Change(
        "UPDATE transactions SET heartbeat = ? WHERE state = 'open' AND id BETWEEN ? AND ?",
        {writer.now_millis(), min, max}));
    return answer;
  });
}

Status Heartbeat(Store& store, int64_t lock, int64_t transaction) {
  return store.Write([&](Writer& writer) -> Status {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    if (lock > 0) {
      auto beaten = writer.db().Run("UPDATE locks SET heartbeat = ? WHERE id = ?",
                                    {writer.now_millis(), lock});
      if (!beaten) return AsError(std::move(beaten).error());
      if (*beaten == 0) {
        return MakeError(ErrorCode::kNotFound, "No such lock: lockid:" + std::to_string(lock));
      }
    }
    if (transaction <= 0) return Ok();
    ASSIGN_OR_RETURN(const std::string state, StateOf(writer, transaction));
    if (state == "committed") {
      return MakeError(ErrorCode::kInvalidArgument, "No such txn: " + std::to_string(transaction));
    }
    RETURN_IF_ERROR(RequireOpenIn(writer, transaction));
    return writer.Change("UPDATE transactions SET heartbeat = ? WHERE id = ?",
                         {writer.now_millis(), transaction});
  });
}

Status CheckTransactionOpen(Store& store, int64_t id) {
  return store.Read([&](Rows& rows) { return RequireOpenIn(rows, id); });
}

}  // namespace catalogd::hms::ops
