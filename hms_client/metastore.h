#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "hms_client/channel.h"

namespace catalogd::hms {

// One row of the notification log as get_next_notification serves it; absent = not on the wire.
struct NotificationEvent {
  EventId id;
  int32_t time = 0;  // Seconds since 1970.
  std::string type;
  std::optional<std::string> catalog;
  std::optional<std::string> db;
  std::optional<std::string> table;
  std::string message;
  std::optional<std::string> format;
  friend bool operator==(const NotificationEvent&, const NotificationEvent&) = default;
};

// Generation of a server, as far as behaviour depends on it. Told by which methods it knows and by
// getVersion (which says "3.0" in 2.3 and 3.1).
enum class Generation { kUnknown, kHive2, kHive3, kHive4 };
std::string_view GenerationName(Generation generation);

struct ServerFacts {
  Generation generation = Generation::kUnknown;
  std::string version;              // getVersion, as answered.
  std::optional<std::string> uuid;  // get_metastore_db_uuid; absent before Hive 3.
  // Hive 4.0.1 dropped get_table and get_table_objects_by_name.
  bool has_get_table = false;
};

// What the daemon itself asks a metastore: the seam between the sync core and the outside. Objects
// come as the raw struct bytes of the answer (fields and stop byte), never decoded.
//
// Not a general client: clients' own calls go through Forward untouched.
// Thread safety: yes. Every call blocks: AssertNoMutexHeld.
// Errors: those of Channel, plus
//   kNotFound           NoSuchObjectException / UnknownDBException / UnknownTableException;
//   kPermission         the server refuses the notification log or a config value;
//   kUnsupported        the server does not know the method;
//   kInternal           any other exception of the server, with its text.
class Metastore {
 public:
  virtual ~Metastore() = default;

  virtual Result<EventId> CurrentEventId(TimePoint deadline) = 0;
  // Events with id > after, in the server's order; `max` <= 0 means everything.
  virtual Result<std::vector<NotificationEvent>> NextEvents(EventId after, int max,
                                                            TimePoint deadline) = 0;

  virtual Result<std::vector<std::string>> ListCatalogs(TimePoint deadline) = 0;
  virtual Result<std::vector<std::string>> ListDatabases(const std::string& catalog,
                                                         TimePoint deadline) = 0;
  virtual Result<std::vector<std::string>> ListTables(const ObjectName& db, TimePoint deadline) = 0;
  // A Database or Table struct. kNotFound when there is none.
  virtual Result<std::string> ReadDatabase(const ObjectName& db, TimePoint deadline) = 0;
  virtual Result<std::string> ReadTable(const ObjectName& table, TimePoint deadline) = 0;
  // Partition structs of the whole table, in the server's order. May take several calls.
  virtual Result<std::vector<std::string>> ReadPartitions(const ObjectName& table,
                                                          TimePoint deadline) = 0;
  virtual Result<std::vector<std::string>> ReadPartitionsByNames(
      const ObjectName& table, const std::vector<std::string>& names, TimePoint deadline) = 0;

  virtual Result<std::string> ConfigValue(const std::string& key, const std::string& default_value,
                                          TimePoint deadline) = 0;
  virtual Result<ServerFacts> Facts(TimePoint deadline) = 0;

  // A client's own message, byte for byte, on a connection of that identity; the answer as it came.
  virtual Result<std::string> Forward(std::string_view message, const Identity& identity,
                                      TimePoint deadline) = 0;
};

}  // namespace catalogd::hms
