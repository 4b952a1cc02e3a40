#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/mutex.h"
#include "hms_client/call.h"
#include "hms_client/channel_pool.h"
#include "hms_client/metastore.h"

namespace catalogd::hms {

// The daemon's own calls to a real (or the embedded) metastore of any generation, over a pool.
//
// Requests are written and answers read as raw Thrift. All calls but Forward only read, so an
// answer that got lost is asked for once more; Forward never repeats what may have arrived.
// A current id below one that was seen before is not believed until a fresh connection says the
// same: the one that said it may be stuck in an old transaction (hms_client/left_behind.h).
// Thread safety: yes. Locks: kLeaf around the remembered facts, never held while calling.
// Errors: as hms_client/metastore.h says; the text names method, object and the server's exception.
// Source of protocol facts: IDL of Hive 2.3 to 4.2 and measurements on 2.3.10, 3.1.3, 4.2.0.
class MetastoreClient final : public Metastore {
 public:
  explicit MetastoreClient(ChannelPool* pool) : pool_(pool) {}

  Result<EventId> CurrentEventId(TimePoint deadline) override;
  Result<std::vector<NotificationEvent>> NextEvents(EventId after, int max,
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
  // Asks the server anew; the other calls use what the last call of this found.
  Result<ServerFacts> Facts(TimePoint deadline) override;
  Result<std::string> Forward(std::string_view message, const Identity& identity,
                              TimePoint deadline) override;

  // Partitions asked for in one call; larger sets come in several.
  static constexpr size_t kPartitionBatch = 1000;

 private:
  Result<Answer> Ask(const Method& method, const Args& args, TimePoint deadline);
  Result<ServerFacts> KnownFacts(TimePoint deadline);
  Result<Generation> ProbeGeneration(const std::string& version, bool has_uuid, TimePoint deadline);
  Result<bool> Knows(const Method& method, const Args& args, TimePoint deadline);
  // The database argument of old-style calls. kNotFound when the server has no catalogs.
  Result<std::string> DatabaseArgumentFor(const std::string& catalog, const std::string& db,
                                          TimePoint deadline);
  Result<std::string> ReadTableOldStyle(const ObjectName& table, TimePoint deadline);
  Result<std::string> ReadTableByRequest(const ObjectName& table, bool insert_only,
                                         TimePoint deadline);
  Result<std::vector<std::string>> PartitionNames(const ObjectName& table, TimePoint deadline);
  Status AppendPartitions(const ObjectName& table, const std::vector<std::string>& names,
                          TimePoint deadline, std::vector<std::string>* out);
  // The error of a refused notification call; tells a missing right from a broken server.
  Error NotificationError(const Answer& answer, TimePoint deadline);

  Result<Answer> AskFresh(const Method& method, TimePoint deadline);
  Result<EventId> DecodeCurrentId(const Answer& answer, TimePoint deadline);
  void NoteSeen(EventId id);

  ChannelPool* const pool_;
  // Of the log, in any answer; sinks only when a fresh connection says so.
  std::atomic<int64_t> newest_seen_{0};
  std::atomic<int32_t> sequence_id_{1};
  Mutex mutex_{LockRank::kLeaf};
  std::optional<ServerFacts> facts_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::hms
