#include "hms_client/embedded/notification_log.h"

#include <algorithm>

#include "catalog/base/names.h"
#include "hms_client/embedded/event_messages.h"
#include "hms_idl/hive_metastore_types.h"

namespace catalogd::hms {

namespace api = thrift::hms;

namespace {

// Conditions of one query and the values they are bound to. Values are kept by the caller.
class Conditions {
 public:
  void Add(const std::string& condition) { sql_ += " AND " + condition; }
  void Add(const std::string& condition, SqlValue value) {
    Add(condition);
    values_.push_back(value);
  }
  void AddList(const std::string& column, bool wanted, const std::vector<std::string>& items) {
    std::string marks;
    for (const std::string& item : items) {
      marks += marks.empty() ? "?" : ",?";
      values_.emplace_back(std::string_view(item));
    }
    Add(column + (wanted ? " IN (" : " NOT IN (") + marks + ")");
  }
  void Bind(SqlValue value) { values_.push_back(value); }
  [[nodiscard]] const std::string& sql() const { return sql_; }
  [[nodiscard]] const std::vector<SqlValue>& values() const { return values_; }

 private:
  std::string sql_;
  std::vector<SqlValue> values_;
};

std::vector<std::string> Lowered(std::vector<std::string> names) {
  for (std::string& name : names) name = NormalizeName(name);
  return names;
}

api::NotificationEvent ReadRow(const SqlRow& row) {
  api::NotificationEvent event;
  event.__set_eventId(row.Int(0));
  event.__set_eventTime(static_cast<int32_t>(row.Int(1)));
  event.__set_eventType(std::string(row.Bytes(2)));
  if (!row.IsNull(3)) event.__set_catName(std::string(row.Bytes(3)));
  if (!row.IsNull(4)) event.__set_dbName(std::string(row.Bytes(4)));
  if (!row.IsNull(5)) event.__set_tableName(std::string(row.Bytes(5)));
  event.__set_message(std::string(row.Bytes(6)));
  event.__set_messageFormat(std::string(row.Bytes(7)));
  return event;
}

SqlValue TextOrNull(std::string_view text) { return text.empty() ? SqlValue() : SqlValue(text); }

}  // namespace

Result<int64_t> AppendEvent(SqliteDb& db, int32_t now, const NewEvent& event) {
  ASSIGN_OR_RETURN(const int64_t id,
                   db.QueryInt("UPDATE sequence SET next_event_id = next_event_id + 1 "
                               "RETURNING next_event_id - 1"));
  auto inserted = db.Run(
      "INSERT INTO notification_log (event_id, event_time, event_type, cat_name, db_name, "
      "table_name, message, message_format) VALUES (?,?,?,?,?,?,?,?)",
      {id, int64_t{now}, event.type, TextOrNull(event.catalog), TextOrNull(event.db),
       TextOrNull(event.table), event.message, kMessageFormat});
  if (!inserted) return AsError(std::move(inserted).error());
  return id;
}

Result<int64_t> CurrentEventId(SqliteDb& db) {
  return db.QueryInt("SELECT next_event_id - 1 FROM sequence");
}

Result<std::vector<api::NotificationEvent>> ReadEvents(
    SqliteDb& db, const api::NotificationEventRequest& request) {
  const std::string catalog = NormalizeName(request.catName);
  const std::string database = NormalizeName(request.dbName);
  const std::vector<std::string> tables = Lowered(request.tableNames);
  Conditions where;
  where.Bind(request.lastEvent);
  if (!request.eventTypeSkipList.empty()) {
    where.AddList("event_type", false, request.eventTypeSkipList);
  }
  if (!request.eventTypeList.empty()) where.AddList("event_type", true, request.eventTypeList);
  if (!catalog.empty()) where.Add("cat_name = ?", std::string_view(catalog));
  if (!database.empty()) where.Add("db_name = ?", std::string_view(database));
  if (!tables.empty()) where.AddList("table_name", true, tables);
  const bool limited = request.__isset.maxEvents && request.maxEvents > 0;
  where.Bind(limited ? std::min(int64_t{request.maxEvents}, kMaxEventsPerAnswer)
                     : kMaxEventsPerAnswer);
  std::vector<api::NotificationEvent> events;
  RETURN_IF_ERROR(
      db.Query("SELECT event_id, event_time, event_type, cat_name, db_name, table_name, message, "
               "message_format FROM notification_log WHERE event_id > ?" +
                   where.sql() + " ORDER BY event_id LIMIT ?",
               where.values(), [&](const SqlRow& row) { events.push_back(ReadRow(row)); }));
  return events;
}

Result<int64_t> CountEvents(SqliteDb& db, const api::NotificationEventsCountRequest& request) {
  const std::string catalog =
      request.catName.empty() ? std::string(kDefaultCatalog) : NormalizeName(request.catName);
  const std::string database = NormalizeName(request.dbName);
  const std::vector<std::string> tables = Lowered(request.tableNames);
  Conditions where;
  where.Bind(request.fromEventId);
  where.Add("(cat_name = ? OR cat_name IS NULL)", std::string_view(catalog));
  if (database != "*") where.Add("(db_name = ? OR db_name IS NULL)", std::string_view(database));
  if (request.toEventId > 0) where.Add("event_id <= ?", request.toEventId);
  if (!tables.empty()) where.AddList("table_name", true, tables);
  ASSIGN_OR_RETURN(
      const int64_t count,
      db.QueryInt("SELECT count(*) FROM notification_log WHERE event_id > ?" + where.sql(),
                  where.values()));
  return request.limit > 0 ? std::min(count, request.limit) : count;
}

}  // namespace catalogd::hms
