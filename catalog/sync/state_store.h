#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/result.h"
#include "catalog/cache/catalog_cache.h"

namespace catalogd::sync {

// What must survive a restart: the log epoch with what identifies the log, and a high-water mark
// for catalog versions. A small file in the state directory, replaced as a whole (write, fsync,
// rename).
//
// Not a checkpoint of the cache.
// Thread safety: yes. Errors: kCorrupt (damaged file: path and advice), kUnavailable (I/O).
class StateStore final : public cache::VersionSource {
 public:
  struct LogIdentity {
    LogEpoch epoch;
    std::string metastore_uuid;  // Empty before Hive 3.
    EventId last_event;          // The newest event seen, and its fingerprint.
    uint64_t last_fingerprint = 0;
  };

  // Creates the file when there is none. Each opening starts a range of versions of its own, so no
  // version ever repeats, however the last run ended. An empty `directory` means in memory, for
  // tests.
  static Result<std::unique_ptr<StateStore>> Open(const std::string& directory);

  CatalogVersion Next() override;
  [[nodiscard]] LogIdentity identity() const;
  Status SaveIdentity(const LogIdentity& identity);

 private:
  struct Content;
  explicit StateStore(std::string directory) : directory_(std::move(directory)) {}
  [[nodiscard]] std::string path() const { return directory_ + "/state"; }
  Status Write(const Content& content) const;

  const std::string directory_;
  std::atomic<int64_t> next_version_{0};
  mutable Mutex mutex_{LockRank::kStats};
  LogIdentity identity_ GUARDED_BY(mutex_);
  int64_t opens_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::sync
