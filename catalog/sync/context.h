#pragma once

#include <atomic>
#include <functional>

#include "catalog/base/executor.h"
#include "catalog/cache/catalog_cache.h"
#include "catalog/cache/name_locks.h"
#include "catalog/cache/watermark.h"
#include "catalog/sync/floors.h"
#include "catalog/sync/fold.h"
#include "catalog/sync/following.h"
#include "catalog/sync/journal.h"
#include "events/notification_log.h"
#include "hms_client/metastore.h"

namespace catalogd::sync {

class PayloadVerifier;
class SideAnswers;

// The parts that appliers, loaders and DDLs share; owned by SyncCore, valid as long as it lives.
// Plain references, no behaviour.
struct SyncContext {
  hms::Metastore* metastore = nullptr;
  const Clock* clock = nullptr;
  Executor* executor = nullptr;  // Continuations and event application: never blocks on RPCs.
  Executor* loader_executor = nullptr;
  Executor* ddl_executor = nullptr;
  Timer* timer = nullptr;

  cache::CatalogCache* cache = nullptr;
  cache::NameLocks* locks = nullptr;
  cache::Watermark* watermark = nullptr;
  events::NotificationLog* log = nullptr;
  Floors* floors = nullptr;
  Following* following = nullptr;       // Null: everything is followed.
  PayloadVerifier* verifier = nullptr;  // Null: messages are not verified.
  SideAnswers* side_answers = nullptr;  // Null: none are kept.
  Journal* journal = nullptr;
  SyncCounters* counters = nullptr;
  // Set once a database is seen whose stored name no request can name.
  std::atomic<bool>* odd_databases = nullptr;

  // Of a table, as events tell it: called under the locks of both names, before the commit that
  // shows it. Must not wait. Null: nobody wants to know. Set before anything is folded.
  std::function<void(const ObjectName& from, const ObjectName& to)> on_rename;

  FoldOptions fold;
  Duration call_timeout = std::chrono::seconds(30);
  // A DDL or load that is further behind the log than this makes stubs instead of fetching.
  int64_t max_catch_up_events = 5000;

  [[nodiscard]] TimePoint CallDeadline() const { return clock->Now() + call_timeout; }
};

}  // namespace catalogd::sync
