#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/cache/snapshot.h"
#include "catalog/sync/decide.h"
#include "events/event.h"
#include "hms_client/metastore.h"

// Applying events to one name in memory: what the applier, a DDL and the loader have in common.
namespace catalogd::sync {

struct FoldOptions {
  DecideOptions decide;
  hms::Generation generation = hms::Generation::kUnknown;
};

// One step of the fold, for the journal.
struct FoldStep {
  events::EventPtr event;
  ObjectName name;
  Decision decision;
};

// The state of one name while events are folded into it.
struct FoldState {
  cache::SlotView view;
  EventId base;          // The synced id at the beginning.
  bool changed = false;  // Anything beyond the synced id.
  bool new_incarnation = false;
  bool void_reads = false;  // As in SlotChange.
  // What the parameters say since the newest event or load that showed them.
  std::optional<cache::SyncSwitch> sync;
  // For the journal: "ALTER_TABLE" and why, or all of it in `reason`.
  std::string reason;
  std::string_view why;  // Literal.
};

// Folds `event` into the state of `name`: state, content and synced id. An image
// that turns out to be broken makes a stub. `renamed_from`: as in Decide.
Decision FoldEvent(const ObjectName& name, const events::Event& event,
                   const cache::SlotView* renamed_from, const FoldOptions& options,
                   FoldState* state);

// The change that publishes a folded state. REQUIRES: state->view.synced has been reached.
cache::SlotChange ToChange(const ObjectName& name, const FoldState& state);

}  // namespace catalogd::sync
