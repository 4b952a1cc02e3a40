#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/mutex.h"
#include "hms_client/metastore.h"
#include "tests/support/fake_log.h"
#include "thrift/wire/view.h"

namespace catalogd::testing {

// A scriptable metastore in memory: a log of rows (FakeLog), raw objects, failures on demand.
//
// Objects and log are independent. Calls are named like the methods ("NextEvents", ...).
// Thread safety: yes. The hook of OnCall holds no mutex: it may play a concurrent writer.
class FakeMetastore final : public hms::Metastore, public FakeLog {
 public:
  struct NamedPartition {
    std::string name;   // "dt=2024-01-01"
    std::string bytes;  // Partition struct.
  };

  using ForwardHandler = std::function<Result<std::string>(std::string_view, const hms::Identity&)>;

  void PutDatabase(const ObjectName& db, const std::string& bytes) {
    MutexLock lock(mutex_);
    databases_[db] = bytes;
  }
  void PutTable(const ObjectName& table, const std::string& bytes) {
    MutexLock lock(mutex_);
    tables_[table] = bytes;
  }
  void PutPartitions(const ObjectName& table, std::vector<NamedPartition> partitions) {
    MutexLock lock(mutex_);
    partitions_[table] = std::move(partitions);
  }
  // A database goes with its tables, a table with its partitions.
  void Remove(const ObjectName& name) {
    MutexLock lock(mutex_);
    const auto gone = [&name](const auto& entry) {
      return entry.first == name || (name.is_database() && entry.first.DatabaseName() == name);
    };
    std::erase_if(databases_, gone);
    std::erase_if(tables_, gone);
    std::erase_if(partitions_, gone);
  }

  // The next `times` calls of that name fail with `error`, after `skip` more that succeed.
  void FailNext(const std::string& call, Error error, int times = 1, int skip = 0) {
    MutexLock lock(mutex_);
    failures_[call] = Failure{std::move(error), times, skip};
  }
  // Every call, whatever its name, fails until this is called again with nothing.
  void FailAll(std::optional<Error> error) {
    MutexLock lock(mutex_);
    fail_all_ = std::move(error);
  }
  void OnCall(std::function<void(std::string_view call)> hook) {
    MutexLock lock(mutex_);
    hook_ = std::move(hook);
  }
  // What Forward answers; without it, Forward is kUnsupported.
  void OnForward(ForwardHandler handler) {
    MutexLock lock(mutex_);
    forward_ = std::move(handler);
  }
  void SetFacts(hms::ServerFacts facts) {
    MutexLock lock(mutex_);
    facts_ = std::move(facts);
  }
  void SetConfig(const std::string& key, const std::string& value) {
    MutexLock lock(mutex_);
    config_[key] = value;
  }
  [[nodiscard]] int Calls(const std::string& call) const {
    MutexLock lock(mutex_);
    const auto it = calls_.find(call);
    return it == calls_.end() ? 0 : it->second;
  }
  [[nodiscard]] int TotalCalls() const {
    MutexLock lock(mutex_);
    int total = 0;
    for (const auto& [name, count] : calls_) total += count;
    return total;
  }

  Result<EventId> CurrentEventId(TimePoint) override {
    RETURN_IF_ERROR(Enter("CurrentEventId"));
    return current_id();
  }

  Result<std::vector<hms::NotificationEvent>> NextEvents(EventId after, int max,
                                                         TimePoint) override {
    RETURN_IF_ERROR(Enter("NextEvents"));
    return Next(after, max);
  }

  Result<std::vector<std::string>> ListCatalogs(TimePoint) override {
    RETURN_IF_ERROR(Enter("ListCatalogs"));
    MutexLock lock(mutex_);
    std::set<std::string> names{std::string(kDefaultCatalog)};
    for (const auto& [name, bytes] : databases_) names.insert(name.catalog());
    return std::vector<std::string>(names.begin(), names.end());
  }

