#include "catalog/sync/payload_verifier.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "catalog/base/probes.h"
#include "catalog/sync/fold_session.h"
#include "catalog/sync/object_loader.h"
#include "catalog/sync/reconcile_diff.h"

namespace catalogd::sync {

void PayloadVerifier::OnBelieved(const ObjectName& table) {
  {
    const MutexLock lock(mutex_);
    if (++believed_ % options_.every != 0) return;
    if (running_.size() >= options_.at_once || !running_.insert(table).second) return;
  }
  const Status submitted = context_->loader_executor->Submit([this, table] { Run(table); });
  if (!submitted) End(table);
}

void PayloadVerifier::End(const ObjectName& table) {
  const MutexLock lock(mutex_);
  running_.erase(table);
}

void PayloadVerifier::Run(const ObjectName& table) {
  EventId hi;
  const LogEpoch epoch = context_->cache->epoch();
  Result<cache::SnapshotPtr> read = Read(table, &hi);
  if (!read) {
    context_->counters->unverified_payloads.fetch_add(1, std::memory_order_relaxed);
    End(table);
    return;
  }
  cache::NameLocks::Request request;
  request.exclusive = {table};
  request.owner = "verify " + table.ToString();
  auto guard = context_->locks->Acquire(
      std::move(request), [this, table, read = *read, hi, epoch](Result<cache::NameGuard> granted) {
        if (granted) Compare(table, read, hi, epoch, *granted);
      });
  if (guard) Compare(table, *read, hi, epoch, *guard);
}

Result<cache::SnapshotPtr> PayloadVerifier::Read(const ObjectName& table, EventId* hi) {
  ASSIGN_OR_RETURN(const EventId lo, context_->metastore->CurrentEventId(context_->CallDeadline()));
  ASSIGN_OR_RETURN(const events::NotificationLog::Pin pin, context_->log->PinAfter(lo));
  ASSIGN_OR_RETURN(cache::SnapshotPtr read, ReadObject(context_, table));
  ASSIGN_OR_RETURN(*hi, context_->metastore->CurrentEventId(context_->CallDeadline()));
  RETURN_IF_ERROR(
      context_->log->FetchTo(*hi, context_->max_catch_up_events, context_->CallDeadline()));
  ASSIGN_OR_RETURN(const auto between, context_->log->Range(lo, *hi, {table}));
  if (!between.empty()) {
    return MakeError(ErrorCode::kConflict, "verify " + table.ToString() + ": it changed meanwhile");
  }
  return read;
}

// Every event up to `hi` has asked for the lock before us: what is published now is as of `hi` at
// least.
void PayloadVerifier::Compare(const ObjectName& table, const cache::SnapshotPtr& read, EventId hi,
                              LogEpoch epoch, const cache::NameGuard& guard) {
  const cache::SlotView slot = context_->cache->Lookup(table);
  SyncCounters& counters = *context_->counters;
  if (slot.state != cache::SlotState::kPresent || slot.synced > hi ||
      context_->cache->epoch() != epoch) {
    counters.unverified_payloads.fetch_add(1, std::memory_order_relaxed);
    End(table);
    return;
  }
  counters.verified_payloads.fetch_add(1, std::memory_order_relaxed);
  const std::string difference = DescribeDifference(table, slot.snapshot, read);
  if (!difference.empty()) {
    MARK("verifier.difference");
    counters.payload_differences.fetch_add(1, std::memory_order_relaxed);
    JournalEntry entry;
    entry.event = hi;
    entry.type = "verify: difference";
    entry.name = table;
    entry.action = ActionName(Action::kMakeStub);
    entry.reason = "messages did not tell everything: " + difference;
    entry.by = "verify";
    context_->journal->Add(std::move(entry));
    FoldSession session(context_, guard, "verify", epoch);
    session.MakeStub(table, hi, "messages did not tell everything");
    session.Commit();
  }
  End(table);
}

}  // namespace catalogd::sync
