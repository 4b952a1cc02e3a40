#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/sync/context.h"

namespace catalogd::sync {

// Folds a run of events into all names they touch, under the names' locks, and publishes the
// outcome as one commit: intermediate states are never seen, cross-name events are one step.
// Thread safety: none. REQUIRES: the guard covers every name that the events touch and outlives
// the session; no RPC is made.
class FoldSession {
 public:
  // `by`: "events", "ddl" or "load", for the journal. `epoch`: the one in which the ids
  // were found out, asked for before them; in another one nothing is published.
  FoldSession(SyncContext* context, const cache::NameGuard& guard, std::string_view by,
              LogEpoch epoch);

  // In id order. REQUIRES: the event lives until Commit.
  void Apply(const events::EventPtr& event);
  // The same where a later event of the session makes the content void: only the name's existence
  // is followed. REQUIRES: the event touches one name.
  void PassOver(const events::EventPtr& event);
  // As of `id` this is all that is known of the name. `incarnation` not 0: it is another object.
  void Settle(const ObjectName& name, cache::SlotState state, EventId id, EventId incarnation,
              const std::string& reason);
  // A load: what was read (null: nothing there) holds as of `lo`; contradictions are only looked
  // for behind `hi`. Then ApplyTo folds what happened since into that one name.
  void Start(const ObjectName& name, cache::SnapshotPtr read, EventId lo, EventId hi);
  void ApplyTo(const ObjectName& name, const events::EventPtr& event);
  // The names reflect everything up to `id`, though the last events of others may be older.
  void AdvanceTo(const std::vector<ObjectName>& names, EventId id);
  // The name was changed in a way no event tells of: as of `id` its content, or its existence, must
  // be read again, and reads that are under way do not count.
  void MakeStub(const ObjectName& name, EventId id, const std::string& reason);
  void MakeUnknown(const ObjectName& name, EventId id, const std::string& reason);

  // Publishes what changed and what is to be told of it, if the cache is still in the session's
  // epoch.
  CatalogVersion Commit();

 private:
  FoldState& StateOf(const ObjectName& name);
  void Fold(const ObjectName& name, const events::EventPtr& event,
            const cache::SlotView* renamed_from);
  void Note(const ObjectName& name, const events::Event& event, const Decision& decision);
  void PublishNotes();
  // Keeps what the event says about following the name.
  static void NoteSwitch(const ObjectName& name, const events::Event& event,
                         const Decision& decision, FoldState* state);
  [[nodiscard]] bool IsDisabled(const ObjectName& name, const FoldState& state) const;
  [[nodiscard]] std::vector<ObjectName> NamesTouched(const events::Event& event) const;

  SyncContext* const context_;
  const cache::NameGuard& guard_;
  const std::string_view by_;
  const LogEpoch epoch_;
  std::map<ObjectName, FoldState> states_;
  std::vector<JournalNote> notes_;
  std::vector<std::pair<ObjectName, ObjectName>> renames_;  // From, to.
  std::array<uint64_t, kActionCount> actions_{};
  uint64_t events_ = 0;
  std::set<ObjectName> believed_;  // Content came from messages, and a sample is verified.
};

}  // namespace catalogd::sync