  Result<std::vector<std::string>> ListDatabases(const std::string& catalog, TimePoint) override {
    RETURN_IF_ERROR(Enter("ListDatabases"));
    MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, bytes] : databases_) {
      const auto written = wire::StructView(bytes).String(1);  // May have blanks around it.
      if (name.catalog() == catalog) names.emplace_back(written.value_or(name.db()));
    }
    return names;
  }

  Result<std::vector<std::string>> ListTables(const ObjectName& db, TimePoint) override {
    RETURN_IF_ERROR(Enter("ListTables"));
    MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, bytes] : tables_) {
      if (name.DatabaseName() == db) names.push_back(name.table());
    }
    return names;
  }

  Result<std::string> ReadDatabase(const ObjectName& db, TimePoint) override {
    RETURN_IF_ERROR(Enter("ReadDatabase"));
    MutexLock lock(mutex_);
    return Find(databases_, db);
  }

  Result<std::string> ReadTable(const ObjectName& table, TimePoint) override {
    RETURN_IF_ERROR(Enter("ReadTable"));
    MutexLock lock(mutex_);
    return Find(tables_, table);
  }

  Result<std::vector<std::string>> ReadPartitions(const ObjectName& table, TimePoint) override {
    RETURN_IF_ERROR(Enter("ReadPartitions"));
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(Find(tables_, table));
    std::vector<std::string> all;
    for (const auto& partition : partitions_[table]) all.push_back(partition.bytes);
    return all;
  }

  Result<std::vector<std::string>> ReadPartitionsByNames(const ObjectName& table,
                                                         const std::vector<std::string>& names,
                                                         TimePoint) override {
    RETURN_IF_ERROR(Enter("ReadPartitionsByNames"));
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(Find(tables_, table));
    std::vector<std::string> found;
    for (const auto& partition : partitions_[table]) {
      if (std::find(names.begin(), names.end(), partition.name) != names.end()) {
        found.push_back(partition.bytes);
      }
    }
    return found;
  }

  Result<std::string> ConfigValue(const std::string& key, const std::string& default_value,
                                  TimePoint) override {
    RETURN_IF_ERROR(Enter("ConfigValue"));
    MutexLock lock(mutex_);
    const auto it = config_.find(key);
    return it == config_.end() ? default_value : it->second;
  }

  Result<hms::ServerFacts> Facts(TimePoint) override {
    RETURN_IF_ERROR(Enter("Facts"));
    MutexLock lock(mutex_);
    return facts_;
  }

  Result<std::string> Forward(std::string_view message, const hms::Identity& identity,
                              TimePoint) override {
    RETURN_IF_ERROR(Enter("Forward"));
    ForwardHandler handler;
    {
      MutexLock lock(mutex_);
      handler = forward_;
    }
    if (!handler) return MakeError(ErrorCode::kUnsupported, "the fake metastore forwards nothing");
    return handler(message, identity);
  }

 private:
  struct Failure {
    Error error;
    int times = 0;
    int skip = 0;
  };

  // Counts the call, runs the hook, and fails if a failure is due.
  Status Enter(const std::string& call) {
    AssertNoMutexHeld("fake metastore call");
    std::function<void(std::string_view)> hook;
    {
      MutexLock lock(mutex_);
      ++calls_[call];
      hook = hook_;
    }
    if (auto* scheduler = SchedulerHook::Current()) scheduler->Yield("fake metastore");
    if (hook) hook(call);
    MutexLock lock(mutex_);
    if (fail_all_) return AsError(*fail_all_);
    const auto it = failures_.find(call);
    if (it == failures_.end()) return Ok();
    if (it->second.skip > 0) {
      --it->second.skip;
      return Ok();
    }
    Error error = it->second.error;
    if (--it->second.times <= 0) failures_.erase(it);
    return AsError(std::move(error));
  }

  static Result<std::string> Find(const std::map<ObjectName, std::string>& objects,
                                  const ObjectName& name) {
    const auto it = objects.find(name);
    if (it == objects.end()) {
      return MakeError(ErrorCode::kNotFound, name.ToString() + " does not exist");
    }
    return it->second;
  }

  mutable Mutex mutex_{LockRank::kLeaf};
  std::map<ObjectName, std::string> databases_ GUARDED_BY(mutex_);
  std::map<ObjectName, std::string> tables_ GUARDED_BY(mutex_);
  std::map<ObjectName, std::vector<NamedPartition>> partitions_ GUARDED_BY(mutex_);
  std::map<std::string, Failure> failures_ GUARDED_BY(mutex_);
  std::optional<Error> fail_all_ GUARDED_BY(mutex_);
  std::function<void(std::string_view)> hook_ GUARDED_BY(mutex_);
  ForwardHandler forward_ GUARDED_BY(mutex_);
  std::map<std::string, int> calls_ GUARDED_BY(mutex_);
  hms::ServerFacts facts_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> config_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::testing
