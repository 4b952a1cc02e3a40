#pragma once

#include <string>
#include <vector>

#include "catalog/base/mutex.h"
#include "hms_client/metastore.h"

namespace catalogd::bench {

// A metastore in memory whose log is a mix of what happens to hot tables: ALTER_TABLE, partitions
// added, altered and dropped, INSERT, transactions; images of 20 columns, as Hive 4 writes them.
// Rows are copies of messages made once, as a client library would hand them out.
//
// Objects cannot be read: the log itself creates everything, so nothing has to be.
// Thread safety: yes.
class HotLog final : public hms::Metastore {
 public:
  struct Options {
    int tables = 64;
    bool gzip = false;
  };
  explicit HotLog(const Options& options);

  // The first events: all tables come into being. REQUIRES: the log is empty.
  void CreateTables();
  // The next `count` events happen.
  void Grow(int64_t count);
  // Appends one ALTER_TABLE of a table of its own, which the mix leaves alone.
  EventId AppendAlterOfDdlTable();
  [[nodiscard]] ObjectName ddl_table() const;
  [[nodiscard]] EventId current() const;
  [[nodiscard]] double mean_message_bytes() const;

  Result<EventId> CurrentEventId(TimePoint deadline) override;
  Result<std::vector<hms::NotificationEvent>> NextEvents(EventId after, int max,
                                                         TimePoint deadline) override;
  Result<std::vector<std::string>> ListCatalogs(TimePoint deadline) override;
  Result<std::vector<std::string>> ListDatabases(const std::string& catalog,
                                                 TimePoint deadline) override;
  Result<std::vector<std::string>> ListTables(const ObjectName& db, TimePoint deadline) override;
  Result<std::string> ReadDatabase(const ObjectName& db, TimePoint deadline) override;
  Result<std::string> ReadTable(const ObjectName& table, TimePoint deadline) override;
  Result<std::vector<std::string>> ReadPartitions(const ObjectName& table,
                                                  TimePoint deadline) override;
  Result<std::vector<std::string>> ReadPartitionsByNames(const ObjectName& table,
                                                         const std::vector<std::string>& names,
                                                         TimePoint deadline) override;
  Result<std::string> ConfigValue(const std::string& key, const std::string& default_value,
                                  TimePoint deadline) override;
  Result<hms::ServerFacts> Facts(TimePoint deadline) override;
  // Any message alters the table that is kept for DDLs.
  Result<std::string> Forward(std::string_view message, const hms::Identity& identity,
                              TimePoint deadline) override;

 private:
  void AddTemplate(const std::string& type, int table, const std::string& fields);
  void MakeTemplates(int table);

  const Options options_;
  std::vector<hms::NotificationEvent> templates_;
  size_t cycle_begin_ = 0;
  size_t cycle_end_ = 0;
  mutable Mutex mutex_{LockRank::kLeaf};
  std::vector<uint32_t> rows_ GUARDED_BY(mutex_);  // Template of the event with that index + 1.
  size_t next_in_cycle_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::bench
