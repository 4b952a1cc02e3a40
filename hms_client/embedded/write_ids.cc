#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "catalog/base/names.h"
#include "hms_client/embedded/service_messages.h"
#include "hms_client/embedded/transactions.h"

namespace catalogd::hms::ops {

namespace {

// "highest:lowest open:open,...:aborted,..." as clients keep a list of valid transactions.
struct Snapshot {
  int64_t highest = 0;
  std::set<int64_t> open;
  std::set<int64_t> aborted;
};

Result<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && parsed == end) return number;
  return MakeError(ErrorCode::kConflict,
                   "list of valid transactions: '" + std::string(text) + "' is not a number");
}

Result<std::set<int64_t>> Numbers(std::string_view text) {
  std::set<int64_t> numbers;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    ASSIGN_OR_RETURN(const int64_t number, Number(text.substr(0, comma)));
    numbers.insert(number);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return numbers;
}

Result<Snapshot> ParseSnapshot(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  Snapshot snapshot;
  ASSIGN_OR_RETURN(snapshot.highest, Number(parts[0]));
  if (parts.size() > 2) {
    ASSIGN_OR_RETURN(snapshot.open, Numbers(parts[2]));
  }
  if (parts.size() > 3) {
    ASSIGN_OR_RETURN(snapshot.aborted, Numbers(parts[3]));
  }
  return snapshot;
}

Result<Snapshot> SnapshotNow(Rows& rows) {
  Snapshot snapshot;
  snapshot.highest = std::numeric_limits<int64_t>::max();
  RETURN_IF_ERROR(rows.db().Query(
      "SELECT id, state FROM transactions WHERE state <> 'committed'", {}, [&](const SqlRow& row) {
        (row.Bytes(1) == "open" ? snapshot.open : snapshot.aborted).insert(row.Int(0));
      }));
  return snapshot;
}

// "db.table", also with a catalog in front.
std::pair<std::string, std::string> SplitName(const std::string& full) {
  const size_t last = full.rfind('.');
  if (last == std::string::npos) return {"", NormalizeName(full)};
  const std::string db = full.substr(0, last);
  return {NormalizeName(db.substr(db.rfind('.') + 1)), NormalizeName(full.substr(last + 1))};
}

Result<api::TableValidWriteIds> ValidOf(Rows& rows, const std::string& full,
                                        const Snapshot& snapshot) {
  const auto [db, table] = SplitName(full);
  api::TableValidWriteIds answer;
  answer.fullTableName = full;
  std::vector<bool> aborted;
  RETURN_IF_ERROR(rows.db().Query(
      "SELECT write_id, transaction_id FROM write_ids WHERE db = ? AND table_name = ? "
      "ORDER BY write_id",
      {db, table}, [&](const SqlRow& row) {
        if (row.Int(1) > snapshot.highest) return;
        answer.writeIdHighWaterMark = row.Int(0);
        const bool open = snapshot.open.contains(row.Int(1));
        if (!open && !snapshot.aborted.contains(row.Int(1))) return;
        answer.invalidWriteIds.push_back(row.Int(0));
        aborted.push_back(!open);
        if (open && !answer.__isset.minOpenWriteId) answer.__set_minOpenWriteId(row.Int(0));
      }));
  answer.abortedBits = BitSetBytes(aborted);
  return answer;
}

}  // namespace

Result<std::vector<api::TxnToWriteId>> AllocateWriteIds(
    Store& store, const api::AllocateTableWriteIdsRequest& request) {
  const std::string db = NormalizeName(request.dbName);
  const std::string table = NormalizeName(request.tableName);
  return store.Write([&](Writer& writer) -> Result<std::vector<api::TxnToWriteId>> {
    RETURN_IF_ERROR(ExpireIn(writer, store));
    ASSIGN_OR_RETURN(int64_t last,
                     writer.db().QueryInt("SELECT max(write_id) FROM write_ids WHERE db = ? AND "
                                          "table_name = ?",
                                          {db, table}));
    std::vector<api::TxnToWriteId> all;
    Ids new_transactions;
    Ids new_ids;
    for (const int64_t id : std::set<int64_t>(request.txnIds.begin(), request.txnIds.end())) {
      RETURN_IF_ERROR(RequireOpenIn(writer, id));
      api::TxnToWriteId one;
      one.txnId = id;
      ASSIGN_OR_RETURN(one.writeId,
                       writer.db().QueryInt("SELECT write_id FROM write_ids WHERE db = ? AND "
                                            "table_name = ? AND transaction_id = ?",
                                            {db, table, id}));
      if (one.writeId == 0) {
        one.writeId = ++last;
        RETURN_IF_ERROR(writer.Change(
            "INSERT INTO write_ids (db, table_name, write_id, transaction_id) VALUES (?, ?, ?, ?)",
            {db, table, one.writeId, id}));
        new_transactions.push_back(id);
        new_ids.push_back(one.writeId);
      }
      all.push_back(one);
    }
    if (new_ids.empty()) return all;
    RETURN_IF_ERROR(
        writer.Log({event_type::kAllocWriteId, db, table,
                    AllocWriteIdMessage(db, table, new_transactions, new_ids, writer.now())}));
    return all;
  });
}

Result<int64_t> MaxWriteId(Store& store, const std::string& db, const std::string& table) {
  const std::string lower_db = NormalizeName(db);
  const std::string lower_table = NormalizeName(table);
  return store.Read([&](Rows& rows) {
    return rows.db().QueryInt("SELECT max(write_id) FROM write_ids WHERE db = ? AND table_name = ?",
                              {lower_db, lower_table});
  });
}

Result<std::vector<api::TableValidWriteIds>> ValidWriteIds(
    Store& store, const api::GetValidWriteIdsRequest& request) {
  return store.Read([&](Rows& rows) -> Result<std::vector<api::TableValidWriteIds>> {
    const bool given = request.__isset.validTxnList && !request.validTxnList.empty();
    ASSIGN_OR_RETURN(const Snapshot snapshot,
                     given ? ParseSnapshot(request.validTxnList) : SnapshotNow(rows));
    std::vector<api::TableValidWriteIds> answers;
    for (const std::string& name : request.fullTableNames) {
      ASSIGN_OR_RETURN(api::TableValidWriteIds one, ValidOf(rows, name, snapshot));
      answers.push_back(std::move(one));
    }
    return answers;
  });
}

}  // namespace catalogd::hms::ops
