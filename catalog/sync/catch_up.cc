#include "catalog/sync/catch_up.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"
#include "catalog/sync/fold_session.h"

namespace catalogd::sync {
namespace {

using events::EventPtr;
// Names, and the event up to which theirs are to be folded.
using Wanted = std::map<ObjectName, EventId>;

// Only in the simulator, which shows that it would notice.
void Weaken(const std::vector<ObjectName>& names, EventId up_to, std::vector<EventPtr>* events) {
  if (MutantOn(Mutant::kDdlFiltersByName)) {
    std::erase_if(*events, [&names](const EventPtr& event) {
      return std::find(names.begin(), names.end(), event->name) == names.end();
    });
  }
  if (MutantOn(Mutant::kCurrentIdIsOwnId)) {
    std::erase_if(*events, [up_to](const EventPtr& event) { return event->id != up_to; });
  }
}

// Events of the names in (synced, up_to]; absent when the tail has had no room for all of them.
// Up to the watermark there are none to apply: it does not pass an event that waits for our locks.
Result<std::optional<std::vector<EventPtr>>> EventsSince(SyncContext* context,
                                                         const std::vector<ObjectName>& names,
                                                         EventId up_to) {
  EventId oldest = up_to;
  for (const ObjectName& name : names) {
    oldest = std::min(oldest, context->cache->Lookup(name).synced);
  }
  for (;;) {
    const EventId after = std::max(oldest, context->watermark->value());
    if (after >= up_to) return std::vector<EventPtr>{};
    auto events = context->log->Range(after, up_to, names);
    if (events) return std::move(*events);
    if (context->log->trimmed_to() <= after) return AsError(events.error());
    // Trimmed between the two looks: look again from where the watermark is now.
    if (context->watermark->value() <= after) return std::nullopt;
  }
}

// A rename makes of its two ends what they were just before it: an end that is locked with its
// database, and is not brought up itself, is folded too as far as that. True: more is wanted now.
bool Widen(const cache::NameGuard& guard, const std::vector<EventPtr>& events, Wanted* wanted) {
  bool wider = false;
  for (const EventPtr& event : events) {
    if (!event->old_name) continue;
    for (const ObjectName& end : {event->name, *event->old_name}) {
      if (!guard.Covers(end)) continue;
      EventId& up_to = (*wanted)[end];
      if (up_to >= event->id) continue;
      MARK("catch_up.other_end");
      up_to = event->id;
      wider = true;
    }
  }
  return wider;
}

// What must be folded to bring the names up, in order; absent as above.
Result<std::optional<std::vector<EventPtr>>> EventsToFold(SyncContext* context,
                                                          const cache::NameGuard& guard,
                                                          const std::vector<ObjectName>& names,
                                                          EventId up_to) {
  Wanted wanted;
  for (const ObjectName& name : names) wanted[name] = up_to;
  for (;;) {
    std::vector<ObjectName> all;
    for (const auto& [name, last] : wanted) all.push_back(name);
    ASSIGN_OR_RETURN(auto events, EventsSince(context, all, up_to));
    if (!events) return std::nullopt;
    std::erase_if(*events, [&wanted](const EventPtr& event) {
      return std::none_of(wanted.begin(), wanted.end(), [&event](const auto& want) {
        return event->id <= want.second && event->Touches(want.first);
      });
    });
    if (Widen(guard, *events, &wanted)) continue;
    Weaken(names, up_to, &*events);
    return std::move(*events);
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
    const bool drops_tables = event->kind == events::EventKind::kDropDatabase;
    if (drops_tables && !guard.CoversTablesOf(event->name)) names.push_back(event->name);
    AddIfMissing(guard, event->name, &names);
    if (event->old_name) AddIfMissing(guard, *event->old_name, &names);
  }
  return names;
}

}  // namespace

Result<CatchUpResult> CatchUp(SyncContext* context, const cache::NameGuard& guard,
                              const std::vector<ObjectName>& names, EventId up_to,
                              TimePoint deadline, LogEpoch epoch) {
  if (MutantOn(Mutant::kPublishBeforeCatchUp)) {
    FoldSession early(context, guard, "ddl", epoch);
    early.AdvanceTo(names, up_to);
    early.Commit();
  }
  const auto give_up = [&](const std::string& why) {
    PublishUnknown(context, guard, names, up_to, why, epoch);
    for (const ObjectName& name : names) {
      if (name.is_database()) context->floors->Raise(name, up_to);  // For its tables.
    }
    CatchUpResult unknown;
    unknown.saw_events = true;  // Nothing is believed, so nothing can be missed.
    return unknown;
  };
  const Status fetched = context->log->FetchTo(up_to, context->max_catch_up_events, deadline);
  if (!fetched && fetched.error().code == ErrorCode::kResourceExhausted) {
    MARK("catch_up.far_behind");
    return give_up("the log is far behind this write");
  }
  RETURN_IF_ERROR(fetched);
  ASSIGN_OR_RETURN(const auto to_fold, EventsToFold(context, guard, names, up_to));
  if (!to_fold) {
    MARK("catch_up.tail_too_short");
    return give_up("the log moved on too far during this write");
  }
  const std::vector<EventPtr>& events = *to_fold;
  CatchUpResult result;
  result.saw_events = !events.empty();
  result.also_lock = NotLocked(guard, events);
  if (!result.also_lock.empty()) {
    MARK("catch_up.also_lock");
    return result;
  }
  FoldSession session(context, guard, "ddl", epoch);
  for (const EventPtr& event : events) session.Apply(event);
  session.AdvanceTo(names, up_to);
  result.version = session.Commit();
  for (const EventPtr& event : events) {
    // Older events of its tables may still wait: until they are applied, so do reads of the tables.
    if (event->kind != events::EventKind::kDropDatabase) continue;
    MARK("catch_up.database_dropped");
    context->floors->Raise(event->name, event->id);
  }
  return result;
}

void PublishUnknown(SyncContext* context, const cache::NameGuard& guard,
                    const std::vector<ObjectName>& names, EventId at, const std::string& reason,
                    LogEpoch epoch) {
  FoldSession session(context, guard, "ddl", epoch);
  for (const ObjectName& name : names) session.MakeUnknown(name, at, reason);
  session.Commit();
}

CatalogVersion PublishStubs(SyncContext* context, const cache::NameGuard& guard,
                            const std::vector<ObjectName>& names, EventId at,
                            const std::string& reason, LogEpoch epoch) {
  FoldSession session(context, guard, "ddl", epoch);
  for (const ObjectName& name : names) session.MakeStub(name, at, reason);
  return session.Commit();
}

}  // namespace catalogd::sync
