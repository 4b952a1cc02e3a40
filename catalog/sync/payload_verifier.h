#pragma once

#include <set>

#include "catalog/base/mutex.h"
#include "catalog/sync/context.h"

namespace catalogd::sync {

// Option events-payload = verify: of the tables whose content came from messages, reads a sample
// again and compares. A difference is counted, shown among the events, and healed.
//
// Not the reconcile pass: it looks at what messages have just made, not at everything in turn.
// Thread safety: yes. Locks: rank kLoader; nothing while reading, the name lock for comparing.
// Errors: a read that fails or that events overlap proves nothing, and is only counted.
class PayloadVerifier {
 public:
  struct Options {
    uint64_t every = 100;  // One commit of so many is verified.
    size_t at_once = 2;    // What comes while so many are being verified is left out.
  };
  PayloadVerifier(SyncContext* context, const Options& options)
      : context_(context), options_(options) {}

  // A commit has just given the table content from a message. Only queues work.
  void OnBelieved(const ObjectName& table);

 private:
  void Run(const ObjectName& table);
  // The object as of `hi`; absent when it cannot be said which event it is exact for.
  Result<cache::SnapshotPtr> Read(const ObjectName& table, EventId* hi);
  void Compare(const ObjectName& table, const cache::SnapshotPtr& read, EventId hi, LogEpoch epoch,
               const cache::NameGuard& guard);
  void End(const ObjectName& table);

  SyncContext* const context_;
  const Options options_;
  mutable Mutex mutex_{LockRank::kLoader};
  uint64_t believed_ GUARDED_BY(mutex_) = 0;
  std::set<ObjectName> running_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::sync
