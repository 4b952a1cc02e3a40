#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/sync/context.h"

// Bringing locked names up to an event id by reading the log: what every DDL does before it lets
// go. `epoch` is the one the id was read in: when another has begun since, nothing is published.
namespace catalogd::sync {

struct CatchUpResult {
  // Names that events in the range also touch and that are not locked: lock the union, read the
  // current id again and call once more. Empty: done.
  std::vector<ObjectName> also_lock;
  CatalogVersion version;  // Of the commit.
  // Some event of the names was in the range; also told with `also_lock`, because the lanes may
  // have applied it before the next call. False after a write that the log always describes: its
  // event hides under an id that was seen before, as real servers give one id to two events at
  // times.
  bool saw_events = false;
};

// Folds the events of `names` in (synced, up_to] and publishes them at `up_to`; the other end of a
// rename among them, where its database is locked, up to the rename. When the log cannot
// be fetched that far within the limits, publishes the names as unknown at `up_to` instead.
// REQUIRES: the guard covers `names`. Blocks on the metastore; holds nothing but name locks.
// `epoch`: the one of `up_to`, asked for before it; in another one nothing is published.
// Errors: those of the log fetch; the caller raises the floors.
Result<CatchUpResult> CatchUp(SyncContext* context, const cache::NameGuard& guard,
                              const std::vector<ObjectName>& names, EventId up_to,
                              TimePoint deadline, LogEpoch epoch);

// The names' content is in doubt as of `at`: unknown, to be read again.
void PublishUnknown(SyncContext* context, const cache::NameGuard& guard,
                    const std::vector<ObjectName>& names, EventId at, const std::string& reason,
                    LogEpoch epoch);

// The names' content, where it is loaded, is to be read again as of `at`: the write changed it
// without telling the log what.
CatalogVersion PublishStubs(SyncContext* context, const cache::NameGuard& guard,
                            const std::vector<ObjectName>& names, EventId at,
                            const std::string& reason, LogEpoch epoch);

}  // namespace catalogd::sync
