#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "catalog/sqlite/sqlite_db.h"

namespace catalogd::thrift::hms {
class NotificationEvent;
class NotificationEventRequest;
class NotificationEventsCountRequest;
}  // namespace catalogd::thrift::hms

// The log table: written in the transaction of the change it tells of, so ids are dense and appear
// in order, and a change without its event (or the other way round) does not exist.
namespace catalogd::hms {

struct NewEvent {
  std::string_view type;
  std::string_view db;     // Empty: none.
  std::string_view table;  // Empty: none.
  std::string_view message;
  std::string_view catalog = kDefaultCatalog;  // Empty: none, as of transactions.
};

// REQUIRES: a write transaction is open on `db`. Returns the id given.
Result<int64_t> AppendEvent(SqliteDb& db, int32_t now, const NewEvent& event);

// 0 before the first event.
Result<int64_t> CurrentEventId(SqliteDb& db);

// With all filters of Hive 4. At most kMaxEventsPerAnswer, whatever was asked for.
inline constexpr int64_t kMaxEventsPerAnswer = 1000000;
Result<std::vector<thrift::hms::NotificationEvent>> ReadEvents(
    SqliteDb& db, const thrift::hms::NotificationEventRequest& request);

// As Hive 4 counts: rows of other databases are left out, rows without a database are not.
Result<int64_t> CountEvents(SqliteDb& db,
                            const thrift::hms::NotificationEventsCountRequest& request);

}  // namespace catalogd::hms
