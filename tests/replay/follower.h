#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/sync/event_applier.h"
#include "catalog/sync/object_loader.h"
#include "catalog/sync/state_store.h"
#include "events/event_processor.h"
#include "tests/replay/object_key.h"
#include "tests/support/fake_time.h"

namespace catalogd::replay {

// The real core on one thread: tail, processor, applier, cache and loader, over any metastore.
// What would run on pools runs before Poll or Cached return.
// Thread safety: none.
class Follower {
 public:
  struct Options {
    hms::Generation generation = hms::Generation::kUnknown;
    sync::PayloadMode payload = sync::PayloadMode::kTrust;
    int batch = 1000;  // Events per fetch.
  };
  Follower(hms::Metastore* metastore, const Options& options);

  // Begins at the metastore's current id with these names as stubs.
  Status Start(const std::vector<ObjectName>& names);
  // Fetches and applies everything new. Errors: of the metastore; kInvalidState when the log was
  // found to be another one.
  Status Poll();

  // What the cache holds, loaded first when it holds too little; absent: there is no such object.
  // Not for functions. Errors: of the load.
  Result<std::optional<std::string>> Cached(const ObjectKey& key);
  // Names of the table's partitions; absent while they are not loaded.
  [[nodiscard]] std::optional<std::vector<std::string>> PartitionNames(
      const ObjectName& table) const;
  [[nodiscard]] const cache::CatalogCache& cache() const { return cache_; }
  [[nodiscard]] const sync::SyncCounters& counters() const { return counters_; }

  // Reads of objects by what made them necessary: "ALTER_TABLE: a truncate may have failed".
  [[nodiscard]] const std::map<std::string, int>& reads() const { return reads_; }
  // How often an event type did what: {"ALTER_TABLE", "put-table"}.
  using TypeAndAction = std::pair<std::string, std::string>;
  [[nodiscard]] const std::map<TypeAndAction, int>& actions() const { return actions_; }

 private:
  void ReadJournal(EventId before);
  Status Load(const ObjectName& name);

  testing::FakeClock clock_;
  testing::ManualTimer timer_{&clock_};
  testing::ManualExecutor executor_;
  std::unique_ptr<sync::StateStore> versions_;
  hms::Metastore* const metastore_;
  cache::CatalogCache cache_;
  cache::NameLocks locks_;
  cache::Watermark watermark_;
  events::NotificationLog log_;
  sync::Floors floors_;
  sync::Journal journal_;
  sync::SyncCounters counters_;
  sync::SyncContext context_;
  sync::EventApplier applier_;
  events::EventProcessor processor_;
  sync::ObjectLoader loader_;
  std::map<ObjectName, std::string> causes_;  // Why the name would have to be read.
  std::map<std::string, int> reads_;
  std::map<TypeAndAction, int> actions_;
};

}  // namespace catalogd::replay
