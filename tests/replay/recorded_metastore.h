#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hms_client/metastore.h"
#include "tests/replay/recording.h"

namespace catalogd::replay {

// A metastore that lives through a recording again: its log ends at the current step, and objects
// are as they were after that step. Time moves with Advance only.
//
// Objects of other catalogs are listed (the log names them) but cannot be read: recordings do not
// hold them.
// Thread safety: none. Errors: as hms::Metastore; kUnsupported for Forward.
class RecordedMetastore final : public hms::Metastore {
 public:
  explicit RecordedMetastore(const Recording* recording);

  // The next step has happened. False when there is none; the rest of the log is visible then.
  bool Advance();
  [[nodiscard]] size_t steps() const { return steps_; }  // That have happened.
  [[nodiscard]] EventId now() const { return now_; }
  // What a read would answer; absent when there is no such object.
  [[nodiscard]] std::optional<std::string> Truth(const ObjectKey& key) const;
  // A drop that the log tells left half of the object behind (a defect of Hive 3.1): a table or
  // partition without a storage descriptor, or the database of such a table.
  [[nodiscard]] bool IsHalfDropped(const ObjectKey& key) const;
  // Names of the partitions, sorted.
  [[nodiscard]] std::vector<std::string> PartitionNames(const ObjectName& table) const;
  // Every database and table, of all catalogs.
  [[nodiscard]] std::vector<ObjectName> AllNames() const;

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
  Result<std::string> Forward(std::string_view message, const hms::Identity& identity,
                              TimePoint deadline) override;

 private:
  void PutDefaultDatabase();
  [[nodiscard]] Result<std::string> Read(const ObjectKey& key) const;

  const Recording* const recording_;
  size_t steps_ = 0;
  EventId now_;
  std::map<ObjectKey, std::string> objects_;
};

}  // namespace catalogd::replay
