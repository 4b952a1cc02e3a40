#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "catalog/base/clock.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "hms_client/channel.h"

namespace catalogd::endpoint {

// Whom the metastore has shown which object: where it judges each user's reads, only they get it
// from the cache, for a while and while it stays the same.
//
// Not a copy of the metastore's rules: a right is an answer that it has given this user. What it
// has judged may be newer than what the cache holds, so a right holds only once the log was read
// after that answer and told of no change of the object.
// Thread safety: yes.
// Invariants: a right holds for one user with the same groups, one object, and the version of it
// that was known before the metastore was asked. At most `most` rights; then all are forgotten.
// Whoever asks has made sure that the cache shows the object as of an end of the log.
class ReadRights {
 public:
  ReadRights(Duration life, size_t most) : life_(life), most_(most) {}

  // `log_read`: when the look at the log began that `version` stands at.
  [[nodiscard]] bool Has(const hms::Identity& identity, const ObjectName& name,
                         CatalogVersion version, TimePoint log_read, TimePoint now) const;
  void Note(const hms::Identity& identity, const ObjectName& name, CatalogVersion version,
            TimePoint now);

 private:
  struct Right {
    CatalogVersion version;
    TimePoint noted;
  };
  using OfUser = std::unordered_map<ObjectName, Right>;

  const Duration life_;
  const size_t most_;
  mutable SharedMutex mutex_{LockRank::kEndpoint};
  std::unordered_map<std::string, OfUser> by_user_ GUARDED_BY(mutex_);
  size_t count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::endpoint
