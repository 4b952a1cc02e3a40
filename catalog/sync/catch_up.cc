#include "catalog/sync/catch_up.h"

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "catalog/sync/fold_session.h"

namespace catalogd::sync {
namespace {

using events::EventPtr;

// Events of the names in (synced, up_to]. Whatever is trimmed was applied to these names before:
// the watermark does not pass an event that waits for our locks.
Result<std::vector<EventPtr>> EventsSince(SyncContext* context,
                                          const std::vector<ObjectName>& names, EventId up_to) {
  EventId oldest = up_to;
  for (const ObjectName& name : names) {
    oldest = std::min(oldest, context->cache->Lookup(name).synced);
  }
  for (;;) {
    const EventId trimmed = context->log->trimmed_to();
    const EventId after = std::max(oldest, trimmed);
    if (after >= up_to) return std::vector<EventPtr>{};
    auto events = context->log->Range(after, up_to, names);
    // Trimmed between the two looks: look again from where the tail begins now.
    if (events || context->log->trimmed_to() <= after) return events;
  }
}

void AddIfMissing(const cache::NameGuard& guard, const ObjectName& name,
                  std::vector<ObjectName>* names) {
  if (guard.Covers(name)) return;
  if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

// What must be locked too before these events can be applied as the single steps they are.
std::vector<ObjectName> NotLocked(const cache::NameGuard& guard,
                                  const std::vector<EventPtr>& events) {
  std::vector<ObjectName> names;
  for (const EventPtr& event : events) {
    if (!event->CrossesNames()) continue;
    AddIfMissing(guard, event->name, &names);
    if (event->old_name) AddIfMissing(guard, *event->old_name, &names);
  }
  return names;
}

}  // namespace

Result<CatchUpResult> CatchUp(SyncContext* context, const cache::NameGuard& guard,
                              const std::vector<ObjectName>& names, EventId up_to,
                              TimePoint deadline) {
  const Status fetched = context->log->FetchTo(up_to, context->max_catch_up_events, deadline);
  if (!fetched && fetched.error().code == ErrorCode::kResourceExhausted) {
    MARK("catch_up.far_behind");
    PublishUnknown(context, guard, names, up_to, "the log is far behind this write");
    CatchUpResult unknown;
    unknown.saw_events = true;  // Nothing is believed, so nothing can be missed.
    return unknown;
  }
  RETURN_IF_ERROR(fetched);
  ASSIGN_OR_RETURN(const std::vector<EventPtr> events, EventsSince(context, names, up_to));
  CatchUpResult result;
  result.also_lock = NotLocked(guard, events);
  if (!result.also_lock.empty()) {
    MARK("catch_up.also_lock");
    return result;
  }
  FoldSession session(context, guard, "ddl");
  for (const EventPtr& event : events) session.Apply(event);
  session.AdvanceTo(names, up_to);
  result.version = session.Commit();
  result.saw_events = !events.empty();
  return result;
}

void PublishUnknown(SyncContext* context, const cache::NameGuard& guard,
                    const std::vector<ObjectName>& names, EventId at, const std::string& reason) {
  FoldSession session(context, guard, "ddl");
  for (const ObjectName& name : names) session.MakeUnknown(name, at, reason);
  session.Commit();
}

CatalogVersion PublishStubs(SyncContext* context, const cache::NameGuard& guard,
                            const std::vector<ObjectName>& names, EventId at,
                            const std::string& reason) {
  FoldSession session(context, guard, "ddl");
  for (const ObjectName& name : names) session.MakeStub(name, at, reason);
  return session.Commit();
}

}  // namespace catalogd::sync
